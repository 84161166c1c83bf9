"""Files named on the command line: tables, models, and the training rows of a model."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penjing.cli.console import Console, print_bytes
from penjing.errors import ChoiceError, DataError, PenjingError, unknown_name_error
from penjing.i18n import Names

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.read.raw_columns import RawTable
    from penjing.data.read.reading import FileLayout, Reading
    from penjing.data.table import Column, Field, Note, Table

STANDARD_STREAM = "-"
OPTION_NAMES = {
    "encoding": "--encoding",
    "separator": "--separator",
    "names": "--names",
    "sheet": "--sheet",
    "decimal": "--decimal",
    "fold_case": "--fold-case",
    "weight": "--weight",
}
"""The options by the keys under which a model stores them."""


@dataclass(frozen=True)
class ReadingOptions:
    """The options of the command line that say how a table is read."""

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
    decimal: str | None = None
    fold_case: bool = False
    sheet: str | None = None
    memory_limit: str | None = None

    def read_table(self, console: Console, path: str, data: SourceFile | None = None) -> Table:
        """Return the table of a file; on a terminal, ask for a target that cannot be inferred."""
        data = data or SourceFile(path, self.memory_limit)
        try:
            table = self._read(data, self.target)
        except ChoiceError as error:
            if error.key != "no_target" or not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise
            answer = console.prompt("ask_target", known=error.values["known"])
            if not answer:
                raise
            table = self._read(data, answer)
        return replace(table, source={**table.source, "path": path})

    def read_profile(self, console: Console, path: str) -> tuple[Table, dict[str, Any]]:
        """Return the table of a file, and its profile in the column order of the file."""
        from penjing.data.profile import profile_table  # noqa: PLC0415 - heavy

        data = SourceFile(path)
        table = self.read_table(console, path, data)
        raw = self.read_raw_table(data)
        columns = raw.by_name()
        examples = {
            name: columns[name].plain_levels()[:3] for name, _ in table.left_out if name in columns
        }
        return table, profile_table(table, raw.names, examples)

    def _read(self, data: SourceFile, target: str | None) -> Table:
        from penjing.data.read import read  # noqa: PLC0415 - heavy

        return read(
            data.source(),
            target,
            self.column_schema(),
            missing=self.markers or None,
            weight=self.weight,
            keep=self.keep or (),
            dates=self.dates,
            fold_case=self.fold_case,
            **self._parsing_options(data),
        )

    def _parsing_options(self, data: SourceFile) -> dict[str, Any]:
        """Return the arguments that say how a file is decoded and parsed."""
        return {
            "name": data.name,
            "encoding": self.encoding,
            "names": self.column_names(),
            "separator": self.separator_character(),
            "decimal": self.decimal,
            "sheet": self.sheet,
            "memory_limit": self.memory_limit,
        }

    def column_names(self) -> list[str] | None:
        """Return the column names of a file without header."""
        return self.names.split(",") if self.names else None

    def separator_character(self) -> str | None:
        """Return the separator of cells; a tab may be spelled out."""
        return "\t" if self.separator in ("\\t", "tab") else self.separator

    def read_rows(
        self,
        console: Console,
        path: str,
        fields: Sequence[Field],
        target: Field | None,
        *,
        needed: Collection[str] | None = None,
        data: SourceFile | None = None,
        like: Mapping[str, Any] | FileLayout | None = None,
        keeps_weight: bool = False,
    ) -> Table:
        """Return the rows of a file with the columns of a tree or of another table.

        ``like`` is how that table was read; the options of the command line take precedence.
        With ``keeps_weight`` rows without a target are weighted as in training, too.
        """
        from penjing.data.read import read  # noqa: PLC0415
        from penjing.predict.inputs import align_to  # noqa: PLC0415 - heavy

        data = data or SourceFile(path)
        roles = self._column_roles(fields)
        required = {field.name for field in fields} if needed is None else set(needed)
        required -= roles.ignored
        table = read(
            data.source(),
            False if target is None else replace(target, name=roles.target or target.name),
            [field for field in fields if field.name in required],
            missing=self.markers or None,
            weight=roles.weight,
            keep=[] if roles.target is None else [roles.target],
            fold_case=self.fold_case,
            like=like,
            keeps_weight=keeps_weight,
            **self._parsing_options(data),
        )
        console.print_notes(notes_beside_a_model(table.notes, required))
        if roles.target is not None and target is not None and table.target is not None:
            table = replace(table, target=_rename_column(table.target, target.name))
        return align_to(fields, target, table, required)

    def _column_roles(self, fields: Sequence[Field]) -> _ColumnRoles:
        """Return target, weight and ignored columns; kinds must be those of the fields."""
        from penjing.data.read.schema import KINDS, parse_column_spec  # noqa: PLC0415 - heavy

        specs = {
            name: parse_column_spec(name, value) for name, value in self.column_schema().items()
        }
        kinds = {field.name: field.kind for field in fields}
        by_role: dict[str, str] = {}
        for name, spec in specs.items():
            by_role.setdefault(spec.kind, name)
            is_kind = spec.kind in ("nominal", "ordered", "numeric")
            if is_kind and kinds.get(name, spec.kind) != spec.kind:
                word = next(word for word, kind in KINDS.items() if kind == kinds[name])
                raise ChoiceError("schema_not_models", column=name, kind=word)
        return _ColumnRoles(
            self.target or by_role.get("target"),
            self.weight or by_role.get("weight"),
            frozenset(name for name, spec in specs.items() if spec.kind == "ignore"),
        )

    def required_columns(self, tree: Tree) -> list[str]:
        """Return the columns that options name, which a table for the tree must have."""
        roles = self._column_roles(tree.schema)
        return [name for name in (roles.target, roles.weight) if name is not None]

    def check_ignored_columns(self, *trees: Tree) -> frozenset[str]:
        """Return the ignored columns, after checking that no tree splits on one."""
        ignored = self._column_roles([field for tree in trees for field in tree.schema]).ignored
        for name in sorted(ignored & {name for tree in trees for name in split_columns(tree)}):
            raise ChoiceError("ignored_is_asked", column=name)
        return ignored

    def reading_for(self, console: Console, *trees: Tree) -> FileLayout:
        """Return how the tables of these trees were read; note options that say otherwise."""
        from penjing.predict.inputs import layout_of, reading_of  # noqa: PLC0415 - heavy

        reading = reading_of(*trees)
        self._note_differences(console, reading or {})
        fields = [field for tree in trees for field in tree.schema]
        return layout_of(reading or {}, fields, trees[0].target)

    def merged_with(self, reading: Reading) -> Reading:
        """Return a model's reading in which the options of the command line take precedence."""
        from penjing.data.read.numbers import check_decimal  # noqa: PLC0415 - heavy

        given = {key: value for key, value in self._given().items() if key != "decimal"}
        if "names" in given:
            given["names"] = tuple(given["names"])
        return replace(reading.with_decimal(check_decimal(self.decimal)), **given)

    def layout_for(self, tree: Tree) -> FileLayout:
        """Return what is known about the layout of a file for a tree."""
        from penjing.data.read.reading import Reading  # noqa: PLC0415 - heavy
        from penjing.predict.inputs import layout_of  # noqa: PLC0415

        return layout_of(
            self.merged_with(Reading.from_json(tree.reading)), tree.schema, tree.target
        )

    def _given(self) -> dict[str, Any]:
        """Return the options as a model stores them."""
        given = {
            "missing": list(self.markers) if self.markers else None,
            "encoding": self.encoding,
            "separator": self.separator_character(),
            "names": self.column_names(),
            "sheet": self.sheet,
            "decimal": self.decimal,
            "fold_case": self.fold_case or None,
            "weight": self.weight,
        }
        return {key: value for key, value in given.items() if value is not None}

    def _note_differences(self, console: Console, reading: Mapping[str, Any]) -> None:
        """Note the options that differ from how the table of a model was read."""
        from penjing.data.notes import Note, quoted  # noqa: PLC0415 - heavy

        columns = reading.get("columns", {}).values()
        marks = sorted(
            {c["number"]["decimal"] for c in columns if "decimal" in c.get("number", {})}
        )
        for key, said in self._given().items():
            kept = reading.get(key)
            if key == "decimal" and kept is None:
                kept = next((mark for mark in marks if mark != said), None)
            if kept is None or kept == said:
                continue
            if key == "missing":
                own = kept["only"] if isinstance(kept, dict) else kept
                if own:
                    markers = {"said": quoted(said), "kept": quoted(own)}
                    console.print_notes([Note("note_other_markers", markers)])
                continue
            values = {"option": OPTION_NAMES[key], "said": quoted(said), "kept": quoted(kept)}
            console.print_notes([Note("note_other_reading", values)])
        if self.fold_case and not reading.get("fold_case"):
            console.print_notes([Note("note_folds_case")])

    def read_rows_for(
        self,
        console: Console,
        tree: Tree,
        path: str,
        data: SourceFile | None = None,
        *,
        with_target: bool = True,
        keeps_weight: bool = False,
    ) -> Table:
        """Return the rows of a file for a tree; its splits and surrogates need their columns."""
        self.check_ignored_columns(tree)
        target = tree.target if with_target else None
        options: dict[str, Any] = {
            "needed": columns_in_use(tree),
            "like": self.reading_for(console, tree),
            "keeps_weight": keeps_weight,
        }
        return self.read_rows(console, path, tree.schema, target, data=data, **options)

    def read_rows_for_all(
        self, console: Console, trees: Sequence[Tree], path: str, *, all_columns: bool = False
    ) -> Table:
        """Return the rows of a file with the columns that predictions depend on, or all columns."""
        from penjing.predict.inputs import reading_of  # noqa: PLC0415 - heavy

        self.check_ignored_columns(*trees)
        fields = {field.name: field for tree in reversed(trees) for field in tree.schema}
        used = {name for tree in trees for name in columns_in_use(tree)}
        needed = None if all_columns else used
        options: dict[str, Any] = {
            "needed": needed,
            "like": self.reading_for(console, *trees),
        }
        table = self.read_rows(console, path, list(fields.values()), trees[0].target, **options)
        kept = reading_of(trees[0])
        if self.markers or all(reading_of(tree) == kept for tree in trees):
            return table
        source = {key: value for key, value in table.source.items() if key != "reading"}
        return replace(table, source=source)  # each tree applies its own reading

    def read_raw_table(self, data: SourceFile) -> RawTable:
        """Return the columns of a file with their values as written."""
        from penjing.data.read.dispatch import read_source  # noqa: PLC0415 - heavy

        options = self._parsing_options(data)
        del options["decimal"]  # of values, which are not parsed here
        return read_source(data.source(), **options)

    def column_schema(self) -> dict[str, Any]:
        """Return the schema given by the options."""
        schema = {} if self.schema is None else _parse_schema(self.schema)
        return schema | dict.fromkeys(self.ignore or (), "ignore")


