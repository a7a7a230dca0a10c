"""Functions that the user defined: registered ones, and subclasses of ``Function`` that carry value and derivative."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, ArgumentIndexError

from .. import simplify as s
from ..errors import UnsupportedError
from ..node import Node
from ..ops import ARGUMENTS, OPS, Op, R, register_op
from .engine import Bindings, Machine, Request, Steps
from .pool import unique_name
from .registry import FUNCTION_OF_ROW, USER_FUNCTIONS, UserFunction

__all__ = ["apply_formula", "define_formula", "define_row", "user_function"]


def user_function(
    machine: Machine, expression: sp.Basic, bindings: Bindings, position: tuple[Node, ...]
) -> Steps:
    """The node of an applied function that is in no table: by its formula, or as a row of its own."""
    known = USER_FUNCTIONS.get(type(expression)) or _discovered(expression)
    arguments = []
    for argument in expression.args:
        arguments.append((yield argument, bindings, ()))
    if known.row is not None:
        return s.call(known.row, *arguments)
    assert known.formula is not None
    return (yield from apply_formula(machine, known.formula, arguments))


def apply_formula(
    machine: Machine, formula: sp.Lambda, arguments: Sequence[Node]
) -> Generator[Request, Node, Node]:
    """The node of a formula whose variables stand for nodes."""
    variables = [sp.Dummy(v.name) for v in formula.variables]
    body = formula.expr.xreplace(dict(zip(formula.variables, variables, strict=True)))
    for variable in variables:
        machine.survey.binders.setdefault(variable, {})
    unknown = sp.S.NaN  # a variable of a formula has no range
    bound = {v: machine.bind(n, unknown, unknown, True) for v, n in zip(variables, arguments, strict=True)}
    return (yield body, bound, ())


def _discovered(expression: sp.Basic) -> UserFunction:
    """What a class says about itself: a formula (``doit``, ``expand``), or a numeric value and ``fdiff``."""
    function = type(expression)
    name = function.__name__
    if isinstance(expression, AppliedUndef) and not hasattr(function, "_imp_"):
        raise UnsupportedError(
            f"the function {name} is undefined: give it a value with symgraph.register, or make the applied function "
            f"an input, as in inputs=[{name}(t)]"
        )
    variables = [sp.Dummy(f"x{k}") for k in range(len(expression.args))]
    template = function(*variables)
    for formula in (template.doit(), template.expand(func=True)):
        if not formula.has(function):
            return define_formula(function, sp.Lambda(tuple(variables), formula))
    value = getattr(function, "_imp_", None)
    if value is None:
        raise UnsupportedError(
            f"the function {name} has no numeric value: give it one with symgraph.register({name}, value=...)"
        )
    return define_row(function, len(variables), value, fdiff_partials(function, len(variables)))


def fdiff_partials(function: type, arity: int) -> tuple[object, ...]:
    """The partials that the ``fdiff`` of a class gives, None where it gives none."""
    applied = function(*ARGUMENTS[:arity])
    partials: list[object] = []
    for position in range(1, arity + 1):
        try:
            partial = applied.fdiff(position)
        except (ArgumentIndexError, NotImplementedError):  # how an fdiff says that it knows none
            partial = None
        unknown = partial is None or partial.has(sp.Derivative, sp.Subs)
        partials.append(None if unknown else partial)
    return tuple(partials)


def define_formula(function: type, formula: sp.Lambda) -> UserFunction:
    """Remember that a function stands for a formula."""
    known = USER_FUNCTIONS[function] = UserFunction(function.__name__, formula=formula)
    return known


def define_row(
    function: type,
    arity: int,
    value: Callable[..., Any],
    partials: Sequence[object],
    formula: sp.Lambda | None = None,
    **spelling: Any,
) -> UserFunction:
    """Add a row of the op table for a function; its partials are SymPy expressions in A, B, C.

    A formula beside it is what code that was compiled computes; see :func:`symgraph.register.inline_formulas`.
    """
    if arity > len(ARGUMENTS):
        raise UnsupportedError(
            f"{function.__name__} has {arity} arguments: an operation of one's own has up to {len(ARGUMENTS)}; give a "
            "formula (a SymPy Lambda) as the value instead"
        )
    row = unique_name(function.__name__, OPS)
    applied = function(*ARGUMENTS[:arity])
    given = tuple(None if p is None else _in_rows(sp.sympify(p).xreplace({applied: R})) for p in partials)
    samples = ((-2.0, 2.0),) * arity
    own = None if formula is None else formula(*ARGUMENTS[:arity])
    register_op(Op(row, own, value, samples, given_partials=given, arity=arity, **spelling))
    FUNCTION_OF_ROW[row] = function
    known = USER_FUNCTIONS[function] = UserFunction(function.__name__, formula, row)
    return known


def _in_rows(partial: sp.Expr) -> sp.Expr:
    """Other functions of the user's in a partial, called by the names of their rows."""
    for function, known in USER_FUNCTIONS.items():
        if known.row is not None:
            partial = partial.replace(
                lambda e, f=function: type(e) is f, lambda e, r=known.row: sp.Function(r)(*e.args)
            )
        elif known.formula is not None:
            partial = partial.replace(
                lambda e, f=function: type(e) is f, lambda e, g=known.formula: g(*e.args)
            )
    return partial
