"""Chromium without a network: a page that refuses everything but this machine, and notes whatever goes wrong."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Route, sync_playwright

__all__ = ["browser", "watched"]

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "the tests of the view need Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield started
        finally:
            started.close()


def watched(started: Browser, **options: Any) -> tuple[Page, list[str]]:
    """A page, and the list of requests to other machines and errors that grows when something goes wrong."""
    page = started.new_page(viewport={"width": 1440, "height": 900}, **options)
    page.set_default_timeout(60_000)
    wrong: list[str] = []

    def answer(route: Route) -> None:
        address = route.request.url
        if address.startswith("http") and "//127.0.0.1" not in address:
            wrong.append(address)
            route.abort()
        else:
            route.continue_()

    page.route("**/*", answer)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    return page, wrong
