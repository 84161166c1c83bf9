"""A worksheet with its solution: written as HTML, Markdown, LaTeX or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from penjing import arguments
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.formatting.document import Document, Figure
from penjing.formatting.document_formats import FORMATS, format_of_file, write_document
from penjing.formatting.html_table import html_text
from penjing.i18n import Names
from penjing.render.worksheets.sheet_document import sheet_document, solution_document
from penjing.tree.serialize import write_atomically
from penjing.tree.tree_data import TreeData

Plain = Mapping[str, Any]
WorksheetFormat = Literal["html", "md", "tex", "json"]


@dataclass(frozen=True, repr=False, eq=False)
class Worksheet:
    """A table, blanks for the tree that grows from it, and the solution.

    Parameters
    ----------
    sheet : dict
        The worksheet as plain data, without the answers.
    solution : dict
        The answers as plain data: one for each blank of the worksheet.
    table : Table
        The rows.
    tree : TreeData
        The tree that is the solution.

    Examples
    --------
    >>> import penjing
    >>> sheet = penjing.worksheet(seed=1)
    >>> sheet
    <Worksheet for repair by id3: 12 rows, 2 nodes, 45 blanks>
    """

    sheet: Plain
    solution: Plain
    table: Table
    tree: TreeData
    steps: Sequence[Plain] = field(repr=False)

    @property
    def ties(self) -> list[tuple[int, list[str]]]:
        """The nodes at which columns tie, with these columns; a random table has none.

        Examples
        --------
        >>> import penjing
        >>> penjing.worksheet("example:watermelon2.0", depth=2).ties
        [(2, ['根蒂', '脐部', '触感'])]
        """
        nodes = self.solution["nodes"]
        return [(node["node"], node["tied"]) for node in nodes if len(node["tied"]) > 1]

    def to_html(self, *, solution: bool = False) -> str:
        """Return the worksheet, or its solution, as one HTML page that loads nothing else.

        Parameters
        ----------
        solution : bool
            Return the solution.

        Examples
        --------
        >>> import penjing
        >>> page = penjing.worksheet("example:fish").to_html()
        >>> page.count("data-blank=")
        31
        """
        return self._write("html", solution=solution)

    def to_markdown(self, *, solution: bool = False) -> str:
        """Return the worksheet, or its solution, as Markdown.

        Parameters
        ----------
        solution : bool
            Return the solution.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.worksheet("example:fish").to_markdown().splitlines()[0])
        # Worksheet: decision tree for fish by id3
        """
        return self._write("md", solution=solution)

    def to_latex(self, *, solution: bool = False) -> str:
        r"""Return the worksheet, or its solution, as the text of a LaTeX file.

        Parameters
        ----------
        solution : bool
            Return the solution.

        Examples
        --------
        >>> import penjing
        >>> penjing.worksheet("example:fish").to_latex().startswith(r"\documentclass")
        True
        """
        return self._write("tex", solution=solution)

    def to_dict(self) -> dict[str, Any]:
        """Return both records as plain data, ready for JSON.

        Examples
        --------
        >>> import penjing
        >>> records = penjing.worksheet("example:fish").to_dict()
        >>> records["sheet"]["version"], records["solution"]["answers"][5]["text"]
        (1, '0.420')
        """
        return {"sheet": dict(self.sheet), "solution": dict(self.solution)}

    def to_csv(self) -> str:
        """Return the rows as CSV, the target last.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.worksheet("example:fish").to_csv().splitlines()[0])
        no surfacing,flippers,fish
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*(c["name"] for c in self.sheet["columns"]), self.sheet["target"]])
        writer.writerows(self.sheet["rows"])
        return text.getvalue()

    def save(self, path: str | Path, solution: str | Path | None = None) -> None:
        """Write the worksheet and its solution; the extension of a file selects its format.

        Parameters
        ----------
        path : str or Path
            The file of the worksheet: ``.html``, ``.md``, ``.tex`` or ``.json``.
        solution : str or Path, optional
            The file of the solution; by default ``-solution`` is added to the name.

        Examples
        --------
        >>> import os, tempfile, penjing
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     penjing.worksheet("example:fish").save(f"{folder}/fish.html")
        ...     sorted(os.listdir(folder))
        ['fish-solution.html', 'fish.html']
        """
        sheet_path = arguments.path("path", path)
        other = (
            solution_path(sheet_path) if solution is None else arguments.path("solution", solution)
        )
        if Path(sheet_path).absolute() == Path(other).absolute():
            raise ChoiceError("worksheet_one_file", path=sheet_path)
        texts = {
            sheet_path: self.text_for(sheet_path),
            other: self.text_for(other, solution=True),
        }
        for file in texts:
            self._check_not_input(file)
        for file, text in texts.items():
            write_atomically(file, text.encode("utf-8"))

    def _check_not_input(self, path: str) -> None:
        """Raise an error if a file holds the rows that the worksheet was made from."""
        digest = self.table.source.get("sha256")
        file = Path(path)
        if digest and file.is_file() and sha256(file.read_bytes()).hexdigest() == digest:
            raise ChoiceError("output_is_input", path=path)

    def text_for(self, path: str, *, solution: bool = False) -> str:
        """Return the content of a file, by its extension.

        Parameters
        ----------
        path : str
            The file.
        solution : bool
            Return the solution.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.worksheet("example:fish").text_for("fish.json").splitlines()[1])
          "format": "penjing-worksheet",
        """
        kind = "json" if Path(path).suffix.lower() == ".json" else format_of_file(path)
        if kind is None:
            endings = Names([f".{name}" for name in (*FORMATS, "json")])
            raise ChoiceError("worksheet_ending", path=path, known=endings)
        return self._write(kind, solution=solution)

    def _write(self, kind: str, *, solution: bool) -> str:
        if kind == "json":
            record = self.solution if solution else self.sheet
            return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        return write_document(self._document(solution=solution), kind)

    def _document(self, *, solution: bool) -> Document:
        if not solution:
            return sheet_document(self.sheet)
        from penjing.render import svg, tree_text  # noqa: PLC0415 - `penjing.worksheet` draws nothing

        picture = svg.write(self.tree, theme="light", lang=self.sheet["lang"], title="")
        figure = Figure(picture, tree_text.write(self.tree, ascii_only=True))
        return solution_document(self.sheet, self.solution, self.steps, figure)

    def __repr__(self) -> str:
        sheet = self.sheet
        return (
            f"<Worksheet for {sheet['target']} by {sheet['recipe']}: {len(sheet['rows'])} rows, "
            f"{sheet['n_nodes']} nodes, {len(sheet['blanks'])} blanks>"
        )

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        return html_text(self.to_markdown())


def solution_path(path: str) -> str:
    """Return the default file of a solution.

    Examples
    --------
    >>> solution_path("tests/sheet.html"), solution_path("sheet")
    ('tests/sheet-solution.html', 'sheet-solution')
    """
    file = Path(path)
    return str(file.with_name(f"{file.stem}-solution{file.suffix}"))
