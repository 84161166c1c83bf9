"""Run the code blocks of pages and write what they print into the pages; then review the diff.

python docs/site/update_output.py [PAGE …]        without pages: READMEs, docs/en and docs/zh

The pictures of a README are drawn again, too.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from blocks import BlockError, run_page
from readme import READMES, write_pictures

DOCS = Path(__file__).resolve().parents[1]


def update(page: Path) -> bool:
    """Rewrite the output of a page; return whether it changed."""
    language = READMES.get(page.name) or page.resolve().relative_to(DOCS).parts[0]
    text = page.read_text("utf-8")
    if page.name in READMES:
        write_pictures()
    with tempfile.TemporaryDirectory() as folder:
        new = run_page(text, Path(folder), language)
    page.write_text(new, "utf-8")
    return new != text


def main() -> int:
    """Update the pages that the command line names."""
    named = [Path(name) for name in sys.argv[1:]]
    failed = 0
    if not named:
        named = [DOCS.parent / name for name in READMES]
        named += sorted([*DOCS.glob("en/**/*.md"), *DOCS.glob("zh/**/*.md")])
    for page in named:
        try:
            if update(page):
                sys.stdout.write(f"{page}: changed\n")
        except BlockError as error:
            failed = 1
            sys.stdout.write(f"{page}: {error}\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
