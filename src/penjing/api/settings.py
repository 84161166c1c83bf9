"""The settings of all recipes as keyword types: what ``fit(**settings)`` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from penjing.criteria.criterion import Criterion
from penjing.data.source import Label


class SharedSettings(TypedDict, total=False):
    """Settings of every recipe; see :class:`penjing.Recipe`."""

    rules: str
    criterion: str | Callable[[Any], Any] | Criterion
    shape: Literal["multiway", "binary", "merged", "one-level"]
    missing: Literal["refuse", "fraction", "surrogate", "direction", "branch"]
    unseen: Literal["stop", "error", "missing"]
    max_depth: int | None
    max_leaves: int | None
    min_weight: float
    min_branch: float
    min_gain: float
    laplace: bool
    monotonic_cst: Mapping[str, int] | Sequence[int] | None
    interaction_cst: str | Sequence[Sequence[str | int]] | None


class C45Settings(TypedDict, total=False):
    """Settings of the recipes ``c4.5`` and ``j48``, and the programs' own option letters."""

    precision: Literal["double", "single"]
    sums: Literal["exact", "cases"]
    tolerance: float
    gap: float
    side_share: float
    side_most: float
    cut_cost: bool
    cut_at: Literal["value", "midpoint"]
    cut_tolerance: float
    slack: float
    many_levels: float
    zero_gain: bool
    collapse: bool
    pruning: Literal["error-based", "reduced-error", "none"]
    confidence: float
    deviate: Literal["table", "quantile"]
    last_errors: float
    raise_branches: bool
    minimum_slips: bool
    empty: Literal["majority", "shares"]
    m: float
    c: float
    g: bool
    s: bool
    M: float
    C: float
    A: bool
    B: bool
    J: bool
    O: bool
    R: bool
    S: bool
    U: bool
    doNotMakeSplitPointActualValue: bool


class C50Settings(TypedDict, total=False):
    """Settings of the recipe ``c5.0`` besides those of ``c4.5``."""

    numbers: Literal["double", "single"]
    least_gain: float
    screen_share: float
    screen_few: float
    screen_many: float
    near_ties: float
    gap_cost: bool
    pure_share: float
    collapse_share: float
    pool: bool
    raise_share: float
    regrow_share: float
    global_pruning: bool
    gather: bool
    r: bool


class RpartSettings(TypedDict, total=False):
    """Settings of the recipe ``rpart``, by the names of R's ``rpart.control``."""

    cp: float
    minsplit: int
    minbucket: int | None
    maxsurrogate: int
    usesurrogate: Literal[0, 1, 2]
    surrogatestyle: Literal[0, 1]
    prior: Sequence[float] | Mapping[Label, float] | None
    loss: Sequence[Sequence[float]] | Mapping[Label, Mapping[Label, float]] | None
    cost: Sequence[float] | Mapping[str, float] | None
    xval: int | Sequence[int]
    loss_transposed: bool
    stuck_repeats: bool
    alpha: float | None
    maxdepth: int
    split: Literal["gini", "information"]
    costs: Sequence[float] | Mapping[str, float] | None


class SklearnSettings(TypedDict, total=False):
    """Settings of the recipe ``sklearn``, by scikit-learn's parameter names."""

    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    ccp_alpha: float
    class_weight: str | Mapping[Label, float] | None
    max_features: float | str | None
    max_leaf_nodes: int | None
    random_state: int | None
    random_start: int | None
    nominal: Literal["position", "refuse"]
    splitter: Literal["best"]


class RemoteSettings(TypedDict, total=False):
    """Settings of engines whose rows stay in a database or in a cluster."""

    table: str
    checkpoint: str
    session: object


class Settings(
    SharedSettings,
    C45Settings,
    C50Settings,
    RpartSettings,
    SklearnSettings,
    RemoteSettings,
    total=False,
):
    """All settings; one that a recipe does not have is refused when the tree is grown."""


class SubtreeSettings(
    SharedSettings,
    C45Settings,
    C50Settings,
    RpartSettings,
    SklearnSettings,
    total=False,
):
    """Settings of a subtree that grows again; those of the whole tree are refused."""


class PruneOptions(TypedDict, total=False):
    """Options of the pruning methods; see :meth:`penjing.Tree.prune`."""

    ties: Literal["cut", "keep"]
    confidence: float
    raise_branches: bool
    deviate: Literal["table", "quantile"]
    last_errors: float
    tolerance: float
    precision: Literal["double", "single"]
    alpha: float
    cp: float
    by: Literal["errors", "impurity"]
    one_se: bool
    m: float
    slack: float
    share: float
