"""The op table tests itself: every row's value, partials and second derivatives against mpmath at 50 digits."""

import ctypes
import ctypes.util
import math
import random
import re
from itertools import product

import mpmath
import numpy as np
import pytest
import scipy.special.cython_special as cython_special
import sympy as sp

from symgraph import simplify as s
from symgraph.codegen.targets.special_functions import special_function
from symgraph.derive.partials import OPERATIONS
from symgraph.derive.reverse import gradients
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER
from symgraph.errors import UnsupportedError
from symgraph.exact_functions import FUNCTIONS
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.node import Kind, constant, input_node
from symgraph.ops import ARGUMENTS, OPS, Op, R, apply_op, register_op

DIGITS = 50
STEPS = {"floordiv", "sign", "floor", "ceil", "lt", "le", "eq", "ne", "and", "or", "not"}
FORMULAS = [row for row in OPS.values() if row.formula is not None and row.result != "bool"]
SMOOTH = [row for row in FORMULAS if row.name not in STEPS | {"hold"}]


MPMATH = [FUNCTIONS, "mpmath"]


def count(row: Op) -> int:
    return len(row.samples)


def points(row: Op, number: int = 12) -> list[tuple[float, ...]]:
    """Points inside the row's domain, the same in every run; whole arguments take every order."""
    draw = random.Random(row.name)

    def coordinate(position: int, low: float, high: float) -> float:
        return float(draw.randint(int(low), int(high))) if position in row.whole else draw.uniform(low, high)

    return [tuple(coordinate(k, *bounds) for k, bounds in enumerate(row.samples)) for _ in range(number)]


def exact(expression: sp.Expr, row: Op):
    """A function of mpmath numbers for an expression in A, B, C and R."""
    return sp.lambdify((*ARGUMENTS[: count(row)], R), expression, modules=MPMATH)


def close(value: float, expected: object, tolerance: float, scale: float = 1e-3) -> bool:
    return abs(value - expected) <= tolerance * max(abs(expected), scale)


def tolerance(row: Op) -> float:
    return 1e-12 if row.cost >= 60 else 1e-14


def derivative(function, point, order: tuple[int, ...]):
    with mpmath.workdps(DIGITS + 30):
        return mpmath.diff(function, point if len(point) > 1 else point[0], order if len(point) > 1 else order[0])


@pytest.mark.parametrize("row", FORMULAS, ids=lambda row: row.name)
def test_the_numpy_function_is_the_formula(row):
    formula = exact(row.formula, row)
    for point in points(row):
        with mpmath.workdps(DIGITS):
            expected = formula(*(mpmath.mpf(x) for x in point), mpmath.mpf(0))
            assert close(float(row.numpy(*map(np.float64, point))), expected, tolerance(row)), point


@pytest.mark.parametrize("row", FORMULAS, ids=lambda row: row.name)
def test_the_numpy_function_takes_arrays(row):
    columns = [np.array(column) for column in zip(*points(row), strict=True)]
    result = np.asarray(row.numpy(*columns))
    assert result.shape == columns[0].shape
    one_by_one = [row.numpy(*map(np.float64, point)) for point in points(row)]
    np.testing.assert_allclose(result, np.array(one_by_one, dtype=float), rtol=4e-15)


@pytest.mark.parametrize("row", SMOOTH, ids=lambda row: row.name)
def test_partials_are_the_derivatives_of_the_formula(row):
    formula = exact(row.formula, row)
    partials = row.partials if row.arity is not None else tuple(row.formula.diff(a) for a in ARGUMENTS[: count(row)])
    for position, partial in enumerate(partials):
        if partial is None:
            continue
        value = exact(partial, row)
        order = tuple(int(k == position) for k in range(count(row)))
        for point in points(row, 4):
            with mpmath.workdps(DIGITS):
                arguments = [mpmath.mpf(x) for x in point]
                result = formula(*arguments, mpmath.mpf(0))
                expected = derivative(lambda *x: formula(*x, mpmath.mpf(0)), arguments, order)
                assert close(value(*arguments, result), expected, 1e-25, 1e-20), (position, point)


