"""Notation that stands for something else: derivatives and substitutions that SymPy left unevaluated, Bessel functions
whose argument it turned around, and incomplete gamma functions that it wrote out."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef

__all__ = ["rewritten"]

# A derivative that was left unevaluated is carried out by SymPy only when it is small: SymPy's diff neither shares
# subexpressions nor survives deep ones.
_LARGEST = 400
_LARGEST_GAMMA = 13  # orders of the incomplete gamma function that are recognised


def rewritten(expression: sp.Basic) -> sp.Basic | None:
    """The expression that this one abbreviates, or None.

    >>> x = sp.Symbol("x")
    >>> rewritten(sp.Derivative(x**3, x)), rewritten(x**3)
    (3*x**2, None)
    """
    if isinstance(expression, sp.Mul):
        return _even_bessel(expression)
    if isinstance(expression, sp.Add):
        return _lower_gamma(expression)
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
    for factor in product.args:
        bessel, times = factor.as_base_exp()
        if type(bessel) not in (sp.besseli, sp.besselj) or not bessel.order.is_Rational or bessel.order.is_Integer:
            continue
        order, argument = bessel.args
        power = sp.Pow(argument, -order * times)
        turned = not isinstance(argument, sp.Abs) and (-argument).could_extract_minus_sign()
        if turned and power in product.args:
            size = sp.Abs(argument)
            rest = [a for a in product.args if a not in (factor, power)]
            return sp.Mul(*rest, (size**-order * bessel.func(order, size)) ** times)
    return None


def _lower_gamma(total: sp.Add) -> sp.Expr | None:
    """The sum with ``d - d*(1 + u + ... + u**(n - 1)/(n - 1)!)*exp(-u)`` as ``d*lowergamma(n, u)/gamma(n)``.

    SymPy writes the function so for whole n, and the difference has no digits where u is small.
    """
    constant = next((a for a in total.args if a.is_Rational), None)
    if constant is None:
        return None
    for term in total.args:
        decay = next((f for f in term.args if isinstance(f, sp.exp)), None) if isinstance(term, sp.Mul) else None
        if decay is None:
            continue
        u = -decay.args[0]
        series = sp.Mul(*[f for f in term.args if f is not decay]) / -constant
        for n in range(2, _LARGEST_GAMMA if isinstance(series, sp.Add) else 2):
            if series == sp.Add(*[u**k / sp.factorial(k) for k in range(n)]):
                rest = [a for a in total.args if a not in (term, constant)]
                return sp.Add(*rest, constant / sp.factorial(n - 1) * sp.lowergamma(n, u, evaluate=False))
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
