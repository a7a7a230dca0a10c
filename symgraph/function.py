"""Functions: named inputs to named outputs, held as one graph."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .counting import operation_count
from .derive.reverse import adjoints as reverse_adjoints
from .dtype import FLOATING
from .errors import ModelError
from .graph import Graph, collection_paused, map_structure, topological_order
from .interpret import Step, bind_arguments, evaluate, node_values, steps
from .node import Node, constant
from .simplify.sharing import factored_graph, shared_graph
from .storage import graph_repr, load, save

__all__ = ["Function", "function", "load_function"]


class Function:
    """A function of named inputs with named outputs, held as one graph. Make one with :func:`function`.

    Calling it runs the interpreter (NumPy); :func:`symgraph.compile` makes a fast kernel of it.

    Attributes
    ----------
    graph:
        The graph of all outputs.
    symbols:
        For each input the SymPy object that it was captured from, or None.

    Examples
    --------
    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> f = function(x * y + 1, inputs=[x, y])
    >>> f(2, 3), f.inputs
    (7.0, ('x', 'y'))
    """

    __slots__ = ("graph", "symbols")

    # what `explain` shows besides the counts: filled by the layers above, which know about plans
    explainers: list[Callable[[Function], str]] = []  # noqa: RUF012

    # how a function shows itself: filled by symgraph.explore, which stands above
    views: dict[str, Callable[..., Any]] = {}  # noqa: RUF012

    def __init__(self, graph: Graph, symbols: Sequence[object] | None = None) -> None:
        self.graph = graph
        self.symbols = tuple(symbols) if symbols is not None else (None,) * len(graph.inputs)

    # ------------------------------------------------------------------------------------------------- description
    @property
    def name(self) -> str:
        """The name of the function."""
        return self.graph.name

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs, in the order of the arguments."""
        return tuple(node.data for node in self.graph.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs, in order."""
        return tuple(output.name for output in self.graph.outputs)

    @property
    def signature(self) -> inspect.Signature:
        """The signature of a call, as far as the names are Python identifiers."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(n, kind) for n in self.inputs if n.isidentifier()])

    @property
    def emitted_graph(self) -> Graph:
        """The graph as it is compiled: factors, terms and coefficients that several values share are one node."""
        return shared_graph(self.graph)

    def operation_count(self) -> int:
        """The number of arithmetic operations as they are emitted."""
        return operation_count(self.emitted_graph)

    def explain(self) -> Explanation:
        """What the function computes and how it will be run: counts, sharing, sweeps over the data, buffers.

        A text that shows itself in notebooks as a picture, with the loops as nested boxes, beside the emitted lines.
        """
        order = self.graph.order
        lines = [
            f"{self.name}: {len(self.inputs)} inputs, {len(self.outputs)} outputs",
            f"{len(order)} nodes, {self.operation_count()} operations, "
            f"{sum(len(users) > 1 for users in self.graph.users.values())} values used more than once",
        ]
        lines += [explainer(self) for explainer in self.explainers]
        return Explanation("\n".join(lines), self)

    def __repr__(self) -> str:
        return f"sg.Function({graph_repr(self.graph)})"

    def __str__(self) -> str:
        shapes = [f"[{', '.join(str(a.size) for a in n.axes)}]" if n.axes else "" for n in self.graph.inputs]
        arguments = [name + shape for name, shape in zip(self.inputs, shapes, strict=True)]
        return f"{self.name}({', '.join(arguments)}) -> {', '.join(self.outputs)}"

    # -------------------------------------------------------------------------------------------------- evaluation
    def __call__(self, *arguments: object, **named: object) -> Any:
        """Run the interpreter. Scalar functions broadcast their arguments as NumPy does.

        Called on traced arrays, inside of a function that is being traced, it becomes part of that one.
        """
        bound = self._bound(arguments, named)
        for argument in bound:
            if hasattr(argument, "inline"):
                return argument.inline(self, bound)
        values = evaluate(self.graph, bound)
        return map_structure(self.graph.structure, values.__getitem__)

    def steps(self, *arguments: object, adjoint: bool = False, **named: object) -> list[Step]:
        """Every node with its value (and its adjoint), in execution order.

        Parameters
        ----------
        adjoint:
            Also give the adjoint of each node: the derivative of the (one, scalar) output by it. Read backwards, the
            list is the backward pass.

        Examples
        --------
        >>> import sympy as sp
        >>> x, y, z = sp.symbols("x y z")
        >>> [float(s.value) for s in function((x + y) * z, [x, y, z]).steps(1, 3, -3)]
        [1.0, 3.0, -3.0, 4.0, -12.0]
        """
        bindings, sizes, _ = bind_arguments(self.graph.inputs, self._bound(arguments, named))
        order = topological_order([*self.graph.inputs, *(o.node for o in self.graph.outputs)])
        inputs = list(self.graph.inputs)
        shown = inputs + [n for n in order if n not in set(inputs)]
        found: dict[Node, Node] = {}
        if adjoint:
            if len(self.graph.outputs) != 1:
                raise ModelError(f"adjoints of {self.name}: expected one output, found {len(self.graph.outputs)}")
            targets = [n for n in order if n.dtype is FLOATING]
            found = reverse_adjoints({self.graph.outputs[0].node: constant(1)}, targets)
        values = node_values(topological_order([*order, *found.values()]), bindings, sizes)
        return steps(shown, values, found)

    def _bound(self, arguments: Sequence[object], named: Mapping[str, object]) -> list[object]:
        names = self.inputs
        if len(arguments) > len(names):
            raise ModelError(
                f"{self.name} takes {len(names)} arguments ({', '.join(names)}), {len(arguments)} were given"
            )
        bound = dict(zip(names, arguments, strict=False))
        for name, value in named.items():
            if name not in names:
                raise ModelError(f"{self.name} has no argument {name!r}: its arguments are {', '.join(names)}")
            if name in bound:
                raise ModelError(f"argument {name} of {self.name} was given twice: by position and by name")
            bound[name] = value
        missing = [n for n in names if n not in bound]
        if missing:
            raise ModelError(f"{self.name} misses the argument {missing[0]}: its arguments are {', '.join(names)}")
        return [bound[n] for n in names]

    # ------------------------------------------------------------------------------------------------------- looking
    def explore(self, *arguments: object, **point: object) -> Any:
        """Look at the function, at a point if one is given: an interactive view in notebooks.

        The same as :func:`symgraph.explore`, which has options besides.

        Examples
        --------
        >>> import sympy as sp, symgraph as sg
        >>> x, y, z = sp.symbols("x y z")
        >>> sg.function((x + y) * z, [x, y, z], name="g").explore(x=1.0, y=3.0, z=-3.0)
        <exploration of g: 5 values>
        """
        return self.views["explore"](self, arguments, point)

    def save_html(self, path: str | os.PathLike[str], *arguments: object, **point: object) -> None:
        """Write the interactive view as one HTML page that needs no server and no network."""
        self.explore(*arguments, **point).save_html(path)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return self.views["bundle"](self)

    # ------------------------------------------------------------------------------------------------------ exports
    def to_sympy(self) -> Any:
        """The outputs as SymPy objects, in the structure that a call returns."""
        from .capture import to_sympy

        return to_sympy(self.graph, self.symbols)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph as JSON; :func:`symgraph.load` reads it back, node for node."""
        save(self.graph, path)


class Explanation(str):
    """The text of :meth:`Function.explain`.

    Attributes
    ----------
    function:
        What is explained.
    """

    function: Function

    def __new__(cls, text: str, function: Function) -> Explanation:
        """The text, with what it is about."""
        explanation = super().__new__(cls, text)
        explanation.function = function
        return explanation

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return Function.views["plan"](self)


def function(outputs: object, inputs: Sequence[object] | None = None, *, name: str = "f") -> Function:
    """A Function from SymPy objects.

    Parameters
    ----------
    outputs:
        One expression, a sequence, a dict name -> expression, or an array (``Matrix``, ``Array``,
        ``ArrayComprehension``, matrix expression).
    inputs:
        The arguments in order: Symbol, Dummy, ``IndexedBase``, ``MatrixSymbol``, a ``Matrix`` or ``Array`` of symbols
        (one array argument), ``q(t)`` and its derivatives. Default: every free symbol, by name. Symbols of sizes come
        from the shapes and are no arguments.
    name:
        The name of the function, used for emitted code.

    Raises
    ------
    SymgraphError
        Something has no meaning here; the message has its path in the expression.

    Examples
    --------
    >>> import sympy as sp
    >>> x = sp.Symbol("x")
    >>> function(sp.sin(x) ** 2)(0.0)
    0.0
    """
    from .capture import capture

    with collection_paused():
        graph, symbols = capture(outputs, inputs, name=name)
    return Function(factored_graph(graph), symbols)


def load_function(path: str | os.PathLike[str]) -> Function:
    """The Function that :meth:`Function.save` wrote, node for node.

    Parameters
    ----------
    path:
        A file that :meth:`Function.save` wrote. It is data: nothing in it is run.

    Raises
    ------
    SymgraphError
        The file is not of this format, or of a version that this release does not read.

    Examples
    --------
    >>> import tempfile, sympy as sp
    >>> x = sp.Symbol("x")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     function(sp.exp(x), [x], name="g").save(f"{folder}/g.json")
    ...     g = load_function(f"{folder}/g.json")
    >>> g.name, g(0.0)
    ('g', 1.0)
    """
    return Function(load(path))
