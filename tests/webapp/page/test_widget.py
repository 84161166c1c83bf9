"""The bundle in a notebook: its widget talks to Python by messages, and a step is a new tree.

The messages go through the Python widget itself; in place of Jupyter's connection there is a
function that the browser calls.
"""

from __future__ import annotations

import json

import pytest

import penjing
from penjing.webapp.server import static_files

pytest.importorskip("anywidget")

PAGE = """<!doctype html><html lang="en"><head><title>notebook</title></head><body>
<div id="cell"></div></body></html>"""
SCRIPT = """async (source) => {
    const heard = [];
    window.deliver = (message) => heard.forEach((run) => run(message));
    const model = {
        get: () => "en",
        on: (name, run) => { if (name === "msg:custom") heard.push(run); },
        off: (name, run) => heard.splice(heard.indexOf(run), 1),
        send: (content) => window.toPython(JSON.stringify(content)),
    };
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const module = await import(url);
    window.stop = module.default.render({ model, el: document.getElementById("cell") });
}"""


def test_a_step_in_the_widget_is_a_new_tree_in_python(browser, monkeypatch):
    tree = penjing.fit(penjing.example("watermelon2.0"), recipe="id3")
    widget = tree.lab()
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    noise = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    replies = []
    monkeypatch.setattr(type(widget), "send", lambda _, content, *__: replies.append(content))
    monkeypatch.setattr(widget._threads, "submit", lambda run, *given: run(*given))

    def to_python(text):
        widget._receive(widget, json.loads(text), [])
        sent, replies[:] = list(replies), []
        return sent

    page.expose_function("askPython", to_python)
    page.set_content(PAGE)
    page.evaluate("""() => { window.toPython = async (text) => {
        for (const message of await window.askPython(text)) window.deliver(message);
    }; }""")
    page.evaluate(SCRIPT, static_files()["/lab.js"][1].decode())
    page.wait_for_selector(".candidates")
    assert page.locator("#cell .penjing.lab").count() == 1
    before = widget.current
    page.locator(".candidates > li > button", has_text="脐部").click()
    page.locator(".candidate .primary").click()
    page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
    assert widget.current != before
    assert widget.tree == tree.replace_split(0, "脐部")
    page.locator(".trail > button").first.click()
    page.wait_for_selector(".trail li:nth-child(1) [aria-current=step]")
    assert widget.tree == tree
    # The widget leaves nothing behind.
    page.evaluate("() => window.stop()")
    assert page.locator("#cell .candidates").count() == 0
    assert noise == []
    context.close()
    widget.close()
