"""python -m tests.reference.which: the page "which C4.5 do you mean?", from the tiny tables."""

from __future__ import annotations

import json
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

PAGE = Path(__file__).parents[2] / "docs" / "which-c45.md"
HEAD = """\
# Which C4.5 do you mean?

Programs that are all called C4.5, ID3 or CART grow different trees from the same table, and each
has its reason. Below are small tables, each of which parts some of them; the trees are penjing's,
grown with the recipe that is named after the program, and each was compared with the program's
own tree: same questions, cuts, counts and classes.

Programs whose trees are equal share a column, and a letter in the overview. The options are the
program's own; penjing takes them, too (`fit(table, recipe="j48", C=0.25, M=2)`, or
`penjing fit table.csv --recipe j48 -C 0.25 -M 2`).

This page is made by `python -m tests.reference.which`, and a test keeps it so.
"""


def page(reference: Path, data: Path) -> str:
    """Return the page as Markdown."""
    sections, letters = [], {}
    for name, found in by_table(reference).items():
        why = json.loads((reference / f"{name}.json").read_text(encoding="utf-8"))["why"]
        title = name.removeprefix("tiny/")
        same = trees(found, data, reference)
        letters[title] = {
            said: LETTERS[i] for i, group in enumerate(same.values()) for said in group
        }
        sections.append(f"## {title}\n\n{why}\n\n{rows_of(found[0], data)}\n")
        sections.append("\n".join(side_by_side(same)) + "\n")
    return "\n".join([HEAD, *overview(letters), *sections])


LETTERS = "ABCDEFGHIJ"


def overview(letters: dict[str, dict[str, str]]) -> Iterator[str]:
    """Yield the lines of a table: which programs grow the same tree from which table."""
    titles = list(dict.fromkeys(title for found in letters.values() for title in found))
    yield "| program and options | " + " | ".join(f"[{n}](#{n})" for n in letters) + " |"
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


def rows_of(golden: Golden, data: Path) -> str:
    """Return the table's size and first rows in a line."""
    table = Tables(golden, data).train
    assert table.target is not None
    names = ", ".join([*table.names, table.target.name])
    return f"{table.n_rows} rows of {names}."


def trees(found: list[Golden], data: Path, reference: Path) -> dict[str, list[str]]:
    """Return each different tree, and who grows it."""
    compare = comparer(reference)
    same: dict[str, list[str]] = {}
    for golden in found:
        program = program_of(golden.program)
        assert program is not None
        tree = program.fit(golden, Tables(golden, data))
        verdict = check(golden, data, compare).verdict
        title = golden.name.partition(": ")[2]
        said = f"`{program.recipe}`: {title}"
        said += "" if verdict == "identical" else f" ({verdict})"
        same.setdefault(str(tree), []).append(said)
    return same


def side_by_side(same: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines of a table with a column for each tree."""
    drawn = [escape(t, quote=False).replace("|", "&#124;").replace("\n", "<br>") for t in same]
    yield "| " + " | ".join(LETTERS[: len(same)]) + " |"
    yield "|" + " --- |" * len(same)
    yield "| " + " | ".join("<br>".join(titles) for titles in same.values()) + " |"
    yield "| " + " | ".join(f"<pre>{text}</pre>" for text in drawn) + " |"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(SHARED / "reference", SHARED / "data"), encoding="utf-8")
