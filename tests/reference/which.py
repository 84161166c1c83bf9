"""python -m tests.reference.which: the page "which C4.5 do you mean?", from the tiny tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # `reference`, as the tests call it
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from reference.check import check, comparer
from reference.golden import Golden, goldens
from reference.programs import program_of, tiny
from reference.rows import Tables
from shared import SHARED

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {lang: DOCS / lang / "explanation" / "which-c45.md" for lang in ("en", "zh")}
HEAD = {
    "en": """\
# Which C4.5 do you mean?

Programs that are called C4.5, ID3 or CART grow different trees from the same table, each for a
reason. Each small table below shows one such difference. The trees are penjing's, grown with the
recipe named after the program, and each was compared with the program's own tree: the same splits,
thresholds, counts and classes.

Programs that grow the same tree share a column below and a letter in the overview. The options are the
program's own; penjing accepts them too (`fit(table, recipe="j48", C=0.25, M=2)`, or
`penjing fit table.csv --recipe j48 -C 0.25 -M 2`).

This page is written by `python -m tests.reference.which`; a test checks that it is up to date.
""",
    "zh": """\
# 你说的是哪一种 C4.5？

同样叫作 C4.5、ID3 或 CART 的程序，从同一张表得到的树却不一样，而且各有各的理由。下面每张小表说明一处差别。
表中的树由 penjing 用与该程序同名的配方生成，并与该程序自己的树逐项比较过：划分、划分点、样本数和类别都相同。

生成同一棵树的程序写在同一列，在总表里用同一个字母表示。选项用的是程序自己的名字，penjing 也接受
（`fit(table, recipe="j48", C=0.25, M=2)`，或 `penjing fit table.csv --recipe j48 -C 0.25 -M 2`）。