@pytest.mark.parametrize("row", SMOOTH, ids=lambda row: row.name)
def test_second_derivatives_are_partials_of_partials(row):
    formula = exact(row.formula, row)
    smooth = [k for k in range(count(row)) if row.arity is None or row.partials[k] is not None]
    for point in points(row, 3):
        given = [constant(int(x) if k in row.whole else x) for k, x in enumerate(point)]
        inputs = [input_node(f"x{k}") if k in smooth else given[k] for k in range(count(row))]
        wrt = [inputs[k] for k in smooth]
        first = gradients({s.call(row.name, *inputs): constant(1)}, wrt)
        entries = [s.ZERO if f.kind is Kind.CONST else g for f in first for g in _gradients(f, wrt)]
        graph = Graph("second", tuple(wrt), tuple(Output(str(k), e) for k, e in enumerate([*first, *entries])))
        values = evaluate(graph, [point[k] for k in smooth])
        with mpmath.workdps(DIGITS):
            arguments = [mpmath.mpf(x) for x in point]

            def function(*x):
                return formula(*x, mpmath.mpf(0))

            orders = [tuple(int(k == i) for k in range(count(row))) for i in smooth]
            orders += [tuple(a + b for a, b in zip(p, q, strict=True)) for p, q in product(orders, orders)]
            for value, order in zip(values, orders, strict=True):
                assert close(value, derivative(function, arguments, order), 3e-11, 1e-2), (order, point)


def _gradients(node, wrt):
    return [s.ZERO] * len(wrt) if node.kind is Kind.CONST else gradients({node: constant(1)}, wrt)


@pytest.mark.parametrize("row", OPS.values(), ids=lambda row: row.name)
def test_the_dtype_follows_the_rule(row):
    floats = tuple(input_node(f"x{k}") for k in range(count(row)))
    integers = tuple(input_node(f"i{k}", (), INTEGER) for k in range(count(row)))
    if row.name == "select":
        condition = input_node("c", (), BOOLEAN)
        assert row.dtype((condition, integers[1], integers[2])) is INTEGER
        assert row.dtype((condition, integers[1], floats[2])) is FLOATING
        assert row.dtype((condition, condition, condition)) is BOOLEAN
        return
    expected = {"float": FLOATING, "bool": BOOLEAN, "int": INTEGER}.get(row.result)
    assert row.dtype(floats) is (expected if expected is not None else FLOATING)
    if row.result == "promote":
        assert row.dtype(integers) is INTEGER
        assert np.asarray(row.numpy(*[np.int64(3)] * len(integers))).dtype == np.int64


def test_an_integer_to_a_whole_power_is_an_integer():
    i, x = input_node("i", (), INTEGER), input_node("x")
    assert OPS["pow"].dtype((i, constant(2))) is INTEGER
    assert OPS["pow"].dtype((i, constant(-1))) is FLOATING
    assert OPS["pow"].dtype((x, constant(2))) is FLOATING
    assert OPS["pow"].dtype((i, i)) is FLOATING


@pytest.mark.parametrize("row", [r for r in OPS.values() if r.c], ids=lambda row: row.name)
def test_the_c_name_exists(row):
    special = special_function(row.name)
    if special is not None:
        names = {re.sub(r"^__pyx_fuse_[\d_]+", "", key) for key in cython_special.__pyx_capi__}
        assert special.library in names
    else:
        assert hasattr(ctypes.CDLL(ctypes.util.find_library("m")), row.c)


@pytest.mark.parametrize("row", [r for r in OPS.values() if r.vector], ids=lambda row: row.name)
def test_vector_names_are_scalar_names_too(row):
    assert row.c == row.vector  # libmvec has _ZGV... of the names of math.h


@pytest.mark.parametrize("row", [r for r in OPS.values() if r.python], ids=lambda row: row.name)
def test_the_python_spelling_computes_the_same(row):
    function = eval(row.python, {"math": math, "np": np, "abs": abs})
    for point in points(row):
        assert close(float(function(*point)), float(row.numpy(*map(np.float64, point))), tolerance(row)), point


@pytest.mark.parametrize("row", [r for r in OPS.values() if r.commutative], ids=lambda row: row.name)
def test_commutative_rows_commute(row):
    if row.arity == 1:
        return
    for a, b in points(row, 5):
        if row.result == "bool":
            a, b = a > 0.5, b > 0.5
        assert row.numpy(np.asarray(a), np.asarray(b)) == row.numpy(np.asarray(b), np.asarray(a))


def test_every_function_in_a_partial_is_a_row():
    for row in OPS.values():
        if row.arity is None or (row.formula is None and row.given_partials is None):
            continue
        for partial in row.partials:
            for part in sp.preorder_traversal(partial) if partial is not None else ():
                if part.args:
                    name = OPERATIONS.get(part.func, part.func.__name__)
                    assert name in OPS or part.func in (sp.Add, sp.Mul, sp.Pow), (row.name, part)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("and", {(0, 0): False, (0, 1): False, (1, 0): False, (1, 1): True}),
        ("or", {(0, 0): False, (0, 1): True, (1, 0): True, (1, 1): True}),
        ("not", {(0,): True, (1,): False}),
    ],
)
def test_logic(name, table):
    for arguments, expected in table.items():
        assert bool(OPS[name].numpy(*(np.bool_(a) for a in arguments))) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lt", (True, False, False)),
        ("le", (True, True, False)),
        ("eq", (False, True, False)),
        ("ne", (True, False, True)),
    ],
)
def test_comparisons(name, expected):
    found = OPS[name].numpy(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0]))
    assert tuple(found) == expected
    assert bool(OPS[name].numpy(np.float64("nan"), np.float64("nan"))) is (name == "ne")


