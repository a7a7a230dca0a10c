"""What all tests share: kernels are cached inside the project, and generated examples are the same in every run."""

from __future__ import annotations

import os

import hypothesis
import pytest

from tests.browsers import HAS_BROWSER, IN_BROWSER


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled kernels away from the user's own cache; workers inherit the environment of the main process."""
    if not hasattr(config, "workerinput"):
        cache = config.rootpath / ".pytest_cache" / "kernels"
        cache.mkdir(parents=True, exist_ok=True)
        os.environ["SYMGRAPH_CACHE_DIR"] = str(cache)


hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=False)
hypothesis.settings.load_profile("repeatable")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that were left out because the machine has no browser."""
    if not HAS_BROWSER:
        left_out = ", ".join(name for name in IN_BROWSER if name.startswith("test_"))
        terminalreporter.write_line(f"no Chromium was found: {left_out} did not run (apt-get install chromium)")
