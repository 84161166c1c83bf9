"""A user's script with the whole public API; mypy checks it and reveals types, never Any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import penjing

if TYPE_CHECKING:
    from typing import reveal_type

X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": list("uvuv")})
y = pd.Series([0, 1, 1, 0], name="ripe")
table = penjing.read(X, labels=y, weight=np.ones(4), quiet=True)
tree = penjing.fit(X, y, "cart-binary", max_depth=2, criterion="entropy", class_names=["n", "y"])

if TYPE_CHECKING:
    reveal_type(table)
    reveal_type(table.notes)
    reveal_type(table.to_pandas())
    reveal_type(table.text("zh"))
    reveal_type(tree)
    reveal_type(tree.why(0))
    reveal_type(tree.why(0).to_pandas())
    reveal_type(tree.trace)
    reveal_type(tree.trace.with_rows(table).text("zh"))
    reveal_type(tree.report(test=table))
    reveal_type(tree.score(X, y))
    reveal_type(tree.score(table))
    reveal_type(tree.predict_proba(X.iloc[0]))
    reveal_type(tree.explain(X.iloc[0], class_names={0: "no"}))
    reveal_type(tree.importances())
    reveal_type(tree.importances().to_pandas())
    reveal_type(tree.to_pandas("rules"))
    reveal_type(tree.prune("pessimistic"))
    reveal_type(tree.write("text", lang="zh", class_names=["n", "y"]))
    reveal_type(tree.draw(lang="zh"))
    reveal_type(tree.export("sql"))
    reveal_type(tree.export("onnx"))
    reveal_type(tree.ruleset(table))
    reveal_type(tree.training_table())
    reveal_type(tree.plot())
    reveal_type(penjing.load("model.tree"))
    reveal_type(penjing.cross_validate(X, "id3", 2, target=y))
    reveal_type(penjing.bootstrap(X, y, n=2))
    reveal_type(penjing.hold_out(X, 0.5, target=y))
    reveal_type(penjing.folds(X, 2, target=y))
    reveal_type(penjing.compare(tree, tree))
    reveal_type(penjing.compare(tree, tree).differences)
    reveal_type(penjing.compare(tree, tree).to_pandas())
    reveal_type(penjing.Fold(2).of(table))
    reveal_type(penjing.example("fish"))
    reveal_type(penjing.entropy(["a", "b"]))
    reveal_type(penjing.gain([1, 2], ["a", "b"]))
    reveal_type(penjing.majority(["a", "b"]))
    reveal_type(penjing.RECIPES["id3"].but(max_depth=2))
    reveal_type(penjing.DataError("no_rows", source="x").say("zh"))
