"""docs/architecture.md is what its script writes, and its links lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
SCRIPT = runpy.run_path(str(DOCS / "architecture_page.py"))


def test_the_page_is_written_from_the_sources_of_now():
    written = (DOCS / "architecture.md").read_text("utf-8")
    assert written == SCRIPT["page"](), "run `make docs`"


def test_every_link_of_the_page_leads_somewhere():
    links = re.findall(r"\]\(([^)]+)\)", SCRIPT["page"]())
    assert len(links) > 300
    assert not [link for link in links if not (DOCS / link).exists()]


def test_every_module_is_on_the_page():
    page = SCRIPT["page"]()
    sources = DOCS.parent / "src" / "penjing"
    modules = [p.relative_to(sources) for p in sources.rglob("*.py") if p.parent != sources]
    assert not [str(m) for m in modules if f"](../src/penjing/{m})" not in page]
