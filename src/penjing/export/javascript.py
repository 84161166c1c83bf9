"""A tree as a self-contained JavaScript module."""

from __future__ import annotations

import json

from penjing.data.read.level_index import codes_by_text
from penjing.export.language import Fields, Language, Values
from penjing.export.plan import Plan
from penjing.export.program import write_program
from penjing.tree.tree_data import TreeData


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a JavaScript module with ``predict(row)``.

    The parameters are those of :func:`penjing.export.program.write_program`.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> print(write(tree))  # doctest: +ELLIPSIS
    // The tree of 'class' (by hand, penjing ...).
    ...
        if (legs === "0") {
            return 1; // fish
        } else if (legs === "2") {
    ...
    """
    return write_program(tree, JavaScript(), missing=missing, unseen=unseen)


class JavaScript(Language):
    """JavaScript (ECMAScript 2020); a row is an object."""

    name = "javascript"
    missing_number, known_number = "_isMissing({v})", "!_isMissing({v})"
    missing_text, known_text = "{v} === null", "{v} !== null"
    equals = "{v} === {level}"
    unseen_error = (
        "throw new RangeError(`a category of ${columns[column[k]]} was not seen in training`);"
    )
    number_variable = "    const {v} = _numberOf(_at(row, {name}));"
    text_variable = "    const {v} = _textOf(_at(row, {name}), {name});"
    row = "    [{}],"

    def text(self, text: str) -> str:
        """Return a literal without '<', since the program may be part of an HTML page."""
        escaped = json.dumps(text, ensure_ascii=False)
        for character in "<\x7f\u2028\u2029":
            escaped = escaped.replace(character, f"\\u{ord(character):04x}")
        return escaped

    def raise_unseen(self, column: str) -> str:
        """Return the statement that refuses an unseen category of a column."""
        return f"throw _unseen({self.text(column)});"

    def table(self, name: str, values: Values) -> str:
        """Return the declaration of a list of numbers, by a name in camel case."""
        first, *words = name.split("_")
        return f"const {first}{''.join(map(str.title, words))} = [\n{self.items(values)}\n];"

    def level_line(self, plan: Plan, c: int) -> str:
        """Return the line with which the head declares the categories of a column."""
        pairs = []
        for code, (level, text) in enumerate(zip(plan.levels(c), plan.texts(c), strict=True)):
            pairs.append(f"[{self.text(text)}, {code}]")
            if not isinstance(level, str):
                pairs.append(f"[{json.dumps(level)}, {code}]")
        own = set(plan.texts(c))
        others = codes_by_text(plan.levels(c)).items()
        pairs += [f"[{self.text(text)}, {code}]" for text, code in others if text not in own]
        return f"    [{self.text(plan.name(c))}, new Map([{', '.join(pairs)}])],"

    def head_fields(self, plan: Plan) -> Fields:
        """Return the classes, which keep their types."""
        classes = (self.text(c) if isinstance(c, str) else json.dumps(c) for c in plan.tree.classes)
        return {"classes": ", ".join(classes)}

    def nested_fields(self, plan: Plan) -> Fields:
        """Return the categories as texts, and the error for unseen ones."""
        texts = [
            f"    [{self.text(plan.name(c))}, [{self.text_list(plan.texts(c))}]],"
            for c in plan.columns
            if not plan.is_numeric(c)
        ]
        return {
            "texts": "\n".join(texts),
            "unseen": self.part("unseen") if plan.unseen == "error" else "",
        }
