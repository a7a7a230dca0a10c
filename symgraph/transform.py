"""Transforms: a Function in, a Function out; to any order by repetition.

``wrt`` is one input (its name or symbol) for a bare result, or several (None: all floating inputs) for a tuple.
"""

from __future__ import annotations

from collections.abc import Mapping

from .axis import Axis
from .derive import transforms
from .dtype import FLOATING
from .errors import ModelError
from .function import Function
from .graph import Graph
from .node import Node

__all__ = ["grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp", "vmap"]

Wrt = object


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
    return Function(graph, [known.get(node) for node in graph.inputs])


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
    >>> from symgraph import function
    >>> x, y = sp.symbols("x y")
    >>> grad(function(x**2 * y, [x, y]))(3, 2)
    (12.0, 9.0)
    """
    return _made(f, transforms.gradient(f.graph, *_resolved(f, wrt)))


def value_and_grad(f: Function, wrt: Wrt = None) -> Function:
    """(value, gradient) of a function with one scalar output, sharing what they have in common.

    >>> import sympy as sp
    >>> from symgraph import function
    >>> x = sp.Symbol("x")
    >>> value_and_grad(function(x**2 + 2 * x + 1), "x")(3)
    (16.0, 8.0)
    """
    return _made(f, transforms.value_and_gradient(f.graph, *_resolved(f, wrt)))


def jacobian(f: Function, wrt: Wrt = None) -> Function:
    """The Jacobian of every output: each block has shape output.shape + input.shape.

    The result has the structure of the outputs; each leaf is bare for one input, else a tuple over the inputs.

    >>> import sympy as sp
    >>> from symgraph import function
    >>> x, y = sp.symbols("x y")
    >>> jacobian(function([x * y, x + y], [x, y]))(2, 3)
    ((3.0, 2.0), (1.0, 1.0))
    """
    return _made(f, transforms.jacobian(f.graph, *_resolved(f, wrt)))


def hessian(f: Function, wrt: Wrt = None) -> Function:
    """The Hessian of a function with one scalar output: a block x.shape + y.shape for each pair of inputs.

    >>> import sympy as sp
    >>> from symgraph import function
    >>> x, y = sp.symbols("x y")
    >>> hessian(function(x**2 * y, [x, y]))(3, 2)
    ((4.0, 6.0), (6.0, 0.0))
    """
    return _made(f, transforms.hessian(f.graph, *_resolved(f, wrt)))


def jvp(f: Function, wrt: Wrt = None) -> Function:
    """(outputs, tangents): the derivative along a direction, given by further inputs ``<name>_tangent``.

    >>> import sympy as sp
    >>> from symgraph import function
    >>> x = sp.Symbol("x")
    >>> jvp(function(x**3), "x")(2, 10)
    (8.0, 120.0)
    """
    nodes, _ = _resolved(f, wrt)
    return _made(f, transforms.pushforward(f.graph, nodes))


def vjp(f: Function, wrt: Wrt = None) -> Function:
    """The adjoints of inputs for given adjoints of the outputs, which are further inputs ``<output>_cotangent``.

    >>> import sympy as sp
    >>> from symgraph import function
    >>> x, y = sp.symbols("x y")
    >>> vjp(function({"u": x * y, "v": x + y}, [x, y]))(2, 3, 1, 10)
    (13.0, 12.0)
    """
    return _made(f, transforms.pullback(f.graph, *_resolved(f, wrt)))


def hvp(f: Function, wrt: Wrt = None) -> Function:
    """The Hessian of a function with one scalar output times a vector, given by further inputs ``<name>_vector``.

    Forward over reverse: one forward sweep over the gradient (Pearlmutter, Neural Computation 6, 1994).

    >>> import sympy as sp
    >>> from symgraph import function
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
    >>> from symgraph import function
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
