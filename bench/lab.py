"""Time of a step through the lab's server beside the same calls from Python, medians of 20.

`python bench/lab.py [ROWS [COLUMNS]]` prints, in milliseconds and for 60,000 rows and 10 columns by
default: each kind of request through HTTP, the same calls from Python (the change, its scores on
training and validation rows, the predictions that changed), and what the lab adds. A request from
the page is one request on an open connection. With 1,000,000 and 20 it also prints when progress
comes and how long cancelling takes.
"""

from __future__ import annotations

import http.client
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import results_file
from steering import table_of

import penjing
from penjing.data.table import Table, nominal, numeric
from penjing.webapp.lab_state import Lab
from penjing.webapp.server import LabServer
from penjing.webapp.table_source import TableSource

RUNS = 20
RECIPES = ("cart-binary", "c4.5", "rpart")


class Client:
    """Asks a lab on one open connection, as a browser does."""

    def __init__(self, server: LabServer) -> None:
        self._server = server
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[Any, int]:
        """Return the answer of a request, and its size in bytes."""
        headers = {"Authorization": f"Bearer {self._server.token}"}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        self._connection.request(method, f"/api/1/{path}", data, headers)
        raw = self._connection.getresponse().read()
        return json.loads(raw), len(raw)


def table_for(rows: int, columns: int) -> Table:
    """Return rows with numbers and categories; beyond 120,000 rows, with numbers only."""
    if rows <= 120_000 and columns == 10:
        return table_of("mixed", 1).take(np.arange(rows))
    rng = np.random.default_rng(1)
    values = rng.normal(size=(rows, columns)).round(2)
    signal = values[:, : columns // 2].sum(axis=1) + rng.normal(size=rows)
    classes = np.searchsorted(np.quantile(signal, [0.4, 0.8]), signal)
    names = np.array(["p", "q", "r"])[classes]
    made = tuple(numeric(f"x{i}", values[:, i]) for i in range(columns))
    return Table(made, nominal("y", names.tolist()), rows)


def median(run: Callable[[int], Any], prepare: Callable[[], Any]) -> float:
    """Return the median of the milliseconds of some runs; what prepares them is not timed."""
    times = []
    for i in range(RUNS):
        prepare()
        start = time.perf_counter()
        run(i)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def measure(client: Client, lab: Lab, table: Table, recipe: str) -> list[dict[str, Any]]:
    """Return the times of each kind of request, and of the same calls from Python."""
    table_id = lab.add_table(TableSource("rows", None, table))
    body = {"table": table_id, "recipe": recipe, "settings": {"max_depth": 8}}
    book, _ = client.ask("POST", "workbook", body)
    base, first = f"workbook/{book['workbook']}", book["first"]
    training, rest = penjing.hold_out(table, 0.4, 0)
    validation, _ = penjing.hold_out(rest, 0.5, 0)
    options: dict[str, Any] = {"recipe": recipe, "max_depth": 8, "quiet": True, "sketch": True}
    tree = penjing.fit(training, **options)
    inner = [int(n) for n in np.flatnonzero(~tree.is_leaf)]
    names = [field.name for field in tree.schema]

    def by_python(change: Callable[[int], Any], i: int) -> None:
        changed = change(i)
        for rows in (training, validation):
            float(tree.score(rows)), float(changed.score(rows))
            _ = (tree.predict(rows) != changed.predict(rows)).sum()

    def split_at(i: int) -> tuple[int, str]:
        node = inner[i % 7]
        own = names[int(tree.nodes.column[node])]
        return node, [name for name in names if name[0] == "x" and name != own][i // 7]

    def step(i: int) -> dict[str, Any]:
        node, column = split_at(i)
        return {"act": "split", "node": node, "column": column}

    sizes: list[int] = []

    def ask_step(plain: dict[str, Any]) -> None:
        sizes.append(client.ask("POST", f"{base}/step", plain)[1])

    def show_first() -> None:
        client.ask("POST", f"{base}/go", {"tree": first})

    rows = [
        ("split", lambda i: ask_step(step(i)),
         lambda i: by_python(lambda k: tree.replace_split(*split_at(k)), i)),
        ("leaf", lambda i: ask_step({"act": "leaf", "node": inner[i % len(inner)]}),
         lambda i: by_python(lambda k: tree.prune_at(inner[k % len(inner)]), i)),
        ("why", lambda i: client.ask("GET", f"{base}/tree/{first}/why/{inner[i % len(inner)]}"),
         lambda i: tree.why(inner[i % len(inner)])),
        ("rows of a node", lambda i: client.ask("GET", f"{base}/tree/{first}/rows/{inner[i % 5]}"),
         lambda _: tree.apply(training)),
        ("tree", lambda _: client.ask("GET", f"{base}/tree/{first}"), lambda _: None),
    ]  # fmt: skip
    return [
        {
            "recipe": recipe,
            "leaves": tree.n_leaves,
            "request": name,
            "http_ms": round(median(http_run, show_first), 1),
            "python_ms": round(median(python_run, lambda: None), 1),
            "bytes": max(sizes, default=0),
        }
        for name, http_run, python_run in rows
    ]


def cancelled(server: LabServer, lab: Lab, table: Table) -> dict[str, Any]:
    """Return how soon a step of a large table reports progress, and how soon it is cancelled."""
    client, other = Client(server), Client(server)
    table_id = lab.add_table(TableSource("rows", None, table))
    start = time.perf_counter()
    body = {"table": table_id, "recipe": "cart-binary", "settings": {"max_depth": 3}}
    book, _ = client.ask("POST", "workbook", body)
    opened = time.perf_counter() - start
    events: list[tuple[float, dict[str, Any]]] = []
    step = {"act": "regrow", "node": 0, "settings": {"max_depth": 24}}
    with lab.jobs.listening(lambda event: events.append((time.perf_counter(), event))):
        start = time.perf_counter()
        whole, _ = client.ask("POST", f"workbook/{book['workbook']}/step?job=a", step)
        seconds = time.perf_counter() - start
        steps = [(round(t - start, 2), e["share"]) for t, e in events if e["share"] is not None]
        events.clear()
        client.ask("POST", f"workbook/{book['workbook']}/undo")
        answers: list[Any] = []
        again = {**step, "settings": {"max_depth": 25}}
        thread = threading.Thread(
            target=lambda: answers.append(
                client.ask("POST", f"workbook/{book['workbook']}/step?job=b", again)
            )
        )
        thread.start()
        time.sleep(min(2.0, seconds / 3))
        start = time.perf_counter()
        other.ask("POST", "cancel", {"job": "b"})
        thread.join()
        stopped = time.perf_counter() - start
    return {
        "rows": table.n_rows,
        "columns": len(table.columns),
        "open_s": round(opened, 2),
        "step_s": round(seconds, 2),
        "leaves": whole["tree"]["leaves"],
        "events": len(steps),
        "first_events": steps[:3],
        "cancel_s": round(stopped, 2),
        "answer": answers[0][0]["error"]["key"],
    }


@contextmanager
def serving(lab: Lab) -> Iterator[LabServer]:
    """Serve a lab from a thread."""
    server = LabServer(lab)
    is_ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(is_ready.set,))
    thread.start()
    is_ready.wait()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


def main(rows: int, columns: int) -> None:
    """Print the table and keep the figures."""
    lab = Lab()
    with serving(lab) as server:
        table = table_for(rows, columns)
        if rows > 200_000:
            figures: Any = cancelled(server, lab, table)
            print(json.dumps(figures, indent=1))
            results_file.save("lab_large", figures)
            return
        client = Client(server)
        found = [row for recipe in RECIPES for row in measure(client, lab, table, recipe)]
        print("recipe        leaves  request           http ms  python ms    adds ms")
        for row in found:
            adds = row["http_ms"] - row["python_ms"]
            print(f"{row['recipe']:12}  {row['leaves']:6}  {row['request']:15}  "
                  f"{row['http_ms']:8.1f}  {row['python_ms']:9.1f}  {adds:9.1f}")  # fmt: skip
        results_file.save("lab", {"rows": rows, "columns": columns, "runs": RUNS, "times": found})


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*(given + [60_000, 10][len(given) :]))
