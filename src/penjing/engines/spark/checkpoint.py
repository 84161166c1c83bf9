"""What finished generations found, kept in a folder, so that a lost driver need not ask again."""

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
from penjing.tree.split import Offers

FILE = "generations.json"


class Checkpoint:
    """The answers of a growth so far, one entry for each question; growing again asks the same.

    Parameters
    ----------
    folder : str
        Where they are kept; made if it is not there.
    survey : Survey
        The rows: other rows are other answers.
    recipe : Recipe
        The recipe, likewise.
    """

    def __init__(self, folder: str, survey: RemoteTable, recipe: Recipe) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._path = Path(folder, FILE)
        said = [
            recipe.settings(),
            survey.counts.tolist(),
            [(j.column.name, j.column.kind, j.n_missing, j.is_listed) for j in survey.columns],
        ]
        mark = hashlib.sha256(json.dumps(said, default=str).encode()).hexdigest()
        self._kept: dict[str, Any] = {"mark": mark, "runs": 0, "answers": []}
        if self._path.exists():
            self._kept = json.loads(self._path.read_text("utf-8"))
            if self._kept["mark"] != mark:
                raise ChoiceError("other_checkpoint", folder=folder)
        self._kept["runs"] += 1
        self._next = 0

    def totals(self, nodes: Sequence[int]) -> tuple[Floats, dict[int, tuple[float, float]]] | None:
        """Return the sums of nodes as they were kept, and the gaps of the cuts above them."""
        told = self._answer("totals", nodes) if nodes else None
        if told is None:
            return None
        gaps = {int(node): (low, high) for node, low, high in told["gaps"]}
        return np.array(told["cells"], np.float64), gaps

    def keep_totals(
        self, nodes: Sequence[int], found: Totals, gaps: Mapping[int, tuple[float, float]]
    ) -> None:
        """Keep the sums of nodes: a generation is finished."""
        told = [[node, low, high] for node, (low, high) in gaps.items()]
        self._keep("totals", nodes, {"cells": found.cells.tolist(), "gaps": told})

    def offers(self, nodes: Sequence[int]) -> Offers | None:
        """Return the offers of nodes as they were kept."""
        told = self._answer("offers", nodes) if nodes else None
        if told is None:
            return None
        gain, information, impurity, cut = (
            np.array(told[name], np.float64).reshape(len(nodes), -1)
            for name in ("gain", "split_information", "impurity", "cut")
        )
        counts = np.array(told["n_candidates"], np.int64).reshape(len(nodes), -1)
        groups = {
            (i, c): tuple(np.array(codes, np.int32) for codes in parts)
            for i, c, parts in told["groups"]
        }
        return Offers(gain, information, impurity, cut, counts, groups)

    def keep_offers(self, nodes: Sequence[int], found: Offers, n_jobs: int) -> None:
        """Keep the offers of nodes, and after how many jobs of this run they were there."""
        plain = {
            name: getattr(found, name).tolist()
            for name in ("gain", "split_information", "impurity", "cut", "n_candidates")
        }
        plain["groups"] = [
            [i, c, [codes.tolist() for codes in parts]] for (i, c), parts in found.groups.items()
        ]
        self._keep("offers", nodes, plain | {"jobs": n_jobs})

    def recorded_splits(self, nodes: Sequence[int]) -> tuple[list[NodeSplit], list[int]] | None:
        """Return what nodes became, as it was kept, and which of them wait for the end."""
        told = self._answer("divided", nodes) if nodes else None
        if told is None:
            return None
        return [NodeSplit.from_json(one) for one in told["sprouts"]], told["parked"]

    def record_splits(
        self, nodes: Sequence[int], sprouts: Sequence[NodeSplit], parked: Sequence[int]
    ) -> None:
        """Keep what nodes became: a generation is finished."""
        told = {"sprouts": [sprout.to_json() for sprout in sprouts], "parked": list(parked)}
        self._keep("divided", nodes, told)

    def _answer(self, kind: str, nodes: Sequence[int]) -> dict[str, Any] | None:
        answers = self._kept["answers"]
        if self._next >= len(answers):
            return None
        told: dict[str, Any] = answers[self._next]
        if told["kind"] != kind or told["nodes"] != list(nodes):  # another version's: ask again
            del answers[self._next :]
            return None
        self._next += 1
        return told

    def _keep(self, kind: str, nodes: Sequence[int], told: dict[str, Any]) -> None:
        if not nodes:
            return
        said = {"kind": kind, "nodes": list(nodes), "run": self._kept["runs"]} | told
        self._kept["answers"].append(said)
        self._next = len(self._kept["answers"])
        part = self._path.with_suffix(f".{os.getpid()}")
        with part.open("w", encoding="utf-8") as file:
            json.dump(self._kept, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self._path)
