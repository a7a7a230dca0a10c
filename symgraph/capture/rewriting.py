"""Notation that stands for something else: derivatives and substitutions that SymPy left unevaluated, and Bessel
functions whose argument it turned around."""

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
    if isinstance(expression, sp.Mul):
        return _even_bessel(expression)
    if not isinstance(expression, (sp.Derivative, sp.Subs)) or _too_large(expression):
        return None
    result = expression.doit()
    if isinstance(result, (sp.Derivative, sp.Subs)) or any(
        isinstance(part, AppliedUndef) and not all(isinstance(a, sp.Symbol) for a in part.args)
        for part in sp.preorder_traversal(result)
    ):
        return None
    return result


def _even_bessel(product: sp.Mul) -> sp.Expr | None:
    """The product with ``w**-nu * I(nu, w)`` at the absolute value of w, of which it is an even function.

    SymPy writes ``I(nu, z)`` as ``z**nu * w**-nu * I(nu, w)`` with w = -z where z begins with a minus sign. For orders
    that are not whole these factors are complex where z is positive, and only their product is real.
    """
    for bessel in product.args:
        if type(bessel) not in (sp.besseli, sp.besselj) or not bessel.order.is_Rational or bessel.order.is_Integer:
            continue
        order, argument = bessel.args
        power = sp.Pow(argument, -order)
        turned = not isinstance(argument, sp.Abs) and (-argument).could_extract_minus_sign()
        if turned and power in product.args:
            size = sp.Abs(argument)
            rest = [a for a in product.args if a not in (bessel, power)]
            return sp.Mul(*rest, size**-order * bessel.func(order, size))
    return None


def _too_large(expression: sp.Basic) -> bool:
    stack, count = [expression], 0
    while stack:
        item = stack.pop()
        count += 1
        if count > _LARGEST:
            return True
        stack.extend(item.args)
    return False
