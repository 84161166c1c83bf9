"""Script that grows a tree on a Spark cluster, with checkpoints, and writes the model."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import penjing
from penjing.data import store as data_store
from penjing.engines.spark import engine as spark_engine

if __name__ == "__main__":
    master, folder, kept, output = sys.argv[1:5]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    data_store.N_CELLS, data_store.MAX_SINGLE_VALUE_CELLS, spark_engine.FETCH_LIMIT = 64, 20, 200
    if master == "connect":
        there = SparkSession.builder.remote("local[2]").getOrCreate()
    else:
        maker = SparkSession.builder.master(master).appName("penjing-driver")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.log.level": "ERROR",
        }.items():
            maker = maker.config(name, value)
        there = maker.getOrCreate()
    schema = {"x": "numeric", "it's": "nominal", "few": "numeric", 'z"': "numeric", "y": "nominal"}
    asked = {"schema": schema, "checkpoint": kept, "max_depth": 6}
    tree = penjing.fit(there.read.parquet(folder), "y", "cart-binary", **asked)
    found = tree.to_json()
    for key in ("engine", "source", "left_out"):
        found["about"].pop(key, None)
    part = Path(output).with_suffix(".part")
    part.write_text(json.dumps({"tree": found}))
    part.replace(output)
    there.stop()
