"""ADBench's Gaussian mixture: log likelihood plus a Wishart prior, in index notation with symbolic sizes.

Mixture k has weight softmax(alpha)_k, mean mu_k, and inverse covariance Q'Q with Q lower triangular: the diagonal is
exp of the first D entries of row k of ``icf``, the strict lower triangle is packed by columns behind them.
"""

from __future__ import annotations

import sympy as sp

import symgraph as sg

__all__ = ["WRT", "objective"]

WRT = ("alpha", "mu", "icf")


def objective(prior_sign: int = 1) -> sg.Function:
    """The objective as a Function of alpha (K), mu (K, D), icf (K, D(D+1)/2), x (N, D), gamma and an integer m.

    Parameters
    ----------
    prior_sign:
        1 as ADBench has it; -1 makes the objective a log posterior (as GradBench has it).

    Examples
    --------
    >>> objective().inputs
    ('alpha', 'mu', 'icf', 'x', 'gamma', 'm')
    """
    i, k, a, b, j = sp.symbols("i k a b j", integer=True)
    n_points, n_mixtures, dim = sp.symbols("N K D", integer=True, positive=True)
    alpha = sp.IndexedBase("alpha", shape=(n_mixtures,), real=True)
    mu = sp.IndexedBase("mu", shape=(n_mixtures, dim), real=True)
    icf = sp.IndexedBase("icf", shape=(n_mixtures, dim * (dim + 1) / 2), real=True)
    x = sp.IndexedBase("x", shape=(n_points, dim), real=True)
    gamma, m = sp.Symbol("gamma", positive=True), sp.Symbol("m", integer=True, nonnegative=True)

    packed = dim + b * (dim - 1) - b * (b - 1) / 2 + (a - b - 1)  # of the entry (a, b), b < a
    below = sp.Sum(icf[k, packed] * (x[i, b] - mu[k, b]), (b, 0, a - 1))
    whitened = sp.exp(icf[k, a]) * (x[i, a] - mu[k, a]) + below
    log_determinant = sp.Sum(icf[k, a], (a, 0, dim - 1))
    log_density = alpha[k] + log_determinant - sp.Sum(whitened**2, (a, 0, dim - 1)) / 2
    likelihood = (
        -n_points * dim * sp.log(2 * sp.pi) / 2
        + sp.Sum(sp.log(sp.Sum(sp.exp(log_density), (k, 0, n_mixtures - 1))), (i, 0, n_points - 1))
        - n_points * sp.log(sp.Sum(sp.exp(alpha[k]), (k, 0, n_mixtures - 1)))
    )
    frobenius = sp.Sum(sp.exp(2 * icf[k, a]), (a, 0, dim - 1)) + sp.Sum(
        icf[k, dim + j] ** 2, (j, 0, dim * (dim - 1) / 2 - 1)
    )
    degrees = dim + m + 1
    log_gamma = dim * (dim - 1) * sp.log(sp.pi) / 4 + sp.Sum(
        sp.loggamma((degrees - j) / sp.Integer(2)), (j, 0, dim - 1)
    )
    normaliser = degrees * dim * (sp.log(gamma) - sp.log(2) / 2) - log_gamma
    prior = sp.Sum(gamma**2 * frobenius / 2 - m * log_determinant, (k, 0, n_mixtures - 1)) - n_mixtures * normaliser
    return sg.function(likelihood + prior_sign * prior, inputs=[alpha, mu, icf, x, gamma, m], name="gmm")
