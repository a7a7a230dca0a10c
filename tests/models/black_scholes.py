"""The price of a European call option (F. Black and M. Scholes, J. Polit. Econ. 81 (1973) 637, equation 13)."""

from __future__ import annotations

import sympy as sp

import symgraph as sg

__all__ = ["black_scholes"]


def black_scholes() -> sg.Function:
    """A function of spot, strike, maturity, rate and volatility."""
    spot, strike, maturity, rate, volatility = sp.symbols("spot strike maturity rate volatility", positive=True)
    spread = volatility * sp.sqrt(maturity)
    first = (sp.log(spot / strike) + (rate + volatility**2 / 2) * maturity) / spread

    def normal(x: sp.Expr) -> sp.Expr:
        return (1 + sp.erf(x / sp.sqrt(2))) / 2

    price = spot * normal(first) - strike * sp.exp(-rate * maturity) * normal(first - spread)
    return sg.function(price, inputs=[spot, strike, maturity, rate, volatility], name="price")
