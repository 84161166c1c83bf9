"""`penjing lab`: the address comes first, what it opens, what it refuses, how it ends."""

from __future__ import annotations

import http.client
import json
import runpy
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import penjing
from lab_client import LabClient
from penjing.webapp.fingerprint import table_fingerprint

CSV = "a,b,class\n" + "".join(f"{i % 7},{i % 3},{'yn'[i % 2]}\n" for i in range(60))


SLOW_READING = """import sys
import threading
from penjing.__main__ import run
from penjing.webapp import routes

def read_forever(name, content):
    print("reading", flush=True)
    threading.Event().wait(600)

routes.uploaded = read_forever
sys.exit(run())
"""


@contextmanager
def penjing_lab(folder, *args, program=("-m", "penjing")):
    """Run the command; yield a client for the address that it prints first."""
    command = [sys.executable, *program, "lab", "--no-open", *args]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=folder)  # fmt: skip
    try:
        address = process.stdout.readline().strip()
        if "--json" in args:
            address = json.loads(address)["address"]
        assert address.startswith("http://127.0.0.1:")
        base, token = address.split("/#token=")
        client = LabClient(int(base.rpartition(":")[2]), token)
        client.process = process
        yield client
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_a_table_opens_and_its_workbook_replays(tmp_path):
    (tmp_path / "rows.csv").write_text(CSV, "utf-8")
    with penjing_lab(tmp_path, "rows.csv", "--keep", "a", "--lang", "zh") as lab:
        start = lab.ask("GET", "lab")["start"]
        assert start["lang"] == "zh"
        info = lab.ask("GET", f"table/{start['table']}")
        assert (info["name"], info["target"], info["rows"]) == ("rows.csv", "class", 60)
        book = lab.ask("POST", "workbook", {"table": start["table"], "recipe": "cart-binary"})
        step = {"act": "split", "node": 0, "column": "b"}
        after = lab.ask("POST", f"workbook/{book['workbook']}/step", step)["workbook"]
        file = lab.ask("GET", f"workbook/{book['workbook']}/file")
        lab.process.send_signal(signal.SIGINT)
        assert lab.process.wait(30) == 0
        assert "实验室已停止" in lab.process.stderr.read()
    (tmp_path / "book.json").write_text(file["content"], "utf-8")
    for args in (("--replay", "book.json"), ("rows.csv", "--replay", "book.json", "--keep", "a"),
                 ("book.json",)):  # fmt: skip
        with penjing_lab(tmp_path, *args) as lab:
            again = lab.ask("GET", f"workbook/{lab.ask('GET', 'lab')['start']['workbook']}")
            assert again["history"] == after["history"]
            assert again["current"] == after["current"]


def test_validation_and_test_files_are_found_beside_the_workbook(tmp_path, monkeypatch):
    # No column is a target by its name, so that the script has to say which it is.
    contents = {
        name: "p,q,r\n"
        + "".join(f"{i * k % 17},{i % 5},{i * k % 17 + i % 5}.5\n" for i in range(80))
        for name, k in (("a.csv", 3), ("b.csv", 5), ("c.csv", 7))
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, "utf-8")
    with penjing_lab(tmp_path, "a.csv", "--target", "r") as lab:
        other = {
            part: lab.ask("POST", f"table?name={name}", content=contents[name].encode())["table"]
            for part, name in (("validation", "b.csv"), ("test", "c.csv"))
        }
        table = lab.ask("GET", "lab")["start"]["table"]
        division = {"kind": "tables", **other}
        body = {"table": table, "recipe": "cart-binary", "division": division}
        book = lab.ask("POST", "workbook", body)["workbook"]
        step = {"act": "prune", "method": "reduced-error"}
        state = lab.ask("POST", f"workbook/{book}/step", step)["workbook"]
        lab.ask("POST", f"workbook/{book}/finish")
        tree = f"workbook/{book}/tree/{state['current']}"
        model = json.loads(lab.ask("GET", f"{tree}/export/model")["content"])
        file = lab.ask("GET", f"workbook/{book}/file")["content"]
        script = lab.ask("GET", f"workbook/{book}/script")["content"]
    (tmp_path / "book.json").write_text(file, "utf-8")
    for args in (("--replay", "book.json"), ("book.json",)):
        with penjing_lab(tmp_path, *args) as lab:
            again = lab.ask("GET", f"workbook/{lab.ask('GET', 'lab')['start']['workbook']}")
            assert (again["current"], again["history"]) == (state["current"], state["history"])
            assert again["division"]["rows"] == {"training": 80, "validation": 80, "test": 80}
    (tmp_path / "script.py").write_text(script, "utf-8")
    monkeypatch.chdir(tmp_path)
    made = json.loads(json.dumps(runpy.run_path("script.py")["tree"].to_json()))
    assert made["nodes"] == model["nodes"]


