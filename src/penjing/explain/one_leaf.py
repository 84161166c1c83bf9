"""Why a tree is a single leaf, and which setting or recipe grows more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from penjing.data.table import Column, Table
from penjing.dialects.recipes import recipe_of
from penjing.errors import ChoiceError, PenjingError
from penjing.explain.node import explain
from penjing.formatting.lists import join_most, join_names
from penjing.grow.setting_names import SAME
from penjing.i18n import number_text, say
from penjing.text.formula import decimals, variance_text
from penjing.text.labels import quoted
from penjing.training.train import train
from penjing.tree.dialect import dialect_of
from penjing.tree.forced import acts_of, forbidden_columns
from penjing.tree.tree_data import TreeData

Regrower = Callable[..., TreeData]
MOST_ROWS = 10_000
"""With more rows, growing trees for a remark takes too long; settings are then named untried."""
NO_GAIN = 1e-12
"""Gains up to this part of the impurity are rounding errors, as in the textbook recipes."""
MOST_REASONS = 3
"""So many columns are named with why they were not chosen."""
MOST_CHANGES = 5
"""So many limits are lifted, one after another, until the tree has a split."""
MISSING_VALUES_AS = {"missing": "branch"}
"""How a recipe of the textbook that refuses missing values can take them."""


@dataclass(frozen=True, slots=True)
class GivenOptions:
    """The options that a tree was grown with, as they were typed.

    Parameters
    ----------
    pruning : tuple of str
        Those of pruning, such as ``--prune`` and ``--validate``.
    settings : dict
        Those of the recipe, by the name of the setting: ``{"m": "-m"}``.
    """

    pruning: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A setting or a recipe under which the tree has more leaves.

    Parameters
    ----------
    settings : dict
        The changed settings, or ``{"recipe": name}``.
    n_leaves : int or None
        How many leaves it grows; None if that was not tried.
    without : tuple of str
        The options to leave out, by the names that were given.
    """

    settings: Mapping[str, Any]
    n_leaves: int | None
    without: tuple[str, ...] = ()

    def text(self, lang: str, options: Mapping[str, str] | None = None) -> str:
        """Return the suggestion as it is typed, with the number of leaves."""
        if options is None:
            typed = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        else:
            typed = " ".join(_option(name, value, options) for name, value in self.settings.items())
        if self.without:
            without = say("one_leaf_without", lang, names=join_names(self.without, lang))
            typed = f"{typed} {without}".lstrip()
        if self.n_leaves is None:
            return typed
        return say("one_leaf_grows", lang, typed=typed, leaves=say("leaves", lang, n=self.n_leaves))


def _option(name: str, value: Any, options: Mapping[str, str]) -> str:  # noqa: ANN401 - of any setting
    """Return a setting as the command takes it.

    Examples
    --------
    >>> _option("cp", 0.0, {"cp": "--cp"}), _option("max_depth", None, {"max_depth": "--max-depth"})
    ('--cp 0', '--set max_depth=none')
    """
    if value is None or name not in options:
        return f"--set {name}={'none' if value is None else _plain(value)}"
    return f"{options[name]} {_plain(value)}"


@dataclass(frozen=True, slots=True)
class OneLeaf:
    """Why a tree has one leaf: the key and values of a message, and what grows more."""

    key: str
    values: Mapping[str, Any]
    suggestions: tuple[Suggestion, ...]

    def text(self, lang: str = "en", options: Mapping[str, str] | None = None) -> str:
        """Return the sentence, and what to try: in Python, or with these options of the command."""
        values = dict(self.values)
        if "reasons" in values:
            named = list(values["reasons"].items())[:MOST_REASONS]
            colon = say("label_colon", lang)
            words = [f"{column}{colon}{say(f'why_{reason}', lang)}" for column, reason in named]
            values["reasons"] = say("list_semicolon", lang).join(words)
        if "columns" in values:
            values["columns"] = join_names(values["columns"], lang)
        sentence = say("one_leaf", lang, why=say(self.key, lang, **values))
        if not self.suggestions:
            return sentence
        tried = [each.text(lang, options) for each in self.suggestions]
        is_tried = all(each.n_leaves is not None for each in self.suggestions)
        key = "one_leaf_more" if is_tried else "one_leaf_try"
        return sentence + say(key, lang, settings=_either(tried, lang))


