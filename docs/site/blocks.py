"""Code blocks of the pages and READMEs: read them, run them, and rewrite the output they show.

A page is run from top to bottom in an empty folder. Console blocks hold commands (``$ …``) and
what they print; Python blocks are sessions (``>>> …``) or plain programs; a block with a caption is
a file of that name. The line above a block may hold a comment for this module:

    % not run: REASON        a block for another program or machine
    % needs: PROGRAM …       run where these programs are installed
    % exit: N                the last command of the block ends with this code
    % output varies          run, but what it prints is not compared
    % fresh clone: REASON    run in a fresh clone only; what it prints is not compared

In a README, which other programs render, the comment is ``<!-- not run: REASON -->``.
Output that ends with a line ``…`` shows the first lines only.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r"^(?P<note>(?:% [^\n]*\n|<!-- [^\n]* -->\n)*)^(?P<fence>```+)(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
MUST_RUN = ("python", "console")
MUST_BE_MARKED = ("bash", "c", "java", "javascript", "powershell", "r", "sh", "sql")
MORE = "…"


class BlockError(AssertionError):
    """A block that failed or printed something else than the page shows."""


@dataclass
class Block:
    """One fenced block: where its body is in the page, and how it is to be run."""

    language: str
    body: str
    start: int
    line: int
    notes: dict[str, str] = field(default_factory=dict)
    file: str | None = None

    @property
    def is_run(self) -> bool:
        """Whether it is run on this machine."""
        if "not run" in self.notes or self.language not in MUST_RUN:
            return False
        return all(shutil.which(name) for name in self.notes.get("needs", "").split())


def blocks_of(text: str) -> list[Block]:
    """Return the code blocks of a page in order."""
    found = []
    for match in FENCE.finditer(text):
        notes = {}
        for line in match["note"].splitlines():
            words = line.removeprefix("<!--").removesuffix("-->").removeprefix("%")
            name, _, value = words.partition(":")
            notes[name.strip()] = value.strip()
        info, body, start = match["info"].strip(), match["body"], match.start("body")
        language, file = info, None
        if info.startswith("{code-block}"):
            language = info.removeprefix("{code-block}").strip()
            while body.startswith(":"):
                option, _, body = body.partition("\n")
                start += len(option) + 1
                if option.startswith(":caption:"):
                    file = option.removeprefix(":caption:").strip().strip("`")
            stripped = body.lstrip("\n")
            start += len(body) - len(stripped)
            body = stripped
        line = text.count("\n", 0, start) + 1
        found.append(Block(language, body, start, line, notes, file))
    return found


class Session:
    """The folder and the Python names of one page; `fresh_clone`: the folder is a fresh clone."""

    def __init__(self, folder: Path, language: str, *, fresh_clone: bool = False) -> None:
        self.folder = folder
        self.fresh_clone = fresh_clone
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.environment = _environment(language)

    def run(self, block: Block) -> str:
        """Run a block and return its body with the output of now."""
        if block.file is not None and "not run" not in block.notes:
            (self.folder / block.file).write_text(block.body, "utf-8")
            return block.body
        if not block.is_run or ("fresh clone" in block.notes and not self.fresh_clone):
            return block.body
        with contextlib.chdir(self.folder), _set_environment(self.environment):
            if block.language == "console":
                return self._console(block)
            return self._python(block)

    def _console(self, block: Block) -> str:
        lines, shown = block.body.splitlines(), []
        at, code = 0, 0
        while at < len(lines):
            if not lines[at].startswith("$ "):
                message = f"line {block.line + at}: output without a command: {lines[at]}"
                raise BlockError(message)
            if code:
                message = f"line {block.line + at}: the command before ended with {code}"
                raise BlockError(message)
            start = at
            while lines[at].endswith("\\"):
                at += 1
            at += 1
            command = "\n".join(lines[start:at])
            output_start = at
            while at < len(lines) and not lines[at].startswith("$ "):
                at += 1
            old = lines[output_start:at]
            code, output = self._command(command.removeprefix("$ "))
            new = [line.rstrip() for line in output.splitlines()]
            shown += [command, *_like(old, new, block)]
        wanted = int(block.notes.get("exit", 0))
        if code != wanted:
            message = f"line {block.line}: the last command ended with {code}:\n{output}"
            raise BlockError(message)
        return "\n".join(shown) + "\n"

    def _command(self, line: str) -> tuple[int, str]:
        plain = re.sub(r"\\\n\s*", "", line)
        plain = re.sub(r"\s{2,}# .*$", "", plain)
        if plain.startswith("penjing ") and not re.search(
            r"[|<>;&$`*]|\s-(\s|$)", _unquoted(plain)
        ):
            return _penjing(shlex.split(plain)[1:])
        done = subprocess.run(
            [shutil.which("bash") or "bash", "-c", plain],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def _python(self, block: Block) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if ">>>" not in block.body:
                try:
                    exec(compile(block.body, f"line {block.line}", "exec"), self.names)  # noqa: S102
                except Exception as error:
                    message = f"line {block.line}: {type(error).__name__}: {error}"
                    raise BlockError(message) from error
                return block.body
            return self._doctest(block)

    def _doctest(self, block: Block) -> str:
        parts: list[str] = []
        for part in doctest.DocTestParser().parse(block.body):
            if isinstance(part, str):
                parts.append(part)
                continue
            prompt = [f">>> {part.source.splitlines()[0]}"]
            prompt += [f"... {line}".rstrip() for line in part.source.splitlines()[1:]]
            got = self._example(part.source, block.line + part.lineno)
            if got.startswith("Traceback") and not part.want.startswith("Traceback"):
                message = f"line {block.line + part.lineno}: {got}"
                raise BlockError(message)
            parts += ["\n".join(prompt) + "\n"]
            old = part.want.splitlines()
            new = [line.rstrip() or "<BLANKLINE>" for line in got.splitlines()]
            parts += [f"{line}\n" for line in _like(old, new, block)]
        return "".join(parts)

    def _example(self, source: str, line: int) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                exec(compile(source, f"line {line}", "single"), self.names)  # noqa: S102
            except Exception as error:  # noqa: BLE001 - shown as the page shows it
                last = traceback.format_exception_only(error)[-1]
                return f"Traceback (most recent call last):\n  ...\n{last}"
        return out.getvalue()


def _like(old: list[str], new: list[str], block: Block) -> list[str]:
    """Return the output to show: as much of it as the page shows now."""
    if {"output varies", "fresh clone"} & set(block.notes):
        return old
    after = [""] if old and not old[-1].strip() else []  # a blank line that ends the output
    kept = old[: len(old) - len(after)]
    if kept and kept[-1].strip() == MORE:
        new = [*new[: len(kept) - 1], MORE]
    return [*new, *after]


def _unquoted(line: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"$`]*\"", "x", line)


def _penjing(args: list[str]) -> tuple[int, str]:
    from penjing.cli import main  # noqa: PLC0415 - pages may be read without it

    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        try:
            code = main(args)
        except SystemExit as ended:
            code = int(ended.code or 0)
    stream.flush()
    return int(code), raw.getvalue().decode("utf-8", "replace")


def _environment(language: str) -> dict[str, str]:
    """Return the variables of a reader's shell: the language, and `penjing` on the path."""
    kept = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LC_MESSAGES", "NO_COLOR")}
    tools = Path(sys.executable).parent
    return {
        **kept,
        "LANG": {"en": "en_GB.UTF-8", "zh": "zh_CN.UTF-8"}[language],
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "ignore",
        "PATH": f"{_shims()}:{tools}:{os.environ.get('PATH', '')}",
    }


def _shims() -> Path:
    """Return a folder with a `penjing` that runs this checkout."""
    import tempfile  # noqa: PLC0415 - once

    global _SHIMS  # noqa: PLW0603 - made once a process
    if _SHIMS is None:
        _SHIMS = Path(tempfile.mkdtemp(prefix="penjing-docs-"))
        code = "import sys; from penjing.cli import main; sys.exit(main())"
        script = _SHIMS / "penjing"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n', "utf-8")
        script.chmod(0o755)
    return _SHIMS


_SHIMS: Path | None = None


@contextlib.contextmanager
def _set_environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_page(text: str, folder: Path, language: str, *, fresh_clone: bool = False) -> str:
    """Run all blocks of a page in a folder; return the page with the output of now."""
    session = Session(folder, language, fresh_clone=fresh_clone)
    parts, at = [], 0
    for block in blocks_of(text):
        parts += [text[at : block.start], session.run(block)]
        at = block.start + len(block.body)
    return "".join([*parts, text[at:]])
