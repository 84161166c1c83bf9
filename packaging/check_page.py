"""Build the page and the lab from web/ again and compare the committed bundles, byte for byte.

``python packaging/check_page.py`` checks; ``--write`` replaces the bundle. Where Node.js or npm is
not installed, or the registry cannot be reached, one line says that the check was skipped.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PACKAGE = ROOT / "src" / "penjing"
BUNDLES = {
    "page": ("render/html/page.js", "render/html/page.css"),
    "lab": ("webapp/static/lab.js", "webapp/static/lab.css"),
}
MAX_BYTES = 120 * 1024
"""The largest script of a bundle."""


def main() -> int:
    """Run the check and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the committed bundle")
    arguments = parser.parse_args()
    missing = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
    if missing:
        print(f"page: 1 check skipped ({' and '.join(missing)} not installed)")
        return 0
    installed = _run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    if installed.returncode:
        print("page: 1 check skipped (npm ci failed; is the registry reachable?)")
        print(installed.stderr.strip(), file=sys.stderr)
        return 0
    typed = _run("npx", "--no-install", "tsc", "--strict", "--noEmit")
    if typed.returncode:
        print(typed.stdout + typed.stderr, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        target = PACKAGE if arguments.write else Path(folder)
        built = _run("node", "build.mjs", str(target))
        if built.returncode:
            print(built.stderr, file=sys.stderr)
            return 1
        return max(_check(name, files, target) for name, files in BUNDLES.items())


def _check(name: str, files: tuple[str, str], target: Path) -> int:
    """Compare a bundle with what was built, check its size, and return the exit code."""
    differing = [
        file for file in files if (target / file).read_bytes() != (PACKAGE / file).read_bytes()
    ]
    script, style = ((PACKAGE / file).stat().st_size for file in files)
    if differing:
        print(f"{name}: {', '.join(differing)} differ from web/; run `make page`", file=sys.stderr)
    if script > MAX_BYTES:
        print(f"{name}: the script has {script:,} bytes, more than {MAX_BYTES:,}", file=sys.stderr)
    if differing or script > MAX_BYTES:
        return 1
    print(f"{name}: types checked, bundle as built from web/ ({script:,} + {style:,} bytes)")
    return 0


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
