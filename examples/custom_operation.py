"""A user's own operation: the normal distribution function, with its derivative, in the price of a call option."""

from __future__ import annotations

import numpy as np
import sympy as sp
from scipy.special import ndtr

import symgraph as sg

normal_cdf = sp.Function("normal_cdf")

# The value is a function of SciPy, which keeps all digits far out in the tail; compiled code calls it by the name that
# cython_special has for it. The partial is a formula in SymPy, so derivatives of every order follow.
sg.register(
    normal_cdf,
    value=ndtr,
    partials=[lambda x: sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)],
    c="scipy:ndtr",
)


def main() -> None:
    """Price and greeks of many options in one call, checked against the formulas for delta and vega."""
    S, K, T, r, v = sp.symbols("S K T r v", positive=True)
    d1 = (sp.log(S / K) + (r + v**2 / 2) * T) / (v * sp.sqrt(T))
    price = S * normal_cdf(d1) - K * sp.exp(-r * T) * normal_cdf(d1 - v * sp.sqrt(T))
    kernel = sg.compile(sg.value_and_grad(sg.function(price, inputs=[S, K, T, r, v], name="call"), wrt=["S", "v"]))

    spot = np.linspace(60.0, 140.0, 9)
    prices, (delta, vega) = kernel(spot, 100.0, 0.5, 0.02, 0.3)
    print("spot   price      delta     vega")
    for row in zip(spot, prices, delta, vega, strict=True):
        print("{:5.0f}  {:9.5f}  {:.6f}  {:9.5f}".format(*row))

    root = 0.3 * np.sqrt(0.5)
    first = (np.log(spot / 100.0) + (0.02 + 0.3**2 / 2) * 0.5) / root
    assert np.allclose(delta, ndtr(first), rtol=1e-12)
    assert np.allclose(vega, spot * np.exp(-(first**2) / 2) / np.sqrt(2 * np.pi) * np.sqrt(0.5), rtol=1e-10)


if __name__ == "__main__":
    main()
