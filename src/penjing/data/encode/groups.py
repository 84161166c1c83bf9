"""The Parquet files of a large source and their row groups."""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penjing.data.read.files import bad_parquet_error, is_folder, no_such_file_error, path_exists
from penjing.data.read.missing_markers import USUAL_MARKERS
from penjing.data.read.raw_columns import duplicate_column_error
from penjing.data.scratch import ScratchFolder, convert_disk_full
from penjing.errors import CapabilityError, ChoiceError, DataError, NoFileError, NoRowsError
from penjing.i18n import Names

PARQUET = (".parquet", ".pq")
JSON = (".jsonl", ".ndjson", ".json")
TEXT = (".csv", ".tsv", ".tab", ".txt")
DATABASE = "duckdb:"
ROWS = 500_000
"""Rows of a group where we write Parquet ourselves."""
WRITTEN: dict[str, Any] = {"row_group_size": ROWS, "compression": "zstd"}
AHEAD: dict[str, Any] = {"pre_buffer": False, "buffer_size": 1 << 20}
"""How columns are read: some of each ahead, not all, which would be fetched and cleared anew."""
BEGINNING: dict[str, Any] = {"pre_buffer": False, "buffer_size": 1 << 16}
"""The same where only the beginnings of columns are asked for."""
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What stands around a text without being part of it."""
FORM = 3
"""What a store looks like: one of another form is not gone on with, but removed."""


@dataclass(frozen=True, slots=True)
class Group:
    """Some rows that lie together: which file, which of its row groups, and where they begin."""

    path: str
    index: int
    start: int
    n_rows: int


@dataclass(slots=True)
class Groups:
    """All row groups of a source, the folder of its store, and what it is called."""

    name: str
    groups: list[Group]
    n_rows: int
    space: ScratchFolder
    schema: Any
    mark: str

    def column(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yield one column in the order of its rows, some at a time, and where they begin."""
        for group in self.groups:
            at = group.start
            with arrow().ParquetFile(group.path, **AHEAD) as file:
                for batch in file.iter_batches(row_groups=[group.index], columns=[name]):
                    yield at, batch.column(name)  # for "a" Arrow hands out "a.b", too
                    at += batch.num_rows

    def are_distinct(self, name: str, *, are_texts: bool = False) -> bool:
        """Say whether no value of a column occurs twice; DuckDB needs little memory for that.

        Texts are compared without blanks around them, and without words for missing.
        """
        import duckdb  # noqa: PLC0415 - heavy

        column = '"' + name.replace('"', '""') + '"'
        files = list(dict.fromkeys(group.path for group in self.groups))
        folder = str(self.space.folder).replace("'", "''")
        asked: dict[str, Any] = {"files": files}
        if are_texts:
            bare = f"trim({column}, $blanks)"
            column = f"case when not list_contains($words, {bare}) then {bare} end"
            asked |= {"blanks": BLANKS, "words": sorted(USUAL_MARKERS | {""})}
        query = f"select count({column}), count(distinct {column}) from read_parquet($files)"  # noqa: S608
        with duckdb.connect() as link, convert_disk_full(self.space.folder):
            link.execute("set enable_progress_bar = false")
            link.execute(f"set temp_directory = '{folder}'; set memory_limit = '1GB'")
            ((n, distinct),) = link.execute(query, asked).fetchall()
        return bool(0 < n == distinct)

    def bytes_per_row(self) -> float:
        """Return how many bytes of the store a row takes."""
        size = sum(
            path.stat().st_size
            for path in self.space.folder.iterdir()
            if path.suffix in {".high", ".raw", ".codes"}
        )
        return round(size / max(self.n_rows, 1), 2)


def arrow() -> Any:  # noqa: ANN401 - the module
    """Return pyarrow's Parquet reader, or say how to get it."""
    try:
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise CapabilityError("needs_pyarrow") from None
    return pyarrow.parquet


