"""What single boxes hold, each as a picture of its own: a page without Python opens boxes with these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .folding import Box, boxes_at
from .model import Model

__all__ = ["insides"]


def insides(model: Model, level: str, most: int) -> dict[str, list[Box]]:
    """For each box of a level that can be opened: the boxes that it holds, after those that they read.

    Boxes inside of boxes come too. Every value is inside of one box of a level, so that all pictures together are not
    much larger than one that shows everything.

    Parameters
    ----------
    model:
        What is shown.
    level:
        A row of :data:`~symgraph.explore.folding.LEVELS`.
    most:
        Boxes of all pictures together; what is beyond stays closed.

    Examples
    --------
    >>> from symgraph.explore.model import build_model
    >>> x, y = sp.symbols("x y")
    >>> found = insides(build_model(sg.function(sp.sin(x * y) * x, [x, y])), "shared", 100)
    >>> {key: [box.key for box in boxes] for key, boxes in found.items()}
    {'4': ['0', '1', '2', '3', '4']}
    """
    found: dict[str, list[Box]] = {}
    opened: tuple[str, ...] = ()
    closed = {box.key: box for box in boxes_at(model, level) if box.can_open}
    count = 0
    while closed and count <= most:  # all of one depth at a time
        opened = (*opened, *closed)
        boxes = boxes_at(model, level, opened)
        by_key = {box.key: box for box in boxes}
        outer = {member.number: key for key, box in closed.items() for member in box.members}
        inside: dict[str, list[Box]] = {key: [] for key in closed}
        for box in boxes:
            if (key := outer.get(box.members[0].number)) is not None:
                inside[key].append(box)
        for key, inner in inside.items():
            count += len(inner)
            if len(inner) > 1 and count <= most:
                found[key] = _with_arguments(inner, by_key)
        closed = {b.key: b for inner in inside.values() for b in inner if b.can_open and b.key not in opened}
    return found


def _with_arguments(inner: Sequence[Box], boxes: Mapping[str, Box]) -> list[Box]:
    """The boxes inside, and before them what they read from outside, without what that reads."""
    keys = {b.key for b in inner}
    read = dict.fromkeys(key for b in inner for key in (*b.arguments, *b.named) if key not in keys)
    outside = [Box(b.key, b.members if b.value is None else (b.value,), b.value) for b in map(boxes.__getitem__, read)]
    inside = [Box(b.key, b.members, b.value, (*b.arguments, *b.named)) for b in inner]
    return [*outside, *inside]
