"""What `Tree.lab` returns: the widget of the lab, as far as Python uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from penjing.api.tree import Tree


class LabView(Protocol):
    """The lab in a notebook; its class is in the package of the lab, which is above this one."""

    @property
    def tree(self) -> Tree:
        """The tree that the page shows; every step makes a new one."""

    @property
    def workbook(self) -> str:
        """The identifier of the workbook that is shown first."""

    def ask(self, method: str, path: str, body: object = None, content: bytes = b"") -> Any:  # noqa: ANN401 - JSON
        """Answer a request as the page gets it."""