def files_of(source: str) -> list[str]:
    """Return the files that a path, a folder or a pattern means, in order of their names."""
    path = Path(source)
    if path.is_dir():
        return _files_of_folder(path, source)
    if is_pattern(source):
        found = sorted(glob.glob(source, recursive=True))  # noqa: PTH207 - any pattern
        if not found:
            raise NoFileError("no_such_file", source=source)
        return found
    if not path.exists():
        raise no_such_file_error(source)
    return [source]


def _files_of_folder(path: Path, source: str) -> list[str]:
    """Return the tables of a folder and the folders in it; they must have one format.

    Names that begin with a dot or an underscore are not counted as a second format: other programs
    keep descriptions of Parquet files there.
    """
    found: dict[str, list[Path]] = {}
    for name in sorted(path.rglob("*"), key=str):
        if (form := _form(str(name))) is not None:
            found.setdefault(form, []).append(name.relative_to(path))
    if not found:
        raise DataError("folder_without_tables", source=source)
    if len(found) > 1:
        visible = [
            next((n for n in names if not any(p.startswith((".", "_")) for p in n.parts)), None)
            for names in found.values()
        ]
        examples = [name for name in visible if name is not None]
        if len(examples) > 1:
            pattern = path / "**" / f"*{examples[0].suffix}"
            files = Names(name.as_posix() for name in examples)
            raise DataError("folder_of_formats", source=source, files=files, pattern=str(pattern))
    names = found.get("parquet") or next(iter(found.values()))
    return [str(path / name) for name in names]


def is_pattern(source: str) -> bool:
    """Say whether a path stands for several files, as ``*.parquet`` does."""
    return glob.has_magic(source) and not path_exists(source)


def _form(path: str) -> str | None:
    low = path.lower().removesuffix(".gz")
    forms = {"parquet": PARQUET, "json": JSON, "csv": TEXT}
    return next((form for form, endings in forms.items() if low.endswith(endings)), None)


