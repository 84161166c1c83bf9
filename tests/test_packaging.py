"""The package's metadata: links of the index page, extras, notices of what is bundled."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import penjing

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_links_of_the_readme_are_absolute_on_an_index_page():
    builder = pytest.importorskip("hatch_fancy_pypi_readme._builder")
    config = pytest.importorskip("hatch_fancy_pypi_readme._config")
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    loaded = config.load_and_validate_config(hook)
    text = builder.build_text(loaded.fragments, loaded.substitutions, penjing.__version__)
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    assert links
    relative = [link for link in links if not link.startswith(("https://", "http://", "#"))]
    assert not relative


def test_the_extra_all_names_every_extra_for_users():
    extras = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.search(r"\[(.*)\]", everything)[1].split(","))
    assert named == set(extras) - {"all", "docs"}


def test_every_bundled_table_has_its_source_in_the_notices():
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text("utf-8")
    tables = {path.name for path in (ROOT / "src/penjing/data/tables").iterdir()}
    named = set(re.findall(r"`([^`/]+\.(?:csv|jsonl))`", notices))
    assert named == tables
    assert "THIRD_PARTY_NOTICES.md" in PROJECT["project"]["license-files"]


def test_what_users_meet_first_has_an_address():
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(PROJECT["project"]["urls"])
    assert PROJECT["project"]["authors"]
