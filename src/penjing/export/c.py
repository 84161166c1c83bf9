"""A tree as one C99 file that needs only the standard library."""

from __future__ import annotations

import math

from penjing.export.language import Fields, Language, Values, comment_safe, fill
from penjing.export.plan import Plan, refuse_characters
from penjing.export.program import write_program
from penjing.tree.tree_data import TreeData

_RETURN_VALUES = {
    "class": "penjing_predict gives a place in penjing_classes, or -1 for a category that was not "
    "seen in\n   training in a tree that refuses those; penjing_shares fills in the share of each "
    "class.",
    "number": "penjing_predict gives the number.",
}

_NO_VARIABLES = "    char nothing; /* the tree splits on no column */\n"
"""The only field of a row in a tree of a single leaf: C has no empty structs."""


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a C file with ``penjing_predict(row)``.

    The parameters are those of :func:`penjing.export.program.write_program`.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> print(write(tree))  # doctest: +ELLIPSIS
    /* The tree of 'class' (by hand, penjing ...).
    ...
        if (PENJING_IS(row->legs, "0")) {
            return 1; /* fish */
        } else if (PENJING_IS(row->legs, "2")) {
    ...
    """
    return write_program(tree, C(), missing=missing, unseen=unseen)


class C(Language):
    """C99; a row is a struct, and the prediction of a class is its place among the classes."""

    name = "c"
    true, false = "1", "0"
    missing_number, known_number = "isnan({v})", "!isnan({v})"
    missing_text, known_text = "{v} == NULL", "{v} != NULL"
    equals = "PENJING_IS({v}, {level})"
    return_node = "return {node}; /* {comment} */"
    unseen_error = "return -4;"
    number_variable = "    double {v}; /* {comment} */"
    text_variable = "    const char *{v}; /* {comment} */"
    reference = "row->{v}"
    row = "    {{{}}},"
    nan, infinity, backslashed = "NAN", "INFINITY", '"\\?'

    def number(self, value: float) -> str:
        """Return a double that compilers read exactly: a short decimal, else hexadecimal."""
        decimal = super().number(value)
        return value.hex() if math.isfinite(value) and len(decimal) > 8 else decimal

    def threshold(self, value: float) -> str:
        """Return a double; where it is hexadecimal, a comment has the decimal."""
        literal = self.number(value)
        return f"{literal} /* {value!r} */" if len(repr(value)) > 8 else literal

    def escape(self, character: str) -> str:
        """Return the bytes of a character, each as exactly three octal digits."""
        return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8"))

    def raise_unseen(self, column: str) -> str:
        """Return the statement that refuses an unseen category of a column."""
        return f"return -1; /* a category of {comment_safe(column)} not seen in training */"

    def table(self, name: str, values: Values) -> str:
        """Return the declaration of a list of numbers; C has no empty ones."""
        is_float = name in ("cut", "share")
        items = self.items(values or ([0.0] if is_float else [0]))
        type_ = "double" if is_float else "int"
        return f"static const {type_} penjing_{name}[] = {{\n{items}\n}};"

    def tables(self, tables: dict[str, Values], plan: Plan) -> str:
        """Return the declarations of the tables that are used: compilers warn of others."""
        unused = () if plan.has_fractions else ("n_children", "share")
        return super().tables({k: v for k, v in tables.items() if k not in unused}, plan)

    def check(self, plan: Plan) -> None:
        """Refuse texts with a NUL, which would end there."""
        refuse_characters(plan, "c", lambda character: character == "\0")

    def head_fields(self, plan: Plan) -> Fields:
        """Return the classes, and the type and the meaning of a prediction."""
        is_number = plan.tree.is_regression
        names = ",\n".join(f"    {self.text(c)}" for c in plan.classes)
        classes = f"static const char *const penjing_classes[] = {{\n{names}\n}};"
        return {
            "promise": _RETURN_VALUES["number" if is_number else "class"],
            "classes": "" if is_number else classes,
            "kind": "double" if is_number else "int",
            "no_variables": "" if plan.columns else _NO_VARIABLES,
        }

    def walk_fields(self, plan: Plan) -> Fields:
        """Return the categories of each column, and how a row is filled in."""
        level_arrays, assignments, level_names = [], [], []
        for position, (c, v) in enumerate(self.variables(plan).items()):
            cell = f"    cells[{position}]"
            if plan.is_numeric(c):
                level_names.append("NULL")
                assignments += [f"{cell}.number = row->{v};", f"{cell}.code = -1;"]
                continue
            levels = ",\n".join(f"    {self.text(text)}" for text in plan.texts(c)) or "    NULL"
            level_arrays.append(
                fill(self.part("categories"), {"place": str(position), "levels": levels})
            )
            level_names.append(f"penjing_categories_{position}")
            code = f"penjing_category(row->{v}, {position})"
            assignments += [f"{cell}.number = NAN;", f"{cell}.code = {code};"]
        sizes = [0 if plan.is_numeric(c) else len(plan.levels(c)) for c in plan.columns]
        lists = {"lists": ", ".join(level_names), "sizes": ", ".join(map(str, sizes))}
        return {
            "n_columns": str(len(plan.columns)),
            "level_arrays": "".join(level_arrays),
            "level_tables": fill(self.part("category_tables"), lists) if level_arrays else "",
            "find_level": self.part("find_category") if level_arrays else "",
            "fill": "\n".join(assignments),
        }
