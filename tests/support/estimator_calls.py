"""Random calls of a decision tree, valid and invalid, and their outcomes.

`call(seed)` makes everything anew, so that two classes get the same and neither sees what the
other did to it.
"""

from __future__ import annotations

import re
import tempfile
import warnings
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

NAN, INF = float("nan"), float("inf")


@dataclass
class Call:
    """One call of `fit`, and rows to predict."""

    seed: int
    kind: str
    params: dict[str, Any]
    x: Any
    y: Any
    more: dict[str, Any] = field(default_factory=dict)
    asked: Any = None
    said: str = ""


def _frame(x, names=None):
    return pd.DataFrame(x, columns=names or [f"c{i}" for i in range(x.shape[1])])


def _with(x, value, places=((0, 0), (3, 1), (5, 0))):
    x = x.copy()
    for i, j in places:
        x[i % x.shape[0], j % x.shape[1]] = value
    return x


def _memmap(x):
    folder = Path(tempfile.gettempdir())
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".npy") as file:
        np.save(file, x)
        file.flush()
        return np.load(file.name, mmap_mode="r")


def _frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def _strided(x):
    wide = np.zeros((2 * x.shape[0], 3 * x.shape[1]))
    wide[::2, ::3] = x
    return wide[::2, ::3]


def _wide_indices(x):
    made = sparse.csr_matrix(x)
    made.indices, made.indptr = made.indices.astype(np.int64), made.indptr.astype(np.int64)
    return made


def _masked(x):
    return np.ma.masked_array(x, mask=x > 1)


SOUND_X = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "single": lambda x: x.astype(np.float32),
    "single F": lambda x: np.asfortranarray(x, np.float32),
    "half": lambda x: x.astype(np.float16),
    "long": lambda x: x.astype(np.longdouble),
    "int": lambda x: (10 * x).astype(np.int64),
    "small int": lambda x: (3 * x).astype(np.int8),
    "bool": lambda x: x > 0,
    "lists": lambda x: x.tolist(),
    "tuples": lambda x: tuple(map(tuple, x.tolist())),
    "pandas": _frame,
    "pandas, mixed": lambda x: _frame(x).assign(whole=(4 * x[:, 0]).astype(int), yes=x[:, 1] > 0),
    "pandas, numbered": pd.DataFrame,
    "pandas, y": lambda x: _frame(x, ["y", *(f"y{i}" for i in range(1, x.shape[1]))]),
    "pandas, twice": lambda x: _frame(x, ["a"] * x.shape[1]),
    "pandas, odd names": lambda x: _frame(x, ["", " ", "a\nb", "类", "x1"][: x.shape[1]]),
    "pandas, nullable": lambda x: _frame(x).convert_dtypes(),
    "polars": lambda x: pl.DataFrame(x, schema=[f"c{i}" for i in range(x.shape[1])]),
    "frozen": _frozen,
    "memmap": _memmap,
    "strided": _strided,
    "backwards": lambda x: x[::-1, ::-1],
    "objects": lambda x: x.astype(object),
    "texts of numbers": lambda x: x.astype(str),
    "gaps": lambda x: _with(x, NAN),
    "a column of gaps": lambda x: _with(x, NAN, [(i, 1) for i in range(len(x))]),
    "None": lambda x: _with(x.astype(object), None),
    "one column": lambda x: x[:, :1],
    "constant": np.zeros_like,
    "masked": _masked,
    "large": lambda x: x * 1e30,
    "near": lambda x: 1 + x * 1e-7,
}
SPARSE_X = {
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
    "csr array": sparse.csr_array,
    "lil": sparse.lil_matrix,
    "dok": sparse.dok_matrix,
    "bsr": sparse.bsr_matrix,
    "dia": sparse.dia_array,
    "wide indices": _wide_indices,
    "sparse gaps": lambda x: sparse.csr_matrix(_with(x, NAN)),
    "sparse frame": lambda x: _frame(x).astype(pd.SparseDtype("float64", 0.0)),
}
WRONG_X = {
    "inf": lambda x: _with(x, INF),
    "inf and gaps": lambda x: _with(_with(x, NAN), -INF, [(1, 1)]),
    "too large": lambda x: _with(x, 1e39),
    "words": lambda x: _with(x.astype(object), "word"),
    "texts": lambda x: [["a"] * x.shape[1]] * len(x),
    "1-D": lambda x: x[:, 0],
    "3-D": lambda x: x[None],
    "no rows": lambda x: x[:0],
    "no columns": lambda x: x[:, :0],
    "fewer rows": lambda x: x[:-2],
    "one row": lambda x: x[:1],
    "None at all": lambda _: None,
    "a number": lambda _: 3.0,
    "a text": lambda _: "rows",
    "a dict": lambda x: {"a": x[:, 0]},
    "ragged": lambda _: [[1.0, 2.0], [3.0]],
    "complex": lambda x: x + 1j,
    "dates": lambda x: x.astype(int).astype("datetime64[D]"),
    "matrix": np.matrix,
    "series": lambda x: pd.Series(x[:, 0]),
    "mixed names": lambda x: _frame(x, ["a", 1, "b", 2, "c"][: x.shape[1]]),
    "columns of words": lambda x: _frame(x).assign(word="a"),
    "records": lambda x: np.zeros(len(x), [("a", float), ("b", float)]),
}

