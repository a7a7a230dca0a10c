"""Formulas as text, straight into a graph: ``graph_from_formulas(["p = x + y", "p*z"])``.

The text is parsed by a grammar (`formula.lark`), never evaluated, and becomes nodes through the smart constructors:
no SymPy object is made of a formula, and no Python code is run.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..axis import Axis, size_names
from ..dtype import FLOATING, INTEGER
from ..graph import Graph, Output, Structure
from ..node import Node, input_node
from .finish import finished
from .formula_build import BoundIndex, Builder, Definition
from .formula_functions import CONSTANTS, REFUSED
from .formula_inputs import Declaration, check_indices, infer_array, line_ranges
from .formula_operations import number
from .formula_ranges import Range
from .formula_scan import Line, Scan, bind, read_line
from .formula_syntax import Source, parse_statement, split_lines, suggest

__all__ = ["graph_from_formulas"]


def graph_from_formulas(
    texts: Sequence[str], declarations: Sequence[Declaration] = (), *, name: str | None = None, origin: str = "formula"
) -> Graph:
    """The graph of formulas, one or more lines of ``expression`` or ``name = expression``.

    Parameters
    ----------
    texts:
        Formula text; later lines may use the names of earlier ones. ``f(x, y) = ...`` fixes the order of arguments,
        ``r[i] = ...`` defines an array.
    declarations:
        Inputs with types and shapes, from :func:`~symgraph.capture.formula_inputs.declare`. Names that nothing
        declares are real scalars, in the order of the alphabet after the declared ones; arrays get their shape from the
        ranges of their indices.
    name:
        Name of the function; otherwise the name on the left of the last line, or "f".
    origin:
        What messages call the text.

    Returns
    -------
    Graph
        With one output per line whose name no later line uses.

    Raises
    ------
    FormulaError
        With the line, the column and a caret, for everything that has a place in the text.

    Examples
    --------
    >>> graph = graph_from_formulas(["p = x + y", "p*z"])
    >>> [node.data for node in graph.inputs]
    ['x', 'y', 'z']
    """
    lines = [read_line(source, parse_statement(source)) for source in split_lines(texts, origin)]
    if not lines:
        raise Source("", 1, origin).error(0, "there is no formula in the text")
    model = _Model(lines, declarations)
    return finished(model.graph(name))


class _Model:
    """All lines together: what every name is, then one graph."""

    def __init__(self, lines: list[Line], declarations: Sequence[Declaration]) -> None:
        self.lines = lines
        self.declared = {d.name: d.node for d in declarations}
        self.shapes: dict[str, list[sp.Expr]] = {n: [a.size for a in node.axes] for n, node in self.declared.items()}
        self.by_name: dict[str, Line] = {}
        for line in lines:
            if line.name is not None:
                if line.name in self.by_name:
                    raise line.source.error(0, f"{line.name!r} is defined twice")
                if line.name in self.declared:
                    raise line.source.error(0, f"{line.name!r} is declared as an input and defined by a formula")
                self.by_name[line.name] = line
        self.ranges: dict[int, dict[str, Range]] = {}
        self.scan = Scan(self.by_name)
        self.used: dict[str, None] = {}
        for number_, line in enumerate(lines):
            self._scan_line(number_, line)
        self._check_names()

    # ------------------------------------------------------------------------------------------------ first pass
    def _scan_line(self, position: int, line: Line) -> None:
        earlier = {other.name for other in self.lines[:position]}
        known: dict[str, Range] = {}
        if line.indices:
            trial = Scan(self.by_name)
            placeholder = Range(sp.Dummy(), sp.Integer(0), sp.Integer(0), sp.Integer(0), sp.Integer(0))
            trial.read(line.source, line.body, {p.value: placeholder for p in line.indices})
            sizes = line_ranges(line, self.shapes, trial.arrays)
            for index, size in zip(line.indices, sizes, strict=True):
                zero, last = sp.Integer(0), sp.expand(size - 1)
                known = bind(known, index.value, Range(sp.Dummy(index.value, integer=True), zero, last, zero, last))
                self.scan.bound.setdefault(index.value, (line.source, index.at))
            assert line.name is not None
            self.shapes[line.name] = sizes
        self.ranges[position] = known
        seen = Scan(self.by_name)
        seen.read(line.source, line.body, known)
        self._merge(seen)
        places = {**seen.scalars, **{n: (u[0].source, u[0].piece.at) for n, u in seen.arrays.items()}}
        for name, place in places.items():
            if name in self.by_name:
                if name not in earlier:
                    raise place[0].error(place[1], f"{name!r} is used before the line that defines it")
                self.used.setdefault(name)

    def _merge(self, seen: Scan) -> None:
        for name, place in seen.scalars.items():
            self.scan.scalars.setdefault(name, place)
        for name, place in seen.sizes.items():
            self.scan.sizes.setdefault(name, place)
        for name, place in seen.bound.items():
            self.scan.bound.setdefault(name, place)
        for name, uses in seen.arrays.items():
            self.scan.arrays.setdefault(name, []).extend(uses)
        self.scan.integers.update(seen.integers)
        self.scan.binders.update(seen.binders)

    def _check_names(self) -> None:
        for name, (source, at) in self.scan.scalars.items():
            if name in self.scan.bound and name not in self.by_name:
                raise source.error(at, f"{name!r} is an index of a sum elsewhere and free here: rename one of them")
            if name in self.scan.arrays and name not in self.declared and name not in self.by_name:
                raise source.error(at, f"{name!r} is an array elsewhere: read its elements, as in {name}[i]")
        for name, (source, at) in self.scan.bound.items():
            if name in self.declared or name in self.by_name:
                raise source.error(at, f"the index {name!r} has the name of another value: rename one of them")
        for name, (source, at) in self.scan.sizes.items():
            if name in self.declared:
                raise source.error(at, f"the bound uses the input {name!r}: bounds are sizes of arrays or integers")

    # ---------------------------------------------------------------------------------------------------- inputs
    def _inputs(self) -> dict[str, Node]:
        order = self._parameters()
        inputs = dict(self.declared)
        for name, uses in self.scan.arrays.items():
            if name not in inputs and name not in self.by_name:
                inputs[name] = infer_array(name, uses, INTEGER if name in self.scan.integers else FLOATING)
        sizes = set(size_names(a.size for node in inputs.values() for a in node.axes))
        for name, (source, at) in self.scan.sizes.items():
            if name not in sizes:
                raise source.error(at, f"the size {name!r} is in the shape of no array: declare an array that has it, "
                                   f"as in -i 'x: f64[{name}]', or write a number{suggest(name, sizes)}")  # fmt: skip
        for name, (source, at) in self.scan.scalars.items():
            if name in ("I", "zoo") and name not in inputs and name not in self.by_name and name not in sizes:
                raise source.error(at, REFUSED[name])
            fixed = name in inputs or name in self.by_name or name in sizes
            if not fixed and (name not in CONSTANTS or (order is not None and name in order)):
                inputs[name] = input_node(name, (), INTEGER if name in self.scan.integers else FLOATING)
        self.size_names = sizes
        return self._ordered(inputs, order)

    def _parameters(self) -> tuple[str, ...] | None:
        heads = [line for line in self.lines if line.parameters is not None]
        if len(heads) > 1:
            raise heads[1].source.error(0, "only one line can fix the order of arguments")
        if not heads:
            return None
        for parameter in heads[0].parameters or ():
            if parameter in self.by_name:
                raise heads[0].source.error(0, f"the argument {parameter!r} is also defined by a line")
        return heads[0].parameters

    def _ordered(self, inputs: dict[str, Node], order: tuple[str, ...] | None) -> dict[str, Node]:
        if order is None:
            free = sorted(name for name in inputs if name not in self.declared)
            return {name: inputs[name] for name in (*self.declared, *free)}
        for name in inputs:
            if name not in order:
                source, at = self.scan.scalars.get(name) or (self.lines[-1].source, 0)
                raise source.error(at, f"{name!r} is not among the arguments ({', '.join(order)})"
                                   f"{suggest(name, order)}")  # fmt: skip
        return {name: inputs.get(name, input_node(name)) for name in order}

    # --------------------------------------------------------------------------------------------------- outputs
    def graph(self, name: str | None) -> Graph:
        inputs = self._inputs()
        shapes = {**{n: [a.size for a in node.axes] for n, node in inputs.items()}, **self.shapes}
        check_indices(self.scan, shapes)
        builder = Builder(inputs, dict.fromkeys(self.size_names), self.scan)
        outputs: list[Output] = []
        for position, line in enumerate(self.lines):
            environment: dict[str, BoundIndex] = {}
            for index, range_ in self.ranges[position].items():
                occupied = [bound.axis for bound in environment.values()]
                environment[index] = builder.bind(index, range_, environment, occupied)
            node = number(builder.build(line.source, line.body, environment))
            axes: tuple[Axis, ...] = tuple(bound.axis for bound in environment.values())
            if line.name is not None:
                builder.definitions[line.name] = Definition(node, axes)
            if line.name is None or line.name not in self.used:
                outputs.append(Output(line.name or "result", node, axes))
        outputs = _distinct(outputs)
        structure: Structure = 0
        if len(outputs) > 1:
            structure = tuple(range(len(outputs)))
        last = self.lines[-1].name
        return Graph(name or last or "f", tuple(inputs.values()), tuple(outputs), structure)


def _distinct(outputs: list[Output]) -> list[Output]:
    """Output names made different: lines without a name are called result, result_2, ..."""
    taken: dict[str, None] = {}
    renamed: list[Output] = []
    for output in outputs:
        candidate, number_ = output.name, 1
        while candidate in taken:
            number_ += 1
            candidate = f"{output.name}_{number_}"
        taken[candidate] = None
        renamed.append(Output(candidate, output.node, output.axes))
    return renamed
