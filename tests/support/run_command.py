"""Run the command in its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HEARS_SIGNALS = pytest.mark.skipif(
    sys.platform == "win32" or signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    reason="signals are another matter there, or ignored in the background",
)
CODE = "import sys; from penjing.cli import main; sys.exit(main())"


def spawn(
    folder: Path, *args: str, data: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a folder, without the surroundings' language and colour."""
    plain = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LANG", "NO_COLOR")}
    return subprocess.run(
        [sys.executable, "-c", CODE, *args],
        cwd=folder,
        env={**plain, "PYTHONUTF8": "1", **environment},
        input=data,
        capture_output=True,
        check=False,
    )
