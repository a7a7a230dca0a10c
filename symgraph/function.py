"""Functions: named inputs to named outputs, and the transforms that turn one function into another."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .axis import Axis
from .counting import operation_count
from .derive import transforms
from .derive.reverse import adjoints as reverse_adjoints
from .dtype import FLOATING
from .errors import ModelError
from .graph import Graph, collection_paused, map_structure, topological_order
from .interpret import Step, bind_arguments, evaluate, node_values, steps
from .node import Node, constant
from .simplify.sharing import shared_graph
from .storage import graph_repr, load, save

__all__ = [
    "Function", "function", "grad", "hessian", "hvp", "jacobian", "jvp", "load_function", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

Wrt = object


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

    def operation_count(self) -> int:
        """The number of arithmetic operations as they are emitted."""
        return operation_count(self.graph)

    def explain(self) -> str:
        """What the function computes and how it will be run: counts, sharing, sweeps over the data, buffers."""
        order = self.graph.order
        lines = [
            f"{self.name}: {len(self.inputs)} inputs, {len(self.outputs)} outputs",
            f"{len(order)} nodes, {self.operation_count()} operations, "
            f"{sum(len(users) > 1 for users in self.graph.users.values())} values used more than once",
        ]
        lines += [explainer(self) for explainer in self.explainers]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"sg.Function({graph_repr(self.graph)})"

    def __str__(self) -> str:
        shapes = [f"{n.data}[{', '.join(str(a.size) for a in n.axes)}]" if n.axes else n.data for n in self.graph.inputs]
        return f"{self.name}({', '.join(shapes)}) -> {', '.join(self.outputs)}"

    # -------------------------------------------------------------------------------------------------- evaluation
    def __call__(self, *arguments: object, **named: object) -> Any:
        """Run the interpreter. Scalar functions broadcast their arguments as NumPy does."""
        values = evaluate(self.graph, self._bound(arguments, named))
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
            raise ModelError(f"{self.name} takes {len(names)} arguments ({', '.join(names)}), {len(arguments)} were given")
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

    # ------------------------------------------------------------------------------------------------------ exports
    def to_sympy(self) -> Any:
        """The outputs as SymPy objects, in the structure that a call returns."""
        from .capture import to_sympy

        return to_sympy(self.graph, self.symbols)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph as JSON; :func:`symgraph.load` reads it back, node for node."""
        save(self.graph, path)


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
    return Function(shared_graph(graph), symbols)


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


# ------------------------------------------------------------------------------------------------------- transforms
def _resolved(f: Function, wrt: Wrt) -> tuple[list[Node], bool]:
    """The input nodes to differentiate by, and whether the result is bare."""
    if wrt is None:
        nodes = [n for n in f.graph.inputs if n.dtype is FLOATING]
        if not nodes:
            raise ModelError(f"{f.name} has no floating input to differentiate by")
        return nodes, False
    if isinstance(wrt, (tuple, list)):
        return [_input(f, w) for w in wrt], False
    return [_input(f, wrt)], True


def _input(f: Function, wanted: object) -> Node:
    for node, symbol in zip(f.graph.inputs, f.symbols, strict=True):
        if symbol is wanted or (type(symbol) is type(wanted) and not isinstance(wanted, str) and symbol == wanted):
            return _differentiable(f, node)
    name = wanted if isinstance(wanted, str) else getattr(wanted, "name", None) or str(wanted)
    for node in f.graph.inputs:
        if node.data == str(name):
            return _differentiable(f, node)
    raise ModelError(f"{f.name} has no input {name}: its inputs are {', '.join(f.inputs)}")


def _differentiable(f: Function, node: Node) -> Node:
    if node.dtype is not FLOATING:
        raise ModelError(f"input {node.data} of {f.name} is of kind {node.dtype.name.lower()}: it has no derivative")
    return node


def _made(f: Function, graph: Graph) -> Function:
    known = {node: symbol for node, symbol in zip(f.graph.inputs, f.symbols, strict=True)}
    return Function(shared_graph(graph), [known.get(node) for node in graph.inputs])


def grad(f: Function, wrt: Wrt = None) -> Function:
    """The gradient of a function with one scalar output.

    Parameters
    ----------
    f:
        A function with one scalar output.
    wrt:
        One input (its name or symbol): the result is bare. Several, or None for all floating inputs: a tuple.

    Returns
    -------
    Function
        With the same inputs; each derivative has the shape of its input.

    Notes
    -----
    Reverse mode on the graph: Griewank and Walther, "Evaluating Derivatives", 2nd ed., SIAM 2008, section 3.2.

    Examples
    --------
    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> grad(function(x**2 * y, [x, y]))(3, 2)
    (12.0, 9.0)
    """
    return _made(f, transforms.gradient(f.graph, *_resolved(f, wrt)))


