"""A tree as one C99 file that needs only the standard library."""

from __future__ import annotations

import math

from penjing.export.code import (
    Syntax,
    comment_safe,
    fits_nested_if,
    header_sentence,
    if_else_lines,
    wrap_items,
)
from penjing.export.identifiers import column_variables
from penjing.export.plan import Plan, build_plan, refuse_characters
from penjing.export.tables import build_tables
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

_HEAD = """\
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

typedef struct {{
{fields}
}} penjing_row;

#define PENJING_N_ANSWERS {width}
{classes}
static const {kind} penjing_answers[] = {{
{answers}
}};
static const double penjing_node_shares[][PENJING_N_ANSWERS] = {{
{shares}
}};
"""

_RETURN_VALUES = {
    "class": "penjing_predict gives a place in penjing_classes, or -1 for a level that was never "
    "seen\n   in a tree that refuses those; penjing_shares fills in the share of each class.",
    "number": "penjing_predict gives the number.",
}

_NESTED = """
#define PENJING_IS(text, level) ((text) != NULL && strcmp((text), (level)) == 0)

/* The node where a row stops. */
static int penjing_stop(const penjing_row *row) {{
{body}
}}
"""

_LEVELS = """
static const char *const penjing_levels_{place}[] = {{
{levels}
}};
"""

_TABLE_WALK = """
enum {{ PENJING_N_COLUMNS = {n_columns} }};
{level_tables}
typedef struct {{
    double number;
    int code; /* -1 missing, -2 never seen */
}} penjing_cell;

{find_level}static void penjing_fill(const penjing_row *row, penjing_cell *cells) {{
{fill}
}}

static const int penjing_test_start[] = {{
{test_start}
}};
static const int penjing_column[] = {{
{column}
}};
static const double penjing_cut[] = {{
{cut}
}};
static const int penjing_below[] = {{
{below}
}};
static const int penjing_pair_start[] = {{
{pair_start}
}};
static const int penjing_pair_code[] = {{
{pair_code}
}};
static const int penjing_pair_branch[] = {{
{pair_branch}
}};
static const int penjing_last[] = {{
{last}
}};
static const int penjing_child[] = {{
{child}
}};
static const int penjing_n_children[] = {{
{n_children}
}};
static const double penjing_share[] = {{
{share}
}};

/* The branch of a level: -2 counts as missing, -3 has none. */
static int penjing_find(int test, int code) {{
    int low = penjing_pair_start[test], high = penjing_pair_start[test + 1];
    while (low < high) {{
        int middle = low + (high - low) / 2;
        if (penjing_pair_code[middle] == code) return penjing_pair_branch[middle];
        if (penjing_pair_code[middle] < code) low = middle + 1; else high = middle;
    }}
    return -3;
}}

/* The branch a row takes, -1 where it stops, -2 down every branch, -4 never seen. */
static int penjing_branch(int node, const penjing_cell *cells) {{
    int first = penjing_test_start[node];
    for (int k = first; k < penjing_test_start[node + 1]; ++k) {{
        const penjing_cell *cell = &cells[penjing_column[k]];
        if (!isnan(penjing_cut[k])) {{
            if (!isnan(cell->number))
                return cell->number <= penjing_cut[k] ? penjing_below[k] : 1 - penjing_below[k];
        }} else if (cell->code >= 0 || penjing_find(k, cell->code) >= 0) {{
            int branch = penjing_find(k, cell->code);
            if (branch >= 0) return branch;
            if (branch == -3 && k == first) return -1;
        }} else if (cell->code == -2 && k == first) {{
            {unseen}
        }}
    }}
    return penjing_last[node];
}}

static int penjing_walk(int *node, const penjing_cell *cells) {{
    int branch;
    while ((branch = penjing_branch(*node, cells)) >= 0) *node = penjing_child[*node] + branch;
    return branch;
}}
"""

_LEVEL_TABLES = """\
static const char *const *const penjing_levels[] = {{ {lists} }};
static const int penjing_n_levels[] = {{ {sizes} }};
"""

_FIND_LEVEL = """\
static int penjing_level(const char *text, int column) {
    if (text == NULL) return -1;
    for (int code = 0; code < penjing_n_levels[column]; ++code)
        if (strcmp(text, penjing_levels[column][code]) == 0) return code;
    return -2;
}

"""

