"""Recipes: all settings of an algorithm in one record; ID3, C4.5 and CART are values of it.

The algorithms differ in the criterion, in the shape of a split, in the treatment of missing values
and in the stop rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from penjing import arguments
from penjing.criteria.criterion import Criterion, Impurity, kernel_of
from penjing.criteria.kernels import check_kernel
from penjing.data.lazy_column import LazyColumn
from penjing.data.pickles import restore_fields
from penjing.data.table import Column, Table
from penjing.errors import ChoiceError, DataError, WrongTypeError, unknown_name_error
from penjing.grow.constraints import SETTINGS as CONSTRAINTS
from penjing.grow.constraints import (
    Interaction,
    Monotonic,
    check_constraints,
    fitted_constraints,
    has_constraints,
)
from penjing.grow.dialect_options import TEXTBOOK, DialectOptions
from penjing.grow.setting_names import known_criterion, known_setting
from penjing.i18n import number_text
from penjing.registry import load
from penjing.tree.dialect import TreeDialect

if TYPE_CHECKING:
    from penjing.grow.dialect import Dialect

Shape = Literal["multiway", "binary", "merged", "one-level"]
Missing = Literal["refuse", "fraction", "surrogate", "direction", "branch"]
Unseen = Literal["stop", "error", "missing"]
Measure = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings by which a tree is grown.

    Parameters
    ----------
    name : str
        The recipe's name, as `fit` takes it and output prints it.
    rules : str
        The dialect, whose minimum sizes, tolerances and ties apply, such as ``textbook``.
    criterion : str or function
        The impurity criterion: ``gain``, ``gain_ratio``, ``gini``, ``variance``, or a function of
        class counts (the last axis) that returns their impurity.
    shape : str
        ``multiway``: a categorical column has one branch per category. ``binary``: its categories
        form two groups. Ordered columns always have one threshold.
    missing : str
        ``refuse`` missing values, use fractional cases (``fraction``, as in C4.5), use a
        ``surrogate`` split (rpart), learn the ``direction`` of missing values (scikit-learn), or
        give them a ``branch`` of their own (the textbook dialect).
    unseen : str
        What to do at prediction with a category that is not in the training rows: ``stop`` at the
        node and use its prediction, treat it as ``missing``, or raise an ``error``.
    max_depth, max_leaves : int or None
        The largest depth and the largest number of leaves. With ``max_leaves`` the node with the
        greatest weighted gain is split first.
    min_weight : float
        A node of less weight than this is not split.
    min_branch : float
        At least two branches must have this weight.
    min_gain : float
        The smallest gain of a split; 0 allows every split, as TreeGenerate does.
    laplace : bool
        Whether predicted probabilities are (n + 1) / (N + classes) (J48's -A).
    monotonic_cst : dict, sequence of int or None
        The columns in which predictions are monotonic, for binary splits: 1 if the number, or the
        probability of the second class, increases with the column, -1 if it decreases, 0 for no
        constraint. By name, or one entry for each column. Classes are in ascending order then.
    interaction_cst : str, sequence of sequences or None
        The columns that may be used together on a path, for binary splits: groups of columns,
        ``pairwise`` or ``no_interactions``.
    options : DialectOptions
        The settings of this dialect only; `but` and `settings` treat them like those of the
        recipe.

    Examples
    --------
    >>> import penjing
    >>> shallow = penjing.RECIPES["id3"].but(max_depth=1)
    >>> shallow.criterion, shallow.max_depth
    ('gain', 1)
    >>> penjing.fit(penjing.example("watermelon2.0"), recipe=shallow).n_leaves
    3
    """

    name: str
    rules: str = "textbook"
    criterion: str | Measure | Criterion = "gain"
    shape: Shape = "multiway"
    missing: Missing = "refuse"
    unseen: Unseen = "stop"
    max_depth: int | None = None
    max_leaves: int | None = None
    min_weight: float = 0.0
    min_branch: float = 0.0
    min_gain: float = 0.0
    laplace: bool = False
    options: DialectOptions = TEXTBOOK
    monotonic_cst: Monotonic | None = None
    interaction_cst: Interaction | None = None
    is_criterion_named: bool = field(default=False, init=False, compare=False, repr=False)
    """Whether the criterion was given to `but`: only then is it refused for another target."""

    def __setstate__(self, state: list[Any]) -> None:
        """Restore a pickle; one of 0.1.0 has fewer fields."""
        restore_fields(self, state)

    def but(self, /, **changes: object) -> Recipe:
        """Return the recipe with some settings changed.

        Parameters
        ----------
        **changes
            Settings of the recipe or of its dialect, by name; a program's own option names work,
            too.

        Examples
        --------
        >>> Recipe("id3").but(max_depth=2).max_depth
        2
        """
        own = [f.name for f in fields(self) if f.init and f.name not in ("name", "options")]
        self._check_options()
        theirs = [f.name for f in fields(self.options)]
        settings, given_as = self._translate(changes)
        for word in settings:
            if word not in own + theirs:
                used = [name for name in own + theirs if name not in self.options.replaced]
                raise unknown_name_error("unknown_setting", word, used, recipe=self.name)
        options = replace(self.options, **{k: v for k, v in settings.items() if k in theirs})
        shared = {k: v for k, v in settings.items() if k in own}
        changed = replace(self, options=options, **shared)
        try:
            changed.check()
        except ChoiceError as problem:
            given = given_as.get(str(problem.values.get("name")))
            if given is None:
                raise
            values = {**problem.values, "name": given, "value": changes[given]}
            raise type(problem)(problem.key, **values) from None
        if self.is_criterion_named or "criterion" in settings:
            object.__setattr__(changed, "is_criterion_named", True)
        return changed

    def _translate(self, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """Return settings for a program's own option names, and as which of them each was given.

        A switch that is off is overridden.
        """
        settings: dict[str, Any] = {}
        given_as: dict[str, str] = {}
        known = {f.name for part in (self, self.options) for f in fields(part) if f.init}
        shape = changes.get("shape", self.shape)
        is_binary = isinstance(shape, str) and shape == "binary"
        for word, value in sorted(changes.items(), key=lambda pair: pair[1] is not False):
            if word in _SWITCHES:
                _check_switch(word, value)
            name, setting_value = self.options.setting(word, value)
            if name == "criterion":
                setting_value = known_criterion(setting_value)
            alias, name = (
                name,
                known_setting(
                    name,
                    value,
                    known,
                    self.name,
                    is_binary=is_binary,
                    replaced=self.options.replaced,
                ),
            )
            if alias != name and name in changes:
                raise ChoiceError("setting_twice", one=alias, other=name)
            if isinstance(setting_value, np.generic):
                setting_value = setting_value.item()
            if name in given_as and settings[name] != setting_value:
                raise ChoiceError("settings_clash", one=given_as[name], other=word, name=name)
            settings[name] = setting_value
            if value is not False or name == word:
                given_as[name] = word
        return settings, given_as

    def check(self) -> None:
        """Raise an error if a setting cannot be used.

        Examples
        --------
        >>> Recipe("mine", max_depth=-1).check()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        penjing.errors.ChoiceError: max_depth must be an integer of at least ...
        """
        arguments.text("name", self.name)
        self._check_options()
        arguments.text("rules", self.rules)
        own = self.options.missing_policies
        divided = ("fraction",) if self.options.divides_rows else ()
        policies = ("refuse", *divided, *own)
        words = _WORDS | {"shape": self.options.shapes, "missing": policies}
        for name, allowed in words.items():
            arguments.one_of(name, getattr(self, name), allowed)
        for name, least in (("max_depth", 0), ("max_leaves", 1)):
            arguments.optional_whole_number(
                name, getattr(self, name), least, arguments.MAX_WHOLE_NUMBER
            )
        for name in ("min_weight", "min_branch", "min_gain"):
            arguments.number(name, getattr(self, name))
        for name, near in self.options.replaced.items():
            if getattr(self, name):
                raise ChoiceError("nearest_setting_own", word=name, recipe=self.name, near=near)
        _check_switches(self)
        _check_switches(self.options)
        _ = self.dialect  # raises an error if there is none of that name
        self.options.check()
        for f in fields(self.options):
            arguments.check_type(f.name, getattr(self.options, f.name), str(f.type))
        self._check_criterion()
        if has_constraints(self):
            check_constraints(self)

    def _check_options(self) -> None:
        given: object = self.options
        if not isinstance(given, DialectOptions):
            raise WrongTypeError("bad_options", name="options", value=given)

    def _check_criterion(self) -> None:
        criteria, criterion = self.options.criteria, self.criterion
        is_word, is_own = isinstance(criterion, str), isinstance(criterion, Criterion)
        if not (is_word or is_own or callable(criterion)):
            raise WrongTypeError("bad_criterion", value=criterion)
        if criteria is not None and not (is_word and criterion in criteria):
            word = criterion if is_word else getattr(criterion, "__name__", criterion)
            raise unknown_name_error("unknown_choice", word, criteria, kind="criterion")
        if isinstance(criterion, str):
            load("criterion", criterion)
        check_kernel(self.measure())

    @property
    def dialect(self) -> Dialect:
        """The dialect itself.

        Examples
        --------
        >>> Recipe("id3").dialect.name
        'textbook'
        """
        dialect = load("dialect", self.rules)
        if not isinstance(dialect, TreeDialect):
            raise ChoiceError("not_a_dialect", name=self.rules)
        return cast("Dialect", dialect)

    def measure(self) -> Criterion:
        """Return the criterion itself.

        Examples
        --------
        >>> Recipe("id3").measure().name
        'gain'
        """
        if isinstance(self.criterion, str):
            criterion: Criterion = load("criterion", self.criterion)()
            return criterion
        if isinstance(self.criterion, Criterion):
            return self.criterion
        name = getattr(self.criterion, "__name__", "own")
        return Impurity(name, self.criterion)

    def prepared(self, table: Table) -> Table:
        """Return the table as the dialect sees it; most leave out rows of weight 0.

        Examples
        --------
        >>> import penjing
        >>> Recipe("id3").prepared(penjing.example("fish")).n_rows
        5
        """
        if has_constraints(self):
            fitted_constraints(self, table)  # before a dialect gives categories an order
        if table.weight is not None and not table.weight.all():
            if not table.weight.any():
                raise DataError("no_weight", source=table.source.get("name", "the table"))
            if not self.options.counts_weightless:
                table = table.take(table.weight != 0)
        return self.options.prepared(table)

    def fits(self, table: Table) -> Recipe:
        """Return the recipe adapted to a table, or raise an error if it does not fit.

        If the target of the table is a number, the criterion of a class recipe becomes variance,
        unless a criterion for classes was named as a setting; then an error is raised.

        Examples
        --------
        >>> import penjing
        >>> numbers = penjing.read([{"x": 1, "y": 0.5}, {"x": 2, "y": 1.5}], "y")
        >>> Recipe("id3").fits(numbers).criterion
        'variance'
        """
        is_named = self.is_criterion_named
        fitted = self.options.fits(table)
        if fitted is not self.options:
            self = replace(self, options=fitted)  # noqa: PLW0642 - the same recipe, adapted
        if has_constraints(self):
            self = replace(self, **fitted_constraints(self, table))  # noqa: PLW0642 - as above
        is_checked = self.dialect.refuses_missing
        self.refuse_missing(
            [c for c in table.columns if not (is_checked and isinstance(c, LazyColumn))]
        )
        if not table.is_regression:
            if self._is_for_regression():
                assert table.target is not None
                raise ChoiceError("variance_needs_number", target=table.target.name)
            return self
        if not isinstance(self.criterion, str) or is_named:
            if self._is_for_regression():
                return self
            assert table.target is not None
            raise ChoiceError("measure_needs_classes", target=table.target.name)
        return replace(self, criterion="variance")

    def _is_for_regression(self) -> bool:
        """Whether the criterion is for regression; a user-defined one is, if its kernel is."""
        if isinstance(self.criterion, str):
            return self.criterion == "variance"
        return kernel_of(self.measure()) == "variance"

    def refuse_missing(self, columns: Sequence[Column]) -> None:
        """Raise an error if a value is missing and the recipe refuses missing values.

        Plain numbers are scanned only if an engine has not checked them itself.

        Examples
        --------
        >>> import penjing
        >>> Recipe("id3").refuse_missing(penjing.example("watermelon2.0alpha").columns)
        ... # doctest: +ELLIPSIS
        Traceback (most recent call last):
        penjing.errors.ChoiceError: column '色泽' has ...
        """
        for column in columns if self.missing == "refuse" else ():
            if column.has_missing:
                n = column.n_missing
                key = "missing_refused" if self.dialect.refuses_missing else "missing_refused_set"
                raise ChoiceError(key, column=column.name, n=n, recipe=self.name)

    def table(self) -> dict[str, str]:
        """Return all settings as texts; those that the dialect fixes are in parentheses.

        Examples
        --------
        >>> Recipe("id3").table()["cut_at"], Recipe("id3").table()["shape"]
        ('(midpoint)', 'multiway')
        """
        fixed = {name: f"({word})" for name, word in self.options.fixed.items()}
        hidden = {"name", *self.options.replaced}
        settings = {k: v for k, v in self.settings().items() if k not in hidden}
        if self.dialect.takes_constraints:
            settings |= {name: getattr(self, name) for name in CONSTRAINTS}
        return fixed | {name: _word(value) for name, value in settings.items()}

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain data, as a tree keeps them.

        Examples
        --------
        >>> Recipe("id3").settings()["shape"]
        'multiway'
        """
        plain = _values(self) | _values(self.options)
        del plain["options"]
        for name, value in plain.items():
            if type(value) not in _PLAIN_TYPES:
                plain[name] = _plain(value)
        plain["criterion"] = self.measure().name
        for name in CONSTRAINTS:
            if plain[name] is None:  # a tree without constraints does not mention them
                del plain[name]
        return plain

    @property
    def needs(self) -> frozenset[str]:
        """What an engine must be able to do besides counting; see `penjing.grow.engine`.

        Examples
        --------
        >>> Recipe("mine", shape="binary", monotonic_cst={"age": 1}).needs
        frozenset({'constraints'})
        """
        return self.dialect.needs | ({"constraints"} if has_constraints(self) else frozenset())


_GETTERS: dict[type, tuple[list[str], Callable[[Any], Any]]] = {}


def _values(settings: Recipe | DialectOptions) -> dict[str, Any]:
    """Return the values of settings by name; every tree stores them, so this is quick."""
    if type(settings) not in _GETTERS:
        _GETTERS[type(settings)] = _getter(settings)
    names, values = _GETTERS[type(settings)]
    return dict(zip(names, values(settings), strict=True))


def _getter(settings: Recipe | DialectOptions) -> tuple[list[str], Callable[[Any], Any]]:
    """Return the names of settings, and what gets all their values at once."""
    names = [field.name for field in fields(settings) if field.init]
    if len(names) < 2:  # `attrgetter` returns no tuple then
        return names, lambda settings: [getattr(settings, name) for name in names]
    return names, attrgetter(*names)


def _check_switch(name: str, value: object) -> None:
    if not isinstance(value, bool):
        shown = str(value) if isinstance(value, str | int | float) and value in (0, 1) else value
        raise unknown_name_error("unknown_choice", shown, ("True", "False"), kind=name)


def _check_switches(settings: Recipe | DialectOptions) -> None:
    """Raise an error for a setting that must be True or False and is neither."""
    for f in fields(settings):
        if isinstance(f.default, bool):
            _check_switch(f.name, getattr(settings, f.name))


def _word(value: Any) -> str:  # noqa: ANN401 - any setting's
    """Return a setting as it is typed on the command line."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return number_text(value) if isinstance(value, float) else str(value)


_PLAIN_TYPES = frozenset((bool, int, float, str, type(None)))


def _plain(value: Any) -> Any:  # noqa: ANN401 - any setting's
    """Return a setting as JSON has it: lists for tuples, texts for keys."""
    if type(value) in _PLAIN_TYPES:
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


_SWITCHES = frozenset((*"ABJORSUgrs", "doNotMakeSplitPointActualValue"))
"""Options of programs that are on or off."""
_WORDS: dict[str, tuple[str, ...]] = {
    "unseen": ("stop", "error", "missing"),
}
