"""A tree as a function of Spark: rows are answered where they are, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penjing.errors import CapabilityError
from penjing.predict.predict import predict
from penjing.tree.tree_data import TreeData


def spark_udf(tree: TreeData) -> Callable[..., Any]:
    """Return a function that makes a Spark column of answers.

    ``frame.withColumn("predicted", tree.spark_udf()())`` asks the columns that have the tree's
    own names; other columns can be named, in the order of the tree's schema. Answers are those
    of `predict`: text, whole numbers, truth, or numbers, as the classes are.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - heavy
        from pyspark.sql import functions  # noqa: PLC0415
    except ImportError:
        raise CapabilityError("engine_needs", engine="spark", package="pyspark") from None
    of: Any = functions
    names = [field.name for field in tree.schema]
    kind = _kind(tree)
    is_text = kind == "string"

    def answers(rows: Any) -> Any:  # noqa: ANN401 - Arrow's arrays
        found = predict(tree, pa.Table.from_batches([pa.RecordBatch.from_struct_array(rows)]))
        values = np.asarray(found).tolist()
        return pa.array([str(v) for v in values] if is_text else values)

    answers.__annotations__ = {"rows": pa.Array, "return": pa.Array}
    made = of.arrow_udf(answers, kind)

    def predicted(*columns: Any) -> Any:  # noqa: ANN401 - Spark's columns, or their names
        given = columns or [f"`{name.replace('`', '``')}`" for name in names]
        pairs = zip(given, names, strict=True)
        parts = [(of.col(c) if isinstance(c, str) else c).alias(name) for c, name in pairs]
        return made(of.struct(*parts))

    return predicted


def _kind(tree: TreeData) -> str:
    """Return Spark's type of the answers."""
    if tree.is_regression:
        return "double"
    kinds = {type(class_) for class_ in tree.classes}
    return {frozenset({bool}): "boolean", frozenset({int}): "bigint",
            frozenset({float}): "double"}.get(frozenset(kinds), "string")  # fmt: skip
