"""Check that a user-defined criterion agrees with the C++ kernel that it names."""

from __future__ import annotations

import numpy as np

from penjing.criteria.criterion import KERNELS, Criterion
from penjing.data.table import Floats
from penjing.errors import ChoiceError, unknown_name_error
from penjing.registry import BUILT_IN, load
from penjing.tree.counts import Classes, Number, Reader
from penjing.tree.split import BestSplits

# Sums of a few nodes and the candidates of one node, for which any two kernels differ.
_COUNTS = np.array([[3.0, 1.0, 0.0], [2.0, 2.0, 2.0], [5.0, 1.0, 4.0]])
_MOMENTS = np.array([[4.0, 2.0, 9.0], [3.0, -1.0, 2.0], [5.0, 0.5, 7.0]])
_GAIN, _INFORMATION = np.array([[0.5, 0.375, 0.0625]]), np.array([[2.0, 0.75, 1.0]])


def check_kernel(criterion: Criterion) -> None:
    """Refuse a criterion whose ``native`` is no kernel, or a kernel with other values.

    Trees are grown by the kernel alone, so a wrong name would give the tree of another criterion.
    """
    kernel = criterion.native
    if kernel is None or type(criterion) in _built_in():
        return
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise unknown_name_error("unknown_choice", kernel, KERNELS, kind="native kernel")
    if not _agree(criterion, load("criterion", KERNELS[kernel])()):
        raise ChoiceError("kernel_differs", name=criterion.name, kernel=kernel)


def _built_in() -> set[type]:
    return {load("criterion", name) for name in BUILT_IN["criterion"]}


def _agree(custom: Criterion, kernel: Criterion) -> bool:
    """Whether two criteria have the same impurities and scores."""
    is_number = kernel.name == "variance"
    total, s = (_MOMENTS, Number()) if is_number else (_COUNTS, Classes(3))
    return _are_close(*(_values_of(criterion, total, s) for criterion in (custom, kernel)))


def _values_of(criterion: Criterion, total: Floats, s: Reader) -> Floats | None:
    ones = np.ones_like(_GAIN)
    n_candidates = np.ones(_GAIN.shape, np.int64)
    best_splits = BestSplits(_GAIN, _INFORMATION, ones, ones * np.nan, n_candidates, {})
    try:
        parts = criterion.impurity(total, s), criterion.between(best_splits)
        return np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in parts])
    except Exception:  # noqa: BLE001 - a user's criterion may raise anything
        return None


def _are_close(a: Floats | None, b: Floats | None) -> bool:
    if a is None or b is None or a.shape != b.shape:
        return False
    return bool(np.allclose(a, b, rtol=1e-9, atol=0.0, equal_nan=True))