@dataclass(frozen=True)
class _ColumnRoles:
    """The roles that the options give to columns of a file read for a tree."""

    target: str | None
    weight: str | None
    ignored: frozenset[str]


def _rename_column(column: Column, name: str) -> Column:
    from penjing.data.table import Column, numeric  # noqa: PLC0415 - heavy

    if column.is_numeric:
        return numeric(name, column.numbers())
    return Column(name, column.kind, column.levels, column.codes)


def split_columns(tree: Tree) -> set[str]:
    """Return the names of the columns that a tree splits on."""
    return {tree.schema[c].name for c in set(tree.nodes.column[~tree.is_leaf].tolist())}


def notes_beside_a_model(notes: Iterable[Note], columns: Iterable[str]) -> list[Note]:
    """Return notes on a table for a model, without what the model has confirmed.

    If the table has a column with letters beyond ASCII that the model knows, its encoding is no
    guess, and needs no note.
    """
    is_confirmed = any(not name.isascii() for name in columns)
    return [note for note in notes if not (is_confirmed and note.key == "note_encoding")]


def columns_in_use(tree: Tree) -> set[str]:
    """Return the names of the columns that predictions depend on: of splits and of surrogates."""
    from penjing.predict.inputs import used_columns  # noqa: PLC0415 - heavy

    return {tree.schema[c].name for c in used_columns(tree)}


