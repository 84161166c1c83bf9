"""One golden grown again, written in its form, and compared with it."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from penjing.errors import CapabilityError
from reference.golden import Golden
from reference.programs import program_of
from reference.rows import Tables

Plain = dict[str, Any]
Verdict = Literal["identical", "tie", "different", "not tried"]


@dataclass(frozen=True)
class Result:
    """What became of one golden.

    A tree that is identical, but whose other numbers (test errors, probabilities, …) are not the
    golden's, counts as different.
    """

    golden: Golden
    verdict: Verdict
    text: str
    precision: str = "double"

    @property
    def line(self) -> str:
        return f"{self.verdict:9}  {self.golden.name}  {self.text}"


def comparer(reference: Path) -> ModuleType:
    """Return compare.py of the reference folder, as a module."""
    path = reference / "compare.py"
    spec = importlib.util.spec_from_file_location("compare", path)
    if spec is None or spec.loader is None or not path.exists():
        message = f"{path} is not there: say where with --compare"
        raise FileNotFoundError(message)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(golden: Golden, folder: Path, compare: ModuleType, *, every: bool = False) -> Result:
    """Grow a golden's tree and compare: the tree itself, then what else the golden tells."""
    program = program_of(golden.program)
    if program is None:
        return Result(golden, "not tried", "no recipe grows this program's trees")
    tables = Tables(golden, folder)
    try:
        tree = program.fit(golden, tables)
    except CapabilityError as error:  # an option that is refused, with the reason
        return Result(golden, "not tried", str(error).replace("\n", " "))
    except (ValueError, KeyError, OSError) as error:  # an option or a file that is not known
        return Result(golden, "different", f"not grown: {error}")
    if "tree" not in golden.plain:
        wrong = program.rules(golden, tables, tree)
        text = "; ".join(wrong) or f"{len(golden.plain['ruleset']['rules'])} rules"
        return Result(golden, "different" if wrong else "identical", text)
    ours = json.loads(program.write(golden, tree))
    with deep():
        compared = compare.compare(golden.plain, ours)
        told = compare.report(compared, every)
        moved = cuts_moved(golden, ours, compare, program.cut_near)
    text = told.split(":", 1)[1].strip()
    if compared.verdict == "tie" and moved:
        return Result(golden, "different", moved[0])
    if compared.verdict != "identical":
        return Result(golden, compared.verdict, text)
    wrong = program.more(golden, tables, tree)
    return (
        Result(golden, "different", "; ".join(wrong))
        if wrong
        else Result(golden, "identical", text)
    )


def cuts_moved(golden: Golden, ours: Plain, compare: ModuleType, near: float) -> list[str]:
    """Return where a column is cut elsewhere, and the golden does not list that as a tie.

    To compare.py two cuts of one column are a tie as soon as they score the same, so it would not
    see a cut that is wrong by a little: such a cut divides the rows alike.
    """
    waiting = [ours["tree"]]
    for node in waiting:
        node.pop("score", None)
        waiting += [branch["child"] for branch in node.get("branches", ())]
    return [
        f"at {d['path']}: {d['what']}: golden {d['golden']}, other {d['other']}"
        for d in compare.compare(golden.plain, ours).differences
        if d["what"].startswith("threshold on") and not far(d["golden"], d["other"]) <= near
    ]


def far(one: float | None, other: float | None) -> float:
    """Return how far two cuts are apart; none is at infinity."""
    if one is None or other is None:
        return 0.0 if one is other else math.inf
    return abs(float(one) - float(other))


class deep:  # noqa: N801 - used as a word
    """compare.py walks by recursion; a deep tree needs room for it."""

    def __enter__(self) -> None:
        self._before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self._before, 20_000))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self._before)
