"""The lab's server on a real port: what is refused, streams, cancelling, many tabs, no files."""

from __future__ import annotations

import gzip
import http.client
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

import penjing
from lab_client import LabClient, running_lab
from penjing.webapp.guard import Guard
from penjing.webapp.lab_state import Lab
from penjing.webapp.routes import JSON_BYTES, ROUTES, UPLOAD_BYTES
from penjing.webapp.server import LabServer
from penjing.webapp.watched_jobs import Job


@pytest.fixture(scope="module")
def lab():
    with running_lab() as client:
        yield client


CSV = b"a,b,class\n" + b"".join(b"%d,%d,%s\n" % (i % 7, i % 3, b"yn"[i % 2 : i % 2 + 1])
                                for i in range(60))  # fmt: skip

REFUSED = {
    "no token": ({"Authorization": None}, 401, "lab_no_token"),
    "wrong token": ({"Authorization": "Bearer " + "A" * 43}, 401, "lab_no_token"),
    "empty token": ({"Authorization": "Bearer "}, 401, "lab_no_token"),
    "other scheme": ({"Authorization": "Basic {token}"}, 401, "lab_no_token"),
    "a part of the token": ({"Authorization": "Bearer {part}"}, 401, "lab_no_token"),
    "other host": ({"Host": "evil.example"}, 403, "lab_refused_host"),
    "rebound host": ({"Host": "evil.example:{port}"}, 403, "lab_refused_host"),
    "name of the host": ({"Host": "localhost:{port}"}, 403, "lab_refused_host"),
    "other port": ({"Host": "127.0.0.1:1"}, 403, "lab_refused_host"),
    "other origin": ({"Origin": "https://evil.example"}, 403, "lab_refused_origin"),
    "no origin of its own": ({"Origin": "null"}, 403, "lab_refused_origin"),
    "another lab": ({"Origin": "http://127.0.0.1:1"}, 403, "lab_refused_origin"),
    "cross-site": ({"Sec-Fetch-Site": "cross-site"}, 403, "lab_refused_origin"),
    "same site": ({"Sec-Fetch-Site": "same-site"}, 403, "lab_refused_origin"),
    "a link": ({"Sec-Fetch-Site": "none"}, 403, "lab_refused_origin"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("path", ["lab", "events", "nothing"])
def test_requests_from_elsewhere_are_refused(lab, case, path):
    headers, status, key = REFUSED[case]
    values = {"port": lab.port, "token": lab.token, "part": lab.token[:-1]}
    headers = {k: v and v.format(**values) for k, v in headers.items()}
    assert lab.refused("GET", path, headers=headers) == (status, key)


def test_requests_of_programs_need_no_origin(lab):
    headers = {"Origin": None, "Sec-Fetch-Site": None}
    status, _, answer = lab.send("GET", "/api/1/lab", headers=headers)
    assert (status, answer["protocol"]) == (200, 1)


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method} {r.path}")
def test_every_route_needs_the_token(lab, route):
    path = route.path.replace("{", "").replace("}", "")
    status, key = lab.refused(route.method, path, {}, headers={"Authorization": None})
    assert (status, key) == (401, "lab_no_token")


def test_other_methods_are_refused(lab):
    for method, path in (("PUT", "lab"), ("POST", "lab"), ("PUT", "workbook"), ("PATCH", "table"),
                         ("OPTIONS", "lab"), ("POST", "events"), ("DELETE", "lab")):  # fmt: skip
        assert lab.refused(method, path) == (405, "lab_wrong_method")
    assert lab.send("POST", "/")[0] == 405


@pytest.mark.parametrize("line", ["TRACE /api/1/lab", "PROPFIND /", "GET http://evil/api/1/lab",
                                  "CONNECT evil:80", "OPTIONS *", "FOO /api/1/events"])  # fmt: skip
def test_what_leads_to_no_route_is_refused_like_anything_else(lab, line):
    for host, statuses in ((lab.host, (404, 405)), ("evil.example", (403,))):
        with socket.create_connection(("127.0.0.1", lab.port), timeout=60) as connection:
            head = f"{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            connection.sendall(head.encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        first, _, rest = answer.partition(b"\r\n")
        assert int(first.split()[1]) in statuses
        assert b"content-security-policy: default-src 'none'" in rest.lower()
        message = json.loads(rest.partition(b"\r\n\r\n")[2])["error"]["message"]
        assert set(message) == {"en", "zh"}


def test_there_is_no_cors(lab):
    for origin in ("https://evil.example", f"http://{lab.host}"):
        _, headers, _ = lab.send("GET", "/api/1/lab", headers={"Origin": origin})
        assert not [name for name in headers if name.lower().startswith("access-control")]


def test_names_that_files_have_are_accepted(lab):
    for name in (
        "西瓜\u3000数据.csv",
        "بررسی\u200cها.csv",
        "👩\u200d🌾.csv",
        "a\xa0b.csv",
        "12:30.csv",
        "\u200fשלום.csv",
    ):
        table = lab.ask("POST", f"table?name={quote(name)}", content=CSV)
        assert table["name"] == name
        book = lab.ask("POST", "workbook", {"table": table["table"]})["workbook"]
        script = lab.ask("GET", f"workbook/{book}/script")["content"]
        assert f"DATA = {name!r}" in script


def test_paths_lead_nowhere(lab):
    secret = Path(__file__).resolve()
    for path in ("/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/static/lab.js",
                 "/penjing/webapp/server.py", "/%00", f"/{secret}"):  # fmt: skip
        assert lab.send("GET", path, headers={"Sec-Fetch-Site": "none"})[0] == 404
    for name in ("../rows.csv", "/etc/passwd", "a/b.csv", "C:\\rows.csv", "..", "", "a\x00b",
                 "a\nb", "a\u2028b", "example:fish", "x" * 256):  # fmt: skip
        quoted = "".join(f"%{byte:02x}" for byte in name.encode())
        assert lab.refused("POST", f"table?name={quoted}", content=CSV) == (400, "lab_bad_name")
    for table in (str(secret), "../../etc/passwd", "example:fish", ["x"], None, 5):
        assert lab.refused("POST", "workbook", {"table": table}) == (404, "lab_no_table")
    for example in (str(secret), "example:fish", "../fish", None, 3):
        status, key = lab.refused("POST", "table/example", {"example": example})
        assert (status, key.startswith("unknown_example")) == (400, True)
    book = lab.workbook()["workbook"]
    for body in ({"act": "prune", "method": "mdl", "options": {"validation": str(secret)}},
                 {"act": "prune", "method": "error-based", "options": {"training": str(secret)}},
                 {"act": "regrow", "node": 0, "settings": {"data": str(secret)}},
                 {"act": "leaf", "node": 1, "data": str(secret)}):  # fmt: skip
        assert lab.refused("POST", f"workbook/{book}/step", body)[0] == 400
    table = lab.ask("POST", "table/example", {"example": "fish"})["table"]
    for settings in ({"data": str(secret)}, {"work": "x"}, {"query": "x"}, {"schema": {}},
                     {"validation": str(secret)}, {"session": 1}, {"nothing": 1}):  # fmt: skip
        assert lab.refused("POST", "workbook", {"table": table, "settings": settings})[0] == 400
    assert lab.refused("POST", f"table/{table}/columns", {"encoding": "x"})[0] == 400
    many = "&".join(f"a{i}=1" for i in range(40))
    for odd in ("http://[x", f"lab?{many}", "%zz", "lab/%ff"):
        assert lab.refused("GET", odd) == (404, "lab_no_route")
    for body in ({"table": table, "recipe": 5}, {"table": table, "forbid": "x"}):
        assert lab.refused("POST", "workbook", body)[1] in ("lab_not_text", "lab_not_list")


def test_bodies_have_limits(lab):
    for path, limit in (("workbook", JSON_BYTES), ("table?name=a.csv", UPLOAD_BYTES)):
        headers = {"Content-Length": str(limit + 1), "Content-Type": "application/json"}
        assert lab.refused("POST", path, headers=headers, content=b"")[0] == 413
    chunk = b"x" * 65536
    connection = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=60)
    connection.putrequest("POST", "/api/1/workbook", skip_host=True)
    for name, value in {"Host": lab.host, "Authorization": f"Bearer {lab.token}",
                        "Content-Type": "application/json",
                        "Transfer-Encoding": "chunked"}.items():  # fmt: skip
        connection.putheader(name, value)
    connection.endheaders()
    try:
        for _ in range(JSON_BYTES // len(chunk) + 2):
            connection.send(b"%x\r\n" % len(chunk) + chunk + b"\r\n")
    except OSError:
        pass  # it hung up, or answers
    else:
        assert connection.getresponse().status == 413
    connection.close()
    assert lab.ask("GET", "lab")["limits"]["json_bytes"] == JSON_BYTES


def test_a_compressed_file_must_not_expand_to_more_than_a_file_may_have(lab, monkeypatch):
    monkeypatch.setattr("penjing.webapp.table_source.UPLOAD_BYTES", 100_000)
    for name, size, status in (("a.csv.gz", 90_000, 200), ("a.csv.gz", 2_000_000, 400)):
        content = gzip.compress(b"a,class\n" + b"1,y\n2,n\n" * (size // 8))
        assert len(content) < 10_000
        told, _, answer = lab.send("POST", f"/api/1/table?name={name}", content=content)
        assert told == status, answer
    assert answer["error"]["key"] == "too_much_to_read"


def test_bodies_that_are_no_json_are_refused(lab):
    for content in (b"{", b"[1", b"\xff", b"[" * 100_000, b'{"table": NaN}', b"[-Infinity]",
                    b'{"table": 1e999}', b"{} {}", b'{"a": ' + b"1" * 5000 + b"}"):  # fmt: skip
        headers = {"Content-Type": "application/json"}
        assert lab.refused("POST", "workbook", content=content, headers=headers)[0] == 400
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        refused = lab.refused("POST", "workbook", content=b"{}",
                              headers={"Content-Type": content_type})  # fmt: skip
        assert refused == (415, "lab_content_type")
    for body in ([], "x", 5):
        assert lab.refused("POST", "workbook", body) == (400, "lab_not_object")
    for content in (b"", b"\x80\x04\x95", b"PK\x03\x04", b"PAR1xxxxPAR1", b"\x1f\x8b\x08zzz"):
        assert lab.refused("POST", "table?name=a.pkl", content=content)[0] == 400


def test_every_answer_has_a_strict_policy(lab):
    for path, more in (("/", {"Sec-Fetch-Site": "none"}), ("/api/1/lab", {}),
                       ("/nothing", {}), ("/api/1/lab", {"Authorization": None})):  # fmt: skip
        _, headers, _ = lab.send("GET", path, headers=more)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert "Server" not in headers


def test_the_page_needs_no_token_and_holds_no_data(lab):
    headers = {"Authorization": None, "Origin": None, "Sec-Fetch-Site": "none"}
    status, answer_headers, page = lab.send("GET", "/", headers=headers)
    assert status == 200
    assert answer_headers["Content-Type"].startswith("text/html")
    assert lab.token.encode() not in page


def test_the_token_has_256_bits_and_two_labs_have_different_ones():
    one, other = LabServer(Lab()), LabServer(Lab())
    try:
        assert one.token != other.token
        assert one.port != other.port
        assert len(one.token) == 43  # 32 bytes in base64
        assert one.address == f"http://127.0.0.1:{one.port}/#token={one.token}"
        assert one._socket.getsockname()[0] == "127.0.0.1"
    finally:
        one.close()
        other.close()


def test_the_comparison_of_tokens_takes_any_bytes():
    guard = Guard("127.0.0.1:1", "é")
    for given in (b"Bearer \xff\xfe", b"Bearer", b"", b"bearer " + b"x" * 10_000):
        with pytest.raises(penjing.PenjingError):
            guard.check([(b"host", b"127.0.0.1:1"), (b"authorization", given)])


def test_two_labs_at_once_do_not_see_each_other():
    with running_lab() as one, running_lab() as other:
        book = one.workbook()["workbook"]
        assert other.refused("GET", f"workbook/{book}") == (404, "lab_no_workbook")
        stolen = LabClient(other.port, one.token)
        assert stolen.refused("GET", "lab") == (401, "lab_no_token")
        assert one.ask("GET", f"workbook/{book}")["workbook"] == book


def test_a_taken_port_is_refused_in_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(penjing.ChoiceError, match="cannot listen on port"):
            LabServer(Lab(), taken.getsockname()[1])
    with pytest.raises(penjing.ChoiceError):
        LabServer(Lab(), 70_000)


def test_ten_tabs_keep_working_while_a_step_runs(lab):
    def work(tab):
        book = lab.workbook(recipe="id3")
        for column in ("脐部", "触感", "色泽"):
            step = {"act": "split", "node": 0, "column": column}
            result = lab.ask(
                "POST",
                f"workbook/{book['workbook']}/step?job=tab{tab}-{column[0]}".encode(
                    "ascii", "ignore"
                ).decode()
                + str(ord(column[0])),
                step,
            )
            assert result["changed"]
            assert result["workbook"]["current"] == result["tree"]["tree"]
        return book["workbook"], result["workbook"]["current"], result["tree"]["training"]

    with ThreadPoolExecutor(10) as threads:
        results = list(threads.map(work, range(10)))
    assert len({book for book, _, _ in results}) == 10
    assert len({tree for _, tree, _ in results}) == 1  # the same journal
    assert len({json.dumps(score) for _, _, score in results}) == 1


def test_a_lab_that_is_stopped_while_it_works_says_nothing(capsys):
    LabServer(Lab()).close()
    logger = logging.getLogger("uvicorn.error")
    logger.error("Cancel %s running task(s), timeout graceful shutdown exceeded", 1)
    assert capsys.readouterr().err == ""
    logger.error("Exception in ASGI application")
    assert "Exception" in capsys.readouterr().err


def large_csv(n):
    random = np.random.RandomState(0)
    x = random.normal(size=(n, 8)).round(3)
    y = random.choice(["a", "b"], n)
    lines = [",".join(map(str, row)) + "," + c for row, c in zip(x.tolist(), y, strict=True)]
    return "\n".join([",".join(f"x{i}" for i in range(8)) + ",class", *lines]).encode()


@pytest.fixture(scope="module")
def large_table(lab):
    return lab.ask("POST", "table?name=large.csv", content=large_csv(40_000))["table"]


def listen(lab, events, is_open):
    connection = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=120)
    connection.request("GET", "/api/1/events", headers={"Authorization": f"Bearer {lab.token}"})
    stream = connection.getresponse()
    for line in stream:
        is_open.set()
        if line.startswith(b"data: "):
            events.append(json.loads(line[6:]))
            if events[-1]["state"] != "running":
                break
    connection.close()


@pytest.fixture
def jobs_last_until_cancelled(monkeypatch):
    """Hold every job at its reports of progress until it is cancelled, on a fast machine, too."""
    report = Job.report

    def held(job, progress):
        job._is_cancelled.wait(60)
        report(job, progress)

    monkeypatch.setattr(Job, "report", held)


@pytest.mark.usefixtures("jobs_last_until_cancelled")
def test_a_job_reports_progress_and_can_be_cancelled(lab, large_table):
    events, is_open = [], threading.Event()
    listener = threading.Thread(target=listen, args=(lab, events, is_open))
    listener.start()
    assert is_open.wait(60)
    request = {"table": large_table, "recipe": "id3"}
    with ThreadPoolExecutor(1) as threads:
        growing = threads.submit(lab.send, "POST", "/api/1/workbook?job=grow-1", request)
        deadline = time.monotonic() + 60
        while not any(e["job"] == "grow-1" for e in events) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert lab.ask("GET", "lab")["version"]  # others are answered meanwhile
        assert lab.ask("POST", "cancel", {"job": "grow-1"}) == {"job": "grow-1",
                                                                "was_running": True}  # fmt: skip
        status, _, answer = growing.result(60)
    assert (status, answer["error"]["key"]) == (409, "lab_cancelled")
    listener.join(60)
    assert [e["state"] for e in events][-1] == "failed"
    assert all(set(e) == {"job", "state", "share", "leaves", "seconds"} for e in events)
    assert lab.ask("POST", "cancel", {"job": "grow-1"})["was_running"] is False


@pytest.mark.usefixtures("jobs_last_until_cancelled")
def test_a_cancelled_step_leaves_the_workbook_as_it_was(lab, large_table):
    request = {"table": large_table, "recipe": "id3", "settings": {"max_depth": 2}}
    book = lab.ask("POST", "workbook", request)
    path = f"/api/1/workbook/{book['workbook']}/step?job=step-1"
    body = {"act": "regrow", "node": 0, "settings": {"max_depth": None}}
    with ThreadPoolExecutor(1) as threads:
        step = threads.submit(lab.send, "POST", path, body)
        while not lab.ask("POST", "cancel", {"job": "step-1"})["was_running"]:
            assert not step.done()
        status, _, answer = step.result(60)
    assert (status, answer["error"]["key"]) == (409, "lab_cancelled")
    after = lab.ask("GET", f"workbook/{book['workbook']}")
    assert after["history"] == book["history"]
    assert after["current"] == book["current"]


def test_names_of_jobs_are_checked_and_unique(lab):
    for name in ("", "a b", "x" * 65, "é", "a/b"):
        quoted = "".join(f"%{byte:02x}" for byte in name.encode())
        assert lab.refused("GET", f"lab?job={quoted}") == (400, "lab_bad_job")
    assert lab.refused("POST", "cancel", {"job": 5}) == (400, "lab_bad_job")


def test_an_idle_server_stops():
    lab = Lab(idle_seconds=0.2)
    server = LabServer(lab)
    thread = threading.Thread(target=server.run)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


SERVE = """
import sys, tempfile
from penjing.webapp.lab_state import Lab
from penjing.webapp.server import LabServer
from penjing.webapp.watched_jobs import Job
server = LabServer(Lab())
server.run(lambda: print(server.port, server.token, flush=True))
"""


def test_a_killed_server_leaves_no_file_behind(tmp_path):
    """Killed while it reads a large file, at a moment when DuckDB has it open."""
    work = tmp_path / "work"
    scratch = tmp_path / "scratch"
    work.mkdir()
    scratch.mkdir()
    environment = os.environ | {"TMPDIR": str(scratch)}
    process = subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True,
                               cwd=work, env=environment)  # fmt: skip
    try:
        port, token = process.stdout.readline().split()
        client = LabClient(int(port), token)
        client.ask("POST", "table?name=small.csv", content=CSV)
        content = large_csv(150_000)
        seen = set()

        def upload():
            # Again and again: a busy machine may not look in time while one of them is read.
            try:
                while True:
                    client.ask("POST", "table?name=large.csv", content=content)
            except (OSError, http.client.HTTPException):
                seen.add("cut off")

        thread = threading.Thread(target=upload)
        thread.start()
        deadline = time.monotonic() + 120
        while not has_unnamed_file(process.pid):
            assert time.monotonic() < deadline
            assert not list(scratch.iterdir())
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        thread.join()
    finally:
        process.kill()
        process.stdout.close()
        process.wait()
    assert seen == {"cut off"}
    assert not list(scratch.iterdir())
    assert not list(work.iterdir())


def has_unnamed_file(pid):
    """Return whether a process has a file open that has no name."""
    folder = Path(f"/proc/{pid}/fd")
    for link in folder.iterdir():
        try:
            if "(deleted)" in str(link.readlink()) and link.stat().st_size > 1_000_000:
                return True
        except OSError:
            continue
    return False


def test_uploaded_files_are_not_written(lab, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    info = lab.ask("POST", "table?name=rows.csv", content=CSV)
    assert (info["rows"], info["target"], info["name"]) == (60, "class", "rows.csv")
    assert not list(tmp_path.iterdir())
