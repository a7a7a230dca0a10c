"""How often each value is used in the scope that it belongs to: what is used once needs no variable."""

from __future__ import annotations

from ..dtype import BOOLEAN, INTEGER
from ..node import Kind, Node
from .environment import Environment
from .plan import Plan
from .sweeps import Buffer, Compute, Scope, Sweep, Target, Write
from .values import LEAVES

__all__ = ["count_uses", "is_bindable"]

Uses = dict[Scope, dict[Node, int]]


def is_bindable(environment: Environment, node: Node) -> bool:
    """Whether a value that is read or computed in place gets a variable when it is used more than once.

    Loads and floating arithmetic do; the arithmetic of indices and conditions is written where it is used.
    """
    return environment.is_load(node) or node.dtype not in (INTEGER, BOOLEAN)


def count_uses(plan: Plan) -> Uses:
    """For each scope, the uses of the values that belong to it; a use in an inner loop counts as two."""
    environment = Environment(plan)
    uses: Uses = {}
    _count(plan.scope, environment, uses)
    return uses


def _count(scope: Scope, environment: Environment, uses: Uses) -> None:
    environment.enter(scope)
    uses[scope] = {}
    position = len(environment.frames) - 1
    for item in scope.items:
        match item:
            case Compute(node):
                for argument in environment.operands(node):
                    _use(argument, position, environment, uses)
                environment.publish_variable(node, position)
            case Write(root, finished):
                for part in (root.value, *root.sink.indices):
                    _use(part, position, environment, uses)
                _publish(finished, environment)
            case Sweep():
                _count(item.body, environment, uses)
                _publish(item.finished, environment)
    environment.leave()


def _publish(finished: tuple[tuple[Node, Target], ...], environment: Environment) -> None:
    for node, target in finished:
        if isinstance(target, Buffer):
            environment.publish_table(node, target)
        else:
            environment.publish_variable(node, len(environment.frames) - 1)


def _use(node: Node, position: int, environment: Environment, uses: Uses) -> None:
    stack = [(node, position)]
    while stack:
        node, position = stack.pop()
        node = environment.resolved(node, position)
        if node.kind in LEAVES and not (node.kind is Kind.INPUT and node.axes):
            continue
        home = environment.home(node, position)
        counts = uses[environment.frames[home].scope]
        known = counts.get(node, 0)
        counts[node] = known + (1 if home == position else 2)
        if node not in environment.variables and (not known or not is_bindable(environment, node)):
            stack.extend((operand, home) for operand in environment.operands(node))
