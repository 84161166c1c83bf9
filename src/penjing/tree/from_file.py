"""Read a tree that people wrote into a file: a nested dict as JSON or Python, or text."""

from __future__ import annotations

import ast
import json
from functools import partial
from typing import Any

from penjing.data.read.text_encoding import decode
from penjing.errors import DataError
from penjing.tree.from_dict import Schema, from_dict
from penjing.tree.from_text import from_text, looks_like_tree_text
from penjing.tree.tree_data import TreeData


def tree_of_file(
    data: bytes,
    source: str,
    target: str = "class",
    schema: Schema = None,
    encoding: str | None = None,
) -> TreeData:
    r"""Return the tree of the content of a file.

    Parameters
    ----------
    data : bytes
        The content: a nested dict as JSON or as a Python literal, or a tree as text.
    source : str
        The name of the file, for messages.
    target, schema
        As in :func:`penjing.tree.from_dict.from_dict`.
    encoding : str, optional
        The encoding; by default it is detected.

    Examples
    --------
    >>> tree_of_file(b'{"legs": {"0": "fish", "2": "bird"}}', "legs.json").n_leaves
    2
    >>> tree_of_file(b"legs <= 1: fish\nlegs > 1: bird", "legs.txt").n_leaves
    2
    """
    text = decode(data, source, encoding)[0]
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return from_dict(parse_dict(text, source), target, schema)
    return from_text(text, target, schema)


def parse_dict(text: str, source: str) -> Any:  # noqa: ANN401 - unchecked input
    """Return the dict of a text: JSON, or a Python literal; nothing is executed.

    Examples
    --------
    >>> parse_dict("{'legs': {0: 'fish', (2, 4): 'other'}}", "legs")
    {'legs': {0: 'fish', (2, 4): 'other'}}
    """
    text = text.strip("\ufeff \t\r\n")

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise DataError("json_key_twice", source=source, name=key)
            found[key] = value
        return found

    try:
        whole_number = partial(_whole_number, source)
        return json.loads(text, object_pairs_hook=without_repetition, parse_int=whole_number)
    except RecursionError:
        raise DataError("tree_file_too_deep", source=source) from None
    except json.JSONDecodeError as error:
        values = {"source": source, "line": error.lineno, "problem": error.msg}
    try:
        parsed = ast.parse(text, mode="eval")
        _refuse_repetition(parsed, source)
        return ast.literal_eval(parsed)
    except (RecursionError, MemoryError):
        raise DataError("tree_file_too_deep", source=source) from None
    except DataError:
        raise
    except (ValueError, SyntaxError, TypeError) as error:
        if isinstance(error, SyntaxError) and text.lstrip("{ \t\r\n").startswith("'"):
            values |= {"line": error.lineno or 1, "problem": error.msg}
        raise DataError("tree_file_not_json", **values) from None


def _whole_number(source: str, digits: str) -> int:
    """Return an integer; refuse one with more digits than Python converts."""
    try:
        return int(digits)
    except ValueError as error:
        problem = str(error).partition(";")[0]
        raise DataError("tree_file_not_json", source=source, line=1, problem=problem) from None


def _refuse_repetition(parsed: ast.AST, source: str) -> None:
    """Refuse a dict with the same key twice: Python would keep the last one."""
    for part in ast.walk(parsed):
        if not isinstance(part, ast.Dict):
            continue
        keys = [ast.unparse(key) for key in part.keys if key is not None]
        for position, key in enumerate(keys):
            if key in keys[:position]:
                raise DataError("json_key_twice", source=source, name=key)


def kind_of_tree_file(data: bytes, source: str) -> str | None:
    """Return ``dict`` or ``text`` for a file with a tree written by hand; None for other files.

    Examples
    --------
    >>> kind_of_tree_file(b'{"legs": {"0": "fish"}}', "x"), kind_of_tree_file(b"a,b", "x")
    ('dict', None)
    """
    try:
        text = decode(data, source)[0]
        if text.lstrip("\ufeff \t\r\n").startswith("{"):
            plain = parse_dict(text, source)
            is_model = isinstance(plain, dict) and ("format" in plain and "nodes" in plain)
            if is_model:
                return None
            from_dict(plain)
            return "dict"
        return "text" if looks_like_tree_text(text) else None
    except DataError:
        return None
