"""Tables that may be larger than memory: selects their engine and encodes them on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penjing.cli.console import Console
from penjing.cli.progress_bar import progress_bar
from penjing.cli.sources import ReadingOptions

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.table import Table
    from penjing.grow.recipe import Recipe
    from penjing.training.select_engine import EngineSelection


class LargeTableLoader:
    """Selects the engine for one source and opens its table.

    Parameters
    ----------
    engine, memory_limit, work, query
        As in :func:`penjing.fit`.
    """

    def __init__(
        self, engine: str, memory_limit: str | None, work: str | None, query: str | None
    ) -> None:
        self.engine = engine
        self._memory_limit, self._work, self._query = memory_limit, work, query
        self._selection: EngineSelection | None = None

    @property
    def is_on_disk(self) -> bool:
        """Whether the rows are stored in a folder on disk."""
        return self.engine == "disk"

    @contextmanager
    def open_table(
        self, console: Console, path: str, reading: ReadingOptions, recipe: str, method: str | None
    ) -> Iterator[Table]:
        """Yield the table of a source; its folder on disk exists inside the block."""
        from penjing.data.encode.coded import Wants, coded  # noqa: PLC0415
        from penjing.dialects.recipes import recipe_of  # noqa: PLC0415
        from penjing.training.auto_recipe import is_auto  # noqa: PLC0415
        from penjing.training.select_engine import (  # noqa: PLC0415 - heavy
            in_memory,
            refuse_too_large,
            select_engine,
            selection_message,
        )

        selection = self._selection = select_engine(
            path, self.engine, self._memory_limit, self._query
        )
        if selection.reason is not None:
            key, values = selection_message(selection)
            console.print_note(key, **values)
        self.engine = selection.engine
        if not selection.is_coded:
            yield replace(reading, memory_limit=self._memory_limit).read_table(console, path)
            return
        chosen_recipe = None if is_auto(recipe) else recipe_of(recipe)
        if chosen_recipe is not None:
            refuse_too_large(chosen_recipe, selection, method, None, is_traced=False)
        wants = Wants(
            reading.target, reading.column_schema(), reading.weight, reading.markers or None,
            tuple(reading.keep or ()), reading.dates, reading.encoding,
            reading.separator_character(), reading.column_names(),
            chosen_recipe is not None and chosen_recipe.options.counts_weightless,
            reading.decimal, reading.fold_case,
        )  # fmt: skip
        with progress_bar(console) as report_progress:
            options: dict[str, Any] = {
                "query": self._query,
                "work": self._work,
                "progress": report_progress,
            }
            table, space = coded(path, wants, **options)
        try:
            table = replace(table, source={**table.source, "path": path})
            yield table if self.is_on_disk else in_memory(table)
        finally:
            space.close()

    def refuse_recipe(self, recipe: Recipe, method: str | None) -> None:
        """Raise an error for a recipe that needs more memory than the limit."""
        from penjing.training.select_engine import refuse_too_large  # noqa: PLC0415 - heavy

        if self._selection is not None and self._selection.is_coded:
            refuse_too_large(recipe, self._selection, method, None, is_traced=False)

    def record_engine_choice(self, tree: Tree) -> Tree:
        """Return the tree with a record of the engine selection, if there was one."""
        if self._selection is None or self._selection.reason is None:
            return tree
        return replace(tree, about={**tree.about, "engine": self._selection.reason})
