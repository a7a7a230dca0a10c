"""The view in a real JupyterLab, driven by Chromium: shown, clicked, stepped, and shared with Python."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import ConsoleMessage, Page

from tests.explore.browser import browser, watched

ROOT = Path(__file__).parents[2]
CELLS = [
    "import sympy as sp, symgraph as sg\n"
    "x, y, z = sp.symbols('x y z')\n"
    "view = sg.function((x + y) * z, [x, y, z], name='g').explore(x=1.0, y=3.0, z=-3.0)\n"
    "view",
    "print('python sees', view.selected, view.step)",
]


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves a folder, with settings of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(8)
    settings = folder / "config" / "labconfig"
    settings.mkdir(parents=True)
    disabled = {"@jupyterlab/apputils-extension:announcements": True}  # it asks a question
    (settings / "page_config.json").write_text(json.dumps({"disabledExtensions": disabled}), encoding="utf-8")
    folders = {f"JUPYTER_{kind.upper()}_DIR": str(folder / kind) for kind in ("config", "data", "runtime")}
    environment = {**os.environ, **folders, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder / "ipython")}
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            until = time.monotonic() + 120
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token={token}", timeout=5).close()
                    break
                except OSError:
                    assert server.poll() is None and time.monotonic() < until, (
                        folder / "server.log"
                    ).read_text()
                    time.sleep(0.3)
            yield f"http://127.0.0.1:{port}/doc/tree/demo.ipynb?token={token}"
        finally:
            server.terminate()
            server.wait(30)


def command(page: Page, name: str) -> None:
    """Start a command of JupyterLab without waiting for what it promises."""
    page.evaluate("name => { window.jupyterapp.commands.execute(name); }", name)


def complaints(message: ConsoleMessage) -> list[str]:
    """Errors on the console, without JupyterLab's own, which looks for language servers that are not there."""
    if message.type != "error" or "/lsp/status" in message.location["url"]:
        return []
    return [f"{message.text} ({message.location['url']})"]


def test_in_jupyterlab(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "demo.ipynb")
    with jupyterlab(tmp_path) as address, browser() as started:
        page, wrong = watched(started)
        page.on("console", lambda message: wrong.extend(complaints(message)))
        page.set_default_timeout(120_000)
        page.goto(address)
        idle = "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        page.wait_for_function(f"{idle} && document.querySelectorAll('.jp-CodeCell').length > 1")
        command(page, "notebook:run-all-cells")
        page.wait_for_selector(".sg-root .sg-box")
        page.locator(".sg-box[data-key='3']").click()
        panel = page.locator(".sg-info").inner_text()
        assert "value\t4" in panel and "adjoint\t-3" in panel
        assert page.locator(".sg-code .sg-lf").count() >= 1
        page.locator("[data-act=first]").click()
        for _ in range(6):
            page.locator("[data-act=next]").click()
        assert (page.locator(".sg-message").text_content() or "").endswith("adjoint of y = -3")
        page.locator("[data-act=next]").click()
        bars = [page.locator(f".sg-box[data-key='{k}'] .sg-bar").text_content() for k in range(3)]
        assert bars == ["-3", "-3", "4"]
        page.locator("[data-act=previous]").click()
        page.wait_for_function(f"{idle}")
        page.locator(".jp-CodeCell").nth(1).locator(".jp-InputPrompt").click()
        command(page, "notebook:run-cell")
        page.wait_for_function("document.body.innerText.includes('python sees 1 6')")
        page.select_option("[data-choice=mode]", "beside")  # drawn by Python
        page.wait_for_selector(".sg-back")
        assert not wrong
        page.close()
