"""The trace in 中文, line by line, against arithmetic done here from the printed tables.

Nothing is taken from penjing but the text it prints: counts are counted from the rows as the
books print them, shares are fractions, logarithms are `math.log2`.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from io import StringIO

import pytest

import penjing
from penjing.explain import node_text
from penjing.explain import trace_text as telling
from penjing.explain.node import story
from watermelon_files import FILES

BASKETBALL = """weather,temperature,humidity,windy,play
sun,high,middle,no,0
sun,high,middle,yes,0
cloud,high,high,no,1
rain,high,high,no,1
rain,low,high,no,0
sun,middle,middle,yes,1
cloud,middle,high,yes,0
"""
TABLE_4_1 = """色泽,根蒂,敲声,纹理,脐部,触感,好瓜
青绿,蜷缩,浊响,清晰,凹陷,硬滑,是
乌黑,蜷缩,沉闷,清晰,凹陷,硬滑,是
乌黑,蜷缩,浊响,清晰,凹陷,硬滑,是
青绿,蜷缩,沉闷,清晰,凹陷,硬滑,是
浅白,蜷缩,浊响,清晰,凹陷,硬滑,是
青绿,稍蜷,浊响,清晰,稍凹,软粘,是
乌黑,稍蜷,浊响,稍糊,稍凹,软粘,是
乌黑,稍蜷,浊响,清晰,稍凹,硬滑,是
乌黑,稍蜷,沉闷,稍糊,稍凹,硬滑,否
青绿,硬挺,清脆,清晰,平坦,软粘,否
浅白,硬挺,清脆,模糊,平坦,硬滑,否
浅白,蜷缩,浊响,模糊,平坦,软粘,否
青绿,稍蜷,浊响,稍糊,凹陷,硬滑,否
浅白,稍蜷,沉闷,稍糊,凹陷,硬滑,否
乌黑,稍蜷,浊响,清晰,稍凹,软粘,否
浅白,蜷缩,浊响,模糊,平坦,硬滑,否
青绿,蜷缩,沉闷,稍糊,稍凹,硬滑,否
"""
COURSE = "\n".join(line.split(",", 1)[1] for line in FILES["Watermelon-train1.csv"].split()) + "\n"
SOURCES = {"basketball": BASKETBALL, "watermelon 2.0": TABLE_4_1, "course": COURSE}

Row = dict[str, str]


# -- arithmetic ---------------------------------------------------------------------------------


def entropy(counts: list[int]) -> float:
    whole = sum(counts)
    return -sum(float(Fraction(k, whole)) * math.log2(Fraction(k, whole)) for k in counts if k)


def gini(counts: list[int]) -> Fraction:
    return 1 - sum(Fraction(k, sum(counts)) ** 2 for k in counts)


def places(value: float | Fraction) -> str:
    return f"{abs(float(value)):.4f}"


def shares(counts: list[int], sign: str) -> list[str]:
    whole = sum(counts)
    return [sign.format(s=f"{k}/{whole}") for k in counts if k]


class Node:
    """The rows of a node, and what each column makes of them."""

    def __init__(self, rows: list[tuple[int, Row]], target: str, classes: list[str]) -> None:
        self.rows, self.target, self.classes = rows, target, classes
        self.counts = self.of(rows)
        self.entropy = entropy(self.counts)

    def of(self, rows: list[tuple[int, Row]]) -> list[int]:
        found = Counter(row[self.target] for _, row in rows)
        return [found[class_] for class_ in self.classes]

    def parts(self, column: str) -> dict[str, list[tuple[int, Row]]]:
        """Return the rows of each level, most rows first, then as the table has them."""
        levels = Counter(row[column] for _, row in self.rows)
        found = {v: [r for r in self.rows if r[1][column] == v] for v in levels}
        return dict(sorted(found.items(), key=lambda part: -len(part[1])))

    def after(self, column: str) -> float:
        return sum(
            float(Fraction(len(part), len(self.rows))) * entropy(self.of(part))
            for part in self.parts(column).values()
        )

    def gain(self, column: str) -> float:
        return self.entropy - self.after(column)

    def information(self, column: str) -> float:
        return entropy([len(part) for part in self.parts(column).values()])

    def gini_index(self, column: str) -> Fraction:
        return sum(
            (
                Fraction(len(p), len(self.rows)) * gini(self.of(p))
                for p in self.parts(column).values()
            ),
            Fraction(0),
        )


def read(text: str) -> tuple[list[tuple[int, Row]], list[str], str]:
    head, *lines = (line.split(",") for line in text.split())
    rows = [(i, dict(zip(head, line, strict=True))) for i, line in enumerate(lines, start=1)]
    return rows, head[:-1], head[-1]


def and_more(names: list[str]) -> str:
    return names[0] if len(names) == 1 else "、".join(names[:-1]) + f" 和 {names[-1]}"


def mixture(classes: list[str], counts: list[int]) -> str:
    if classes[0].isdigit():
        return ", ".join(f"{c}: {k}" for c, k in zip(classes, counts, strict=True))
    return " ".join(f"{c} {k}" for c, k in zip(classes, counts, strict=True))


# -- the story, told again from the rows --------------------------------------------------------


def told(text: str) -> list[str]:
    """Return the lines that the trace should print, from the rows and the numbers above alone."""
    rows, columns, target = read(text)
    classes = list(dict.fromkeys(row[target] for _, row in rows))
    levels = {c: list(dict.fromkeys(row[c] for _, row in rows)) for c in columns}
    waiting: list[tuple[list[str], list[tuple[int, Row]], list[str]]] = [([], rows, columns)]
    steps: list[list[str]] = []
    while waiting:
        path, here, left = waiting.pop(0)
        node = Node(here, target, classes)
        numbers = and_more([str(i) for i, _ in here])
        lines = [f"样本    {len(here)}（{numbers}）：{mixture(classes, node.counts)}"]
        majority = classes[node.counts.index(max(node.counts))]
        if max(node.counts) == len(here):
            steps.append(
                [", ".join(path) or "根结点", *lines, "停止？  同一类别：是", f"叶结点  {majority}"]
            )
            continue
        lines.append("停止？  同一类别：否；属性集为空或取值全相同：否")
        offered = [c for c in left if len(node.parts(c)) > 1]
        ranked = sorted(offered, key=lambda c: (-round(node.gain(c), 12), columns.index(c)))
        best = ranked[0]
        tied = [c for c in ranked if abs(node.gain(c) - node.gain(best)) < 1e-12]
        others = [c for c in ranked if c not in tied]
        weighed = "、".join(f"{c} {places(node.gain(c))}" for c in [*tied, *others])
        lines.append(f"比较    {weighed}（信息增益）")
        if len(tied) > 1:
            lines.append(f"选择    {best}；与 {and_more(tied[1:])} 并列，取排在前面的列")
        elif others:
            ahead = places(node.gain(best) - node.gain(others[0]))
            lines.append(f"选择    {best}，比 {others[0]} 大 {ahead}")
        else:
            lines.append(f"选择    {best}，{places(node.gain(best))}；没有别的属性参加比较")
        parts = node.parts(best)
        mixed = {v: len({row[target] for _, row in part}) > 1 for v, part in parts.items()}
        drawn = sorted(parts, key=lambda v: (-len(parts[v]), not mixed[v], levels[best].index(v)))
        lines.append("分支    " + "、".join(f"{v} {len(parts[v])}" for v in drawn))
        if empty := [v for v in levels[best] if v not in parts]:
            lines.append(
                f"空分支  {and_more(empty)}：没有样本，成为叶结点，取这里的多数类 {majority}"
            )
        steps.append([", ".join(path) or "根结点", *lines])
        rest = [c for c in left if c != best]
        waiting += [([*path, f"{best} = {v}"], parts[v], rest) for v in levels[best] if v in parts]
    n = len(steps)
    head = (
        f"“{target}”的决策树由训练集（{len(rows)} 行）按配方 id3 生成，共 {n} 步。对数以 2 为底。"
    )
    text_ = [head]
    for i, (place, *lines) in enumerate(steps, start=1):
        text_ += ["", f"第 {i} 步，共 {n} 步：{place}", *(f"  {line}" for line in lines)]
    return text_


@pytest.fixture(params=SOURCES)
def source(request):
    return SOURCES[request.param]


def grown(source):
    _, _, target = read(source)
    table = penjing.read(StringIO(source), target=target, schema={target: "nominal"})
    return table, penjing.fit(table, recipe="id3", trace=True)


def test_the_trace_is_the_arithmetic_line_by_line(source):
    table, tree = grown(source)
    about = {
        "target": tree.target.name,
        "recipe": dict(tree.recipe),
        "rows": table.n_rows,
        "steps": tree.n_nodes,
        "is_whole": True,
    }
    assert telling.write(story(tree, table), about, "zh").split("\n") == told(source)


def formulas(node: Node, column: str) -> list[str]:
    """Return the four formulas of a column, filled in by hand."""
    sizes = {v: len(part) for v, part in node.parts(column).items()}
    n = len(node.rows)
    parts = {v: node.of(part) for v, part in node.parts(column).items()}
    ent = " + ".join(f"{sizes[v]}/{n} × {places(entropy(parts[v]))}" for v in parts)
    imp = " + ".join(f"{sizes[v]}/{n} × {places(gini(parts[v]))}" for v in parts)
    said = "-" + " - ".join(shares(list(sizes.values()), "({s})log2({s})"))
    gain, iv = places(node.gain(column)), places(node.information(column))
    ratio = places(node.gain(column) / node.information(column))
    return [
        f"Gain(D, {column}) = {places(node.entropy)} - ({ent}) = {gain}",
        f"IV({column}) = {said} = {iv}",
        f"Gain_ratio(D, {column}) = {gain} / {iv} = {ratio}",
        f"Gini_index(D, {column}) = {imp} = {places(node.gini_index(column))}",
    ]


def test_every_formula_of_every_node_is_the_arithmetic(source):
    table, tree = grown(source)
    rows, _, target = read(source)
    classes = list(dict.fromkeys(row[target] for _, row in rows))
    n_checked = 0
    for step in story(tree, table):
        if step["question"] is None:
            continue
        node = Node([rows[i - 1] for i in step["row_numbers"]], target, classes)
        lines = node_text.write(step, "zh", all_candidates=True).split("\n")
        measure = "-" + " - ".join(shares(node.counts, "({s})log2({s})"))
        assert lines[0].endswith(
            f"{len(node.rows)} 行，{mixture(classes, node.counts)}，"
            f"Ent(D) = {measure} = {places(node.entropy)}"
        )
        offered = [c for c in step["candidates"] if c["gain"] is not None]
        for i, candidate in enumerate(offered):
            column = candidate["column"]
            cells = lines[2 + i].split()
            assert cells[:6] == [
                column,
                places(node.after(column)),
                places(node.gain(column)),
                places(node.information(column)),
                places(node.gain(column) / node.information(column)),
                places(node.gini_index(column)),
            ]
            at = 2 + len(offered) + 4 * i
            printed = [sorted(line.replace("(", " ").replace(")", " ").split())
                       for line in lines[at : at + 4]]  # fmt: skip
            by_hand = [sorted(line.replace("(", " ").replace(")", " ").split())
                       for line in formulas(node, column)]  # fmt: skip
            assert printed == by_hand
            n_checked += 1
    assert n_checked >= 9


def test_figures_of_the_books_are_these_figures():
    """Zhou page 75 f.: Ent(D) 0.998, 色泽 0.109, 纹理 0.381; the course: 0.5026 at the root."""
    rows, _, target = read(TABLE_4_1)
    root = Node(rows, target, ["是", "否"])
    assert round(root.entropy, 3) == 0.998
    book = {"根蒂": 0.143, "敲声": 0.141, "纹理": 0.381, "脐部": 0.289, "触感": 0.006}
    assert {c: round(root.gain(c), 3) for c in book} == book
    rows, _, target = read(COURSE)
    assert places(Node(rows, target, ["是", "否"]).gain("纹理")) == "0.5026"
