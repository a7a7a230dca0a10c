"""NIST StRD: certified digits of every problem from both starts, generated Jacobian beside one by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import symgraph as sg
from benchmarks.measure import Figure, main
from tests.models import nist
from tests.models.corpora import load

DIGITS = 6.0


def figures() -> list[Figure]:
    """Print the table; report how many runs certify, and how many only by hand (aim: none)."""
    table = Table(title="Certified digits of the worst parameter (evaluations)", title_justify="left")
    for heading in ("problem", "level", "start 1", "by hand", "start 2", "by hand"):
        table.add_column(heading, justify="left" if heading in ("problem", "level") else "right")
    reached = missed = 0
    for name, item in load("nist").items():
        generated, by_hand = _curve(sg.compile(nist.with_gradient(item))), nist.by_hand(item)
        cells = [name, item.info["level"]]
        for start in (1, 2):
            fits = [nist.fit(item, curve, start) for curve in (generated, by_hand)]
            cells += [f"{f.digits:.1f} ({f.evaluations})" for f in fits]
            reached += fits[0].digits >= DIGITS
            missed += fits[1].digits >= DIGITS > fits[0].digits
        table.add_row(*cells)
    Console().print(table)
    return [
        Figure("NIST StRD: runs with 6 certified digits", reached, "of 36"),
        Figure("NIST StRD: runs that only the Jacobian by hand certifies", missed, "runs", 0),
    ]


def _curve(kernel: Any) -> nist.Curve:
    def curve(values: Any, x: Any) -> Any:
        value, partials = kernel(*values, x)
        return value, np.stack(partials, axis=1)

    return curve


if __name__ == "__main__":
    main(figures, "NIST StRD nonlinear regression")