def value_and_grad(f: Function, wrt: Wrt = None) -> Function:
    """(value, gradient) of a function with one scalar output, sharing what they have in common.

    >>> import sympy as sp
    >>> x = sp.Symbol("x")
    >>> value_and_grad(function(x**2 + 2 * x + 1), "x")(3)
    (16.0, 8.0)
    """
    return _made(f, transforms.value_and_gradient(f.graph, *_resolved(f, wrt)))


def jacobian(f: Function, wrt: Wrt = None) -> Function:
    """The Jacobian of every output: each block has shape output.shape + input.shape.

    The result has the structure of the outputs; each leaf is bare for one input, else a tuple over the inputs.

    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> jacobian(function([x * y, x + y], [x, y]))(2, 3)
    ((3.0, 2.0), (1.0, 1.0))
    """
    return _made(f, transforms.jacobian(f.graph, *_resolved(f, wrt)))


def hessian(f: Function, wrt: Wrt = None) -> Function:
    """The Hessian of a function with one scalar output: a block x.shape + y.shape for each pair of inputs.

    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> hessian(function(x**2 * y, [x, y]))(3, 2)
    ((4.0, 6.0), (6.0, 0.0))
    """
    return _made(f, transforms.hessian(f.graph, *_resolved(f, wrt)))


def jvp(f: Function, wrt: Wrt = None) -> Function:
    """(outputs, tangents): the derivative along a direction, given by further inputs ``<name>_tangent``.

    >>> import sympy as sp
    >>> x = sp.Symbol("x")
    >>> jvp(function(x**3), "x")(2, 10)
    (8.0, 120.0)
    """
    nodes, _ = _resolved(f, wrt)
    return _made(f, transforms.pushforward(f.graph, nodes))


def vjp(f: Function, wrt: Wrt = None) -> Function:
    """The adjoints of inputs for given adjoints of the outputs, which are further inputs ``<output>_cotangent``.

    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> vjp(function({"u": x * y, "v": x + y}, [x, y]))(2, 3, 1, 10)
    (13.0, 12.0)
    """
    return _made(f, transforms.pullback(f.graph, *_resolved(f, wrt)))


def hvp(f: Function, wrt: Wrt = None) -> Function:
    """The Hessian of a function with one scalar output times a vector, given by further inputs ``<name>_vector``.

    Forward over reverse: one forward sweep over the gradient (Pearlmutter, Neural Computation 6, 1994).

    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> hvp(function(x**2 * y, [x, y]))(3, 2, 1, 0)
    (4.0, 6.0)
    """
    return _made(f, transforms.hessian_vector(f.graph, *_resolved(f, wrt)))


def vmap(f: Function, in_axes: object = 0, out_axes: int = 0, *, size: str | int = "batch") -> Function:
    """The function over a further axis: each mapped input and each output gets a dimension more.

    Parameters
    ----------
    in_axes:
        Where the new dimension stands: one integer for all inputs, a sequence with one entry per input, or a dict from
        input names to positions. None (or absent from the dict) leaves an input as it is, for all elements alike.
    out_axes:
        Where it stands in every output.
    size:
        The size of the new axis: an integer, or the name of a size symbol.

    Examples
    --------
    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> vmap(function(x * y, [x, y]), in_axes=(0, None))([1.0, 2.0], 10)
    array([10., 20.])
    """
    names = f.inputs
    if isinstance(in_axes, Mapping):
        unknown = [n for n in in_axes if n not in names]
        if unknown:
            raise ModelError(f"vmap of {f.name}: no input {unknown[0]}: its inputs are {', '.join(names)}")
        positions = [in_axes.get(n) for n in names]
    elif isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(names):
            raise ModelError(f"vmap of {f.name}: in_axes has {len(in_axes)} entries, expected {len(names)}: {names}")
        positions = list(in_axes)
    else:
        positions = [in_axes] * len(names)
    if all(p is None for p in positions):
        raise ModelError(f"vmap of {f.name}: no input is mapped: give a position for at least one")
    if isinstance(size, str):
        while size in f.graph.size_names:
            size += "_"
    graph = transforms.batched(f.graph, positions, Axis("batch", size), out_axes)
    return _made(f, graph)
