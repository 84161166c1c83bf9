"""Build the documentation site in English and Chinese: `python docs/site/build.py [--out DIR]`.

Pages are put together in OUT/.source/LANGUAGE (those of docs/en and docs/zh, those that exist once
in the repository, figures, references made from the program); then Sphinx runs once a language.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent
ROOT = DOCS.parent
sys.path.insert(0, str(HERE))

from figures import PAGES, SVG_FIGURES  # noqa: E402 - after the path
from pages import GENERATED  # noqa: E402 - after the path

LANGUAGES = ("en", "zh")
SHARED = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "docs/architecture.md": "project/architecture.md",
}
"""Pages that exist once, at their usual places; a page in docs/zh of the same name replaces them."""
ENGLISH_ONLY = ":::{note}\n本页只有英文版。\n:::\n"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCED = r"(^```.*?^```\s*?$)"
START = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>penjing</title>
<script>
  const known = (navigator.languages || [navigator.language]).find((name) => /^(zh|en)/.test(name));
  location.replace((known || "en").slice(0, 2) + "/index.html");
</script>
<noscript><meta http-equiv="refresh" content="0; url=en/index.html"></noscript>
</head>
<body><p><a href="en/index.html">English</a> · <a href="zh/index.html">中文</a></p></body>
</html>
"""


def sources(language: str) -> dict[Path, str]:
    """Return every page of the repository that is on the site, with its place there."""
    found = {ROOT / path: page for path, page in SHARED.items()}
    for path in sorted((DOCS / "decisions").glob("*.md")):
        found[path] = f"project/decisions/{path.name}"
    own = {path: path.relative_to(DOCS / language).as_posix() for path in pages(language)}
    replaced = set(own.values())
    return {path: page for path, page in found.items() if page not in replaced} | own


def pages(language: str) -> list[Path]:
    """Return the pages written for a language."""
    return sorted((DOCS / language).rglob("*.md"))


def resolved(text: str, origin: Path, page: str, language: str) -> str:
    """Return a page's text with links to places on the site; links to sources become plain text."""
    there = sources(language)
    places = {path.resolve(): name for path, name in there.items()}
    for path, name in SHARED.items():  # also where a page of the language replaces it
        places.setdefault((ROOT / path).resolve(), name)

    def replace(match: re.Match[str]) -> str:
        bang, label, target = match.groups()
        if re.match(r"[a-z][a-z0-9+.-]*:", target) or target.startswith(("#", "/")):
            return _macro(match.group(), bang, label, target, page)
        path, _, anchor = target.partition("#")
        found = (origin.parent / path).resolve()
        if language == "zh":  # English pages that are shown on the Chinese site
            with_zh = Path(str(found).replace(f"{DOCS}/en/", f"{DOCS}/zh/"))
            found = with_zh if with_zh in places else found
        if found in places:
            up = os.path.relpath(places[found], Path(page).parent)
            return f"{bang}[{label}]({up}{'#' + anchor if anchor else ''})"
        if found.suffix in (".gif", ".png", ".svg", ".json") and found.is_relative_to(DOCS):
            shown = f"/_shared/{found.relative_to(DOCS).as_posix()}"
            return f"{bang}[{label}]({shown})"
        return label

    parts = re.split(FENCED, text, flags=re.MULTILINE | re.DOTALL)
    return "".join(p if p.startswith("```") else LINK.sub(replace, p) for p in parts)


def joined(text: str) -> str:
    """Return a Chinese text without the line ends inside sentences, which would become spaces.

    A line end stays where the next line begins a list, a table or a heading.
    """
    wide, mark = "\u3400-\u9fff\u3001-\u303f\uff00-\uffef“”", "\u3001-\u303f\uff00-\uffef“”"
    inside = rf"(?<=[{wide}])\n {{0,3}}(?=[{wide}])|(?<=[{mark}])\n {{0,3}}(?=[`\[(\w])(?!\d+\. )"
    parts = re.split(FENCED, text, flags=re.MULTILINE | re.DOTALL)
    return "".join(p if p.startswith("```") else re.sub(inside, "", p) for p in parts)


