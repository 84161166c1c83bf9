"""Why a node splits as it does: the candidates of a node as an object that prints as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penjing.data.table import Table
from penjing.explain import node_text, pruning_text
from penjing.explain.node import all_cuts_of, with_class_names
from penjing.explain.node_document import node_document
from penjing.formatting.document import Document
from penjing.formatting.document_formats import write_document
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.i18n import say
from penjing.registry import load
from penjing.text.phrases import method_name
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.chart_protocol import AnyChart
    from penjing.formatting.frame import DataFrame

Plain = dict[str, Any]
_MEASURES = (
    "column", "kind", "gain", "gain_ratio", "gini_after", "variance_after", "split_information",
    "score", "cut", "missing", "is_chosen",
)  # fmt: skip
"""What `to_pandas` lists of each candidate, where the tree has it."""


@dataclass(frozen=True, repr=False)
class NodeExplanation:
    """Every candidate split of a node, and how one was chosen; prints as text.

    Parameters
    ----------
    told : dict
        The explanation as plain data; see :func:`penjing.explain.node.explain` for its keys.
    tree : TreeData
        The tree.
    rows : Table, optional
        The training rows, for thresholds that a trace does not keep; by default those that the
        tree was fitted to, if they are available.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> why = penjing.fit(fish).why()
    >>> why.split, why.runner_up
    ('no surfacing', 'flippers')
    """

    told: Plain
    tree: TreeData = field(compare=False)
    rows: Table | None = field(default=None, compare=False)

    @property
    def node(self) -> int:
        """The number of the node.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).why(1).node
        1
        """
        return int(self.told["node"])

    @property
    def split(self) -> str | None:
        """The column that the node splits on; None for a leaf.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).why(1).split
        'flippers'
        """
        split: str | None = self.told["question"]
        return split

    @property
    def runner_up(self) -> str | None:
        """The column with the second best score; None if there is none.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).why().runner_up
        'flippers'
        """
        column: str | None = self.told["runner_up"]
        return column

    @property
    def candidates(self) -> Sequence[Plain]:
        """The candidate of each column, best first.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> [c["column"] for c in penjing.fit(fish).why().candidates]
        ['no surfacing', 'flippers']
        """
        candidates: list[Plain] = self.told["candidates"]
        return candidates

    def cuts(self, column: str) -> Plain:
        """Return the candidate of a numeric column with all its thresholds and their gains.

        Parameters
        ----------
        column : str
            The name of the column.

        Examples
        --------
        >>> import penjing
        >>> golf = penjing.example("golf")
        >>> len(penjing.fit(golf).why().cuts("humidity")["cuts"])
        8
        """
        rows = self.tree.training_table() if self.rows is None else self.rows
        return all_cuts_of(self.tree, self.told, column, rows)

    def chart(
        self,
        column: str | None = None,
        *,
        lang: str = "en",
        theme: str = "light",
        title: str | None = None,
    ) -> AnyChart:
        """Return the candidates as a chart: their scores, or the gain of every threshold of one.

        Parameters
        ----------
        column : str, optional
            The name of a numeric or ordinal column, for the gain over its thresholds; without it
            the chart has a bar for the score of each column.
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            The heading; default: what the chart shows.

        Examples
        --------
        >>> import penjing
        >>> why = penjing.fit(penjing.example("golf")).why()
        >>> why.chart("humidity").kind, why.chart().kind
        ('thresholds', 'candidates')
        """
        style: dict[str, Any] = {"lang": lang, "theme": theme, "title": title}
        made: AnyChart
        if column is None:
            made = load("chart", "candidates")(self.told, **style)
            return made
        path = node_text.node_location(self.told, lang)
        made = load("chart", "thresholds")(self.cuts(column), node=path, **style)
        return made

    def text(
        self,
        lang: str = "en",
        *,
        all_candidates: bool = False,
        ascii_only: bool = False,
        width: int = 100,
    ) -> str:
        """Return the table of candidates and the calculation of the best score, as text.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        all_candidates : bool
            Show the formulas of all candidates, not only of the chosen one.
        ascii_only : bool
            Use ASCII characters only.
        width : int
            The largest width of a line.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> "flippers" in penjing.fit(fish).why().text("zh")
        True
        """
        style: dict[str, Any] = {"ascii_only": ascii_only}
        told = with_class_names(self.tree, self.told)
        text = node_text.write(told, lang, all_candidates=all_candidates, width=width, **style)
        return "\n".join([text, *self._pruning_decisions(lang, **style)])

    def _pruning_decisions(self, lang: str, *, ascii_only: bool = False) -> list[str]:
        tree, colon = self.tree, say("label_colon", lang)
        return [
            method_name(str(record.get("method", "?")), lang)
            + colon
            + pruning_text.decision_text(tree, record, decision, lang, ascii_only=ascii_only)
            for record in self.tree.about.get("pruning", ())
            for decision in record.get("decisions", ())
            if decision.get("now") == self.told["node"] and not decision.get("is_gone")
        ]

    def to_markdown(self, lang: str = "en", *, all_candidates: bool = False) -> str:
        """Return the candidates and their formulas as Markdown, with formulas in LaTeX.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        all_candidates : bool
            Show the formulas of all candidates, not only of the chosen one.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> why = penjing.fit(fish).why()
        >>> print(why.to_markdown().splitlines()[10])
        | column | Ent after | gain | ratio | Gini | remark |
        """
        return write_document(self._document(lang, all_candidates=all_candidates), "md")

    def to_latex(self, lang: str = "en", *, all_candidates: bool = False) -> str:
        r"""Return the candidates and their formulas as the text of a LaTeX file.

        Parameters
        ----------
        lang, all_candidates
            As in :meth:`to_markdown`. A file with Chinese needs XeLaTeX or the package ctex.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> why = penjing.fit(fish).why()
        >>> why.to_latex().startswith(r"\documentclass")
        True
        """
        return write_document(self._document(lang, all_candidates=all_candidates), "tex")

    def to_html(self, lang: str = "en", *, all_candidates: bool = False) -> str:
        """Return the candidates and their formulas as one HTML page that loads nothing else.

        Parameters
        ----------
        lang, all_candidates
            As in :meth:`to_markdown`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> page = penjing.fit(fish).why().to_html("zh")
        >>> page.startswith("<!doctype html>"), page.count("<math ") > 10
        (True, True)
        """
        return write_document(self._document(lang, all_candidates=all_candidates), "html")

    def _document(self, lang: str, *, all_candidates: bool) -> Document:
        return node_document(
            with_class_names(self.tree, self.told),
            self.tree.target.name,
            lang,
            all_candidates=all_candidates,
            closing=tuple(self._pruning_decisions(lang)),
        )

    def to_dict(self) -> Plain:
        """Return the explanation as plain data, ready for JSON.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).why().to_dict()["rows"]
        5
        """
        return dict(self.told)

    def to_pandas(self) -> DataFrame:
        """Return one row per candidate, best first.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> why = penjing.fit(fish).why()
        >>> why.to_pandas()[["column", "gain", "is_chosen"]].round(3)
                 column   gain  is_chosen
        0  no surfacing  0.420       True
        1      flippers  0.171      False
        """
        names = [name for name in _MEASURES if any(name in c for c in self.candidates)]
        return frame_of({name: [c.get(name) for c in self.candidates] for name in names})

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<NodeExplanation of node {self.node}: {len(self.candidates)} candidates>"

    def _repr_html_(self) -> str:
        return html_text(self.text())
