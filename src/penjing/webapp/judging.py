"""Judges the answers of students: right, nearly right, wrong, or not readable.

A number is right within the worksheet's tolerance and nearly right within ten times that. Counts
are right or wrong. A column is nearly right if its score is as near to the best one. Texts are
compared without blanks, quotes and case, unless the worksheet has names that differ in these only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any

Plain = Mapping[str, Any]

RIGHT, NEARLY, WRONG, UNREADABLE = "right", "nearly", "wrong", "unreadable"
NEAR_FACTOR = 10
"""A number within so many tolerances is nearly right."""
_DASHES = {"-", "–", "—", "−", "/", "none", "无"}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_SIGNS = {"≤": "<=", "≥": ">=", "＜": "<", "＞": ">", "＝": "=", "，": ",", "、": ",", "；": ","}


def parse_number(text: str) -> float | None:
    """Return the number that a student wrote; None if it is none.

    Examples
    --------
    >>> [parse_number(text) for text in ("0.971", "0,971", "97.1 %", "5/14", "≈ 1", "０．５", "x")]
    [0.971, 0.971, 0.971, 0.35714285714285715, 1.0, 0.5, None]
    """
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").replace("–", "-")
    if re.search(r"\d\s+\d", plain):  # 1 1/2 is neither 11/2 nor a number of a worksheet
        return None
    plain = "".join(plain.split()).lstrip("≈=~")
    if plain.endswith("%"):  # only one: each level of recursion takes a sign away
        if plain.endswith("%%"):
            return None
        part = parse_number(plain[:-1])
        return None if part is None else round(part / 100, 15)
    if plain.count("/") == 1:
        top, bottom = (parse_number(part) for part in plain.split("/"))
        return None if top is None or not bottom else top / bottom
    if "." not in plain and plain.count(",") == 1:
        plain = plain.replace(",", ".")
    return float(plain) if _NUMBER.fullmatch(plain) else None


def normalized(text: object) -> str:
    """Return a text for comparison: no blanks, no quotes, plain signs, lower case.

    Examples
    --------
    >>> normalized(" 'No Surfacing' ≤ 3 ")
    'nosurfacing<=3'
    """
    plain = unicodedata.normalize("NFKC", str(text))
    for sign, simple in _SIGNS.items():
        plain = plain.replace(sign, simple)
    return "".join(c for c in plain if not c.isspace() and c not in "'\"“”‘’{}[]").casefold()


def judge(
    blank: Plain,
    answer: Plain,
    text: str,
    scores: Mapping[str, float],
    names: Collection[str] = (),
) -> str:
    """Return whether a text is the answer of a blank.

    Parameters
    ----------
    blank : dict
        The blank, as the worksheet has it.
    answer : dict
        Its answer, as the solution has it.
    text : str
        What the student wrote.
    scores : dict
        The score of each column that can be split on in the node of the blank.
    names : collection of str
        The columns, categories or classes that the answer may be; one of them, written exactly,
        is no other one.

    Examples
    --------
    >>> blank = {"kind": "number"}
    >>> answer = {"value": 0.9403, "tolerance": 0.002}
    >>> [judge(blank, answer, text, {}) for text in ("0.940", "0.95", "0.5", "a lot")]
    ['right', 'nearly', 'wrong', 'unreadable']
    """
    if not text.strip():
        return UNREADABLE
    if answer["value"] is None:
        return RIGHT if normalized(text) in _DASHES else WRONG
    kind = blank["kind"]
    if kind in ("number", "count"):
        return _judge_number(kind, answer, text)
    if kind == "column":
        return _judge_column(answer, text, scores)
    if kind == "result":
        return _judge_result(answer, text, names)
    if kind == "path":
        wanted = normalized(",".join(answer["value"]))
        return RIGHT if normalized(text).strip(",") == wanted else WRONG
    texts = answer.get("accepted", [answer["value"]])
    if _is_other_name(text, texts, names):
        return WRONG
    verdicts = [_judge_condition(str(wanted), text) for wanted in texts]
    return next((v for v in (RIGHT, NEARLY) if v in verdicts), WRONG)


def _judge_number(kind: str, answer: Plain, text: str) -> str:
    number = parse_number(text)
    if number is None:
        return WRONG if normalized(text) in _DASHES else UNREADABLE
    if kind == "count":
        return RIGHT if number == answer["value"] else WRONG
    return _by_distance(abs(number - answer["value"]), answer["tolerance"])


def _by_distance(distance: float, tolerance: float) -> str:
    slack = 1e-9  # 0.942 and 0.940 differ by a little more than 0.002 in binary
    if distance <= tolerance + slack:
        return RIGHT
    return NEARLY if distance <= NEAR_FACTOR * tolerance + slack else WRONG


TOLERANCE = 2e-3
"""Of scores and thresholds; that of the worksheets."""


def _judge_column(answer: Plain, text: str, scores: Mapping[str, float]) -> str:
    given, is_other = normalized(text), _is_other_name(text, answer["accepted"], scores)
    if given in {normalized(name) for name in answer["accepted"]} and not is_other:
        return RIGHT
    by_name = {normalized(name): score for name, score in scores.items()}
    own, best = scores.get(text.strip(), by_name.get(given)), scores.get(answer["value"])
    if best is None or own is None:
        return WRONG
    return NEARLY if abs(own - best) <= NEAR_FACTOR * TOLERANCE else WRONG


def _is_other_name(text: str, wanted: Collection[object], names: Collection[str]) -> bool:
    """Return whether a text is exactly a name that is not wanted."""
    return text.strip() in names and text.strip() not in {str(name) for name in wanted}


def _judge_result(answer: Plain, text: str, names: Collection[str]) -> str:
    given, value = normalized(text), answer["value"]
    if "node" in value:
        number = parse_number(re.sub(r"^(node|结点|節點|#)", "", given))
        return RIGHT if number == value["node"] else WRONG
    if _is_other_name(text, [value["class"]], names):
        return WRONG
    return RIGHT if given == normalized(value["class"]) else WRONG


def _judge_condition(wanted: str, text: str) -> str:
    goal, given = normalized(wanted), normalized(text)
    if sorted(goal.split(",")) == sorted(given.strip(",").split(",")):
        return RIGHT
    sign = re.match(r"(<=|>=|<|>)", goal)
    own = re.match(r"(<=|>=|<|>)", given)
    if sign is None or own is None or sign[0][0] != own[0][0]:
        return WRONG
    numbers = parse_number(goal[sign.end() :]), parse_number(given[own.end() :])
    if numbers[0] is None or numbers[1] is None:
        return WRONG
    return _by_distance(abs(numbers[0] - numbers[1]), TOLERANCE)
