"""A tree as a Spark function that predicts rows on the workers, in batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penjing.errors import CapabilityError
from penjing.predict.predict import predict
from penjing.tree.tree_data import TreeData


def spark_udf(tree: TreeData) -> Callable[..., Any]:
    """Return a function that makes a Spark column of predictions.

    ``frame.withColumn("predicted", tree.spark_udf()())`` uses the columns with the tree's column
    names; other columns can be passed, in the order of the tree's schema. Predictions are those
    of `predict`: text, integers, booleans or floating-point numbers, like the classes.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - heavy
        from pyspark.sql import functions  # noqa: PLC0415
    except ImportError:
        raise CapabilityError(
            "engine_needs", engine="spark", package="pyspark", extra="spark"
        ) from None
    spark: Any = functions
    names = [field.name for field in tree.schema]
    kind = _kind(tree)
    is_text = kind == "string"

    def predict_batch(rows: Any) -> Any:  # noqa: ANN401 - Arrow's arrays
        predictions = predict(tree, pa.Table.from_batches([pa.RecordBatch.from_struct_array(rows)]))
        values = np.asarray(predictions).tolist()
        return pa.array([str(v) for v in values] if is_text else values)

    predict_batch.__annotations__ = {"rows": pa.Array, "return": pa.Array}
    udf = spark.arrow_udf(predict_batch, kind)

    def predicted_column(*columns: Any) -> Any:  # noqa: ANN401 - Spark's columns, or their names
        inputs = columns or [f"`{name.replace('`', '``')}`" for name in names]
        pairs = zip(inputs, names, strict=True)
        parts = [(spark.col(c) if isinstance(c, str) else c).alias(name) for c, name in pairs]
        return udf(spark.struct(*parts))

    return predicted_column


def _kind(tree: TreeData) -> str:
    """Return Spark's type of the predictions."""
    if tree.is_regression:
        return "double"
    kinds = {type(class_) for class_ in tree.classes}
    return {frozenset({bool}): "boolean", frozenset({int}): "bigint",
            frozenset({float}): "double"}.get(frozenset(kinds), "string")  # fmt: skip