SOUND_Y = {
    "classes": {
        "ints": lambda y: y,
        "texts": lambda y: np.array(["no", "yes", "perhaps"])[y],
        "objects": lambda y: np.array(["no", "yes", "perhaps"], object)[y],
        "bools": lambda y: y > 0,
        "bytes of ints": lambda y: y.astype(np.uint8),
        "floats": lambda y: y.astype(float),
        "negative": lambda y: y - 5,
        "list": lambda y: y.tolist(),
        "list of texts": lambda y: [str(v) for v in y],
        "series": lambda y: pd.Series(y, name="y"),
        "categories": lambda y: pd.Series(np.array(["b", "a", "c"])[y]).astype("category"),
        "polars": lambda y: pl.Series("y", y),
        "column": lambda y: y.reshape(-1, 1),
        "one class": np.zeros_like,
        "many classes": lambda y: np.arange(len(y)) // 2,
        "all different": lambda y: np.arange(len(y)),
        "as bytes": lambda y: np.array([b"n", b"y", b"p"])[y],
    },
    "number": {
        "floats": lambda y: y / 4,
        "ints": lambda y: y,
        "singles": lambda y: (y / 4).astype(np.float32),
        "bools": lambda y: y > 0,
        "list": lambda y: (y / 4).tolist(),
        "series": lambda y: pd.Series(y / 4),
        "polars": lambda y: pl.Series("y", y / 4),
        "column": lambda y: (y / 4).reshape(-1, 1),
        "backwards": lambda y: (y / 4)[::-1],
        "objects": lambda y: (y / 4).astype(object),
        "texts of numbers": lambda y: (y / 4).astype(str),
        "constant": lambda y: np.full(len(y), 0.1),
        "thirds": lambda y: y / 3,
        "far": lambda y: y * 1e155,
        "tiny": lambda y: y * 1e-200,
    },
}
ODD_Y = {
    "two outputs": lambda y: np.stack([y, y[::-1]], axis=1),
    "two outputs, list": lambda y: np.stack([y % 2, y], axis=1).tolist(),
    "indicator": lambda y: (y[:, None] == np.arange(3)).astype(int),
    "gaps": lambda y: np.where(np.arange(len(y)) == 2, NAN, y),
    "inf": lambda y: np.where(np.arange(len(y)) == 2, INF, y),
    "None in it": lambda y: np.where(np.arange(len(y)) == 2, None, y),
    "fractions": lambda y: y + 0.5 * (np.arange(len(y)) % 2),
    "mixed": lambda y: np.array(["a", 1] * len(y), object)[: len(y)],
    "words": lambda y: np.array(["no", "yes", "perhaps"])[y % 3],
    "shorter": lambda y: y[:-1],
    "empty": lambda y: y[:0],
    "None": lambda _: None,
    "a number": lambda _: 1,
    "3-D": lambda y: y.reshape(-1, 1, 1),
    "complex": lambda y: y + 1j,
    "dates": lambda y: y.astype("datetime64[D]"),
    "sparse": sparse.csr_matrix,
    "lists of lists": lambda y: [[int(v)] * (1 + int(v) % 2) for v in y],
    "negative": lambda y: -1.0 * y,
}

