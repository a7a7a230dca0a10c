"""What lowering makes of a plan: names, casts, variables, safe reads, and numbers that agree with the interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.codegen.loop_ir import (
    Block,
    For,
    If,
    Let,
    Literal,
    Load,
    Operation,
    Procedure,
    Statement,
    Store,
)
from symgraph.codegen.loop_spec import verify
from symgraph.codegen.lower import lower
from symgraph.codegen.plan import plan_graph
from symgraph.dtype import FLOATING, INTEGER, Dtype
from symgraph.graph import Graph, Output
from symgraph.interpret import evaluate
from symgraph.node import Kind, Node, axis_index, constant, input_node, make, size_node
from symgraph.ops import apply_op
from symgraph.sizes import solve_sizes

from .loop_executor import execute

I, J = Axis("i", "n"), Axis("j", "n")  # noqa: E741
i, j = axis_index(I), axis_index(J)
A = input_node("a", (Axis("a.0", "n"),))
TABLE = input_node("table", (Axis("table.0", "n"),), INTEGER)
M = input_node("m", (Axis("m.0", "n"), Axis("m.1", "d")))
x, y = input_node("x"), input_node("y")


def at(array: Node, *indices: Node) -> Node:
    return s.gather(array, dict(zip(array.axes, indices, strict=True)))


def graph(inputs: Sequence[Node], *outputs: tuple[Node, tuple[Axis, ...]]) -> Graph:
    named = tuple(Output(f"o{k}", node, axes) for k, (node, axes) in enumerate(outputs))
    return Graph("f", tuple(inputs), named, tuple(range(len(named))) if len(named) > 1 else 0)


def lowered(inputs: Sequence[Node], *outputs: tuple[Node, tuple[Axis, ...]], exact: bool = False) -> Procedure:
    procedure = lower(plan_graph(graph(inputs, *outputs), exact=exact))
    verify(procedure)
    return procedure


def check(arguments: Sequence[object], inputs: Sequence[Node], *outputs: tuple[Node, tuple[Axis, ...]]) -> Procedure:
    """Lower, run, and compare with the interpreter."""
    procedure = lowered(inputs, *outputs)
    made = graph(inputs, *outputs)
    sizes = solve_sizes(made.inputs, [np.shape(a) for a in arguments])
    found = execute(procedure, arguments, {name: sizes[name] for name in made.size_names})
    for value, expected in zip(found, evaluate(made, arguments), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-13)
    return procedure


def statements(procedure: Procedure) -> Iterator[Statement]:
    stack: list[Statement] = [procedure.body]
    while stack:
        statement = stack.pop()
        yield statement
        match statement:
            case Block(inner):
                stack.extend(reversed(inner))
            case For(body=body):
                stack.append(body)
            case If(_, then, otherwise):
                stack.extend((otherwise, then))


def operations(procedure: Procedure) -> list[str]:
    """The operations of all values that are bound or stored."""
    found: list[str] = []
    for statement in statements(procedure):
        stack = [statement.value] if isinstance(statement, Let | Store) else []
        while stack:
            match stack.pop():
                case Operation(op, operands):
                    found.append(op)
                    stack.extend(operands)
                case Load(_, index):
                    stack.append(index)
    return found


# -------------------------------------------------------------------------------------------------- emitted operations
@pytest.mark.parametrize(
    ("exponent", "expected"),
    [
        (2, ["mul"]),
        (4, ["mul", "mul"]),
        (7, ["mul"] * 4),
        (-1, ["rcp"]),
        (-2, ["mul", "rcp"]),
        (Fraction(1, 2), ["sqrt"]),
        (Fraction(-1, 2), ["rcp", "sqrt"]),
        (Fraction(3, 2), ["mul", "sqrt"]),
        (Fraction(1, 3), ["pow"]),
        (100, ["pow"]),
    ],
)
def test_powers(exponent: int | Fraction, expected: list[str]) -> None:
    node = apply_op("pow", x, constant(exponent))
    procedure = check([1.7], [x], (node, ()))
    assert sorted(operations(procedure)) == sorted(expected)


def test_differences_quotients_and_signs() -> None:
    minus = make(Kind.ELEMENTWISE, (constant(-1), y), data="mul")
    assert operations(check([1.5, 2.5], [x, y], (apply_op("add", x, minus), ()))) == ["sub"]
    assert operations(check([1.5, 2.5], [x, y], (s.div(x, y), ()))) == ["div"]
    assert operations(check([1.5, 2.5], [x, y], (minus, ()))) == ["neg"]
    doubled = s.sub(s.call("sin", x), s.mul(constant(2), y))
    assert sorted(operations(check([1.5, 2.5], [x, y], (doubled, ())))) == ["mul", "sin", "sub"]


def test_a_shared_reciprocal_is_computed_once_except_in_exact_mode() -> None:
    outputs = [(s.div(s.call(op, x), y), ()) for op in ("sin", "cos", "tan")]
    assert operations(lowered([x, y], *outputs)).count("rcp") == 1
    assert operations(lowered([x, y], *outputs, exact=True)).count("div") == 3


def test_constant_subgraphs_are_one_literal_with_forty_digits() -> None:
    root = apply_op("pow", constant(2), constant(Fraction(1, 2)))
    procedure = lowered([x], (apply_op("mul", root, x), ()))
    (literal,) = (o for o in procedure.body.statements[0].value.operands if isinstance(o, Literal))
    with mpmath.workdps(45):
        assert abs(mpmath.mpf(str(literal.value)) - mpmath.sqrt(2)) < mpmath.mpf(10) ** -40


# ------------------------------------------------------------------------------------------------------- names, casts
def test_names_are_identifiers_and_each_is_there_once() -> None:
    strange = [input_node(name) for name in ("lambda", "x y", "x_y", "λ", "o0")]
    procedure = check([1.0, 2.0, 3.0, 4.0, 5.0], strange, (s.add(*strange), ()))
    names = [p.name for p in (*procedure.inputs, *procedure.outputs)]
    assert len(set(names)) == 6 and all(n.isidentifier() for n in names)


def test_loop_variables_have_the_names_of_axes() -> None:
    procedure = check([np.ones(3)], [A], (s.call("exp", at(A, i)), (I,)))
    assert [st.index.name for st in statements(procedure) if isinstance(st, For)] == ["i"]


def test_every_output_is_announced_once() -> None:
    procedure = check([np.ones(3), 2.0], [A, x], (s.reduce("sum", at(A, i), I), ()), (at(A, j), (J,)), (x, ()))
    comments = [getattr(st, "comment", "") for st in statements(procedure)]
    assert sorted(c for c in comments if c) == ["o0", "o1", "o2"]


def test_integers_are_cast_where_they_meet_floats() -> None:
    k = input_node("k", (), INTEGER)
    value = s.add(s.mul(x, k), s.call("float", s.add(k, size_node("n"))), s.call("sin", k))
    check([1.5, 3, np.ones(4)], [x, k, A], (value, ()), (s.add(k, constant(1)), ()), (s.call("lt", k, x), ()))


# ------------------------------------------------------------------------------------------------- reads and writes
def test_shifted_reads_under_a_guard_stay_inside() -> None:
    before = s.select(s.call("le", constant(1), i), at(A, s.add(i, constant(-1))), constant(0))
    for size in (1, 2, 5):
        check([np.arange(1.0, size + 1)], [A], (s.sub(at(A, i), before), (I,)))


def test_a_read_of_the_taken_branch_only() -> None:
    previous = at(A, s.add(i, constant(-1)))
    value = s.select(s.call("eq", i, constant(0)), constant(7.0), s.call("exp", previous))
    check([np.arange(4.0)], [A], (value, (I,)))


def test_index_arrays_are_checked_once_on_entry() -> None:
    value = at(A, at(TABLE, i))
    procedure = check([np.arange(4.0), np.array([3, 0, 0, 2])], [A, TABLE], (value, (I,)))
    (found,) = procedure.index_checks
    assert found.input.name == "table" and found.low == Literal(0, INTEGER)
    assert not any(isinstance(st, If) for st in statements(procedure))
    shifted = lowered([A, TABLE], (at(A, s.add(at(TABLE, i), constant(1))), (I,)))
    assert shifted.index_checks[0].low == Literal(-1, INTEGER)


def test_scattered_sums_as_outputs_and_in_between() -> None:
    counts = s.scatter_add(s.mul(at(A, i), at(A, i)), {J: at(TABLE, i)}, (I,))
    values = [np.array([1.0, 2.0, 3.0, 4.0]), np.array([3, 0, 0, 2])]
    check(values, [A, TABLE], (counts, (J,)))
    check(values, [A, TABLE], (s.call("exp", counts), (J,)), (s.reduce("sum", s.mul(counts, at(A, j)), J), ()))


def test_assembled_arrays_are_stored_without_a_fill() -> None:
    axis = Axis("o", 3)
    parts = [s.scatter_add(s.call(op, x), {axis: constant(k)}, ()) for k, op in enumerate(("sin", "cos", "exp"))]
    procedure = check([0.3], [x], (s.add(*parts), (axis,)))
    assert not any(isinstance(st, For) for st in statements(procedure))
    check([0.3], [x], (s.add(*parts[:2]), (axis,)))
    check([0.3], [x], (s.add(*parts, s.scatter_add(x, {axis: constant(1)}, ())), (axis,)))


@pytest.mark.parametrize("reducer", ["sum", "product", "max", "min"])
@pytest.mark.parametrize("size", [0, 1, 4])
def test_reductions_of_every_length(reducer: str, size: int) -> None:
    check([np.linspace(0.5, 1.5, size)], [A], (s.reduce(reducer, at(A, i), I), ()))


@pytest.mark.parametrize(("op", "offset"), [("lt", 0), ("le", 0), ("lt", -2), ("le", 3), ("eq", 1)])
@pytest.mark.parametrize("turned", [False, True])
def test_dependent_bounds(op: str, offset: int, turned: bool) -> None:
    sides = [j, s.add(i, constant(offset))]
    guard = s.call(op, *(reversed(sides) if turned else sides))
    body = s.select(guard, s.mul(at(A, i), s.call("exp", at(A, j))), constant(0))
    inner = make(Kind.REDUCE, (body,), (I,), data=("sum", J))
    for size in (1, 2, 5):
        check([np.linspace(-1, 1, size)], [A], (inner, (I,)), (s.reduce("sum", inner, I), ()))


def test_outputs_that_are_inputs_constants_or_repeated() -> None:
    value = np.arange(6.0).reshape(3, 2)
    rows = Axis("r", "n")
    check([value, 2.0], [M, x], (M, M.axes), (x, ()), (constant(3), (rows,)), (x, (rows, Axis("k", 2))), (x, ()))


def test_the_diagonal_of_an_output() -> None:
    target = Axis("t", "n")
    diagonal = s.scatter_add(s.call("exp", at(A, i)), {target: i}, ())
    check([np.arange(3.0)], [A], (diagonal, (I, target)))


def test_booleans_are_values() -> None:
    less = s.call("lt", at(A, i), x)
    either = s.logical_or(s.logical_not(less), s.call("eq", i, constant(1)))
    check([np.arange(4.0), 1.5], [A, x], (less, (I,)), (either, (I,)), (s.reduce("sum", s.call("float", less), I), ()))


def test_only_loops_without_shared_writes_are_parallel() -> None:
    rows = s.reduce("sum", s.call("exp", at(M, i, axis_index(Axis("k", "d")))), Axis("k", "d"))
    apart = lowered([M], (rows, (I,)))
    assert [st.parallel for st in statements(apart) if isinstance(st, For)] == [True, False]
    summed = lowered([M], (rows, (I,)), (s.reduce("sum", s.call("sin", rows), I), ()))
    assert not any(st.parallel for st in statements(summed) if isinstance(st, For))


def test_dtypes_of_targets() -> None:
    assert {o.dtype for o in lowered([x], (x, ()), (constant(2), ())).outputs} == {FLOATING, Dtype.INTEGER}
