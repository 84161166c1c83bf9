"""A tree as a self-contained Java class; tables are strings, since methods are limited in size."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from penjing.errors import ChoiceError
from penjing.export.code import Syntax, comment_safe, fits_nested_if, header_sentence, if_else_lines
from penjing.export.identifiers import RESERVED, column_variables
from penjing.export.plan import Plan, build_plan
from penjing.export.tables import build_tables
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

CHUNK = 8_000
"""Maximum characters of a string constant; a class file allows 65,535 bytes."""
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_HEAD = """\
// {origin}.

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** predict(row) answers for a row {{column: value}}; null, NaN and an absent column are missing. */
public final class {name} {{
    private {name}() {{}}

    public static final String[] COLUMNS = {{{columns}}};
    public static final String[] CLASSES = texts({classes});
    private static final Map<String, Map<Object, Integer>> LEVELS = new HashMap<>();
    private static final double[] ANSWERS = numbers({answers});
    private static final double[] SHARES = numbers({shares});
    private static final int WIDTH = {width};

    static {{
{levels}
    }}

    /** Texts that stand one after the other, each as its length, a colon, and itself. */
    private static String[] texts(String... chunks) {{
        String whole = String.join("", chunks);
        java.util.List<String> found = new java.util.ArrayList<>();
        for (int at = 0; at < whole.length();) {{
            int colon = whole.indexOf(':', at);
            int end = colon + 1 + Integer.parseInt(whole.substring(at, colon));
            found.add(whole.substring(colon + 1, end));
            at = end;
        }}
        return found.toArray(new String[0]);
    }}

    private static double[] numbers(String... chunks) {{
        String whole = String.join("", chunks);
        if (whole.isEmpty()) return new double[0];
        String[] parts = whole.split(" ");
        double[] found = new double[parts.length];
        for (int i = 0; i < parts.length; ++i) found[i] = Double.parseDouble(parts[i]);
        return found;
    }}

    private static void learn(String column, String... chunks) {{
        Map<Object, Integer> known = new HashMap<>();
        for (String text : texts(chunks)) {{
            int code = known.size();
            known.put(text, code);
        }}
        LEVELS.put(column, known);
    }}

    private static double number(Object value) {{
        return value == null ? Double.NaN : ((Number) value).doubleValue();
    }}

    private static boolean isMissing(double value) {{
        return value != value;
    }}

    /** The level as a text; null is missing. */
    private static String text(Object value) {{
        if (value == null) return null;
        if (value instanceof Boolean) return (Boolean) value ? "True" : "False";
        if (!(value instanceof Number)) return value.toString();
        double number = ((Number) value).doubleValue();
        if (Double.isNaN(number)) return null;
        boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1e18;
        return isWhole ? Long.toString((long) number) : value.toString();
    }}

    private static int level(Object value, String column) {{
        String text = text(value);
        return text == null ? -1 : LEVELS.get(column).getOrDefault(text, -2);
    }}
"""

_NESTED = """
    /** The node where a row stops. */
    private static int stop(Map<String, ?> row) {{
{body}
    }}
"""

_TABLE_WALK = """
    private static int[] whole(String... chunks) {{
        double[] numbers = numbers(chunks);
        int[] found = new int[numbers.length];
        for (int i = 0; i < found.length; ++i) found[i] = (int) numbers[i];
        return found;
    }}

    private static final int[] TEST_START = whole({test_start});
    private static final int[] COLUMN = whole({column});
    private static final double[] CUT = numbers({cut});
    private static final int[] BELOW = whole({below});
    private static final int[] PAIR_START = whole({pair_start});
    private static final int[] PAIR_CODE = whole({pair_code});
    private static final int[] PAIR_BRANCH = whole({pair_branch});
    private static final int[] LAST = whole({last});
    private static final int[] CHILD = whole({child});
    private static final int[] N_CHILDREN = whole({n_children});
    private static final double[] SHARE = numbers({share});

    private static double[] cells(Map<String, ?> row) {{
        double[] found = new double[COLUMNS.length];
        for (int i = 0; i < found.length; ++i) {{
            Object value = row.get(COLUMNS[i]);
            found[i] = LEVELS.containsKey(COLUMNS[i]) ? level(value, COLUMNS[i]) : number(value);
        }}
        return found;
    }}

    /** The branch of a level: -2 counts as missing, -3 has none. */
    private static int find(int test, int code) {{
        int at = java.util.Arrays.binarySearch(
            PAIR_CODE, PAIR_START[test], PAIR_START[test + 1], code);
        return at < 0 ? -3 : PAIR_BRANCH[at];
    }}

