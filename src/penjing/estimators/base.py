"""What all estimators share: parameters become a recipe, rows a table, and a tree answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from penjing import arguments
from penjing.api.fit import fit
from penjing.api.tree import Tree
from penjing.data.table import Column, Floats, Table
from penjing.dialects.recipes import RECIPES, recipe_of
from penjing.errors import ChoiceError, DataError, WrongTypeError
from penjing.estimators.to_table import answers_of, columns_of, name_of
from penjing.grow.recipe import Recipe
from penjing.predict import predict
from penjing.prune.cost_complexity import pruning_path
from penjing.registry import load
from penjing.tree import serialize
from penjing.tree.nodes import Ids

# What scikit-learn calls the settings of each program's rules.
_COMMON = {
    "max_leaf_nodes": "max_leaves",
    "min_samples_split": "min_weight",
    "min_samples_leaf": "min_branch",
}
_NAMES: dict[str, dict[str, str]] = {
    "rpart": _COMMON
    | {
        "min_samples_split": "minsplit",
        "min_samples_leaf": "minbucket",
        "max_surrogates": "maxsurrogate",
    },
    "sklearn": {"max_leaf_nodes": "max_leaves"},
}
_OTHERS = ("prune", "ccp_alpha", "validation_fraction", "random_state", "engine")
"""Parameters that are no setting of a recipe."""


class TreeEstimator(BaseEstimator):
    """A tree behind scikit-learn's methods; subclasses say which recipe and which parameters."""

    _recipe = "cart-binary"

    def _chosen(self) -> tuple[str | Recipe, dict[str, Any]]:
        """Return the recipe and its changed settings, by the recipe's own names."""
        params = self.get_params(deep=False)
        recipe = params.pop("recipe", self._recipe)
        extra = params.pop("options", None)
        if extra is not None:
            arguments.check_instance("options", extra, Mapping, "not_mapping")
        for name in (*_OTHERS, "class_weight", "min_weight_fraction_leaf"):
            params.pop(name, None)
        rules = recipe_of(recipe).rules
        names = _NAMES.get(rules, _COMMON)
        told = {names.get(k, k): _plain(v) for k, v in params.items() if v is not None}
        return recipe, told | {str(name): value for name, value in (extra or {}).items()}

    def _limits(self, recipe: Recipe, table: Table) -> dict[str, Any]:
        """Return the settings that hang on the rows."""
        share = getattr(self, "min_weight_fraction_leaf", 0.0)
        if not arguments.is_number(share) or not 0 <= share <= 0.5:
            raise arguments.bad_value_error("bad_weight_fraction", "share", share, int | float)
        if not share:
            return {}
        if recipe.rules == "sklearn":
            return {"min_weight_fraction_leaf": float(share)}
        if recipe.rules == "rpart":
            raise ChoiceError("weight_fraction_unknown", recipe=recipe.name)
        return {"min_branch": max(recipe.min_branch, float(share) * float(table.weights.sum()))}

    def _grown(
        self,
        columns: tuple[Column, ...],
        target: Column,
        weight: Floats | None,
    ) -> Tree:
        """Return the tree, pruned if asked for."""
        table = Table(columns, target, len(target.codes), weight, source={"name": "X"})
        if weight is not None and not weight.any():
            raise DataError("no_weight", source="sample_weight")
        alpha = arguments.number("ccp_alpha", self.ccp_alpha)
        name, changes = self._chosen()
        recipe = recipe_of(name, **changes)
        if recipe.rules == "sklearn" and self.random_state is not None:
            recipe = recipe.but(random_state=self._seed())
        recipe = recipe.but(**self._limits(recipe, table))
        tree = fit(
            table,
            recipe=recipe,
            prune=self.prune,
            validation=_share(getattr(self, "validation_fraction", None)),
            seed=self._seed(),
            engine=self.engine,
        )
        if alpha == 0:
            return tree
        return tree.prune("cost-complexity", alpha=alpha, by="impurity")

    def _seed(self) -> int:
        given = self.random_state
        if given is None:
            return 0
        if isinstance(given, int | np.integer):
            return arguments.whole_number("random_state", given, 0, 2**32 - 1)
        if not isinstance(given, np.random.RandomState) and given is not np.random:
            raise WrongTypeError("bad_random_state", name="random_state", value=given)
        return int(check_random_state(given).randint(0, 2**31 - 1))

    def _weights(self, weight: Any, n_rows: int) -> Floats | None:  # noqa: ANN401 - any array-like
        if weight is None:
            return None
        shape = np.empty((n_rows, 1))
        found: Floats = _check_sample_weight(
            weight, shape, dtype=np.float64, ensure_non_negative=True
        )
        return found

    def _taught(self, X: Any, y: Any, weight: Any) -> Self:  # noqa: ANN401, N803
        columns, n_rows = columns_of(self, X, reset=True)
        answers = answers_of(y, n_rows)
        target = self._target(name_of(y, columns), answers)
        weights = self._weighed(self._weights(weight, n_rows), answers)
        self.tree_ = self._grown(columns, target, weights)
        return self

    def _target(self, name: str, y: npt.NDArray[Any]) -> Column:
        raise NotImplementedError

    def _weighed(self, weight: Floats | None, y: npt.NDArray[Any]) -> Floats | None:  # noqa: ARG002
        return weight

    # -- answers ------------------------------------------------------------------------------

    def _rows(self, X: Any) -> Table:  # noqa: ANN401, N803 - any array or frame
        check_is_fitted(self)
        columns, n_rows = columns_of(self, X, reset=False)
        named = zip(columns, self.tree_.schema, strict=True)
        return Table(tuple(_renamed(c, field.name) for c, field in named), None, n_rows)

    def apply(self, X: Any) -> Ids:  # noqa: ANN401, N803
        """Return the node where each row stops, as ``tree_`` numbers it."""
        return predict.apply(self.tree_, self._rows(X))

    def decision_path(self, X: Any) -> Any:  # noqa: ANN401, N803
        """Return a sparse matrix (rows, nodes): 1 where a row comes through a node."""
        stops = self.apply(X)
        depth = self.tree_.depths
        steps = [stops]
        while (steps[-1] > 0).any():
            steps.append(np.where(steps[-1] > 0, self.tree_.nodes.parent[steps[-1]], -1))
        every = np.stack(steps[::-1], axis=1)
        start = np.append(0, np.cumsum(depth[stops] + 1))
        shape = (len(stops), len(self.tree_.nodes))
        known = every[every >= 0]
        return csr_matrix((np.ones(len(known), np.intp), known, start), shape=shape)

    def get_depth(self) -> int:
        """Return the largest number of questions asked of one row."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def model_(self) -> Tree:
        """The tree itself, by the name that the drop-in estimators have for it too."""
        check_is_fitted(self)
        return self.tree_

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in what the tree gained, as its own rules count it."""
        check_is_fitted(self)
        tree = self.tree_
        rules = load("dialect", str(tree.recipe["rules"]))
        if hasattr(rules, "importance"):
            told = rules.importance(tree)
            found = np.array([told.get(field.name, 0.0) for field in tree.schema])
        else:
            found = np.zeros(len(tree.schema))
            asks = ~tree.is_leaf
            np.add.at(found, tree.nodes.column[asks], (tree.weight * tree.nodes.gain)[asks])
        whole = found.sum()
        return found / whole if whole > 0 else found

    def cost_complexity_pruning_path(
        self,
        X: Any,  # noqa: ANN401, N803
        y: Any,  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - scikit-learn's Bunch
        """Return the complexities at which the tree grown from these rows loses questions.

        Returns
        -------
        Bunch
            ``ccp_alphas``, to be used as ``ccp_alpha``, and the ``impurities`` of the leaves.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        links = pruning_path(whole.tree_, by="impurity")
        alphas = np.array([link.alpha for link in links])
        return Bunch(ccp_alphas=alphas, impurities=np.array([link.cost for link in links]))

    # -- what scikit-learn asks ---------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn's Tags
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self.refuses_missing
        return tags

    @property
    def refuses_missing(self) -> bool:
        """Whether missing values are refused."""
        own = getattr(self, "missing", None)
        recipe = getattr(self, "recipe", self._recipe)
        known = RECIPES.get(recipe) if isinstance(recipe, str) else recipe
        usual = known.missing if isinstance(known, Recipe) else "refuse"
        return (own if isinstance(own, str) else usual) == "refuse"

    def __getstate__(self) -> dict[str, Any]:
        """Return plain data: parameters, and the tree as a model file holds it."""
        state: dict[str, Any] = dict(super().__getstate__())
        if "tree_" in state:
            state["tree_"] = serialize.to_json(self.tree_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "tree_" in state:
            state = state | {"tree_": serialize.from_json(state["tree_"])}
        super().__setstate__(state)


def _renamed(column: Column, name: str) -> Column:
    object.__setattr__(column, "name", name)  # made a moment ago, for this one purpose
    return column


def _share(value: Any) -> float | None:  # noqa: ANN401 - any parameter's
    if value is not None and not arguments.is_number(value):
        raise WrongTypeError("bad_share", value=value)
    return None if value is None else float(value)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any parameter's
    """Return a NumPy number as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