def _either(texts: list[str], lang: str) -> str:
    """Return texts as a list of alternatives."""
    if len(texts) == 1:
        return texts[0]
    most = say("list_comma", lang).join(texts[:-1])
    return join_most("list_or", lang, most, last=texts[-1])


def one_leaf(
    tree: TreeData,
    table: Table | None,
    regrow: Regrower | None = None,
    given: GivenOptions | None = None,
) -> OneLeaf | None:
    """Return why a tree is a single leaf; None if it is not.

    Parameters
    ----------
    tree : TreeData
        A fitted tree.
    table : Table or None
        Its training rows, without those of a validation set; None if they stay in a database.
    regrow : function, optional
        Grows the tree again as it was asked for, with a few settings changed; by default with the
        recipe of the tree. What is suggested has been tried with it.
    given : GivenOptions, optional
        The options that were given. If there are any, ``regrow`` takes ``is_unpruned=True``, which
        leaves out those of pruning, and ``without``, the names of settings to leave out.

    Examples
    --------
    >>> import penjing
    >>> table = penjing.example("watermelon2.0")
    >>> print(one_leaf(penjing.fit(table, recipe="rpart"), table).text())
    ... # doctest: +NORMALIZE_WHITESPACE
    the tree is a single leaf: a node needs at least 20 rows to be split (minsplit=20), and the
    table has 17. To grow more: minsplit=2, minbucket=1 (7 leaves), recipe='cart-textbook' (8
    leaves) or recipe='cart-binary' (7 leaves).
    """
    if tree.n_leaves > 1:
        return None
    key, values, stop = "one_leaf_other", dict[str, Any](), "no_gain"
    if table is not None:
        try:
            key, values, stop = _reason(tree, table)
        except PenjingError:  # a recipe whose splits cannot be computed again, such as sums="cases"
            table = None
    if stop in _WITHOUT_REMEDY or (table is not None and not table.columns):
        return OneLeaf(key, values, ())
    given = GivenOptions() if given is None else given
    if table is None or table.n_rows > MOST_ROWS:
        return OneLeaf(key, values, _untried(tree, stop, given.pruning))
    search = _Search(tree, table, stop, regrow or partial(_regrown, tree, table), given)
    return OneLeaf(key, values, tuple(search.suggestions()))


def _reason(tree: TreeData, table: Table) -> tuple[str, dict[str, Any], str]:
    """Return the key and values of the message, and the stop condition."""
    found = _reason_of_rows(tree, table)
    if found is not None:
        return found
    root = dict(explain(tree, 0, table))
    values: dict[str, Any]
    stop, forbidden = str(root["stop"]), forbidden_columns(tree)
    candidates = [c for c in root["candidates"] if c["column"] not in forbidden]
    root["candidates"] = candidates
    if stop == "pruned" and tree.recipe.get("max_leaves") and _errors_of_root(tree) is None:
        stop = "max_leaves"  # no split of the root has so few branches
    if stop in ("no_gain", "alike"):
        found = _reason_of_scores(tree, table, root)
        if found is not None:
            return found
        stop = "min_branch"
    n_used = int(root["rows"])
    values = {"n": f"{n_used:,}", "of": f"{table.n_rows:,}", **_limit(tree, stop)}
    if stop == "min_weight" and n_used < table.n_rows:
        return "one_leaf_min_weight_used", values, stop
    if stop == "min_gain" and candidates:
        best = candidates[0]
        variance = root.get("variance")
        gain = best["gain"]
        text = decimals(gain) if variance is None else variance_text(gain, variance)
        values |= {"column": best["column"], "gain": text}
    if stop == "pruned":
        errors = _errors_of_root(tree)
        if errors is None:
            return "one_leaf_pruned_all", {}, stop
        values |= errors
    key = f"one_leaf_{stop}"
    return (key if key in _KEYS else "one_leaf_other"), values, stop


