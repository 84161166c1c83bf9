"""The local web server of the lab: the page, the routes as JSON, and a stream of events."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from penjing.data.scratch import format_bytes
from penjing.errors import ChoiceError, PenjingError
from penjing.webapp.failures import NotFoundError, TooLargeError, WrongMethodError, status_of
from penjing.webapp.guard import HEADERS, TOKEN_BYTES, Guard
from penjing.webapp.lab_state import Lab
from penjing.webapp.routes import (
    JSON_BYTES,
    answer,
    encoded,
    failure,
    find_route,
    parsed_body,
)
from penjing.webapp.table_source import UPLOAD_BYTES

ADDRESS = "127.0.0.1"
API = "/api/1/"
N_THREADS = 32
"""So many requests are worked on at once."""
KEEP_ALIVE_SECONDS = 15
"""A stream without events sends a comment this often, so that both ends know it is open."""
MAX_EVENTS = 1_000
"""Events that wait for a slow reader; older ones are dropped."""
_METHODS = ["GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"]
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}


class LabServer:
    """Serves a lab on the loopback interface until it is idle or stopped.

    Parameters
    ----------
    lab : Lab
        The lab.
    port : int
        The port; 0 for any free one.

    Examples
    --------
    >>> server = LabServer(Lab())
    >>> server.address.startswith("http://127.0.0.1:")
    True
    >>> server.close()
    """

    def __init__(self, lab: Lab, port: int = 0) -> None:
        self.lab = lab
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._socket = _listening_socket(port)
        self.port = int(self._socket.getsockname()[1])
        self._guard = Guard(f"{ADDRESS}:{self.port}", self.token)
        self._threads = ThreadPoolExecutor(N_THREADS, thread_name_prefix="lab")
        self._static = static_files()
        self._used = time.monotonic()
        self._n_working = 0
        self._n_answering = 0
        self._lock = threading.Lock()
        logging.getLogger("uvicorn.error").addFilter(_is_no_news_of_stopping)
        self._server = uvicorn.Server(
            uvicorn.Config(
                self._app(),
                http="h11",
                ws="none",
                lifespan="off",
                log_level="error",
                access_log=False,
                server_header=False,
                timeout_keep_alive=75,  # the page uses one connection again and again
                timeout_graceful_shutdown=1,
            )
        )

    @property
    def address(self) -> str:
        """The address with the token in its fragment, which browsers do not send."""
        return f"http://{ADDRESS}:{self.port}/#token={self.token}"

    def run(self, ready: Callable[[], None] | None = None) -> None:
        """Serve until the lab is idle, `stop` is called, or the process is interrupted.

        Parameters
        ----------
        ready : function, optional
            Called when requests are answered.
        """
        try:
            asyncio.run(self._serve(ready))
        finally:
            self.close()

    def stop(self) -> None:
        """Stop serving; may be called from any thread."""
        self._server.should_exit = True
        self.lab.jobs.close()

    def close(self) -> None:
        """Release the port and the threads."""
        self.lab.jobs.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._socket.close()

    @property
    def is_answering(self) -> bool:
        """Whether a thread still works on a request, perhaps after the server has stopped."""
        return self._n_answering > 0

    async def _serve(self, ready: Callable[[], None] | None) -> None:
        watch = asyncio.create_task(self._watch(ready))
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            self.lab.jobs.close()
            watch.cancel()

    async def _watch(self, ready: Callable[[], None] | None) -> None:
        """Say when the server has started; stop it when it is idle."""
        while not self._server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        if ready is not None:
            ready()
        limit = self.lab.idle_seconds
        while limit is not None:
            await asyncio.sleep(min(limit / 4, 10))
            if not self._n_working and time.monotonic() - self._used > limit:
                self.stop()
                return

    # -- requests ------------------------------------------------------------------------------

    def _app(self) -> Starlette:
        return Starlette(
            routes=[
                Route(f"{API}events", self._events, methods=_METHODS),
                Route(f"{API}{{target:path}}", self._api, methods=_METHODS),
                Route("/{name:path}", self._page, methods=_METHODS),
            ],
            exception_handlers={HTTPException: self._no_route},
        )

    async def _no_route(self, request: Request, error: Exception) -> Response:
        """Refuse what leads to no route: other methods, and whole addresses instead of paths."""
        values = {"path": request.scope["path"], "method": request.method}
        try:
            self._guard.check_page(request.scope["headers"])
            if isinstance(error, HTTPException) and error.status_code == 405:
                raise WrongMethodError("lab_wrong_method", **values)
            raise NotFoundError("lab_no_route", path=values["path"])
        except PenjingError as refused:
            return _json(status_of(refused), failure(refused))

    async def _page(self, request: Request) -> Response:
        """Serve a file of the page."""
        try:
            self._guard.check_page(request.scope["headers"])
            path = request.scope["path"]
            if request.method not in ("GET", "HEAD"):
                raise WrongMethodError("lab_wrong_method", path=path, method=request.method)
            file = self._static.get(path)
            if file is None:
                raise NotFoundError("lab_no_route", path=path)
        except PenjingError as error:
            return _json(status_of(error), failure(error))
        return Response(file[1], media_type=file[0], headers=HEADERS)

    async def _api(self, request: Request) -> Response:
        """Answer a request of the API, in a thread."""
        try:
            self._guard.check(request.scope["headers"])
            self._used = time.monotonic()
            target = _target(request)
            route, _, _ = find_route(request.method, target)
            limit = UPLOAD_BYTES if route.takes_file else JSON_BYTES
            raw = await _read_body(request, limit)
            content_type = request.headers.get("content-type", "")
            body = None if route.takes_file else parsed_body(raw, content_type)
        except PenjingError as error:
            return _json(status_of(error), failure(error))
        except ClientDisconnect:
            return Response(status_code=400)
        loop = asyncio.get_running_loop()
        self._n_working += 1
        try:
            return await loop.run_in_executor(self._threads, self._answer, request, body, raw)
        except asyncio.CancelledError:
            if not self._server.should_exit:
                raise
            return _json(409, failure(ChoiceError("lab_cancelled")))
        except RuntimeError:  # the server is being stopped
            return _json(409, failure(ChoiceError("lab_cancelled")))
        finally:
            self._n_working -= 1
            self._used = time.monotonic()

    def _answer(self, request: Request, body: object, raw: bytes) -> Response:
        with self._lock:
            self._n_answering += 1
        try:
            status, plain = answer(self.lab, request.method, _target(request), body, raw)
            return _json(status, plain)
        finally:
            with self._lock:
                self._n_answering -= 1

    async def _events(self, request: Request) -> Response:
        """Stream the progress of all jobs."""
        try:
            self._guard.check(request.scope["headers"])
            if request.method != "GET":
                raise WrongMethodError("lab_wrong_method", path="events", method=request.method)
        except PenjingError as error:
            return _json(status_of(error), failure(error))
        return StreamingResponse(
            self._event_lines(), media_type="text/event-stream", headers=HEADERS
        )

    async def _event_lines(self) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[dict[str, Any]] = asyncio.Queue(MAX_EVENTS)

        def put(event: dict[str, Any]) -> None:
            if events.full():
                events.get_nowait()
            events.put_nowait(event)

        def listen(event: dict[str, Any]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(put, event)

        with self.lab.jobs.listening(listen):
            yield b": open\n\n"
            while not self._server.should_exit:
                try:
                    event = await asyncio.wait_for(events.get(), KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield b": open\n\n"
                else:
                    yield b"data: " + json.dumps(event).encode() + b"\n\n"


def _is_no_news_of_stopping(record: logging.LogRecord) -> bool:
    """Return False for the line that requests were cancelled, which whoever stops a lab expects."""
    return "timeout graceful shutdown exceeded" not in record.getMessage()


def _listening_socket(port: int) -> socket.socket:
    # With the protocol, asyncio switches off delays before small packets, 40 ms each.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":
        # Connections of a lab that has just ended keep its port for a minute; two labs at once do
        # not get the same one all the same, but they would on Windows.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ChoiceError("lab_port", port=port, reason=reason) from None
    return listening


def static_files() -> dict[str, tuple[str, bytes]]:
    """Return the files of the page by their paths: their types and contents."""
    found: dict[str, tuple[str, bytes]] = {}
    folder = files("penjing.webapp") / "static"
    for file in folder.iterdir() if folder.is_dir() else ():
        ending = "." + file.name.rpartition(".")[2]
        if file.is_file() and ending in _TYPES:
            found[f"/{file.name}"] = (_TYPES[ending], file.read_bytes())
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    return found


def _target(request: Request) -> str:
    """Return the path below the API as it was sent, with its parameters."""
    path: bytes = request.scope["raw_path"]
    query: bytes = request.scope["query_string"]
    target = path.partition(b"?")[0].decode("latin-1").removeprefix(API)
    return target + ("?" + query.decode("latin-1") if query else "")


async def _read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request; one that is too large is refused before it is read."""
    too_large = TooLargeError("lab_body_too_large", limit=format_bytes(limit))
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise too_large
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise too_large
        pieces.append(piece)
    return b"".join(pieces)


def _json(status: int, plain: object) -> Response:
    headers = dict(HEADERS) | ({"WWW-Authenticate": "Bearer"} if status == 401 else {})
    return Response(encoded(plain), status, media_type="application/json", headers=headers)
