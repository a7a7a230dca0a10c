"""The command line: formulas and models to packages, and a look at what is inside.

Commands import SymPy and the rest where they run, so that ``--help`` answers at once.
"""

from __future__ import annotations

import click

from .cache import cache
from .codegen import codegen
from .doctor import doctor
from .explain import explain
from .show import show
from .verify import verify

__all__ = ["main"]

_EPILOG = """SOURCE is one of: model.py:name or package.module:name (the only forms that run code), -e FORMULA, a text
file with formulas, a saved graph (.json), or - for formulas on standard input. Exit codes: 0 fine, 1 verification
failed or files stale, 2 usage, 3 model not supported, 4 toolchain missing."""


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="symgraph", prog_name="symgraph")
def main() -> None:
    """Compiled values and derivatives of mathematical models."""


for command in (codegen, verify, show, explain, cache, doctor):
    main.add_command(command)
