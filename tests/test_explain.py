"""What a function says of itself: counts, the sweeps of its plan, its tables."""

import sympy as sp

import symgraph as sg


def test_value_and_gradient_of_a_sum_over_data_are_one_sweep():
    i, j = sp.symbols("i j", integer=True)
    n, d = sp.symbols("n d", integer=True, positive=True)
    data, weights = sp.IndexedBase("X", shape=(n, d)), sp.IndexedBase("w", shape=(d,))
    loss = sp.Sum(sp.Sum(data[i, j] * weights[j], (j, 0, d - 1)) ** 2, (i, 0, n - 1))
    text = sg.value_and_grad(sg.function(loss, [data, weights]), "w").explain()
    sweeps = [line for line in text.splitlines() if line.startswith("for ")]
    assert sum("0..n" in line for line in sweeps) == 1
    assert not any("n bytes" in line for line in text.splitlines())  # no table as long as the data
    assert "operations" in text.splitlines()[1]


def test_a_function_of_scalars_has_no_sweep():
    x = sp.Symbol("x")
    assert "0 sweeps, no tables" in sg.function(sp.sin(x) ** 2).explain()
