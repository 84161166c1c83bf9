"""Parsers of printed trees: text, rules, Markdown, DOT and SVG are read without the tree."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from ast import literal_eval
from collections.abc import Callable, Iterator
from typing import Any

WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}]+"""
SVG = "{http://www.w3.org/2000/svg}"

Order = dict[str, list[str]]
Test = Callable[[dict[str, Any], Order], bool]
Rule = tuple[list[Test], str]


def unquoted(word: str) -> str:
    return literal_eval(word) if word[:1] in ("'", '"') else word


def parts(text: str, sign: str) -> list[str]:
    """Return a text cut at a sign, but not inside quotes."""
    found, start, at = [], 0, 0
    while at < len(text):
        if quoted := re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""").match(text, at):
            at = quoted.end()
        elif text.startswith(sign, at):
            found.append(text[start:at])
            at = start = at + len(sign)
        else:
            at += 1
    return [*found, text[start:]]


def compared(value: Any, word: str, order: list[str] | None) -> bool:
    """Say whether a value is at most what is printed."""
    if order is not None:
        return order.index(str(value)) <= order.index(unquoted(word))
    return value <= float(word)


def reaches(value: Any, word: str, order: list[str] | None) -> bool:
    """Say whether a value is at least what is printed."""
    if order is not None:
        return order.index(str(value)) >= order.index(unquoted(word))
    return value >= float(word)


def test_of(text: str) -> Test:
    """Return the test that a printed condition is."""
    if between := re.fullmatch(rf"({WORD}) (<|≤) ({WORD}) (<|≤) ({WORD})", text):
        low, first, name, second, high = between.groups()

        def inside(row: dict[str, Any], order: Order) -> bool:
            column = unquoted(name)
            value, places = row[column], order.get(column)
            is_above = answered(value, f"{'≥' if first == '≤' else '>'} {low}", places)
            return is_above and answered(value, f"{second} {high}", places)

        return inside
    name, sign, rest = re.fullmatch(rf"({WORD}) (=|≤|<|>|≥|in) (.*)", text).groups()

    def holds(row: dict[str, Any], order: Order) -> bool:
        column = unquoted(name)
        return answered(row[column], f"{sign} {rest}", order.get(column))

    return holds


def answered(value: Any, text: str, order: list[str] | None) -> bool:
    """Say whether a value is what a branch wants: '= a', 'in {a, b}', '≤ 5', '> 5', '< 5' …"""
    sign, _, rest = text.partition(" ")
    if sign in ("=", "in"):
        words = parts(rest[1:-1], ", ") if sign == "in" else [rest]
        return str(value) in [unquoted(word) for word in words]
    if sign in "<≥":
        below = not reaches(value, rest, order)
        return below if sign == "<" else not below
    below = compared(value, rest, order)
    return below if sign == "≤" else not below


def conditions(text: str) -> list[Test]:
    return [test_of(part) for part in parts(text, " and ")] if text else []


def of_rules(text: str) -> Iterator[Rule]:
    for line in text.split("\n"):
        told, *when = parts(line, "  when ")
        answer = re.match(WORD, told).group()
        yield conditions(when[0] if when else ""), unquoted(answer)


def of_text(text: str) -> Iterator[Rule]:
    """Yield the rules that the stairs of a drawing are; one whose rest stands below is followed."""
    first, *rest = text.split("\n\n[")
    parts_of = dict(part.split("]\n", 1) for part in rest)
    waiting: list[tuple[list[Test], str]] = [([], first)]
    while waiting:
        before, drawing = waiting.pop()
        stairs: list[Test] = []
        for line in drawing.split("\n"):
            depth = 0
            while line.startswith("│  ", 3 * depth):
                depth += 1
            test, *told = parts(line[3 * depth :], ": ")
            if not told and depth == 0 and "\n" not in drawing and not is_test(test):
                yield before, unquoted(re.match(WORD, test).group())  # a tree of one leaf
                continue
            stairs[depth:] = [test_of(test)]
            if told and re.fullmatch(r"\[S\d+\]", told[0]):
                waiting.append(([*before, *stairs], parts_of[told[0][1:-1]]))
            elif told:
                yield [*before, *stairs], unquoted(re.match(WORD, told[0]).group())


def is_test(text: str) -> bool:
    return re.fullmatch(rf"({WORD}) (=|≤|<|>|≥|in) (.*)", text) is not None


def of_explained(text: str) -> list[Test]:
    """Return the tests on the path that an explanation tells, before the evidence for each."""
    lines = text.split("\n")[1:]
    until = next(i for i, line in enumerate(lines) if not line.startswith("  "))
    return [test_of(parts(line.strip(), "  ")[0]) for line in lines[:until]]


def of_markdown(text: str) -> Iterator[Rule]:
    for line in text.split("\n")[6:]:
        cells = re.findall(r"\| ((?:[^|\\]|\\.)*?) (?=\|)", line)
        cells = [re.sub(r"\\(.)", r"\1", cell) for cell in cells]
        cells = [cell.replace("&lt;", "<").replace("&amp;", "&") for cell in cells]
        when = "" if cells[-1] == "always" else cells[-1]
        yield conditions(when), unquoted(cells[0])


def of_svg(text: str) -> Iterator[Rule]:
    """Yield the rules that the tooltips of leaves are."""
    for group in ET.fromstring(text).iter(f"{SVG}g"):  # noqa: S314 - our own text
        boxes = group.findall(f"{SVG}rect")
        if not group.get("id") or boxes[0].get("rx") != "14":
            continue
        *rule, answer = parts(group.findtext(f"{SVG}title"), ": ")
        when = ": ".join(rule)
        yield conditions("" if when == "root" else when), unquoted(re.match(WORD, answer).group())


def labels_of_svg(text: str) -> dict[int, str]:
    """Return what stands above each box, by the number of its node."""
    found = {}
    for group in ET.fromstring(text).iter(f"{SVG}g"):  # noqa: S314 - our own text
        for line in group.findall(f"{SVG}text"):
            if line.get("class") == "a m":
                found[int(group.get("id")[1:])] = line.text
    return found


def edges_of_dot(text: str) -> dict[int, tuple[int, str]]:
    """Return the parent of each node and what is written on the way to it."""
    found = {}
    for a, b, label in re.findall(r'n(\d+) -> n(\d+) \[label="((?:[^"\\]|\\.)*)"\]', text):
        plain = label.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
        found[int(b)] = (int(a), plain)
    return found


def answer(rules: list[Rule], row: dict[str, Any], order: Order) -> str | None:
    """Return what the one rule that fits answers; None unless exactly one fits."""
    fits = [told for tests, told in rules if all(test(row, order) for test in tests)]
    return fits[0] if len(fits) == 1 else None
