"""Which rule captures which class of SymPy: two tables, one for numbers and one for elements of arrays."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction
from sympy.matrices.expressions.diagonal import DiagMatrix
from sympy.matrices.expressions.dotproduct import DotProduct
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.matrices.expressions.slice import MatrixSlice
from sympy.tensor.array import ArrayComprehension, NDimArray
from sympy.tensor.array.expressions.array_expressions import ArrayElement, ArraySymbol

from .. import simplify as s
from ..errors import ModelError, UnsupportedError
from ..node import Node, constant, size_node
from . import matrices as m
from .conditions import LOGIC, RELATIONS, if_then_else, logic_rule, piecewise, relation_rule
from .engine import Bindings, Machine, Rule, Steps
from .functions import FORMULAS, ROWS, formula_rule, row_rule
from .indexing import element
from .numbers import number_node
from .reductions import IndexedMaximum, IndexedMinimum
from .small_matrices import determinant, matrix_power
from .sums import reduction
from .survey import is_variable
from .user import user_function

__all__ = ["find_rule"]


def _number(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Node:
    return number_node(expression)


def _sum(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
    replacement = machine.survey.replacement(expression)
    if replacement is not None:
        return (yield replacement, bindings, position)
    terms = []
    for term in expression.args:
        terms.append((yield term, bindings, ()))
    return s.add(*terms)


def _product(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
    replacement = machine.survey.replacement(expression)
    if replacement is not None:
        return (yield replacement, bindings, position)
    factors = []
    for factor in expression.args:
        factors.append((yield factor, bindings, ()))
    return s.mul(*factors)


def _power(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Steps:
    base = yield expression.args[0], bindings, ()
    exponent = yield expression.args[1], bindings, ()
    return s.power(base, exponent)


def _truth(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Node:
    return constant(expression is sp.true)


def _scaled_matrix(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """A product or quotient of numbers and one array that SymPy left as Mul."""
    factors = []
    for factor in expression.args:
        factors.append((yield factor, bindings, position if m.shape_of(factor) else ()))
    return s.mul(*factors)


_SCALAR_RULES: dict[type, Rule] = {
    sp.Add: _sum,
    sp.Mul: _product,
    sp.Pow: _power,
    sp.Piecewise: piecewise,
    sp.ITE: if_then_else,
    sp.Sum: reduction("sum"),
    sp.Product: reduction("product"),
    IndexedMaximum: reduction("max"),
    IndexedMinimum: reduction("min"),
    sp.Indexed: element,
    MatrixElement: element,
    ArrayElement: element,
    sp.Trace: m.trace,
    sp.Determinant: determinant,
    DotProduct: m.dot_product,
    type(sp.true): _truth,
    type(sp.false): _truth,
    **{cls: relation_rule(row, swapped) for cls, (row, swapped) in RELATIONS.items()},
    **{cls: logic_rule(formula) for cls, formula in LOGIC.items()},
    **{cls: row_rule(name) for cls, name in ROWS.items()},
    **{cls: formula_rule(formula) for cls, formula in FORMULAS.items()},
}

# array classes have subclasses (mutable, sparse ...), so that these are looked up along the class hierarchy
_ARRAY_RULES: dict[type, Rule] = {
    sp.MatrixSymbol: m.array_symbol,
    ArraySymbol: m.array_symbol,
    sp.MatrixBase: m.explicit,
    NDimArray: m.explicit,
    ArrayComprehension: m.comprehension,
    sp.MatMul: m.matrix_product,
    sp.MatAdd: m.matrix_sum,
    sp.MatPow: matrix_power,
    sp.Transpose: m.transpose,
    sp.Adjoint: m.transpose,
    sp.HadamardProduct: m.hadamard_product,
    sp.HadamardPower: m.hadamard_power,
    sp.Identity: m.identity,
    sp.ZeroMatrix: m.filled(0),
    sp.OneMatrix: m.filled(1),
    DiagMatrix: m.diagonal_matrix,
    MatrixSlice: m.matrix_slice,
    ElementwiseApplyFunction: m.applied_function,
    sp.Mul: _scaled_matrix,
    sp.Sum: reduction("sum"),
    sp.Piecewise: piecewise,
}


def find_rule(expression: sp.Basic, position: tuple[Node, ...]) -> Rule:
    """The rule for an expression; for an element of it when a position is given.

    Raises
    ------
    UnsupportedError
        When the class has no meaning here.
    """
    kind = type(expression)
    if position:
        for ancestor in kind.__mro__:
            if ancestor in _ARRAY_RULES:
                return _ARRAY_RULES[ancestor]
        raise UnsupportedError(f"the array expression {kind.__name__} has no meaning here")
    rule = _SCALAR_RULES.get(kind)
    if rule is not None:
        return rule
    if is_variable(expression):
        return _variable
    if isinstance(expression, (sp.Number, sp.NumberSymbol)) or expression in (sp.I, sp.zoo):
        return _number
    if isinstance(expression, (sp.Derivative, sp.Subs)):
        return _replaced
    if isinstance(expression, (AppliedUndef, sp.Function)):
        return _function
    if m.shape_of(expression) or isinstance(expression, sp.IndexedBase):
        return _array_as_number
    return _unknown


def _variable(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Node:
    bound = bindings.get(expression)
    if bound is not None:
        return bound.node
    number = machine.survey.number(expression)
    known = machine.scalars.get(number)
    if known is not None:
        return known
    name = str(expression)
    if expression in machine.survey.binders:
        raise ModelError(
            f"the index {name} is used outside of the sum that binds it: rename one of the two, or widen the sum"
        )
    if isinstance(expression, sp.Symbol) and expression.name in machine.survey.size_names:
        return size_node(expression.name)
    raise ModelError(
        f"{name} is not bound: it is neither an input ({_names(machine)}) nor a summation index nor a size; add it to "
        f"inputs{_twin(machine, expression)}"
    )


def _names(machine: Machine) -> str:
    names = [machine.survey.expressions[n] for n in machine.scalars]
    return ", ".join([*map(str, names), *(a.name for a in machine.arrays.values())]) or "there are none"


def _twin(machine: Machine, expression: sp.Basic) -> str:
    """A hint when an input differs from the symbol by its assumptions only."""
    for number in machine.scalars:
        other = machine.survey.expressions[number]
        if str(other) == str(expression) and other != expression:
            return f" (the input of that name has other assumptions than this {expression}: make both the same symbol)"
    return ""


def _replaced(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    replacement = machine.survey.replacement(expression)
    if replacement is None:
        unknown = sorted({str(f.func) for f in expression.atoms(AppliedUndef)})
        what = f"of the function {unknown[0]}, which has no formula," if unknown else "has no value:"
        raise UnsupportedError(
            f"the unevaluated {type(expression).__name__} {_short(expression)} {what} "
            + ("give it one with symgraph.register, " if unknown else "carry it out (doit), ")
            + "or make it an input"
        )
    return (yield replacement, bindings, position)


def _function(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    replacement = machine.survey.replacement(expression)
    if replacement is not None:
        return (yield replacement, bindings, ())
    return (yield from user_function(machine, expression, bindings, position))


def _array_as_number(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    shape = m.shape_of(expression)
    if shape and all(size == 1 for size in shape):
        return (yield expression, bindings, (constant(0),) * len(shape))
    raise UnsupportedError(f"the array {_short(expression)} stands where a number is needed: index it")


def _unknown(machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]) -> Node:
    raise UnsupportedError(
        f"{type(expression).__name__} has no meaning here: rewrite it with sums, functions and conditions that have"
    )


def _short(expression: sp.Basic) -> str:
    """The text of a small expression; the name of the class of a large one (SymPy's printer recurses)."""
    stack, count = [expression], 0
    while stack:
        item = stack.pop()
        count += 1
        if count > 40:
            return f"<{type(expression).__name__}>"
        stack.extend(item.args)
    return str(expression)
