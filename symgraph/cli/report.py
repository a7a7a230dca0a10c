"""What a command says and how it ends: exit codes, messages to standard error, reports to standard output."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec

import click

__all__ = ["FAILED", "TOOLCHAIN", "UNSUPPORTED", "USAGE", "exit_codes", "message", "print_json", "progress"]

FAILED, USAGE, UNSUPPORTED, TOOLCHAIN = 1, 2, 3, 4
_DELAY = 1.0  # seconds before anything is shown

P = ParamSpec("P")


def exit_codes(command: Callable[P, None]) -> Callable[P, None]:
    """End a command with the exit code of the error that it raised, and the message on standard error."""

    @functools.wraps(command)
    def run(*arguments: P.args, **options: P.kwargs) -> None:
        from ..errors import SymgraphError

        try:
            command(*arguments, **options)
        except SymgraphError as error:
            message("\n".join([f"error: {error}", *getattr(error, "__notes__", ())]))
            raise SystemExit(_code(error)) from None

    return run


def _code(error: Exception) -> int:
    from ..capture.formula_syntax import FormulaError
    from ..compile import EditedError
    from ..errors import ToolchainError, UnsupportedError

    for kind, code in (
        (ToolchainError, TOOLCHAIN), (UnsupportedError, UNSUPPORTED), (EditedError, FAILED), (FormulaError, USAGE),
    ):  # fmt: skip
        if isinstance(error, kind):
            return code
    return UNSUPPORTED


def message(text: str) -> None:
    """A line for people, on standard error."""
    click.echo(text, err=True)


def print_json(report: Mapping[str, Any]) -> None:
    """A report for programs, on standard output."""
    click.echo(json.dumps(report, indent=1, ensure_ascii=False))


@contextlib.contextmanager
def progress(text: str) -> Iterator[None]:
    """Show what takes time, on a terminal and only when it takes longer than a second."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(text)
    timer = threading.Timer(_DELAY, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
