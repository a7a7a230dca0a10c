"""Published formulas with reference results: a reader of the JSON items in ``tests/data``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

import symgraph as sg

__all__ = ["DATA", "Item", "Point", "load"]

DATA = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True)
class Point:
    """Reference results of every output at one point.

    Attributes
    ----------
    at:
        One number per input.
    out:
        Output name to ``{"d0": value, "d1": [partials], "d2": [second partials]}``; ``dk`` in the order of
        ``itertools.combinations_with_replacement``.
    double:
        Relative error per order that the formula's own conditioning costs in IEEE double.
    label:
        What is particular about the point.
    """

    at: tuple[float, ...]
    out: dict[str, dict[str, Any]]
    double: tuple[float, ...]
    label: str = ""


@dataclass(frozen=True)
class Item:
    """One published model: inputs in order, formulas as text, points with results.

    ``defs`` are abbreviations, in order: a later one and the outputs may use those before.
    """

    name: str
    inputs: tuple[str, ...]
    assume: dict[str, str]
    outputs: dict[str, str]
    points: tuple[Point, ...]
    info: dict[str, Any]
    defs: tuple[tuple[str, str], ...] = ()

    def symbols(self) -> dict[str, sp.Symbol]:
        """Input name to Symbol, with the item's assumptions."""
        return {n: sp.Symbol(n, **{self.assume.get(n, "real"): True}) for n in self.inputs}

    def formula(self, output: str, symbols: dict[str, Any]) -> sp.Expr:
        """An output as a SymPy expression. Inputs may be called ``I``, ``beta`` or ``gamma``: they are not SymPy's."""
        names = dict(symbols)
        for name, text in self.defs:
            names[name] = sp.parse_expr(text, local_dict=names)
        return sp.parse_expr(self.outputs[output], local_dict=names)

    def function(self, output: str = "") -> sg.Function:
        """An output (the first where none is named) as a Function of the inputs, in order."""
        output = output or next(iter(self.outputs))
        symbols = self.symbols()
        return sg.function(self.formula(output, symbols), inputs=list(symbols.values()), name=output)


def load(folder: str) -> dict[str, Item]:
    """Every item of one folder of ``tests/data``, by name."""
    items: dict[str, Item] = {}
    for path in sorted((DATA / folder).glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for entry in content.get("items", [content]):
            points = tuple(
                Point(tuple(p["at"]), p["out"], tuple(p["double"]), p.get("label") or "") for p in entry["points"]
            )
            items[entry["name"]] = Item(
                entry["name"], tuple(entry["inputs"]), entry.get("assume", {}), entry["outputs"], points,
                entry["info"], tuple(map(tuple, entry.get("defs", ()))),
            )  # fmt: skip
    return items