    /** The branch a row takes, -1 where it stops, -2 where it goes down every branch. */
    private static int branch(int node, double[] cells) {{
        int first = TEST_START[node];
        for (int k = first; k < TEST_START[node + 1]; ++k) {{
            double value = cells[COLUMN[k]];
            if (!Double.isNaN(CUT[k])) {{
                if (!Double.isNaN(value)) return value <= CUT[k] ? BELOW[k] : 1 - BELOW[k];
            }} else if (value >= 0 || find(k, (int) value) >= 0) {{
                int branch = find(k, (int) value);
                if (branch >= 0) return branch;
                if (branch == -3 && k == first) return -1;
            }} else if (value == -2 && k == first) {{
                {unseen}
            }}
        }}
        return LAST[node];
    }}

    /** The node where a row stops, or the one that shares it out, less all nodes. */
    private static int walk(int node, double[] cells) {{
        for (;;) {{
            int branch = branch(node, cells);
            if (branch < 0) return branch == -2 ? node - LAST.length : node;
            node = CHILD[node] + branch;
        }}
    }}
"""

_STOP = """
    private static int stop(Map<String, ?> row) {
        return walk(0, cells(row));
    }
"""

_PREDICT = {
    "class": """
    public static String predict(Map<String, ?> row) {
        return CLASSES[(int) ANSWERS[stop(row)]];
    }

    public static double[] predictProba(Map<String, ?> row) {
        int node = stop(row);
        return java.util.Arrays.copyOfRange(SHARES, node * WIDTH, (node + 1) * WIDTH);
    }
}
""",
    "number": """
    public static double predict(Map<String, ?> row) {
        return ANSWERS[stop(row)];
    }
}
""",
}

_FRACTIONAL = """
    /** What the nodes that a row reaches answer, by their parts; returns the node if it is one. */
    private static int mixed(Map<String, ?> row, double[] found) {
        double[] cells = cells(row);
        int node = walk(0, cells);
        if (node >= 0) {
            System.arraycopy(SHARES, node * WIDTH, found, 0, WIDTH);
            return node;
        }
        ArrayDeque<Integer> nodes = new ArrayDeque<>();
        ArrayDeque<Double> parts = new ArrayDeque<>();
        double part = 1.0;
        for (;;) {
            if (node < 0) {
                node += LAST.length;
                for (int c = CHILD[node] + N_CHILDREN[node] - 1; c >= CHILD[node]; --c) {
                    if (SHARE[c] > 0) {
                        nodes.push(c);
                        parts.push(part * SHARE[c]);
                    }
                }
            } else {
                for (int s = 0; s < WIDTH; ++s) found[s] += part * SHARES[node * WIDTH + s];
            }
            if (nodes.isEmpty()) return -1;
            part = parts.pop();
            node = walk(nodes.pop(), cells);
        }
    }