_STOP = """
static int penjing_stop(const penjing_row *row) {
    penjing_cell cells[PENJING_N_COLUMNS + 1];
    int node = 0;
    penjing_fill(row, cells);
    return penjing_walk(&node, cells) == -4 ? -1 : node;
}
"""

_PREDICT = {
    "class": """
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
""",
    "number": """
double penjing_predict(const penjing_row *row) {
    int node = penjing_stop(row);
    return node < 0 ? NAN : penjing_answers[node];
}
""",
}

_FRACTIONAL = """
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

_FRACTIONAL_PREDICT = {
    "class": """
int penjing_predict(const penjing_row *row) {{
    double found[PENJING_N_ANSWERS];
    int node = penjing_mixed(row, found);
    if (node == -2) return -1;
    if (node >= 0) return penjing_answers[node];
{best}
}}

int penjing_shares(const penjing_row *row, double *shares) {{
    return penjing_mixed(row, shares) == -2 ? -1 : 0;
}}
""",
    "number": """
double penjing_predict(const penjing_row *row) {{
    double found[PENJING_N_ANSWERS];
    return penjing_mixed(row, found) == -2 ? NAN : found[0];
}}
""",
}

_MOST_PROBABLE = """\
    double most = found[0];
    int k = 0;
    for (int s = 1; s < PENJING_N_ANSWERS; ++s) if (found[s] > most) most = found[s];
    while (!(found[k] >= most - {tie})) ++k;
    return k;"""

_LEAST_COST = """\
    double risks[PENJING_N_ANSWERS] = {{ 0.0 }}, least, most;
    int k = 0;
    for (int t = 0; t < PENJING_N_ANSWERS; ++t)
        for (int s = 0; s < PENJING_N_ANSWERS; ++s)
            risks[s] += found[t] * penjing_loss[t][s] * penjing_factor[t];
    least = most = risks[0];
    for (int s = 1; s < PENJING_N_ANSWERS; ++s) {{
        if (risks[s] < least) least = risks[s];
        if (risks[s] > most) most = risks[s];
    }}
    while (!(risks[k] <= least + {tie} * most)) ++k;
    return k;"""


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> str:
    """Return a tree as the text of a C file with ``penjing_predict(row)``.

    Parameters
    ----------
    tree : TreeData
        The tree.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.

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
    plan = build_plan(tree, "c", missing=missing, unseen=unseen)
    refuse_characters(plan, "c", lambda character: character == "\0")
    kind = "number" if tree.is_regression else "class"
    names = {c: f"row->{v}" for c, v in column_variables(plan, "c").items()}
    parts = [_head(plan, kind, names)]
    if fits_nested_if(plan):
        body = "\n".join(["    (void)row;", *if_else_lines(plan, names, SYNTAX)])
        parts.append(_NESTED.format(body=body))
    else:
        parts.append(_table_walk(plan, names))
    if plan.has_fractions:
        parts += [_costs(plan), _FRACTIONAL]
        best = _MOST_PROBABLE if plan.costs is None else _LEAST_COST
        return "".join([*parts, _FRACTIONAL_PREDICT[kind].format(best=best.format(tie=repr(TIE)))])
    return "".join([*parts, *([] if fits_nested_if(plan) else [_STOP]), _PREDICT[kind]])


def _head(plan: Plan, kind: str, names: dict[int, str]) -> str:
    fields = []
    for c, v in names.items():
        type_ = "double " if plan.is_numeric(c) else "const char *"
        fields.append(f"    {type_}{v.removeprefix('row->')}; /* {comment_safe(plan.name(c))} */")
    classes = ",\n".join(f"    {_text(c)}" for c in plan.classes)
    values = plan.tree.values.tolist()
    return _HEAD.format(
        origin=header_sentence(plan),
        promise=_RETURN_VALUES[kind],
        fields="\n".join(fields) or "    char nothing; /* no column is asked about */",
        width=plan.probabilities.shape[1],
        classes=f"static const char *const penjing_classes[] = {{\n{classes}\n}};"
        if kind == "class"
        else "",
        kind="double" if kind == "number" else "int",
        answers=wrap_items(map(_number, values) if kind == "number" else values),
        shares="\n".join(
            "    {" + ", ".join(map(_number, row)) + "}," for row in plan.probabilities.tolist()
        ),
    )


