"""Requests that fail for another reason than their values: unknown names, conflicts, limits."""

from __future__ import annotations

from penjing.errors import ChoiceError, PenjingError


class NotFoundError(ChoiceError):
    """There is no such table, workbook, tree, node or exercise."""


class ConflictError(ChoiceError):
    """The request contradicts what was done before."""


class TooLargeError(ChoiceError):
    """The body of a request is larger than allowed."""


class RefusedError(PenjingError):
    """The request does not come from the page that this server serves."""


class NoTokenError(RefusedError):
    """The request has no token, or another one."""


class WrongMethodError(RefusedError):
    """A route exists, but not with this method."""


class WrongContentError(RefusedError):
    """The body of a request has another type than the route takes."""


class CancelledError(PenjingError):
    """The request was cancelled."""


def status_of(error: PenjingError) -> int:
    """Return the HTTP status of an error.

    Examples
    --------
    >>> status_of(NotFoundError("lab_no_table", id="x")), status_of(CancelledError("lab_cancelled"))
    (404, 409)
    """
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return status
    return 400


_STATUS = (
    (NotFoundError, 404),
    (ConflictError, 409),
    (CancelledError, 409),
    (TooLargeError, 413),
    (NoTokenError, 401),
    (WrongMethodError, 405),
    (WrongContentError, 415),
    (RefusedError, 403),
)
