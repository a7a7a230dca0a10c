"""Notation that stands for something else: derivatives and substitutions that SymPy left unevaluated."""

from __future__ import annotations

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
    if not isinstance(expression, (sp.Derivative, sp.Subs)) or _too_large(expression):
        return None
    result = expression.doit()
    if isinstance(result, (sp.Derivative, sp.Subs)) or any(
        isinstance(part, AppliedUndef) and not all(isinstance(a, sp.Symbol) for a in part.args)
        for part in sp.preorder_traversal(result)
    ):
        return None
    return result


def _too_large(expression: sp.Basic) -> bool:
    stack, count = [expression], 0
    while stack:
        item = stack.pop()
        count += 1
        if count > _LARGEST:
            return True
        stack.extend(item.args)
    return False
