"""Programs are as they were, to the byte; ``make golden`` writes them anew."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

import penjing
from export_trees import TREES
from penjing import CapabilityError, Tree

GOLDEN = Path(__file__).parent / "golden"
LANGUAGES = ("c", "java", "javascript", "python")
POLICIES = [
    {"missing": missing, "unseen": unseen}
    for missing in (None, "stop", "fraction")
    for unseen in (None, "stop", "missing", "error")
]
SMALL = {"nested": {"missing": "stop"}, "fractional": {"missing": "fraction"}}


def program(tree: Tree, language: str, **options: str | None) -> str:
    """Return an exported program without the version of penjing in its first line."""
    return re.sub(
        r"penjing \d[\w.+]*\)", "penjing)", str(tree.export(language, **options)), count=1
    )


def kept(path: Path, text: str, request: pytest.FixtureRequest) -> str:
    if request.config.getoption("--update-golden"):
        path.write_text(text, "utf-8")
    return path.read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("way", SMALL)
def test_a_small_program_is_as_it_was_read(language, way, request):
    tree = penjing.fit(penjing.example("golf"), recipe="c4.5-textbook")
    text = program(tree, language, **SMALL[way])
    assert text == kept(GOLDEN / f"golf_{way}.{language}.txt", text, request)


@pytest.mark.parametrize("language", LANGUAGES)
def test_programs_of_every_policy_are_as_they_were_by_their_digests(language, request):
    digests = {}
    for name, make in TREES.items():
        tree = make()
        for policy in POLICIES:
            try:
                text = program(tree, language, **policy)
            except CapabilityError as error:
                text = str(error)
            digests[f"{name} {policy}"] = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    text = json.dumps(digests, indent=0) + "\n"
    assert text == kept(GOLDEN / f"{language}.json", text, request)