def test_a_model_knows_how_its_rows_are_read_in_the_script_and_when_it_replays(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{i % 4};{'?' if i % 7 == 0 else i % 9},5;{i % 5 + 1};{'xy'[i % 9 > 3]}" for i in range(90)
    ]
    Path("rows.csv").write_text("\n".join(["code;p;w;class", *lines]), "utf-8")
    options = {"separator": ";", "missing": ["?"], "weight": "w", "schema": {"code": "categorical"}}
    penjing.fit(penjing.read("rows.csv", **options), recipe="c4.5").save("rows.tree")
    with penjing_lab(tmp_path, "rows.tree") as lab:
        book = lab.ask("GET", "lab")["start"]["workbook"]
        for step in (
            {"act": "split", "node": 0, "column": "code"},
            {"act": "prune", "method": "error-based"},
        ):
            state = lab.ask("POST", f"workbook/{book}/step", step)["workbook"]
        script = lab.ask("GET", f"workbook/{book}/script")["content"]
        model = lab.ask("GET", f"workbook/{book}/tree/{state['current']}/export/model")["content"]
        Path("book.json").write_text(lab.ask("GET", f"workbook/{book}/file")["content"], "utf-8")
    Path("script.py").write_text(script, "utf-8")
    runpy.run_path("script.py")["tree"].save("again.tree")
    assert json.loads(Path("again.tree").read_text("utf-8")) == json.loads(model)
    for args in (("--replay", "book.json"), ("rows.csv", "--replay", "book.json")):
        with penjing_lab(tmp_path, *args) as lab:
            again = lab.ask("GET", f"workbook/{lab.ask('GET', 'lab')['start']['workbook']}")
            assert (again["current"], again["history"]) == (state["current"], state["history"])


def test_a_lab_that_reads_a_file_stops_at_once(tmp_path):
    with penjing_lab(tmp_path, program=("-c", SLOW_READING)) as lab:

        def upload():
            with suppress(OSError, http.client.HTTPException):
                lab.send("POST", "/api/1/table?name=a.csv", content=CSV.encode())

        thread = threading.Thread(target=upload)
        thread.start()
        assert lab.process.stdout.readline() == "reading\n"
        lab.process.send_signal(signal.SIGINT)
        assert lab.process.wait(30) == 0
        thread.join()
        notes = lab.process.stderr.read().splitlines()
        assert notes[-1] == "note: the lab has stopped."
        assert len(notes) == 2


def test_the_port_of_a_lab_that_has_ended_can_be_used_again(tmp_path):
    with penjing_lab(tmp_path) as lab:
        # The side that hangs up first keeps the port for a while; here it is the lab.
        kept = socket.create_connection(("127.0.0.1", lab.port))
        lab.ask("GET", "lab")
        lab.process.send_signal(signal.SIGINT)
        lab.process.wait(30)
        kept.close()
    with penjing_lab(tmp_path, "--port", str(lab.port)) as again:
        assert again.port == lab.port


def test_a_model_and_a_worksheet_open(tmp_path):
    (tmp_path / "rows.csv").write_text(CSV, "utf-8")
    table = penjing.read(str(tmp_path / "rows.csv"), "class", keep="a", quiet=True)
    penjing.fit(table, recipe="cart-binary", quiet=True).save(tmp_path / "rows.tree")
    with penjing_lab(tmp_path, "rows.tree", "--json", "--idle", "0") as lab:
        start = lab.ask("GET", "lab")["start"]
        book = lab.ask("GET", f"workbook/{start['workbook']}")
        tree = penjing.load(tmp_path / "rows.tree")
        assert book["history"][0]["leaves"] == tree.n_leaves
        lab.ask("POST", f"workbook/{start['workbook']}/step", {"act": "leaf", "node": 0})
    (tmp_path / "sheet.json").write_text(
        json.dumps(penjing.worksheet(seed=3).sheet), encoding="utf-8"
    )
    with penjing_lab(tmp_path, "sheet.json") as lab:
        start = lab.ask("GET", "lab")["start"]
        assert lab.ask("GET", f"exercise/{start['exercise']}")["sheet"]["seed"] == 3


