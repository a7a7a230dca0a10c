"""Axes: the named indices that the value of a node varies over, with sizes that may be symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from .errors import ShapeError

__all__ = ["Axis", "evaluate_size", "size_expression", "size_names", "size_symbol"]


def size_symbol(name: str) -> sp.Symbol:
    """The one SymPy symbol that stands for the size ``name``, whatever assumptions the user's symbol had."""
    return sp.Symbol(name, integer=True, nonnegative=True)


def size_expression(size: int | str | sp.Expr) -> sp.Expr:
    """A size in canonical form: an expanded integer expression of size symbols.

    >>> size_expression(sp.Symbol("n") + 1)
    n + 1
    """
    if isinstance(size, str):
        return size_symbol(size)
    expression = sp.sympify(size) if isinstance(size, int) else size
    if expression.is_Integer:
        if expression < 0:
            raise ShapeError(f"the size {expression} is negative: sizes are integers from 0 up")
        return expression
    symbols = sorted(expression.free_symbols, key=lambda s: s.name)
    expression = sp.expand(expression.xreplace({s: size_symbol(s.name) for s in symbols}))
    if expression.is_integer is False or expression.has(sp.Float):
        raise ShapeError(f"the size {expression} is not an integer: use integers and integer symbols")
    return expression


def size_names(sizes: Iterable[sp.Expr]) -> tuple[str, ...]:
    """The names of all size symbols in ``sizes``, in the order of first appearance."""
    names: dict[str, None] = {}
    for size in sizes:
        for name in sorted(s.name for s in size.free_symbols):
            names.setdefault(name)
    return tuple(names)


def evaluate_size(size: sp.Expr, values: Mapping[str, int]) -> int:
    """The number that a size stands for.

    >>> evaluate_size(size_expression(sp.Symbol("n") * 2), {"n": 4})
    8
    """
    if size.is_Integer:
        return int(size)
    missing = [s.name for s in size.free_symbols if s.name not in values]
    if missing:
        raise ShapeError(f"the size {sorted(missing)[0]} is not known: no argument has it in its shape")
    return int(size.xreplace({s: sp.Integer(values[s.name]) for s in size.free_symbols}))


class Axis:
    """A named index with a size. Two axes are the same when name and size are.

    Parameters
    ----------
    name:
        Shown to the user and used for the loop variable where it is free.
    size:
        An integer, the name of a size, or an integer SymPy expression of size symbols.

    Examples
    --------
    >>> Axis("i", "n"), Axis("k", 3)
    (Axis('i', 'n'), Axis('k', 3))
    """

    __slots__ = ("_hash", "name", "size")
    name: str
    size: sp.Expr
    _hash: int

    def __init__(self, name: str, size: int | str | sp.Expr) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "size", size_expression(size))
        object.__setattr__(self, "_hash", hash((name, self.size)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an Axis cannot be changed")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Axis) and self.name == other.name and self.size == other.size

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Axis], tuple[str, sp.Expr]]:
        return Axis, (self.name, self.size)

    def __repr__(self) -> str:
        size = int(self.size) if self.size.is_Integer else str(self.size)
        return f"Axis({self.name!r}, {size!r})"
