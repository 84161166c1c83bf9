"""Files of the command line: tables, models, and the training rows that a model came from."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penjing.cli.console import Voice, put_bytes
from penjing.errors import ChoiceError, DataError, PenjingError, unknown_name_error

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.read.raw_columns import RawTable
    from penjing.data.table import Column, Field, Table

STDIN = "-"


@dataclass(frozen=True)
class Reading:
    """How a table is to be read: the options of the command line as `penjing.read` wants them."""

    target: str | None = None
    schema: str | None = None
    markers: Sequence[str] | None = None
    encoding: str | None = None
    separator: str | None = None
    names: str | None = None
    keep: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    weight: str | None = None
    dates: str | None = None
    memory_limit: str | None = None

    def table(self, voice: Voice, path: str, data: SourceFile | None = None) -> Table:
        """Return the table of a file; where the target is not clear, ask on a terminal."""
        data = data or SourceFile(path, self.memory_limit)
        try:
            found = self._read(data, self.target)
        except ChoiceError as error:
            if error.key != "no_target" or not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise
            asked = voice.ask("ask_target", known=error.values["known"])
            if not asked:
                raise
            found = self._read(data, asked)
        return replace(found, source={**found.source, "path": path})

    def overview(self, voice: Voice, path: str) -> tuple[Table, dict[str, Any]]:
        """Return the table of a file, and what it holds in the order of the file."""
        from penjing.data.profile import profile_table  # noqa: PLC0415 - heavy

        data = SourceFile(path)
        table = self.table(voice, path, data)
        sheet = self.sheet(data)
        cells = sheet.by_name()
        examples = {
            name: cells[name].plain_levels()[:3] for name, _ in table.left_out if name in cells
        }
        return table, profile_table(table, sheet.names, examples)

    def _read(self, data: SourceFile, target: str | None) -> Table:
        from penjing.data.read import read  # noqa: PLC0415 - heavy

        return read(
            data.source(),
            target,
            self.wishes(),
            missing=self.markers or None,
            weight=self.weight,
            keep=self.keep or (),
            dates=self.dates,
            **self._divided(data),
        )

    def _divided(self, data: SourceFile) -> dict[str, Any]:
        """Return how a file is decoded and divided into cells."""
        return {
            "name": data.name,
            "encoding": self.encoding,
            "names": self.column_names(),
            "separator": self.divider(),
            "memory_limit": self.memory_limit,
        }

    def column_names(self) -> list[str] | None:
        """Return the names of columns that have no header."""
        return self.names.split(",") if self.names else None

    def divider(self) -> str | None:
        """Return what divides cells; a tab may be spelled."""
        return "\t" if self.separator in ("\\t", "tab") else self.separator

    def rows(
        self,
        voice: Voice,
        path: str,
        fields: Sequence[Field],
        target: Field | None,
        *,
        needed: Collection[str] | None = None,
        data: SourceFile | None = None,
        missing: Any = None,  # noqa: ANN401 - as in `read`
    ) -> Table:
        """Return the rows of a file with the columns of a tree, or of another table.

        ``missing`` are the markers of the tree; those of the command line come first.
        """
        from penjing.data.read import read  # noqa: PLC0415
        from penjing.predict.inputs import align_to  # noqa: PLC0415 - heavy

        data = data or SourceFile(path)
        said = self._said_of(fields)
        there = {field.name for field in fields} if needed is None else set(needed)
        there -= said.ignored
        found = read(
            data.source(),
            False if target is None else replace(target, name=said.target or target.name),
            [field for field in fields if field.name in there],
            missing=self.markers or missing,
            weight=said.weight,
            keep=[] if said.target is None else [said.target],
            **self._divided(data),
        )
        voice.notes(found.notes)
        if said.target is not None and target is not None and found.target is not None:
            found = replace(found, target=_renamed(found.target, target.name))
        return align_to(fields, target, found, there)

    def _said_of(self, fields: Sequence[Field]) -> _Said:
        """Return what the options say of columns whose kinds are settled, or refuse it."""
        from penjing.data.read.schema import parse_column_spec  # noqa: PLC0415 - heavy

        asked = {name: parse_column_spec(name, said) for name, said in self.wishes().items()}
        kinds = {field.name: field.kind for field in fields}
        roles: dict[str, str] = {}
        for name, wish in asked.items():
            roles.setdefault(wish.kind, name)
            is_kind = wish.kind in ("nominal", "ordered", "numeric")
            if is_kind and kinds.get(name, wish.kind) != wish.kind:
                raise ChoiceError("schema_not_models", column=name, kind=kinds[name])
        return _Said(
            self.target or roles.get("target"),
            self.weight or roles.get("weight"),
            frozenset(name for name, wish in asked.items() if wish.kind == "ignore"),
        )

    def named_for(self, tree: Tree) -> list[str]:
        """Return the columns that a table for a tree must have because an option names them."""
        said = self._said_of(tree.schema)
        return [name for name in (said.target, said.weight) if name is not None]

    def refuse_ignored(self, *trees: Tree) -> frozenset[str]:
        """Return the columns to be left out; none of them may be one that a tree splits on."""
        ignored = self._said_of([field for tree in trees for field in tree.schema]).ignored
        for name in sorted(ignored & {name for tree in trees for name in asked_by(tree)}):
            raise ChoiceError("ignored_is_asked", column=name)
        return ignored

    def missing_for(self, voice: Voice, *trees: Tree) -> Any:  # noqa: ANN401 - as in `read`
        """Return the markers that count for rows of these trees: those given, else their own."""
        from penjing.predict.inputs import markers_of  # noqa: PLC0415 - heavy

        kept = markers_of(*trees)
        if not self.markers:
            return kept
        if kept is not None and list(self.markers) != kept:
            from penjing.data.table import Note  # noqa: PLC0415 - heavy

            own = kept["only"] if isinstance(kept, dict) else kept
            told = {"said": list(self.markers), "kept": own}
            voice.notes([Note("note_other_markers", told)])
        return list(self.markers)

    def rows_for(
        self,
        voice: Voice,
        tree: Tree,
        path: str,
        data: SourceFile | None = None,
        *,
        with_target: bool = True,
    ) -> Table:
        """Return the rows of a file as a tree wants them; only what it asks must be there."""
        self.refuse_ignored(tree)
        target = tree.target if with_target else None
        how: dict[str, Any] = {"needed": asked_by(tree), "missing": self.missing_for(voice, tree)}
        return self.rows(voice, path, tree.schema, target, data=data, **how)

    def rows_for_both(self, voice: Voice, trees: Sequence[Tree], path: str) -> Table:
        """Return the rows of a file with all that either of two trees asks about."""
        from penjing.predict.inputs import markers_of  # noqa: PLC0415 - heavy

        self.refuse_ignored(*trees)
        fields = {field.name: field for tree in reversed(trees) for field in tree.schema}
        needed = {name for tree in trees for name in asked_by(tree)}
        how: dict[str, Any] = {"needed": needed, "missing": self.missing_for(voice, *trees)}
        table = self.rows(voice, path, list(fields.values()), trees[0].target, **how)
        if self.markers or markers_of(trees[0]) == markers_of(trees[1]):
            return table
        own = {key: value for key, value in table.source.items() if key != "reading"}
        return replace(table, source=own)  # each tree applies its own markers

    def sheet(self, data: SourceFile) -> RawTable:
        """Return the columns of a file as they were written."""
        from penjing.data.read.dispatch import read_source  # noqa: PLC0415 - heavy

        return read_source(data.source(), **self._divided(data))

    def wishes(self) -> dict[str, Any]:
        """Return what columns are said to be."""
        plain = _json(self.schema) if self.schema else {}
        return plain | dict.fromkeys(self.ignore or (), "ignore")


@dataclass(frozen=True)
class _Said:
    """What the options say of the columns of a file that is read for a tree."""

    target: str | None
    weight: str | None
    ignored: frozenset[str]


def _renamed(column: Column, name: str) -> Column:
    from penjing.data.table import Column, numeric  # noqa: PLC0415 - heavy

    if column.is_numeric:
        return numeric(name, column.numbers())
    return Column(name, column.kind, column.levels, column.codes)


def asked_by(tree: Tree) -> set[str]:
    """Return the names of the columns that a tree asks about."""
    return {tree.schema[c].name for c in set(tree.nodes.column[~tree.is_leaf].tolist())}


class SourceFile:
    """A file that may have to be read more than once; what comes only once is kept."""

    def __init__(self, path: str, memory_limit: str | None = None) -> None:
        from penjing.data.read.files import is_file, is_folder, path_exists, read_file  # noqa: PLC0415 - heavy

        self._path = path
        comes_once = path == STDIN or (path_exists(path) and not is_file(path))
        is_kept = comes_once and not is_folder(path)
        self._kept = read_file(path, memory_limit) if is_kept else None
        self.name = "standard input" if path == STDIN else Path(path).name if is_kept else None

    def source(self) -> str | bytes:
        """Return what `penjing.read` takes."""
        return self._path if self._kept is None else self._kept


def _json(value: str) -> dict[str, Any]:
    text = value
    try:
        if not value.lstrip().startswith("{"):
            text = Path(value).read_text("utf-8-sig")
        plain = json.loads(text)
    except (OSError, ValueError):
        raise ChoiceError("not_json_schema", value=value) from None
    if not isinstance(plain, dict):
        raise ChoiceError("schema_not_object", value=value)
    return plain


def one_row(voice: Voice, tree: Tree, text: str | None, path: str | None, reading: Reading) -> Any:  # noqa: ANN401
    """Return the row that somebody means: its number in a file, JSON, or 'column=value' pairs.

    The first of a file where nobody says which.
    """
    if text is None:
        if path is None:
            raise ChoiceError("explain_wants_row")
        text = "1"
    if path is not None:
        table = reading.rows_for(voice, tree, path, with_target=False)
        if not text.isdecimal() or not 1 <= int(text) <= table.n_rows:
            raise ChoiceError("explain_row_number", n=table.n_rows, row=text)
        return table.take([place == int(text) - 1 for place in range(table.n_rows)])
    try:
        plain = json.loads(text) if text.lstrip().startswith("{") else _pairs(text)
    except ValueError:
        raise ChoiceError("explain_not_row", text=text) from None
    from penjing.predict.inputs import align_to  # noqa: PLC0415 - heavy

    known = {field.name for field in tree.schema} | {tree.target.name}
    for name in plain:
        if name not in known:
            raise unknown_name_error("unknown_column", name, [field.name for field in tree.schema])
    ignored = {tree.target.name, *reading.refuse_ignored(tree)}
    row = {name: value for name, value in plain.items() if name not in ignored}
    if not (reading.markers and tree.schema):
        return row  # the tree applies its own
    whole = {field.name: row.get(field.name) for field in tree.schema}
    return align_to(tree.schema, None, [whole], missing=reading.missing_for(voice, tree))


def _pairs(text: str) -> dict[str, str | None]:
    """Return the values of 'column=value, column=value'; nothing after the sign is missing."""
    pairs = [part.split("=", 1) for part in text.replace("，", ",").split(",") if part.strip()]
    if not pairs or any(len(pair) < 2 for pair in pairs):
        raise ValueError(text)
    return {name.strip(): value.strip() or None for name, value in pairs}


def model(path: str) -> Tree:
    """Return the tree of a model file, or of standard input."""
    from penjing.api.load import load  # noqa: PLC0415
    from penjing.data.read.files import read_stdin  # noqa: PLC0415 - heavy
    from penjing.data.scratch import scratch_folder  # noqa: PLC0415

    if path != STDIN:
        return _checked(load(path), path)
    with scratch_folder() as folder:
        kept = folder / "model"
        kept.write_bytes(read_stdin())
        try:
            return _checked(load(kept), "standard input")
        except DataError as error:
            named = error.values | {"path": "standard input"}
            raise DataError(error.key, **named) from None


def _checked(tree: Tree, path: str) -> Tree:
    """Return a tree if what it says about itself has the form that the verbs rely on."""
    source, pruning = tree.about.get("source", {}), tree.about.get("pruning", [])
    records = isinstance(pruning, list) and all(
        isinstance(record, dict) and isinstance(record.get("validation", {}), dict)
        for record in pruning
    )
    wrong = {
        "about.source": not isinstance(source, dict),
        "about.pruning": not records,
        "about.ties": not _are_ties(tree, tree.about.get("ties", [])),
        "trace": tree.kept_trace is not None and not isinstance(tree.kept_trace.get("steps"), list),
    }
    for at, is_wrong in wrong.items():
        if is_wrong:
            raise DataError("model_broken", path=path, at=at, expected="as penjing writes it")
    return tree


def _are_ties(tree: Tree, ties: object) -> bool:
    def names(value: object, n: int) -> bool:
        return isinstance(value, int) and 0 <= value < n

    return isinstance(ties, list) and all(
        isinstance(tie, dict)
        and names(tie.get("node"), tree.n_nodes)
        and isinstance(tie.get("score"), int | float)
        and isinstance(tie.get("columns"), list)
        and all(names(column, len(tree.schema)) for column in tie["columns"])
        for tie in ties
    )


def save(voice: Voice, tree: Tree, path: str | None) -> None:
    """Write a model where it is wanted."""
    if path is None:
        return
    if path == STDIN:
        text = json.dumps(tree.to_json(), ensure_ascii=False, allow_nan=False, indent=1)
        put_bytes(text.encode() + b"\n")
        return
    tree.save(path)
    voice.note("saved", path=path)


def digest(path: str) -> str | None:
    """Return the fingerprint of a file's content, as `penjing.read` takes it."""
    from penjing.data.read.files import is_file, path_exists, read_file  # noqa: PLC0415 - heavy

    if path == STDIN or (path_exists(path) and not is_file(path)):  # a pipe can be read only once
        return None
    return hashlib.sha256(read_file(path)).hexdigest()


