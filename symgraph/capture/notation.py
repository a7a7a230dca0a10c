"""How the operations of a graph are written in SymPy, without evaluation.

SymPy's own constructors look through their arguments for simplifications, which is not linear and recurses: everything
here is put together as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from sympy.tensor.array import ArrayComprehension, NDimArray
from sympy.tensor.array.expressions.array_expressions import ArraySymbol

from .bounds import is_whole
from .reductions import IndexedMaximum, IndexedMinimum, held, undefined

__all__ = ["OPERATIONS", "REDUCERS", "comprehension", "element", "limited"]


REDUCERS: dict[str, type] = {
    "sum": sp.Sum, "product": sp.Product, "max": IndexedMaximum, "min": IndexedMinimum,
}  # fmt: skip


def element(array: Any, place: list[sp.Expr]) -> sp.Basic:
    """An element of the user's array, whatever its class; the object itself when it has no dimensions."""
    if not place:
        return array
    if isinstance(array, (sp.MatrixBase, NDimArray)):
        return array[tuple(place)]
    if isinstance(array, (sp.MatrixSymbol, ArraySymbol)):
        return array[tuple(place)]
    return sp.Indexed(array, *place)


def comprehension(element: sp.Basic, ranges: list[tuple[sp.Symbol, sp.Expr]]) -> ArrayComprehension:
    """An ArrayComprehension of any size; its constructor knows no rational factor, as in n*(n - 1)/2."""
    limits = [sp.Tuple(symbol, sp.S.Zero, size - 1) for symbol, size in ranges]
    made = sp.Basic.__new__(ArrayComprehension, element, *limits)
    made._limits, made._shape, made._rank = tuple(limits), tuple(size for _, size in ranges), len(limits)
    made._loop_size = sp.Mul(*made._shape)
    return made


def limited(cls: type, body: Any, symbol: sp.Symbol, size: sp.Expr) -> sp.Basic:
    """A sum (or product ...) as it stands: the constructors of SymPy's classes search and rearrange the summand."""
    limits = [sp.Tuple(symbol, sp.S.Zero, size - 1)]
    if body.func is cls:  # one sum over several indices, innermost first
        body, limits = body.args[0], [*body.args[1:], *limits]
    made = sp.Expr.__new__(cls, body, *limits)
    made.is_commutative = True
    return made


def _plain(cls: type) -> Callable[..., sp.Basic]:
    def write(*arguments: sp.Basic) -> sp.Basic:
        made = cls(*arguments, evaluate=False)
        _ = (
            made.is_commutative
        )  # remembered by SymPy; asked for at the end only, it would recurse to the leaves
        return made

    return write


def _sum(*terms: sp.Basic) -> sp.Basic:
    terms = tuple(t for t in terms if t is not sp.S.Zero)
    if len(terms) < 2:
        return terms[0] if terms else sp.S.Zero
    return sp.Add(*terms, evaluate=False)


def _product(*factors: sp.Basic) -> sp.Basic:
    if any(f is sp.S.Zero for f in factors):
        return sp.S.Zero
    if (
        len(factors) == 2
        and factors[0].is_Rational
        and isinstance(factors[1], sp.Mul)
        and not factors[1].args[0].is_Number
    ):
        # SymPy prints a - b only for a flat product
        return sp.Mul(factors[0], *factors[1].args, evaluate=False)
    return sp.Mul(*factors, evaluate=False)


def _select(condition: sp.Basic, then: sp.Basic, otherwise: sp.Basic) -> sp.Basic:
    if condition in (sp.true, sp.false):
        return then if condition is sp.true else otherwise
    if then in (sp.true, sp.false) or getattr(then, "is_Boolean", False):
        return sp.ITE(condition, then, otherwise, evaluate=False)
    return sp.Piecewise((then, condition), (otherwise, sp.true), evaluate=False)


def _whole_quotient(numerator: sp.Basic, denominator: sp.Basic) -> sp.Basic:
    """numerator/denominator where that is whole anyway, as in packed triangles; else with a floor around it."""
    quotient = sp.Mul(sp.Pow(denominator, -1), numerator, evaluate=False)
    if denominator.is_Integer and isinstance(numerator, sp.Add) and len(numerator.args) < 20:
        polynomial = sp.Poly(numerator)
        if polynomial.domain.is_ZZ and is_whole(polynomial * sp.Rational(1, denominator)):
            return quotient
    return sp.floor(quotient, evaluate=False)


OPERATIONS: dict[str, Callable[..., sp.Basic]] = {
    "add": _sum,
    "mul": _product,
    "pow": _plain(sp.Pow),
    "select": _select,
    "hold": held,
    "undefined": undefined,
    "float": lambda x: x,
    "lt": _plain(sp.Lt),
    "le": _plain(sp.Le),
    "eq": _plain(sp.Eq),
    "ne": _plain(sp.Ne),
    "and": _plain(sp.And),
    "or": _plain(sp.Or),
    "not": _plain(sp.Not),
    "max": _plain(sp.Max),
    "min": _plain(sp.Min),
    "floordiv": _whole_quotient,
    **{
        name: _plain(cls)
        for name, cls in {
            "exp": sp.exp, "log": sp.log, "sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "asin": sp.asin, "acos": sp.acos,
            "atan": sp.atan, "atan2": sp.atan2, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "asinh": sp.asinh,
            "acosh": sp.acosh, "atanh": sp.atanh, "abs": sp.Abs, "sign": sp.sign, "floor": sp.floor,
            "ceil": sp.ceiling, "mod": sp.Mod, "erf": sp.erf, "erfc": sp.erfc, "gamma": sp.gamma,
            "loggamma": sp.loggamma, "besselj": sp.besselj, "bessely": sp.bessely, "besseli": sp.besseli,
            "besselk": sp.besselk,
        }.items()
    },
}  # fmt: skip
