"""The arguments of a function: which objects of the user's are inputs, in which order, under which names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.tensor.array import NDimArray
from sympy.tensor.array.expressions.array_expressions import ArraySymbol

from .. import simplify as s
from ..axis import Axis, size_expression
from ..dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ..errors import ModelError, UnsupportedError
from ..node import Node, constant, input_node
from .engine import Array
from .pool import unique_name
from .sums import limit_parts
from .survey import Survey, is_variable

__all__ = ["Arguments", "declare"]

_ARRAYS = (sp.IndexedBase, sp.MatrixSymbol, ArraySymbol)
_EXPLICIT = (sp.MatrixBase, NDimArray)


@dataclass
class Arguments:
    """The input nodes in order, the user's objects, and the node of every scalar and array that is read."""

    nodes: list[Node] = field(default_factory=list)
    objects: list[object] = field(default_factory=list)
    scalars: dict[int, Node] = field(default_factory=dict)
    arrays: dict[sp.Basic, Array] = field(default_factory=dict)


def declare(survey: Survey, inputs: object) -> Arguments:
    """The arguments: the given ones, or by default everything that is free, sorted by name.

    Raises
    ------
    ModelError
        An input that is a size or a summation index, or given twice.
    UnsupportedError
        An input that can be no argument, an array without a shape that its indices tell.
    """
    named = _listed(survey, inputs)
    _check(survey, [item for _, item in named])
    arguments = Arguments()
    names = _names(named)
    for name, (_, item) in zip(names, named, strict=True):
        _add(arguments, survey, name, item)
    return arguments


def _listed(survey: Survey, inputs: object) -> list[tuple[str | None, sp.Basic]]:
    if inputs is None:
        free = [v for v in survey.variables if not _is_size(survey, v)]
        items = [*free, *survey.arrays]
        _check_assumptions(free)
        return [(None, item) for item in sorted(items, key=_sorting)]
    if isinstance(inputs, Mapping):
        return [(_text(name), _basic(item)) for name, item in inputs.items()]
    if isinstance(inputs, (sp.Basic, sp.MatrixBase)) and not isinstance(inputs, sp.Tuple):
        return [(None, _basic(inputs))]
    if not isinstance(inputs, (Sequence, sp.Tuple)) or isinstance(inputs, str):
        raise UnsupportedError(
            f"inputs are a sequence of symbols and arrays, found {type(inputs).__name__}: use [x, y]"
        )
    return [(None, _basic(item)) for item in inputs]


def _check_assumptions(free: Sequence[sp.Basic]) -> None:
    """Two symbols of one name are nearly always one symbol that was made twice, with different assumptions."""
    symbols: dict[str, sp.Symbol] = {}
    for item in free:
        if isinstance(item, sp.Symbol) and not isinstance(item, sp.Dummy):
            if item.name in symbols:
                raise ModelError(
                    f"there are two symbols {item.name} with different assumptions: "
                    "make them the same, or list both in inputs"
                )
            symbols[item.name] = item


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise UnsupportedError(f"the name of an input is text, found {name!r}")
    return name


def _basic(item: object) -> sp.Basic:
    if isinstance(item, sp.MatrixBase):
        return item.as_immutable()
    if isinstance(item, NDimArray):
        return item.as_immutable()
    if isinstance(item, sp.Basic) and (is_variable(item) or isinstance(item, _ARRAYS)):
        return item
    raise UnsupportedError(
        f"{item!r} of type {type(item).__name__} can be no input: use a Symbol, an IndexedBase with a shape, a "
        "MatrixSymbol, a Matrix or Array of symbols, or q(t) and its derivatives"
    )


def _sorting(item: sp.Basic) -> tuple[str, int]:
    return _own_name(item), getattr(item, "dummy_index", 0)


def _is_size(survey: Survey, item: sp.Basic) -> bool:
    return isinstance(item, sp.Symbol) and not isinstance(item, sp.Dummy) and item.name in survey.size_names


def _check(survey: Survey, items: list[sp.Basic]) -> None:
    seen: dict[sp.Basic, None] = {}
    elements = [e for item in items for e in (_elements(item) if isinstance(item, _EXPLICIT) else [item])]
    binder_names = {str(b) for b in survey.binders if not isinstance(b, sp.Dummy)}
    for item in elements:
        if not is_variable(item) and not isinstance(item, _ARRAYS):
            raise UnsupportedError(
                f"{item} in a matrix of inputs is no symbol: every element is to be a symbol of its own"
            )
        if item in seen:
            raise ModelError(f"the input {item} is given twice: leave one out")
        seen[item] = None
        if item in survey.binders or (
            isinstance(item, sp.Symbol) and not isinstance(item, sp.Dummy) and item.name in binder_names
        ):
            raise ModelError(f"{item} is an input and also a summation index: rename one of the two")
        if _is_size(survey, item):
            raise ModelError(
                f"{item} is a size: its value comes from the shapes of the arrays, so that it is no argument; leave it "
                "out of inputs"
            )


def _elements(item: sp.Basic) -> list[sp.Basic]:
    return list(item.flat()) if isinstance(item, sp.MatrixBase) else list(item._array)


# ------------------------------------------------------------------------------------------------------------ names
def _own_name(item: sp.Basic) -> str:
    """The name that the user gave: of a symbol, an array, a function; ``q_tt`` for the second derivative of q(t)."""
    if isinstance(item, sp.Derivative):
        return f"{_own_name(item.expr)}_{''.join(v.name for v in item.variables)}"
    if isinstance(item, AppliedUndef):
        return str(type(item).__name__)
    if isinstance(item, (sp.IndexedBase, sp.Idx)):
        return str(item.label)
    if isinstance(item, _EXPLICIT):
        return _stem([_own_name(e) for e in _elements(item)])
    return str(item.name)


