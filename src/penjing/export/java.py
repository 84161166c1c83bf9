"""A tree as a Java class that needs nothing else; tables are texts, as a method may not be long."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from penjing.errors import ChoiceError
from penjing.export.code import Syntax, blocks, harmless, is_small, origin
from penjing.export.identifiers import RESERVED, variables
from penjing.export.plan import Plan, plan_of
from penjing.export.tables import tables_of
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

CHUNK = 8_000
"""Characters of a text constant; the class file allows 65,535 bytes."""
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

_WALK = """
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

_SIMPLE = {
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

_MIXED = """
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

_MIXED_END = {
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

_LIKELIEST = """\
        double most = found[0];
        for (double value : found) most = Math.max(most, value);
        while (!(found[k] >= most - {tie})) ++k;"""

_CHEAPEST = """\
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


_USED = frozenset(
    re.findall(NAME, _HEAD + _NESTED + _WALK + _STOP + _MIXED + _LIKELIEST + _CHEAPEST),
) | {"IllegalArgumentException"}
"""What the program calls by a name: a class may not hide it."""


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
        What the class is called; no word of Java's, nor one that the program uses itself.
    missing, unseen : str, optional
        As `predict` takes them; else as the tree's recipe says.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> "public static String predict(Map<String, ?> row)" in write(tree)
    True
    """
    if not NAME.fullmatch(name) or name in RESERVED["java"] | _USED:
        raise ChoiceError("export_class_name", value=name)
    plan = plan_of(tree, "java", missing=missing, unseen=unseen)
    kind = "number" if tree.is_regression else "class"
    parts = [_head(plan, name)]
    if is_small(plan):
        parts.append(_nested(plan))
    else:
        parts += [_walk(plan), *([] if plan.is_shared else [_STOP])]
    if plan.is_shared:
        if plan.costs is not None:
            factor = _numbers(plan.costs.factor)
            loss = _numbers(v for row in plan.costs.loss for v in row)
            parts.append(
                f"\n    private static final double[] FACTOR = numbers({factor});\n"
                f"    private static final double[] LOSS = numbers({loss});\n"
            )
        best = _LIKELIEST if plan.costs is None else _CHEAPEST
        return "".join([*parts, _MIXED, _MIXED_END[kind].format(best=best.format(tie=repr(TIE)))])
    return "".join([*parts, _SIMPLE[kind]])


def _head(plan: Plan, name: str) -> str:
    learn = [
        f"        learn({_text(plan.name(c))}, {_texts(plan.texts(c))});"
        for c in plan.columns
        if not plan.is_numeric(c)
    ]
    return _HEAD.format(
        origin=origin(plan),
        name=name,
        columns=", ".join(_text(plan.name(c)) for c in plan.columns),
        classes=_texts(plan.classes),
        levels="\n".join(learn),
        answers=_numbers(plan.tree.values.tolist()),
        shares=_numbers(plan.shares.ravel().tolist()),
        width=plan.shares.shape[1],
    )


def _nested(plan: Plan) -> str:
    names = variables(plan, "java")
    body = []
    for c, v in names.items():
        get = f"row.get({_text(plan.name(c))})"
        made = (
            f"double {v} = number({get});" if plan.is_numeric(c) else f"String {v} = text({get});"
        )
        body.append(f"        {made}")
    return _NESTED.format(body="\n".join([*body, *blocks(plan, names, SYNTAX, 2)]))


def _walk(plan: Plan) -> str:
    t = tables_of(plan)
    odd = {
        "stop": "return -1;",
        "missing": "continue;",
        "error": "throw new IllegalArgumentException("
        '"a level of " + COLUMNS[COLUMN[k]] + " was never seen");',
    }
    return _WALK.format(
        unseen=odd[plan.unseen],
        test_start=_numbers(t.test_start),
        column=_numbers(t.column),
        cut=_numbers(t.cut),
        below=_numbers(t.below),
        pair_start=_numbers(t.pair_start),
        pair_code=_numbers(t.pair_code),
        pair_branch=_numbers(t.pair_branch),
        last=_numbers(t.last),
        child=_numbers(t.child),
        n_children=_numbers(t.n_children),
        share=_numbers(plan.share),
    )


def _numbers(values: Iterable[float]) -> str:
    """Return numbers as arguments: texts of numbers, each short enough for a constant."""
    plain = " ".join(_parsed(v) for v in values)
    return _chunks(plain)


def _texts(texts: Iterable[str]) -> str:
    """Return texts as arguments; lengths are in the units Java counts."""
    return _chunks("".join(f"{len(t.encode('utf-16-le')) // 2}:{t}" for t in texts))


def _chunks(plain: str) -> str:
    pieces = [plain[i : i + CHUNK] for i in range(0, len(plain), CHUNK)] or [""]
    return ",\n        ".join(map(_text, pieces))


def _parsed(value: float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def _number(value: float) -> str:
    if math.isinf(value):
        return "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"  # a column may be called Double
    return repr(value)


def _text(text: str) -> str:
    """Return a literal; what is not plain is an octal escape or, beyond, the escape of Java."""
    made = []
    for letter in text:
        if letter in '"\\':
            made.append("\\" + letter)
        elif letter.isprintable():
            made.append(letter)
        elif ord(letter) < 256:
            made.append(f"\\{ord(letter):03o}")
        else:
            units = letter.encode("utf-16-be")
            made += [f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)]
    return '"' + "".join(made) + '"'


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
    one="{level}.equals({v})",
    if_="if ({}) {{",
    elif_="}} else if ({}) {{",
    close="}",
    stop=lambda node, answer: f"return {node}; // {harmless(answer)}",
    fail=lambda column: (
        "throw new IllegalArgumentException(" + _text(f"a level of {column} was never seen") + ");"
    ),
)
