"""Where in a formula an error is: the part at fault underlined, for terminals and notebooks."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Concatenate, ParamSpec, TypeVar

from .errors import SymgraphError
from .graph import Graph
from .node import Node
from .show import graph_text

__all__ = ["END", "START", "mark_in_graph", "marked_errors", "marks_nodes", "underlined"]

START, END = "\x01", "\x02"  # around the part at fault, in texts on their way to the reader
WIDEST = 96  # characters of a line; of a longer one the part around the mark is shown
MOST = 5000  # nodes of a graph beyond which nothing is marked: the text would take longer than the work

P = ParamSpec("P")
R = TypeVar("R")


def underlined(text: str) -> str:
    """The line of a text that holds a mark, and below it carets under what is marked; empty without a mark.

    >>> print(underlined("out = sin(x) + \\x01mystery(y)\\x02*x"))
    out = sin(x) + mystery(y)*x
                   ^^^^^^^^^^
    """
    line = next((part for part in text.splitlines() if START in part and END in part), None)
    if line is None:
        return ""
    before, _, rest = line.partition(START)
    part, _, after = rest.partition(END)
    after = after.replace(START, "").replace(END, "")
    if len(part) > WIDEST:
        part = f"{part[: WIDEST - 4]} ..."
    room = max(8, (WIDEST - len(part)) // 2)
    before = f"... {before[-room:]}" if len(before) > room + 4 else before
    after = f"{after[:room]} ..." if len(after) > room + 4 else after
    return f"{before}{part}{after}\n{' ' * len(before)}{'^' * max(1, len(part))}"


def mark_in_graph(error: SymgraphError, graph: Graph) -> None:
    """Add to an error the line of a graph in which its node (or the first of its operation) is underlined."""
    if error.graph is not None or len(graph.order) > MOST:
        return
    node = error.node if isinstance(error.node, Node) else None
    if node is None and error.operation:
        node = next((n for n in graph.order if n.data == error.operation), None)
    if node is None or node not in graph.users:
        return
    error.node, error.graph = node, graph
    if marked := underlined(graph_text(graph, mark=node, signs=(START, END))):
        error.add_note("\n".join(f"  {line}" for line in marked.splitlines()))


@contextlib.contextmanager
def marked_errors(graph: Graph) -> Iterator[None]:
    """Errors about a node of a graph that are raised inside say where in it the node is."""
    try:
        yield
    except SymgraphError as error:
        mark_in_graph(error, graph)
        raise


def marks_nodes(run: Callable[Concatenate[Graph, P], R]) -> Callable[Concatenate[Graph, P], R]:
    """Errors about a node of the graph that a function takes first say where in it the node is."""

    @functools.wraps(run)
    def marking(graph: Graph, /, *arguments: P.args, **named: P.kwargs) -> R:
        with marked_errors(graph):
            return run(graph, *arguments, **named)

    return marking
