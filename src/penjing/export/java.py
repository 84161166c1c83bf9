"""A tree as a self-contained Java class; tables are strings, since methods are limited in size."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from penjing.errors import ChoiceError
from penjing.export.identifiers import RESERVED
from penjing.export.language import Fields, Language, Values
from penjing.export.plan import Plan
from penjing.export.program import write_program
from penjing.tree.tree_data import TreeData

CHUNK = 8_000
"""Maximum characters of a string constant; a class file allows 65,535 bytes."""
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def write(
    tree: TreeData,
    *,
    name: str = "PenjingTree",
    missing: str | None = None,
    unseen: str | None = None,
) -> str:
    """Return a tree as the text of a Java class with ``predict(row)``.

    Parameters
    ----------
    tree : TreeData
        The tree.
    name : str
        The name of the class; no keyword of Java and no name that the program uses.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> "public static String predict(Map<String, ?> row)" in write(tree)
    True
    """
    language = Java(name)
    if not NAME.fullmatch(name) or name in RESERVED["java"] | language.used_names():
        raise ChoiceError("export_class_name", value=name)
    return write_program(tree, language, missing=missing, unseen=unseen)


class Java(Language):
    """Java 8; the program is a class of this name."""

    name = "java"
    missing_number, known_number = "isMissing({v})", "!isMissing({v})"
    missing_text, known_text = "{v} == null", "{v} != null"
    equals = "{level}.equals({v})"
    indent = 2
    unseen_error = (
        "throw new IllegalArgumentException("
        '"a category of " + COLUMNS[COLUMN[k]] + " was not seen in training");'
    )
    number_variable = "        double {v} = number(row.get({name}));"
    text_variable = "        String {v} = text(row.get({name}));"

    def __init__(self, class_name: str) -> None:
        self._class_name = class_name

    def used_names(self) -> set[str]:
        """Return the names that the program uses, which the class may not hide."""
        names = ("head", "nested", "walk", "stop", "fractional", "most_probable", "least_cost")
        code = re.sub(r"\{\w+\}", "", "".join(map(self.part, names)))
        return {*NAME.findall(code), "IllegalArgumentException"}

    def threshold(self, value: float) -> str:
        """Return a literal; a column may be named Double."""
        if math.isinf(value):
            return "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"
        return repr(value)

    def escape(self, character: str) -> str:
        """Return a character as three octal digits or, beyond Latin-1, as its UTF-16 units."""
        if ord(character) < 256:
            return f"\\{ord(character):03o}"
        units = character.encode("utf-16-be")
        return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))

    def raise_unseen(self, column: str) -> str:
        """Return the statement that refuses an unseen category of a column."""
        message = self.text(f"a category of {column} was not seen in training")
        return f"throw new IllegalArgumentException({message});"

    def items(self, values: Iterable[float]) -> str:
        """Return numbers as arguments: strings of numbers, each short enough for a constant."""
        return self._chunks(" ".join(map(self.number, values)))

    def rows(self, rows: Iterable[Iterable[float]]) -> str:
        """Return the rows of a table, one after the other."""
        return self.items(value for row in rows for value in row)

    def table(self, name: str, values: Values) -> str:
        """Return the declaration of a list of numbers."""
        type_, parse = ("double", "numbers") if name in ("cut", "share") else ("int", "whole")
        items = self.items(values)
        return f"    private static final {type_}[] {name.upper()} = {parse}({items});"

    def level_line(self, plan: Plan, c: int) -> str:
        """Return the line with which the head declares the categories of a column."""
        return f"        learn({self.text(plan.name(c))}, {self._packed(plan.texts(c))});"

    def head_fields(self, plan: Plan) -> Fields:
        """Return the name of the class, and the classes that it predicts."""
        return {"name": self._class_name, "classes": self._packed(plan.classes)}

    def _packed(self, texts: Iterable[str]) -> str:
        """Return texts as arguments, with their lengths in UTF-16 code units."""
        units = ((len(text.encode("utf-16-le")) // 2, text) for text in texts)
        return self._chunks("".join(f"{n}:{text}" for n, text in units))

    def _chunks(self, text: str) -> str:
        chunks = [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)] or [""]
        return ",\n        ".join(map(self.text, chunks))
