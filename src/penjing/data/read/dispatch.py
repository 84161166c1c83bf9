"""Choose the reader for a source: path, bytes, open file, frame, array or Python rows."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.read.arff import from_arff, is_arff
from penjing.data.read.c45_files import find_cases_file, find_names_file, from_c45_files
from penjing.data.read.csv import from_delimited
from penjing.data.read.csv_duckdb import ColumnHints
from penjing.data.read.example_files import example_file
from penjing.data.read.files import (
    CHUNK_BYTES,
    check_file_name,
    decompress,
    is_file,
    is_folder,
    max_read_bytes,
    path_exists,
    read_file,
    too_large_error,
)
from penjing.data.read.frames import (
    add_labels,
    column_from_sequence,
    from_array,
    from_frame,
    from_table,
)
from penjing.data.read.json import from_json
from penjing.data.read.parquet import from_parquet
from penjing.data.read.python_rows import from_columns, from_dicts, from_pairs, from_rows
from penjing.data.read.raw_columns import RawTable
from penjing.data.read.reading import FileLayout
from penjing.data.read.text_encoding import decode, fitting_encoding, is_beyond_ascii_utf8
from penjing.data.read.workbook import from_sheet, is_workbook, read_workbook
from penjing.data.table import Note, Table
from penjing.errors import ChoiceError, DataError, WrongSourceError, WrongTypeError

JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
JSON_SUFFIXES = (".json", *JSON_LINES_SUFFIXES)
MODEL_START = re.compile(r'\s*\{\s*"format"\s*:\s*\d+\s*,\s*"penjing"\s*:')
"""How a model file begins."""
JSON_START = re.compile(r'\s*(?:\{\s*"|\[\s*\{)')
DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")


def read_source(
    source: Any,  # noqa: ANN401 - a path, bytes, an open file, a frame, an array, rows
    *,
    encoding: str | None = None,
    name: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    separator: str | None = None,
    target: str | None = None,
    hints: ColumnHints | None = None,
    memory_limit: float | str | None = None,
    keep_line_ends: bool = False,
    sheet: str | int | None = None,
    layout: FileLayout | None = None,
) -> RawTable:
    """Return the raw columns of any source; their types are not inferred yet.

    ``layout`` is that of the file that a model was trained on; the arguments take precedence.
    """
    if names is not None:
        names = _check_names(names, name or "table")
    options = {
        "encoding": encoding,
        "names": names,
        "separator": separator,
        "hints": hints,
        "memory_limit": memory_limit,
        "keep_line_ends": keep_line_ends,
        "sheet": sheet,
        "layout": layout,
    }
    if isinstance(source, (str, os.PathLike)):
        path = source if isinstance(source, str) else arguments.path("source", source)
        path = example_file(path)
        raw_table = _from_path(path, name, options)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        data = decompress(bytes(source), name or "bytes", memory_limit)
        raw_table = _from_bytes(data, name or "bytes", "", options)
    elif hasattr(source, "read"):
        raw_table = _from_open_file(source, name, options)
    else:
        if sheet is not None:
            raise ChoiceError("sheet_not_used", source=name or "table")
        if labels is not None and names is not None and len(names) == _n_columns(source) + 1:
            names, target = names[:-1], target or names[-1]
        raw_table = _from_memory(source, name, names, target)
    return raw_table if labels is None else add_labels(raw_table, labels, target)


def _has_names(source: Any) -> bool:  # noqa: ANN401
    """Return whether a source in memory has names for its columns."""
    if isinstance(source, Mapping):
        return _are_columns(source)
    if isinstance(source, (list, tuple)):
        return bool(source) and isinstance(source[0], Mapping)
    return not isinstance(source, np.ndarray)


def _are_columns(source: Mapping[Any, Any]) -> bool:
    """Return whether the values of a dict are columns: lists, arrays, series or ranges."""
    return all(isinstance(v, (list, tuple, range)) or _is_array(v) for v in source.values())


def _is_array(values: object) -> bool:
    """Return whether an object is an array or a series; a text of NumPy is not."""
    has_rows = hasattr(values, "__array__") and hasattr(values, "__len__")
    return has_rows and not isinstance(values, str | bytes)


def check_source_type(source: object) -> None:
    """Raise an error for a type that cannot be read, without reading anything."""
    known = (
        str,
        os.PathLike,
        bytes,
        bytearray,
        memoryview,
        Mapping,
        list,
        tuple,
        np.ndarray,
        Table,
    )
    is_frame = not isinstance(source, type) and hasattr(source, "columns")
    if not (isinstance(source, known) or hasattr(source, "read") or is_frame):
        raise WrongSourceError("unknown_source", kind=type(source).__name__)


def _check_names(names: Any, source: str) -> list[str]:  # noqa: ANN401 - checked here
    """Return the names of columns as texts; numbers are allowed, too."""
    parts = arguments.as_list(names)
    if parts is None or not all(isinstance(part, str | int | float) for part in parts):
        raise WrongTypeError("bad_column_names", source=source, value=names)
    if not parts:
        raise ChoiceError("bad_column_names", source=source, value=names)
    return [str(part) for part in parts]


def _n_columns(source: Any) -> int:  # noqa: ANN401
    """Return the number of columns of rows or an array, 0 for other sources."""
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return int(source.shape[1])
    if isinstance(source, (list, tuple)) and source and hasattr(source[0], "__len__"):
        return len(source[0])
    return 0


def _from_memory(
    source: Any,  # noqa: ANN401
    name: str | None,
    names: Sequence[str] | None,
    target: str | None,
) -> RawTable:
    name = name or "table"
    if names is not None and _has_names(source):
        raise ChoiceError("names_not_used", source=name)
    if isinstance(source, Table):
        return from_table(source)
    if isinstance(source, np.ndarray):
        return from_array(source, names, name)
    if isinstance(source, (Mapping, list, tuple)) and not source:
        raise DataError("empty_table", source=name)
    if isinstance(source, Mapping):
        if _are_columns(source):
            return from_columns(source, name, column_from_sequence)
        return from_pairs(source, names, target, name)
    if isinstance(source, (list, tuple)):
        if isinstance(source[0], Mapping):
            return from_dicts(source, name)
        return from_rows(source, names, name)
    raw_table = from_frame(source, name)
    if raw_table is None:
        raise WrongSourceError("unknown_source", kind=type(source).__name__)
    return raw_table


def _from_path(path: str, name: str | None, options: Mapping[str, Any]) -> RawTable:
    if "\n" in path and not path_exists(path):
        raise DataError("text_not_path", value=path.split("\n", 1)[0][:40])
    if path != "-":
        check_file_name(path)
    file = Path(path)
    names_file = None if path == "-" or is_folder(file) else _find_names_file(file)
    if names_file is not None:
        cases_file = find_cases_file(file, names_file)
        source_name = name or cases_file.name
        notes: list[Note] = []
        declared = read_file(str(names_file), options["memory_limit"])
        data = read_file(str(cases_file), options["memory_limit"])
        told, layout = options["encoding"], options["layout"]
        declared_as = told or remembered_encoding(declared, names_file.name, layout, [])
        declaration, *_ = decode(declared, names_file.name, declared_as)
        encoding = told or remembered_encoding(data, source_name, layout, notes)
        cases, codec, reason = decode(data, source_name, encoding)
        raw_table = from_c45_files(declaration, cases, names_file.name, source_name)
        raw_table.notes[:0] = notes
        return record_encoding(raw_table, hashlib.sha256(data).hexdigest(), codec, reason)
    data = read_file(path, options["memory_limit"])
    source_name = name or ("standard input" if path == "-" else file.name)
    return _from_bytes(data, source_name, file.name.lower().removesuffix(".gz"), options)


def _find_names_file(path: Path) -> Path | None:
    """Return the .names file of a path, None if the path is a file of another format."""
    if is_file(path) and path.suffix not in (".names", ".c45-names", ".data", ".test", ".cases"):
        return None
    return find_names_file(path)


def _from_open_file(stream: Any, name: str | None, options: Mapping[str, Any]) -> RawTable:  # noqa: ANN401
    content = _read_stream(stream, name, options["memory_limit"])
    file_name = getattr(stream, "name", None)
    source_name = name or (Path(file_name).name if isinstance(file_name, str) else "stream")
    hint = file_name.lower().removesuffix(".gz") if isinstance(file_name, str) else ""
    if isinstance(content, str):
        return _from_text(content.removeprefix("\ufeff"), source_name, hint, options)
    return _from_bytes(
        decompress(content, source_name, options["memory_limit"]), source_name, hint, options
    )


def _read_stream(stream: Any, name: str | None, limit: float | str | None) -> Any:  # noqa: ANN401
    """Return the whole content of an open file, bytes or text, within the memory limit."""
    limit_bytes, size, pieces = max_read_bytes(limit), 0, []
    try:
        piece = stream.read(CHUNK_BYTES)
    except TypeError:  # its read() takes no size
        return stream.read()
    while piece:
        pieces.append(piece)
        size += len(piece)
        if size > limit_bytes:
            raise too_large_error(name or "stream", limit_bytes)
        piece = stream.read(CHUNK_BYTES)
    return pieces[0][:0].join(pieces) if pieces else b""


def _from_bytes(data: bytes, name: str, hint: str, options: Mapping[str, Any]) -> RawTable:
    if data.startswith(b"PAR1") or hint.endswith((".parquet", ".pq")):
        raw_table = from_parquet(data, name, max_read_bytes(options["memory_limit"]))
        raw_table.source["sha256"] = hashlib.sha256(data).hexdigest()
        return raw_table
    if is_workbook(data, hint):
        limit = max_read_bytes(options["memory_limit"])
        workbook = read_workbook(data, name, options["sheet"], limit, options["layout"])
        raw_table = from_sheet(workbook, name, options["names"], options["layout"])
        raw_table.source["sha256"] = hashlib.sha256(data).hexdigest()
        return raw_table
    if options["sheet"] is not None:
        raise ChoiceError("sheet_not_used", source=name)
    if not data and not hint.endswith(JSON_LINES_SUFFIXES):
        raise DataError("empty_file", source=name)
    notes: list[Note] = []
    encoding = options["encoding"] or remembered_encoding(data, name, options["layout"], notes)
    text, codec, reason = decode(data, name, encoding)
    raw_table = _from_text(text, name, hint, options)
    raw_table.notes[:0] = notes
    if options["encoding"] is not None and is_beyond_ascii_utf8(data):
        raw_table.source["is_beyond_ascii_utf8"] = True
    return record_encoding(raw_table, hashlib.sha256(data).hexdigest(), codec, reason)


def remembered_encoding(
    data: bytes, name: str, layout: FileLayout | None, notes: list[Note]
) -> str | None:
    """Return the encoding that a model's file was read with, None if these bytes do not have it."""
    kept = None if layout is None else layout.reading.encoding
    if layout is None or kept is None:
        return None
    encoding = fitting_encoding(data, kept, is_certain=layout.reading.is_encoding_certain)
    if encoding is None:
        notes.append(Note("note_other_encoding", {"source": name, "kept": kept}))
    return encoding


