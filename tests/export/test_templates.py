"""The files of program parts: every language has the same parts, and no field stays unfilled."""

from __future__ import annotations

import re

import pytest

from penjing import Tree
from penjing.export.c import C
from penjing.export.java import Java
from penjing.export.javascript import JavaScript
from penjing.export.language import Language, _parts
from penjing.export.python import Python

LANGUAGES: tuple[Language, ...] = (C(), Java("PenjingTree"), JavaScript(), Python())
OWN = {"c": {"categories", "category_tables", "find_category"}, "javascript": {"unseen"}}
OWN["python"] = {"texts", "unseen"}
NOT_FIELDS = {"name", "column"}
"""What the programs themselves write in braces."""


def test_every_language_has_the_same_parts():
    common = [set(_parts(lang.name)) - OWN.get(lang.name, set()) for lang in LANGUAGES]
    assert all(parts == common[0] for parts in common)
    assert len(common[0]) == 12


@pytest.mark.parametrize("language", ["c", "java", "javascript", "python"])
@pytest.mark.parametrize("options", [{}, {"missing": "fraction"}, {"unseen": "error"}])
def test_no_field_stays_unfilled(language, options):
    tree = Tree.from_dict({"legs": {0: "fish", 2: {"size": {"<= 3": "bird", "> 3": "ostrich"}}}})
    program = str(tree.export(language, **options))
    assert set(re.findall(r"\{(\w+)\}", program)) <= NOT_FIELDS
