"""What every captured graph goes through, wherever it comes from: SymPy, a formula as text, a traced function."""

from __future__ import annotations

from ..axis import size_names
from ..errors import ModelError
from ..graph import Graph
from ..node import Kind
from ..simplify import remove_singularities
from .audit import check_reads

__all__ = ["finished"]


def finished(graph: Graph) -> Graph:
    """The graph without removable singularities, its sizes and reads checked.

    Raises
    ------
    ModelError
        A size that no argument has in its shape.
    ShapeError
        An index that leaves its array.
    """
    graph = remove_singularities(graph)
    _check_sizes(graph)
    check_reads(graph)
    return graph


def _check_sizes(graph: Graph) -> None:
    """Every size must follow from the shape of an argument."""
    known = size_names(axis.size for node in graph.inputs for axis in node.axes)
    values = [node.data for node in graph.order if node.kind is Kind.SIZE]
    for size in dict.fromkeys((*graph.size_names, *values)):
        if size not in known:
            arrays = ", ".join(n.data for n in graph.inputs if n.axes) or "there are none"
            raise ModelError(
                f"the size {size} is in the shape of no argument (arrays: {arrays}): sizes come from shapes, so "
                "that it needs an array of that size among the inputs"
            )
