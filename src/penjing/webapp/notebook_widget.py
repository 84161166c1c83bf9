"""The widget that shows the lab in a notebook; its messages are the requests of the page."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from penjing.api.tree import Tree
from penjing.errors import PenjingError
from penjing.webapp.failures import NotFoundError, status_of
from penjing.webapp.lab_state import Lab
from penjing.webapp.routes import answer, encoded, failure, find_route

N_THREADS = 4
"""So many requests of one widget are worked on at once."""


def _static(name: str) -> str:
    file = files("penjing.webapp") / "static" / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""


class LabWidget(anywidget.AnyWidget):
    """The lab in a notebook.

    Parameters
    ----------
    lab : Lab
        The lab, with a workbook that is shown first.
    """

    _esm = _static("lab.js")
    _css = _static("lab.css")
    current = traitlets.Unicode("").tag(sync=True)
    """The identifier of the tree that is shown."""
    lang = traitlets.Unicode("en").tag(sync=True)
    """The language of the page."""

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self._lab = lab
        self._threads = ThreadPoolExecutor(N_THREADS, thread_name_prefix="lab-widget")
        self.lang = lab.start.lang or "en"
        self._listening = lab.jobs.listening(lambda event: self.send({"event": event}))
        self._listening.__enter__()
        self.on_msg(self._receive)
        self._update()

    @property
    def workbook(self) -> str:
        """The identifier of the workbook that is shown first."""
        return str(self._lab.start.workbook)

    @property
    def tree(self) -> Tree:
        """The tree that the page shows; every step makes a new one."""
        workbook = self._lab.workbook(self.workbook).workbook
        return workbook.tree(workbook.current)

    def ask(self, method: str, path: str, body: object = None, content: bytes = b"") -> Any:  # noqa: ANN401 - JSON
        """Answer a request as the page gets it; see README.md of `penjing.webapp`.

        Parameters
        ----------
        method : str
            ``GET``, ``POST`` or ``DELETE``.
        path : str
            The route with its parameters, such as ``workbook/…/step``.
        body : object
            The JSON body.
        content : bytes
            The file, for the route that takes one.

        Returns
        -------
        dict
            The answer; for a request that fails, ``{"error": …}``.
        """
        return self._answer(method, path, body, content)[1]

    def close(self) -> None:
        """Close the widget, and cancel what it works on."""
        self._lab.jobs.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        super().close()

    def _answer(
        self, method: str, path: str, body: object, content: bytes
    ) -> tuple[int, dict[str, Any]]:
        try:
            route, _, _ = find_route(method, path)
        except PenjingError as error:
            return status_of(error), failure(error)
        status, plain = answer(self._lab, method, path, None if route.takes_file else body, content)
        self._update()
        return status, json.loads(encoded(plain))

    def _update(self) -> None:
        with suppress(NotFoundError):  # its workbook was closed; other requests are answered
            self.current = self._lab.workbook(self.workbook).workbook.current

    def _receive(self, _: object, message: Any, buffers: list[Any]) -> None:  # noqa: ANN401 - JSON
        """Answer a message of the page, in a thread."""
        if isinstance(message, dict) and "ask" in message:
            self._threads.submit(self._reply, message, [bytes(buffer) for buffer in buffers or ()])

    def _reply(self, message: dict[str, Any], buffers: list[bytes]) -> None:
        method, path = str(message.get("method")), str(message.get("path"))
        content = buffers[0] if buffers else b""
        status, plain = self._answer(method, path, message.get("body"), content)
        self.send({"ask": message["ask"], "status": status, "answer": plain})