def are_same(one: str | None, other: str | None) -> bool:
    """Say whether two paths are one file, by name or by content."""
    if one is None or other is None:
        return False
    if one == other or os.path.realpath(one) == os.path.realpath(other):
        return True
    mine = digest(one)
    return mine is not None and mine == digest(other)


def training(
    voice: Voice, tree: Tree, model_path: str, train: str | None, reading: Reading
) -> Table | None:
    """Return the training rows of a tree: those named, or the file that the model names.

    A file that the model names counts only if its content is what it was. What the options say
    of columns may be meant for other tables; it counts where the file cannot be read without.
    """
    reading.refuse_ignored(tree)
    if train is not None:
        missing = reading.missing_for(voice, tree)
        return reading.rows(voice, train, tree.schema, tree.target, missing=missing)
    path = _remembered(tree, model_path)
    quiet = replace(voice, is_quiet=True)
    alone = replace(reading, target=None, schema=None, names=None, ignore=None, weight=None)
    for how in () if path is None else (alone, reading):
        try:
            missing = how.missing_for(quiet, tree)
            rows = how.rows(quiet, path or "", tree.schema, tree.target, missing=missing)
        except PenjingError:
            continue
        if rows.target is not None:
            return rows
    return None


def warn_of_test(
    voice: Voice, reading: Reading, trees: Mapping[str, Tree], path: str, rows: Table
) -> list[str]:
    """Say where rows are no test, since they grew or pruned a tree; return what was said.

    ``trees`` are the trees by the path of their models, ``rows`` those of the file at ``path``.
    """
    from penjing.evaluate.validation import not_a_test  # noqa: PLC0415 - heavy

    keys = [key for tree in trees.values() for key in not_a_test(tree, rows)]
    if not keys:
        keys = [
            "note_training_rows_tested"
            for model_path, tree in trees.items()
            if _are_its_rows(voice, reading, tree, model_path, path)
        ]
    for key in dict.fromkeys(keys):
        voice.note(key, source=path)
    return list(dict.fromkeys(keys))


