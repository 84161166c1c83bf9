"""Sources that may be larger than memory: which engine they get, and their folder on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penjing.cli.console import Voice
from penjing.cli.progress_bar import growing
from penjing.cli.sources import Reading

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table
    from penjing.training.select_engine import EngineSelection


class Large:
    """What the command was told about memory, and what follows from it for one source.

    Parameters
    ----------
    engine, memory_limit, work, query
        As in :func:`penjing.fit`.
    """

    def __init__(
        self, engine: str, memory_limit: str | None, work: str | None, query: str | None
    ) -> None:
        self.engine = engine
        self._limit, self._work, self._query = memory_limit, work, query
        self._picked: EngineSelection | None = None

    @property
    def is_on_disk(self) -> bool:
        """Whether the rows lie in a folder on disk."""
        return self.engine == "disk"

    @contextmanager
    def table(
        self, voice: Voice, path: str, reading: Reading, recipe: str, method: str | None
    ) -> Iterator[Table]:
        """Give the table of a source, as long as its folder is there."""
        from penjing.data.encode.coded import Wants, coded  # noqa: PLC0415
        from penjing.dialects.recipes import recipe_of  # noqa: PLC0415
        from penjing.training.select_engine import (  # noqa: PLC0415 - heavy
            in_memory,
            refuse_too_large,
            select_engine,
            selection_message,
        )

        picked = self._picked = select_engine(path, self.engine, self._limit, self._query)
        if picked.reason is not None:
            key, said = selection_message(picked)
            voice.note(key, **said)
        self.engine = picked.engine
        if not picked.is_coded:
            yield replace(reading, memory_limit=self._limit).table(voice, path)
            return
        chosen = recipe_of(recipe)
        refuse_too_large(chosen, picked, method, None, is_traced=False)
        wants = Wants(
            reading.target, reading.wishes(), reading.weight, reading.markers or None,
            tuple(reading.keep or ()), reading.dates, reading.encoding,
            reading.divider(), reading.column_names(), chosen.options.counts_weightless,
        )  # fmt: skip
        with growing(voice) as watcher:
            how: dict[str, Any] = {"query": self._query, "work": self._work, "progress": watcher}
            table, space = coded(path, wants, **how)
        try:
            table = replace(table, source={**table.source, "path": path})
            yield table if self.is_on_disk else in_memory(table)
        finally:
            space.close()

    def told(self, tree: Tree) -> Tree:
        """Return the tree with the choice of the engine, where there was one."""
        if self._picked is None or self._picked.reason is None:
            return tree
        return replace(tree, about={**tree.about, "engine": self._picked.reason})
