"""Columns that only number or name the rows, and say nothing about them."""

from __future__ import annotations

import re

import numpy as np

from penjing.data.table import Codes, Floats

ID_NAME = re.compile(
    r"ids?|uid|uuid|guid|rid|pid|sid|oid|key|index|idx|row|rownum|no|nr|num|number|serial"
    r"|instance|record|case|obs|(?:row|record|case|sample|instance)[_ ]?(?:id|no|number)"
    r"|.+[_ .-]id|工号|卡号|账号|证号|身份证号|订单号|行号|编码|.*(?:编号|序号|学号|流水号)",
    re.IGNORECASE,
)
CAMEL_CASE_ID = re.compile(r".*[a-z](?:Id|ID)")
"""The names that an id has: customer_id, PassengerId, No., 学号 …"""

MIN_ROWS = 5
"""A column 1, 2, 3 … of fewer rows may well be a toy's only number."""

MIN_ROWS_ANY_START = 20
"""A count that starts elsewhere than at 0 or 1 must be longer to be believed."""

MIN_DISTINCT_TEXTS = 10
"""So many rows, each with a text of its own, make the text a name."""


def is_id_name(name: str) -> bool:
    """Say whether a column is called like an id.

    Examples
    --------
    >>> [is_id_name(name) for name in ("编号", "RID", "No.", "customer_id", "width", "paid")]
    [True, True, True, True, False, False]
    """
    bare = name.strip().rstrip(".:#").strip()
    return bool(ID_NAME.fullmatch(bare) or CAMEL_CASE_ID.fullmatch(bare))


def are_consecutive(integers: Floats, codes: Codes) -> bool:
    """Say whether the rows show consecutive integers.

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
    rows = integers[codes]
    return bool((np.diff(rows) == 1).all()) and (rows[0] in (0, 1) or n >= MIN_ROWS_ANY_START)
