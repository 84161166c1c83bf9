"""The site, built once a test run however many workers there are."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site; the first worker that asks builds it."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    out, done = shared / "site", shared / "site.txt"
    try:
        (shared / "site.lock").touch(exist_ok=False)
    except FileExistsError:
        while not done.exists():
            time.sleep(0.2)
    else:
        command = [sys.executable, str(ROOT / "docs" / "site" / "build.py"), "--out", str(out)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        part = done.with_suffix(".part")
        part.write_text("" if ended.returncode == 0 else ended.stdout + ended.stderr, "utf-8")
        part.rename(done)
    problems = done.read_text("utf-8")
    assert not problems, problems
    return out
