"""Logistic regression on the breast cancer data of scikit-learn, trained by SciPy with our value and gradient.

scikit-learn minimises C * (sum of losses) + |w|**2 / 2; with rate = 1/C that is our loss times C, so both have the
same minimum.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import symgraph as sg
from models import X, b, logistic, rate, t, w


def main() -> None:
    """Train with both, and compare losses and coefficients."""
    features, classes = load_breast_cancer(return_X_y=True)
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    labels = np.where(classes == 1, 1.0, -1.0)

    f = sg.function(logistic, inputs=[w, b, X, t, rate], name="logistic")
    kernel = sg.compile(sg.value_and_grad(f, wrt=["w", "b"]))

    def value_and_gradient(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        value, (by_w, by_b) = kernel(parameters[:-1], parameters[-1], features, labels, 1.0)
        return value, np.append(by_w, by_b)

    start = np.zeros(features.shape[1] + 1)
    result = minimize(
        value_and_gradient, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 1e-16, "maxiter": 2000}
    )

    reference = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(features, classes)
    expected = np.append(reference.coef_[0], reference.intercept_)
    expected_value = value_and_gradient(expected)[0]
    print(f"loss: {result.fun:.12f} here, {expected_value:.12f} by scikit-learn")
    print(f"largest entry of the gradient at our optimum: {np.max(np.abs(result.jac)):.1e}")
    print(f"largest difference of the coefficients: {np.max(np.abs(result.x - expected)):.1e}")
    accuracy = np.mean((features @ result.x[:-1] + result.x[-1] > 0) == (classes == 1))
    print(f"accuracy on the training data: {accuracy:.4f}, scikit-learn: {reference.score(features, classes):.4f}")
    assert abs(result.fun - expected_value) <= 1e-10 * expected_value
    assert np.allclose(result.x, expected, rtol=0, atol=1e-5)


if __name__ == "__main__":
    main()
