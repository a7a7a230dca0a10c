"""``symgraph cache``: where compiled kernels are, how many, and away with them."""

from __future__ import annotations

import click

from .report import exit_codes, print_json

__all__ = ["cache"]


@click.group()
def cache() -> None:
    """The cache of compiled kernels."""


@cache.command("dir")
@exit_codes
def directory() -> None:
    """Print the folder."""
    from ..compile import cache_folder

    click.echo(cache_folder())


@cache.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@exit_codes
def info(as_json: bool) -> None:
    """Print how many kernels there are, and their size."""
    from ..compile import cache_folder, cache_summary

    count, size = cache_summary()
    if as_json:
        print_json({"folder": str(cache_folder()), "kernels": count, "bytes": size})
    else:
        click.echo(f"{cache_folder()}: {count} kernel{'s' * (count != 1)}, {size / 1e6:.1f} MB")


@cache.command()
@exit_codes
def clear() -> None:
    """Remove every kernel; loaded ones go on working."""
    from ..compile import clear_cache

    count = clear_cache()
    click.echo(f"{count} kernel{'s' * (count != 1)} removed")
