"""What the grammar of the loop IR asks of a loop over lanes, beyond what it asks of every loop."""

from __future__ import annotations

from .loop_ir import Accumulate, Alloc, Array, Call, Expression, For, If, Let, Load, Store, Variable
from .loop_walks import expressions_of, leaves, mentions, walk

__all__ = ["broken_rule"]


def broken_rule(loop: For) -> str:
    """The first rule that a loop over lanes breaks, in words; "" when it keeps all of them."""
    assert loop.lanes is not None
    collected = {c.by.name for c in loop.lanes.collected}
    own: set[str] = set()  # variables that every turn has for itself
    turns = {loop.index.name}  # what differs between turns
    read: dict[str, None] = {}
    written: dict[str, None] = {}
    targets = [c.target for c in loop.lanes.collected if not isinstance(c.target, Variable)]
    for shared in targets:
        written.setdefault(shared.name if isinstance(shared, Array) else shared.array.name)

    def differs(expression: Expression) -> bool:
        return mentions(expression, turns) or any(isinstance(x, Load) and x.array.lanes for x in leaves(expression))

    for statement in walk(loop.body.statements):
        expressions = expressions_of(statement)
        if isinstance(statement, Accumulate):
            target = statement.target
            expressions = (statement.value, *((target.index,) if isinstance(target, Load) else ()))
        for expression in expressions:
            for leaf in leaves(expression):
                name = leaf.array.name if isinstance(leaf, Load) else leaf.name if isinstance(leaf, Variable) else ""
                if name in collected:
                    return f"{name} is read by the turns that collect it"
                if isinstance(leaf, Load) and not leaf.array.lanes:
                    read.setdefault(name)
        match statement:
            case Let(variable, value, mutable):
                own.add(variable.name)
                if mutable or differs(value):
                    turns.add(variable.name)
            case For(index, start, stop, lanes=lanes):
                own.add(index.name)
                if lanes is not None:
                    return f"the loop over {index.name} runs over lanes inside another one that does"
                if differs(start) or differs(stop):
                    return f"the bounds of the loop over {index.name} differ between turns"
            case If(condition):
                if differs(condition):
                    return "turns take different branches"
            case Accumulate(Variable(name)):
                if name not in own and name not in collected:
                    return f"{name} is accumulated by all turns, but not collected"
            case Store(array, index) | Accumulate(Load(array, index)):
                if array.lanes and differs(index):
                    return f"an index of {array.name}, which each turn has for itself, differs between turns"
                if not array.lanes:
                    written.setdefault(array.name)
                    if not differs(index):
                        if isinstance(statement, Store):
                            return f"all turns write to the same element of {array.name}"
                        return f"{array.name} is accumulated by all turns, but not collected"
            case Alloc() | Call():
                return "it calls another function"
    both = [name for name in written if name in read]
    return f"{both[0]} is written by some turns and read by others" if both else ""