def _macro(whole: str, bang: str, label: str, target: str, page: str) -> str:
    """Return the images of ``figure:NAME`` (light and dark), or a link to ``page:NAME``."""
    kind, _, name = target.partition(":")
    up = "../" * page.count("/")
    if bang and kind == "figure":
        light, dark = (
            f"![{label}](/_figures/{name}-{t}.svg){{.only-{t}}}" for t in ("light", "dark")
        )
        return f"{light}{dark}"
    if kind == "page":
        return f'<a href="{up}_pages/{name}.html">{label}</a>'
    return whole


def assemble(language: str, source: Path) -> None:
    """Write all pages and figures of a language into a folder that Sphinx reads."""
    shutil.rmtree(source, ignore_errors=True)
    for path, page in sources(language).items():
        text = path.read_text("utf-8")
        is_shared = not path.is_relative_to(DOCS / language)
        if is_shared and language == "zh":
            heading, _, rest = text.partition("\n")
            text = f"{heading}\n\n{ENGLISH_ONLY}{rest}"
        text = resolved(text, path, page, language)
        if page.endswith("decisions/000-index.md"):
            text += "\n```{toctree}\n:hidden:\n:glob:\n\n0[0-9][1-9]*\n0[1-9]*\n```\n"
        text = re.sub(
            r"^<!-- generated: ([a-z-]+) -->$",
            lambda m: GENERATED[m.group(1)](language),
            text,
            flags=re.MULTILINE,
        )
        if language == "zh":
            text = joined(text)
        (source / page).parent.mkdir(parents=True, exist_ok=True)
        (source / page).write_text(text, "utf-8")
    shared = source / "_shared"
    shared.mkdir(parents=True)
    shutil.copytree(DOCS / "pictures", shared / "pictures")
    for file in [*DOCS.glob("*.svg"), DOCS / "model.schema.json"]:
        shutil.copy(file, shared)
    _write_each(source / "_figures", SVG_FIGURES, language, ("light", "dark"), "svg")
    extra = source.parent / f"{language}-extra" / "_pages"
    shutil.rmtree(extra, ignore_errors=True)
    extra.mkdir(parents=True)
    for name, make in PAGES.items():
        (extra / f"{name}.html").write_text(make(language), "utf-8")


def _write_each(
    folder: Path,
    figures: dict[str, Callable[[str, str], str]],
    language: str,
    themes: tuple[str, ...],
    suffix: str,
) -> None:
    folder.mkdir(parents=True)
    for name, make in figures.items():
        for theme in themes:
            (folder / f"{name}-{theme}.{suffix}").write_text(make(language, theme), "utf-8")


def run_sphinx(language: str, out: Path) -> subprocess.Popen[bytes]:
    """Start Sphinx for a language; a warning is an error."""
    source = out / ".source"
    options = [
        "-q",
        "-W",
        "--keep-going",
        "-E",
        "-c",
        str(HERE),
        "-d",
        str(out / ".doctrees" / language),
    ]
    options += ["-D", f"html_extra_path={source / (language + '-extra')}"]
    command = [sys.executable, "-m", "sphinx", "-b", "html", *options]
    environment = {**os.environ, "PENJING_DOCS_LANGUAGE": language, "LC_ALL": "C.UTF-8"}
    target = out / language
    shutil.rmtree(target, ignore_errors=True)
    return subprocess.Popen([*command, str(source / language), str(target)], env=environment)


def build(out: Path) -> int:
    """Build both languages into a folder; return how many failed."""
    running = []
    for language in LANGUAGES:
        assemble(language, out / ".source" / language)
        running.append(run_sphinx(language, out))
    failed = sum(process.wait() != 0 for process in running)
    (out / "index.html").write_text(START, "utf-8")
    return failed


def main() -> int:
    """Build the site into the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    failed = build(out)
    if not failed:
        sys.stdout.write(f"The site is in {out}: open {out / 'index.html'}\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
