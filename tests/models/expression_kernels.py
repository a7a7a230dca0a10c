"""Random expressions as Functions: many in one, each with its own part of the argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

import symgraph as sg
from symgraph import simplify as s
from symgraph.axis import Axis
from symgraph.derive.reverse import gradients
from symgraph.graph import Graph, Output
from symgraph.node import Node, constant, input_node
from symgraph.ops import ARGUMENTS, OPS

from .conditioning import allowance, truth
from .random_expressions import Expression

__all__ = ["Failure", "argument", "check", "packed"]

Array = NDArray[np.float64]
# SymPy rewrites these on the way in: to what is real only by cancelling imaginary factors, or to a polynomial times
# an exponential function whose derivative cancels (incomplete gamma functions of whole order)
_REWRITTEN = frozenset({"sphericalj", "uppergamma", "lowergamma"})


@dataclass(frozen=True)
class Failure:
    """What is further from the truth than its condition allows."""

    expression: Expression
    what: str
    found: float
    expected: Any
    excess: float

    def __str__(self) -> str:
        expected = mpmath.nstr(self.expected, 20)
        return f"{self.what}: {self.found!r} for {expected}, {self.excess:.3g} times what is allowed; {self.expression}"


def argument(expressions: Sequence[Expression]) -> Array:
    """The argument of :func:`packed`: all points, one after another."""
    return np.array([x for expression in expressions for x in expression.point])


def packed(expressions: Sequence[Expression], name: str = "expressions") -> sg.Function:
    """Values (one scalar each) and the gradient of all by the one argument ``v``.

    Even seeds go through SymPy, which recognises and rewrites; odd ones through the smart constructors alone.
    """
    total = sum(len(expression.point) for expression in expressions)
    v = input_node("v", (Axis("v.0", total),))
    symbols = sp.IndexedBase("v", shape=(total,), real=True)
    nodes: dict[int, Node] = {}
    formulas: dict[int, Any] = {}
    start = 0
    for number, expression in enumerate(expressions):
        places = range(start, start + len(expression.point))
        if expression.seed % 2 or not all(_in_sympy(step.op) for step in expression.steps):
            nodes[number] = _node(expression, [s.gather(v, {v.axes[0]: constant(k)}) for k in places])
        else:
            formulas[number] = _formula(expression, [symbols[k] for k in places])
        start = places.stop
    if formulas:
        captured = sg.function(list(formulas.values()), inputs=[symbols]).graph
        back = s.substitute([o.node for o in captured.outputs], {captured.inputs[0]: v})
        nodes.update(zip(formulas, back, strict=True))
    outputs = [nodes[number] for number in range(len(expressions))]
    (slope,) = gradients({node: constant(outputs.count(node)) for node in outputs}, [v])
    named = [*(Output(f"f{k}", node) for k, node in enumerate(outputs)), Output("slope", slope, v.axes)]
    structure = (tuple(range(len(outputs))), len(outputs))
    return sg.Function(Graph(name, (v,), tuple(named), structure))


def _node(expression: Expression, inputs: Sequence[Node]) -> Node:
    slots = list(inputs)
    for step in expression.steps:
        if step.op == "number":
            slots.append(constant(step.number))
        else:
            slots.append(s.call(step.op, *(slots[a] for a in step.args)))
    return slots[-1]


@cache
def _in_sympy(op: str) -> bool:
    """Whether the formula of a row is one that users write: made of SymPy's own functions."""
    if op in ("number", "select"):
        return True
    formula = OPS[op].formula
    return op not in _REWRITTEN and formula is not None and not formula.atoms(AppliedUndef)


def _formula(expression: Expression, inputs: Sequence[Any]) -> Any:
    slots = list(inputs)
    for step in expression.steps:
        arguments = [slots[a] for a in step.args]
        match step.op:
            case "number":
                number = step.number
                slots.append(sp.Rational(number.numerator, number.denominator)
                             if isinstance(number, Fraction) else sp.sympify(number))  # fmt: skip
            case "add" | "mul" | "max" | "min":
                slots.append({"add": sp.Add, "mul": sp.Mul, "max": sp.Max, "min": sp.Min}[step.op](*arguments))
            case "select":
                slots.append(sp.Piecewise((arguments[1], arguments[0]), (arguments[2], True)))
            case _:
                formula: Any = OPS[step.op].formula
                slots.append(formula.xreplace(dict(zip(ARGUMENTS, arguments, strict=False))))
    return slots[-1]


def check(expressions: Sequence[Expression], values: Sequence[float], slope: Array) -> list[Failure]:
    """The values and partials that are wrong by more than 64 ulp times the condition number.

    The condition is measured only where 64 ulp are exceeded: it is never less than one.
    """
    failures = []
    start = 0
    for expression, value in zip(expressions, values, strict=True):
        stop = start + len(expression.point)
        exact = truth(expression)
        found = [float(value), *(float(g) for g in slope[start:stop])]
        expected = [exact.value, *exact.gradient]
        names = ["value", *(f"partial by x{k}" for k in range(stop - start))]
        start = stop
        errors = [
            float(abs(mpmath.mpf(f) - e)) if np.isfinite(f) else np.inf for f, e in zip(found, expected, strict=True)
        ]
        if all(error <= 64 * 2.0**-53 * abs(float(e)) for error, e in zip(errors, expected, strict=True)):
            continue
        first, others = allowance(expression)
        for name, f, e, error, allowed in zip(names, found, expected, errors, (first, *others), strict=True):
            if not error <= allowed:
                failures.append(Failure(expression, name, f, e, error / allowed))
    return failures
