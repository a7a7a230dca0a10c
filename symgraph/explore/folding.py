"""What is drawn at once: every value, shared values only, or blocks of many.

A picture is a partition of the values into boxes. At the level "all" each value is a box. At "shared" a box holds one
value that others share (or an input, output or reduction) together with what only it is made of: about the variables of
the emitted program. At "outline" runs of such boxes, neighbours in the order of execution, are one block. What a box
holds is shown when it is opened.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .model import Model, Shown

__all__ = ["LEVELS", "Box", "boxes_at", "default_level"]

LEVELS = ("outline", "shared", "all")
FEW, SOME = 60, 160  # values that are all drawn at first; shared values that are
BLOCKS = 20
HUB = 8  # boxes that an edge leads to from one input


@dataclass(eq=False)
class Box:
    """One box of a picture.

    Attributes
    ----------
    key:
        Its identity: the number of its value, or "first-last" for a block.
    members:
        The values in it, in the order of execution; all that opening it would show.
    value:
        The value that it stands for; None for a block.
    arguments:
        Keys of the boxes that it reads, and that an edge leads from.
    named:
        Keys of inputs that so many boxes read that their edges would hide the picture: the formulas name them.
    group:
        The key of the box that was opened to show this one; empty at the outermost level.
    """

    key: str
    members: tuple[Shown, ...]
    value: Shown | None
    arguments: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    group: str = ""

    @property
    def can_open(self) -> bool:
        """Whether there is more in it than it shows."""
        return len(self.members) > 1


def default_level(model: Model) -> str:
    """The level that a picture opens with: the finest that can be read."""
    if len(model.shown) <= FEW:
        return "all"
    return "shared" if len(_heads(model)) <= SOME else "outline"


def boxes_at(model: Model, level: str, opened: Collection[str] = ()) -> list[Box]:
    """The boxes of a picture, in the order of execution.

    Parameters
    ----------
    model:
        What is shown.
    level:
        A row of :data:`LEVELS`.
    opened:
        Keys of boxes that are shown as what they hold.

    Examples
    --------
    >>> import sympy as sp, symgraph as sg
    >>> from symgraph.explore.model import build_model
    >>> x, y = sp.symbols("x y")
    >>> model = build_model(sg.function(sp.sin(x * y) * x, [x, y]))
    >>> [b.key for b in boxes_at(model, "all")], [b.key for b in boxes_at(model, "shared")]
    (['0', '1', '2', '3', '4'], ['0', '1', '4'])
    """
    if level == "all":
        boxes = [_single(s) for s in model.shown]
    else:
        boxes = _shared(model)
        if level == "outline":
            boxes = _blocks(boxes, opened)
        boxes = [inner for box in boxes for inner in _opened(box, opened)]
    _connect(boxes, model)
    return boxes


def _single(shown: Shown, group: str = "") -> Box:
    return Box(str(shown.number), (shown,), shown, group=group)


def _heads(model: Model) -> list[Shown]:
    return [s for s in model.shown if s.kind != "operation" or len(s.users) != 1]


def _shared(model: Model) -> list[Box]:
    """A box per shared value. Whatever else there is has one user, and belongs to the box of that."""
    heads = {s.number for s in _heads(model)}
    owner: dict[int, int] = {}
    members: dict[int, list[Shown]] = {}
    for shown in reversed(model.shown):
        number = shown.number
        owner[number] = number if number in heads else owner[shown.users[0]]
        members.setdefault(owner[number], []).append(shown)
    return [Box(str(n), tuple(members[n][::-1]), model.shown[n]) for n in sorted(members)]


def _blocks(boxes: Sequence[Box], opened: Collection[str]) -> list[Box]:
    """Inputs, operations and outputs, each in at most so many blocks; opened blocks are blocks of their own again."""
    parts: dict[str, list[Box]] = {"input": [], "operation": [], "output": []}
    for box in boxes:
        kind = box.value.kind if box.value is not None else ""
        parts[kind if kind in ("input", "output") else "operation"].append(box)
    result: list[Box] = []
    for kind, part in parts.items():
        if kind != "operation":
            result += part if len(part) <= BLOCKS else [_block(part, kind)]
            continue
        stack = _pieces(part)[::-1]
        while stack:
            piece = stack.pop()
            block = _block(piece, "block") if len(piece) > 1 else piece[0]
            if block.key in opened and len(piece) > 1:
                stack.extend(_pieces(piece)[::-1])
            else:
                result.append(block)
    opened_inputs = [
        k for k in ("input", "output") if any(b.key.startswith(k) and b.key in opened for b in result)
    ]
    for kind in opened_inputs:
        position = next(i for i, b in enumerate(result) if b.key.startswith(kind))
        result[position : position + 1] = parts[kind]
    return result


def _pieces(boxes: Sequence[Box]) -> list[Sequence[Box]]:
    size = max(1, -(-len(boxes) // BLOCKS))
    return [boxes[i : i + size] for i in range(0, len(boxes), size)]


def _block(boxes: Sequence[Box], kind: str) -> Box:
    members = tuple(sorted((m for b in boxes for m in b.members), key=lambda m: m.number))
    return Box(f"{kind}{boxes[0].key}-{boxes[-1].key}", members, None)


def _opened(box: Box, opened: Collection[str]) -> list[Box]:
    if box.value is None or box.key not in opened or not box.can_open:
        return [box]
    return [_single(member, group=box.key) for member in box.members]


def _connect(boxes: Sequence[Box], model: Model) -> None:
    home = {member.number: box for box in boxes for member in box.members}
    for box in boxes:
        reads: dict[str, None] = {}
        for member in box.members:
            for argument in member.arguments:
                if home[argument] is not box:
                    reads.setdefault(home[argument].key)
        box.arguments = tuple(reads)
    users: dict[str, int] = {}
    for box in boxes:
        for key in box.arguments:
            users[key] = users.get(key, 0) + 1
    hubs = {
        b.key for b in boxes if users.get(b.key, 0) > HUB and b.value is not None and b.value.kind == "input"
    }
    for box in boxes:
        box.named = tuple(k for k in box.arguments if k in hubs)
        box.arguments = tuple(k for k in box.arguments if k not in hubs)
