"""Which door a source comes in by."""

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
from penjing.data.read.frames import add_labels, from_array, from_frame, from_table
from penjing.data.read.json import from_json
from penjing.data.read.parquet import from_parquet
from penjing.data.read.python_rows import from_columns, from_dicts, from_pairs, from_rows
from penjing.data.read.raw_columns import RawTable
from penjing.data.read.text_encoding import decode
from penjing.data.table import Note, Table
from penjing.errors import ChoiceError, DataError, WrongSourceError, WrongTypeError

JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
JSON_SUFFIXES = (".json", *JSON_LINES_SUFFIXES)
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
    keeps_ends: bool = False,
) -> RawTable:
    """Return the columns of any source, not yet judged."""
    if names is not None:
        names = _check_names(names, name or "table")
    wants = {
        "encoding": encoding,
        "names": names,
        "separator": separator,
        "hints": hints,
        "limit": memory_limit,
        "ends": keeps_ends,
    }
    if isinstance(source, (str, os.PathLike)):
        path = source if isinstance(source, str) else arguments.path("source", source)
        sheet = _from_path(path, name, wants)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        data = decompress(bytes(source), name or "bytes", memory_limit)
        sheet = _from_bytes(data, name or "bytes", "", wants)
    elif hasattr(source, "read"):
        sheet = _from_open_file(source, name, wants)
    else:
        if labels is not None and names is not None and len(names) == _n_columns(source) + 1:
            names, target = names[:-1], target or names[-1]
        sheet = _from_memory(source, name, names, target)
    return sheet if labels is None else add_labels(sheet, labels, target)


def _has_names(source: Any) -> bool:  # noqa: ANN401
    """Say whether the columns of a source in memory are named in it."""
    if isinstance(source, Mapping):
        return all(isinstance(values, (list, tuple, np.ndarray)) for values in source.values())
    if isinstance(source, (list, tuple)):
        return bool(source) and isinstance(source[0], Mapping)
    return not isinstance(source, np.ndarray)


def check_source_type(source: object) -> None:
    """Refuse what is of a type that cannot be read, without reading it."""
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


def _check_names(names: Any, source: str) -> list[str]:  # noqa: ANN401 - that is to be found out
    """Return the names of columns as texts: numbers may be names, too."""
    found = arguments.as_list(names)
    if found is None or not all(isinstance(part, str | int | float) for part in found):
        raise WrongTypeError("bad_column_names", source=source, value=names)
    if not found:
        raise ChoiceError("bad_column_names", source=source, value=names)
    return [str(part) for part in found]


def _n_columns(source: Any) -> int:  # noqa: ANN401
    """Return how many columns rows or an array have, 0 where that is not asked."""
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
        if all(isinstance(values, (list, tuple, np.ndarray)) for values in source.values()):
            return from_columns(source, name)
        return from_pairs(source, names, target, name)
    if isinstance(source, (list, tuple)):
        if isinstance(source[0], Mapping):
            return from_dicts(source, name)
        return from_rows(source, names, name)
    sheet = from_frame(source, name)
    if sheet is None:
        raise WrongSourceError("unknown_source", kind=type(source).__name__)
    return sheet


def _from_path(path: str, name: str | None, wants: Mapping[str, Any]) -> RawTable:
    if "\n" in path and not path_exists(path):
        raise DataError("text_not_path", value=path.split("\n", 1)[0][:40])
    if path != "-":
        check_file_name(path)
    place = Path(path)
    declaration = None if path == "-" or is_folder(place) else _find_names_file(place)
    if declaration is not None:
        cases = find_cases_file(place, declaration)
        called = name or cases.name
        text, *_ = decode(
            read_file(str(declaration), wants["limit"]), declaration.name, wants["encoding"]
        )
        data = read_file(str(cases), wants["limit"])
        rows, codec, reason = decode(data, called, wants["encoding"])
        sheet = from_c45_files(text, rows, declaration.name, called)
        return record_encoding(sheet, hashlib.sha256(data).hexdigest(), codec, reason)
    data = read_file(path, wants["limit"])
    called = name or ("standard input" if path == "-" else place.name)
    return _from_bytes(data, called, place.name.lower().removesuffix(".gz"), wants)


def _find_names_file(place: Path) -> Path | None:
    """Return the .names file if the path means C4.5's form: a file that exists is itself."""
    if is_file(place) and place.suffix not in (".names", ".c45-names", ".data", ".test", ".cases"):
        return None
    return find_names_file(place)


def _from_open_file(stream: Any, name: str | None, wants: Mapping[str, Any]) -> RawTable:  # noqa: ANN401
    found = _read_stream(stream, name, wants["limit"])
    title = getattr(stream, "name", None)
    called = name or (Path(title).name if isinstance(title, str) else "stream")
    hint = title.lower().removesuffix(".gz") if isinstance(title, str) else ""
    if isinstance(found, str):
        return _from_text(found.removeprefix("\ufeff"), called, hint, wants)
    return _from_bytes(decompress(found, called, wants["limit"]), called, hint, wants)


def _read_stream(stream: Any, name: str | None, limit: float | str | None) -> Any:  # noqa: ANN401
    """Return all that an open file gives, bytes or text, within the memory there is."""
    most, size, pieces = max_read_bytes(limit), 0, []
    try:
        piece = stream.read(CHUNK_BYTES)
    except TypeError:  # it has but one way to be read: whole
        return stream.read()
    while piece:
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise too_large_error(name or "stream", most)
        piece = stream.read(CHUNK_BYTES)
    return pieces[0][:0].join(pieces) if pieces else b""


def _from_bytes(data: bytes, name: str, hint: str, wants: Mapping[str, Any]) -> RawTable:
    if data.startswith(b"PAR1") or hint.endswith((".parquet", ".pq")):
        sheet = from_parquet(data, name, max_read_bytes(wants["limit"]))
        sheet.source["sha256"] = hashlib.sha256(data).hexdigest()
        return sheet
    if not data and not hint.endswith(JSON_LINES_SUFFIXES):
        raise DataError("empty_file", source=name)
    text, codec, reason = decode(data, name, wants["encoding"])
    sheet = _from_text(text, name, hint, wants)
    return record_encoding(sheet, hashlib.sha256(data).hexdigest(), codec, reason)


def _from_text(text: str, name: str, hint: str, wants: Mapping[str, Any]) -> RawTable:
    if hint.endswith(JSON_SUFFIXES) or (
        not hint.endswith(DELIMITED_SUFFIXES) and JSON_START.match(text)
    ):
        return from_json(text, name, has_lines=hint.endswith(JSON_LINES_SUFFIXES))
    if hint.endswith(".arff") or is_arff(text):
        return from_arff(text, name)
    separator = wants["separator"] or ("\t" if hint.endswith((".tsv", ".tab")) else None)
    how = {"keeps_ends": wants["ends"]}
    return from_delimited(text, name, separator, wants["names"], wants["hints"], **how)


def record_encoding(sheet: RawTable, sha256: str, codec: str, reason: str) -> RawTable:
    """Say in the sheet how its bytes were read."""
    sheet.source |= {"encoding": codec, "encoding_reason": reason, "sha256": sha256}
    if codec != "UTF-8" and reason != "told":
        key = "note_encoding_mark" if reason == "bom" else "note_encoding"
        sheet.notes.insert(0, Note(key, {"source": sheet.name, "encoding": codec}))
    return sheet
