"""Columns that only number or name the rows, and say nothing about them."""

from __future__ import annotations

import re

import numpy as np

from penjing.table import Codes, Floats

NAMES = frozenset(
    """id ids uid uuid guid rid pid sid oid tid key index idx row rowid row_id rownum no nr num
    number nummer serial instance record recordid record_id case caseid case_id obs sample_id
    编号 序号 学号 工号 卡号 账号 证号 身份证号 订单号 流水号 行号 样本编号 样本号 编码""".split()
)
PATTERN = re.compile(
    r"(?:.*[a-z])?[_ .-]id|id[_ .-].*|.*[a-z]Id|.*[a-z]ID|.*(?:编号|序号|学号|流水号)"
)

COUNTED = 5
"""A column 1, 2, 3 … of fewer rows may well be a toy's only number."""

LATE = 20
"""A count that starts elsewhere than at 0 or 1 must be longer to be believed."""

DISTINCT = 10
"""So many rows, each with a text of its own, make the text a name."""


def is_id_name(name: str) -> bool:
    """Say whether a column is called like an id.

    Examples
    --------
    >>> [is_id_name(name) for name in ("编号", "RID", "No.", "customer_id", "width", "paid")]
    [True, True, True, True, False, False]
    """
    bare = name.strip().rstrip(".:#").strip()
    return bare.lower() in NAMES or bool(PATTERN.fullmatch(bare))


def counts_up(integers: Floats, codes: Codes) -> bool:
    """Say whether the rows show consecutive integers.

    Parameters
    ----------
    integers : (levels,)
        The number of each level, all of them integers.
    codes : (n,)
        The level of each row.
    """
    n = len(codes)
    if n < COUNTED or len(integers) != n or codes.min() < 0:
        return False
    rows = integers[codes]
    return bool((np.diff(rows) == 1).all()) and (rows[0] in (0, 1) or n >= LATE)
