"""docs/en/reference/command.md says what the command does: every verb, option and key of JSON."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from penjing.cli import Exit
from penjing.cli.app import COMMANDS
from penjing.cli.command import COMMON_OPTIONS

PAGE = (Path(__file__).parents[2] / "docs" / "en" / "reference" / "command.md").read_text("utf-8")
TRAIN, TEST = "Watermelon-train1.csv", "Watermelon-test1.csv"


def test_every_verb_common_option_and_exit_code_is_told():
    assert all(re.search(rf"`{verb}[ `]", PAGE) for verb in COMMANDS)
    names = {"as_json": "json", "ascii_only": "ascii"}
    assert all(f"`--{names.get(name, name)}" in PAGE for name in COMMON_OPTIONS)
    assert all(f"\n| {int(code)} |" in PAGE for code in Exit)


def section(verb: str) -> str:
    return re.search(rf"^`{verb}`\n: (.*?)(?=^`|\Z)", PAGE, re.MULTILINE | re.DOTALL).group(1)


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("check", (TRAIN,)),
        ("fit", (TRAIN,)),
        ("why", ("melon.tree",)),
        ("explain", ("melon.tree", "--row", "1", "--data", TRAIN)),
        ("prune", ("melon.tree", "--validate", TEST)),
        ("predict", ("melon.tree", TEST, "--proba")),
        ("test", ("melon.tree", TEST)),
        ("compare", ("melon.tree", "melon.tree", "--test", TEST, "--train", TRAIN)),
    ],
)
@pytest.mark.usefixtures("melon")
def test_every_key_of_the_json_is_told(run, verb, args):
    told = run(verb, *args, "--json").data
    page = section(r"fit`, `show" if verb == "fit" else verb)
    missing = [key for key in told if not re.search(rf"\b{key}\b", page)]
    assert missing == []
    for part in ("columns", "candidates", "path", "flips", "decisions", "rows", "wrong", "trees"):
        if isinstance(told.get(part), list):
            keys = {key for record in told[part] for key in record}
            assert [key for key in keys if not re.search(rf"\b{key}\b", page)] == []
