"""Names and number patterns of id columns; `infer.looks_like_id` decides."""

from __future__ import annotations

import re

import numpy as np

from penjing.data.table import Codes, Floats

ID_NAME = re.compile(
    r"ids?|uid|uuid|guid|rid|pid|sid|oid|key|index|idx|row|rownum|no|nr|num|number|serial"
    r"|instance|record|case|obs|(?:row|record|case|sample|instance)[_ ]?(?:id|no|number)"
    r"|.+[_ .-](?:id|no|nr)"
    r"|工号|卡号|账号|证号|身份证号|订单号|行号|编码|.*(?:编号|序号|学号|流水号)",
    re.IGNORECASE,
)
CAMEL_CASE_ID = re.compile(r".*[a-z](?:Id|ID)")
"""Names of id columns: customer_id, PassengerId, No., 学号 …"""

MIN_ROWS = 5
"""A column 1, 2, 3 … of fewer rows may be the only number of a small example."""

MIN_ROWS_ANY_START = 20
"""Consecutive integers that do not start at 0 or 1 need at least this many rows."""

MIN_DISTINCT_TEXTS = 10
"""A text column with this many rows, all different, is an id."""


def is_id_name(name: str) -> bool:
    """Return whether the name of a column is one that ids have.

    Examples
    --------
    >>> [is_id_name(name) for name in ("编号", "RID", "No.", "customer_id", "width", "paid")]
    [True, True, True, True, False, False]
    """
    stripped = name.strip().rstrip(".:#").strip()
    return bool(ID_NAME.fullmatch(stripped) or CAMEL_CASE_ID.fullmatch(stripped))


def are_consecutive(integers: Floats, codes: Codes) -> bool:
    """Return whether the values of the rows are consecutive integers.

    Parameters
    ----------
    integers : (levels,)
        The number of each level, all of them integers.
    codes : (n,)
        The level of each row.
    """
    n = len(codes)
    if n < MIN_ROWS or len(integers) != n or codes.min() < 0:
        return False
    row_values = integers[codes]
    return bool((np.diff(row_values) == 1).all()) and (
        row_values[0] in (0, 1) or n >= MIN_ROWS_ANY_START
    )