def test_select_takes_one_branch_and_undefined_is_nan():
    condition = np.array([True, False])
    assert list(OPS["select"].numpy(condition, np.array([1.0, np.nan]), 2.0)) == [1.0, 2.0]
    assert np.isnan(OPS["undefined"].numpy(np.float64(1.0)))
    assert np.isnan(OPS["undefined"].numpy(np.float64(1.0), np.float64(2.0)))


@pytest.mark.parametrize("name", ["max", "min"])
def test_maxima_hand_on_nan(name):
    assert np.isnan(OPS[name].numpy(np.float64("nan"), np.float64(1.0)))
    assert np.isnan(OPS[name].numpy(np.float64(1.0), np.float64("nan"), np.float64(2.0)))


SPECIAL = [  # (row, arguments, value, partials): limits and conventions at special points
    ("hypot", (0.0, 0.0), 0.0, (0.0, 0.0)),
    ("atan2", (0.0, 0.0), 0.0, (0.0, 0.0)),
    ("atan2", (2.0**-700, 2.0**-700), math.pi / 4, (2.0**699, -(2.0**699))),
    ("atan2", (2.0**700, 2.0**700), math.pi / 4, (2.0**-701, -(2.0**-701))),
    ("hypot_quotient", (0.0, 0.0), 0.0, (0.0, 0.0)),
    ("hypot_quotient", (0.0, 2.0), 0.0, (0.25, 0.0)),
    ("sinc", (0.0,), 1.0, (0.0,)),
    ("xlogy", (0.0, 0.0), 0.0, (-math.inf, 0.0)),
    ("xlogy", (0.0, 2.0), 0.0, (math.log(2), 0.0)),
    ("strong_quotient", (0.0, 0.0, 1), 0.0, (math.inf, 0.0)),
    ("lambertw", (0.0,), 0.0, (1.0,)),
    ("abs", (0.0,), 0.0, (0.0,)),
    ("sign", (0.0,), 0.0, (0.0,)),
    ("logistic", (-800.0,), 0.0, (0.0,)),
    ("logistic", (800.0,), 1.0, (0.0,)),
    ("softplus", (-800.0,), 0.0, (0.0,)),
    ("softplus", (800.0,), 800.0, (1.0,)),
    ("logaddexp", (1000.0, 1000.0), 1000.0 + math.log(2), (0.5, 0.5)),
    ("tanh", (1000.0,), 1.0, (0.0,)),
    ("exp", (-math.inf,), 0.0, (0.0,)),
    ("expm1", (0.0,), 0.0, (1.0,)),
    ("log1p", (0.0,), 0.0, (1.0,)),
    ("floor", (1.0,), 1.0, (0.0,)),
    ("mod", (-1.0, 3.0), 2.0, (1.0, 1.0)),
]


@pytest.mark.parametrize(("name", "point", "value", "partials"), SPECIAL, ids=lambda p: p if isinstance(p, str) else "")
def test_special_points(name, point, value, partials):
    inputs = [input_node(f"x{k}") if isinstance(x, float) else constant(x) for k, x in enumerate(point)]
    wrt = [node for node in inputs if node.kind is Kind.INPUT]
    node = apply_op(name, *inputs)
    outputs = [node, *gradients({node: constant(1)}, wrt)]
    graph = Graph(name, tuple(wrt), tuple(Output(str(k), n) for k, n in enumerate(outputs)))
    assert evaluate(graph, [x for x in point if isinstance(x, float)]) == [value, *partials]


def test_the_table_is_large_and_its_names_are_its_keys():
    assert len(OPS) >= 45
    assert all(name == row.name for name, row in OPS.items())


def test_registering_a_row_needs_a_new_name():
    with pytest.raises(UnsupportedError, match="'sin' exists already"):
        register_op(OPS["sin"])


def test_a_row_without_formula_or_partials_says_so():
    row = Op("nameless", None, np.sin, ((0, 1),))
    with pytest.raises(UnsupportedError, match="'nameless' has no derivative"):
        _ = row.partials


def test_the_number_of_arguments_is_checked():
    with pytest.raises(UnsupportedError, match="atan2 takes 2 arguments, 1 were given"):
        apply_op("atan2", input_node("x"))
