"""Models in plain SymPy, for the examples and the command line: ``symgraph codegen examples/models.py:ridge``.

Nothing here imports symgraph: a model is an expression, and a loss over data is a Sum over symbolic lengths.
"""

from __future__ import annotations

import sympy as sp

x, y, z = sp.symbols("x y z", real=True)
product = (x + y) * z

rate = sp.Symbol("rate", positive=True)
i, j = sp.symbols("i j", integer=True)
n, d = sp.symbols("n d", integer=True, positive=True)
X = sp.IndexedBase("X", shape=(n, d))
w = sp.IndexedBase("w", shape=(d,))
t = sp.IndexedBase("t", shape=(n,))
b = sp.Symbol("b", real=True)

score = sp.Sum(X[i, j] * w[j], (j, 0, d - 1)) + b
penalty = rate / 2 * sp.Sum(w[j] ** 2, (j, 0, d - 1))

# squared error with a penalty; targets are numbers
ridge = sp.Sum((score - t[i]) ** 2, (i, 0, n - 1)) / n + penalty

# negative log-likelihood of labels t = -1 or +1, with a penalty
logistic = sp.Sum(sp.log(1 + sp.exp(-t[i] * score)), (i, 0, n - 1)) + penalty