def _from_text(text: str, name: str, hint: str, options: Mapping[str, Any]) -> RawTable:
    if MODEL_START.match(text):
        raise DataError("table_is_model", source=name)
    if hint.endswith(JSON_SUFFIXES) or (
        not hint.endswith(DELIMITED_SUFFIXES) and JSON_START.match(text)
    ):
        return from_json(text, name, has_lines=hint.endswith(JSON_LINES_SUFFIXES))
    if hint.endswith(".arff") or is_arff(text):
        return from_arff(text, name)
    separator = options["separator"] or ("\t" if hint.endswith((".tsv", ".tab")) else None)
    return from_delimited(
        text,
        name,
        separator,
        options["names"],
        options["hints"],
        keep_line_ends=options["keep_line_ends"],
        layout=options["layout"],
    )


def record_encoding(raw_table: RawTable, sha256: str, codec: str, reason: str) -> RawTable:
    """Record encoding and checksum in the source of a table; note an unusual encoding."""
    raw_table.source |= {"encoding": codec, "encoding_reason": reason, "sha256": sha256}
    if codec != "UTF-8" and reason != "told":
        key = "note_encoding_mark" if reason == "bom" else "note_encoding"
        raw_table.notes.insert(0, Note(key, {"source": raw_table.name, "encoding": codec}))
    return raw_table
