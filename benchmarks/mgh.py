"""Moré-Garbow-Hillstrom: the minima that BFGS reaches with the generated gradient, beside a gradient by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import symgraph as sg
from benchmarks.measure import Figure, main
from tests.models import mgh
from tests.models.corpora import Item, load


def figures() -> list[Figure]:
    """Print the table; report how many runs end at a published minimum, and how many only by hand (aim: none)."""
    console = Console()
    table = Table(title="f where BFGS ends (evaluations)", title_justify="left")
    for heading in ("problem", "published", "generated", "by hand"):
        table.add_column(heading, justify="left" if heading == "problem" else "right")
    items = load("mgh")
    ends = only = 0
    for name, item in items.items():
        runs = [mgh.descend(item, function) for function in (_generated(item), mgh.by_hand(item))]
        arrived = [mgh.reached(item, run) for run in runs]
        ends += arrived[0]
        only += arrived[1] > arrived[0]
        published = ", ".join(f"{m['f']:.6g}" for m in item.info["minima"])
        cells = [
            f"{run.value:.6g}{'' if there else ' (not reached)'} ({run.evaluations})"
            for run, there in zip(runs, arrived, strict=True)
        ]
        table.add_row(name, published, *cells)
    console.print(table)
    return [
        Figure("Moré-Garbow-Hillstrom: runs that reach a published minimum", ends, f"of {len(items)}"),
        Figure("Moré-Garbow-Hillstrom: minima reached only with the gradient by hand", only, "runs", 0),
    ]


def _generated(item: Item) -> mgh.Objective:
    function, arrays = sg.value_and_grad(mgh.objective(item), wrt="x"), mgh.data(item)

    def value_and_gradient(x: Any) -> Any:
        value, gradient = function(x, *arrays)
        return float(value), np.asarray(gradient)

    return value_and_gradient


if __name__ == "__main__":
    main(figures, "Moré-Garbow-Hillstrom test functions")
