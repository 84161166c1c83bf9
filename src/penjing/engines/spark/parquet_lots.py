"""Divides the Parquet files of a DataFrame into lots that the workers read themselves.

Rows that Spark reads are converted twice (columns to rows, rows to Arrow columns) and sent from its
process to ours. If a DataFrame consists only of files that every worker can open, a worker reads
its row groups with pyarrow, in a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlparse

from penjing.data.encode.groups import AHEAD, BEGINNING

Group = tuple[str, int, int]
"""A file, which of its row groups, and how many rows that has."""
Lot = list[tuple[str, list[int]]]
"""Files, and which of their row groups."""

BATCH = 1 << 17
"""So many rows are read at a time."""
_KINDS = {
    "tinyint": "int8", "smallint": "int16", "int": "int32", "bigint": "int64", "float": "float",
    "double": "double", "string": "string", "boolean": "bool",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Groups:
    """All row groups of some files.

    Parameters
    ----------
    groups : list
        The groups, file by file.
    spans : mapping
        The least and the greatest of whole numbers, by column, where every file tells them.
    texts : list of str
        The columns of texts.
    """

    groups: list[Group]
    spans: dict[str, tuple[int, int]]
    texts: list[str]

    @property
    def n_rows(self) -> int:
        """How many rows they have."""
        return sum(rows for _, _, rows in self.groups)

    def lots(self, n: int) -> list[Lot]:
        """Return at most n lots of them."""
        return _balanced_lots(self.groups, n)


def groups_of(frame: Any, kinds: Mapping[str, str]) -> Groups | None:  # noqa: ANN401
    """Return the row groups that hold what a DataFrame does; None if none do.

    Parameters
    ----------
    frame : DataFrame
        The rows, of a session that is no Spark Connect.
    kinds : mapping
        Spark's type of each column.
    """
    if not _is_plain(frame._jdf.queryExecution().optimizedPlan()):  # noqa: SLF001 - who else knows
        return None
    found = [urlparse(str(uri)) for uri in frame.inputFiles()]
    if not found or any(uri.scheme != "file" for uri in found):
        return None
    groups: list[Group] = []
    spans: dict[str, tuple[int, int] | None] = {}
    for path in sorted(unquote(uri.path) for uri in found):
        row_counts = _groups(path, kinds, spans)
        if row_counts is None:
            return None
        groups += [(path, i, rows) for i, rows in enumerate(row_counts) if rows]
    known = {name: span for name, span in spans.items() if span is not None}
    return Groups(groups, known, [name for name, kind in kinds.items() if kind == "string"])


def _is_plain(plan: Any) -> bool:  # noqa: ANN401 - of Java
    """Return whether a plan only selects columns of Parquet files."""
    kind = plan.getClass().getSimpleName()
    if kind == "Project":
        chosen = plan.projectList()
        every = (chosen.apply(i).getClass().getSimpleName() for i in range(chosen.size()))
        return all(one == "AttributeReference" for one in every) and _is_plain(plan.child())
    if kind != "LogicalRelation":
        return False
    relation = plan.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation":
        return False
    return "parquet" in relation.fileFormat().toString().lower()


def _groups(
    path: str, kinds: Mapping[str, str], spans: dict[str, tuple[int, int] | None]
) -> list[int] | None:
    """Return the number of rows of each group of a file; None if its columns differ."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        with pq.ParquetFile(path) as file:
            here = {field.name: str(field.type) for field in file.schema_arrow}
            if any(here.get(name) != _KINDS.get(kind, "") for name, kind in kinds.items()):
                return None
            about = file.metadata
            at = {about.schema.column(c).name: c for c in range(about.num_columns)}
            for name, kind in kinds.items():
                if kind in WHOLE_KINDS:
                    every = [
                        about.row_group(i).column(at[name]) for i in range(about.num_row_groups)
                    ]
                    spans[name] = _span(every, spans.get(name, _NO_SPAN))
            return [about.row_group(i).num_rows for i in range(about.num_row_groups)]
    except (OSError, pa.ArrowInvalid):
        return None


WHOLE_KINDS = ("tinyint", "smallint", "int", "bigint")
_NO_SPAN = (1 << 63, -(1 << 63))


def _span(chunks: Sequence[Any], so_far: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the least and the greatest number of chunks; None if one has no statistics."""
    for chunk in chunks:
        statistics = chunk.statistics
        if so_far is None or statistics is None or not statistics.has_min_max:
            return None
        so_far = min(so_far[0], statistics.min), max(so_far[1], statistics.max)
    return so_far


def _balanced_lots(groups: Sequence[tuple[str, int, int]], n: int) -> list[Lot]:
    """Return lots of about equal size: the largest group goes to the smallest lot so far.

    Examples
    --------
    >>> _balanced_lots([("a", 0, 5), ("a", 1, 5), ("b", 0, 9)], 2)
    [[('b', [0])], [('a', [0, 1])]]
    """
    n = max(1, min(n, len(groups)))
    sizes, dealt = [0] * n, [list[tuple[str, int]]() for _ in range(n)]
    for path, i, rows in sorted(groups, key=lambda group: -group[2]):
        at = sizes.index(min(sizes))
        sizes[at] += rows
        dealt[at].append((path, i))
    lots: list[Lot] = []
    for mine in dealt:
        by_file: dict[str, list[int]] = {}
        for path, i in sorted(mine):
            by_file.setdefault(path, []).append(i)
        lots.append(list(by_file.items()))
    return lots


def batches_of(lot: Lot, names: Sequence[str], texts: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of a lot as Arrow batches, texts as indices into a list."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - on the workers

    for path, groups in lot:
        with pq.ParquetFile(path, read_dictionary=list(texts), **AHEAD) as file:
            options = {"row_groups": groups, "columns": list(names), "use_threads": False}
            for batch in file.iter_batches(BATCH, **options):
                yield batch.select(list(names))


def first_rows(group: Group, names: Sequence[str], texts: Sequence[str], n: int) -> Any:  # noqa: ANN401
    """Return about so many rows from the beginning of a group."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    path, index, _ = group
    with pq.ParquetFile(path, read_dictionary=list(texts), **BEGINNING) as file:
        options = {"row_groups": [index], "columns": list(names), "use_threads": False}
        return next(file.iter_batches(n, **options)).select(list(names))
