"""Which values are provably not negative: where such a value is 0 it has a minimum, so that its differential is 0 too.

That is why a product with an infinite partial may be 0 there: a norm has derivative 0 at the origin (the symmetric
subgradient), not nan. Nothing of the kind holds for a value that may change its sign, and nothing is assumed for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..node import Kind, Node
from .numbers import is_number

__all__ = ["is_singular_power", "nonnegative"]

_ALWAYS = frozenset({"abs", "exp", "cosh", "logistic", "softplus", "tanh_slope", "hypot", "erfc", "acos"})
_WHEN_ALL_ARE = frozenset({"add", "mul", "min", "hold", "float", "strong_product", "sqrt", "log1p", "expm1", "atan"})


def nonnegative(order: Iterable[Node]) -> set[Node]:
    """The nodes of ``order`` (arguments first) that are not negative wherever they are defined."""
    found: set[Node] = set()
    for node in order:
        if _is_nonnegative(node, found):
            found.add(node)
    return found


def _is_nonnegative(node: Node, known: set[Node]) -> bool:
    match node.kind:
        case Kind.CONST:
            return float(node.data) >= 0 if not is_number(node) else bool(node.data >= 0)
        case Kind.SIZE | Kind.AXIS_INDEX:
            return True
        case Kind.ELEMENTWISE:
            if node.data == "pow":
                exponent = node.args[1].data if is_number(node.args[1]) else None
                if isinstance(exponent, int) and exponent % 2 == 0:
                    return True
                if isinstance(exponent, Fraction) and exponent.denominator % 2 == 0:
                    return True
                return node.args[0] in known
            if node.data == "select":
                return node.args[1] in known and node.args[2] in known
            if node.data == "max":
                return any(a in known for a in node.args)
            return node.data in _ALWAYS or (node.data in _WHEN_ALL_ARE and all(a in known for a in node.args))
        case _:
            return bool(node.args) and node.args[0] in known


def is_singular_power(node: Node) -> bool:
    """x**q with 0 < q < 1: finite at 0 with an infinite partial."""
    if node.kind is not Kind.ELEMENTWISE or node.data != "pow" or not is_number(node.args[1]):
        return False
    return bool(0 < node.args[1].data < 1)
