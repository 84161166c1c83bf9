"""Hostile files: every engine sees the table that `penjing.read` sees, or refuses it alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import penjing
from hostile_files import hostile_file
from penjing.data.encode import coded_text, text_column
from penjing.data.read import csv_duckdb
from penjing.data.read import json as json_reader
from penjing.data.read import parquet as parquet_reader
from penjing.engines import remote_counts
from table_values import in_memory, on_disk, seen

QUICK, MANY = range(60), range(60, 2_000)
A_LOT = 60
"""So many files make one slow test."""
RECIPES = (
    ("cart-binary", "branch"), ("id3", "fraction"), ("c4.5-textbook", "fraction"),
    ("c4.5-textbook", "branch"), ("id3", "branch"),
)  # fmt: skip


def put(seed: int, folder: Path, form: str | None = None) -> tuple[str, str | None]:
    """Write the file of a seed; return its path and its target."""
    file = hostile_file(seed, form)
    path = folder / file.name
    path.write_bytes(file.data)
    return str(path), file.target


def read(path: str, target: str | None) -> Any:
    return _rows_only(path, in_memory(path, target))


def disk(path: str, target: str | None) -> Any:
    return _rows_only(path, on_disk(path, target))


def _rows_only(path: str, found: Any) -> Any:
    """Leave out what is said of a source that is not text: stores describe others less fully."""
    is_told = isinstance(found, dict) and path.endswith((".parquet", ".pq"))
    return {k: v for k, v in found.items() if k not in ("notes", "source")} if is_told else found


def grown(source: Any, target: str | None, engine: str, how: tuple[str, str], **where: Any) -> Any:
    """Return the tree that an engine grows, without the names of engine and source."""
    recipe, missing = how

    def work() -> Any:
        tree = penjing.fit(source, target, recipe, missing=missing, engine=engine, **where)
        plain = tree.to_json()
        for key in ("engine", "source"):
            plain["about"].pop(key, None)
        return plain

    return seen(work)


def in_duckdb(path: str, target: str | None, recipe: str, reference: Any, patches: Any) -> str:
    """Return in what the trees differ that DuckDB counts for: of whole rows, and of classes."""
    if isinstance(reference, dict) and reference["kinds"][-1] == "numeric":
        return ""
    how, limit = (recipe, "branch"), {"max_depth": 20}
    tree = grown(path, target, "memory", how, **limit)
    is_large = isinstance(reference, dict) and reference["rows"] > 500
    with patches.context() as patch:  # few rows are fetched: most are counted there
        patch.setattr(remote_counts, "FETCH_LIMIT", 4_000 if is_large else 15)
        return different(tree, grown(path, target, "duckdb", how, **limit))


def different(one: Any, other: Any) -> str:
    """Return where two answers part, "" where they do not."""
    if one == other:
        return ""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return f"{_short(one)} | {_short(other)}"
    parted = [key for key in one if one[key] != other.get(key)]
    return "; ".join(f"{key}: {_short(one[key])} | {_short(other.get(key))}" for key in parted)


def _short(value: Any) -> str:
    return f"{value}"[:300]


def checked(
    seed: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: str | None = None,
    *,
    with_duckdb: bool = True,
) -> str:
    """Return in what the engines differ from the reader, about one file."""
    path, target = put(seed, folder, form)
    reference = read(path, target)
    with monkeypatch.context() as patch:  # as if the file were large
        patch.setattr(csv_duckdb, "MIN_CHARACTERS", 0)
        patch.setattr(csv_duckdb, "MIN_CHARACTERS_PER_COLUMN", 0)
        patch.setattr(json_reader, "MIN_CHARACTERS", 0)
        patch.setattr(parquet_reader, "MIN_ENUM_ROWS", 0)
        found = {"read, large": different(reference, read(path, target))}
    found["disk"] = different(reference, disk(path, target))
    how = RECIPES[seed % len(RECIPES)]
    tree = grown(path, target, "memory", how)
    found["native, tree"] = different(tree, grown(path, target, "native", how))
    with monkeypatch.context() as patch:
        patch.setattr(coded_text, "SMALL", 0)  # text is read in pieces
        if seed % 3 == 0:  # and most texts of a column are not held
            for name, n in (("EARLY", 25), ("SOME", 40), ("MOST_TEXTS", 60)):
                patch.setattr(text_column, name, n)
        found["disk, in pieces"] = different(reference, disk(path, target))
        found["disk, tree"] = different(tree, grown(path, target, "disk", how))
    if with_duckdb:
        found["duckdb, tree"] = in_duckdb(path, target, how[0], reference, monkeypatch)
    Path(path).unlink()
    wrong = {engine: text for engine, text in found.items() if text}
    tricks = hostile_file(seed, form).tricks if wrong else ()
    return f"seed {seed} {Path(path).name} {tricks}: {wrong}" if wrong else ""


@pytest.mark.parametrize("seed", QUICK)
def test_the_same_table_or_the_same_refusal(seed, tmp_path, monkeypatch):
    assert checked(seed, tmp_path, monkeypatch, with_duckdb=seed % 6 == 0) == ""


@pytest.mark.slow
@pytest.mark.parametrize("start", MANY[::A_LOT])
def test_two_thousand_files(start, tmp_path, monkeypatch):
    seeds = range(start, min(start + A_LOT, MANY.stop))
    wrong = [checked(seed, tmp_path, monkeypatch) for seed in seeds]
    assert [text for text in wrong if text] == []
