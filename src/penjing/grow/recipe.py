"""The choices; ID3, C4.5 and CART are values of one record.

An algorithm is not a class here: ID3, C4.5 and CART differ in what measures a division, in the
shape of a division, in what happens to missing values and in when to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from penjing import arguments
from penjing.criteria.criterion import Criterion, Impurity, kernel_of
from penjing.criteria.kernels import check_kernel
from penjing.data.lazy_column import LazyColumn
from penjing.data.table import Column, Table
from penjing.errors import ChoiceError, DataError, WrongTypeError, unknown_name_error
from penjing.grow.dialect_options import TEXTBOOK, DialectOptions
from penjing.registry import load

Shape = Literal["multiway", "binary", "merged", "one-level"]
Missing = Literal["refuse", "fraction", "surrogate", "direction", "branch"]
Unseen = Literal["stop", "error", "missing"]
Measure = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a tree is to be grown.

    Parameters
    ----------
    name : str
        The recipe's name, as `fit` takes it and output prints it.
    rules : str
        Whose minimum sizes, tolerances and ties: ``textbook``.
    criterion : str or function
        What measures a division: ``gain``, ``gain_ratio``, ``gini``, ``variance``, or a function
        of class counts (the last axis) that returns how mixed they are.
    shape : str
        ``multiway``: a nominal column has a branch for each level, and is spent. ``binary``: its
        levels are divided into two groups. Ordered columns are always cut in two.
    missing : str
        ``refuse`` missing values, share a row out by ``fraction`` over all branches, ask a
        ``surrogate`` test (rpart), learn the ``direction`` it takes (scikit-learn), or give
        missing values a ``branch`` of their own (the textbook's rules).
    unseen : str
        At prediction, a level that training never saw: ``stop`` at the node and answer as it
        would, take it for ``missing``, or ``error``.
    max_depth, max_leaves : int or None
        Limits to the questions on a path and to the leaves. With ``max_leaves`` the node of
        greatest weighted gain is divided first.
    min_weight : float
        A node lighter than this is not divided.
    min_branch : float
        At least two branches must weigh this much.
    min_gain : float
        A division that gains less is not made; 0 lets every division pass, as TreeGenerate does.
    laplace : bool
        Whether class shares are (n + 1) / (N + classes) where a tree tells them (J48's -A).
    options : DialectOptions
        The settings that only these rules know; `but` and `settings` treat them as the recipe's
        own.
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

    def but(self, **changes: object) -> Recipe:
        """Return the recipe with some settings changed.

        Examples
        --------
        >>> Recipe("id3").but(max_depth=2).max_depth
        2
        """
        own = [f.name for f in fields(self) if f.name not in ("name", "options")]
        self._check_options()
        theirs = [f.name for f in fields(self.options)]
        settings = self._translated(changes)
        for word in settings:
            if word not in own + theirs:
                raise unknown_name_error("unknown_setting", word, own + theirs, recipe=self.name)
        options = replace(self.options, **{k: v for k, v in settings.items() if k in theirs})
        shared = {k: v for k, v in settings.items() if k in own}
        changed = replace(self, options=options, **shared)
        changed.check()
        return changed

    def _translated(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings for options by a program's names; a switch that is off yields."""
        found: dict[str, Any] = {}
        said: dict[str, str] = {}
        for word, value in sorted(changes.items(), key=lambda pair: pair[1] is not False):
            if word in _SWITCHES:
                _check_switch(word, value)
            name, meant = self.options.setting(word, value)
            if isinstance(meant, np.generic):
                meant = meant.item()
            if name in said and found[name] != meant:
                raise ChoiceError("settings_clash", one=said[name], other=word, name=name)
            found[name] = meant
            if value is not False or name == word:
                said[name] = word
        return found

    def check(self) -> None:
        """Raise an error if a setting cannot be used.

        Examples
        --------
        >>> Recipe("mine", max_depth=-1).check()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        penjing.errors.ChoiceError: max_depth=-1 ...
        """
        arguments.text("name", self.name)
        self._check_options()
        arguments.text("rules", self.rules)
        own = self.options.missing_policies
        words = _WORDS | {"shape": self.options.shapes, "missing": ("refuse", "fraction", *own)}
        for name, allowed in words.items():
            arguments.one_of(name, getattr(self, name), allowed)
        for name, least in (("max_depth", 0), ("max_leaves", 1)):
            arguments.optional_whole_number(
                name, getattr(self, name), least, arguments.MAX_WHOLE_NUMBER
            )
        for name in ("min_weight", "min_branch", "min_gain"):
            arguments.number(name, getattr(self, name))
        _check_switches(self)
        _check_switches(self.options)
        load("dialect", self.rules)
        self.options.check()
        for field in fields(self.options):
            arguments.check_type(field.name, getattr(self.options, field.name), str(field.type))
        self._check_criterion()

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
            raise unknown_name_error(
                "unknown_plug", word, criteria, socket=f"{self.name} criterion"
            )
        if isinstance(criterion, str):
            load("criterion", criterion)
        check_kernel(self.measure())

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
        if table.weight is not None and not table.weight.all():
            if not table.weight.any():
                raise DataError("no_weight", source=table.source.get("name", "the table"))
            if not self.options.counts_weightless:
                table = table.take(table.weight != 0)
        return self.options.prepared(table)

    def fits(self, table: Table) -> Recipe:
        """Return the recipe as it suits a table, or refuse with a sentence.

        If the target of the table is a number, the criterion of a class recipe becomes variance.

        Examples
        --------
        >>> import penjing
        >>> numbers = penjing.read([{"x": 1, "y": 0.5}, {"x": 2, "y": 1.5}], "y")
        >>> Recipe("id3").fits(numbers).criterion
        'variance'
        """
        fitted = self.options.fits(table)
        if fitted is not self.options:
            self = replace(self, options=fitted)  # noqa: PLW0642 - the same, fitted
        self.refuse_missing([c for c in table.columns if not isinstance(c, LazyColumn)])
        if not table.is_regression:
            if self._is_of_numbers():
                assert table.target is not None
                raise ChoiceError("variance_needs_number", target=table.target.name)
            return self
        if not isinstance(self.criterion, str):
            if self._is_of_numbers():
                return self
            assert table.target is not None
            raise ChoiceError("measure_needs_classes", target=table.target.name)
        return replace(self, criterion="variance")

    def _is_of_numbers(self) -> bool:
        """Say whether the criterion is that of a number; one's own is, if its kernel is."""
        if isinstance(self.criterion, str):
            return self.criterion == "variance"
        return kernel_of(self.measure()) == "variance"

    def refuse_missing(self, columns: Sequence[Column]) -> None:
        """Raise an error if a value is missing and this recipe does without.

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
                raise ChoiceError("missing_refused", column=column.name, n=n, recipe=self.name)

    def table(self) -> dict[str, str]:
        """Return all that decides a tree, as words: the settings, and in brackets what is fixed.

        Examples
        --------
        >>> Recipe("id3").table()["cut_at"], Recipe("id3").table()["shape"]
        ('(midpoint)', 'multiway')
        """
        fixed = {name: f"({word})" for name, word in self.options.fixed.items()}
        told = {k: v for k, v in self.settings().items() if k != "name"}
        return fixed | {name: _word(value) for name, value in told.items()}

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain data, as a tree keeps them.

        Examples
        --------
        >>> Recipe("id3").settings()["shape"]
        'multiway'
        """
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        plain["criterion"] = self.measure().name
        options = plain.pop("options")
        theirs = {field.name: getattr(options, field.name) for field in fields(options)}
        return {name: _plain(value) for name, value in (plain | theirs).items()}


def _check_switch(name: str, value: object) -> None:
    if not isinstance(value, bool):
        shown = str(value) if isinstance(value, str | int | float) and value in (0, 1) else value
        raise unknown_name_error("unknown_plug", shown, ("True", "False"), socket=name)


def _check_switches(settings: Recipe | DialectOptions) -> None:
    """Refuse what is on or off by default and given as neither."""
    for field in fields(settings):
        if isinstance(field.default, bool):
            _check_switch(field.name, getattr(settings, field.name))


def _word(value: Any) -> str:  # noqa: ANN401 - any setting's
    """Return a setting as it is typed on the command line."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any setting's
    """Return a setting as JSON knows it: no tuples, and names that are texts."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


_SWITCHES = frozenset((*"ABJORSUgrs", "doNotMakeSplitPointActualValue"))
"""DialectOptions of programs that are on or off."""
_WORDS: dict[str, tuple[str, ...]] = {
    "unseen": ("stop", "error", "missing"),
}
