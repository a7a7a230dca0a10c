"""A user's own operation: its value, its derivatives, and how compiled code calls it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp
from sympy.core.function import FunctionClass

from . import simplify as s
from .capture import capture
from .capture.registry import FUNCTION_OF_ROW
from .capture.user import define_formula, define_row, fdiff_partials
from .errors import ModelError, UnsupportedError
from .graph import Graph
from .node import Kind, Node
from .ops import ARGUMENTS, OPS

__all__ = ["inline_formulas", "register"]


def register(
    sympy_function: Any,
    *,
    value: sp.Lambda | Callable[..., Any],
    partials: Sequence[object] | None = None,
    c: str | None = None,
    python: str | None = None,
    cost: int = 20,
) -> None:
    """Give a SymPy function a meaning; a second call replaces the first for what is captured later.

    Parameters
    ----------
    sympy_function:
        ``sympy.Function("f")`` or a subclass of ``sympy.Function``.
    value:
        A formula: a ``sympy.Lambda``, or a callable that gives a SymPy expression when it is called with symbols. It
        works on every target. Or a callable on NumPy arrays (one to four arguments, result of their broadcast shape).
    partials:
        One per argument: a callable or Lambda that takes the arguments as SymPy symbols and gives a SymPy expression;
        a number; or None where no derivative is known. The expression may contain the function itself. By default
        they follow from the formula; for a callable on arrays they are what ``fdiff`` of the class gives.
    c:
        How C calls it: a function of ``math.h``, or ``scipy:name`` for ``scipy.special.cython_special``. A function
        that has neither this nor a formula runs in the interpreter only.
    python:
        How Numba calls it, as in ``math.erf``.
    cost:
        In units of one addition.

    Raises
    ------
    UnsupportedError
        The function, its value or a partial is of a kind that has no meaning here.
    ModelError
        A partial that depends on something else than the arguments.

    Examples
    --------
    >>> import symgraph as sg
    >>> x = sp.Symbol("x")
    >>> square = sp.Function("square")
    >>> register(square, value=lambda x: x**2)
    >>> sg.function(square(x) + 1)(3.0)
    10.0
    """
    if not isinstance(sympy_function, FunctionClass):
        raise UnsupportedError(
            f"{sympy_function!r} is no function of SymPy: use sympy.Function('f') or a subclass of Function"
        )
    name = sympy_function.__name__
    if not callable(value):
        raise UnsupportedError(
            f"the value of {name} is a {type(value).__name__}: give a sympy.Lambda or a callable on NumPy arrays"
        )
    arity = _arity(sympy_function, value, partials)
    formula = value if isinstance(value, sp.Lambda) else _formula(value, arity)
    if formula is not None and partials is None:
        define_formula(sympy_function, formula)
        return
    numeric = value if formula is None else sp.lambdify(formula.variables, formula.expr, ["scipy", "numpy"])
    expressions = (
        fdiff_partials(sympy_function, arity) if partials is None else _expressions(name, arity, partials)
    )
    define_row(sympy_function, arity, numeric, expressions, formula, c=c, python=python, cost=cost)


def inline_formulas(graph: Graph) -> Graph:
    """The graph with every operation that is registered with a formula, and that C cannot call, put in as that formula.

    Derivatives are taken before this, so that they are the registered ones.
    """
    rows = {n.data for n in graph.order if n.kind is Kind.ELEMENTWISE and n.data in FUNCTION_OF_ROW}
    templates = {
        row: _template(row) for row in sorted(rows) if OPS[row].formula is not None and OPS[row].c is None
    }
    if not templates:
        return graph
    done: dict[Node, Node] = {}
    for node in graph.order:
        arguments = tuple(done[a] for a in node.args)
        if node.kind is Kind.ELEMENTWISE and node.data in templates:
            root, variables = templates[node.data]
            done[node] = s.substitute([root], dict(zip(variables, arguments, strict=True)))[0]
        else:
            done[node] = node if arguments == node.args else s.construct(node, arguments)
    outputs = tuple(replace(o, node=done[o.node]) for o in graph.outputs)
    return replace(graph, outputs=outputs)


def _template(row: str) -> tuple[Node, tuple[Node, ...]]:
    """The node of a row's formula, and the nodes of its arguments."""
    arguments = ARGUMENTS[: OPS[row].arity]
    graph, _ = capture(OPS[row].formula, arguments, name=row)
    return graph.outputs[0].node, graph.inputs


def _formula(value: Callable[..., Any], arity: int) -> sp.Lambda | None:
    """What a callable says about symbols, None when it wants numbers."""
    symbols = [sp.Dummy(f"x{k}", real=True) for k in range(arity)]
    try:
        result = value(*symbols)
    except Exception:  # a callable on arrays may fail in any way when it is called with symbols
        return None
    return sp.Lambda(tuple(symbols), result) if isinstance(result, sp.Expr) else None


def _arity(function: Any, value: Callable[..., Any], partials: Sequence[object] | None) -> int:
    if partials is not None:
        return len(partials)
    if isinstance(value, sp.Lambda):
        return len(value.variables)
    allowed = function.nargs
    if allowed is not None and allowed is not sp.S.Naturals0 and len(allowed) == 1:
        return int(next(iter(allowed)))
    try:
        return len(inspect.signature(value).parameters)
    except ValueError:  # a NumPy ufunc has no signature
        return int(getattr(value, "nin", 1))


def _expressions(name: str, arity: int, partials: Sequence[object]) -> tuple[object, ...]:
    arguments = ARGUMENTS[:arity]
    results: list[object] = []
    for position, partial in enumerate(partials):
        formula = isinstance(partial, sp.Expr) and not isinstance(partial, sp.Lambda)
        result = partial(*arguments) if callable(partial) and not formula else partial
        if result is not None:
            result = sp.sympify(result) if isinstance(result, (int, float)) else result
            if not isinstance(result, sp.Expr):
                raise UnsupportedError(
                    f"partial {position} of {name} gives a {type(result).__name__}: give an expression in the arguments"
                )
            foreign = sorted(result.free_symbols - set(arguments), key=str)
            if foreign:
                raise ModelError(
                    f"partial {position} of {name} depends on {foreign[0]}: give a callable of its arguments, as in "
                    "lambda x: sympy.cos(x)"
                )
        results.append(result)
    return tuple(results)
