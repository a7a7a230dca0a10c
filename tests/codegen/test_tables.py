"""Many elements that are numbers times one value come from tables, and have the bits that statements give."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.codegen.loop_ir import Array, Literal, Table
from symgraph.codegen.loop_spec import verify
from symgraph.codegen.lower import lower
from symgraph.codegen.plan import plan_graph
from symgraph.codegen.tables import with_tables
from symgraph.dtype import FLOATING, INTEGER
from symgraph.errors import ModelError

x, y = sp.symbols("x y", real=True)
NUMBERS = [[sp.Rational((7 * i + 3 * j) % 11 - 5, 3) for j in range(12)] for i in range(9)]
MODELS = {
    "multiples": sp.Matrix(9, 12, lambda i, j: NUMBERS[i][j] * x),
    "two factors": sp.Matrix(9, 24, lambda i, j: NUMBERS[i][j // 2] * (x if j % 2 else sp.sin(y))),
    "numbers": sp.Matrix(9, 12, lambda i, j: NUMBERS[i][j] + 6),
    "others between": sp.Matrix(9, 12, lambda i, j: sp.exp(x * y + i) if i == j else NUMBERS[i][j] * x),
}


def compiled(name: str, **options: object) -> tuple[sg.Function, object]:
    f = sg.function(MODELS[name], inputs=[x, y], name="f")
    return f, sg.compile(f, **options)


@pytest.mark.parametrize("target", ["cython", "numba"])
@pytest.mark.parametrize("name", MODELS)
def test_elements_are_what_the_formula_says(name: str, target: str) -> None:
    f, kernel = compiled(name, target=target)
    assert "numbers_of_f" in kernel.source
    with np.errstate(all="ignore"):
        for point in ((0.7, -0.3), (np.nan, 2.0), (np.inf, 1.0), (-0.0, 0.5)):
            np.testing.assert_allclose(kernel(*point), f(*point), rtol=4e-16)


@pytest.mark.parametrize("target", ["cython", "numba"])
def test_single_precision_is_rounded_once(target: str) -> None:
    _, kernel = compiled("multiples", target=target, dtype="float32")
    found = kernel(3.0, 0.0)
    exact = np.array([[float(np.float32(float(n))) for n in row] for row in NUMBERS], np.float32) * np.float32(3)
    np.testing.assert_array_equal(found, exact)


def test_the_body_does_not_grow_with_the_table() -> None:
    bodies = []
    for count in (10, 100):
        f = sg.function(sp.Matrix(count, 10, lambda i, j: sp.Rational(10 * i + j + 2, 1001) * x), [x], name="f")
        (body,) = re.findall(r"^cdef [\w ]+_body\(.*?(?=\n\n\n)", sg.compile(f).source, re.M | re.S)
        bodies.append(len(body.splitlines()))
    assert max(bodies) < 30


def test_few_elements_stay_statements_and_the_grammar_holds() -> None:
    few = lower(plan_graph(sg.function(MODELS["multiples"][:3, :], inputs=[x, y]).emitted_graph))
    assert with_tables(few) is few
    for model in MODELS.values():
        procedure = with_tables(lower(plan_graph(sg.function(model, inputs=[x, y]).emitted_graph)))
        verify(procedure)
        assert procedure.tables
    wrong = Table(Array("wrong", INTEGER), (Literal(1, FLOATING),))
    with pytest.raises(ModelError, match="the table wrong holds a number of another type"):
        verify(replace(few, tables=(wrong,)))
