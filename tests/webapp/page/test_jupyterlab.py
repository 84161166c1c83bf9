"""JupyterLab, headless: `tree.lab()` shows the lab, and a step comes back as a new tree.

JupyterLab is in an environment of its own, which `make test-jupyter` and `make test-all` make.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError

import pytest

import penjing

PYTHON = Path(__file__).parents[3] / "build/jupyter/bin/python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON.with_name("jupyter-lab").exists(), reason="run `make test-jupyter`"
    ),
]
RECIPE = "id3"
SHOWN = f"""import penjing
tree = penjing.fit(penjing.example('watermelon2.0'), recipe='{RECIPE}')
widget = tree.lab()
widget"""
ASKED = """print('kept:', tree == before, 'leaves:', widget.tree.n_leaves,
      'same:', widget.tree == tree.replace_split(0, '脐部'))"""
CELLS = [SHOWN, "before = widget.tree", ASKED, "print('undone:', widget.tree == before)"]


@dataclass(frozen=True)
class Jupyter:
    """A JupyterLab that serves the notebook `lab.ipynb`."""

    port: int
    token: str

    def address(self, path: str) -> str:
        """Return an address of the server, with the token."""
        return f"http://127.0.0.1:{self.port}/{path}?token={self.token}"


def write_notebook(path: Path) -> None:
    """Write a notebook with the cells."""
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "outputs": [], "source": source,
         "execution_count": None}
        for i, source in enumerate(CELLS)
    ]  # fmt: skip
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    plain = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(plain), "utf-8")


def wait_for_server(jupyter: Jupyter, server: subprocess.Popen, log: Path) -> None:
    for _ in range(240):
        try:
            urllib.request.urlopen(jupyter.address("api")).close()  # noqa: S310 - on this machine
        except URLError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.5)
        else:
            return
    raise TimeoutError(log.read_text())


@pytest.fixture
def jupyter(tmp_path):
    """Return a JupyterLab that serves one notebook and keeps its files in the test's folder."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    write_notebook(folder / "lab.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        running = Jupyter(free.getsockname()[1], secrets.token_hex(16))
    command = [
        str(PYTHON), "-m", "jupyterlab", "--no-browser", "--allow-root",
        "--ServerApp.ip=127.0.0.1", f"--port={running.port}", "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={running.token}", f"--ServerApp.root_dir={folder}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url=None",
    ]  # fmt: skip
    own = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    env = {
        **os.environ,
        **own,
        "HOME": str(tmp_path),
        "PYTHONPATH": str(Path(penjing.__file__).parent.parent),
    }
    log = tmp_path / "log.txt"
    with log.open("w") as written:
        server = subprocess.Popen(command, env=env, stdout=written, stderr=subprocess.STDOUT)
        try:
            wait_for_server(running, server, log)
            yield running
        finally:
            server.terminate()
            server.wait(60)


def run_cell(page, number):
    """Run a cell, wait until the kernel has run it, and return what it printed."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    prompt = cell.locator(".jp-InputPrompt")
    # JupyterLab ignores keys while it still attaches the editors of a notebook.
    for _ in range(20):
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(500)
        if prompt.inner_text() != "[ ]:":
            break
    # On a slow machine, a cell may have been run more than once by now.
    prompt.get_by_text(re.compile(r"\[\d+\]:")).wait_for()
    return " ".join(cell.locator(".jp-RenderedText").all_inner_texts()).strip()


def test_the_lab_shows_and_a_step_is_a_new_tree(browser, jupyter):
    context = browser.new_context(viewport={"width": 1500, "height": 1000})
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_default_timeout(180_000)
    page.goto(jupyter.address("lab/tree/lab.ipynb"))
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")
    run_cell(page, 0)
    page.wait_for_selector(".penjing.lab .candidates")
    run_cell(page, 1)
    # C and the arrows are keys of JupyterLab as well; in the lab they lead to the candidates.
    page.locator(".penjing [role=treeitem]").first.click()
    page.keyboard.press("c")
    for _ in range(6):
        if "脐部" in page.evaluate("document.activeElement.textContent"):
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".candidate .primary").click()
    page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
    printed = run_cell(page, 2)
    grown = penjing.fit(penjing.example("watermelon2.0"), recipe=RECIPE)
    leaves = grown.replace_split(0, "脐部").n_leaves
    assert printed == f"kept: True leaves: {leaves} same: True"
    # Ctrl+Z is the lab's as well: JupyterLab keeps its cells, the tree goes one step back.
    page.locator(".penjing [role=treeitem]").first.click()
    page.keyboard.press("Control+z")
    page.wait_for_selector(".trail li:nth-child(1) [aria-current=step]")
    assert run_cell(page, 3) == "undone: True"
    assert page.locator(".jp-Notebook .jp-CodeCell").count() == len(CELLS)
    assert faults == []
    context.close()
