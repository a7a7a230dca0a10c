"""Notation that stands for something else: what SymPy left unevaluated and what is defined by another expression."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy.core.function import AppliedUndef

__all__ = ["rewritten"]

# A derivative that was left unevaluated is carried out by SymPy only when it is small: SymPy's diff neither shares
# subexpressions nor survives deep ones.
_LARGEST = 400


def rewritten(expression: sp.Basic) -> sp.Basic | None:
    """The expression that this one abbreviates, or None.

    >>> x = sp.Symbol("x")
    >>> rewritten(sp.Derivative(x**3, x)), rewritten(x**3)
    (3*x**2, None)
    """
    rule = _REWRITES.get(type(expression))
    return None if rule is None else rule(expression)


def _carried_out(expression: sp.Basic) -> sp.Basic | None:
    if _too_large(expression):
        return None
    result = expression.doit()
    if isinstance(result, type(expression)) or any(isinstance(p, AppliedUndef) for p in sp.preorder_traversal(result)
                                                   if not _symbols_only(p)):
        return None
    return None if result == expression else result


def _symbols_only(expression: sp.Basic) -> bool:
    return all(isinstance(a, sp.Symbol) for a in expression.args)


def _too_large(expression: sp.Basic) -> bool:
    stack, count = [expression], 0
    while stack:
        item = stack.pop()
        count += 1
        if count > _LARGEST:
            return True
        stack.extend(item.args)
    return False


def _binomial(expression: sp.Basic) -> sp.Basic:
    n, k = expression.args
    return sp.gamma(n + 1, evaluate=False) / (
        sp.gamma(k + 1, evaluate=False) * sp.gamma(n - k + 1, evaluate=False))


def _beta(expression: sp.Basic) -> sp.Basic:
    a, b = expression.args[:2]
    return sp.gamma(a, evaluate=False) * sp.gamma(b, evaluate=False) / sp.gamma(a + b, evaluate=False)


_REWRITES: dict[type, Callable[[sp.Basic], sp.Basic | None]] = {
    sp.Derivative: _carried_out,
    sp.Subs: _carried_out,
    sp.binomial: _binomial,
    sp.beta: _beta,
}
