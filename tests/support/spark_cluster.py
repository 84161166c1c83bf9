"""A Spark cluster on loopback: a standalone master and workers, each in its own process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

HERE = "127.0.0.1"


def session(master, **settings):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    maker = SparkSession.builder.master(master).appName("penjing-test")
    usual = {"spark.ui.showConsoleProgress": "false",
             "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2",
             "spark.driver.host": "127.0.0.1", "spark.log.level": "ERROR"}  # fmt: skip
    for name, value in (usual | settings).items():
        maker = maker.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return maker.getOrCreate()


def free_port():
    with socket.socket() as door:
        door.bind((HERE, 0))
        return door.getsockname()[1]


@contextmanager
def cluster(folder, n_workers=2, memory="1g"):
    """Start a master and workers of one core; yield the master's address and the workers."""
    folder = Path(folder)
    home = Path(pyspark.__file__).parent
    environment = os.environ | {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    started, logs = [], []

    def start(name, kind, *words):
        logs.append((folder / f"{name}.log").open("w"))
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", *words]
        command += ["--host", HERE, "--webui-port", str(free_port())]
        process = subprocess.Popen(
            [str(word) for word in command], env=environment, stdout=logs[-1], stderr=logs[-1]
        )
        started.append(process)
        return process

    port = free_port()
    address = f"spark://{HERE}:{port}"
    try:
        start("master", "master.Master", "--port", port)
        _wait(folder / "master.log", "I have been elected leader")
        workers = [
            start(f"worker{i}", "worker.Worker", address, "--cores", 1, "--memory", memory,
                  "--work-dir", folder / f"work{i}")
            for i in range(n_workers)
        ]  # fmt: skip
        for i in range(n_workers):
            _wait(folder / f"worker{i}.log", "Successfully registered")
        yield address, workers
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(30)
        for log in logs:
            log.close()


def _wait(path, words, seconds=120):
    for _ in range(seconds * 5):
        if path.exists() and words in path.read_text():
            return
        time.sleep(0.2)
    raise AssertionError(path.read_text())