def test_the_script_of_a_model_of_an_example_names_the_example(tmp_path, monkeypatch, run):
    assert run("fit", "example:golf", "-o", "golf.tree").code == 0
    with penjing_lab(tmp_path, "golf.tree") as lab:
        book = lab.ask("GET", "lab")["start"]["workbook"]
        lab.ask("POST", f"workbook/{book}/step", {"act": "leaf", "node": 1})
        script = lab.ask("GET", f"workbook/{book}/script")["content"]
        file = lab.ask("GET", f"workbook/{book}/file")["content"]
        state = lab.ask("GET", f"workbook/{book}")
    assert state["history"][0]["text"]["en"] == "the model that was opened"
    (tmp_path / "script.py").write_text(script, "utf-8")
    monkeypatch.chdir(tmp_path)
    made = runpy.run_path("script.py")["tree"]
    assert made.n_leaves == state["history"][-1]["leaves"]
    (tmp_path / "book.json").write_text(file, "utf-8")
    with penjing_lab(tmp_path, "--replay", "book.json") as lab:
        book = lab.ask("GET", "lab")["start"]["workbook"]
        assert lab.ask("GET", f"workbook/{book}")["current"] == state["current"]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("nothing.csv",), "No such file"),
        (("--replay", "nothing.json"), "No such file"),
        (("--replay", "rows.csv"), "not a workbook"),
        (("rows.csv", "--train", "rows.csv"), "--train"),
        (("--train", "rows.csv"), "--train"),
        (("--replay", "rows.csv", "--train", "rows.csv"), "--train"),
        (("lost.tree",), "training rows"),
        (("rows.csv", "--port", "99999"), "port"),
        (("rows.csv", "--idle", "-1"), "idle"),
        (("result.json",), "result of an exercise"),
        (("solution.json",), "solution of a worksheet"),
        (("half.tree",), "half.tree is truncated"),
    ],
)
def test_refusals_are_one_sentence(tmp_path, run, args, sentence):
    (tmp_path / "rows.csv").write_text(CSV, "utf-8")
    (tmp_path / "result.json").write_text('{"format": "penjing-exercise-result"}', "utf-8")
    rows = [{"a": i % 5, "y": "n" if i % 2 else "m"} for i in range(20)]
    penjing.fit(rows, "y", quiet=True).save(tmp_path / "lost.tree")
    (tmp_path / "half.tree").write_bytes((tmp_path / "lost.tree").read_bytes()[:300])
    solution = {"format": "penjing-worksheet-solution", "nodes": [{"node": 1}]}
    (tmp_path / "solution.json").write_text(json.dumps(solution), "utf-8")
    done = run("lab", "--no-open", *args)
    assert done.code in (1, 2)
    assert sentence in done.err
    assert "Traceback" not in done.err


def test_without_the_extra_there_is_one_clear_sentence(monkeypatch, run):
    for name in [n for n in sys.modules if n.startswith(("starlette", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "penjing.webapp.server", raising=False)
    monkeypatch.delattr("penjing.webapp.server", raising=False)
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = run("lab", "--no-open")
    assert done.code == 1
    assert "pip install 'penjing[lab]'" in done.err
    assert len(done.err.strip().splitlines()) == 1


READING = {
    "--target": ("b,a,class\nx,1,n\ny,2,m\nx,3,n\n", "b", {"target": "b"}),
    "--separator": ("a|b|class\n1|x|n\n2|y|m\n", "|", {"separator": "|"}),
    "--names": ("1,x,n\n2,y,m\n3,x,n\n", "p,q,class", {"names": ["p", "q", "class"]}),
    "--ignore": ("a,b,class\n1,x,n\n2,y,m\n", "b", {"schema": {"b": "ignore"}}),
    "--weight": ("a,w,class\n1,2,n\n2,3,m\n", "w", {"weight": "w"}),
    "--missing-marker": ("a,b,class\n1,zz,n\n2,y,m\n3,x,m\n", "zz", {"missing": ["zz"]}),
    "--decimal": ("a;b;class\n1,25;x;n\n2,75;y;m\n", ",", {"decimal": ","}),
    "--keep": ("id,a,class\n1,1,n\n2,2,m\n3,3,m\n", "id", {"keep": ["id"]}),
    "--dates": ("d,a,class\n2024-01-02,1,n\n2024-02-03,2,m\n", "month", {"dates": "month"}),
    "--schema": ("a,b,class\n1,x,n\n2,y,m\n", '{"a": "categorical"}',
                 {"schema": {"a": "categorical"}}),
    "--encoding": ("a,瓜,class\n1,x,n\n2,y,m\n", "utf-8", {"encoding": "utf-8"}),
    "--fold-case": ("a,b,class\n1,X,n\n2,x,m\n", None, {"fold_case": True}),
}  # fmt: skip


@pytest.mark.parametrize("option", READING)
def test_options_of_reading_are_those_of_penjing_read(option, run, monkeypatch):
    content, value, options = READING[option]
    Path("x.csv").write_text(content, "utf-8")
    opened = []

    def keep(server, _):
        opened.append(server.lab)
        server.close()

    monkeypatch.setattr("penjing.webapp.server.LabServer.run", keep)
    done = run("lab", "--no-open", "x.csv", option, *([] if value is None else [value]))
    assert done.code == 0, done.err
    table = opened[0].table(opened[0].start.table).table
    expected = penjing.read("x.csv", quiet=True, **options)
    assert table_fingerprint(table) == table_fingerprint(expected)