class SourceFile:
    """A file that may be read several times; the content of a pipe is stored."""

    def __init__(self, path: str, memory_limit: str | None = None) -> None:
        from penjing.data.read.files import is_file, is_folder, path_exists, read_file  # noqa: PLC0415 - heavy

        self._path = path
        comes_once = path == STANDARD_STREAM or (path_exists(path) and not is_file(path))
        is_kept = comes_once and not is_folder(path)
        self._content = read_file(path, memory_limit) if is_kept else None
        self.name = (
            "standard input" if path == STANDARD_STREAM else Path(path).name if is_kept else None
        )

    def source(self) -> str | bytes:
        """Return the path or content, as `penjing.read` accepts it."""
        return self._path if self._content is None else self._content


def _parse_schema(value: str) -> dict[str, Any]:
    text = value
    try:
        if not value.lstrip().startswith("{"):
            text = Path(value).read_text("utf-8-sig")
        schema = json.loads(text)
    except (OSError, ValueError):
        raise ChoiceError("not_json_schema", value=value) from None
    if not isinstance(schema, dict):
        raise ChoiceError("schema_not_object", value=value)
    return schema


def parse_row(
    console: Console, tree: Tree, text: str | None, path: str | None, reading: ReadingOptions
) -> Any:  # noqa: ANN401
    """Return one row, given by its number in a file, as JSON, or as 'column=value' pairs.

    Without a text it is the first row of the file.
    """
    if text is None:
        if path is None:
            raise ChoiceError("explain_wants_row")
        text = "1"
    if path is not None:
        table = reading.read_rows_for(console, tree, path, with_target=False)
        column, sign, value = text.partition("=")
        if sign and table.row_ids is not None and column.strip() == table.row_ids.name:
            return _row_with_id(table, value.strip(), path)
        if not text.isdecimal():
            if table.row_ids is None:
                raise ChoiceError("explain_data_row", word=text)
            raise ChoiceError("explain_data_row_or_id", word=text, column=table.row_ids.name)
        if not 1 <= int(text) <= table.n_rows:
            raise ChoiceError("explain_row_number", n=table.n_rows, row=text)
        return table.take([place == int(text) - 1 for place in range(table.n_rows)])
    return _parse_row_text(console, tree, text, reading)