"""

_FRACTIONAL_PREDICT = {
    "class": """
    /** Of classes that are as likely the first. */
    public static String predict(Map<String, ?> row) {{
        double[] found = new double[WIDTH];
        int node = mixed(row, found);
        if (node >= 0) return CLASSES[(int) ANSWERS[node]];
        int k = 0;
{best}
        return CLASSES[k];
    }}

    public static double[] predictProba(Map<String, ?> row) {{
        double[] found = new double[WIDTH];
        mixed(row, found);
        return found;
    }}
}}
""",
    "number": """
    public static double predict(Map<String, ?> row) {{
        double[] found = new double[WIDTH];
        mixed(row, found);
        return found[0];
    }}
}}
""",
}

_MOST_PROBABLE = """\
        double most = found[0];
        for (double value : found) most = Math.max(most, value);
        while (!(found[k] >= most - {tie})) ++k;"""

_LEAST_COST = """\
        double[] risks = new double[WIDTH];
        for (int t = 0; t < WIDTH; ++t)
            for (int s = 0; s < WIDTH; ++s) risks[s] += found[t] * LOSS[t * WIDTH + s] * FACTOR[t];
        double least = risks[0];
        double most = risks[0];
        for (double risk : risks) {{
            least = Math.min(least, risk);
            most = Math.max(most, risk);
        }}
        while (!(risks[k] <= least + {tie} * most)) ++k;"""


_USED_NAMES = frozenset(
    re.findall(
        NAME, _HEAD + _NESTED + _TABLE_WALK + _STOP + _FRACTIONAL + _MOST_PROBABLE + _LEAST_COST
    ),
) | {"IllegalArgumentException"}
"""The names that the program uses: the class may not hide them."""


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
    if not NAME.fullmatch(name) or name in RESERVED["java"] | _USED_NAMES:
        raise ChoiceError("export_class_name", value=name)
    plan = build_plan(tree, "java", missing=missing, unseen=unseen)
    kind = "number" if tree.is_regression else "class"
    parts = [_head(plan, name)]
    if fits_nested_if(plan):
        parts.append(_nested(plan))
    else:
        parts += [_table_walk(plan), *([] if plan.has_fractions else [_STOP])]
    if plan.has_fractions:
        if plan.costs is not None:
            factor = _numbers(plan.costs.factor)
            loss = _numbers(v for row in plan.costs.loss for v in row)
            parts.append(
                f"\n    private static final double[] FACTOR = numbers({factor});\n"
                f"    private static final double[] LOSS = numbers({loss});\n"
            )
        best = _MOST_PROBABLE if plan.costs is None else _LEAST_COST
        return "".join(
            [*parts, _FRACTIONAL, _FRACTIONAL_PREDICT[kind].format(best=best.format(tie=repr(TIE)))]
        )
    return "".join([*parts, _PREDICT[kind]])


def _head(plan: Plan, name: str) -> str:
    level_calls = [
        f"        learn({_text(plan.name(c))}, {_texts(plan.texts(c))});"
        for c in plan.columns
        if not plan.is_numeric(c)
    ]
    return _HEAD.format(
        origin=header_sentence(plan),
        name=name,
        columns=", ".join(_text(plan.name(c)) for c in plan.columns),
        classes=_texts(plan.classes),
        levels="\n".join(level_calls),
        answers=_numbers(plan.tree.values.tolist()),
        shares=_numbers(plan.probabilities.ravel().tolist()),
        width=plan.probabilities.shape[1],
    )


def _nested(plan: Plan) -> str:
    names = column_variables(plan, "java")
    body = []
    for c, v in names.items():
        get = f"row.get({_text(plan.name(c))})"
        parts = (
            f"double {v} = number({get});" if plan.is_numeric(c) else f"String {v} = text({get});"
        )
        body.append(f"        {parts}")
    return _NESTED.format(body="\n".join([*body, *if_else_lines(plan, names, SYNTAX, 2)]))


def _table_walk(plan: Plan) -> str:
    tables = build_tables(plan)
    unseen_action = {
        "stop": "return -1;",
        "missing": "continue;",
        "error": "throw new IllegalArgumentException("
        '"a level of " + COLUMNS[COLUMN[k]] + " was never seen");',
    }
    return _TABLE_WALK.format(
        unseen=unseen_action[plan.unseen],
        test_start=_numbers(tables.test_start),
        column=_numbers(tables.column),
        cut=_numbers(tables.cut),
        below=_numbers(tables.below),
        pair_start=_numbers(tables.pair_start),
        pair_code=_numbers(tables.pair_code),
        pair_branch=_numbers(tables.pair_branch),
        last=_numbers(tables.fallback),
        child=_numbers(tables.child),
        n_children=_numbers(tables.n_children),
        share=_numbers(plan.fractions),
    )


def _numbers(values: Iterable[float]) -> str:
    """Return numbers as arguments: strings of numbers, each short enough for a constant."""
    text = " ".join(_parsable(v) for v in values)
    return _chunks(text)


def _texts(texts: Iterable[str]) -> str:
    """Return texts as arguments, with their lengths in UTF-16 code units."""
    return _chunks("".join(f"{len(text.encode('utf-16-le')) // 2}:{text}" for text in texts))


def _chunks(text: str) -> str:
    chunks = [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)] or [""]
    return ",\n        ".join(map(_text, chunks))


def _parsable(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def _number(value: float) -> str:
    if math.isinf(value):
        return "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"  # a column may be named Double
    return repr(value)


def _text(text: str) -> str:
    """Return a literal; other characters are octal escapes or, beyond Latin-1, Unicode escapes."""
    parts = []
    for character in text:
        if character in '"\\':
            parts.append("\\" + character)
        elif character.isprintable():
            parts.append(character)
        elif ord(character) < 256:
            parts.append(f"\\{ord(character):03o}")
        else:
            units = character.encode("utf-16-be")
            parts += [f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)]
    return '"' + "".join(parts) + '"'


SYNTAX = Syntax(
    and_=" && ",
    or_=" || ",
    true="true",
    false="false",
    number=_number,
    text=_text,
    missing_number="isMissing({v})",
    known_number="!isMissing({v})",
    missing_text="{v} == null",
    known_text="{v} != null",
    equals="{level}.equals({v})",
    if_="if ({}) {{",
    elif_="}} else if ({}) {{",
    close="}",
    return_node=lambda node, answer: f"return {node}; // {comment_safe(answer)}",
    raise_unseen=lambda column: (
        "throw new IllegalArgumentException(" + _text(f"a level of {column} was never seen") + ");"
    ),
)
