"""Every rule of the loop IR refuses what breaks it, and says what."""

from __future__ import annotations

import pytest

from symgraph.codegen.loop_ir import (
    Accumulate,
    Alloc,
    Array,
    Block,
    Expression,
    For,
    If,
    IndexCheck,
    Let,
    Literal,
    Load,
    Operation,
    Procedure,
    Statement,
    Store,
    Variable,
)  # fmt: skip
from symgraph.codegen.loop_spec import verify
from symgraph.dtype import BOOLEAN, FLOATING, INTEGER
from symgraph.errors import ModelError

X = Variable("x", FLOATING)
N = Variable("n", INTEGER)
I = Variable("i", INTEGER)  # noqa: E741
Y = Array("y", FLOATING, (N,))
OUT = Array("out", FLOATING, (N,))
ZERO, ONE = Literal(0, INTEGER), Literal(1.0, FLOATING)
TOTAL = Variable("total", FLOATING)


def procedure(*body: Statement, **changes: object) -> Procedure:
    parts: dict[str, object] = {"name": "f", "inputs": (X, Y), "outputs": (OUT,), "sizes": (N,), "body": Block(body)}
    return Procedure(**(parts | changes))  # type: ignore[arg-type]


def filled(*body: Statement, parallel: bool = False) -> Procedure:
    """A procedure that stores its whole output in a loop and then does something else in it."""
    return procedure(For(I, ZERO, N, Block((Store(OUT, I, ONE), *body)), parallel))


def stores(value: Expression, index: Expression = ZERO) -> Procedure:
    return procedure(Store(OUT, index, value))


def test_a_correct_procedure_passes() -> None:
    verify(filled(Accumulate(Load(OUT, I), "sum", Load(Y, I)), parallel=True))


DEEP: Expression = X
for _ in range(40):
    DEEP = Operation("sin", (DEEP,), FLOATING)

BROKEN = [
    (procedure(), "the output out is never stored"),
    (procedure(Let(X, ONE), Store(OUT, ZERO, ONE)), "the name x is bound twice"),
    (procedure(Store(OUT, ZERO, ONE), inputs=(Variable("in", FLOATING),)), "'in' is not an identifier"),
    (procedure(Store(OUT, ZERO, ONE), sizes=(Variable("n", FLOATING),)), "the size n is not an integer"),
    (stores(TOTAL), "the variable total is used where it is not bound"),
    (procedure(For(I, ZERO, N, Block(())), Store(OUT, I, ONE)), "the variable i is used where it is not bound"),
    (stores(Variable("x", INTEGER)), "the variable x is used where it is not bound"),
    (stores(Load(Array("y", INTEGER), ZERO)), "the array y is not known here"),
    (stores(Load(Y, X)), "an index of y is floating, not integer"),
    (stores(ONE, X), "an index of out is floating, not integer"),
    (stores(ZERO), "what is stored in out is integer, not floating"),
    (stores(Literal(1.5, INTEGER)), "the literal 1.5 is not integer"),
    (stores(Operation("add", (X, ZERO), FLOATING)), "add of floating, integer is not floating"),
    (stores(Operation("lt", (X, ONE), FLOATING)), "lt of floating, floating is not floating"),
    (stores(Operation("sin", (X, X), FLOATING)), "sin has 2 operands"),
    (stores(Operation("add", (X,), FLOATING)), "add has 1 operands"),
    (stores(Operation("frobnicate", (X,), FLOATING)), "there is no operation 'frobnicate'"),
    (stores(Operation("select", (X, X, X), FLOATING)), "select of floating"),
    (stores(Operation("float", (X,), FLOATING)), "float of floating is not floating"),
    (stores(DEEP), "levels deep"),
    (procedure(Store(Y, ZERO, ONE)), "the input y is written to"),
    (procedure(Let(TOTAL, ZERO)), "the value of total is integer, not floating"),
    (procedure(Let(TOTAL, ONE), Accumulate(TOTAL, "sum", X)), "total is accumulated, but not bound as mutable"),
    (procedure(Let(TOTAL, ONE, True), Accumulate(TOTAL, "sum", TOTAL)), "total is read by what it accumulates"),
    (procedure(Let(TOTAL, ONE, True), Accumulate(TOTAL, "mean", X)), "there is no reducer 'mean'"),
    (procedure(Let(TOTAL, ONE, True), Accumulate(TOTAL, "sum", ZERO)), "what is accumulated is integer"),
    (procedure(Accumulate(Load(OUT, ZERO), "sum", X)), "out is accumulated into before anything is stored"),
    (filled(Alloc(Array("a", FLOATING), N)), "the array a is allocated inside a loop"),
    (procedure(Alloc(Array("a", FLOATING), X)), "the size of a is floating"),
    (procedure(Alloc(Array("a", FLOATING), N, ZERO)), "what fills a is integer"),
    (procedure(If(X, Block(()))), "the condition of an If is floating, not boolean"),
    (procedure(For(I, X, N, Block(()))), "the start of the loop over i is floating"),
    (procedure(For(I, ZERO, X, Block(()))), "the end of the loop over i is floating"),
    (procedure(For(Variable("i", FLOATING), ZERO, N, Block(()))), "the loop index i is not an integer"),
    (filled(Store(OUT, ZERO, ONE), parallel=True), "the turns of a parallel loop write to the same element of out"),
    (
        procedure(Let(TOTAL, ONE, True), For(I, ZERO, N, Block((Accumulate(TOTAL, "sum", X),)), True)),
        "the accumulator total is shared by the turns of a parallel loop",
    ),
    (procedure(Store(OUT, ZERO, ONE), index_checks=(IndexCheck(Y, ZERO, N),)), "not about an integer input"),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN, ids=[m for _, m in BROKEN])
def test_each_rule_has_an_example_that_breaks_it(broken: Procedure, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        verify(broken)
    assert message in str(caught.value)
    assert str(caught.value).startswith("f: ")


def test_what_depends_on_the_index_of_a_parallel_loop_may_be_an_index() -> None:
    shifted = Variable("shifted", INTEGER)
    verify(filled(Let(shifted, Operation("mul", (I, N), INTEGER)), Store(OUT, shifted, ONE), parallel=True))


def test_boolean_operations_are_boolean() -> None:
    less = Operation("lt", (X, ONE), BOOLEAN)
    verify(stores(Operation("select", (Operation("and", (less, less), BOOLEAN), X, ONE), FLOATING)))
