"""A golden: one tree of another program, its settings and the data it was grown from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Golden:
    """One tree to be grown again.

    ``plain`` is the file's object; a tree of a tiny table is given the same form, its settings
    being the words behind the program's name and version.
    """

    name: str
    plain: dict[str, Any]
    is_core: bool = False

    @property
    def program(self) -> str:
        return str(self.plain["program"])

    @property
    def version(self) -> str:
        return str(self.plain["version"])

    @property
    def settings(self) -> dict[str, Any]:
        return dict(self.plain["settings"])

    @property
    def data(self) -> dict[str, Any]:
        return dict(self.plain["data"])

    @property
    def summary(self) -> dict[str, Any]:
        return dict(self.plain.get("summary", {}))


def goldens(reference: Path, tiny: Callable[[str], dict[str, Any] | None]) -> Iterator[Golden]:
    """Yield every golden below a folder that holds a tree or rules, in the order of their names.

    ``tiny`` makes program, version and settings of the title of a tree in a tiny table.
    """
    core = _core(reference)
    for path in sorted(reference.glob("**/*.json")):
        name = path.relative_to(reference).with_suffix("").as_posix()
        plain = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(plain, dict):
            continue
        if "tree" in plain or "ruleset" in plain:
            yield Golden(name, plain, name in core)
        for title, tree in plain.get("trees", {}).items():
            if (said := tiny(title)) is not None:
                whole = {"data": plain["data"], "tree": tree} | said
                yield Golden(f"{name}: {title}", whole, name in core)


def chosen(found: Iterable[Golden], programs: Sequence[str], *, core: bool) -> list[Golden]:
    """Return the goldens whose program, folder or name begins with one of the words."""

    def matches(golden: Golden) -> bool:
        words = (golden.program.lower(), golden.name.lower())
        return not programs or any(w.startswith(p.lower()) for p in programs for w in words)

    return [g for g in found if matches(g) and (g.is_core or not core)]


def _core(reference: Path) -> set[str]:
    index = reference / "index.json"
    if not index.exists():
        return set()
    entries = json.loads(index.read_text(encoding="utf-8"))
    return {entry["path"] for entry in entries if entry.get("core")}
