"""Options that choose derivatives, shared by several commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["KINDS", "derivative_options", "split_list"]

KINDS = ("value", "grad", "value_and_grad", "jac", "hess", "jvp", "vjp", "hvp")


def split_list(text: str | None) -> list[str]:
    """The parts of ``a,b``; nothing for None."""
    return [part.strip() for part in text.split(",") if part.strip()] if text else []


def _kinds(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    from difflib import get_close_matches

    for kind in split_list(text):
        if kind not in KINDS:
            close = get_close_matches(kind, KINDS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(KINDS)}"
            raise click.BadParameter(f"{kind!r} is no derivative; {hint}", context, parameter)
    return text


def derivative_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``-w`` and ``-d``."""
    for decorate in (
        click.option("-d", "--derive", metavar="KINDS", callback=_kinds,
                     help=f"What to compute, with commas: {', '.join(KINDS)}. Default: value, grad (jac for arrays)."),
        click.option("-w", "--wrt", metavar="NAMES",
                     help="Inputs to differentiate by, with commas; default: all floating."),
    ):  # fmt: skip
        command = decorate(command)
    return command
