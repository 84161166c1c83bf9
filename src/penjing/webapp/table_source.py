"""Where the rows of a table come from: an uploaded file, an example, a file of the command, Python.

Uploaded files are kept in memory. The content is read again if the target or the type of a column
changes.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from unicodedata import category

from penjing.data.read import read
from penjing.data.read.example_files import EXAMPLES, PREFIX, is_example
from penjing.data.read.files import MEMORY_PER_BYTE, max_read_bytes
from penjing.data.table import Column, Table
from penjing.errors import ChoiceError, DataError, unknown_name_error
from penjing.predict.inputs import align_to, layout_of, reading_of
from penjing.tree.tree_data import TreeData

UPLOAD_BYTES = 512 * 2**20
"""The largest file that can be uploaded, and the largest size that it may expand to."""
MAX_NAME = 255
"""The longest name of an uploaded file."""
NOT_IN_NAMES = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode's categories of control characters, parts of characters, and ends of lines."""
READING = ("target", "schema", "keep")
"""What the page may change about how a table is read."""
OF_FILES = ("missing", "encoding", "names", "separator", "decimal", "fold_case", "sheet")
"""Options that say how a file is written, whatever its columns mean."""


class _NamedBytes(io.BytesIO):
    """The content of a file with its name, whose ending tells the format."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


@dataclass(frozen=True)
class TableSource:
    """The rows of a table before they are read, and how they are read.

    Parameters
    ----------
    name : str
        The name of the file, or of the table.
    locator : str or None
        What `penjing.read` reads in a script: a path or ``example:NAME``; None for objects.
    data : object
        Bytes, a path, or anything that `penjing.read` takes.
    options : dict
        Arguments of `penjing.read`: ``target``, ``schema``, ``keep``, ``encoding`` and others.
    """

    name: str
    locator: str | None
    data: Any = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)

    def changed(self, changes: Mapping[str, Any]) -> TableSource:
        """Return the same rows, read in another way; only target, schema and keep can change.

        What was said about other columns before stays.

        Examples
        --------
        >>> source = example_source("golf").changed({"schema": {"windy": "ignore"}})
        >>> source.changed({"schema": {"outlook": "ignore"}}).read().names
        ('temperature', 'humidity')
        """
        for key in changes:
            if key not in READING:
                raise unknown_name_error("lab_unknown_reading", key, READING)
        given = {key: value for key, value in changes.items() if value is not None}
        schema, keep = (self.options.get(key) for key in ("schema", "keep"))
        if isinstance(given.get("schema"), Mapping) and isinstance(schema, Mapping):
            given["schema"] = {**schema, **given["schema"]}
        if isinstance(given.get("keep"), list) and keep:
            given["keep"] = list(dict.fromkeys([*keep, *given["keep"]]))
        options = {**self.options, **given}
        # The page chooses the weight as a type; what the command or Python said gives way.
        types = given.get("schema")
        if isinstance(types, Mapping) and (
            "weight" in types.values() or options.get("weight") in types
        ):
            options.pop("weight", None)
        return replace(self, options=options)

    def read(self) -> Table:
        """Return the table; without a target if none is given and none can be guessed."""
        try:
            return self._read(self.options)
        except ChoiceError as error:
            if error.key != "no_target" or self.options.get("target") is not None:
                raise
            return self._read({**self.options, "target": False})

    def read_like(self, training: Table | TreeData, unused: Collection[str] = ()) -> Table:
        r"""Return validation or test rows, read as the training rows were.

        They have the columns, categories and classes of the training rows, and are weighted by the
        same column if they have it; so `penjing.Tree.score` reads a file.

        Parameters
        ----------
        training : Table or TreeData
            The training rows, or a tree that was grown from them.
        unused : collection of str
            Columns that no split may use, and that may be absent.

        Examples
        --------
        >>> training = uploaded("a.csv", b"w,x,y\n2,?,n\n1,5,y\n1,6,n\n")
        >>> training = training.changed({"schema": {"w": "weight", "x": "categorical"}}).read()
        >>> table = uploaded("b.csv", b"y,x,w\ny,6,3\n").read_like(training)
        >>> table.columns[0].values(), table.weight
        (['6'], array([3.]))
        """
        reading, target = reading_of(training), training.target
        target = target.field if isinstance(target, Column) else target
        fields = [field for field in training.schema if field.name not in unused]
        if isinstance(self.data, Table):
            table = self.data
        else:
            like = layout_of(reading or {}, training.schema, target)
            options = {key: self.options[key] for key in OF_FILES if key in self.options}
            data, named = self._opened()
            table = read(data, target, fields, like=like, **options, **named)
        needed = {field.name for field in fields}
        return align_to(training.schema, target, table, needed, reading=reading)

    def _read(self, options: Mapping[str, Any]) -> Table:
        if isinstance(self.data, Table) and not options:
            return self.data
        data, named = self._opened()
        arguments = {**options, **named}
        if isinstance(data, Table):
            arguments.setdefault("target", None if data.target is None else data.target.name)
        return read(data, arguments.pop("target", None), arguments.pop("schema", None), **arguments)

    def _opened(self) -> tuple[Any, dict[str, Any]]:
        """Return the data for `penjing.read`, with its name and limit if it is a file in memory."""
        if not isinstance(self.data, bytes):
            return self.data, {}
        # A compressed file of a few kilobytes may expand to more than the memory.
        limit = MEMORY_PER_BYTE * min(max_read_bytes(), UPLOAD_BYTES)
        file = _NamedBytes(self.data, self.name.lower())
        return file, {"name": self.name, "memory_limit": limit}


def uploaded(name: str, content: bytes) -> TableSource:
    r"""Return the source of an uploaded file.

    Examples
    --------
    >>> uploaded("fish.csv", b"legs,class\n0,fish\n2,bird\n").read().names
    ('legs',)
    """
    if not content:
        raise DataError("empty_file", source=checked_name(name))
    return TableSource(checked_name(name), checked_name(name), content)


def checked_name(name: object) -> str:
    """Return the name of an uploaded file; paths are refused.

    Examples
    --------
    >>> checked_name("瓜.csv")
    '瓜.csv'
    >>> checked_name("../rows.csv")
    Traceback (most recent call last):
    penjing.errors.ChoiceError: the name of a file is needed, without folders; got '../rows.csv'.
    """
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or name in (".", ".."):
        raise ChoiceError("lab_bad_name", name=name)
    is_other = bool(set(name) & {"/", "\\"}) or is_example(name)
    if is_other or {category(character) for character in name} & NOT_IN_NAMES:
        raise ChoiceError("lab_bad_name", name=name)
    return name


def example_source(name: object) -> TableSource:
    """Return the source of an example.

    Examples
    --------
    >>> example_source("fish").read().n_rows
    5
    """
    if not isinstance(name, str) or name not in EXAMPLES:
        raise unknown_name_error("unknown_example", name, EXAMPLES)
    locator = PREFIX + name
    return TableSource(locator, locator, locator, {"target": EXAMPLES[name][1]})
