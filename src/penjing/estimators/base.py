"""The base of all estimators: parameters become a recipe, X and y a table, fitted by `fit`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from penjing import arguments
from penjing.api.fit import fit
from penjing.api.tree import Tree
from penjing.data.source import ArrayOrFrame
from penjing.data.table import Column, Floats, Table
from penjing.dialects.recipes import named_recipe
from penjing.errors import DataError, WrongTypeError
from penjing.estimators.to_table import check_target, read_columns, target_name
from penjing.grow.constraints import SETTINGS as CONSTRAINTS
from penjing.grow.recipe import Recipe
from penjing.predict import predict
from penjing.prune.cost_complexity import pruning_path
from penjing.training.auto_recipe import RecipeChoice, choose_recipe, is_auto
from penjing.tree import serialize
from penjing.tree.dialect import dialect_of
from penjing.tree.nodes import Ids

if TYPE_CHECKING:
    from sklearn.utils import Tags

_OWN_PARAMETERS = (
    "prune",
    "ccp_alpha",
    "validation_fraction",
    "random_state",
    "engine",
    "class_weight",
    "min_weight_fraction_leaf",
    "force_splits",
    "forbid",
)
"""Parameters of the estimators that are not settings of the recipe."""


class TreeEstimator(BaseEstimator):
    """A tree with scikit-learn's methods; subclasses define the recipe and the parameters."""

    _recipe = "cart-binary"

    def _keep_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Keep the arguments of ``__init__``, its ``locals()``, by their names."""
        for name, value in parameters.items():
            if name != "self":
                setattr(self, name, value)

    def _recipe_and_settings(self, table: Table) -> tuple[RecipeChoice, dict[str, Any]]:
        """Return the recipe for a table and the changed settings, by their names in the recipe."""
        params = self.get_params(deep=False)
        recipe = params.pop("recipe", self._recipe)
        extra = params.pop("options", None)
        if extra is not None:
            arguments.check_instance("options", extra, Mapping, "not_mapping")
        for name in _OWN_PARAMETERS:
            params.pop(name, None)
        constraints = {name: params[name] for name in CONSTRAINTS if params.get(name) is not None}
        choice = choose_recipe(recipe, table, constraints if is_auto(recipe) else {}, self.prune)
        names = choice.recipe.dialect.estimator_names
        settings = {
            names.get(k, k): _to_python_number(v) for k, v in params.items() if v is not None
        }
        return choice, settings | {str(name): value for name, value in (extra or {}).items()}

    def _minimum_leaf_weight(self, recipe: Recipe, table: Table) -> dict[str, Any]:
        """Return the setting for ``min_weight_fraction_leaf``, which depends on the weights."""
        fraction = getattr(self, "min_weight_fraction_leaf", 0.0)
        if not arguments.is_number(fraction) or not 0 <= fraction <= 0.5:
            raise arguments.bad_value_error("bad_weight_fraction", "share", fraction, int | float)
        if not fraction:
            return {}
        return recipe.dialect.leaf_fraction(float(fraction), recipe, table)

    def _grow(
        self,
        columns: tuple[Column, ...],
        target: Column,
        weight: Floats | None,
    ) -> Tree:
        """Return the tree, pruned by ``prune`` and ``ccp_alpha``."""
        table = Table(columns, target, len(target.codes), weight, source={"name": "X"})
        if weight is not None and not weight.any():
            raise DataError("no_weight", source="sample_weight")
        alpha = arguments.number("ccp_alpha", self.ccp_alpha)
        choice, settings = self._recipe_and_settings(table)
        recipe = choice.recipe.but(**settings)
        seed_setting = recipe.dialect.seed_setting
        if seed_setting is not None and self.random_state is not None:
            recipe = recipe.but(**{seed_setting: self._seed()})
        recipe = recipe.but(**self._minimum_leaf_weight(recipe, table))
        tree = fit(
            table,
            recipe=recipe,
            prune=self.prune,
            validation=_check_fraction(getattr(self, "validation_fraction", None)),
            seed=self._seed(),
            engine=self.engine,
            force_splits=self.force_splits,
            forbid=self.forbid,
            quiet=True,
        )
        if choice.prune != self.prune:  # recipe auto prunes trees of numbers
            options: dict[str, Any] = dict(choice.pruning_options)
            tree = tree.prune(str(choice.prune), **options)
        if alpha == 0:
            return tree
        return tree.prune("cost-complexity", alpha=alpha, by="impurity")

    def _seed(self) -> int:
        state = self.random_state
        if state is None:
            return 0
        if isinstance(state, int | np.integer):
            return arguments.whole_number("random_state", state, 0, 2**32 - 1)
        if not isinstance(state, np.random.RandomState) and state is not np.random:
            raise WrongTypeError("bad_random_state", name="random_state", value=state)
        return int(check_random_state(state).randint(0, 2**31 - 1))

    def _check_weights(self, weight: npt.ArrayLike | None, n_rows: int) -> Floats | None:
        if weight is None:
            return None
        rows = np.empty((n_rows, 1))
        checked: Floats = _check_sample_weight(
            weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        return checked

    def fit(
        self,
        X: ArrayOrFrame,  # noqa: N803 - scikit-learn's name
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Grow the tree from the training data.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            Numbers and text; NaN and None are missing values. Categorical columns of a frame keep
            the order of their categories; ordered ones are ordinal columns.
        y : array of shape (rows,)
            The class of each row, of a regressor the number.
        sample_weight : array of shape (rows,), optional
            The weight of each row, 1 if not given.

        Returns
        -------
        Self
            The fitted estimator, with the tree as ``tree_``.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb"))
        >>> print(model.tree_)
        x1 ≤ 2.5: a (2)
        x1 > 2.5: b (2)
        """
        columns, n_rows = read_columns(self, X, reset=True)
        labels = check_target(y, n_rows)
        target = self._make_target(target_name(y, columns), labels)
        weights = self._apply_class_weight(self._check_weights(sample_weight, n_rows), labels)
        self.tree_ = self._grow(columns, target, weights)
        return self

    def _make_target(self, name: str, y: npt.NDArray[Any]) -> Column:
        raise NotImplementedError

    def _apply_class_weight(self, weight: Floats | None, y: npt.NDArray[Any]) -> Floats | None:  # noqa: ARG002
        return weight

    # -- predictions --------------------------------------------------------------------------

    def _read_rows(self, X: ArrayOrFrame) -> Table:  # noqa: N803
        check_is_fitted(self)
        columns, n_rows = read_columns(self, X, reset=False)
        pairs = zip(columns, self.tree_.schema, strict=True)
        return Table(tuple(_rename(c, field.name) for c, field in pairs), None, n_rows)

    def apply(self, X: ArrayOrFrame) -> Ids:  # noqa: N803
        """Return the node at which the path of each row ends.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            The rows, with the columns of the training data.

        Returns
        -------
        array of int, of shape (rows,)
            Nodes as ``tree_`` numbers them: 0 is the root, and each level follows the one above.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb"))
        >>> model.apply([[0], [9]]).tolist()
        [1, 2]
        """
        return predict.apply(self.tree_, self._read_rows(X))

    def decision_path(self, X: ArrayOrFrame) -> csr_matrix:  # noqa: N803
        """Return the nodes on the path of each row.

        Parameters
        ----------
        X : array or frame of shape (rows, columns)
            The rows, with the columns of the training data.

        Returns
        -------
        csr_matrix of shape (rows, nodes)
            1 where the path of a row contains a node, 0 elsewhere.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb"))
        >>> model.decision_path([[0], [9]]).toarray().tolist()
        [[1, 1, 0], [1, 0, 1]]
        """
        leaves = self.apply(X)
        depth = self.tree_.depths
        steps = [leaves]
        while (steps[-1] > 0).any():
            steps.append(np.where(steps[-1] > 0, self.tree_.nodes.parent[steps[-1]], -1))
        paths = np.stack(steps[::-1], axis=1)
        row_start = np.append(0, np.cumsum(depth[leaves] + 1))
        shape = (len(leaves), len(self.tree_.nodes))
        visited = paths[paths >= 0]
        return csr_matrix((np.ones(len(visited), np.intp), visited, row_start), shape=shape)

    def get_depth(self) -> int:
        """Return the depth of the tree: the largest number of splits on a path.

        Examples
        --------
        >>> import penjing
        >>> penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb")).get_depth()
        1
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Examples
        --------
        >>> import penjing
        >>> penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb")).get_n_leaves()
        2
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def model_(self) -> Tree:
        """The tree as a :class:`penjing.Tree`; the drop-in estimators have it by this name, too.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.TreeClassifier().fit([[1], [2], [3], [4]], list("aabb")).model_)
        x1 ≤ 2.5: a (2)
        x1 > 2.5: b (2)
        """
        check_is_fitted(self)
        return self.tree_

    @property
    def feature_importances_(self) -> Floats:
        """The importance of each column, as the dialect defines it; the sum is 1.

        For most dialects it is the gain of the column's splits, weighted by the rows.

        Examples
        --------
        >>> import penjing
        >>> model = penjing.TreeClassifier().fit([[1, 5], [2, 5], [3, 6]], list("aab"))
        >>> model.feature_importances_.tolist()
        [1.0, 0.0]
        """
        check_is_fitted(self)
        tree = self.tree_
        importance = dialect_of(tree).importance
        if importance is not None:
            by_name = importance(tree)
            importances = np.array([by_name.get(field.name, 0.0) for field in tree.schema])
        else:
            importances = np.zeros(len(tree.schema))
            is_split = ~tree.is_leaf
            np.add.at(
                importances, tree.nodes.column[is_split], (tree.weight * tree.nodes.gain)[is_split]
            )
        total = importances.sum()
        return importances / total if total > 0 else importances

    def cost_complexity_pruning_path(
        self,
        X: ArrayOrFrame,  # noqa: N803
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Bunch:
        """Return the values of ``ccp_alpha`` at which the tree of these rows becomes smaller.

        Parameters
        ----------
        X, y, sample_weight
            The training rows, as in ``fit``.

        Returns
        -------
        Bunch
            ``ccp_alphas``: the values, increasing. ``impurities``: the total impurity of the
            leaves of each pruned tree.

        Examples
        --------
        >>> import penjing
        >>> X, y = [[1], [2], [3], [4]], list("aabb")
        >>> penjing.TreeClassifier().cost_complexity_pruning_path(X, y).ccp_alphas.tolist()
        [0.0, 0.5]
        """
        unpruned = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        links = pruning_path(unpruned.tree_, by="impurity")
        alphas = np.array([link.alpha for link in links])
        return Bunch(ccp_alphas=alphas, impurities=np.array([link.cost for link in links]))

    # -- scikit-learn's protocol --------------------------------------------------------------

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self.refuses_missing
        return tags

    @property
    def refuses_missing(self) -> bool:
        """Whether missing values raise an error.

        Examples
        --------
        >>> import penjing
        >>> penjing.ID3Classifier().refuses_missing, penjing.C45Classifier().refuses_missing
        (True, False)
        """
        policy = getattr(self, "missing", None)
        recipe = getattr(self, "recipe", self._recipe)
        known = named_recipe(recipe) if isinstance(recipe, str) else recipe
        if is_auto(recipe):  # chosen for the table, by its missing values too
            return policy == "refuse"
        recipe_policy = known.missing if isinstance(known, Recipe) else "refuse"
        return (policy if isinstance(policy, str) else recipe_policy) == "refuse"

    def __getstate__(self) -> dict[str, Any]:
        """Return plain data: the parameters, and the tree as in a model file."""
        state: dict[str, Any] = dict(super().__getstate__())
        if "tree_" in state:
            state["tree_"] = serialize.to_json(self.tree_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "tree_" in state:
            state = state | {"tree_": Tree.from_data(serialize.from_json(state["tree_"]))}
        parameters = inspect.signature(type(self)).parameters.values()
        defaults = {parameter.name: parameter.default for parameter in parameters}
        super().__setstate__(defaults | state)  # older releases have fewer parameters


def _rename(column: Column, name: str) -> Column:
    object.__setattr__(column, "name", name)  # frozen, but not shared yet
    return column


def _check_fraction(value: Any) -> float | None:  # noqa: ANN401 - any parameter
    if value is not None and not arguments.is_number(value):
        raise WrongTypeError("bad_share", value=value)
    return None if value is None else float(value)


def _to_python_number(value: Any) -> Any:  # noqa: ANN401 - any parameter
    """Return a NumPy number as a Python number, any other value unchanged."""
    return value.item() if isinstance(value, np.generic) else value
