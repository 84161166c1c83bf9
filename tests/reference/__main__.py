"""python -m tests.reference: grow every golden's tree again and say what is the same.

usage: python -m tests.reference --reference DIR --data DIR [--programs WORD …] [--core]
                                  [--engine native] [-v]

Prints a line for each golden (-v: with all its differences) and a closing count. The exit
status is 0 if nothing differs, 1 if something does, 2 if nothing could be compared.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # `reference`, as the tests call it
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from reference.check import check, comparer
from reference.golden import chosen, goldens
from reference.programs import tiny
from reference.programs.base import Program
from shared import SHARED


def main(argv: list[str] | None = None) -> int:
    words = argparse.ArgumentParser(
        prog="python -m tests.reference", description=__doc__.split("\n")[0]
    )
    words.add_argument("--reference", type=Path, default=SHARED / "reference")
    words.add_argument("--data", type=Path, default=SHARED / "data")
    words.add_argument("--compare", type=Path, help="the folder of compare.py")
    words.add_argument("--programs", nargs="*", default=[], help="beginnings of programs or names")
    words.add_argument("--core", action="store_true", help="only those that index.json calls core")
    words.add_argument("-v", "--verbose", action="store_true", help="all goldens, all differences")
    words.add_argument("--engine", default="auto", help="who counts: native or memory")
    asked = words.parse_args(argv)
    asked.programs = [word for given in asked.programs for word in given.split(",") if word]
    Program.engine = asked.engine
    compare = comparer(asked.compare or asked.reference)
    counts: Counter[str] = Counter()
    core: Counter[str] = Counter()
    by_program: dict[str, Counter[str]] = {}
    found = list(goldens(asked.reference, tiny))
    for word in asked.programs:
        if not chosen(found, [word], core=asked.core):
            known = ", ".join(sorted({g.program for g in found}))
            sys.stderr.write(f"no golden begins with {word!r}; programs: {known}\n")
    for golden in chosen(found, asked.programs, core=asked.core):
        result = check(golden, asked.data, compare, every=asked.verbose)
        counts[result.verdict] += 1
        if golden.is_core:
            core[result.verdict] += 1
        by_program.setdefault(golden.program, Counter())[result.verdict] += 1
        sys.stdout.write(result.line + "\n")
        sys.stdout.flush()
    if core:
        sys.stdout.write(f"core, {sum(core.values())} goldens: {said(core)}\n")
    for program, found in by_program.items():
        sys.stdout.write(f"{program}: {said(found)}\n")
    sys.stdout.write(f"identical / tie / different: {said(counts)}\n")
    if not counts:
        return 2
    return 1 if counts["different"] else 0


def said(counts: Counter[str]) -> str:
    text = " / ".join(str(counts[v]) for v in ("identical", "tie", "different"))
    return text + (f" (not tried: {counts['not tried']})" if counts["not tried"] else "")


if __name__ == "__main__":
    sys.exit(main())
