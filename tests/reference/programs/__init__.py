"""Programs: for each, the table from its options to a recipe, and what else its goldens tell.

To add a program: write ``programs/<name>.py`` with a class that fills in `Program`, and name it
in ``PROGRAMS``. A program's goldens say themselves which one they are of.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from reference.programs.base import Program

# By the word under "program" in a golden: where its Program lives.
PROGRAMS = {
    "C4.5": "reference.programs.c45",
    "C5.0": "reference.programs.c50",
    "J48": "reference.programs.j48",
    "Id3": "reference.programs.id3",
    "rpart": "reference.programs.rpart",
    "scikit-learn": "reference.programs.sklearn",
}


def program_of(name: str) -> Program | None:
    """Return the program of this name, None if no recipe grows its trees."""
    if name not in PROGRAMS:
        return None
    program: Program = import_module(PROGRAMS[name]).PROGRAM
    return program


def tiny(title: str) -> dict[str, Any] | None:
    """Return program, version and settings from the title of a tree in a tiny table."""
    name, version, *words = title.split()
    program = program_of(name)
    if program is None:
        return {"program": name, "version": version, "settings": {"words": words}}
    return {"program": name, "version": version, "settings": program.tiny(words)}
