"""``symgraph explain``: what will be computed, what is shared, and the loops that do it."""

from __future__ import annotations

import click

from .codegen import default_kinds
from .derivatives import derivative_options, split_list
from .report import exit_codes, progress
from .source import load_source, source_options

__all__ = ["explain"]


@click.command()
@source_options
@derivative_options
@exit_codes
def explain(
    source: str | None, formulas: tuple[str, ...], inputs: tuple[str, ...], wrt: str | None, derive: str | None
) -> None:
    """Print operation counts, sharing, sweeps over the data and buffers of a model and its derivatives."""
    from ..verify import derived_functions

    loaded = load_source(source, formulas, inputs)
    kinds = split_list(derive) or default_kinds(loaded.function)
    with progress("deriving and planning ..."):
        functions = derived_functions(loaded.function, kinds, split_list(wrt) or None)
        texts = [function.explain() for function in functions.values()]
    click.echo("\n\n".join(texts))