_KEYS = frozenset(
    f"one_leaf_{stop}"
    for stop in (
        "min_weight", "min_branch", "max_depth", "max_leaves", "min_gain", "complexity", "no_gain",
        "constraints",
        "no_average",
        "costly",
        "pruned", "validation",
    )
)  # fmt: skip


def _has_one_value(table: Table, tree: TreeData) -> bool:
    if tree.is_regression:
        assert table.target is not None
        return len(set(table.target.numbers().tolist())) == 1
    return int(np.count_nonzero(tree.nodes.total[0] > 0)) == 1


def _reason_of_rows(tree: TreeData, table: Table) -> tuple[str, dict[str, Any], str] | None:
    """Return the reason if no recipe could split these rows; None otherwise."""
    assert table.target is not None
    if any(act.get("act") == "leaf" and not act.get("steps") for act in acts_of(tree)):
        return "one_leaf_forced", {}, "forced"
    if _has_one_value(table, tree):
        has_rows_left_out = len(set(table.target.codes.tolist()) - {-1}) > 1
        key = "one_leaf_pure_known" if has_rows_left_out else "one_leaf_pure"
        return key, {"target": table.target.name, "answer": tree.answer(0)}, "pure"
    if not table.columns:
        return "one_leaf_no_columns", {}, "alike"
    forbidden = forbidden_columns(tree)
    varying = {c.name for c in table.columns if len(set(c.codes.tolist()) - {-1}) > 1}
    if not varying:
        return "one_leaf_constant", {}, "alike"
    if varying <= set(forbidden):
        return "one_leaf_forbidden", {"columns": [quoted(name) for name in forbidden]}, "forbidden"
    return None


def _reason_of_scores(
    tree: TreeData, table: Table, root: Mapping[str, Any]
) -> tuple[str, dict[str, Any], str] | None:
    """Return why no candidate was chosen; None if all have too few rows in their branches."""
    recipe = tree.recipe.get("name")
    if not any(_can_be_separated(column, tree) for column in table.columns):
        return "one_leaf_close", {"recipe": recipe}, "no_gain"
    reasons = {c["column"]: dialect_of(tree).exclusion_reason(root, c) for c in root["candidates"]}
    if root["stop"] == "alike":
        return None
    if set(reasons.values()) <= {"not_allowed"}:
        return ("one_leaf_no_gain", {}, "no_gain") if _has_no_gain(root) else None
    kinds = set(reasons.values())
    key = f"one_leaf_{kinds.pop()}" if len(kinds) == 1 else "one_leaf_screened"
    key = key if key in _KEYS else "one_leaf_screened"
    return key, {"recipe": recipe, "reasons": reasons}, "no_gain"


def _can_be_separated(column: Column, tree: TreeData) -> bool:
    """Return whether the recipe can separate two values; it may round to 32 bits or need a gap."""
    codes = set(column.codes.tolist()) - {-1}
    if len(codes) < 2 or not column.is_numeric:
        return len(codes) > 1
    is_single = "single" in (tree.recipe.get("precision"), tree.recipe.get("numbers"))
    numbers = np.unique(column.numbers()[column.codes >= 0])
    if is_single:
        with np.errstate(over="ignore"):  # numbers beyond 32 bits are infinite there
            numbers = np.unique(numbers.astype(np.float32))
    return bool((np.diff(numbers) > (tree.recipe.get("gap") or 0.0)).any())


def _has_no_gain(root: Mapping[str, Any]) -> bool:
    """Return whether no candidate has a gain above the rounding errors of the impurity."""
    impurity = root["entropy"] if root.get("entropy") is not None else root["variance"]
    gains = [c["gain"] for c in root["candidates"] if c["gain"] is not None]
    return bool(gains) and max(gains) <= NO_GAIN * impurity


