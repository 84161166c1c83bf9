"""The public API as text: every public name with its signature, one a line.

``python public_api.py`` prints it; only public names are used, so that it also describes other
versions of penjing.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import penjing

CLASSES = (
    "CapabilityError", "ChoiceError", "DataError", "DataWarning", "Fold", "Recipe", "Table", "Tree",
    "C45Classifier", "CARTClassifier", "CARTRegressor", "DecisionTreeClassifier",
    "DecisionTreeRegressor", "ID3Classifier", "TreeClassifier", "TreeRegressor",
)  # fmt: skip


def results() -> dict[str, type]:
    """Return the classes of results, by name; they are returned, never imported by users."""
    melons = penjing.example("watermelon2.0")
    tree = penjing.fit(melons, trace=True)
    numbers = penjing.fit([{"x": i, "y": i / 2} for i in range(9)], "y", "cart-binary")
    found = (
        tree.score(melons), numbers.score([{"x": 1, "y": 1.0}]), tree.trace,
        tree.explain({}), tree.ruleset(melons), tree.ruleset(melons, votes=True),
        penjing.bootstrap(melons, n=2), penjing.compare(tree, tree), tree.why(),
        tree.importances(), melons.notes, penjing.worksheet(melons), tree.summarize(melons),
        tree.drift(melons), tree.score(melons).lift(), tree.score(melons).cutoff(recall=0.5),
        tree.score(melons).profit({}), tree.score(melons).baseline,
        numbers.score([{"x": 1, "y": 1.0}]).baseline, tree.prune_at(0).edit_cost,
        tree.importances().chart(), penjing.compare(tree, tree, tree),
    )  # fmt: skip
    return {type(result).__name__: type(result) for result in found}


def lines() -> Iterator[str]:
    """Yield a line for each public name, and for each public member of a class."""
    estimators = [name for name in dir(penjing) if name not in penjing.__all__]
    for name in sorted([*penjing.__all__, *estimators]):
        value = getattr(penjing, name)
        if isinstance(value, type):
            yield from class_lines(name, value)
        elif callable(value):
            yield f"penjing.{name}{inspect.signature(value)}"
        else:
            yield f"penjing.{name}: {type(value).__name__}"
    for name, value in sorted(results().items()):
        yield from class_lines(name, value)


def class_lines(name: str, value: type) -> Iterator[str]:
    """Yield the class, its methods and its attributes."""
    yield f"class {name}{_signature(value)}"
    for member in sorted(dir(value)):
        if member.startswith("_"):
            continue
        found = inspect.getattr_static(value, member)
        called = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        if inspect.isfunction(called):
            if not (called.__module__ or "").startswith("penjing"):
                continue  # scikit-learn's own
            yield f"{name}.{member}{_signature(called)}"
        elif not callable(found) or isinstance(found, property):
            yield f"{name}.{member}"


def _signature(value: object) -> str:
    try:
        return str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(...)"


if __name__ == "__main__":
    print("\n".join(lines()))  # noqa: T201 - that is what it is for
