"""The one node type of the graph: immutable, interned, in ten closed kinds.

``make`` is the only way to create a node. It returns the existing node when one of the same key exists, so that
equality of values built in the same way is identity. The key is the kind, the arguments by identity, the axes, the
dtype and a type-exact form of the data: 1, 1.0, True and -0.0 are four different constants.

Nothing in this package recurses over a graph: chains of 10**5 nodes are ordinary.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Hashable, Iterable
from enum import Enum
from fractions import Fraction
from typing import Any

import sympy as sp

from .axis import Axis
from .dtype import BOOLEAN, FLOATING, INTEGER, Dtype

__all__ = ["Kind", "Node", "axis_index", "constant", "input_node", "make", "size_node", "union_axes"]


class Kind(Enum):
    """The ten kinds of nodes, with what ``args`` and ``data`` hold.

    ============ ============================== ==================================================
    kind         args                           data
    ============ ============================== ==================================================
    INPUT        ()                             name; ``axes`` in declared order
    CONST        ()                             int, Fraction, float, bool or an exact SymPy number
    SIZE         ()                             name of a size symbol
    AXIS_INDEX   ()                             the Axis (also the only entry of ``axes``)
    ELEMENTWISE  arguments                      name of a row of the op table
    REDUCE       (argument,)                    (name of a reducer, Axis that is reduced)
    BROADCAST    (argument,)                    the Axis that is added
    GATHER       (array, index, ...)            the axes of ``array`` that the indices replace
    SCATTER_ADD  (value, index, ...)            (target axes, one per index; summed axes)
    SCAN         (init, ..., free value, ...)   a Recurrence: closed inner graph and trip count
    ============ ============================== ==================================================
    """

    INPUT = "input"
    CONST = "const"
    SIZE = "size"
    AXIS_INDEX = "axis_index"
    ELEMENTWISE = "elementwise"
    REDUCE = "reduce"
    BROADCAST = "broadcast"
    GATHER = "gather"
    SCATTER_ADD = "scatter_add"
    SCAN = "scan"

    __hash__ = object.__hash__  # members are singletons: hashing by identity is several times faster


class Node:
    """An interned node. Compare with ``is``; order with ``number``, which grows with creation.

    Attributes
    ----------
    kind, args, data:
        See :class:`Kind`.
    axes:
        The axes that the value varies over, without repetition, in a deterministic order.
    dtype:
        :class:`~symgraph.dtype.Dtype` of the value.
    number:
        Creation counter: an argument always has a smaller number than its user.
    """

    __slots__ = ("__weakref__", "args", "axes", "data", "dtype", "kind", "number")
    kind: Kind
    args: tuple[Node, ...]
    axes: tuple[Axis, ...]
    dtype: Dtype
    data: Any
    number: int

    def __repr__(self) -> str:
        inner = [f"#{a.number}" for a in self.args]
        if self.data is not None:
            inner.insert(0, repr(self.data))
        axes = f"[{', '.join(a.name for a in self.axes)}]" if self.axes else ""
        return f"#{self.number}={self.kind.value}({', '.join(inner)}){axes}"



class _Reference(weakref.ref[Node]):
    """A weak reference that knows its key: the entry goes when the node does.

    A WeakValueDictionary does the same through layers of Python; this table is the hot path of everything.
    """

    __slots__ = ("key",)
    key: Hashable


_TABLE: dict[Hashable, _Reference] = {}
_COUNTER = itertools.count(1)
_LOCK = threading.RLock()  # collecting garbage inside make may forget other nodes: the same thread comes again


def make(
    kind: Kind,
    args: tuple[Node, ...] = (),
    axes: tuple[Axis, ...] = (),
    dtype: Dtype = FLOATING,
    data: Any = None,
    data_key: Hashable = None,
) -> Node:
    """The node of this key, created when it does not exist. ``data_key`` replaces data that compares too loosely."""
    key = (kind, args, axes, dtype, data if data_key is None else data_key)
    entry = _TABLE.get(key)
    node = None if entry is None else entry()
    if node is None:
        with _LOCK:
            entry = _TABLE.get(key)
            node = None if entry is None else entry()
            if node is None:
                node = Node()
                node.kind, node.args, node.axes, node.dtype, node.data = kind, args, axes, dtype, data
                node.number = next(_COUNTER)
                entry = _Reference(node, _forget)
                entry.key = key
                _TABLE[key] = entry
    return node


def _forget(entry: _Reference) -> None:
    """Drop the entry of a node that is gone, unless a new node of the same key has taken its place."""
    with _LOCK:
        if _TABLE.get(entry.key) is entry:
            del _TABLE[entry.key]


def union_axes(nodes: Iterable[Node]) -> tuple[Axis, ...]:
    """The axes of all nodes, each once, in the order of first appearance."""
    axes: tuple[Axis, ...] = ()
    for node in nodes:
        if node.axes and node.axes is not axes:
            axes = node.axes if not axes else axes + tuple(a for a in node.axes if a not in axes)
    return axes


def constant(value: object) -> Node:
    """An exact number. Whole fractions become integers; floats stay floats.

    >>> constant(Fraction(4, 2)) is constant(2), constant(1) is constant(1.0)
    (True, False)
    """
    if type(value) is int and (small := _SMALL.get(value)) is not None:
        return small
    if isinstance(value, bool):
        return make(Kind.CONST, dtype=BOOLEAN, data=value, data_key=("bool", value))
    if isinstance(value, int):
        return make(Kind.CONST, dtype=INTEGER, data=value, data_key=("int", value))
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return constant(value.numerator)
        return make(Kind.CONST, data=value, data_key=("fraction", value))
    if isinstance(value, float):
        number = float(value)
        exact = number if number and number == number else repr(number)  # tells -0.0 from 0.0, and nan is one constant
        return make(Kind.CONST, data=number, data_key=("float", exact))
    if isinstance(value, sp.Float):
        return make(Kind.CONST, data=value, data_key=("big float", value._mpf_, value._prec))
    if isinstance(value, sp.NumberSymbol):
        return make(Kind.CONST, data=value, data_key=("symbol", str(value)))
    raise TypeError(f"{value!r} of type {type(value).__name__} is no constant of a graph")


_SMALL: dict[int, Node] = {}  # exponents and coefficients of every day, looked up without a key
_SMALL.update({number: constant(number) for number in range(-4, 5)})


def input_node(name: str, axes: tuple[Axis, ...] = (), dtype: Dtype = FLOATING) -> Node:
    """A named array with ordered axes, or a scalar."""
    return make(Kind.INPUT, (), tuple(axes), dtype, name)


def axis_index(axis: Axis) -> Node:
    """The running index of an axis, an integer from 0 to its size less one."""
    return make(Kind.AXIS_INDEX, (), (axis,), INTEGER, axis)


def size_node(name: str) -> Node:
    """The value of a size symbol, an integer."""
    return make(Kind.SIZE, (), (), INTEGER, name)