def _limit(tree: TreeData, stop: str) -> dict[str, Any]:
    """Return the settings that stopped growing, as ``name=value``, and their limit."""
    dialect = dialect_of(tree)
    unlimited = dialect.unlimited.get(stop, {})
    own = {name: tree.recipe.get(name) for name in unlimited}
    limiting = {
        name: value for name, value in own.items() if value not in (None, unlimited[name])
    } or own
    limit = dialect.limit(tree.recipe, stop)
    if limit is not None and tree.recipe.get("min_weight") == limit and "min_weight" in limiting:
        limiting = {"min_weight": limit}  # not the program's own limit, which is lower
    elif len(limiting) > 1 and stop == "min_weight":
        limiting.pop("min_weight", None)
    if limit is None:
        limit = next(iter(limiting.values()), None)
    settings = ", ".join(
        f"{name}={_plain(limit if value is None else value)}" for name, value in limiting.items()
    )
    return {"setting": settings, "limit": _plain(limit)}


def _lifted(tree: TreeData, stop: str) -> dict[str, Any]:
    """Return the settings that lift a limit, without those that the tree has already."""
    unlimited = dialect_of(tree).unlimited.get(stop, {})
    return {name: value for name, value in unlimited.items() if tree.recipe.get(name) != value}


def _plain(value: Any) -> str:  # noqa: ANN401 - of any setting
    return number_text(value) if isinstance(value, float) else str(value)


def _errors_of_root(tree: TreeData) -> dict[str, Any] | None:
    """Return the estimated errors by which the root was pruned; None if others decided."""
    for record in reversed(tree.about.get("pruning", ())):
        for decision in record.get("decisions", ()):
            is_root = decision.get("node") == 0 and decision.get("decision") not in (None, "keep")
            if is_root and record.get("measure") == "errors" and not tree.is_regression:
                leaf, kept = decision["as_leaf"], decision["kept"]
                is_less = leaf < kept
                return {"as_leaf": decimals(leaf), "kept": decimals(kept)} if is_less else None
    return None


def _untried(tree: TreeData, stop: str, pruning_options: tuple[str, ...]) -> tuple[Suggestion, ...]:
    """Return the setting that stopped growing, the textbook's recipes, and growing unpruned."""
    dialect = dialect_of(tree)
    attempts = [lifted] if (lifted := _lifted(tree, stop)) else []
    attempts += [{"recipe": name} for name in dialect.textbook_recipes]
    found = [Suggestion(settings, None) for settings in attempts]
    if pruning_options and stop in _BY_PRUNING:
        found.append(Suggestion({}, None, pruning_options))
    return tuple(found)


_WITHOUT_REMEDY = frozenset(("pure", "forced", "forbidden"))
"""The reasons that no recipe changes."""
_BY_PRUNING = frozenset(("pruned", "validation"))
"""The stop conditions for which options of pruning may be the reason."""


_CONSTRAINTS = ("monotonic_cst", "interaction_cst")
"""The settings that forbid splits."""


