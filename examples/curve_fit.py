"""Fit y = b1*(1 - exp(-b2*x)) to data with scipy.optimize.least_squares and a generated Jacobian.

The data and the certified result are problem Misra1a of NIST's Statistical Reference Datasets: volumes of dental
adsorption against pressure (D. Misra, 1978; public domain).
"""

from __future__ import annotations

import numpy as np
import sympy as sp
from scipy.optimize import least_squares

import symgraph as sg

VOLUME = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78]
PRESSURE = [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0]
CERTIFIED = (2.3894212918e02, 5.5015643181e-04)


def main() -> None:
    """Start from NIST's first, distant start, and compare with the certified parameters."""
    b1, b2, x, y = sp.symbols("b1 b2 x y")
    residual = sg.function(b1 * (1 - sp.exp(-b2 * x)) - y, inputs=[b1, b2, x, y], name="residual")
    # functions of scalars are ufuncs: one call evaluates all points; value and Jacobian come from the same kernel
    kernel = sg.compile(sg.value_and_grad(residual, wrt=["b1", "b2"]))
    pressure, volume = np.array(PRESSURE), np.array(VOLUME)

    def value(parameters: np.ndarray) -> np.ndarray:
        return kernel(*parameters, pressure, volume)[0]

    def jacobian(parameters: np.ndarray) -> np.ndarray:
        return np.stack(kernel(*parameters, pressure, volume)[1], axis=-1)

    result = least_squares(
        value, [500.0, 1e-4], jac=jacobian, method="lm", x_scale=[100, 1e-4], xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    for name, found, certified in zip(("b1", "b2"), result.x, CERTIFIED, strict=True):
        digits = -np.log10(abs(found - certified) / certified)
        print(f"{name}: {found:.10e}, certified {certified:.10e}: {digits:.1f} digits agree")
        assert digits > 8
    print(f"evaluations: {result.nfev} of the residual, {result.njev} of the Jacobian")


if __name__ == "__main__":
    main()