def _are_its_rows(voice: Voice, reading: Reading, tree: Tree, model_path: str, path: str) -> bool:
    """Say whether another file has the very rows that a tree was grown from."""
    from penjing.data.repeated_rows import are_same_rows  # noqa: PLC0415 - heavy

    quiet = replace(voice, is_quiet=True)
    if path == STDIN or (taught := training(quiet, tree, model_path, None, reading)) is None:
        return False
    try:
        rows = reading.rows(
            quiet, path, tree.schema, tree.target, missing=reading.missing_for(quiet, tree)
        )
    except PenjingError:  # it lacks a column
        return False
    return are_same_rows(taught, rows)


def _remembered(tree: Tree, model_path: str) -> str | None:
    source = tree.about.get("source")
    if not isinstance(source, Mapping) or not isinstance(source.get("sha256"), str):
        return None
    named = [source[key] for key in ("path", "name") if isinstance(source.get(key), str)]
    beside = Path(model_path).parent
    for place in [Path(named[0]), *(beside / Path(name).name for name in named)] if named else []:
        try:
            if place.is_file() and digest(str(place)) == source["sha256"]:
                return str(place)
        except (DataError, OSError, ValueError):
            continue
    return None


def short_names(*paths: str) -> list[str]:
    """Return what files are called in a line: their names without ending and common beginning.

    Examples
    --------
    >>> short_names("a/Melon-train1.csv", "Melon-test1.csv"), short_names("x.csv")
    (['train1', 'test1'], ['x'])
    """
    stems = [Path(path).name.split(".")[0] or path for path in paths]
    alike = [len(set(letters)) == 1 for letters in zip(*stems, strict=False)]
    start = stems[0][: alike.index(False) if False in alike else len(alike)]
    at = max(start.rfind(c) for c in "-_ ") + 1
    return [stem[at:] or stem for stem in stems] if len(stems) > 1 else stems
