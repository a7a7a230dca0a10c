"""The records of a plan: nested sweeps, and in each of them what is computed, stored and accumulated, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ..axis import Axis
from ..dtype import Dtype
from ..graph import Output
from ..node import Node
from .affine import Bound, Facts

__all__ = [
    "Accumulator", "Buffer", "Compute", "Fill", "Item", "OutputArray", "Root", "Scope", "Sink", "Sweep", "Target",
    "Write",
]  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Buffer:
    """A scratch array that holds ``node`` for every index of ``axes`` (in this order, row-major)."""

    node: Node
    axes: tuple[Axis, ...]
    reason: str

    @property
    def dtype(self) -> Dtype:
        """The kind of number of the elements."""
        return self.node.dtype


@dataclass(frozen=True, eq=False, slots=True)
class Accumulator:
    """A scalar that a reduction is collected in."""

    node: Node

    @property
    def dtype(self) -> Dtype:
        """The kind of number."""
        return self.node.dtype


@dataclass(frozen=True, eq=False, slots=True)
class OutputArray:
    """An output of the function."""

    position: int
    output: Output

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The dimensions."""
        return self.output.axes

    @property
    def dtype(self) -> Dtype:
        """The kind of number of the elements."""
        return self.output.node.dtype


Target: TypeAlias = Buffer | Accumulator | OutputArray


@dataclass(frozen=True, eq=False, slots=True)
class Sink:
    """Where a value goes: stored (``reducer`` is None) or accumulated, at one index per dimension."""

    target: Target
    reducer: str | None
    indices: tuple[Node, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Root:
    """A value that a scope must deliver to a sink, for every index of ``axes``, where ``conditions`` hold."""

    value: Node
    sink: Sink
    axes: tuple[Axis, ...]
    conditions: Facts = frozenset()


@dataclass(frozen=True, eq=False, slots=True)
class Compute:
    """The value of a node for the current indices."""

    node: Node


@dataclass(frozen=True, eq=False, slots=True)
class Write:
    """Deliver a root whose axes are all open. ``finished``: what can be read afterwards, and where."""

    root: Root
    finished: tuple[tuple[Node, Target], ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Fill:
    """Set a target to the identity of a reducer, before something is accumulated into it."""

    target: Target
    reducer: str


@dataclass(eq=False, slots=True)
class Sweep:
    """One loop over an axis, from the greatest of ``lower`` (and 0) to the least of ``upper`` (and the size)."""

    axis: Axis
    lower: tuple[Bound, ...]
    upper: tuple[Bound, ...]
    time: int
    body: Scope
    finished: tuple[tuple[Node, Target], ...] = ()


Item: TypeAlias = Compute | Write | Fill | Sweep


@dataclass(eq=False, slots=True)
class Scope:
    """What happens, in order, while some axes are open and some conditions hold."""

    open: tuple[Axis, ...]
    facts: Facts
    items: list[Item] = field(default_factory=list)
