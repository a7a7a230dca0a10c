"""The calling interface of a kernel: what its entry takes and checks, and what it returns.

Derived from a graph and its procedure without any text of a target; targets print it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ..dtype import FLOATING, Dtype
from ..errors import UnsupportedError
from ..graph import Graph, Structure
from ..sizes import Place, SizePlan, size_plan
from .loop_ir import Array, Procedure
from .names import ENTRY_NAMES, free_name, identifier

__all__ = ["Argument", "Interface", "Result", "interface", "parameter_names", "size_text"]


@dataclass(frozen=True)
class Argument:
    """One argument: the user's name, the identifier in the emitted text, and the sizes of its dimensions."""

    name: str
    identifier: str
    dtype: Dtype
    sizes: tuple[sp.Expr, ...] = ()

    @property
    def is_array(self) -> bool:
        """Whether the argument has dimensions."""
        return bool(self.sizes)

    @property
    def expected(self) -> str:
        """What to say about the number of dimensions."""
        shape = ", ".join(str(s) for s in self.sizes) + "," * (len(self.sizes) == 1)
        return f"{len(self.sizes)}: its shape is ({shape})" if self.sizes else "a scalar"


class Result(Argument):
    """One flat output, in the same terms."""


@dataclass(frozen=True)
class Interface:
    """Everything about a call that does not depend on a target.

    Attributes
    ----------
    name:
        The user's name of the function; ``identifier`` is its spelling in emitted text.
    arguments, results:
        In the order of the graph's inputs and outputs.
    sizes:
        Name of a size symbol to its variable in the procedure.
    plan:
        Which dimension fixes which size, and what is checked.
    structure:
        How the flat results are returned.
    """

    name: str
    identifier: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    sizes: Mapping[str, str]
    plan: SizePlan
    structure: Structure

    @cached_property
    def is_elementwise(self) -> bool:
        """Only scalars in and out: the function becomes a ufunc."""
        return bool(self.arguments) and not any(a.is_array for a in (*self.arguments, *self.results))

    @cached_property
    def is_float_function(self) -> bool:
        """Floats in, one float out: the function can be called back from C."""
        return (
            self.is_elementwise and len(self.results) == 1 and self.results[0].dtype is FLOATING
            and all(a.dtype is FLOATING for a in self.arguments)
        )  # fmt: skip

    def shape_of(self, place: Place) -> tuple[Argument, int]:
        """The argument and the dimension of a place of the size plan."""
        return self.arguments[place.argument], place.dimension


def parameter_names(graph: Graph) -> tuple[str, ...]:
    """The parameter names of a kernel: the inputs' names as identifiers, each once; `out` is taken.

    >>> from symgraph.node import input_node
    >>> parameter_names(Graph("f", (input_node("x"), input_node("lambda"), input_node("out")), ()))
    ('x', 'lambda_', 'out_')
    """
    taken = set(ENTRY_NAMES)
    return tuple(free_name(identifier(node.data), taken) for node in graph.inputs)


def interface(graph: Graph, procedure: Procedure) -> Interface:
    """The interface of a graph whose procedure is given; identifiers are those of the procedure."""
    arguments = tuple(
        Argument(node.data, parameter.name, node.dtype, tuple(a.size for a in node.axes))
        for node, parameter in zip(graph.inputs, procedure.inputs, strict=True)
    )
    for node, parameter in zip(graph.inputs, procedure.inputs, strict=True):
        if bool(node.axes) != isinstance(parameter, Array):
            raise UnsupportedError(f"input {node.data}: an array in the graph must be an array in the procedure")
    results = tuple(
        Result(output.name, array.name, array.dtype, tuple(a.size for a in output.axes))
        for output, array in zip(graph.outputs, procedure.outputs, strict=True)
    )
    names = graph.size_names
    by_name = {v.name: v.name for v in procedure.sizes}
    if len(names) == len(procedure.sizes):
        sizes = {name: variable.name for name, variable in zip(names, procedure.sizes, strict=True)}
    else:
        sizes = {name: by_name[name] for name in names if name in by_name}
    return Interface(
        graph.name, identifier(graph.name), arguments, results, sizes, size_plan(graph.inputs), graph.structure
    )


def size_text(size: sp.Expr, names: Mapping[str, str]) -> str:
    """A size as integer arithmetic in Python's syntax.

    >>> from symgraph.axis import size_expression
    >>> n = sp.Symbol("n")
    >>> size_text(size_expression(n * (n + 1) / 2), {"n": "n"})
    '(n*n + n)//2'
    """
    if size.is_Integer:
        return str(int(size))
    if size.is_Symbol:
        return names[size.name]
    numerator, denominator = sp.fraction(sp.together(size))
    terms = []
    for term in sp.expand(numerator).as_ordered_terms():
        coefficient, rest = term.as_coeff_Mul()
        factors = [str(int(coefficient))] if coefficient != 1 or rest == 1 else []
        for factor in () if rest == 1 else sp.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            if not base.is_Symbol or not exponent.is_Integer or exponent < 0:
                raise UnsupportedError(f"the size {size} is no polynomial of size symbols")
            factors += [names[base.name]] * int(exponent)
        terms.append("*".join(factors))
    text = " + ".join(terms).replace("+ -1*", "- ").replace("+ -", "- ")
    if denominator == 1:
        return f"({text})" if len(terms) > 1 else text
    return f"({text})//{int(denominator)}"
