"""How hypothesis runs: the same examples every time, more with slow tests; and a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick",
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=200)


def pytest_configure(config: pytest.Config) -> None:
    """Take few examples when slow tests are left out (`make test`), many otherwise."""
    wants_slow = config.getoption("markexpr").strip() != "not slow"
    settings.load_profile("thorough" if wants_slow else "quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the golden files anew."""
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/*/golden")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return Debian's Chromium: one for all tests, since a process can start Playwright once."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as play:
        flags = ["--no-sandbox", "--disable-gpu"] if os.geteuid() == 0 else ["--disable-gpu"]
        opened = play.chromium.launch(executable_path=chromium, args=flags, timeout=120_000)
        yield opened
        opened.close()
