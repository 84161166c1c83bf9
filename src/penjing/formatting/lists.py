"""Names as a list inside a sentence, in each language."""

from __future__ import annotations

from collections.abc import Sequence

from penjing.i18n import Names, say

SHOWN = 10
"""The largest number of items that a sentence lists."""


def join_names(names: Sequence[object], lang: str = "en", shown: int = SHOWN) -> str:
    """Return names as a list in a sentence; a last name "…" stands for others.

    Examples
    --------
    >>> join_names([16, 6, 7]), join_names([16, 6, 7], "zh"), join_names([4])
    ('16, 6 and 7', '16、6 和 7', '4')
    >>> join_names(range(1, 30), shown=3)
    '1, 2, 3 and 26 more'
    >>> join_names(["u", "v", "…"])
    'u, v, …'
    """
    texts = [str(name) for name in names]
    if len(texts) == 1:
        return texts[0]
    comma = say("list_comma", lang)
    if texts[-1:] == ["…"]:
        return comma.join(texts)
    if len(texts) > shown:
        n = len(texts) - shown
        return join_most("list_more", lang, comma.join(texts[:shown]), n=n)
    return join_most("list_and", lang, comma.join(texts[:-1]), last=texts[-1])


def numbered_rows(numbers: Sequence[int], lang: str = "en") -> str:
    """Return rows by their numbers; of many, the first ones and the number of the others.

    Examples
    --------
    >>> numbered_rows([3, 4], "zh"), numbered_rows(range(1, 15))
    ('第 3 和 4 行', 'rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 4 more')
    """
    if len(numbers) <= SHOWN:
        return say("rows_named", lang, n=len(numbers), rows=join_names(list(numbers), lang))
    most = Names(numbers[:SHOWN])
    return say("rows_named_more", lang, most=most, n=len(numbers) - SHOWN)


def join_most(key: str, lang: str, most: str, **values: object) -> str:
    """Return a list whose end is joined by a message, without a blank after a wide parenthesis.

    Examples
    --------
    >>> join_most("list_or", "zh", "a（2）", last="b"), join_most("list_or", "zh", "a", last="b")
    ('a（2）或 b', 'a 或 b')
    """
    text = say(key, lang, most=most, **values)
    return most + text[len(most) :].lstrip() if most.endswith("）") else text
