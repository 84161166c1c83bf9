"""The trace of a tree: each step of growing and pruning as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing import arguments
from penjing.data.source import Source
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.explain import trace_text
from penjing.explain.node import explain, rows_of_tree, step_of, story, with_class_names, with_trace
from penjing.explain.trace_document import trace_document
from penjing.formatting.document import Document
from penjing.formatting.document_formats import write_document
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.grow.candidate_records import CUTS, LEVELS
from penjing.grow.trace_steps import LIMIT
from penjing.i18n import say
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

Plain = dict[str, Any]

MOST_STEPS = 200
"""How many steps are printed, unless another number is given."""

LIMITS = {"candidates": LIMIT, "cuts": CUTS, "levels": LEVELS}
"""How much a trace keeps: candidates (nodes times columns) in all, and thresholds and categories
of a column."""


class Trace:
    """The steps in which a tree was grown and pruned.

    Iterating yields a dict for each step. First come the nodes in the order in which they were
    grown (``kind`` is ``grow``): the stop condition, every candidate with its counts and
    measures, the chosen one, the runner-up, ties, and the gain at each threshold. Then come the
    decisions of pruning (``kind`` is ``prune``): both estimates and the decision.
    ``trace[node]`` is the step of a node.

    Parameters
    ----------
    tree : TreeData
        The tree.
    data : Table, optional
        Its training rows, for the numbers of the rows in each node.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"), trace=True)
    >>> [step["question"] for step in tree.trace]
    ['no surfacing', 'flippers', None, None, None]
    >>> round(tree.trace[0]["candidates"][0]["gain"], 3), tree.trace[0]["runner_up"]
    (0.42, 'flippers')
    """

    def __init__(self, tree: TreeData, data: Table | None = None) -> None:
        self._tree, self._data = tree, data

    @property
    def is_whole(self) -> bool:
        """Whether the steps of all nodes were kept; see `LIMITS`.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish"), trace=True).trace.is_whole
        True
        """
        record = self._tree.kept_trace
        return record is not None and bool(record.get("is_whole", True))

    @property
    def pruning(self) -> list[Plain]:
        """The record of each pruning: its method, its options and its decisions.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"), trace=True)
        >>> [record["method"] for record in tree.prune("pessimistic").trace.pruning]
        ['pessimistic']
        """
        return [dict(record) for record in self._tree.about.get("pruning", ())]

    def __len__(self) -> int:
        return len(self._steps()) + sum(len(r.get("decisions", ())) for r in self.pruning)

    def __iter__(self) -> Iterator[Plain]:
        if self._steps():
            for step in story(self._tree):
                yield {"kind": "grow"} | step
        for record in self.pruning:
            for decision in record.get("decisions", ()):
                yield {"kind": "prune", "method": record.get("method")} | dict(decision)

    def __getitem__(self, node: int) -> Plain:
        return self.of(node)

    def of(self, node: int, data: Table | None = None) -> Plain:
        """Return the step of a node; one that was not kept is computed again from the rows.

        Parameters
        ----------
        node : int
            The number of the node.
        data : Table, optional
            The training rows.

        Returns
        -------
        dict
            As :func:`penjing.explain.node.explain` returns it.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> step = penjing.fit(fish, trace=True).trace.of(1)
        >>> step["question"], step["rows"]
        ('flippers', 3)
        """
        if isinstance(node, bool) or not isinstance(node, int | np.integer):
            raise ChoiceError("bad_whole", name="node", value=node, least=0)
        if not 0 <= node < self._tree.n_nodes:
            raise ChoiceError("no_such_node", node=node, last=self._tree.n_nodes - 1)
        step = step_of(self._steps(), int(node))
        is_kept = step is not None and _has_details(step)
        return explain(self._tree, int(node), None if is_kept else data)

    def to_json(self) -> Plain:
        """Return the trace as plain data, ready for JSON.

        Returns
        -------
        dict
            ``steps`` of growing, ``is_whole``, ``limits`` (see `LIMITS`) and ``pruning``.

        Examples
        --------
        >>> import penjing
        >>> trace = penjing.fit(penjing.example("fish"), trace=True).trace
        >>> len(trace.to_json()["steps"]), len(trace)
        (5, 5)
        """
        return {
            "steps": list(story(self._tree)) if self._steps() else [],
            "is_whole": self.is_whole,
            "limits": dict(LIMITS),
            "pruning": self.pruning,
        }

    def to_dict(self) -> Plain:
        """Return the same as :meth:`to_json`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> len(penjing.fit(fish).trace.to_dict()["steps"])
        5
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return one row per step of growing and candidate column.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> frame = penjing.fit(fish).trace.to_pandas()
        >>> frame[["node", "column", "gain", "is_chosen"]].round(3)
           node        column   gain  is_chosen
        0     0  no surfacing  0.420       True
        1     0      flippers  0.171      False
        2     1      flippers  0.918       True
        3     1  no surfacing    NaN      False
        """
        found = [
            {"node": step["node"], "rows": step["rows"]} | candidate
            for step in (story(self._tree) if self._steps() else ())
            for candidate in step["candidates"]
        ]
        names = ("node", "rows", "column", "kind", "gain", "gain_ratio", "score", "is_chosen")
        return frame_of({name: [one.get(name) for one in found] for name in names})

    def text(
        self,
        lang: str = "en",
        *,
        ascii_only: bool = False,
        steps: int | None = MOST_STEPS,
        formulas: bool = False,
    ) -> str:
        """Return how the tree was grown and pruned as text.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        ascii_only : bool
            Use ASCII characters only.
        steps : int or None
            The largest number of steps; None for all.
        formulas : bool
            Show the formulas of every node.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> text = penjing.fit(fish).trace.text("zh", steps=1)
        >>> "flippers" in text
        True
        """
        limit = arguments.optional_whole_number("steps", steps, 1)
        style = {"ascii_only": ascii_only, "formulas": arguments.boolean("formulas", formulas)}
        if not self._steps():
            pruning = trace_text.write_all(self._tree, (), lang, limit=limit, **style)
            return "\n".join([say("no_trace_steps", lang), *([pruning] if pruning else [])])
        events, n_steps = self._events(limit), len(self._steps())
        return trace_text.write_all(self._tree, events, lang, n_steps=n_steps, limit=limit, **style)

    def to_markdown(
        self, lang: str = "en", *, steps: int | None = MOST_STEPS, formulas: bool = True
    ) -> str:
        """Return how the tree was grown and pruned as Markdown, with formulas in LaTeX.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        steps : int or None
            The largest number of steps; None for all.
        formulas : bool
            Show the impurity of every node, its candidates, and the formulas of the chosen one.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> trace = penjing.fit(fish).trace
        >>> print(trace.to_markdown(steps=1).splitlines()[0])
        # How the tree for fish was grown
        """
        return write_document(self._document(lang, steps, formulas=formulas), "md")

    def to_latex(
        self, lang: str = "en", *, steps: int | None = MOST_STEPS, formulas: bool = True
    ) -> str:
        r"""Return how the tree was grown and pruned as the text of a LaTeX file.

        Parameters
        ----------
        lang, steps, formulas
            As in :meth:`to_markdown`. A file with Chinese needs XeLaTeX or the package ctex.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> trace = penjing.fit(fish).trace
        >>> trace.to_latex().startswith(r"\documentclass")
        True
        """
        return write_document(self._document(lang, steps, formulas=formulas), "tex")

    def to_html(
        self, lang: str = "en", *, steps: int | None = MOST_STEPS, formulas: bool = True
    ) -> str:
        """Return how the tree was grown and pruned as one HTML page that loads nothing else.

        Parameters
        ----------
        lang, steps, formulas
            As in :meth:`to_markdown`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> page = penjing.fit(fish).trace.to_html()
        >>> page.count("<h2>")
        5
        """
        return write_document(self._document(lang, steps, formulas=formulas), "html")

    def _document(self, lang: str, steps: int | None, *, formulas: bool) -> Document:
        limit = arguments.optional_whole_number("steps", steps, 1)
        n_steps = len(self._steps())
        return trace_document(
            self._tree,
            self._events(limit) if n_steps else (),
            lang,
            n_steps=n_steps,
            limit=limit,
            formulas=arguments.boolean("formulas", formulas),
            note="" if n_steps else say("no_trace_steps", lang),
        )

    def _events(self, limit: int | None) -> list[Plain]:
        rows = self._tree.training_table() if self._data is None else self._data
        return [with_class_names(self._tree, e) for e in story(self._tree, rows, limit)]

    def with_rows(self, data: Source) -> Trace:
        """Return the whole trace: steps that were not kept are computed from the training rows.

        Parameters
        ----------
        data : Table or source
            The training rows of the tree.

        Examples
        --------
        >>> import pickle, penjing
        >>> fish = penjing.example("fish")
        >>> loaded = pickle.loads(pickle.dumps(penjing.fit(fish)))
        >>> len(loaded.trace), len(loaded.trace.with_rows(fish))
        (0, 5)
        """
        rows = rows_of_tree(self._tree, data)
        return Trace(self._tree, rows) if self.is_whole else compute_trace(self._tree, rows)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())

    def __repr__(self) -> str:
        return f"<Trace of {self._tree!r}: {len(self)} steps>"

    def _steps(self) -> Sequence[Mapping[str, Any]]:
        record = self._tree.kept_trace
        return [] if record is None else record.get("steps", [])


def _has_details(step: Mapping[str, Any]) -> bool:
    """Whether a step says more of a node than its number."""
    return "stop" in step or "candidates" in step


def compute_trace(tree: TreeData, data: Table) -> Trace:
    """Return what every node of a tree saw, computed from its training rows.

    Parameters
    ----------
    tree : TreeData
        Any tree, grown with or without a trace.
    data : Table
        Its training rows.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> compute_trace(penjing.fit(fish), fish)[0]["runner_up"]
    'flippers'
    """
    return Trace(with_trace(tree, data), data)


def of_tree(tree: TreeData) -> Trace:
    """Return the trace of a tree: kept, or from its training rows; empty if there is neither."""
    if tree.kept_trace is None and (rows := tree.training_table()) is not None:
        return compute_trace(tree, rows)
    return Trace(tree)