def is_codable(source: object) -> bool:
    """Say whether a source can be coded to a store: a file of these forms, not standard input."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    text = os.fspath(source)
    if not isinstance(text, str) or text == "-" or "\n" in text:
        return False
    return text.startswith(DATABASE) or is_folder(text) or _form(text) is not None


def source_of(source: str, query: str | None) -> tuple[list[str], str]:
    """Return the files of a source, and their form: parquet, csv, json or database."""
    if source.startswith(DATABASE):
        path = source.removeprefix(DATABASE)
        if not Path(path).exists():
            raise no_such_file_error(path)
        if query is None:
            raise ChoiceError("needs_query", source=source)
        return [path], "database"
    files = files_of(source)
    forms = {_form(path) for path in files}
    form = forms.pop() if len(forms) == 1 else None
    if form is None:
        raise DataError("mixed_forms", source=source)
    if query is not None:
        raise ChoiceError("query_without_database", source=source)
    return files, form


def groups_of(
    source: str, query: str | None, work: str | None, wanted: Sequence[str | None] = ()
) -> Groups:
    """Find the row groups of Parquet files; a table of DuckDB is made so, in the store's folder.

    ``wanted`` are the columns that are coded otherwise because they were asked for.
    """
    files, _ = source_of(source, query)
    arrow()
    mark = fingerprint(files, query, wanted)
    space = ScratchFolder(work, mark if work else None)
    try:
        name = Path(files[0]).name if len(files) == 1 else Path(source).name
        if query is not None:
            files = [_as_parquet(space, files[0], query, name)]
        return _listed(files, name, space, mark)
    except BaseException as error:
        space.close_after_error(error, keep=work is not None)
        raise


def fingerprint(files: list[str], query: str | None, wanted: Sequence[str | None]) -> str:
    """Return what changes when a file does, or what is asked of it; or with a start of the system.

    The system's start is in it because what was written just before a power cut may be lost.
    """
    stats = [(os.path.realpath(path), Path(path).stat()) for path in files]
    told = [(path, stat.st_size, stat.st_mtime_ns) for path, stat in stats]
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        boot = ""
    return hashlib.sha256(json.dumps([told, query, boot, FORM, *wanted]).encode()).hexdigest()[:16]


def _listed(files: list[str], name: str, space: ScratchFolder, mark: str) -> Groups:
    parquet = arrow()
    import pyarrow as pa  # noqa: PLC0415

    groups: list[Group] = []
    start, schema = 0, None
    for path in files:
        try:
            with parquet.ParquetFile(path) as file:
                about = file.metadata
                if schema is None:
                    schema = file.schema_arrow
                elif file.schema_arrow.names != schema.names:
                    raise DataError("files_differ", one=files[0], other=path)
                elif not file.schema_arrow.equals(schema):
                    schema = _wider(schema, file.schema_arrow)
                for index in range(about.num_row_groups):
                    n = about.row_group(index).num_rows
                    if n:
                        groups.append(Group(path, index, start, n))
                        start += n
        except (pa.ArrowInvalid, OSError):
            raise bad_parquet_error(path) from None
    if not start or schema is None:
        names = [] if schema is None else schema.names
        raise NoRowsError("no_rows", source=name, names=names)
    if len({*schema.names}) < len(schema.names):
        raise duplicate_column_error(name, schema.names)
    return Groups(name, groups, start, space, schema, mark)


def _wider(one: Any, other: Any) -> Any:  # noqa: ANN401 - schemas of Arrow
    """Return a schema for both: whole numbers in one file may be fractions in another."""
    import pyarrow as pa  # noqa: PLC0415

    fields = []
    for mine, yours in zip(one, other, strict=True):
        both = pa.schema([mine.remove_metadata()]), pa.schema([yours.remove_metadata()])
        try:
            (field,) = pa.unify_schemas(both, promote_options="permissive")
        except (pa.ArrowTypeError, pa.ArrowInvalid):
            field = mine
        fields.append(field)
    return pa.schema(fields)


def _asked(link: Any, query: str, path: str) -> Any:  # noqa: ANN401 - of DuckDB
    """Return the rows of a table, or of one SELECT and nothing else: no statement that writes."""
    import duckdb  # noqa: PLC0415

    asked = query.strip().rstrip(";").strip()
    if len(asked.split()) == 1:
        return link.table(asked)
    kinds = [statement.type for statement in link.extract_statements(asked)]
    if kinds != [duckdb.StatementType.SELECT]:
        raise ChoiceError("query_not_select", query=query, source=path)
    return link.sql(f"select * from (\n{asked}\n)")  # noqa: S608 - it is the user's


def check_database(path: str, source: str) -> None:
    """Raise an error if a file that DuckDB cannot open is not a database of DuckDB."""
    with Path(path).open("rb") as file:
        if file.read(12)[8:] != b"DUCK":
            raise DataError("not_a_database", source=source)


def _as_parquet(space: ScratchFolder, path: str, query: str, name: str) -> str:
    """Let DuckDB write rows as Parquet; a file that is already there is whole."""
    import duckdb  # noqa: PLC0415

    whole, part = space.folder / "rows.parquet", space.folder / "rows.part"
    if whole.exists():
        return str(whole)
    folder = str(space.folder).replace("'", "''")
    try:
        with duckdb.connect() as link, convert_disk_full(space.folder):
            link.execute("set enable_progress_bar = false")
            link.execute(f"set temp_directory = '{folder}'; set memory_limit = '1GB'")
            quoted = path.replace("'", "''")
            link.execute(f"attach '{quoted}' as source (read_only); use source")
            _asked(link, query, path).write_parquet(str(part), **WRITTEN)
    except duckdb.Error as error:
        if "No space left" in str(error) or "ENOSPC" in str(error):
            with convert_disk_full(space.folder):
                raise OSError(28, "No space left") from None
        check_database(path, name)
        reason = str(error).strip().split("\n")[0].rstrip(".!")
        raise DataError("query_failed", source=name, reason=reason) from None
    part.replace(whole)
    return str(whole)
