"""Model files: a tree as versioned JSON, written atomically and validated when it is read."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import os
import platform
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from penjing import arguments
from penjing.data.read.example_files import is_example
from penjing.data.read.files import (
    MEMORY_PER_BYTE,
    decompressed_size,
    is_file,
    is_gzip,
    max_read_bytes,
    read_file,
    too_large_error,
)
from penjing.data.scratch import format_bytes, try_lock
from penjing.data.table import Field
from penjing.errors import DataError, NoFileError, PenjingError
from penjing.tree.nodes import LEAF, Ids, Nodes
from penjing.tree.record_columns import ColumnError, from_columns, to_columns
from penjing.tree.split import NO_BRANCH, Surrogate
from penjing.tree.steps import Steps
from penjing.tree.tree_data import TreeData
from penjing.tree.validate import PRESENT, first_misfit, misfit, shapes

FORMAT = 2
"""The number of the format written here; every number up to it can be read."""
MAX_DECISIONS = 200
"""Of more decisions of a pruning, a model keeps only those about its own nodes."""
ROWS_OF_COLUMNS = 20
"""More decisions of a pruning, or nodes of a skeleton, are written as columns."""
MAX_WEIGHT = 1e300
"""Sums of weights up to this do not overflow."""
MAX_QUOTED = 120
"""The largest number of characters of a JSON path in an error message."""
TEMPORARY_PREFIX = f".penjing-{zlib.crc32(platform.node().encode()):08x}-"
"""The start of the names of temporary files on this machine; the process id follows."""
TABLE_SUFFIXES = (
    *(".csv", ".tsv", ".tab", ".parquet", ".pq", ".arff", ".jsonl", ".ndjson"),
    *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
)
"""Endings of the names of tables, which no model has."""

MAX_BYTES = 2**31
"""A larger model file is refused before it is read."""

_KEYS: dict[str, Any] = {
    "format": int,
    "penjing": str,
    "recipe": dict,
    "schema": list,
    "target": dict,
    "centre": (int, float),
    "nodes": list,
    "about": dict,
    "trace": (dict, type(None)),
}
_OPTIONAL_KEYS: dict[str, Any] = {"reading": dict, "sketch": list, "skeleton": dict}
"""Keys since format 2 that a model may lack: how its table was read, what pictures need."""
_TYPE_WORDS: dict[Any, str] = {
    int: "an integer", str: "a string", dict: "an object", list: "a list",
    (int, float): "a number", (dict, type(None)): "an object or null",
}  # fmt: skip
"""What messages call the types of keys."""
_NODE_KEYS = {
    "parent", "column", "cut", "gap", "levels", "total", "gain", "score", "missing", "surrogates",
    "answer",
}  # fmt: skip
_SURROGATE_KEYS = {"column", "cut", "below", "groups", "agreement", "adjusted", "is_used"}
_FIELD_KEYS = {"name", "kind", "levels"}
_KINDS = ("nominal", "ordered", "numeric")


def to_json(tree: TreeData) -> dict[str, Any]:
    """Return a tree as plain data: dicts, lists, strings, numbers; no NaN.

    Examples
    --------
    >>> import penjing
    >>> data = to_json(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    >>> data["nodes"][1]
    {'parent': 0, 'levels': [0], 'total': [1, 0]}
    """
    nodes = tree.nodes
    rows = []
    cuts, totals = nodes.cut.tolist(), nodes.total.tolist()
    for i, (parent, column) in enumerate(
        zip(nodes.parent.tolist(), nodes.column.tolist(), strict=True)
    ):
        row: dict[str, Any] = {"parent": parent}
        if len(codes := nodes.levels(i)):
            row["levels"] = codes.tolist()
        row["total"] = [_number(v) for v in totals[i]]
        if i in nodes.answers:
            answer = nodes.answers[i]
            row["answer"] = float(answer) if tree.is_regression else int(answer)
        if column != LEAF:
            row |= {
                "column": column,
                "gain": float(nodes.gain[i]),
                "score": float(nodes.score[i]),
            }
            if not math.isnan(cuts[i]):
                # JSON has no infinity; null is a split into known and missing values.
                row["cut"] = cuts[i] if math.isfinite(cuts[i]) else None
                if nodes.gap is not None and np.isfinite(nodes.gap[i]).all():
                    row["gap"] = nodes.gap[i].tolist()
            if nodes.missing is not None and nodes.missing[i] != NO_BRANCH:
                row["missing"] = int(nodes.missing[i])
            if i in nodes.surrogates:
                row["surrogates"] = [_surrogate_to_json(s) for s in nodes.surrogates[i]]
        rows.append(row)
    optional = {key: getattr(tree, key) for key in _OPTIONAL_KEYS}
    about = dict(tree.about)
    if "pruning" in about:
        about["pruning"] = [_without_gone_nodes(record) for record in about["pruning"]]
    return {
        "format": FORMAT,
        "penjing": _version(),
        "recipe": dict(tree.recipe),
        "target": _field_to_json(tree.target),
        "schema": [_field_to_json(field) for field in tree.schema],
        "centre": tree.centre,
        "nodes": rows,
        "about": about,
        "trace": _plain_trace(tree.kept_trace),
    } | {key: value for key, value in optional.items() if value is not None}


def _plain_trace(trace: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a trace as plain data; steps that were not asked for yet are computed."""
    if trace is None:
        return None
    steps = trace["steps"]
    return dict(trace) | {"steps": steps.as_list() if isinstance(steps, Steps) else steps}


def _without_gone_nodes(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record of a pruning as a model file keeps it.

    Of more than `MAX_DECISIONS`, those about nodes that are gone are left out, and
    ``n_decisions`` says how many there were.
    """
    decisions = record.get("decisions", ())
    if len(decisions) <= MAX_DECISIONS:
        return record
    kept = [decision for decision in decisions if not decision.get("is_gone")]
    left_out = {} if len(kept) == len(decisions) else {"n_decisions": len(decisions)}
    return left_out | dict(record) | {"decisions": kept}


def _in_columns(plain: dict[str, Any], nodes: Nodes) -> dict[str, Any]:
    """Return a model with many decisions of a pruning, and a large skeleton, as columns."""
    if "pruning" in plain["about"]:
        weights = _weights(nodes, is_number=plain["target"]["kind"] == "numeric")
        records = [_decisions_in_columns(record, weights) for record in plain["about"]["pruning"]]
        plain |= {"about": plain["about"] | {"pruning": records}}
    skeleton = plain.get("skeleton")
    if skeleton is not None and len(skeleton["nodes"]) > ROWS_OF_COLUMNS:
        columns = to_columns(skeleton["nodes"], "parent")
        plain |= {"skeleton": skeleton | {"nodes": columns or skeleton["nodes"]}}
    return plain


def _decisions_in_columns(record: Mapping[str, Any], weights: Sequence[float]) -> Mapping[str, Any]:
    """Return the record of a pruning with its decisions as columns if they are many.

    A column that follows from others is left out, see `_implied`.
    """
    decisions = record.get("decisions", ())
    if len(decisions) <= ROWS_OF_COLUMNS:
        return record
    follows = {
        key
        for key, value_of in _implied(weights).items()
        if all((value := value_of(d)) is not None and value == d.get(key) for d in decisions)
    }
    decisions = [{k: v for k, v in each.items() if k not in follows} for each in decisions]
    columns = to_columns(decisions, "node")
    return record if columns is None else dict(record) | {"decisions": columns}


def _implied(
    weights: Sequence[float],
) -> dict[str, Callable[[Mapping[str, Any]], float | int | None]]:
    """Return functions of a decision for what may follow from it, None where it does not.

    The measure of the tree with a leaf instead follows from that of the tree as it is; rows are
    the weight of the node if that is still in the tree.
    """

    def rows(decision: Mapping[str, Any]) -> float | int | None:
        now: Any = decision.get("now")
        is_node = _is_int(now) and 0 <= now < len(weights)
        return _number(weights[now]) if is_node else None

    return {"rows": rows, "tree_as_leaf": _tree_as_leaf}


def _weights(nodes: Nodes, *, is_number: bool) -> list[float]:
    """Return the weight of each node; a copy in one piece, so that sums always round alike."""
    if is_number:
        return nodes.total[:, 0].tolist()  # type: ignore[no-any-return]
    return np.ascontiguousarray(nodes.total).sum(axis=1).tolist()  # type: ignore[no-any-return]


def _tree_as_leaf(decision: Mapping[str, Any]) -> float | int | None:
    """Return the measure of the tree with a leaf instead, from that of the tree as it is."""
    numbers = [decision.get(key) for key in ("tree_kept", "as_leaf", "kept")]
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in numbers):
        return None
    tree_kept, as_leaf, kept = (float(v) for v in numbers if v is not None)
    value = tree_kept + (as_leaf - kept)
    return _number(value) if math.isfinite(value) else None


def _with_decisions(plain: dict[str, Any], nodes: Nodes, source: str) -> dict[str, Any]:
    """Return a model with the decisions of its prunings as lists."""
    if not isinstance(records := plain["about"].get("pruning"), list):
        return plain
    weights = _weights(nodes, is_number=plain["target"]["kind"] == "numeric")
    records = [
        _decisions_from_columns(record, weights, source, f"about.pruning[{i}]")
        for i, record in enumerate(records)
    ]
    return plain | {"about": plain["about"] | {"pruning": records}}


def _decisions_from_columns(
    record: Any,  # noqa: ANN401 - unchecked input
    weights: Sequence[float],
    source: str,
    at: str,
) -> Any:  # noqa: ANN401
    """Return the record of a pruning with its decisions as a list."""
    columns = record.get("decisions") if isinstance(record, dict) else None
    if not isinstance(columns, dict):
        return record
    decisions = _rows_of(columns, "node", source, f"{at}.decisions")
    for key, value_of in _implied(weights).items():
        if key not in columns:
            for decision in decisions:
                if (value := value_of(decision)) is not None:
                    decision[key] = value
    return record | {"decisions": decisions}


def _rows_of(columns: dict[str, Any], first: str, source: str, at: str) -> list[dict[str, Any]]:
    """Return the records of columns."""
    try:
        return from_columns(columns, first)
    except ColumnError as error:
        raise _broken(source, at + error.at, error.expected) from None


def save(tree: TreeData, path: str | Path) -> None:
    """Write a tree to a file; an interruption leaves the old file unchanged.

    A name that ends in ``.gz`` is compressed.
    """
    arguments.path("path", path)
    data = to_bytes(tree)
    if str(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_atomically(path, data)


def to_bytes(tree: TreeData) -> bytes:
    """Return the content of a model file: JSON with one node, step or decision a line."""
    plain = _in_columns(to_json(tree), tree.nodes)
    try:
        return (_text(plain, _ENCODER) + "\n").encode("utf-8")
    except UnicodeEncodeError:  # an unpaired surrogate has an escape, but no UTF-8
        return (_text(plain, _ASCII_ENCODER) + "\n").encode("ascii")


_COMPACT: dict[str, Any] = {"allow_nan": False, "separators": (",", ":")}
_ENCODER = json.JSONEncoder(ensure_ascii=False, **_COMPACT)
_ASCII_ENCODER = json.JSONEncoder(**_COMPACT)


def _text(value: Any, encoder: json.JSONEncoder, *, is_model: bool = True) -> str:  # noqa: ANN401
    """Return JSON with an item of a list of objects a line; other values take one line."""
    if isinstance(value, dict) and (is_model or any(map(_is_records, value.values()))):
        parts = (
            f"{encoder.encode(key)}:{_text(part, encoder, is_model=False)}"
            for key, part in value.items()
        )
        return "{\n" + ",\n".join(parts) + "\n}"
    if _is_records(value):
        return "[\n" + ",\n".join(_text(part, encoder, is_model=False) for part in value) + "\n]"
    return encoder.encode(value)


def _is_records(value: Any) -> bool:  # noqa: ANN401 - plain data
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file completely or not at all; see `open_atomically`."""
    with open_atomically(path) as file:
        file.write(data)


@contextmanager
def open_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a temporary file next to a path, and rename it to the path at the end.

    For a symbolic link, the file that it points to is replaced. A pipe or a device is written to
    directly.
    """
    path = Path(os.path.realpath(arguments.path("path", path)))
    try:
        if path.is_dir():
            raise DataError("output_is_folder", path=path)
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        _remove_stale_files(path.parent)
        handle, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=f"{TEMPORARY_PREFIX}{os.getpid()}-"
        )
        try_lock(handle)  # the system releases the lock when this process ends
    except PenjingError:  # raised by the caller's code; some are also OSErrors
        raise
    except OSError as error:
        raise DataError("cannot_write", path=path, reason=error.strerror) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, PenjingError):
            raise
        raise DataError("cannot_write", path=path, reason=error.strerror) from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _remove_stale_files(folder: Path) -> None:
    """Remove the temporary files of processes on this machine that have ended.

    A writer holds a lock on its file. Between creating and locking it, its process is running.
    """
    for entry in os.scandir(folder):
        process = entry.name.removeprefix(TEMPORARY_PREFIX).partition("-")[0]
        if (
            not entry.name.startswith(TEMPORARY_PREFIX)
            or not process.isdecimal()
            or _is_running(int(process))
        ):
            continue
        with suppress(OSError):
            handle = os.open(entry.path, os.O_RDWR)
            try:
                if try_lock(handle):
                    Path(entry.path).unlink()
            finally:
                os.close(handle)


def _is_running(process: int) -> bool:
    """Whether a process of this id is running; always False on Windows, where the lock decides."""
    if os.name == "nt":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def load(path: str | Path) -> TreeData:
    """Read a tree from a file that `TreeData.save` wrote.

    Raises
    ------
    DataError
        If the file is not a model, is truncated, has a newer format, or has any part that a
        model does not have.
    """
    path = arguments.path("path", path)
    data = _read_bytes(path)
    try:
        return _from_bytes(data, path)
    except DataError as error:
        if error.key not in ("model_not_json", "model_truncated", "model_lacks_field"):
            raise
        from penjing.tree.from_file import kind_of_tree_file  # noqa: PLC0415 - seldom needed

        kind = kind_of_tree_file(data, str(path))
        file = Path(path).name.lower().removesuffix(".gz")
        if kind is None and (is_example(path) or file.endswith(TABLE_SUFFIXES)):
            raise DataError("model_is_table", path=path) from None
        if kind is None:
            raise
        key = {"dict": "model_is_dict", "text": "model_is_text"}[kind]
        raise DataError(key, path=path) from None


def _from_bytes(data: bytes, path: str | Path) -> TreeData:
    """Return the tree of the content of a model file."""
    try:
        plain = json.loads(
            data.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite_float
        )
    except RecursionError:
        raise DataError("model_not_json", path=path) from None
    except ValueError as error:
        key = "model_truncated" if _is_cut_off(error) else "model_not_json"
        raise DataError(key, path=path) from None
    return from_json(plain, str(path))


def _read_bytes(path: str | Path) -> bytes:
    """Return the decompressed content of a model file, up to the largest size of a model."""
    limit = min(MAX_BYTES, max_read_bytes())
    name = os.fspath(path)
    try:
        if is_file(name) and is_gzip(name) and decompressed_size(name, limit) > limit:
            raise too_large_error(name, limit)
        return read_file(name, limit * MEMORY_PER_BYTE)
    except DataError as error:
        key = {
            "too_much_to_read": "model_too_large",
            "no_such_file": "no_model_file",
            "no_such_file_near": "no_model_file",
            "bad_gzip": "model_truncated",
        }.get(error.key)
        if key is None:
            raise
        kind = NoFileError if key == "no_model_file" else DataError
        raise kind(key, path=path, limit=format_bytes(limit)) from None


def _is_cut_off(error: ValueError) -> bool:
    """Whether a text is invalid JSON only because its end is missing."""
    if isinstance(error, UnicodeDecodeError):
        return error.reason == "unexpected end of data"
    if not isinstance(error, json.JSONDecodeError):
        return False
    rest = error.doc[error.pos :].strip()
    if error.msg.startswith(("Unterminated string", "Invalid \\u")):
        return not rest.endswith("}")
    tokens = ("true", "false", "null", "-", ".", "e-", "e+")
    return any(token.startswith(rest) for token in tokens)


def from_json(plain: Any, source: str = "model") -> TreeData:  # noqa: ANN401 - unchecked input
    """Return the tree of plain data; every part is validated."""
    _check(isinstance(plain, dict), source, "", "an object")
    if isinstance(plain.get("format"), int) and plain["format"] > FORMAT:
        raise DataError("model_newer", path=source, found=plain["format"], known=FORMAT)
    for key, kind in _KEYS.items():
        _check(key in plain, source, key, PRESENT)
        is_number = not isinstance(plain[key], bool)
        _check(isinstance(plain[key], kind) and is_number, source, key, _TYPE_WORDS[kind])
    _check(plain["format"] >= 1, source, "format", "at least 1")
    optional = _OPTIONAL_KEYS if plain["format"] > 1 else {}
    for key, value in plain.items():
        _check(key in _KEYS or key in optional, source, key, "absent (no such key is known)")
        kind = optional.get(key, object)
        _check(isinstance(value, kind), source, key, _TYPE_WORDS.get(kind, ""))
    plain = _upgrade(plain, source)
    target = _field_from_json(plain["target"], source, "target")
    schema = tuple(
        _field_from_json(f, source, f"schema[{i}]") for i, f in enumerate(plain["schema"])
    )
    names = [field.name for field in schema]
    _check(len(set(names)) == len(names), source, "schema", "of different names")
    has_answers = target.is_numeric or len(target.levels) > 0
    _check(has_answers, source, "target.levels", "at least one class")
    nodes = _nodes_from_json(plain["nodes"], schema, target, source)
    plain = _with_decisions(plain, nodes, source)
    _check_skeleton(plain.get("skeleton"), schema, target, source)
    _check_sketches(plain.get("sketch"), nodes, schema, target, source)
    centre = _numbers([plain["centre"]], 1, source, "centre")[0]
    if misfit := first_misfit(plain, len(nodes), len(schema), len(target.levels)):
        raise _broken(source, *misfit)
    _check_distributions(plain["about"].get("columns", []), schema, source)
    parts = plain["recipe"], centre, plain["about"], plain["trace"]
    return TreeData(nodes, schema, target, *parts, *(plain.get(key) for key in _OPTIONAL_KEYS))


def _check_skeleton(
    skeleton: dict[str, Any] | None, schema: tuple[Field, ...], target: Field, source: str
) -> None:
    """Raise an error if a skeleton is not a tree for the columns and the target of a model."""
    if skeleton is None:
        return
    rows = skeleton.get("nodes")
    _check(isinstance(rows, list), source, "skeleton.nodes", "a list")
    keys = ({"parent", "levels", "total", "column", "cut"}, {"gain": 0, "score": 0})
    for i, row in enumerate(rows or ()):
        is_valid = isinstance(row, dict) and row.keys() <= keys[0]
        _check(is_valid, source, f"skeleton.nodes[{i}]", "an object with keys of a skeleton")
    full = [row | keys[1] if "column" in row else row for row in rows or ()]
    _nodes_from_json(full, schema, target, source, "skeleton.nodes")
    n_nodes = skeleton.get("n_nodes")
    is_valid = isinstance(n_nodes, int) and not isinstance(n_nodes, bool) and n_nodes >= len(full)
    _check(is_valid, source, "skeleton.n_nodes", "a number of nodes")


def _check_sketches(
    sketches: list[Any] | None,
    nodes: Nodes,
    schema: tuple[Field, ...],
    target: Field,
    source: str,
) -> None:
    """Raise an error if sketches are not those of splits of the model."""
    shape = shapes(len(nodes), len(schema))["sketch"]
    if found := misfit(sketches or [], shape, "sketch"):
        raise _broken(source, *found)
    n_classes = len(target.levels)
    for i, sketch in enumerate(sketches or ()):
        at = f"sketch[{i}]"
        column, codes = sketch["column"], sketch.get("codes", [])
        is_valid = nodes.column[sketch["node"]] == column
        _check(is_valid, source, f"{at}.column", "the column that the node splits on")
        classes = sketch.get("classes", [])
        is_valid = all(0 <= c < n_classes for c in classes) and len(set(classes)) == len(classes)
        _check(is_valid, source, f"{at}.classes", "different classes")
        is_valid = all(0 <= c < len(schema[column].levels) for c in codes)
        _check(is_valid, source, f"{at}.codes", "levels of the column")
        n_bins = len(sketch["bounds"]) + 1 if "bounds" in sketch else len(codes)
        is_valid = n_bins <= len(sketch["counts"]) <= n_bins + ("codes" in sketch)
        _check(is_valid, source, f"{at}.counts", "one entry for each bin")
        size = 3 if target.is_numeric else len(classes)
        rows = [*sketch["counts"], sketch.get("missing", [0.0] * size)]
        is_valid = all(size <= len(row) <= size + 1 for row in rows)
        _check(is_valid, source, f"{at}.counts", "a count for each class")
        bounds = sketch.get("bounds", [])
        is_valid = all(a < b for a, b in itertools.pairwise(bounds))
        _check(is_valid, source, f"{at}.bounds", "ascending")
        is_valid = len(sketch.get("range", [0, 0])) == 2
        _check(is_valid, source, f"{at}.range", "two numbers")


def _check_distributions(
    distributions: list[dict[str, Any]], schema: tuple[Field, ...], source: str
) -> None:
    """Raise an error if distributions are not those of columns of the model."""
    for i, distribution in enumerate(distributions):
        at, field = f"about.columns[{i}]", schema[distribution["column"]]
        key = "bounds" if field.is_numeric else "codes"
        _check(key in distribution, source, f"{at}.{key}", PRESENT)
        cells, counts = distribution[key], distribution["counts"]
        is_valid = len(counts) == len(cells) + 1 and min(counts) >= 0
        _check(is_valid, source, f"{at}.counts", "a count for each bin")
        is_valid = all(a < b for a, b in itertools.pairwise(cells))
        _check(is_valid, source, f"{at}.{key}", "ascending")
        is_valid = field.is_numeric or all(0 <= c < len(field.levels) for c in cells)
        _check(is_valid, source, f"{at}.{key}", "levels of the column")
        _check(distribution.get("missing", 0) >= 0, source, f"{at}.missing", "0 or more")


def _upgrade(plain: dict[str, Any], source: str) -> dict[str, Any]:
    """Return a model with its skeleton as a list, and one of an earlier format as the current."""
    skeleton = plain.get("skeleton")
    if skeleton is not None and isinstance(columns := skeleton.get("nodes"), dict):
        rows = _rows_of(columns, "parent", source, "skeleton.nodes")
        plain = plain | {"skeleton": skeleton | {"nodes": rows}}
    if plain["format"] > 1 or "reading" not in plain["about"]:
        return plain
    about = dict(plain["about"])
    return plain | {"reading": about.pop("reading"), "about": about}


def _nodes_from_json(  # noqa: PLR0915 - one check after the other
    rows: list[Any], schema: tuple[Field, ...], target: Field, source: str, where: str = "nodes"
) -> Nodes:
    n = len(rows)
    is_number = target.is_numeric
    size = 3 if is_number else len(target.levels)
    _check(n > 0, source, where, "at least one node")
    parent, column = np.full(n, -1, np.int32), np.full(n, LEAF, np.int32)
    cut, gain, score = np.full(n, np.nan), np.zeros(n), np.zeros(n)
    total, gap = np.zeros((n, size)), np.full((n, 2), np.nan)
    levels: list[list[int]] = []
    n_children = [0] * n
    has_gap = False
    for i, row in enumerate(rows):
        at = f"{where}[{i}]"
        _check(isinstance(row, dict), source, at, "an object")
        for key in row:
            _check(key in _NODE_KEYS, source, f"{at}.{key}", "absent (no such key is known)")
        up = row.get("parent")
        in_order = _is_int(up) and (up == -1 if i == 0 else max(int(parent[i - 1]), 0) <= up < i)
        _check(in_order, source, f"{at}.parent", "a node before this one, in breadth-first order")
        parent[i] = up
        if i:
            _check(column[up] != LEAF, source, f"{at}.parent", "a node that asks a question")
            n_children[up] += 1
        total[i] = _numbers(row.get("total"), size, source, f"{at}.total")
        weights = total[i, :1] if is_number else total[i]
        _check((weights >= 0).all(), source, f"{at}.total", "of no negative weight")
        _check(weights.max() <= MAX_WEIGHT, source, f"{at}.total", "of weights that can be added")
        by_level = i > 0 and math.isnan(cut[up])
        known = len(schema[column[up]].levels) if by_level else None
        levels.append(_codes(row.get("levels", []), i, known, source))
        if "column" not in row:
            extra = {"cut", "gap", "gain", "score", "missing", "surrogates"} & row.keys()
            _check(not extra, source, at, "a leaf without cut or gain")
            continue
        split_column = row["column"]
        _check(
            _is_int(split_column) and 0 <= split_column < len(schema),
            source,
            f"{at}.column",
            "a column",
        )
        column[i] = split_column
        gain[i], score[i] = (
            _numbers([row.get(k)], 1, source, f"{at}.{k}")[0] for k in ("gain", "score")
        )
        # A split into known and missing values (null) is possible for any column.
        is_missing_split = "cut" in row and row["cut"] is None
        is_valid = is_missing_split or ("cut" in row) == schema[split_column].has_order
        _check(is_valid, source, f"{at}.cut", "there for an order")
        if "cut" in row:
            cut[i] = (
                math.inf if is_missing_split else _numbers([row["cut"]], 1, source, f"{at}.cut")[0]
            )
        if "gap" in row:
            gap[i] = _numbers(row["gap"], 2, source, f"{at}.gap")
            _check(gap[i, 0] <= cut[i] < gap[i, 1], source, f"{at}.gap", "on both sides of the cut")
            has_gap = True
    for i in range(n):
        expected = 0 if column[i] == LEAF else 2 if not math.isnan(cut[i]) else None
        is_valid = n_children[i] == expected if expected is not None else n_children[i] >= 1
        _check(is_valid, source, f"{where}[{i}]", "the number of children its question has")
    taken: set[tuple[int, int]] = set()
    for i, codes in enumerate(levels):
        for code in codes:
            _check(
                (int(parent[i]), code) not in taken, source, f"{where}[{i}].levels", "taken once"
            )
            taken.add((int(parent[i]), code))
    start = np.append([0], np.cumsum([len(codes) for codes in levels])).astype(np.int64)
    flat = np.asarray([code for codes in levels for code in codes], np.int32)
    missing = _missing_from_json(rows, schema, n_children, source)
    gaps = gap if has_gap else None
    answers = _answers_from_json(rows, target, source)
    return Nodes(parent, column, cut, start, flat, total, gain, score, gaps, *missing, answers)


def _answers_from_json(rows: list[Any], target: Field, source: str) -> dict[int, float]:
    """Return the predictions of nodes that are not the majority, or the mean, of their rows."""
    answers = {i: row["answer"] for i, row in enumerate(rows) if "answer" in row}
    for i, answer in answers.items():
        at = f"nodes[{i}].answer"
        if target.is_numeric:
            answers[i] = float(_numbers([answer], 1, source, at)[0])
        else:
            is_class = _is_int(answer) and 0 <= answer < len(target.levels)
            _check(is_class, source, at, "a class")
    return answers


def _missing_from_json(
    rows: list[Any], schema: tuple[Field, ...], n_children: list[int], source: str
) -> tuple[Ids | None, dict[int, tuple[Surrogate, ...]]]:
    """Return the branch of missing values of each node, and its surrogates."""
    branches = np.full(len(rows), NO_BRANCH, np.int32)
    surrogates = {}
    for i, row in enumerate(rows):
        at = f"nodes[{i}]"
        if "missing" in row:
            is_valid = _is_int(row["missing"]) and 0 <= row["missing"] < n_children[i]
            _check(is_valid, source, f"{at}.missing", "a branch")
            branches[i] = row["missing"]
        if "surrogates" in row:
            _check(n_children[i] == 2, source, f"{at}.surrogates", "those of two branches")
            surrogates[i] = _surrogates_from_json(row["surrogates"], schema, source, at)
    return (branches if (branches > NO_BRANCH).any() else None), surrogates


def _surrogate_to_json(surrogate: Surrogate) -> dict[str, Any]:
    plain: dict[str, Any] = {"column": surrogate.column}
    if surrogate.cut is None:
        plain["groups"] = [codes.tolist() for codes in surrogate.groups]
    else:
        plain |= {"cut": surrogate.cut, "below": surrogate.below}
    plain |= {"agreement": surrogate.agreement, "adjusted": surrogate.adjusted}
    return plain if surrogate.is_used else plain | {"is_used": False}


def _surrogates_from_json(
    rows: Any,  # noqa: ANN401 - unchecked input
    schema: tuple[Field, ...],
    source: str,
    at: str,
) -> tuple[Surrogate, ...]:
    _check(isinstance(rows, list) and rows, source, f"{at}.surrogates", "a list of tests")
    surrogates = []
    for k, row in enumerate(rows):
        here = f"{at}.surrogates[{k}]"
        _check(isinstance(row, dict), source, here, "an object")
        for key in row:
            _check(key in _SURROGATE_KEYS, source, f"{here}.{key}", "absent (no such key is known)")
        column = row.get("column")
        _check(_is_int(column) and 0 <= column < len(schema), source, f"{here}.column", "a column")
        has_order = schema[column].has_order
        _check(("cut" in row) == has_order, source, f"{here}.cut", "there for an order")
        agreement, adjusted = (
            _numbers([row.get(key)], 1, source, f"{here}.{key}")[0]
            for key in ("agreement", "adjusted")
        )
        is_used = row.get("is_used", True)
        _check(isinstance(is_used, bool), source, f"{here}.is_used", "true or false")
        if has_order:
            cut = _numbers([row["cut"]], 1, source, f"{here}.cut")[0]
            _check(_is_int(row.get("below")) and row["below"] in (0, 1), source, here, "below 0, 1")
            surrogates.append(
                Surrogate(column, cut, row["below"], (), agreement, adjusted, is_used)
            )
            continue
        groups = row.get("groups")
        _check(isinstance(groups, list) and len(groups) == 2, source, here, "two groups")
        known = len(schema[column].levels)
        for codes in groups:
            is_valid = isinstance(codes, list) and all(_is_int(c) and 0 <= c < known for c in codes)
            _check(is_valid, source, f"{here}.groups", "levels of the column")
        flat = [c for codes in groups for c in codes]
        _check(len(set(flat)) == len(flat), source, f"{here}.groups", "different levels")
        arrays = tuple(np.asarray(codes, np.int32) for codes in groups)
        surrogates.append(Surrogate(column, None, 0, arrays, agreement, adjusted, is_used))
    return tuple(surrogates)


def _codes(codes: Any, i: int, known: int | None, source: str) -> list[int]:  # noqa: ANN401
    at = f"nodes[{i}].levels"
    _check(isinstance(codes, list) and all(_is_int(c) for c in codes), source, at, "whole numbers")
    by_level = known is not None
    _check(bool(codes) == by_level, source, at, "there for a branch of a nominal question")
    _check(all(0 <= c < (known or 0) for c in codes), source, at, "levels of the parent's column")
    return list(codes)


def _field_to_json(field: Field) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": field.name, "kind": field.kind}
    if not field.is_numeric:
        plain["levels"] = list(field.levels)
    return plain


def _field_from_json(plain: Any, source: str, at: str) -> Field:  # noqa: ANN401
    _check(isinstance(plain, dict), source, at, "an object")
    for key in plain:
        _check(key in _FIELD_KEYS, source, f"{at}.{key}", "absent (no such key is known)")
    _check(isinstance(plain.get("name"), str), source, f"{at}.name", "a text")
    _check(plain.get("kind") in _KINDS, source, f"{at}.kind", " or ".join(_KINDS))
    levels = plain.get("levels", [])
    is_list = isinstance(levels, list)
    is_plain = is_list and all(isinstance(v, str | int | float | bool) for v in levels)
    _check(is_plain, source, f"{at}.levels", "a list of texts or numbers")
    is_finite = all(math.isfinite(v) for v in levels if isinstance(v, float))
    _check(is_finite, source, f"{at}.levels", "a list of texts or finite numbers")
    _check(len(set(levels)) == len(levels), source, f"{at}.levels", "different from each other")
    return Field(plain["name"], plain["kind"], tuple(levels))


def _numbers(values: Any, n: int, source: str, at: str) -> list[float]:  # noqa: ANN401
    is_valid = isinstance(values, list) and len(values) == n
    is_valid = is_valid and all(
        isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < math.inf for v in values
    )
    _check(is_valid, source, at, f"{n} finite number{'' if n == 1 else 's'}")
    try:
        return [float(v) for v in values]
    except OverflowError:
        raise DataError("model_broken", path=source, at=at, expected="smaller numbers") from None


def _check(holds: object, source: str, at: str, expected: str) -> None:
    if not holds:
        raise _broken(source, at, expected)


def _broken(source: str, at: str, expected: str) -> DataError:
    """Return the error for an invalid part of a model; a very long path is shortened."""
    short = at if len(at) <= MAX_QUOTED else at[:MAX_QUOTED] + "…"
    if expected == PRESENT:
        return DataError("model_lacks_field", path=source, at=_printable(short))
    if not short:
        return DataError("model_not_object", path=source)
    return DataError("model_broken", path=source, at=_printable(short), expected=expected)


def _printable(text: str) -> str:
    """Return a text without line ends, control characters and unpaired surrogates."""
    plain = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c.isprintable() else "·" for c in plain)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _finite_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_constant(text)


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _version() -> str:
    from penjing import __version__  # noqa: PLC0415 - the package imports this module

    return __version__
