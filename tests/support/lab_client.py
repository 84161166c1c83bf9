"""A lab on a real uvicorn server in a thread, and a client that talks HTTP to it."""

from __future__ import annotations

import http.client
import json
import threading
from contextlib import contextmanager

from penjing.webapp.lab_state import Lab
from penjing.webapp.server import LabServer


class LabClient:
    """Sends requests as the page does; every header can be replaced or left out."""

    def __init__(self, port, token, lab=None):
        self.port, self.token, self.lab = port, token, lab
        self.host = f"127.0.0.1:{port}"

    def send(self, method, path, body=None, headers=None, content=None):
        """Return the status, the headers and the JSON (or the bytes) of an answer."""
        sent = {"Host": self.host, "Authorization": f"Bearer {self.token}",
                "Origin": f"http://{self.host}", "Sec-Fetch-Site": "same-origin"}  # fmt: skip
        data = content
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if data is not None and "Content-Length" not in sent:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            raw = answer.read()
        finally:
            connection.close()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, answer.headers, json.loads(raw) if is_json else raw

    def ask(self, method, path, body=None, content=None):
        """Return the answer of a request of the API, which must succeed."""
        status, _, answer = self.send(method, f"/api/1/{path}", body, content=content)
        assert status == 200, answer
        return answer

    def refused(self, method, path, body=None, **more):
        """Return the status and the key of a request of the API that fails."""
        status, _, answer = self.send(method, f"/api/1/{path}", body, **more)
        assert set(answer["error"]["message"]) == {"en", "zh"}
        return status, answer["error"]["key"]

    def workbook(self, example="watermelon2.0", **request):
        """Open an example and return its workbook."""
        table = self.ask("POST", "table/example", {"example": example})
        return self.ask("POST", "workbook", {"table": table["table"], **request})


@contextmanager
def running_lab(lab=None):
    """Serve a lab while a block runs."""
    server = LabServer(lab or Lab())
    is_ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(is_ready.set,))
    thread.start()
    try:
        assert is_ready.wait(60)
        yield LabClient(server.port, server.token, server.lab)
    finally:
        server.stop()
        thread.join(60)
        assert not thread.is_alive()
