"""Functions of the cases: value and derivatives of one case, and many cases in one Function."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

import symgraph as sg
from symgraph import simplify as s
from symgraph.errors import UnsupportedError
from symgraph.graph import Graph, Output
from symgraph.node import input_node
from tests.cases.reading import DATA, SIZES, is_finite, number
from tests.models.cases import CASES, Model

MOST_OPERANDS = 63  # of a NumPy ufunc, with the results


@cache
def model(identifier: str) -> Model:
    """The model of a case, its user functions registered."""
    found = CASES[identifier]()
    for function, value in found.functions.items():
        sg.register(function, value=value)
    sizes = SIZES.get(identifier, "").split()
    return Model({k: v for k, v in found.inputs.items() if k not in sizes}, found.outputs, found.functions)


@cache
def function(identifier: str) -> sg.Function:
    """The Function of a case, with a dict of outputs."""
    found = model(identifier)
    return sg.function(dict(found.outputs), dict(found.inputs), name=identifier.lower())


def arguments(identifier: str, point: dict[str, Any]) -> list[Any]:
    """The values of a point, in the order of the arguments."""
    return [number(point[name]) for name in model(identifier).inputs]


def split_key(key: str) -> tuple[str, tuple[int, ...], list[tuple[str, tuple[int, ...]]]]:
    """``v[0,1]|x|y[2]`` as output, its element, and what it is differentiated by."""

    def parts(text: str) -> tuple[str, tuple[int, ...]]:
        name, bracket, inside = text.partition("[")
        return name, tuple(int(k) for k in inside.rstrip("]").split(",")) if bracket else ()

    first, *rest = key.split("|")
    return (*parts(first), [parts(item) for item in rest])


@cache
def derivative(identifier: str, output: str, wrt: tuple[str, ...]) -> sg.Function:
    """One output, differentiated by inputs in turn; every derivative adds the dimensions of its input."""
    if not wrt:
        f = function(identifier)
        position = f.graph.structure[output]  # type: ignore[index, call-overload]
        return sg.Function(Graph(f.name, f.graph.inputs, (f.graph.outputs[position],), 0), f.symbols)
    return sg.jacobian(derivative(identifier, output, wrt[:-1]), wrt[-1])


def keys_of(identifier: str) -> list[str]:
    """What the data says, and the other first and second derivatives of small scalar cases."""
    keys = dict.fromkeys(key for point in DATA[identifier]["expected"] for key in point)
    f = function(identifier)
    floating = [n.data for n in f.graph.inputs if n.dtype.name == "FLOATING" and not n.axes]
    if len(floating) == len(f.inputs) <= 4:
        for output in f.graph.outputs:
            if not output.axes and output.node.dtype.name == "FLOATING":
                pairs = [(a, b) for i, a in enumerate(floating) for b in floating[i:]]
                for wrt in (*((a,) for a in floating), *pairs):
                    if _has_derivative(identifier, output.name, wrt):
                        keys["|".join((output.name, *wrt))] = None
    return list(keys)


def _has_derivative(identifier: str, output: str, wrt: tuple[str, ...]) -> bool:
    """Whether an output can be differentiated so: the degree of a polynomial, for one, has no derivative."""
    try:
        derivative(identifier, output, wrt)
    except UnsupportedError:
        return False
    return True


def merged(identifiers: Iterable[str], name: str) -> tuple[sg.Function, list[tuple[str, str]]]:
    """One Function of several cases, each with arguments of its own; and (case, key) of every result."""
    inputs, outputs, labels = [], [], []
    for identifier in identifiers:
        f = function(identifier)
        own = {n: input_node(f"{identifier}_{n.data}", n.axes, n.dtype) for n in f.graph.inputs}
        inputs += list(own.values())
        for key in keys_of(identifier):
            output, _, wrt = split_key(key)
            found = derivative(identifier, output, tuple(w for w, _ in wrt)).graph.outputs[0]
            (node,) = s.substitute([found.node], own)
            outputs.append(Output(f"r{len(outputs)}", node, found.axes))
            labels.append((identifier, key))
    return sg.Function(Graph(name, tuple(inputs), tuple(outputs), tuple(range(len(outputs))))), labels


def batches(identifiers: Iterable[str]) -> Iterator[list[str]]:
    """Cases in groups that NumPy takes as one ufunc."""
    batch: list[str] = []
    operands = 0
    for identifier in identifiers:
        count = len(function(identifier).inputs) + len(keys_of(identifier))
        if batch and operands + count > MOST_OPERANDS:
            yield batch
            batch, operands = [], 0
        batch.append(identifier)
        operands += count
    if batch:
        yield batch


def ordinary_point(identifier: str) -> dict[str, Any]:
    """A point where everything that is expected is an ordinary number, or the first one where there is none."""
    case = DATA[identifier]
    for point, expected in reversed(list(zip(case["points"], case["expected"], strict=True))):
        if all(is_finite(v) for v in expected.values()):
            return point
    return case["points"][0]


@cache
def by_sympy(identifier: str, key: str, position: int) -> float | None:
    """A derivative at a point by SymPy and mpmath, where these find an ordinary real number."""
    output, _, wrt = split_key(key)
    found = model(identifier)
    expression = found.outputs[output]
    if not isinstance(expression, sp.Expr):
        return None
    point = DATA[identifier]["points"][position]
    values = {v: sp.Rational(str(point[k])) for k, v in found.inputs.items() if isinstance(v, sp.Symbol)}
    if len(values) != len(found.inputs) or 0 in values.values():  # what SymPy finds at 0 depends on the order
        return None
    expression = taken_branch(expression, values)
    if expression is None:
        return None
    slope = sp.diff(expression, *[found.inputs[name] for name, _ in wrt])
    if slope.has(sp.Derivative, sp.Subs, sp.DiracDelta, sp.Integral, sp.Sum):
        return None
    value = slope.subs(values)
    if value.has(sp.nan, sp.zoo, sp.oo):
        return None
    number_ = value.evalf(30)
    return float(number_) if number_.is_real and math.isfinite(float(number_)) else None


def taken_branch(expression: sp.Basic, values: dict[sp.Symbol, sp.Rational]) -> sp.Basic | None:
    """The expression with every choice replaced by what is chosen at a point; None on an edge or a tie."""
    if isinstance(expression, sp.Piecewise):
        for branch, condition in expression.args:
            if condition.has(sp.Eq, sp.Ne):
                return None  # a point written apart: its derivative is that of the branch around it
            chosen = condition.subs(values)
            if chosen == sp.true:
                sides = [r.lhs - r.rhs for r in condition.atoms(sp.core.relational.Relational)]
                on_edge = any(side.subs(values).evalf(40) == 0 for side in sides)
                return None if on_edge else taken_branch(branch, values)
            if chosen != sp.false:
                return None
        return None
    if isinstance(expression, (sp.Max, sp.Min)):
        ranked = sorted(expression.args, key=lambda a: a.subs(values).evalf(40), reverse=isinstance(expression, sp.Max))
        first, second = (a.subs(values).evalf(40) for a in ranked[:2])
        return None if first == second else taken_branch(ranked[0], values)
    if isinstance(expression, sp.Heaviside):
        step = expression.args[0].subs(values).evalf(40)
        return None if step == 0 or not step.is_real else sp.Integer(1 if step > 0 else 0)
    if not expression.args:
        return expression
    parts = [taken_branch(a, values) for a in expression.args]
    return None if any(p is None for p in parts) else expression.func(*parts)


def is_scalar(identifier: str) -> bool:
    """Whether arguments and results are scalars, and few."""
    graph = function(identifier).graph
    return len(graph.inputs) <= 20 and not any(n.axes for n in graph.inputs) and not any(o.axes for o in graph.outputs)


def quiet() -> Any:
    """Floating-point flags are errors, as NumPy shows them; a result that underflows is none."""
    return np.errstate(all="raise", under="ignore")