本页由 `python -m tests.reference.which` 写成，并有测试检查它是否最新。
""",
}
WORDS = {
    "en": {"(nominal coded by position)": "(categories coded by position)"},
    "zh": {
        "C4.5 R8": "C4.5 第 8 版",
        " unpruned": "，不剪枝",
        " pruned": "，剪枝",
        "gini (nominal coded by position)": "基尼指数（取值按位置编码）",
    },
}
"""Words in the titles of the goldens, and what the page says instead."""
OVERVIEW = {"en": "program and options", "zh": "程序与选项"}
WHY = {
    "en": {
        "close-values": "Values 0.000005 apart: one value to C4.5 and J48 (gap of 0.00001), two to the others.",
        "empty-branch": "Category w of column a occurs only with b = 0, so its branch below b = 1 has no rows: an empty leaf that predicts the majority class of its parent (Id3: no class at all).",
        "float32-values": "Values 0.00000005 apart: they are equal as 32-bit numbers, so only rpart can separate them.",
        "leaf-tie": "Two classes have equally many rows: the class that is listed first is predicted.",
        "many-values": "The number of categories of the identifier is at least 30% of the number of rows: C4.5 and J48 leave it out of the average gain, but may still choose it.",
        "mdl-cost": "The gain of a numeric column must exceed log2(number of candidate thresholds)/n. The best threshold of x gains less, so C4.5, C5.0 and J48 do not use x.",
        "min-branches": "A split needs at least two branches with at least 2 rows each; its other branches may have fewer.",
        "minus-999": "C4.5 treats the number -999 as a missing value.",
        "missing-fractions": "Missing values: the gain is multiplied by the share of known values, missing values count in the split information, and their rows go down all branches as fractional cases.",
        "subsets": "Groups of categories: C4.5 -s merges categories greedily, rpart orders them by the share of the first class.",
        "threshold-value": "The midpoint between 3 and 7 at the node is 5, and 4 and 4.5 occur elsewhere in the training set. C4.5, C5.0 and J48 move the threshold to the largest value of the whole training set that does not exceed the midpoint; rpart and scikit-learn keep the midpoint.",
        "xor": "No single split has a gain. C4.5 splits nevertheless (a gain of zero passes its screens), and so does scikit-learn; the others stop.",
    },
    "zh": {
        "close-values": "两个值相差 0.000005：C4.5 和 J48 视为同一个值（间隔不超过 0.00001），其余程序视为两个值。",
        "empty-branch": "属性 a 的取值 w 只与 b = 0 一起出现，因此 b = 1 之下它的分支没有样本：这个空的叶结点预测父结点的多数类（Id3 则没有类别）。",
        "float32-values": "两个值相差 0.00000005：按 32 位浮点数相等，只有 rpart 能把它们分开。",
        "leaf-tie": "两类样本一样多：预测先列出的类别。",
        "many-values": "编号列的取值个数不少于样本数的 30%：C4.5 和 J48 计算平均增益时不计入它，但仍可选它。",
        "mdl-cost": "连续属性的增益必须超过 log2(候选划分点数)/n：这里 x 的最优划分点达不到，因此 C4.5、C5.0 和 J48 不用 x。",
        "min-branches": "一个划分至少要有两个分支各有 2 个样本；其余分支的样本可以更少。",
        "minus-999": "C4.5 把数值 -999 当作缺失值。",
        "missing-fractions": "缺失值：增益乘以已知样本的比例，缺失的部分计入固有值，样本按比例划入各分支。",
        "subsets": "取值分组：C4.5 -s 用贪心法合并取值，rpart 按第一类所占比例给取值排序。",
        "threshold-value": "结点上 3 与 7 的中点是 5.0，而训练集别处有 4 和 4.5：C4.5、C5.0 和 J48 把划分点移到整个训练集中不超过中点的最大值，rpart 和 scikit-learn 用中点本身。",
        "xor": "任何单个划分都没有增益。C4.5 仍然划分（增益为零的划分也能通过它的筛选），scikit-learn 也是；其余程序停止。",
    },
}  # fmt: skip


def page(reference: Path, data: Path, lang: str = "en") -> str:
    """Return the page as Markdown."""
    sections, letters = [], {}
    for name, found in by_table(reference).items():
        title = name.removeprefix("tiny/")
        why = WHY[lang][title]
        same = trees(found, data, reference, lang)
        letters[title] = {
            said: LETTERS[i] for i, group in enumerate(same.values()) for said in group
        }
        sections.append(f"## {title}\n\n{why}\n\n{rows_of(found[0], data, lang)}\n")
        sections.append("\n".join(side_by_side(same)) + "\n")
    return "\n".join([HEAD[lang], *overview(letters, lang), *sections])


LETTERS = "ABCDEFGHIJ"


def overview(letters: dict[str, dict[str, str]], lang: str) -> Iterator[str]:
    """Yield the lines of a table: which programs grow the same tree from which table."""
    titles = list(dict.fromkeys(title for found in letters.values() for title in found))
    yield f"| {OVERVIEW[lang]} | " + " | ".join(f"[{n}](#{n})" for n in letters) + " |"
    yield "| --- |" + " :-: |" * len(letters)
    for title in titles:
        yield f"| {title} | " + " | ".join(f.get(title, "") for f in letters.values()) + " |"
    yield ""


def by_table(reference: Path) -> dict[str, list[Golden]]:
    found: dict[str, list[Golden]] = {}
    for golden in goldens(reference, tiny):
        name, _, title = golden.name.partition(": ")
        if title and program_of(golden.program) is not None:
            found.setdefault(name, []).append(golden)
    return found


def rows_of(golden: Golden, data: Path, lang: str) -> str:
    """Return the table's size and columns in a line."""
    table = Tables(golden, data).train
    assert table.target is not None
    names = ("、" if lang == "zh" else ", ").join([*table.names, table.target.name])
    if lang == "zh":
        return f"{table.n_rows} 行，各列为 {names}。"
    return f"{table.n_rows} rows of {names}."


def trees(found: list[Golden], data: Path, reference: Path, lang: str) -> dict[str, list[str]]:
    """Return each different tree, and who grows it."""
    compare = comparer(reference)
    same: dict[str, list[str]] = {}
    for golden in found:
        program = program_of(golden.program)
        assert program is not None
        tree = program.fit(golden, Tables(golden, data))
        verdict = check(golden, data, compare).verdict
        title = golden.name.partition(": ")[2]
        for word, better in WORDS[lang].items():
            title = title.replace(word, better)
        said = f"`{program.recipe}`: {title}"
        said += "" if verdict == "identical" else f" ({verdict})"
        same.setdefault(tree.write("text", lang=lang), []).append(said)
    return same


def side_by_side(same: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines of a table with a column for each tree."""
    drawn = [escape(t, quote=False).replace("|", "&#124;").replace("\n", "<br>") for t in same]
    yield "| " + " | ".join(LETTERS[: len(same)]) + " |"
    yield "|" + " --- |" * len(same)
    yield "| " + " | ".join("<br>".join(titles) for titles in same.values()) + " |"
    yield "| " + " | ".join(f"<pre>{text}</pre>" for text in drawn) + " |"


if __name__ == "__main__":
    for lang, path in PAGES.items():
        path.write_text(page(SHARED / "reference", SHARED / "data", lang), encoding="utf-8")
