"""How hypothesis runs: the same examples every time; more of them where slow tests are wanted."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick",
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1000)


def pytest_configure(config: pytest.Config) -> None:
    """Take few examples when slow tests are left out (`make test`), many otherwise."""
    wants_slow = config.getoption("markexpr").strip() != "not slow"
    settings.load_profile("thorough" if wants_slow else "quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the golden files anew."""
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/*/golden")
