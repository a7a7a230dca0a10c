"""Sizes from shapes: which argument fixes which size symbol, and which dimensions are checked against what.

The plan is pure data, so that the interpreter runs it and a code generator prints it: both raise the same sentences.
A bare symbol is fixed by the first dimension that has it; a compound size that is linear in its one unknown symbol
fixes that symbol; every other dimension is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from .axis import evaluate_size, size_names, size_symbol
from .errors import ShapeError
from .node import Node

__all__ = ["Place", "SizeCheck", "SizeDefinition", "SizePlan", "rank_message", "size_plan", "solve_sizes"]


@dataclass(frozen=True)
class Place:
    """One dimension of one argument, both counted from 0."""

    argument: int
    dimension: int


@dataclass(frozen=True)
class SizeDefinition:
    """``name = (found - remainder) / coefficient``, which must be an integer from 0 up.

    ``coefficient`` is a number; ``remainder`` holds symbols that earlier definitions fix. A bare symbol has 1 and 0.
    ``message`` is a ``str.format`` template with the field ``found``.
    """

    name: str
    place: Place
    coefficient: Fraction
    remainder: sp.Expr
    message: str


@dataclass(frozen=True)
class SizeCheck:
    """The dimension at ``place`` must be ``size``; ``witness`` is the dimension that fixed its first symbol.

    ``message`` is a ``str.format`` template with the fields ``found``, ``expected`` and ``witness`` (the three
    numbers; ``witness`` only where there is one).
    """

    place: Place
    size: sp.Expr
    witness: Place | None
    message: str


@dataclass(frozen=True)
class SizePlan:
    """Definitions in an order in which they can run, then checks in the order of arguments and dimensions."""

    definitions: tuple[SizeDefinition, ...]
    checks: tuple[SizeCheck, ...]

    def run(self, shapes: Sequence[Sequence[int]]) -> dict[str, int]:
        """The value of every size symbol; :class:`ShapeError` where a dimension does not fit."""
        sizes: dict[str, int] = {}
        for rule in self.definitions:
            found = shapes[rule.place.argument][rule.place.dimension]
            value = (found - evaluate_size(rule.remainder, sizes)) / rule.coefficient
            if value < 0 or value.denominator != 1:
                raise ShapeError(rule.message.format(found=found))
            sizes[rule.name] = int(value)
        for check in self.checks:
            found, expected = shapes[check.place.argument][check.place.dimension], evaluate_size(check.size, sizes)
            if found != expected:
                place = check.witness
                witness = None if place is None else shapes[place.argument][place.dimension]
                raise ShapeError(check.message.format(found=found, expected=expected, witness=witness))
        return sizes


def solve_sizes(inputs: Sequence[Node], shapes: Sequence[Sequence[int]]) -> dict[str, int]:
    """The value of every size symbol in the shapes of ``inputs``.

    Parameters
    ----------
    inputs:
        Input nodes, in the order of the arguments.
    shapes:
        The shape of each argument.

    Returns
    -------
    dict
        Name of a size symbol to its value.

    Raises
    ------
    ShapeError
        Naming the arguments and both sizes, where a shape does not fit.

    Examples
    --------
    >>> from symgraph.axis import Axis
    >>> from symgraph.node import input_node
    >>> solve_sizes([input_node("X", (Axis("i", "n"), Axis("j", "d")))], [(5, 2)])
    {'n': 5, 'd': 2}
    """
    for node, shape in zip(inputs, shapes, strict=True):
        if len(shape) != len(node.axes):
            raise ShapeError(rank_message(node, len(shape)))
    return size_plan(tuple(inputs)).run(shapes)


def rank_message(node: Node, found: int) -> str:
    """The sentence for an argument with the wrong number of dimensions."""
    if not node.axes:
        return f"argument {node.data} has {found} dimension{'s' * (found != 1)}, expected a scalar"
    shape = ", ".join(str(a.size) for a in node.axes) + "," * (len(node.axes) == 1)
    return (
        f"argument {node.data} has {found} dimension{'s' * (found != 1)}, "
        f"expected {len(node.axes)}: its shape is ({shape})"
    )


@lru_cache(maxsize=256)
def size_plan(inputs: tuple[Node, ...]) -> SizePlan:
    """How the shapes of ``inputs`` fix and check the size symbols.

    Raises
    ------
    ShapeError
        Where a symbol appears only in sizes that do not determine it.
    """
    pending = [
        (Place(position, dimension), axis.size)
        for position, node in enumerate(inputs)
        for dimension, axis in enumerate(node.axes)
    ]
    definitions: dict[str, SizeDefinition] = {}
    checked: list[tuple[Place, sp.Expr]] = []
    for place, size in pending:
        if size.is_Symbol and size.name not in definitions:
            definitions[size.name] = _definition(inputs, place, size, size)
        else:
            checked.append((place, size))
    progress = True
    while progress:
        progress = False
        for entry in checked:
            unknown = [name for name in size_names([entry[1]]) if name not in definitions]
            if len(unknown) == 1 and _is_linear(entry[1], size_symbol(unknown[0])):
                definitions[unknown[0]] = _definition(inputs, *entry, size_symbol(unknown[0]))
                checked.remove(entry)
                progress = True
                break
    for place, size in checked:
        for name in size_names([size]):
            if name not in definitions:
                raise ShapeError(
                    f"the size {name} cannot be found from the shapes: argument {inputs[place.argument].data} has "
                    f"the size {size} along axis {place.dimension}, which does not determine it; "
                    f"give {name} as a size of its own in the shape of an argument"
                )
    checks = tuple(_check(inputs, place, size, definitions) for place, size in checked)
    return SizePlan(tuple(definitions.values()), checks)


def _is_linear(size: sp.Expr, symbol: sp.Symbol) -> bool:
    coefficient = size.coeff(symbol, 1)
    return bool(coefficient.is_Rational and coefficient != 0 and not (size - coefficient * symbol).has(symbol))


def _definition(inputs: Sequence[Node], place: Place, size: sp.Expr, symbol: sp.Symbol) -> SizeDefinition:
    coefficient = size.coeff(symbol, 1)
    message = f"{_where(inputs, place, size, '{found}')}: no integer {symbol.name} from 0 up fits"
    remainder = sp.expand(size - coefficient * symbol)
    return SizeDefinition(symbol.name, place, Fraction(int(coefficient.p), int(coefficient.q)), remainder, message)


def _check(
    inputs: Sequence[Node], place: Place, size: sp.Expr, definitions: Mapping[str, SizeDefinition]
) -> SizeCheck:
    names = size_names([size])
    message = _where(inputs, place, size, "{found}")
    if not names:
        return SizeCheck(place, size, None, f"{message}, expected {{expected}}")
    witness = definitions[names[0]].place
    axis = inputs[witness.argument].axes[witness.dimension]
    other = (
        f"argument {_escape(inputs[witness.argument].data)} has {{witness}} along axis {witness.dimension} "
        f"({_escape(str(axis.size))})"
    )
    if size.is_Symbol and axis.size == size:
        return SizeCheck(place, size, witness, f"{message}, but {other}")
    return SizeCheck(place, size, witness, f"{message}, expected {{expected}}: {other}")


def _where(inputs: Sequence[Node], place: Place, size: sp.Expr, found: str) -> str:
    text = "" if size.is_Integer else f" ({_escape(str(size))})"
    return f"argument {_escape(inputs[place.argument].data)} has size {found} along axis {place.dimension}{text}"


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