WEIGHTS = {
    "none": lambda _: None,
    "ones": lambda y: np.ones(len(y)),
    "whole": lambda y: np.arange(len(y)) % 3 + 1,
    "some zero": lambda y: (np.arange(len(y)) % 3).astype(float),
    "quarters": lambda y: (np.arange(len(y)) % 7 + 1) / 4,
    "list": lambda y: [1.0 + i % 2 for i in range(len(y))],
    "series": lambda y: pd.Series(np.arange(len(y)) % 2 + 0.5),
    "singles": lambda y: np.full(len(y), 0.5, np.float32),
    "a number": lambda _: 2.0,
}
ODD_WEIGHTS = {
    "all zero": lambda y: np.zeros(len(y)),
    "negative": lambda y: np.arange(len(y)) % 4 - 1.0,
    "all negative": lambda y: -np.ones(len(y)),
    "gaps": lambda y: np.where(np.arange(len(y)) == 1, NAN, 1.0),
    "inf": lambda y: np.where(np.arange(len(y)) == 1, INF, 1.0),
    "shorter": lambda y: np.ones(len(y) - 1),
    "column": lambda y: np.ones((len(y), 1)),
    "words": lambda y: ["a"] * len(y),
    "huge": lambda y: np.full(len(y), 1e200),
    "minute": lambda y: np.full(len(y), 1e-200),
    "a text": lambda _: "weights",
}

SOUND = {
    "max_depth": [None, 1, 2, 5, np.int64(3), True],
    "min_samples_split": [2, 5, 0.3, 1.0, np.int32(4), np.float32(0.25), 40],
    "min_samples_leaf": [1, 2, 0.1, 3, np.float64(0.2)],
    "min_weight_fraction_leaf": [0.0, 0.125, 0, 0.5, np.float32(0.25)],
    "max_features": [None, 1, 2, 0.5, 1.0, "sqrt", "log2", 50, np.int64(2)],
    "max_leaf_nodes": [None, 2, 4, 9, np.int64(5)],
    "min_impurity_decrease": [0.0, 0.0078125, 0.25, 1],
    "ccp_alpha": [0.0, 0.0123, 0.5, 1, np.float32(0.02)],
    "random_state": [0, 1, 2**32 - 1, "generator", None, np.int64(7), "used generator"],
    "class_weight": [None, "balanced", "by class", "two thirds"],
    "criterion": {
        "classes": ["gini", "entropy", "log_loss"],
        "number": ["squared_error", "absolute_error", "poisson", "friedman_mse"],
    },
    "splitter": ["best", "random"],
    "monotonic_cst": [None, None, "zeros", "one"],
}
WRONG = {
    "max_depth": [0, -1, 2.5, "a", 10**30, NAN],
    "min_samples_split": [1, 0, 1.5, "a", 0.0, None, 10**30],
    "min_samples_leaf": [0, 1.0, -1, "a", None, 10**30],
    "min_weight_fraction_leaf": [0.6, -0.1, "a", None, NAN],
    "max_features": [0, -1, 1.5, "auto", 0.0, [1], 10**30],
    "max_leaf_nodes": [1, 0, 2.5, "a", 2**65, 2**62],
    "min_impurity_decrease": [Fraction(1, 64), -0.1, "a", None, INF, NAN],
    "ccp_alpha": [Fraction(1, 99), -0.1, "a", None, INF, NAN],
    "random_state": [-1, 1.5, "a", 2**32, "Generator"],
    "class_weight": ["unknown", {"zzz": 1}, {}, [{0: 1}], 3, "negative", "zero", "all zero"],
    "criterion": {"classes": ["squared_error", "x", None, 1], "number": ["gini", "x", None]},
    "splitter": ["x", None, 1],
    "monotonic_cst": ["short", "odd values", 1, "words"],
}
_CLASS_WEIGHTS = {"by class": (1, 2, 0.5), "two thirds": (2 / 3, 1, 1), "negative": (1, -1, 1),
                  "zero": (0, 1, 1), "all zero": (0, 0, 0)}  # fmt: skip


ODD = [
    *[()] * 8,
    *[("sparse",)] * 2,
    *[("x",), ("y",), ("weight",), ("param",)],
    *[("x", "param"), ("y", "param"), ("weight", "param"), ("x", "y"), ("x", "weight")],
]
"""What is odd about a call."""


