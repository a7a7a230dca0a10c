"""Bundle adjustment: operations of residual and Jacobian, and nanoseconds per observation."""

from __future__ import annotations

import numpy as np

import symgraph as sg
from benchmarks.measure import Figure, compare, main, require, stopwatch
from tests.models import bundle_adjustment
from tests.models.adbench import difference, read_bundle_adjustment, reference
from tests.models.traced import merge

OPERATIONS = 301  # reverse mode on the shared graph of the same formula, then common subexpressions, counted by SymPy


def residual_and_jacobian() -> sg.Function:
    """Both residuals of one observation with all their derivatives: 3 rows, 2 x 15 + 1 entries."""
    residual, weight = bundle_adjustment.residual(), bundle_adjustment.weight_error()
    return merge([
        residual, sg.jacobian(residual, wrt=bundle_adjustment.WRT), sg.value_and_grad(weight, wrt="w"),
    ], "residual_and_jacobian")


def figures() -> list[Figure]:
    """Counts first; then the kernel over all observations of the smallest ADBench problem, and its own objective."""
    with stopwatch() as derivation:
        block = residual_and_jacobian()
    mapped = sg.compile(sg.vmap(block))
    objective = sg.compile(sg.vmap(merge([bundle_adjustment.residual(), bundle_adjustment.weight_error()])))
    for name in ("jitter_n5_m40_p200", "jitter_test"):
        data, truth = read_bundle_adjustment(name), reference(f"ba_{name}")
        errors, blocks, (weight_errors, _) = mapped(*data.gathered)
        stacked = np.concatenate([blocks[0], blocks[1], blocks[2][..., None]], axis=2)
        count = len(data.weights)
        expected = truth["data"][: 30 * count].reshape(count, 2, 15)
        require(difference(errors, truth["reproj"]) < 1e-8, "reprojection errors")
        require(difference(weight_errors, truth["w_err"]) < 1e-8, "weight errors")
        require(difference(stacked, expected) < 1e-8, "Jacobian blocks")
    data = read_bundle_adjustment("ba1_n49_m7776_p31843")
    arguments = data.gathered
    seconds = compare({"J": lambda: mapped(*arguments), "f": lambda: objective(*arguments)}, rounds=9)
    count = len(data.weights)
    return [
        Figure("bundle adjustment: operations of residual and Jacobian", block.operation_count(), "", OPERATIONS),
        Figure("bundle adjustment: derivation", derivation[0], "s"),
        Figure("bundle adjustment: residual and Jacobian", 1e9 * seconds["J"] / count, "ns/observation",
               note="31,843 observations, new arrays"),
        Figure("bundle adjustment: residual alone", 1e9 * seconds["f"] / count, "ns/observation"),
        Figure("bundle adjustment: Jacobian / residual", seconds["J"] / seconds["f"], "times", 5.0),
    ]


if __name__ == "__main__":
    main(figures, "Bundle adjustment")
