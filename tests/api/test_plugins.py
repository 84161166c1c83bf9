"""Plug-ins: a package from outside brings one of each kind, by entry points old and new."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from penjing import registry
from penjing.errors import ChoiceError

CODE = """
import numpy as np
from dataclasses import dataclass
from penjing import i18n
from penjing.engines import memory
from penjing.grow.dialect import Dialect
from penjing.grow.recipe import Recipe
from penjing.tree.tree_data import TreeData

i18n.add_messages("en", {"outside_hello": "hello from outside, {name}"})


@dataclass(frozen=True)
class Hellinger:
    name: str = "hellinger"
    native: str | None = None

    def impurity(self, total, s):
        weight = s.weight(total)
        shares = total / np.where(weight > 0, weight, 1.0)[..., None]
        return np.sqrt(shares).sum(axis=-1) - (weight > 0)

    def between(self, best_splits):
        return best_splits.gain


DIALECT = Dialect(name="outside", recipes=(Recipe("mine", rules="outside"),))


class Engine(memory.Engine):
    pass


def prune(tree, *, most: int = 1):
    return tree.pruned([0] if tree.n_leaves > most else []), []


def write(tree, *, shout: bool = False):
    text = f"{tree.n_leaves} leaves"
    return text.upper() if shout else text
"""
GROUPS = {
    "now": {
        "penjing.criteria": "hellinger = outside:Hellinger",
        "penjing.dialects": "outside = outside:DIALECT",
        "penjing.pruners": "stump = outside:prune",
        "penjing.engines": "slow = outside:Engine",
        "penjing.renderers": "size = outside:write",
        "penjing.exports": "size = outside:write",
    },
    "0.1.0": {
        "penjing.criteria": "hellinger = outside:Hellinger",
        "penjing.rules": "outside = outside:DIALECT",
        "penjing.prune": "stump = outside:prune",
        "penjing.engines": "slow = outside:Engine",
        "penjing.write": "size = outside:write",
        "penjing.export": "size = outside:write",
    },
}
USE = """
import penjing
melons = penjing.example("watermelon2.0")
plain = penjing.fit(melons)
tree = penjing.fit(melons, criterion="hellinger", engine="slow")
assert tree.recipe["criterion"] == "hellinger" and tree.n_leaves > 1
mine = penjing.fit(melons, recipe="mine")
assert mine.recipe["rules"] == "outside" and "mine" in penjing.RECIPES
assert mine.to_dict() == plain.to_dict()
assert plain.prune("stump").n_leaves == 1
assert plain.prune("stump", most=99).n_leaves == plain.n_leaves
assert plain.write("size") == "8 leaves"
assert plain.write("size", shout=True) == "8 LEAVES"
assert plain.write("size", other_options={"shout": True}) == "8 LEAVES"
assert plain.export("size", shout=True) == "8 LEAVES"
try:
    plain.write("size", shoot=True)
except penjing.ChoiceError as error:
    assert "shout" in str(error), error
else:
    raise SystemExit("a misspelt option was accepted")
from penjing.i18n import say
assert say("outside_hello", name="you") == "hello from outside, you"
"""


@pytest.fixture
def outside(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a folder with an installed package that brings one of each kind."""
    (tmp_path / "outside.py").write_text(dedent(CODE), "utf-8")
    info = tmp_path / "outside-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n", "utf-8")
    lines = [f"[{group}]\n{line}\n" for group, line in GROUPS[request.param].items()]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    return tmp_path


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    paths = f"import sys; sys.path.insert(0, {str(folder)!r})\n"
    command = [sys.executable, "-W", "always::DeprecationWarning", "-c", paths + args[0], *args[1:]]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("outside", ["now"], indirect=True)
def test_one_of_each_kind_from_outside_is_used_by_its_name(outside):
    done = run(outside, USE)
    assert done.returncode == 0, done.stderr
    assert "DeprecationWarning" not in done.stderr


@pytest.mark.parametrize("outside", ["0.1.0"], indirect=True)
def test_entry_point_groups_of_0_1_0_work_with_a_warning(outside):
    done = run(outside, USE)
    assert done.returncode == 0, done.stderr
    for old, new in (
        ("rules", "dialects"),
        ("prune", "pruners"),
        ("write", "renderers"),
        ("export", "exports"),
    ):
        assert f"entry-point group penjing.{old}, which is now penjing.{new}" in done.stderr


MAIN = "from penjing.__main__ import run; raise SystemExit(run())"


@pytest.mark.parametrize("outside", ["now", "0.1.0"], indirect=True)
def test_the_command_lists_them(outside):
    done = run(outside, MAIN, "plugins", "--json")
    assert done.returncode == 0, done.stderr
    assert '"hellinger"' in done.stdout
    assert '"stump"' in done.stdout
    assert '"slow"' in done.stdout


@pytest.mark.parametrize("outside", ["now"], indirect=True)
def test_the_old_name_of_the_command_works_with_a_note(outside):
    old, new = run(outside, MAIN, "plugs"), run(outside, MAIN, "plugins")
    assert old.stdout == new.stdout
    assert "stump" in old.stdout
    assert "penjing plugs is now penjing plugins" in old.stderr
    assert new.stderr == ""


@pytest.mark.parametrize(
    ("place", "reason"),
    [("no_such_module:X", "ModuleNotFoundError: "), ("math:no_such_name", "AttributeError: ")],
)
def test_a_plugin_that_cannot_be_loaded_is_not_called_a_bug_of_penjing(monkeypatch, place, reason):
    monkeypatch.setattr(registry, "plugins", lambda _: {f"from {place}": place})
    with pytest.raises(ChoiceError, match="cannot be loaded") as error:
        registry.load("criterion", f"from {place}")
    assert f"'from {place}' ({place}) cannot be loaded ({reason}" in str(error.value)
    assert f"插件“from {place}”（{place}）无法载入（" in error.value.say("zh")


@pytest.mark.parametrize("outside", ["now"], indirect=True)
def test_a_plugin_that_fails_is_not_called_a_bug_of_penjing(outside):
    place = outside / "outside.py"
    broken = place.read_text("utf-8")
    for part, mistake in (
        ('text = f"{tree.n_leaves} leaves"', "text = 1 / 0"),
        ("return tree.pruned([0] if tree.n_leaves > most else []), []", "return 5"),
        ("weight = s.weight(total)", "weight = s.wait(total)"),
        ("class Engine(memory.Engine):\n    pass", "Engine = 7"),
    ):
        assert part in broken
        broken = broken.replace(part, mistake)
    place.write_text(broken, "utf-8")
    table = "example:watermelon2.0"
    model = str(outside / "model.json")
    assert run(outside, MAIN, "fit", table, "-o", model).returncode == 0
    for args, words in (
        (
            ["show", model, "--as", "size"],
            "'size' (outside:write; output formats, export formats) failed (ZeroDivisionError: ",
        ),
        (["prune", model, "-m", "stump", "-o", model], "the pruning method 'stump' returned 5"),
        (
            ["fit", table, "--criterion", "hellinger"],
            "'hellinger' (outside:Hellinger; criteria) failed (AttributeError: ",
        ),
        (["fit", table, "--engine", "slow"], "'slow' (outside:Engine) is 7, which is neither"),
    ):
        done = run(outside, MAIN, *args)
        assert words in done.stderr, done.stderr
        assert "bug in penjing" not in done.stderr
        assert done.returncode == 1, done.stderr