def _parse_row_text(console: Console, tree: Tree, text: str, reading: ReadingOptions) -> Any:  # noqa: ANN401
    """Return a row given as JSON, or as 'column=value' pairs."""
    from penjing.data.read.reading import Reading  # noqa: PLC0415 - heavy
    from penjing.predict.inputs import align_to, complete_row, row_names  # noqa: PLC0415

    values = _parse_json_row(text) if text.lstrip().startswith("{") else _parse_pairs(text)
    known = row_names(tree)
    for name, value in values.items():
        if name not in {*known, tree.target.name}:
            raise unknown_name_error("unknown_column", name, known)
        later = re.findall(r"[;；]([^;；=]+)=", value) if isinstance(value, str) else []
        if any(other.strip() in known for other in later):
            raise ChoiceError("explain_semicolons", text=text)
    ignored = {tree.target.name, *reading.check_ignored_columns(tree)}
    row = {name: value for name, value in values.items() if name not in ignored}
    reading.reading_for(console, tree)  # notes what the options say otherwise
    own = Reading.from_json(tree.reading)
    merged = reading.merged_with(own)
    if not tree.schema or merged == own:
        return row  # the tree applies its own reading
    return align_to(tree.schema, None, [complete_row(tree, row)], reading=merged)


def _parse_json_row(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except ValueError:
        raise ChoiceError("explain_not_row", text=text) from None
    assert isinstance(values, dict)  # it begins with a brace
    return values


def _row_with_id(table: Table, text: str, path: str) -> Table:
    """Return the row that has an id, as a table of one row."""
    assert table.row_ids is not None
    found = [row for row in range(table.n_rows) if str(table.row_id(row)) == text]
    if not found:
        raise ChoiceError("explain_no_id", source=path, column=table.row_ids.name, id=text)
    return table.take(found[:1])


def _parse_pairs(text: str) -> dict[str, str | None]:
    """Return the values of 'column=value, column=value'; an empty value is missing."""
    parts = [part for part in text.replace("，", ",").split(",") if part.strip()]
    pairs = [part.split("=", 1) for part in parts]
    if not pairs or len(pairs[0]) < 2:
        raise ChoiceError("explain_not_row", text=text)
    for part, pair in zip(parts, pairs, strict=True):
        if len(pair) < 2:
            raise ChoiceError("explain_comma_in_value", text=text, part=part.strip())
    return {name.strip(): value.strip() or None for name, value in pairs}


def load_model(path: str) -> Tree:
    """Return the tree of a model file, or of standard input."""
    from penjing.api.load import load  # noqa: PLC0415
    from penjing.data.read.files import read_stdin  # noqa: PLC0415 - heavy
    from penjing.data.scratch import scratch_folder  # noqa: PLC0415

    if path != STANDARD_STREAM:
        return _check_about(load(path), path)
    with scratch_folder() as folder:
        copy = folder / "model"
        copy.write_bytes(read_stdin())
        try:
            return _check_about(load(copy), "standard input")
        except DataError as error:
            values = error.values | {"path": "standard input"}
            raise DataError(error.key, **values) from None


def _check_about(tree: Tree, path: str) -> Tree:
    """Return the tree, after checking the parts of ``about`` that the commands use."""
    source, pruning = tree.about.get("source", {}), tree.about.get("pruning", [])
    are_records = isinstance(pruning, list) and all(
        isinstance(record, dict) and isinstance(record.get("validation", {}), dict)
        for record in pruning
    )
    wrong = {
        "about.source": not isinstance(source, dict),
        "about.pruning": not are_records,
        "about.ties": not _are_ties(tree, tree.about.get("ties", [])),
        "trace": tree.kept_trace is not None and not isinstance(tree.kept_trace.get("steps"), list),
    }
    for at, is_wrong in wrong.items():
        if is_wrong:
            raise DataError("model_broken", path=path, at=at, expected="as penjing writes it")
    return tree


def _are_ties(tree: Tree, ties: object) -> bool:
    def is_index(value: object, n: int) -> bool:
        return isinstance(value, int) and 0 <= value < n

    return isinstance(ties, list) and all(
        isinstance(tie, dict)
        and is_index(tie.get("node"), tree.n_nodes)
        and isinstance(tie.get("score"), int | float)
        and isinstance(tie.get("columns"), list)
        and all(is_index(column, len(tree.schema)) for column in tie["columns"])
        for tie in ties
    )


def save_model(console: Console, tree: Tree, path: str | None) -> None:
    """Write a model to a file or to stdout."""
    if path is None:
        return
    if path == STANDARD_STREAM:
        from penjing.tree.serialize import to_bytes  # noqa: PLC0415 - heavy

        print_bytes(to_bytes(tree))
        return
    tree.save(path)
    console.print_note("saved", path=path)


OTHER_FORMATS = (
    ".xlsx", ".xls", ".ods", ".pdf", ".docx", ".html", ".htm", ".json", ".jsonl", ".ndjson", ".md",
    ".tex", ".csv", ".tsv", ".parquet", ".pq", ".feather", ".arrow", ".svg", ".png", ".tree",
    ".doc", ".odt", ".rtf", ".ppt", ".pptx", ".xml", ".yaml", ".yml", ".jpg", ".jpeg", ".gif",
    ".webp",
)  # fmt: skip
"""Extensions that name a format: a file of another format does not get one of them."""


def check_extension(command: str, output: str | None, *known: str) -> None:
    """Raise an error if the extension of an output names a format that a command does not write."""
    extension = "" if output is None else Path(output).suffix.lower()
    if extension in OTHER_FORMATS and extension not in known:
        raise ChoiceError(
            "output_format", command=f"penjing {command}", extension=extension, known=Names(known)
        )


def save_output(console: Console, path: str | None, encode: Callable[[], bytes]) -> bool:
    """Write a result to a file, completely or not at all; return False if stdout is to have it."""
    if path is None or path == STANDARD_STREAM:
        return False
    from penjing.tree.serialize import write_atomically  # noqa: PLC0415 - heavy

    write_atomically(path, encode())
    console.print_note("saved", path=path)
    return True


def file_digest(path: str) -> str | None:
    """Return the SHA-256 of a file's content, as `penjing.read` computes it; None for a pipe."""
    from penjing.data.read.files import is_file, path_exists, read_file  # noqa: PLC0415 - heavy

    if path == STANDARD_STREAM or (
        path_exists(path) and not is_file(path)
    ):  # a pipe can be read only once
        return None
    return hashlib.sha256(read_file(path)).hexdigest()


def are_same_file(one: str | None, other: str | None) -> bool:
    """Return whether two paths are the same file, by name or by content."""
    if one is None or other is None:
        return False
    if one == other or os.path.realpath(one) == os.path.realpath(other):
        return True
    digest = file_digest(one)
    return digest is not None and digest == file_digest(other)


def find_training_rows(
    console: Console, tree: Tree, model_path: str, train: str | None, reading: ReadingOptions
) -> Table | None:
    """Return the training rows of a tree, from the given file or the one the model names.

    The file that the model names is used only if its content is unchanged. It is read without
    the column options first, since these may be meant for other tables.
    """
    reading.check_ignored_columns(tree)
    if train is not None:
        like = reading.reading_for(console, tree)
        return reading.read_rows(console, train, tree.schema, tree.target, like=like)
    path = _find_training_file(tree, model_path)
    quiet = replace(console, is_quiet=True)
    weight = tree.about.get("source", {}).get("weight")
    without_columns = replace(
        reading, target=None, schema=None, names=None, ignore=None, weight=weight
    )
    own = ReadingOptions(weight=weight, memory_limit=reading.memory_limit)
    attempts = [own] if tree.reading else []
    for options in () if path is None else (*attempts, without_columns, reading):
        try:
            like = options.reading_for(quiet, tree)
            rows = options.read_rows(quiet, path or "", tree.schema, tree.target, like=like)
        except PenjingError:
            continue
        if rows.target is not None:
            return rows
    return None


def warn_if_not_held_out(
    console: Console, reading: ReadingOptions, trees: Mapping[str, Tree], path: str, rows: Table
) -> list[str]:
    """Warn if test rows were used to grow or prune a tree; return the keys of the warnings.

    ``trees`` are the trees by the path of their models, ``rows`` those of the file at ``path``.
    """
    from penjing.evaluate.validation import not_a_test  # noqa: PLC0415 - heavy

    keys = [key for tree in trees.values() for key in not_a_test(tree, rows)]
    if not keys:
        keys = [
            "note_training_rows_tested"
            for model_path, tree in trees.items()
            if _is_training_data(console, reading, tree, model_path, path)
        ]
    for key in dict.fromkeys(keys):
        console.print_note(key, source=path)
    return list(dict.fromkeys(keys))


def _is_training_data(
    console: Console, reading: ReadingOptions, tree: Tree, model_path: str, path: str
) -> bool:
    """Return whether a file has exactly the rows that a tree was grown from."""
    from penjing.data.repeated_rows import are_same_rows  # noqa: PLC0415 - heavy

    quiet = replace(console, is_quiet=True)
    if (
        path == STANDARD_STREAM
        or (training := find_training_rows(quiet, tree, model_path, None, reading)) is None
    ):
        return False
    try:
        rows = reading.read_rows(
            quiet, path, tree.schema, tree.target, like=reading.reading_for(quiet, tree)
        )
    except PenjingError:  # it lacks a column
        return False
    return are_same_rows(training, rows)


def is_other_file(tree: Tree, path: str) -> bool:
    """Return whether a file has another content than the training file of a tree."""
    source = tree.about.get("source")
    digest = source.get("sha256") if isinstance(source, Mapping) else None
    try:
        return isinstance(digest, str) and Path(path).is_file() and file_digest(path) != digest
    except (DataError, OSError, ValueError):
        return False


def training_locator(tree: Tree, model_path: str) -> str | None:
    """Return what `penjing.read` reads the training rows of a model from; None if not found."""
    from penjing.data.read.example_files import is_example  # noqa: PLC0415 - heavy

    path = _find_training_file(tree, model_path)
    named = tree.about.get("source", {}).get("path")
    return named if path is not None and isinstance(named, str) and is_example(named) else path


def _find_training_file(tree: Tree, model_path: str) -> str | None:
    source = tree.about.get("source")
    from penjing.data.read.example_files import example_file, is_example  # noqa: PLC0415 - heavy

    if not isinstance(source, Mapping) or not isinstance(source.get("sha256"), str):
        return None
    named = [source[key] for key in ("path", "name") if isinstance(source.get(key), str)]
    if named and is_example(named[0]):
        named[0] = example_file(named[0])
    beside = Path(model_path).parent
    for place in [Path(named[0]), *(beside / Path(name).name for name in named)] if named else []:
        try:
            if place.is_file() and file_digest(str(place)) == source["sha256"]:
                return str(place)
        except (DataError, OSError, ValueError):
            continue
    return None


def short_names(*paths: str) -> list[str]:
    """Return short names of files: without extension and common prefix.

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
