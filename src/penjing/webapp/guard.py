"""Which requests are answered: those of the page that this server serves, with its token."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from penjing.webapp.failures import NoTokenError, RefusedError

TOKEN_BYTES = 32
"""256 bits."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""

RawHeaders = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Guard:
    """Checks the headers of requests.

    Parameters
    ----------
    host : str
        The address and port that the server listens on.
    token : str
        The secret that every request of the API needs.

    Examples
    --------
    >>> guard = Guard("127.0.0.1:8000", "secret")
    >>> guard.check([(b"host", b"127.0.0.1:8000"), (b"authorization", b"Bearer secret")])
    >>> guard.check([(b"host", b"evil.example:8000"), (b"authorization", b"Bearer secret")])
    Traceback (most recent call last):
    penjing.webapp.failures.RefusedError: the request is addressed to another host than the lab's
    own address.
    """

    host: str
    token: str

    def check(self, headers: RawHeaders) -> None:
        """Raise an error unless a request of the API comes from our page and has the token."""
        self.check_page(headers, sites=(b"same-origin",))
        tokens = _values(headers, b"authorization")
        scheme, _, given = (tokens[0] if len(tokens) == 1 else b"").partition(b" ")
        is_ours = hmac.compare_digest(given.strip(), self.token.encode())
        if scheme.lower() != b"bearer" or not is_ours:
            raise NoTokenError("lab_no_token")

    def check_page(
        self, headers: RawHeaders, sites: Sequence[bytes] = (b"same-origin", b"none")
    ) -> None:
        """Raise an error unless a request is addressed to us and does not come from another page.

        Parameters
        ----------
        headers : sequence of pairs
            The headers, names in lower case.
        sites : sequence of bytes
            The allowed values of Sec-Fetch-Site; ``none`` is a user who opens the address.
        """
        if _values(headers, b"host") != [self.host.encode()]:
            raise RefusedError("lab_refused_host")
        origins = _values(headers, b"origin")
        if origins not in ([], [f"http://{self.host}".encode()]):
            raise RefusedError("lab_refused_origin")
        fetch_sites = _values(headers, b"sec-fetch-site")
        if len(fetch_sites) > 1 or not set(fetch_sites) <= set(sites):
            raise RefusedError("lab_refused_origin")


def _values(headers: RawHeaders, name: bytes) -> list[bytes]:
    return [value for key, value in headers if key.lower() == name]
