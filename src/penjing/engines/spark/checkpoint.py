"""Results of finished generations, stored in a folder so that an interrupted run can go on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from penjing.data.read.infer_remote import RemoteTable
from penjing.data.table import Floats
from penjing.errors import ChoiceError
from penjing.grow.recipe import Recipe
from penjing.tree.builder import NodeSplit
from penjing.tree.counts import Totals
from penjing.tree.split import BestSplits

FILE = "generations.json"


class Checkpoint:
    """The results of all requests so far, in order: a repeated run makes the same requests.

    Parameters
    ----------
    folder : str
        Where they are stored; created if it does not exist.
    survey : RemoteTable
        Describes the rows; a checkpoint of other rows is refused.
    recipe : Recipe
        The recipe; a checkpoint of another recipe is refused.
    """

    def __init__(self, folder: str, survey: RemoteTable, recipe: Recipe) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._path = Path(folder, FILE)
        inputs = [
            recipe.settings(),
            survey.counts.tolist(),
            [(j.column.name, j.column.kind, j.n_missing, j.is_listed) for j in survey.columns],
        ]
        mark = hashlib.sha256(json.dumps(inputs, default=str).encode()).hexdigest()
        self._state: dict[str, Any] = {"mark": mark, "runs": 0, "answers": []}
        if self._path.exists():
            self._state = json.loads(self._path.read_text("utf-8"))
            if self._state["mark"] != mark:
                raise ChoiceError("other_checkpoint", folder=folder)
        self._state["runs"] += 1
        self._next = 0

    def totals(self, nodes: Sequence[int]) -> tuple[Floats, dict[int, tuple[float, float]]] | None:
        """Return the stored sums of nodes, and the gaps of the cuts above them."""
        stored = self._next_result("totals", nodes) if nodes else None
        if stored is None:
            return None
        gaps = {int(node): (low, high) for node, low, high in stored["gaps"]}
        return np.array(stored["cells"], np.float64), gaps

    def keep_totals(
        self, nodes: Sequence[int], totals: Totals, gaps: Mapping[int, tuple[float, float]]
    ) -> None:
        """Store the sums of nodes: a generation is finished."""
        gap_rows = [[node, low, high] for node, (low, high) in gaps.items()]
        self._append("totals", nodes, {"cells": totals.cells.tolist(), "gaps": gap_rows})

    def best_splits(self, nodes: Sequence[int]) -> BestSplits | None:
        """Return the stored candidates of nodes."""
        stored = self._next_result("best_splits", nodes) if nodes else None
        if stored is None:
            return None
        gain, information, impurity, cut = (
            np.array(stored[name], np.float64).reshape(len(nodes), -1)
            for name in ("gain", "split_information", "impurity", "cut")
        )
        counts = np.array(stored["n_candidates"], np.int64).reshape(len(nodes), -1)
        groups = {
            (i, c): tuple(np.array(codes, np.int32) for codes in parts)
            for i, c, parts in stored["groups"]
        }
        return BestSplits(gain, information, impurity, cut, counts, groups)

    def keep_best_splits(self, nodes: Sequence[int], best_splits: BestSplits, n_jobs: int) -> None:
        """Store the candidates of nodes, and the number of jobs of this run until then."""
        arrays = {
            name: getattr(best_splits, name).tolist()
            for name in ("gain", "split_information", "impurity", "cut", "n_candidates")
        }
        arrays["groups"] = [
            [i, c, [codes.tolist() for codes in parts]]
            for (i, c), parts in best_splits.groups.items()
        ]
        self._append("best_splits", nodes, arrays | {"jobs": n_jobs})

    def recorded_splits(self, nodes: Sequence[int]) -> tuple[list[NodeSplit], list[int]] | None:
        """Return the stored splits of nodes, and which nodes were deferred."""
        stored = self._next_result("divided", nodes) if nodes else None
        if stored is None:
            return None
        return [NodeSplit.from_json(one) for one in stored["sprouts"]], stored["parked"]

    def record_splits(
        self, nodes: Sequence[int], divisions: Sequence[NodeSplit], deferred: Sequence[int]
    ) -> None:
        """Store the splits of nodes: a generation is finished."""
        splits = {"sprouts": [one.to_json() for one in divisions], "parked": list(deferred)}
        self._append("divided", nodes, splits)

    def _next_result(self, kind: str, nodes: Sequence[int]) -> dict[str, Any] | None:
        answers = self._state["answers"]
        if self._next >= len(answers):
            return None
        stored: dict[str, Any] = answers[self._next]
        # Another version of penjing may make other requests: then compute the rest again.
        if stored["kind"] != kind or stored["nodes"] != list(nodes):
            del answers[self._next :]
            return None
        self._next += 1
        return stored

    def _append(self, kind: str, nodes: Sequence[int], result: dict[str, Any]) -> None:
        if not nodes:
            return
        entry = {"kind": kind, "nodes": list(nodes), "run": self._state["runs"]} | result
        self._state["answers"].append(entry)
        self._next = len(self._state["answers"])
        part = self._path.with_suffix(f".{os.getpid()}")
        with part.open("w", encoding="utf-8") as file:
            json.dump(self._state, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self._path)
