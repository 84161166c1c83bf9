"""Why a node splits as it does: the candidates of a node as an object that prints as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penjing.explain import node_text, pruning_text
from penjing.explain.node import cuts_of, with_class_names
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
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
        return cuts_of(self.told, column)

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
        decisions = [
            pruning_text.decision_text(self.tree, record, decision, lang, **style)
            for record in self.tree.about.get("pruning", ())
            for decision in record.get("decisions", ())
            if decision.get("now") == self.told["node"] and not decision.get("is_gone")
        ]
        return "\n".join([text, *decisions])

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
