"""Answers for rows, written: CSV with the columns that came in, or JSON."""

from __future__ import annotations

import codecs
import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

from penjing.cli.say import Voice
from penjing.cli.sources import STDIN
from penjing.errors import ChoiceError, DataError

if TYPE_CHECKING:
    from penjing.read.cells import Sheet
    from penjing.table import Table
    from penjing.tree import Tree


def predicted(tree: Tree, rows: Table, unseen: str | None, *, shares: bool) -> dict[str, Any]:
    """Return what a tree answers, as plain data."""
    policy: Any = {} if unseen is None else {"unseen": unseen}
    told: dict[str, Any] = {"target": tree.target.name, "classes": list(tree.classes)}
    answers = tree.predict(rows, **policy).tolist()
    told["rows"] = [
        {"row": rows.row_number(i), "predicted": answer} for i, answer in enumerate(answers)
    ]
    if shares:
        for row, found in zip(
            told["rows"], tree.predict_proba(rows, **policy).tolist(), strict=True
        ):
            row["shares"] = found
    return told


def as_json(voice: Voice, told: dict[str, Any], *, lines: bool) -> None:
    """Print answers as one object, or one object a line."""
    if not lines:
        voice.data(told)
        return
    for row in told["rows"]:
        voice.out(json.dumps(row, ensure_ascii=False, allow_nan=False))


def as_csv(
    sheet: Sheet, told: dict[str, Any], output: str | None, encoding: str, *, excel: bool
) -> None:
    """Write answers as CSV: the row's number, the columns that came in, the answer, its shares."""
    from penjing.store import write_whole  # noqa: PLC0415 - heavy

    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n" if excel else "\n")
    has_number = "row" not in sheet.names
    shares = [f"p({c})" for c in told["classes"]] if "shares" in told["rows"][0] else []
    name = "predicted"
    while name in sheet.names:
        name += "_"
    writer.writerow([*(["row"] if has_number else []), *sheet.names, name, *shares])
    columns = [_texts(cells) for cells in sheet.columns]
    for i, row in enumerate(told["rows"]):
        cells = [column[i] for column in columns]
        number = [row["row"]] if has_number else []
        writer.writerow([*number, *cells, row["predicted"], *row.get("shares", ())])
    data = _encoded(written.getvalue(), encoding)
    if output is None or output == STDIN:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_whole(output, data)


def _texts(cells: Any) -> list[Any]:  # noqa: ANN401 - Cells
    levels = [*cells.plain(), ""]  # the last one is what a missing value, -1, finds
    return [levels[code] for code in cells.codes.tolist()]


def _encoded(text: str, encoding: str) -> bytes:
    try:
        codecs.lookup(encoding)
        return text.encode(encoding)
    except LookupError:
        raise ChoiceError("unknown_encoding", encoding=encoding) from None
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise DataError("cannot_encode", encoding=encoding, character=character) from None
