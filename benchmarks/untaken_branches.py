"""What a lane in a branch that is not taken costs its neighbours: functions of arrays whose elements are good, bad in
one lane of eight, or bad in every lane, where bad is what sends the library's function through its slow path.
"""

from __future__ import annotations

import numpy as np
import sympy as sp

import symgraph as sg
from benchmarks.measure import Figure, compare, main, require

COUNT = 4096
AIM = 1.2  # times of harmless elements
x, y = sp.symbols("x y", real=True)
ROOT = sp.Rational(7, 10)
MODELS = {  # the expression of the branch that y > 0 takes, and an operand that is bad for it
    "log": (sp.log(x), -1.0), "exp": (sp.exp(x), 800.0), "sin": (sp.sin(x), 1e300), "power": (x**ROOT, -1.0),
}  # fmt: skip


def figures() -> list[Figure]:
    """Ratios of medians: bad elements to harmless ones, for values and for one value with its gradient."""
    found = []
    mixed = sp.Piecewise((x**ROOT * sp.log(x) + sp.exp(-x), y > 0), (x * y, True))
    found += _measured("value and gradient", sg.value_and_grad(sg.function(mixed, inputs=[x, y])), -1.0)
    for name, (branch, bad) in MODELS.items():
        found += _measured(name, sg.function(sp.Piecewise((branch, y > 0), (x, True)), inputs=[x, y]), bad)
    return found


def _measured(name: str, function: sg.Function, bad: float) -> list[Figure]:
    kernel = sg.compile(function)
    names: dict[str, object] = {"kernel": kernel}
    for share, step in (("good", 0), ("one", 8), ("all", 1)):
        values, side = np.full(COUNT, 0.7), np.ones(COUNT)
        if step:
            values[::step], side[::step] = bad, -1.0
        names[f"x_{share}"], names[f"y_{share}"] = values, side
        result, truth = kernel(values, side), function(values, side)
        first, expected = (r[0] if isinstance(r, tuple) else r for r in (result, truth))
        require(np.allclose(first, expected, rtol=1e-13), f"{name}, {share}")
    seconds = compare({share: (f"kernel(x_{share}, y_{share})", names) for share in ("good", "one", "all")})
    note = "ratio of medians, interleaved"
    return [
        Figure(f"{name}, harmless elements", 1e9 * seconds["good"] / COUNT, "ns"),
        Figure(f"{name}, one lane of eight not taken / harmless", seconds["one"] / seconds["good"], "times", AIM, note),
        Figure(f"{name}, no lane taken / harmless", seconds["all"] / seconds["good"], "times", AIM, note),
    ]


if __name__ == "__main__":
    main(figures, "Branches that are not taken")
