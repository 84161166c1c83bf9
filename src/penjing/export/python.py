"""A tree as a self-contained Python module."""

from __future__ import annotations

from itertools import pairwise

from penjing.data.read.level_index import codes_by_text
from penjing.export.language import Fields, Language, Values, fill, wrap_items
from penjing.export.plan import Plan
from penjing.export.program import write_program
from penjing.tree.tree_data import TreeData


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a Python module with ``predict(row)``.

    The parameters are those of :func:`penjing.export.program.write_program`.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> made = {}
    >>> exec(write(tree), made)
    >>> made["predict"]({"legs": 2}), made["predict_proba"]({"legs": 0})
    ('bird', [1.0, 0.0])
    """
    return write_program(tree, Python(), missing=missing, unseen=unseen)


class Python(Language):
    """Python 3.8; a row is a mapping."""

    name = "python"
    and_, or_, not_ = " and ", " or ", "not "
    true, false = "True", "False"
    missing_number, known_number = "{v} != {v}", "{v} == {v}"
    missing_text, known_text = "{v} is None", "{v} is not None"
    equals = "{v} == {level}"
    is_in = ("{v} in (", ")")
    if_, elif_, close = "if {}:", "elif {}:", ""
    return_node = "return {node}  # {comment}"
    unseen_stop, unseen_missing = "return -1", "continue"
    unseen_error = (
        "raise ValueError(f'a category of {COLUMNS[COLUMN[k]]} was not seen in training')"
    )
    number_variable = "    {v} = _number(row.get({name}))"
    text_variable = "    {v} = _text(row.get({name}), {name})"
    row = "    ({},),"
    nan, infinity = "math.nan", "math.inf"

    def text(self, text: str) -> str:
        """Return a text as a literal."""
        return repr(text)

    def raise_unseen(self, column: str) -> str:
        """Return the statement that refuses an unseen category of a column."""
        return f"raise _unseen({column!r})"

    def table(self, name: str, values: Values) -> str:
        """Return the declaration of a list of numbers."""
        return f"{name.upper()} = [\n{self.items(values)}\n]"

    def tables(self, tables: dict[str, Values], plan: Plan) -> str:  # noqa: ARG002
        """Return the declarations of the tables; a test of categories is a dict."""
        lines = []
        for name, values in tables.items():
            if name == "pair_start":
                spans = pairwise(map(int, values))
                codes, branches = tables["pair_code"], tables["pair_branch"]
                pairs = [dict(zip(codes[i:j], branches[i:j], strict=True)) for i, j in spans]
                lines.append(f"BRANCH = [\n{wrap_items(pairs)}\n]")
            elif not name.startswith("pair_"):
                lines.append(self.table(name, values))
        return "\n".join(lines)

    def level_line(self, plan: Plan, c: int) -> str:
        """Return the line with which the head declares the categories of a column."""
        by_value = {level: code for code, level in enumerate(plan.levels(c))}
        # Of texts that differ only in surrounding spaces, the first counts.
        by_text = codes_by_text(plan.texts(c))
        return f"    {plan.name(c)!r}: ({by_value!r}, {by_text!r}),"

    def sentence(self, text: str) -> str:
        """Return the sentence at the top, which stands in a docstring."""
        return text.replace('"', "'")

    def head_fields(self, plan: Plan) -> Fields:
        """Return the classes, which keep their types."""
        return {"classes": ", ".join(map(repr, plan.tree.classes))}

    def nested_fields(self, plan: Plan) -> Fields:
        """Return the categories as texts, and the error for unseen ones."""
        texts = [
            f"    {plan.name(c)!r}: {plan.texts(c)!r},"
            for c in plan.columns
            if not plan.is_numeric(c)
        ]
        return {
            "texts": fill(self.part("texts"), {"texts": "\n".join(texts)}) if texts else "",
            "unseen": self.part("unseen") if plan.unseen == "error" else "",
        }