def _stem(names: list[str]) -> str:
    """What the names of the elements of a matrix begin with, without the count: x for x0, x1, x2."""
    stems = list(dict.fromkeys(re.sub(r"[\d_,{}()\[\]]+$", "", name) for name in names))
    return stems[0] if len(stems) == 1 and stems[0] else "vector"


def _names(named: list[tuple[str | None, sp.Basic]]) -> list[str]:
    """Names of the arguments, all different; names that the user wrote come before those that were made up."""
    names: list[str | None] = [name for name, _ in named]
    taken = {name for name in names if name is not None}
    for made_up in (False, True):
        for position, (_, item) in enumerate(named):
            if names[position] is None and made_up == isinstance(item, (sp.Derivative, *_EXPLICIT)):
                name = names[position] = unique_name(_own_name(item), taken)
                taken.add(name)
    return [name for name in names if name is not None]


# ------------------------------------------------------------------------------------------------------------ nodes
def _add(arguments: Arguments, survey: Survey, name: str, item: sp.Basic) -> None:
    if isinstance(item, _EXPLICIT):
        axes = tuple(Axis(f"{name}.{k}", int(size)) for k, size in enumerate(item.shape))
        elements = _elements(item)
        dtype = INTEGER if elements and all(e.is_integer for e in elements) else FLOATING
        node = input_node(name, axes, dtype)
        for count, element in enumerate(elements):
            place = {}
            for axis in reversed(axes):
                count, index = divmod(count, int(axis.size))
                place[axis] = constant(index)
            arguments.scalars[survey.number(element)] = s.gather(node, {a: place[a] for a in axes})
    elif isinstance(item, _ARRAYS):
        axes = tuple(Axis(f"{name}.{k}", size) for k, size in enumerate(_shape(survey, item)))
        node = input_node(name, axes, _dtype(survey, item))
        arguments.arrays[item] = Array(name, node)
    else:
        node = input_node(name, (), _dtype(survey, item))
        arguments.scalars[survey.number(item)] = node
    arguments.nodes.append(node)
    arguments.objects.append(item)


def _dtype(survey: Survey, item: sp.Basic) -> Dtype:
    number = survey.number(item)
    if isinstance(item, sp.IndexedBase):
        integer = item.assumptions0.get("integer") if hasattr(item, "assumptions0") else None
    else:
        integer = getattr(item, "is_integer", None)
    if number in survey.booleans:
        return BOOLEAN
    declared_real = integer is None and getattr(
        item, "is_real", None
    )  # a real index is refused where it is used
    if number in survey.integers and integer is not False and not declared_real:
        return INTEGER
    return INTEGER if integer else FLOATING


def _shape(survey: Survey, item: sp.Basic) -> tuple[sp.Expr, ...]:
    """The sizes of an array: from its shape, or from the ranges of its indices when all of them are plain."""
    if item.shape is not None and not (isinstance(item, sp.IndexedBase) and not item.shape):
        return tuple(size_expression(sp.sympify(size)) for size in item.shape)
    name = _own_name(item)
    accesses = survey.accesses.get(item, [])
    if not accesses:
        raise _shapeless(name, "is never indexed")
    if len({len(indices) for indices in accesses}) > 1:
        raise _shapeless(name, "has indices of different numbers")
    columns = zip(*accesses, strict=True)
    return tuple(_full_range(survey, name, dimension, column) for dimension, column in enumerate(columns))


def _full_range(survey: Survey, name: str, dimension: int, indices: Sequence[sp.Basic]) -> sp.Expr:
    """The size of one dimension, from everything that indexes it; an index without a range tells nothing.

    A shifted index, as in ``X[i + 1]``, reaches as far as its range does. Where nothing tells, the size is any.
    """
    reached: dict[tuple[sp.Expr, sp.Expr], None] = {}
    for index in indices:
        ends = _ends(survey, index)
        if ends is not None:
            reached[ends] = None
        elif survey.free(survey.number(index)):
            raise _shapeless(name, f"has the index {index}, which does not run over one whole range from 0")
    if not reached:
        free = f"size_{dimension}_of_{name}"
        survey.size_names.setdefault(free)
        return size_expression(free)
    sizes = [size_expression(high + 1) for _, high in reached]
    largest = next((s for s in sizes if all((s - other).is_nonnegative for other in sizes)), None)
    if largest is None:
        raise _shapeless(name, f"is indexed over {' and over '.join(map(str, dict.fromkeys(sizes)))}")
    if not any(low == 0 for low, _ in reached):
        raise _shapeless(name, f"has the index {indices[0]}, which does not run over one whole range from 0")
    return largest


def _ends(survey: Survey, index: sp.Basic) -> tuple[sp.Expr, sp.Expr] | None:
    """The first and the last value of an index, a summation index plus an integer; None where it has no one range."""
    terms = index.args if isinstance(index, sp.Add) else (index,)
    bound = [term for term in terms if term in survey.binders]
    shift = sp.Add(*[term for term in terms if term not in survey.binders])
    if len(bound) != 1 or not shift.is_Integer:
        return None
    ranges = survey.binders[bound[0]]
    if len(ranges) != 1:
        return None
    _, lower, upper = limit_parts(sp.Tuple(bound[0], *next(iter(ranges))))
    plain = all(s.name in survey.size_names for s in (*lower.free_symbols, *upper.free_symbols))
    low = sp.expand(lower + shift)
    return (low, upper + shift) if plain and low.is_Integer and low >= 0 else None


def _shapeless(name: str, why: str) -> ModelError:
    return ModelError(
        f"the array {name} has no shape, and it {why}: give it one, as in IndexedBase({name!r}, shape=(n,))"
    )
