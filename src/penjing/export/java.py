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
    if not NAME.fullmatch(name) or name in RESERVED["java"] | _USED_NAMES:
        raise ChoiceError("export_class_name", value=name)
    return write_program(tree, Java(name), missing=missing, unseen=unseen)


class Java(Language):
    """Java 8; the program is a class of this name."""

    name = "java"
    missing_number, known_number = "isMissing({v})", "!isMissing({v})"
    missing_text, known_text = "{v} == null", "{v} != null"
    equals = "{level}.equals({v})"
    indent = 2
    unseen_error = (
        "throw new IllegalArgumentException("
        '"a level of " + COLUMNS[COLUMN[k]] + " was never seen");'
    )
    number_variable = "        double {v} = number(row.get({name}));"
    text_variable = "        String {v} = text(row.get({name}));"

    head = """\
// {origin}.

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** predict(row) answers for a row {column: value}; null, NaN and an absent column are missing. */
public final class {name} {
    private {name}() {}

    public static final String[] COLUMNS = {{columns}};
    public static final String[] CLASSES = texts({classes});
    private static final Map<String, Map<Object, Integer>> LEVELS = new HashMap<>();
    private static final double[] ANSWERS = numbers({answers});
    private static final double[] SHARES = numbers({shares});
    private static final int WIDTH = {width};

    static {
{levels}
    }

    /** Texts that stand one after the other, each as its length, a colon, and itself. */
    private static String[] texts(String... chunks) {
        String whole = String.join("", chunks);
        java.util.List<String> found = new java.util.ArrayList<>();
        for (int at = 0; at < whole.length();) {
            int colon = whole.indexOf(':', at);
            int end = colon + 1 + Integer.parseInt(whole.substring(at, colon));
            found.add(whole.substring(colon + 1, end));
            at = end;
        }
        return found.toArray(new String[0]);
    }

    private static double[] numbers(String... chunks) {
        String whole = String.join("", chunks);
        if (whole.isEmpty()) return new double[0];
        String[] parts = whole.split(" ");
        double[] found = new double[parts.length];
        for (int i = 0; i < parts.length; ++i) found[i] = Double.parseDouble(parts[i]);
        return found;
    }

    private static void learn(String column, String... chunks) {
        Map<Object, Integer> known = new HashMap<>();
        for (String text : texts(chunks)) {
            int code = known.size();
            known.put(text, code);
        }
        LEVELS.put(column, known);
    }

    private static double number(Object value) {
        return value == null ? Double.NaN : ((Number) value).doubleValue();
    }

    private static boolean isMissing(double value) {
        return value != value;
    }

    /** The level as a text; null is missing. */
    private static String text(Object value) {
        if (value == null) return null;
        if (value instanceof Boolean) return (Boolean) value ? "True" : "False";
        if (!(value instanceof Number)) return value.toString();
        double number = ((Number) value).doubleValue();
        if (Double.isNaN(number)) return null;
        boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1e18;
        return isWhole ? Long.toString((long) number) : value.toString();
    }

    private static int level(Object value, String column) {
        String text = text(value);
        return text == null ? -1 : LEVELS.get(column).getOrDefault(text, -2);
    }
"""

    nested = """
    /** The node where a row stops. */
    private static int stop(Map<String, ?> row) {
{variables}{body}
    }
"""

    walk = """
    private static int[] whole(String... chunks) {
        double[] numbers = numbers(chunks);
        int[] found = new int[numbers.length];
        for (int i = 0; i < found.length; ++i) found[i] = (int) numbers[i];
        return found;
    }

{tables}

    private static double[] cells(Map<String, ?> row) {
        double[] found = new double[COLUMNS.length];
        for (int i = 0; i < found.length; ++i) {
            Object value = row.get(COLUMNS[i]);
            found[i] = LEVELS.containsKey(COLUMNS[i]) ? level(value, COLUMNS[i]) : number(value);
        }
        return found;
    }

    /** The branch of a level: -2 counts as missing, -3 has none. */
    private static int find(int test, int code) {
        int at = java.util.Arrays.binarySearch(
            PAIR_CODE, PAIR_START[test], PAIR_START[test + 1], code);
        return at < 0 ? -3 : PAIR_BRANCH[at];
    }

    /** The branch a row takes, -1 where it stops, -2 where it goes down every branch. */
    private static int branch(int node, double[] cells) {
        int first = TEST_START[node];
        for (int k = first; k < TEST_START[node + 1]; ++k) {
            double value = cells[COLUMN[k]];
            if (!Double.isNaN(CUT[k])) {
                if (!Double.isNaN(value)) return value <= CUT[k] ? BELOW[k] : 1 - BELOW[k];
            } else if (value >= 0 || find(k, (int) value) >= 0) {
                int branch = find(k, (int) value);
                if (branch >= 0) return branch;
                if (branch == -3 && k == first) return -1;
            } else if (value == -2 && k == first) {
                {unseen}
            }
        }
        return LAST[node];
    }

    /** The node where a row stops, or the one that shares it out, less all nodes. */
    private static int walk(int node, double[] cells) {
        for (;;) {
            int branch = branch(node, cells);
            if (branch < 0) return branch == -2 ? node - LAST.length : node;
            node = CHILD[node] + branch;
        }
    }
"""

    stop = """
    private static int stop(Map<String, ?> row) {
        return walk(0, cells(row));
    }
"""

    predict_class = """
    public static String predict(Map<String, ?> row) {
        return CLASSES[(int) ANSWERS[stop(row)]];
    }

    public static double[] predictProba(Map<String, ?> row) {
        int node = stop(row);
        return java.util.Arrays.copyOfRange(SHARES, node * WIDTH, (node + 1) * WIDTH);
    }
}
"""

    predict_number = """
    public static double predict(Map<String, ?> row) {
        return ANSWERS[stop(row)];
    }
}
"""

    costs = """
    private static final double[] FACTOR = numbers({factor});
    private static final double[] LOSS = numbers({loss});
"""

    fractional = """\
{costs}
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

    fractional_predict_class = """
    /** Of classes that are as likely the first. */
    public static String predict(Map<String, ?> row) {
        double[] found = new double[WIDTH];
        int node = mixed(row, found);
        if (node >= 0) return CLASSES[(int) ANSWERS[node]];
        int k = 0;
{best}
        return CLASSES[k];
    }

    public static double[] predictProba(Map<String, ?> row) {
        double[] found = new double[WIDTH];
        mixed(row, found);
        return found;
    }
}
"""

    fractional_predict_number = """
    public static double predict(Map<String, ?> row) {
        double[] found = new double[WIDTH];
        mixed(row, found);
        return found[0];
    }
}
"""

    most_probable = """\
        double most = found[0];
        for (double value : found) most = Math.max(most, value);
        while (!(found[k] >= most - {tie})) ++k;"""

    least_cost = """\
        double[] risks = new double[WIDTH];
        for (int t = 0; t < WIDTH; ++t)
            for (int s = 0; s < WIDTH; ++s) risks[s] += found[t] * LOSS[t * WIDTH + s] * FACTOR[t];
        double least = risks[0];
        double most = risks[0];
        for (double risk : risks) {
            least = Math.min(least, risk);
            most = Math.max(most, risk);
        }
        while (!(risks[k] <= least + {tie} * most)) ++k;"""

    def __init__(self, class_name: str) -> None:
        self._class_name = class_name

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
        message = self.text(f"a level of {column} was never seen")
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


_PARTS = (Java.head, Java.nested, Java.walk, Java.stop, Java.fractional)
_CODE = "".join([*_PARTS, Java.most_probable, Java.least_cost])
_USED_NAMES = frozenset(NAME.findall(re.sub(r"\{\w+\}", "", _CODE))) | {"IllegalArgumentException"}
"""The names that the program uses: the class may not hide them."""
