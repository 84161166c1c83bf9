"""A tree as one C99 file that needs only the standard library."""

from __future__ import annotations

import math

from penjing.export.language import Fields, Language, Values, comment_safe, fill
from penjing.export.plan import Plan, refuse_characters
from penjing.export.program import write_program
from penjing.tree.tree_data import TreeData

_RETURN_VALUES = {
    "class": "penjing_predict gives a place in penjing_classes, or -1 for a level that was never "
    "seen\n   in a tree that refuses those; penjing_shares fills in the share of each class.",
    "number": "penjing_predict gives the number.",
}

_NO_VARIABLES = "    char nothing; /* no column is asked about */\n"
"""The only field of a row in a tree of a single leaf: C has no empty structs."""

_LEVELS = """
static const char *const penjing_levels_{place}[] = {
{levels}
};
"""

_LEVEL_TABLES = """\
static const char *const *const penjing_levels[] = { {lists} };
static const int penjing_n_levels[] = { {sizes} };
"""

_FIND_LEVEL = """\
static int penjing_level(const char *text, int column) {
    if (text == NULL) return -1;
    for (int code = 0; code < penjing_n_levels[column]; ++code)
        if (strcmp(text, penjing_levels[column][code]) == 0) return code;
    return -2;
}

"""


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

    head = """\
/* {origin}.

   A missing number is NAN, a missing text NULL; texts are UTF-8, compared as they are.
   {promise} */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct {
{variables}{no_variables}} penjing_row;

#define PENJING_N_ANSWERS {width}
{classes}
static const {kind} penjing_answers[] = {
{answers}
};
static const double penjing_node_shares[][PENJING_N_ANSWERS] = {
{shares}
};
"""

    nested = """
#define PENJING_IS(text, level) ((text) != NULL && strcmp((text), (level)) == 0)

/* The node where a row stops. */
static int penjing_stop(const penjing_row *row) {
    (void)row;
{body}
}
"""

    walk = """\
{level_arrays}
enum { PENJING_N_COLUMNS = {n_columns} };
{level_tables}
typedef struct {
    double number;
    int code; /* -1 missing, -2 never seen */
} penjing_cell;

{find_level}static void penjing_fill(const penjing_row *row, penjing_cell *cells) {
{fill}
}

{tables}

/* The branch of a level: -2 counts as missing, -3 has none. */
static int penjing_find(int test, int code) {
    int low = penjing_pair_start[test], high = penjing_pair_start[test + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (penjing_pair_code[middle] == code) return penjing_pair_branch[middle];
        if (penjing_pair_code[middle] < code) low = middle + 1; else high = middle;
    }
    return -3;
}

/* The branch a row takes, -1 where it stops, -2 down every branch, -4 never seen. */
static int penjing_branch(int node, const penjing_cell *cells) {
    int first = penjing_test_start[node];
    for (int k = first; k < penjing_test_start[node + 1]; ++k) {
        const penjing_cell *cell = &cells[penjing_column[k]];
        if (!isnan(penjing_cut[k])) {
            if (!isnan(cell->number))
                return cell->number <= penjing_cut[k] ? penjing_below[k] : 1 - penjing_below[k];
        } else if (cell->code >= 0 || penjing_find(k, cell->code) >= 0) {
            int branch = penjing_find(k, cell->code);
            if (branch >= 0) return branch;
            if (branch == -3 && k == first) return -1;
        } else if (cell->code == -2 && k == first) {
            {unseen}
        }
    }
    return penjing_last[node];
}

static int penjing_walk(int *node, const penjing_cell *cells) {
    int branch;
    while ((branch = penjing_branch(*node, cells)) >= 0) *node = penjing_child[*node] + branch;
    return branch;
}
"""

    stop = """
static int penjing_stop(const penjing_row *row) {
    penjing_cell cells[PENJING_N_COLUMNS + 1];
    int node = 0;
    penjing_fill(row, cells);
    return penjing_walk(&node, cells) == -4 ? -1 : node;
}
"""

    predict_class = """
int penjing_predict(const penjing_row *row) {
    int node = penjing_stop(row);
    return node < 0 ? -1 : penjing_answers[node];
}

int penjing_shares(const penjing_row *row, double *shares) {
    int node = penjing_stop(row);
    if (node < 0) return -1;
    memcpy(shares, penjing_node_shares[node], sizeof penjing_node_shares[node]);
    return 0;
}
"""

    predict_number = """
double penjing_predict(const penjing_row *row) {
    int node = penjing_stop(row);
    return node < 0 ? NAN : penjing_answers[node];
}
"""

    costs = """
static const double penjing_factor[] = {
{factor}
};
static const double penjing_loss[][PENJING_N_ANSWERS] = {
{loss}
};
"""

    fractional = """\
{costs}
typedef struct { int node; double part; } penjing_part;

/* What the nodes that a row reaches answer, by their parts. Gives the node if it is one, else
   -1; -2 for a level that was never seen, or no memory. */
static int penjing_mixed(const penjing_row *row, double *found) {
    penjing_cell cells[PENJING_N_COLUMNS + 1];
    penjing_part *waiting = NULL;
    size_t n = 0, room = 0;
    int node = 0, branch;
    double part = 1.0;
    penjing_fill(row, cells);
    branch = penjing_walk(&node, cells);
    if (branch == -4) return -2;
    if (branch != -2) {
        memcpy(found, penjing_node_shares[node], sizeof penjing_node_shares[node]);
        return node;
    }
    for (int s = 0; s < PENJING_N_ANSWERS; ++s) found[s] = 0.0;
    for (;;) {
        if (branch == -2) {
            int first = penjing_child[node];
            for (int child = first + penjing_n_children[node] - 1; child >= first; --child) {
                if (!(penjing_share[child] > 0)) continue;
                if (n == room) {
                    size_t more = room ? 2 * room : 64;
                    penjing_part *larger = realloc(waiting, more * sizeof *waiting);
                    if (larger == NULL) { free(waiting); return -2; }
                    waiting = larger;
                    room = more;
                }
                waiting[n].node = child;
                waiting[n++].part = part * penjing_share[child];
            }
        } else {
            for (int s = 0; s < PENJING_N_ANSWERS; ++s)
                found[s] += part * penjing_node_shares[node][s];
        }
        if (n == 0) break;
        node = waiting[--n].node;
        part = waiting[n].part;
        branch = penjing_walk(&node, cells);
        if (branch == -4) { free(waiting); return -2; }
    }
    free(waiting);
    return -1;
}
"""

    fractional_predict_class = """
int penjing_predict(const penjing_row *row) {
    double found[PENJING_N_ANSWERS];
    int node = penjing_mixed(row, found);
    if (node == -2) return -1;
    if (node >= 0) return penjing_answers[node];
{best}
}

int penjing_shares(const penjing_row *row, double *shares) {
    return penjing_mixed(row, shares) == -2 ? -1 : 0;
}
"""

    fractional_predict_number = """
double penjing_predict(const penjing_row *row) {
    double found[PENJING_N_ANSWERS];
    return penjing_mixed(row, found) == -2 ? NAN : found[0];
}
"""

    most_probable = """\
    double most = found[0];
    int k = 0;
    for (int s = 1; s < PENJING_N_ANSWERS; ++s) if (found[s] > most) most = found[s];
    while (!(found[k] >= most - {tie})) ++k;
    return k;"""

    least_cost = """\
    double risks[PENJING_N_ANSWERS] = { 0.0 }, least, most;
    int k = 0;
    for (int t = 0; t < PENJING_N_ANSWERS; ++t)
        for (int s = 0; s < PENJING_N_ANSWERS; ++s)
            risks[s] += found[t] * penjing_loss[t][s] * penjing_factor[t];
    least = most = risks[0];
    for (int s = 1; s < PENJING_N_ANSWERS; ++s) {
        if (risks[s] < least) least = risks[s];
        if (risks[s] > most) most = risks[s];
    }
    while (!(risks[k] <= least + {tie} * most)) ++k;
    return k;"""

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
        return f"return -1; /* a level of {comment_safe(column)} that was never seen */"

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
            level_arrays.append(fill(_LEVELS, {"place": str(position), "levels": levels}))
            level_names.append(f"penjing_levels_{position}")
            code = f"penjing_level(row->{v}, {position})"
            assignments += [f"{cell}.number = NAN;", f"{cell}.code = {code};"]
        sizes = [0 if plan.is_numeric(c) else len(plan.levels(c)) for c in plan.columns]
        lists = {"lists": ", ".join(level_names), "sizes": ", ".join(map(str, sizes))}
        return {
            "n_columns": str(len(plan.columns)),
            "level_arrays": "".join(level_arrays),
            "level_tables": fill(_LEVEL_TABLES, lists) if level_arrays else "",
            "find_level": _FIND_LEVEL if level_arrays else "",
            "fill": "\n".join(assignments),
        }
