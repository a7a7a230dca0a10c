"""From a plan to the loop IR: names, indices, casts, and which values become variables.

A value that is used once is written where it is used, as long as the expression stays readable; a value that
is used more often, or in an inner loop, is bound to a variable in the scope that computes it. Loads are bound
in the outermost scope in which their indices are known and the read is safe.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..axis import Axis
from ..dtype import BOOLEAN, INTEGER
from ..graph import collection_paused
from ..node import Kind, Node
from ..reducers import REDUCERS
from .affine import Affine, Bound
from .domains import guards
from .environment import Environment
from .expressions import (
    cast,
    depth_of,
    flat_index,
    integer,
    integer_product,
    integer_sum,
    typed_operation,
    weight_of,
)  # fmt: skip
from .loop_ir import (
    Accumulate,
    Alloc,
    Array,
    Block,
    Expression,
    For,
    If,
    IndexCheck,
    Let,
    Literal,
    Load,
    Operation,
    Procedure,
    Statement,
    Store,
    Variable,
)  # fmt: skip
from .naming import Names
from .plan import Plan
from .races import is_parallel
from .sweeps import Accumulator, Buffer, Compute, Fill, OutputArray, Root, Scope, Sweep, Target, Write
from .usage import count_uses, is_bindable

__all__ = ["Lowering", "lower"]

MOST_INLINE_DEPTH = 7
MOST_INLINE_WEIGHT = 10
MOST_OPERANDS = 100  # of one printed operation


def lower(plan: Plan) -> Procedure:
    """The Procedure that carries out a plan.

    >>> from symgraph.graph import Graph, Output
    >>> from symgraph.node import input_node
    >>> from symgraph.ops import apply_op
    >>> from symgraph.codegen.plan import plan_graph
    >>> x = input_node("x")
    >>> procedure = lower(plan_graph(Graph("f", (x,), (Output("out", apply_op("sin", x)),))))
    >>> procedure.body.statements[0].value.op
    'sin'
    """
    with collection_paused():
        return Lowering(plan).procedure()


class Lowering:
    """One walk through a plan: names, open scopes and the statements so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = Names(plan)
        self.uses = count_uses(plan)
        self.environment = Environment(plan)
        self.statements: list[list[Statement]] = []
        self.expressions: dict[Node, Expression] = {}
        self.accumulators: dict[Target, Variable] = {}
        self.buffers: dict[Buffer, Array] = {}
        self.fills: dict[Buffer, Literal] = {}
        self.indices: dict[Axis, Variable] = {}
        self.checks: dict[IndexCheck, None] = {}
        self.announced: set[int] = set()

    def procedure(self) -> Procedure:
        plan, names = self.plan, self.names
        head: list[Statement] = []
        for target, reducer in plan.fills:
            head.extend(self.filled(target, reducer))
        body = self.block(plan.scope)
        allocations = [Alloc(a, self.count(b.axes), self.fills.get(b)) for b, a in self.buffers.items()]
        return Procedure(
            names.function, tuple(names.inputs[n] for n in plan.graph.inputs), tuple(names.outputs),
            tuple(names.sizes.values()), Block((*allocations, *head, *body)), tuple(self.checks),
        )  # fmt: skip

    # -------------------------------------------------------------------------------------------------- statements
    def block(self, scope: Scope) -> list[Statement]:
        self.environment.enter(scope)
        statements: list[Statement] = []
        self.statements.append(statements)
        for item in scope.items:
            match item:
                case Compute(node):
                    self.compute(node)
                case Write(root, finished):
                    statements.extend(self.write(root))
                    self.publish(finished)
                case Fill(target, reducer):
                    statements.extend(self.filled(target, reducer))
                case Sweep():
                    self.sweep(item)
        self.statements.pop()
        self.environment.leave()
        return statements

    def sweep(self, sweep: Sweep) -> None:
        start, stop = self.start(sweep), self.stop(sweep)
        index = self.indices[sweep.axis] = Variable(self.names.new(sweep.axis.name), INTEGER)
        parallel = len(self.statements) == 1 and is_parallel(sweep)
        body = self.block(sweep.body)
        del self.indices[sweep.axis]
        self.statements[-1].append(For(index, start, stop, Block(tuple(body)), parallel))
        self.publish(sweep.finished)

    def publish(self, finished: Sequence[tuple[Node, Target]]) -> None:
        for node, target in finished:
            if isinstance(target, Buffer):
                self.environment.publish_table(node, target)
            else:
                self.environment.publish_variable(node, len(self.statements) - 1)
                self.expressions[node] = self.accumulators[target]

    def compute(self, node: Node) -> None:
        position = len(self.statements) - 1
        uses = self.uses[self.environment.frames[-1].scope].get(node, 0)
        if not uses:
            return
        expression = self.in_steps(self.operation(node), position)
        if uses > 1 or depth_of(expression) > MOST_INLINE_DEPTH or weight_of(expression) > MOST_INLINE_WEIGHT:
            expression = self.let(expression, position)
        self.environment.publish_variable(node, position)
        self.expressions[node] = expression

    def in_steps(self, expression: Expression, position: int) -> Expression:
        """A sum or product of very many operands in several statements, left to right: compilers recurse over it."""
        if not isinstance(expression, Operation) or len(expression.operands) <= MOST_OPERANDS:
            return expression
        op, dtype = expression.op, expression.dtype
        operands, rest = expression.operands[:MOST_OPERANDS], expression.operands[MOST_OPERANDS:]
        while rest:
            so_far = self.let(Operation(op, operands, dtype), position)
            operands, rest = (so_far, *rest[: MOST_OPERANDS - 1]), rest[MOST_OPERANDS - 1 :]
        return Operation(op, operands, dtype)

    def let(self, expression: Expression, position: int, name: str | None = None) -> Expression:
        if isinstance(expression, (Variable, Literal)):
            return expression
        text = self.names.temporary() if name is None else self.names.new(name)
        variable = Variable(text, expression.dtype)
        self.statements[position].append(Let(variable, expression))
        return variable

    def write(self, root: Root) -> list[Statement]:
        target, reducer = root.sink.target, root.sink.reducer
        value = cast(self.value(root.value), target.dtype)
        if isinstance(target, Accumulator):
            assert reducer is not None
            return [Accumulate(self.accumulators[target], reducer, value)]
        array = self.array(target)
        value = cast(value, array.dtype)  # a floating output that is folded to a whole number is an integer here
        index = flat_index([self.value(i) for i in root.sink.indices], [self.size(a) for a in target.axes])
        statement: Statement
        if reducer is None:
            statement = Store(array, index, value, self.comment(target))
        else:
            statement = Accumulate(Load(array, index), reducer, value)
        conditions = self.outside(root)
        return [If(conditions, Block((statement,)))] if conditions is not None else [statement]

    def outside(self, root: Root) -> Expression | None:
        """The condition under which a scattered value has a place, where that is not certain."""
        target = root.sink.target
        if isinstance(target, Accumulator):
            return None
        facts = self.environment.frames[-1].scope.facts
        conditions = guards(root.value)
        promised = all(self.plan.conditions.decide(c, facts) for c in conditions)
        unsafe = []
        for axis, index in zip(target.axes, root.sink.indices, strict=True):
            if index.kind is not Kind.AXIS_INDEX or index.data.size != axis.size:
                if self.environment.in_range(axis, index, facts, promised, not conditions):
                    self.check(axis, index)
                else:
                    unsafe.append((axis, index))
        return self.inside(unsafe)

    def filled(self, target: Target, reducer: str) -> list[Statement]:
        """Statements that set a target to the identity of a reducer."""
        identity = Literal(REDUCERS[reducer].identity, target.dtype)
        if isinstance(target, Accumulator):
            variable = Variable(self.names.new(f"{reducer}_{target.node.data[1].name}"), target.dtype)
            self.accumulators[target] = variable
            return [Let(variable, identity, mutable=True)]
        array = self.array(target)
        if isinstance(target, Buffer) and len(self.statements) == 1:
            self.fills[target] = identity
            return []
        if not target.axes:
            return [Store(array, integer(0), identity, self.comment(target))]
        index = Variable(self.names.new("element"), INTEGER)
        store = Store(array, index, identity)
        return [For(index, integer(0), self.count(target.axes), Block((store,)), comment=self.comment(target))]

    def comment(self, target: Target) -> str:
        """The name of an output at the first statement that writes it."""
        if not isinstance(target, OutputArray) or target.position in self.announced:
            return ""
        self.announced.add(target.position)
        return target.output.name

    # ------------------------------------------------------------------------------------------------- expressions
    def value(self, node: Node) -> Expression:
        """The expression that stands for a value in the scope that is open now."""
        return self.value_at(node, len(self.statements) - 1)

    def value_at(self, node: Node, position: int) -> Expression:
        environment = self.environment
        node = environment.resolved(node, position)
        match node.kind:
            case Kind.CONST:
                return Literal(node.data, node.dtype)
            case Kind.SIZE:
                return self.names.sizes[node.data]
            case Kind.AXIS_INDEX:
                return self.indices[node.data]
            case Kind.INPUT if not node.axes:
                scalar = self.names.inputs[node]
                assert isinstance(scalar, Variable)
                return scalar
        if node in environment.variables:
            return self.expressions[node]
        form = self.plan.forms.get(node)
        if form is not None:
            return self.affine(form)
        home = environment.home(node, position)
        name = None
        if environment.is_load(node):
            expression, name = self.load(node, home)
        else:
            expression = self.operation_at(node, home)
        if self.uses[environment.frames[home].scope].get(node, 0) > 1 and is_bindable(environment, node):
            expression = self.let(expression, home, name)
            environment.publish_variable(node, home)
            self.expressions[node] = expression
        return expression

    def operation(self, node: Node) -> Expression:
        position = len(self.statements) - 1
        return self.load(node, position)[0] if node.kind is Kind.GATHER else self.operation_at(node, position)

    def operation_at(self, node: Node, position: int) -> Expression:
        assert node.kind is Kind.ELEMENTWISE, node
        return typed_operation(node.data, [self.value_at(a, position) for a in node.args], node.dtype)

    def load(self, node: Node, position: int) -> tuple[Expression, str]:
        """A read from an array, and a name for what is read."""
        environment = self.environment
        source = node if node in environment.tables or node.kind is Kind.INPUT else node.args[0]
        place = {} if source is node else dict(zip(node.data, node.args[1:], strict=True))
        if source.kind is Kind.INPUT:
            array, axes = self.names.inputs[source], source.axes
            assert isinstance(array, Array)
        else:
            table = environment.tables[source][0]
            array, axes = self.array(table), table.axes
        indices = [self.value_at(place[a], position) if a in place else self.indices[a] for a in axes]
        load: Expression = Load(array, flat_index(indices, [self.size(a) for a in axes]))
        if place:
            unsafe = list(environment.unsafe(node, environment.frames[position].scope.facts))
            for axis, index in place.items():
                if (axis, index) not in unsafe:
                    self.check(axis, index)
            inside = self.inside(unsafe)
            if inside is not None:
                load = Operation("select", (inside, load, Literal(0, load.dtype)), load.dtype)
        known = [i for i in indices if isinstance(i, Variable | Literal)]
        parts = [i.name if isinstance(i, Variable) else str(i.value) for i in known]
        return load, "_".join([array.name, *parts])

    def inside(self, places: Sequence[tuple[Axis, Node]]) -> Expression | None:
        """The condition that indices are in range; None when there is nothing to check."""
        conditions: list[Expression] = []
        for axis, index in places:
            value = self.value(index)
            conditions.append(Operation("le", (integer(0), value), BOOLEAN))
            conditions.append(Operation("lt", (value, self.size(axis)), BOOLEAN))
        return Operation("and", tuple(conditions), BOOLEAN) if conditions else None

    def check(self, axis: Axis, index: Node) -> None:
        """Note that an integer input is used as an index without a check."""
        found = self.environment.data_index(index)
        if found is not None:
            source, offset = found
            high = integer_sum(self.size(axis), integer(-1 - offset))
            self.checks.setdefault(IndexCheck(self.names.inputs[source], integer(-offset), high))

    # ------------------------------------------------------------------------------------------------------- sizes
    def array(self, target: Buffer | OutputArray) -> Array:
        if isinstance(target, OutputArray):
            return self.names.outputs[target.position]
        if target not in self.buffers:
            shape = tuple(self.size(a) for a in target.axes)
            self.buffers[target] = Array(self.names.new(_table_name(target)), target.dtype, shape)
        return self.buffers[target]

    def size(self, axis: Axis) -> Expression:
        return self.names.size(axis.size)

    def count(self, axes: Sequence[Axis]) -> Expression:
        result: Expression = integer(1)
        for axis in axes:
            result = integer_product(result, self.size(axis))
        return result

    def start(self, sweep: Sweep) -> Expression:
        bounds = [self.bound(b) for b in sweep.lower]
        if not all(b.divisor == 1 and b.form.minimum().is_nonnegative for b in sweep.lower) or not bounds:
            bounds.insert(0, integer(0))
        return bounds[0] if len(bounds) == 1 else Operation("max", tuple(bounds), INTEGER)

    def stop(self, sweep: Sweep) -> Expression:
        size = sweep.axis.size
        bounds = [self.bound(b) for b in sweep.upper]
        if not any(b.divisor == 1 and (size - b.form.maximum()).is_nonnegative for b in sweep.upper):
            bounds.insert(0, self.size(sweep.axis))
        return bounds[0] if len(bounds) == 1 else Operation("min", tuple(bounds), INTEGER)

    def bound(self, bound: Bound) -> Expression:
        result = self.affine(bound.form)
        return result if bound.divisor == 1 else Operation("floordiv", (result, integer(bound.divisor)), INTEGER)

    def affine(self, form: Affine) -> Expression:
        """An affine form of axis indices and sizes, positive terms first."""
        result: Expression = integer(0)
        for positive in (True, False):
            for axis in self.environment.frames[-1].scope.open:
                coefficient = form.coefficient(axis)
                if coefficient and (coefficient > 0) is positive:
                    result = _plus(result, integer_product(self.indices[axis], integer(abs(coefficient))), positive)
            if positive and not form.constant.is_Integer:
                result = _plus(result, self.names.size(form.constant), True)
        return integer_sum(result, integer(int(form.constant))) if form.constant.is_Integer else result


def _plus(total: Expression, term: Expression, positive: bool) -> Expression:
    if positive:
        return integer_sum(total, term)
    if total == integer(0):
        return integer_product(term, integer(-1))
    return Operation("sub", (total, term), INTEGER)


def _table_name(buffer: Buffer) -> str:
    node = buffer.node
    if node.kind is Kind.REDUCE:
        return f"{node.data[0]}_{node.data[1].name}"
    return "scattered" if node.kind is Kind.SCATTER_ADD else "table"
