"""Every example runs, and each checks its own numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

# One line that the example must print: proof that it did what its title says.
EXPECTED = {
    "curve_fit.py": "b1: 2.389421",
    "custom_operation.py": "spot   price      delta     vega",
    "gradient_descent.py": "step 500: loss",
    "literature.py": "after 3 steps: W = 1.942368, b = 0.942368, loss = 0.78275779",
    "logistic_regression.py": "accuracy on the training data: 0.98",
    "models.py": "",
    "quickstart.py": "value -12, gradient -3, -3, 4",
}


def test_no_example_is_left_out() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name: str) -> None:
    result = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert EXPECTED[name] in result.stdout
