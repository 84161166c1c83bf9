"""Steps of a trace that are built when somebody asks for them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, overload

Step = dict[str, Any]
BuildSteps = Callable[[Sequence[int]], Iterator[Step]]


class StepEntry(NamedTuple):
    """One step: its node's number, its number when the tree was grown, and a later stop reason.

    ``is_stop`` is true of a leaf for which no split was searched.
    """

    node: int
    grown_as: int
    is_stop: bool = False
    stop: str | None = None


class Steps(Sequence[Step]):
    """A list of steps, each built from the training rows when it is asked for.

    Parameters
    ----------
    build : function
        Yields the steps of nodes, by their numbers in the tree that was grown.
    entries : sequence of StepEntry
        The steps, in the order of nodes.
    """

    def __init__(self, build: BuildSteps, entries: Sequence[StepEntry]) -> None:
        self._build: BuildSteps | None = build
        self.entries = list(entries)
        self._built: list[Step] | None = None

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        if self._built is not None:
            return self._built[index]
        if isinstance(index, slice):
            return list(self._make(self.entries[index]))
        return next(self._make([self.entries[index]]))

    def __iter__(self) -> Iterator[Step]:
        return iter(self.as_list())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Steps | list):
            return NotImplemented
        return self.as_list() == (other.as_list() if isinstance(other, Steps) else other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[list[Step]], tuple[list[Step]]]:
        return list, (self.as_list(),)

    def as_list(self) -> list[Step]:
        """Return all steps; from now on the training rows are not needed any more."""
        if self._built is None:
            with _no_garbage_collection():
                self._built = list(self._make(self.entries))
            self._build = None
        return self._built

    def of(self, node: int) -> Step | None:
        """Return the step of a node, None if it has none."""
        at = next((i for i, entry in enumerate(self.entries) if entry.node == node), None)
        return None if at is None else self[at]

    def renumbered(self, new_id: Mapping[int, int], stops: Mapping[int, str]) -> Steps:
        """Return the steps of the nodes that have a new number, in its order.

        ``stops`` are later stop reasons of nodes, by new number.
        """
        places = [i for i, entry in enumerate(self.entries) if entry.node in new_id]
        places.sort(key=lambda i: new_id[self.entries[i].node])
        is_built = self._built is not None
        entries = []
        for i in places:
            _, grown_as, is_stop, stop = self.entries[i]
            node = new_id[self.entries[i].node]
            place = i if is_built else grown_as
            entries.append(StepEntry(node, place, is_stop, stops.get(node, stop)))
        build = self._build if self._build is not None else _from_list(self.as_list())
        return Steps(build, entries)

    def _make(self, entries: Sequence[StepEntry]) -> Iterator[Step]:
        assert self._build is not None
        for entry, step in zip(entries, self._build([e.grown_as for e in entries]), strict=True):
            later = {} if entry.stop is None else {"stop": entry.stop}
            yield step | {"node": entry.node} | later


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Pause the search for cycles: millions of plain values have none, and it takes a quarter."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _from_list(steps: list[Step]) -> BuildSteps:
    return lambda places: (steps[i] for i in places)


def renumber_steps(
    steps: Iterable[Step], new_id: Mapping[int, int], stops: Mapping[int, str]
) -> Steps | list[Step]:
    """Return the steps of the nodes that have a new number, in its order.

    Parameters
    ----------
    steps : Steps or list of dict
        The steps.
    new_id : mapping
        The new number of each remaining node.
    stops : mapping
        The reasons of nodes that have become leaves, by new number.
    """
    if isinstance(steps, Steps):
        return steps.renumbered(new_id, stops)
    kept = [s | {"node": new_id[s["node"]]} for s in steps if s["node"] in new_id]
    kept.sort(key=lambda step: int(step["node"]))
    return [s | {"stop": stops[s["node"]]} if s["node"] in stops else s for s in kept]