def _param(name, value, n_columns, classes, seed):
    """Return what a word among the parameters stands for, made anew."""
    if not isinstance(value, str):
        return value
    if name == "random_state" and "enerator" in value:
        if value == "Generator":
            return np.random.default_rng(seed)
        made = np.random.RandomState(seed)
        made.uniform(size=3 if value == "used generator" else 0)
        return made
    if name == "class_weight" and value in _CLASS_WEIGHTS:
        return {c: _CLASS_WEIGHTS[value][i % 3] for i, c in enumerate(classes)}
    if name == "monotonic_cst":
        odd = {"zeros": [0] * n_columns, "one": [1] + [0] * (n_columns - 1), "short": [1],
               "odd values": [2] * n_columns, "words": ["up"] * n_columns}  # fmt: skip
        return odd[value]
    return value


def call(seed: int) -> Call:
    """Return a call: most are sound, others have one thing wrong with them, or two."""
    draw = np.random.RandomState(seed)

    def pick(these):
        return [*these][draw.randint(len(these))]

    kind = pick(["classes", "number"])
    n, n_columns = draw.randint(4, 40), draw.randint(2, 6)
    base = np.round(draw.normal(size=(n, n_columns)), 1)
    number = np.round(4 * (base.sum(axis=1) + draw.normal(size=n))).astype(int)
    label = number % 3 if kind == "classes" else np.abs(number)
    odd = pick(ODD)
    sort = SPARSE_X if "sparse" in odd else WRONG_X if "x" in odd else SOUND_X
    x_name = pick(sort)
    y_sort = ODD_Y if "y" in odd else SOUND_Y[kind]
    y_name = pick(y_sort) if draw.uniform() < 0.7 else next(iter(y_sort))
    w_sort = ODD_WEIGHTS if "weight" in odd else WEIGHTS
    w_name = pick(w_sort) if "weight" in odd or draw.uniform() < 0.3 else "none"
    x, y = sort[x_name](base), y_sort[y_name](label)
    params = _params(draw, kind, getattr(x, "shape", (0, 0)), y, seed, odd=odd)
    if "negative" in w_name and params.get("criterion") == "absolute_error":
        params["criterion"] = (
            "poisson"  # scikit-learn's median of such weights is whatever lay in memory
        )
    more = {} if w_name == "none" else {"sample_weight": w_sort[w_name](label)}
    if draw.uniform() < 0.1:
        more["check_input"] = False
    asked = pick([*SOUND_X.values(), *SPARSE_X.values(), *WRONG_X.values()])(base)
    said = f"seed {seed} {kind}: X {x_name}, y {y_name}, weight {w_name}, {params}, {[*more]}"
    return Call(seed, kind, params, x, y, more, asked, said)


def _params(draw, kind, shape, y, seed, *, odd):
    def pick(these):
        return these[draw.randint(len(these))]

    def options(name, sort):
        return sort[name][kind] if isinstance(sort[name], dict) else sort[name]

    names = [name for name in SOUND if kind == "classes" or name != "class_weight"]
    picked = {name: pick(options(name, SOUND)) for name in names if draw.uniform() < 0.2}
    picked.setdefault("random_state", seed)
    if "param" in odd:
        name = pick(names)
        picked[name] = pick(options(name, WRONG))
    width = shape[1] if len(shape) == 2 else 3
    flat = np.asarray(y, object).ravel() if kind == "classes" else np.zeros(0)
    classes = sorted(
        {v for v in flat.tolist() if isinstance(v, str | int | float | bytes)}, key=str
    )
    return {name: _param(name, value, width, classes, seed) for name, value in picked.items()}


@dataclass
class Outcome:
    """What became of a call: a model, or how it failed; and what was warned of."""

    model: Any = None
    failed: tuple[str, str] | None = None
    warned: list[tuple[str, str]] = field(default_factory=list)
    stream: Any = None


def outcome(model_class, made: Call) -> Outcome:
    """Call it."""
    np.random.seed(made.seed % 2**32)
    found = Outcome()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found.model = model_class(**made.params).fit(made.x, made.y, **made.more)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
            found.failed = failure(error)
    found.warned = [(w.category.__name__, _plain(str(w.message))) for w in said]
    found.stream = np.random.random_sample()
    return found


def failure(error: Exception) -> tuple[str, str]:
    """Return the type and the words of an error, addresses left out."""
    return type(error).__name__, _plain(str(error))


def _plain(text: str) -> str:
    return re.sub(r"0x[0-9A-Fa-f]+", "·", text)


def answer(method, *given) -> Any:
    """Return what a method says, or how it failed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = method(*given)
        except Exception as error:  # noqa: BLE001
            return failure(error)
    return found.toarray() if sparse.issparse(found) else found