def _table_walk(plan: Plan, names: dict[int, str]) -> str:
    tables = build_tables(plan)
    level_arrays, assignments = [], []
    level_names = []
    for position, c in enumerate(plan.columns):
        if plan.is_numeric(c):
            level_names.append("NULL")
            assignments.append(f"    cells[{position}].number = {names[c]};")
            assignments.append(f"    cells[{position}].code = -1;")
            continue
        levels = ",\n".join(f"    {_text(text)}" for text in plan.texts(c))
        level_arrays.append(_LEVELS.format(place=position, levels=levels or "    NULL"))
        level_names.append(f"penjing_levels_{position}")
        assignments.append(f"    cells[{position}].number = NAN;")
        assignments.append(f"    cells[{position}].code = penjing_level({names[c]}, {position});")
    sizes = [0 if plan.is_numeric(c) else len(plan.levels(c)) for c in plan.columns]
    unseen_action = {"stop": "return -1;", "missing": "continue;", "error": "return -4;"}
    text = _TABLE_WALK.format(
        n_columns=len(plan.columns),
        find_level=_FIND_LEVEL if level_arrays else "",
        level_tables=_LEVEL_TABLES.format(
            lists=", ".join(level_names), sizes=", ".join(map(str, sizes))
        )
        if level_arrays
        else "",
        fill="\n".join(assignments),
        unseen=unseen_action[plan.unseen],
        test_start=wrap_items(tables.test_start),
        column=wrap_items(tables.column or [0]),
        cut=wrap_items(map(_number, tables.cut or [0.0])),
        below=wrap_items(tables.below or [0]),
        pair_start=wrap_items(tables.pair_start),
        pair_code=wrap_items(tables.pair_code or [0]),
        pair_branch=wrap_items(tables.pair_branch or [0]),
        last=wrap_items(tables.fallback),
        child=wrap_items(tables.child),
        n_children=wrap_items(tables.n_children),
        share=wrap_items(map(_number, plan.fractions)),
    )
    if not plan.has_fractions:  # compilers warn of unused tables
        for name in ("n_children", "share"):
            start = text.index(
                f"static const {'int' if name != 'share' else 'double'} penjing_{name}[]"
            )
            text = text[:start] + text[text.index("};\n", start) + 3 :]
    return "".join(level_arrays) + text


def _costs(plan: Plan) -> str:
    if plan.costs is None:
        return ""
    loss = "\n".join("    {" + ", ".join(map(_number, row)) + "}," for row in plan.costs.loss)
    factor = wrap_items(map(_number, plan.costs.factor))
    return (
        f"\nstatic const double penjing_factor[] = {{\n{factor}\n}};\n"
        f"static const double penjing_loss[][PENJING_N_ANSWERS] = {{\n{loss}\n}};\n"
    )


def _number(value: float) -> str:
    """Return a double that compilers read exactly: a short decimal, else hexadecimal."""
    value = float(value)
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    decimal = repr(value)
    return decimal if len(decimal) <= 8 else value.hex()


def _text(text: str) -> str:
    """Return a literal; other characters are escapes of exactly three octal digits."""
    parts = []
    for character in text:
        if character in '"\\?':
            parts.append("\\" + character)
        elif character.isprintable():
            parts.append(character)
        else:
            parts += [f"\\{byte:03o}" for byte in character.encode("utf-8")]
    return '"' + "".join(parts) + '"'


SYNTAX = Syntax(
    and_=" && ",
    or_=" || ",
    true="1",
    false="0",
    number=lambda cut: f"{_number(cut)} /* {cut!r} */" if len(repr(cut)) > 8 else _number(cut),
    text=_text,
    missing_number="isnan({v})",
    known_number="!isnan({v})",
    missing_text="{v} == NULL",
    known_text="{v} != NULL",
    equals="PENJING_IS({v}, {level})",
    if_="if ({}) {{",
    elif_="}} else if ({}) {{",
    close="}",
    return_node=lambda node, answer: f"return {node}; /* {comment_safe(answer)} */",
    raise_unseen=lambda column: (
        f"return -1; /* a level of {comment_safe(column)} that was never seen */"
    ),
)
