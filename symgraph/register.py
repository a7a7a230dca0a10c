"""A user's own operation: its value, its derivatives, and how compiled code calls it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import FunctionClass

from .capture.user import define_formula, define_row, fdiff_partials
from .errors import ModelError, UnsupportedError
from .ops import ARGUMENTS

__all__ = ["register"]


def register(
    sympy_function: Any,
    *,
    value: sp.Lambda | Callable[..., Any],
    partials: Sequence[object] | None = None,
    c: str | None = None,
    python: str | None = None,
    cost: int = 20,
) -> None:
    """Give a SymPy function a meaning.

    Parameters
    ----------
    sympy_function:
        ``sympy.Function("f")`` or a subclass of ``sympy.Function``.
    value:
        A ``sympy.Lambda``: the function is that formula, which works on every target and needs nothing else. Or a callable
        on NumPy arrays (one to three arguments, result of their broadcast shape).
    partials:
        One per argument, for a callable value: a callable or Lambda that takes the arguments as SymPy symbols and gives a SymPy
        expression, a SymPy number, or None where no derivative is known. The expression may contain the function itself. By
        default what ``fdiff`` of the class gives.
    c:
        How C calls it: a function of ``math.h``, or ``scipy:name`` for ``scipy.special.cython_special``. Without it the
        function runs in the interpreter only.
    python:
        How Numba calls it, as in ``math.erf``.
    cost:
        In units of one addition.

    Raises
    ------
    UnsupportedError
        The function, its value or a partial is of a kind that has no meaning here.
    ModelError
        As many partials as arguments are needed.

    Examples
    --------
    >>> import symgraph as sg
    >>> x = sp.Symbol("x")
    >>> square = sp.Function("square")
    >>> register(square, value=sp.Lambda(x, x**2))
    >>> sg.function(square(x) + 1)(3.0)
    10.0
    """
    if not isinstance(sympy_function, FunctionClass):
        raise UnsupportedError(f"{sympy_function!r} is no function of SymPy: use sympy.Function('f') or a subclass of Function")
    name = sympy_function.__name__
    if isinstance(value, sp.Lambda):
        if partials is not None:
            raise ModelError(f"{name} is given by a formula, whose derivatives follow from it: leave partials out, or give a callable value")
        define_formula(sympy_function, value)
        return
    if not callable(value):
        raise UnsupportedError(f"the value of {name} is a {type(value).__name__}: give a sympy.Lambda or a callable on NumPy arrays")
    arity = _arity(sympy_function, value, partials)
    expressions = fdiff_partials(sympy_function, arity) if partials is None else _expressions(name, arity, partials)
    define_row(sympy_function, arity, value, expressions, c=c, python=python, cost=cost)


def _arity(function: Any, value: Callable[..., Any], partials: Sequence[object] | None) -> int:
    if partials is not None:
        return len(partials)
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
        result = partial(*arguments) if callable(partial) and not isinstance(partial, sp.Expr) else partial
        if result is not None:
            result = sp.sympify(result) if isinstance(result, (int, float)) else result
            if not isinstance(result, sp.Expr):
                raise UnsupportedError(f"partial {position} of {name} gives a {type(result).__name__}: give a SymPy expression in the arguments")
            foreign = sorted(result.free_symbols - set(arguments), key=str)
            if foreign:
                raise ModelError(f"partial {position} of {name} depends on {foreign[0]}: give a callable of the {arity} arguments, as in "
                                 "lambda x: sympy.cos(x)")
        results.append(result)
    return tuple(results)
