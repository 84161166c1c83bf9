"""Values that people pass by mistake, by name; each call makes a new one."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


class Mute:
    """Cannot be shown, compared, counted, or taken for true or false."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")  # noqa: TRY003

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")  # noqa: TRY003

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equality")  # noqa: TRY003

    def __hash__(self) -> int:
        raise RuntimeError("no hash")  # noqa: TRY003

    def __len__(self) -> int:
        raise RuntimeError("no length")  # noqa: TRY003


class Wordy:
    """Is shown by pages."""

    def __repr__(self) -> str:
        return "a line\n" * 1000


def holding_itself(holder: Any) -> Any:
    """Return a list or a dict that holds itself."""
    if isinstance(holder, dict):
        holder["zzz"] = holder
    else:
        holder.append(holder)
    return holder


def array_of_itself() -> Any:
    found = np.empty(2, object)
    found[:] = [found, 1]
    return found


VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "0": lambda: 0,
    "-1": lambda: -1,
    "3": lambda: 3,
    "10**9": lambda: 10**9,
    "10**30": lambda: 10**30,
    "10**5000": lambda: 10**5000,
    "0.5": lambda: 0.5,
    "1.5": lambda: 1.5,
    "-0.5": lambda: -0.5,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "-inf": lambda: -math.inf,
    "1j": lambda: 1j,
    "''": lambda: "",
    "'zzz'": lambda: "zzz",
    "long text": lambda: "zyx" * 40_000,
    "lines": lambda: "a\nb\n" * 50,
    "NUL": lambda: "z\0z",
    "half a letter": lambda: "z\udc80",
    "b'zzz'": lambda: b"zzz",
    "bytearray": lambda: bytearray(b"zzz"),
    "[]": list,
    "()": tuple,
    "[1, 2]": lambda: [1, 2],
    "['zzz']": lambda: ["zzz"],
    "[None]": lambda: [None],
    "ragged": lambda: [[1], [1, 2]],
    "list of itself": lambda: holding_itself([]),
    "dict of itself": lambda: holding_itself({}),
    "{}": dict,
    "{'zzz': 1}": lambda: {"zzz": 1},
    "{1: 2}": lambda: {1: 2},
    "set": lambda: {1},
    "generator": lambda: (x for x in "zz"),
    "lambda": lambda: lambda: None,
    "object": object,
    "class": lambda: int,
    "module": lambda: math,
    "...": lambda: ...,
    "array()": lambda: np.array(1.0),
    "array[2]": lambda: np.array([1.0, 2.0]),
    "array[0]": lambda: np.array([]),
    "array[2, 2, 2]": lambda: np.zeros((2, 2, 2)),
    "array of itself": array_of_itself,
    "frame": lambda: pd.DataFrame({"zzz": range(200), "y": list("ab") * 100}),
    "series": lambda: pd.Series([1, 2], name="zzz"),
    "path": lambda: Path("/nowhere/zzz"),
    "mute": Mute,
    "wordy": Wordy,
}
