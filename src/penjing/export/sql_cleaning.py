"""Cells of a raw text table as values, in SQL: the reading of a model, applied by the database.

Each cell goes through the steps of the reader: blanks around it are removed, markers become NULL,
numbers lose their unit and separators, dates become the parts that the tree uses. A step is a
subquery that names its result ``t``, so that the next one can use it several times. Where the
reader would refuse a cell (text in a numeric column), the value is NULL.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from penjing.data.read.level_index import codes_by_text, text_of
from penjing.data.read.missing_markers import USUAL_MARKERS, make_markers
from penjing.data.read.reading import Reading, fold_key
from penjing.data.table import Field
from penjing.errors import CapabilityError
from penjing.i18n import Names
from penjing.tree.tree_data import TreeData

BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
"""What `str.strip` removes."""
FULL_WIDTH = {
    **{chr(0xFF10 + i): str(i) for i in range(10)},
    "＋": "+", "－": "-", "\u2212": "-", "．": ".", "，": ",", "％": "%", "＄": "$", "￥": "¥",
    "￡": "£", "￦": "₩", "（": "(", "）": ")", "＇": "'", "\u2019": "'",
    "\u00a0": " ", "\u2007": " ", "\u2009": " ", "\u202f": " ", "\u3000": " ",
}  # fmt: skip
"""Characters of numbers, and the plain ones that the reader makes of them."""
I_WITH_DOT, KELVIN = "\u0130", "\u212a"
"""The only letter of which lower case makes two characters, and the only other one that becomes
a letter of A to Z."""
MAX_LENGTH = 200
"""Longer texts are not taken as numbers, so that none is too large for a double."""
USUAL = sorted({word.lower() for word in USUAL_MARKERS})
_CLOCK = (
    r"(?:[T ] *([0-9]{1,2})[:时]([0-9]{1,2})(?:(?:分?:|分)([0-9]{1,2})(?:[.][0-9]+)?秒?|分)?"
    r" *(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
DATES = {
    "year": r"^([0-9]{4}) *[-/.年] *([0-9]{1,2}) *[-/.月] *([0-9]{1,2}) *日?" + _CLOCK,
    "month": r"^([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]([0-9]{4})" + _CLOCK,
    "day": r"^([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]([0-9]{4})" + _CLOCK,
}
"""The patterns of dates by the part that comes first; blanks are plain spaces."""
_YEAR_LAST_MARKS = r"^[0-9]+(-[0-9]+-|/[0-9]+/|[.][0-9]+[.])"
DATE_MARKS = {
    "year": r"^[0-9]+ *(- *[0-9]+ *-|/ *[0-9]+ */|[.] *[0-9]+ *[.]|年 *[0-9]+ *月)",
    "month": _YEAR_LAST_MARKS,
    "day": _YEAR_LAST_MARKS,
}
"""The two marks between the parts of a date are alike, or 年 and 月."""
GROUPS = {
    ".": r"^[+-]?[1-9][0-9]{0,2}((,[0-9]{3})+|( [0-9]{3})+|('[0-9]{3})+)([.][0-9]+)?$",
    ",": r"^[+-]?[1-9][0-9]{0,2}(([.][0-9]{3})+|( [0-9]{3})+|('[0-9]{3})+)(,[0-9]+)?$",
}
PLAIN = {
    ".": r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$",
    ",": r"^[+-]?[0-9]+(,[0-9]+)?$",
}
"""Numbers with separators of thousands and without, by the decimal mark."""


@dataclass(frozen=True, slots=True)
class CleanColumn:
    """A column of values: the expression, and the texts by which its categories are compared."""

    expression: str
    texts: tuple[str, ...] = ()


class Cleaner:
    """Writes the expressions that clean the columns of one model.

    Parameters
    ----------
    tree : TreeData
        The tree, with the record of how its table was read.
    dialect : str
        One of `FUNCTIONS`.
    name, text : function
        Return a quoted identifier, and a literal.
    table : str
        The quoted name of the raw table.
    """

    def __init__(
        self,
        tree: TreeData,
        dialect: str,
        name: Callable[[str], str],
        text: Callable[[str], str],
        table: str,
    ) -> None:
        if dialect not in FUNCTIONS:
            raise CapabilityError("export_clean_dialect", dialect=dialect, known=Names(FUNCTIONS))
        self._reading = Reading.from_json(tree.reading)
        self._markers = make_markers(self._reading.missing, usual=True)
        self._f = FUNCTIONS[dialect](text)
        self._name, self._text, self._table = name, text, table

    @property
    def fence(self) -> str:
        """What ends the query of the cleaned columns, so that each is computed once a row."""
        return self._f.fence.replace("LIMIT 1 ", "LIMIT -1 ")

    def column(self, field: Field) -> CleanColumn:
        """Return how the value of a field comes from the cell of its column."""
        stem, _, part = field.name.rpartition(".")
        date = self._reading.column(stem)
        if part in date.date_parts:
            order = date.date_order or "month"  # dates that were no text in training
            texts = [self._date(stem, "year", part)]
            texts += [self._date(stem, order, part)] if order != "year" else []
            return CleanColumn(texts[0] if len(texts) == 1 else f"COALESCE({', '.join(texts)})")
        return CleanColumn(self._number(field)) if field.is_numeric else self._category(field)

    def _trimmed(self, name: str) -> str:
        # DuckDB would take a column of this name for the result of the step.
        table = f"{self._table}." if name.casefold() == "t" else ""
        return self._f.trimmed(self._f.as_text(table + self._name(name)))

    def _list(self, words: Sequence[str]) -> str:
        return ", ".join(map(self._text, words))

    def _category(self, field: Field) -> CleanColumn:
        folds = self._reading.folds_case(field.name)
        texts = [text_of(level) for level in field.levels]
        keys = [fold_key(text) for text in texts] if folds else texts
        if len(set(keys)) < len(keys):
            again = next(t for i, t in enumerate(keys) if t in keys[:i])
            raise CapabilityError("export_alike", kind="sql", column=field.name, level=again)
        steps = self._f.folding(keys) if folds else []
        value = "v" if folds else "t"
        cases = []
        if self._markers.words:
            cases.append(f"t IN ({self._list(sorted(self._markers.words))})")
        usual = USUAL if self._markers.has_usual else []
        own = self._reading.column(field.name).missing
        kept = [key for key in keys if not key or key.lower() in usual or key in own]
        exception = f"WHEN {value} IN ({self._list(kept)}) THEN {value} " if kept else ""
        tests = ["t = ''"]
        if usual:
            tests.append(f"{self._f.lower('t')} IN ({self._list(usual)})")
        if own:
            tests.append(f"t IN ({self._list(own)})")
        named = f"WHEN {cases[0]} THEN NULL " if cases else ""
        others = {} if folds else codes_by_text(tuple(field.levels))
        for text, code in others.items():
            if text not in texts:
                exception += f"WHEN t = {self._text(text)} THEN {self._text(texts[code])} "
        case = f"CASE {named}{exception}WHEN {' OR '.join(tests)} THEN NULL ELSE {value} END"
        stages = [f"{self._trimmed(field.name)} AS t", *(f"t, {step} AS v" for step in steps), case]
        return CleanColumn(self._f.chain([(stage, "") for stage in stages]), tuple(keys))

    def _number(self, field: Field) -> str:
        style = self._reading.column(field.name).number
        decimal = self._reading.number_style(field.name).decimal or "."
        units = sorted(style.units, key=lambda unit: (-len(unit), unit))
        money = [unit for unit in units if unit not in ("%", "‰")]
        f = self._f
        words = sorted({"", *self._markers.words})
        steps = [
            (
                f"CASE WHEN t IN ({self._list(words)}) OR length(t) > {MAX_LENGTH} "
                "THEN NULL ELSE t END"
            ),
            *f.replaced(FULL_WIDTH),
            self._after(f.without_spaces("t"), units),
        ]
        last, behind_sign = "substr(t, length(t), 1)", f.without_spaces("substr(t, 2)", "l")
        if money:
            steps.append(f"CASE WHEN {last} = ')' THEN {self._before('t', money)} ELSE t END")
        inside = f.without_spaces("substr(t, 2, length(t) - 2)")
        steps += [
            (f"CASE WHEN substr(t, 1, 1) <> '(' THEN t WHEN {last} = ')' THEN '(' || {inside} END"),
            (
                "CASE WHEN substr(t, 1, 1) = '(' "
                f"THEN '(' || {self._after('substr(t, 2)', units)} ELSE t END"
            ),
            (
                "CASE WHEN substr(t, 1, 1) = '(' "
                f"THEN '-' || {self._before('substr(t, 2)', money)} "
                "WHEN substr(t, 1, 1) IN ('+', '-') "
                f"THEN substr(t, 1, 1) || {self._before(behind_sign, money)} "
                f"ELSE {self._before('t', money)} END"
            ),
            *f.parsed(decimal),
        ]
        if self._markers.numbers:
            numbers = ", ".join(f"{float(n)!r}" for n in sorted(self._markers.numbers))
            steps.append(f"CASE WHEN t IN ({numbers}) THEN NULL ELSE t END")
        expression = f.steps(self._trimmed(field.name), *steps)
        return f.unless_number(self._name(field.name), expression)

    def _before(self, x: str, units: Sequence[str]) -> str:
        """Return a text without the unit before it."""
        cases = [
            f"WHEN substr({x}, 1, {len(unit)}) = {self._text(unit)} "
            f"THEN {self._f.without_spaces(f'substr({x}, {len(unit) + 1})', 'l')}"
            for unit in units
        ]
        return f"CASE {' '.join(cases)} ELSE {x} END" if cases else x

    def _after(self, x: str, units: Sequence[str]) -> str:
        """Return a text without the unit after it."""
        cases = [
            f"WHEN substr({x}, length({x}) - {len(unit) - 1}) = {self._text(unit)} "
            f"THEN {self._f.without_spaces(f'substr({x}, 1, length({x}) - {len(unit)})', 'r')}"
            for unit in units
        ]
        return f"CASE {' '.join(cases)} ELSE {x} END" if cases else x

    def _date(self, column: str, order: str, part: str) -> str:
        words = sorted({"", *self._markers.words})
        known = f"CASE WHEN t IN ({self._list(words)}) THEN NULL ELSE t END AS t"
        valid = (
            " WHERE y >= 1 AND m BETWEEN 1 AND 12 AND d >= 1 AND d <= CASE WHEN m = 2 THEN "
            "CASE WHEN y % 4 = 0 AND (y % 100 <> 0 OR y % 400 = 0) THEN 29 ELSE 28 END "
            "WHEN m IN (4, 6, 9, 11) THEN 30 ELSE 31 END "
            "AND h BETWEEN 0 AND 23 AND n BETWEEN 0 AND 59 AND s BETWEEN 0 AND 59"
        )
        double = self._f.double_type
        stages = [(f"{self._trimmed(column)} AS t", ""), (known, "")]
        stages += [(f"{self._f.plain_spaces('t')} AS t", ""), *self._f.date_parts(order)]
        plain = {"year": "y", "month": "m", "day": "d", "hour": "h"}
        if part in plain:
            return self._f.chain([*stages, (f"CAST({plain[part]} AS {double})", valid)])
        # Days from 1970-01-01; the year begins with March, which is month 0.
        march = (
            "CASE WHEN m > 2 THEN y ELSE y - 1 END AS y, "
            "CASE WHEN m > 2 THEN m - 3 ELSE m + 9 END AS m, d, h, n, s"
        )
        days = "365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + d - 719469"
        value = (
            f"CAST(((days + 3) % 7 + 7) % 7 + 1 AS {double})"
            if part == "weekday"
            else f"(CAST(days AS {double}) * 86400 + h * 3600 + n * 60 + s) / 86400"
        )
        counted = f"{self._f.whole_division(days)} AS days, h, n, s"
        return self._f.chain([*stages, (march, valid), (counted, ""), (value, "")])


class _Functions:
    """What DuckDB and PostgreSQL have in common: regular expressions and ``translate``."""

    text_type = "TEXT"
    double_type = "DOUBLE PRECISION"
    fence = ""
    """Keeps a subquery apart, so that its expression is not repeated where it is used."""
    spaces = "' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)"
    """The blanks that may stand between a number and its sign or unit."""

    def __init__(self, text: Callable[[str], str]) -> None:
        self._text = text

    def as_text(self, cell: str) -> str:
        """Return a cell as text."""
        return f"CAST({cell} AS {self.text_type})"

    def steps(self, first: str, *steps: str) -> str:
        """Return steps as one expression; each calls the result of the one before ``t``."""
        stages = [(f"{step} AS t", "") for step in (first, *steps[:-1])]
        return self.chain([*stages, (steps[-1], "")])

    def chain(self, stages: Sequence[tuple[str, str]]) -> str:
        """Return stages as one expression: what each selects from the one before, and where."""
        query = f"SELECT {stages[0][0]}{self.fence}"
        for columns, where in stages[1:]:
            query = f"SELECT {columns} FROM ({query}) AS s{where}{self.fence}"
        return f"({query})"

    def pattern(self, pattern: str) -> str:
        """Return a regular expression as a literal."""
        return self._text(pattern)

    def blank_class(self) -> str:
        """Return the characters that count as blanks, for a regular expression."""
        raise NotImplementedError

    def matches(self, pattern: str) -> str:
        """Return the condition that ``t`` matches."""
        raise NotImplementedError

    def trimmed(self, x: str) -> str:
        """Return a text without blanks around it."""
        blanks = self.blank_class()
        both = self.pattern(f"^{blanks}+|{blanks}+$")
        return f"regexp_replace({x}, {both}, '', 'g')"

    def without_spaces(self, x: str, side: Literal["l", "r", ""] = "") -> str:
        """Return a text without the blanks that may stand between a number and its unit."""
        return f"{side}trim({x}, {self.spaces})"

    def plain_spaces(self, x: str) -> str:
        """Return a text with spaces in the place of tabs and line ends."""
        others = self.spaces.removeprefix("' ' || ")
        return f"translate({x}, {others}, '     ')"

    def lower(self, x: str) -> str:
        """Return a text with the letters A to Z in lower case."""
        letters = "".join(map(chr, range(65, 91)))
        return f"translate({x}, '{letters}', '{letters.lower()}')"

    def folding(self, keys: Sequence[str]) -> list[str]:
        """Return the steps from ``t`` to ``v``: in lower case, one blank for each run of blanks.

        Only letters and blanks of the keys matter; they are those of `fold_key`.
        """
        pairs = _upper_letters(keys)
        v = f"translate(t, {self._text(''.join(pairs))}, {self._text(''.join(pairs.values()))})"
        if any(I_WITH_DOT.lower() in key for key in keys):
            v = f"replace({v}, '{I_WITH_DOT}', '{I_WITH_DOT.lower()}')"
        if any(" " in key for key in keys):
            blanks = self.pattern(f"{self.blank_class()}+")
            v = f"regexp_replace({v}, {blanks}, ' ', 'g')"
        return [v, *self._folded_sigmas(keys)]

    def _folded_sigmas(self, keys: Sequence[str]) -> list[str]:
        """Return the step that makes of each capital sigma the letter that Python makes of it.

        It depends on the letters around, which are those of the key.
        """
        cases = []
        for key in keys:
            places = [place for place, letter in enumerate(key) if letter in "σς"]
            tests = [f"replace(replace(v, 'σ', 'Σ'), 'ς', 'Σ') = {self._text(_with_sigmas(key))}"]
            for place in places:
                is_made = fold_key(f"{key[:place]}Σ{key[place + 1 :]}") == key
                letters = f"'{key[place]}', 'Σ'" if is_made else f"'{key[place]}'"
                tests.append(f"substr(v, {place + 1}, 1) IN ({letters})")
            if places:
                cases.append(f"WHEN {' AND '.join(tests)} THEN {self._text(key)}")
        return [f"CASE {' '.join(cases)} ELSE v END"] if cases else []

    def replaced(self, pairs: Mapping[str, str]) -> list[str]:
        """Return the steps that replace characters by others."""
        return [
            f"translate(t, {self._text(''.join(pairs))}, {self._text(''.join(pairs.values()))})"
        ]

    def parsed(self, decimal: str) -> list[str]:
        """Return the steps from the text of a number to the number."""
        marks = ",' " if decimal == "." else ".' "
        digits = "t"
        for mark in marks:
            digits = f"replace({digits}, {self._text(mark)}, '')"
        if decimal == ",":
            digits = f"replace({digits}, ',', '.')"
        is_number = f"{self.matches(PLAIN[decimal])} OR {self.matches(GROUPS[decimal])}"
        return [f"CASE WHEN {is_number} THEN {digits} END", self.to_double("t")]

    def to_double(self, x: str) -> str:
        """Return the text of a number as a number, NULL if it is too large for a double."""
        raise NotImplementedError

    def unless_number(self, cell: str, parsed: str) -> str:
        """Return the number of a cell, which may be a number already."""
        del cell  # a number is written as text and read again without loss
        return parsed

    def date_parts(self, order: str) -> list[tuple[str, str]]:
        """Return the stages from the date ``t`` to its y, m, d, h, n (minutes) and s."""
        first, second, third = (self.captured(DATES[order], k) for k in (1, 2, 3))
        y, m, d = {
            "year": (first, second, third),
            "month": (third, first, second),
            "day": (third, second, first),
        }[order]
        h, n, s = (self.captured(DATES[order], k) for k in (4, 5, 6))
        date = ", ".join(
            f"CAST(NULLIF({x}, '') AS INTEGER) AS {a}" for x, a in ((y, "y"), (m, "m"), (d, "d"))
        )
        clock = ", ".join(
            f"COALESCE(CAST(NULLIF({x}, '') AS INTEGER), 0) AS {a}"
            for x, a in ((h, "h"), (n, "n"), (s, "s"))
        )
        return [(f"{date}, {clock}", f" WHERE {self.matches(DATE_MARKS[order])}")]

    def captured(self, pattern: str, group: int) -> str:
        """Return a group of the match of ``t``."""
        raise NotImplementedError

    def whole_division(self, expression: str) -> str:
        """Return an expression of integers in which / drops the fraction."""
        return expression


class _DuckDb(_Functions):
    """DuckDB."""

    text_type = "VARCHAR"
    double_type = "DOUBLE"

    def blank_class(self) -> str:
        ranges = "".join(f"\\x{{{ord(blank):x}}}" for blank in BLANKS)
        return f"[{ranges}]"

    def matches(self, pattern: str) -> str:
        return f"regexp_matches(t, {self.pattern(pattern)})"

    def to_double(self, x: str) -> str:
        return f"CASE WHEN isfinite(CAST({x} AS DOUBLE)) THEN CAST({x} AS DOUBLE) END"

    def captured(self, pattern: str, group: int) -> str:
        return f"regexp_extract(t, {self.pattern(pattern)}, {group})"

    def whole_division(self, expression: str) -> str:
        return expression.replace(" / ", " // ")


class _Postgres(_Functions):
    """PostgreSQL."""

    fence = " OFFSET 0"

    def blank_class(self) -> str:
        return "[" + "".join(f"\\u{ord(blank):04x}" for blank in BLANKS) + "]"

    def matches(self, pattern: str) -> str:
        return f"t ~ {self.pattern(pattern)}"

    def to_double(self, x: str) -> str:
        # A cast raises an error beyond the range of a double, so that exponents of three or more
        # digits are compared first; numeric has room for those up to 9999.
        large, small = "1.797693134862315807e308", "2.4703282292062328e-324"
        exact = f"CAST({x} AS NUMERIC)"
        return (
            f"CASE WHEN {x} !~ '[eE][+-]?0*[1-9][0-9]{{2}}' THEN CAST({x} AS DOUBLE PRECISION) "
            f"WHEN {x} !~ '^[^eE]*[1-9]' THEN 0 "
            f"WHEN {x} ~ '[eE][+]?0*[1-9][0-9]{{4}}' THEN NULL "
            f"WHEN {x} ~ '[eE]-0*[1-9][0-9]{{4}}' THEN 0 "
            f"WHEN abs({exact}) >= {large} THEN NULL WHEN abs({exact}) <= {small} THEN 0 "
            f"ELSE CAST({x} AS DOUBLE PRECISION) END"
        )

    def captured(self, pattern: str, group: int) -> str:
        return f"(regexp_match(t, {self.pattern(pattern)}))[{group}]"


class _Sqlite(_Functions):
    """SQLite, which has neither regular expressions nor ``translate``."""

    fence = " LIMIT 1 OFFSET 0"
    spaces = "char(32, 9, 10, 11, 12, 13)"
    n_replaced = 8
    """The number of replacements in one step; its parser has a small stack."""

    def chain(self, stages: Sequence[tuple[str, str]]) -> str:
        named = [f"s0 AS (SELECT {stages[0][0]}{self.fence})"]
        for i, (columns, where) in enumerate(stages[1:-1]):
            named.append(f"s{i + 1} AS (SELECT {columns} FROM s{i}{where}{self.fence})")
        columns, where = stages[-1]
        return f"(WITH {', '.join(named)} SELECT {columns} FROM s{len(stages) - 2}{where})"

    def trimmed(self, x: str) -> str:
        return f"trim({x}, char({', '.join(str(ord(blank)) for blank in BLANKS)}))"

    def lower(self, x: str) -> str:
        return f"lower({x})"  # of ASCII letters only

    def folding(self, keys: Sequence[str]) -> list[str]:
        pairs = {upper: lower for upper, lower in _upper_letters(keys).items() if upper > "Z"}
        if any(I_WITH_DOT.lower() in key for key in keys):
            pairs[I_WITH_DOT] = I_WITH_DOT.lower()
        steps = ["lower(t)", *self._replaced("v", pairs)]  # of ASCII letters only
        if any(" " in key for key in keys):
            steps += self._replaced("v", {blank: " " for blank in BLANKS if blank != " "})
            # Runs of blanks: each blank becomes a pair of marks, and pairs that touch vanish.
            pair, touching = "char(1) || char(2)", "char(2) || char(1)"
            steps.append(f"replace(replace(replace(v, ' ', {pair}), {touching}, ''), {pair}, ' ')")
        return [*steps, *self._folded_sigmas(keys)]

    def replaced(self, pairs: Mapping[str, str]) -> list[str]:
        return self._replaced("t", pairs)

    def _replaced(self, name: str, pairs: Mapping[str, str]) -> list[str]:
        steps, items = [], [*pairs.items()]
        for start in range(0, len(items), self.n_replaced):
            x = name
            for old, new in items[start : start + self.n_replaced]:
                x = f"replace({x}, {self._character(old)}, {self._text(new)})"
            steps.append(f"CASE WHEN {name} GLOB '*[^ -~]*' THEN {x} ELSE {name} END")
        return steps

    def _character(self, character: str) -> str:
        return self._text(character) if character.isprintable() else f"char({ord(character)})"

    def parsed(self, decimal: str) -> list[str]:
        mark, point = (",", ".") if decimal == "." else (".", ",")
        one_mark = f"replace(replace(t, ' ', '{mark}'), '''', '{mark}')"
        digits = "[0-9][0-9][0-9]"
        wrong = [
            f"[0-9]{digits}*{mark}*", f"*{mark}{digits}[0-9]*", f"*{mark}", f"*{mark}[0-9]",
            f"*{mark}[0-9][0-9]", f"*{mark}[^0-9]*", f"*{mark}[0-9][^0-9]*",
            f"*{mark}[0-9][0-9][^0-9]*", f"*{point}*{mark}*", f"*{point}", "*[eE]*",
        ]  # fmt: skip
        is_grouped = " AND ".join(
            ["ltrim(t, '+-') GLOB '[1-9]*'"]
            + [f"ltrim(t, '+-') NOT GLOB '{pattern}'" for pattern in wrong]
        )
        plain = (
            "t"
            if decimal == "."
            else "CASE WHEN t NOT GLOB '*[eE]*' AND t NOT GLOB '*,' "
            "AND ltrim(t, '+-') NOT GLOB ',*' THEN replace(t, ',', '.') END"
        )
        without = f"replace(t, '{mark}', '')"
        without = without if decimal == "." else f"replace({without}, ',', '.')"
        # A text that is not a number is greater than every number.
        largest = sys.float_info.max
        low, high = f"CAST(-{largest} AS REAL)", f"CAST({largest} AS REAL)"
        n_marks = f"(instr(t, '{mark}') > 0) + (instr(t, ' ') > 0) + (instr(t, '''') > 0)"
        return [
            f"CASE {n_marks} WHEN 0 THEN t WHEN 1 THEN {one_mark} END",
            f"CASE WHEN instr(t, '{mark}') = 0 THEN {plain} WHEN {is_grouped} THEN {without} END",
            f"CASE WHEN t >= {low} AND t <= {high} AND t GLOB '*[0-9]*' THEN CAST(t AS REAL) END",
        ]

    def unless_number(self, cell: str, parsed: str) -> str:
        return f"CASE WHEN typeof({cell}) IN ('integer', 'real') THEN {cell} ELSE {parsed} END"

    def plain_spaces(self, x: str) -> str:
        for code in (9, 10, 11, 12, 13):
            x = f"replace({x}, char({code}), ' ')"
        return x

    def date_parts(self, order: str) -> list[tuple[str, str]]:
        digits = "'0123456789'"
        clock_at = "instr(replace(t, '时', ':'), ':')"  # 0 if there is no clock
        first = "year" if order == "year" else "other"
        marks = {"year": "'-', '/', '.', '年'", "other": "'-', '/', '.'"}[first]
        # With the year first there may be blanks around the marks, and 日 at the end.
        end = "CASE WHEN b GLOB '*日' THEN substr(b, 1, length(b) - 1) ELSE b END"
        b = {"year": f"rtrim({end})", "other": "b"}[first]
        x, j, k = {
            "year": ("ltrim(x)", "trim({0})", "ltrim({0})"),
            "other": ("x", "{0}", "{0}"),
        }[first]
        y, m, d = {"year": ("i", "j", "k"), "month": ("k", "i", "j"), "day": ("k", "j", "i")}[order]

        def short(part: str) -> str:
            return f"({part} GLOB '[0-9]' OR {part} GLOB '[0-9][0-9]')"

        tests = (
            f" WHERE mark IN ({marks}) AND {y} GLOB '[0-9][0-9][0-9][0-9]' AND {short(m)} "
            f"AND {short(d)} AND {short('h')} AND {short('n')} AND {short('s')}"
        )
        whole = ", ".join(
            f"CAST({part} AS INTEGER) AS {name}"
            for part, name in ((y, "y"), (m, "m"), (d, "d"), ("h", "h"), ("n", "n"), ("s", "s"))
        )
        return [
            (f"t, {clock_at} AS p", ""),
            (f"t, p, CASE p WHEN 0 THEN t ELSE rtrim(substr(t, 1, p - 1), {digits}) END AS b", ""),
            ("b, p, CASE p WHEN 0 THEN '0:0' ELSE substr(t, length(b) + 1) END AS c", ""),
            (
                (
                    "CASE WHEN p = 0 THEN b WHEN rtrim(b) GLOB '*T' "
                    "THEN substr(rtrim(b), 1, length(rtrim(b)) - 1) "
                    f"WHEN b GLOB '* ' THEN rtrim(b) END AS b, {self._without_zone('c')} AS c"
                ),
                "",
            ),
            (f"{b} AS b, c, ltrim(c, {digits}) AS r", ""),
            (
                (
                    f"b, ltrim(b, {digits}) AS x, substr(c, 1, length(c) - length(r)) AS h, "
                    "substr(r, 2) AS r"
                ),
                "",
            ),
            (
                (
                    f"substr(b, 1, length(b) - length(x)) AS i, {x} AS x, h, r, "
                    f"ltrim(r, {digits}) AS z"
                ),
                "",
            ),
            (
                (
                    "i, substr(x, 1, 1) AS mark, "
                    "CASE substr(x, 1, 1) WHEN '年' THEN '月' ELSE substr(x, 1, 1) END AS mark2, "
                    "substr(x, 2) AS x, h, substr(r, 1, length(r) - length(z)) AS n, "
                    "CASE WHEN z IN ('', '分') THEN '0' WHEN z GLOB '分:*' THEN substr(z, 3) "
                    "WHEN z GLOB '[分:]*' THEN substr(z, 2) END AS s"
                ),
                "",
            ),
            (
                (
                    f"i, mark, {j.format('substr(x, 1, instr(x, mark2) - 1)')} AS j, "
                    f"{k.format('substr(x, instr(x, mark2) + 1)')} AS k, h, n, "
                    "CASE WHEN s GLOB '*秒' THEN substr(s, 1, length(s) - 1) ELSE s END AS s"
                ),
                "",
            ),
            (
                (
                    "i, mark, j, k, h, n, CASE WHEN s GLOB '*.[0-9]*' "
                    "AND substr(s, instr(s, '.') + 1) NOT GLOB '*[^0-9]*' "
                    "THEN substr(s, 1, instr(s, '.') - 1) ELSE s END AS s"
                ),
                "",
            ),
            (whole, tests),
        ]

    @staticmethod
    def _without_zone(c: str) -> str:
        """Return a time of day without its zone."""
        zones = {"*Z": 1, "*UTC": 3, "*[+-]DD:DD": 6, "*[+-]DDDD": 5}
        cases = [
            f"WHEN {c} GLOB '{zone.replace('D', '[0-9]')}' "
            f"THEN rtrim(substr({c}, 1, length({c}) - {length}))"
            for zone, length in zones.items()
        ]
        return f"CASE {' '.join(cases)} ELSE {c} END"


FUNCTIONS: dict[str, type[_Functions]] = {
    "duckdb": _DuckDb,
    "sqlite": _Sqlite,
    "postgres": _Postgres,
}
"""The dialects in which cells can be cleaned."""


def _upper_letters(keys: Sequence[str]) -> dict[str, str]:
    """Return the capital letters of A to Z, and those of the other letters in some keys.

    Without the capital sigma, of which Python makes one of two letters.
    """
    letters = {chr(code): chr(code + 32) for code in range(65, 91)}
    used = {letter for key in keys for letter in key}
    if "k" in used:
        letters[KELVIN] = "k"
    others = {letter for letter in used if letter > "~"}
    lower_of = _lower_letters() if others else {}
    return letters | {upper: lower for upper, lower in lower_of.items() if lower in others}


def _with_sigmas(key: str) -> str:
    return key.replace("σ", "Σ").replace("ς", "Σ")


@cache
def _lower_letters() -> dict[str, str]:
    """Return the lower-case letter of every other letter that has one."""
    return {
        chr(code): lower
        for code in range(128, sys.maxunicode + 1)
        if len(lower := chr(code).lower()) == 1 and lower != chr(code) and lower != "σ"
    }