@dataclass(frozen=True, slots=True)
class _Search:
    """Grows a tree again under other settings until it has splits."""

    tree: TreeData
    table: Table
    stop: str
    regrow: Regrower
    given: GivenOptions

    def suggestions(self) -> Iterator[Suggestion]:
        """Yield what grows more: the limits that stopped growing, and the textbook's recipes."""
        own = self._without_limits(_Attempt(), self.tree, self.stop)
        if own is not None:
            yield own
        recipes = dialect_of(self.tree).textbook_recipes
        of_recipes = [self._of_recipe(name) for name in recipes]
        if own is None and not any(of_recipes):  # each of them needs other settings, too
            of_recipes = [self._of_changed_recipe(name) for name in recipes]
        yield from (each for each in of_recipes if each is not None)

    def _of_recipe(self, name: str) -> Suggestion | None:
        """Return a recipe as a suggestion; None if it grows no more."""
        attempt = _Attempt({"recipe": name})
        try:
            attempt, grown = self._grow(attempt)
        except PenjingError:  # it refuses missing values, or does not have a setting
            return None
        return None if grown.n_leaves == 1 else self._suggestion(attempt, grown)

    def _of_changed_recipe(self, name: str) -> Suggestion | None:
        """Return a recipe with what it needs to grow more, as a suggestion; None if it does not."""
        attempt = _Attempt({"recipe": name})
        for _ in range(MOST_CHANGES):
            try:
                attempt, grown = self._grow(attempt)
            except ChoiceError as error:
                word = str(error.values.get("word"))
                if error.key == "missing_refused" and "missing" not in attempt.settings:
                    attempt = replace(attempt, settings=attempt.settings | MISSING_VALUES_AS)
                elif word in self.given.settings and word not in attempt.without:
                    attempt = replace(attempt, without=(*attempt.without, word))
                else:
                    return None
            except PenjingError:
                return None
            else:
                if grown.n_leaves > 1:
                    return self._suggestion(attempt, grown)
                return self._without_limits(attempt, grown, None)
        return None

    def _without_limits(
        self, attempt: _Attempt, tree: TreeData, stop: str | None
    ) -> Suggestion | None:
        """Return the settings that a tree of one leaf needs to have more; None if none helps.

        The pruning that was asked for is left out, and each limit that stops the growing is lifted.
        """
        for _ in range(MOST_CHANGES):
            try:
                stop = _reason(tree, self.table)[2] if stop is None else stop
                lifted = attempt.settings | _lifted(tree, stop)
                if self.given.pruning and not attempt.is_unpruned and stop in _BY_PRUNING:
                    attempt = replace(attempt, is_unpruned=True)
                elif lifted != attempt.settings:
                    attempt = replace(attempt, settings=lifted)
                elif stop == "constraints" and not attempt.without:
                    constraints = [name for name in _CONSTRAINTS if name in self.given.settings]
                    attempt = replace(attempt, without=tuple(constraints))
                else:
                    return None
                named, tree = self._grow(attempt)
            except PenjingError:  # settings that the recipe does not have
                return None
            if tree.n_leaves > 1:
                return self._suggestion(named, tree)
            stop = None
        return None

    def _grow(self, attempt: _Attempt) -> tuple[_Attempt, TreeData]:
        """Return the tree of an attempt, whose settings have the names that were given."""
        omitted: dict[str, Any] = {}
        if attempt.is_unpruned:
            omitted["is_unpruned"] = True
        if attempt.without:
            omitted["without"] = attempt.without
        named, tree = _grown_with(attempt.settings, partial(self.regrow, **omitted))
        return replace(attempt, settings=named), tree

    def _suggestion(self, attempt: _Attempt, tree: TreeData) -> Suggestion:
        without = [self.given.settings[name] for name in attempt.without]
        without += self.given.pruning if attempt.is_unpruned else ()
        return Suggestion(attempt.settings, tree.n_leaves, tuple(without))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What is changed to grow a tree again: settings, and options that are left out."""

    settings: dict[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    is_unpruned: bool = False


def _grown_with(settings: dict[str, Any], regrow: Regrower) -> tuple[dict[str, Any], TreeData]:
    """Return the tree with settings changed, and the settings by the names that were given."""
    for _ in settings:
        try:
            return settings, regrow(**settings)
        except ChoiceError as error:
            name = error.values.get("name", error.values.get("other"))
            given = error.values.get("one")
            if error.key not in ("setting_twice", "settings_clash") or name not in settings:
                raise
            least = settings[name]
            if given in SAME and isinstance(least, float) and least.is_integer():
                least = int(least)  # a float would be a share of the rows
            settings = settings | {name: least}
            settings = {str(given) if k == name else k: value for k, value in settings.items()}
    return settings, regrow(**settings)


def _regrown(tree: TreeData, table: Table, **changes: Any) -> TreeData:  # noqa: ANN401
    """Return a tree by the recipe of another, with settings changed, or by another recipe."""
    if "recipe" in changes:
        return train(table, recipe=changes["recipe"])
    settings = {**tree.recipe, **changes}
    return train(table, recipe=recipe_of(settings.pop("name"), **settings))
