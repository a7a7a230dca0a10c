"""One walk over the user's expressions before capture: number them, and find what is free, bound, a size or an index.

SymPy's own ``free_symbols``, ``has`` and ``==`` recurse, so that nothing here calls them on a user's expression: the
walk goes over ``args`` with an explicit stack. Equal expressions get the same number, whether or not they are the same
object, so that the work of capture is linear in the number of distinct expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.tensor.array import ArrayComprehension
from sympy.tensor.array.expressions.array_expressions import ArrayElement, ArraySymbol

from .registry import USER_FUNCTIONS
from .rewriting import rewritten

__all__ = ["ARRAYS", "ELEMENTS", "Survey", "element_indices", "is_variable"]

ARRAYS = (sp.IndexedBase, sp.MatrixSymbol, ArraySymbol)
ELEMENTS = (sp.Indexed, MatrixElement, ArrayElement)
_LIMITED = (ExprWithLimits, ArrayComprehension)
_CHOICES = (sp.Piecewise, sp.ITE, sp.And, sp.Or, sp.Not, sp.Xor, sp.Implies, sp.Equivalent, sp.Nand, sp.Nor)
_NOTATION = (sp.Derivative, sp.Subs)  # what they contain counts only once they are carried out
_REWRITTEN = (*_NOTATION, sp.Mul, sp.Add)


def is_variable(expression: sp.Basic) -> bool:
    """Whether an expression can only get its value from an argument: a symbol, ``q(t)``, or a derivative of that.

    >>> x, t = sp.symbols("x t")
    >>> is_variable(sp.Derivative(sp.Function("q")(t), t)), is_variable(x + 1)
    (True, False)
    """
    if isinstance(expression, (sp.Symbol, sp.Idx)):
        return True
    if isinstance(expression, sp.Derivative):
        expression = expression.expr
    return (
        isinstance(expression, AppliedUndef)
        and type(expression) not in USER_FUNCTIONS
        and not hasattr(expression, "_imp_")  # SymPy's implemented_function: it has a value of its own
        and all(isinstance(a, sp.Symbol) for a in expression.args)
    )


def element_indices(element: sp.Basic) -> tuple[sp.Basic, ...]:
    """The indices of an element of an array, whatever its class."""
    return (
        tuple(element.indices) if isinstance(element, (sp.Indexed, ArrayElement)) else tuple(element.args[1:])
    )


class Survey:
    """The numbered expressions of one capture.

    Attributes
    ----------
    expressions:
        The first object seen of each number; what it is made of has smaller numbers.
    binders:
        The symbols that sums and comprehensions bind, with every pair of bounds between which they run.
    variables, arrays:
        Symbols, ``q(t)``, derivatives; and array symbols, in order of appearance.
    accesses:
        The indices of every element that is read, by array.
    size_names:
        Names of the symbols in shapes and in bounds.
    integers, booleans:
        Numbers of expressions that are used as an index, or as a condition.
    conditional:
        Whether there is a condition: it may guard an index that is out of range elsewhere.
    """

    def __init__(self) -> None:
        self.expressions: list[sp.Basic] = []
        self.binders: dict[sp.Basic, dict[tuple[sp.Basic, ...], None]] = {}
        self.variables: dict[sp.Basic, None] = {}
        self.arrays: dict[sp.Basic, None] = {}
        self.accesses: dict[sp.Basic, list[tuple[sp.Basic, ...]]] = {}
        self.size_names: dict[str, None] = {}
        self.integers: set[int] = set()
        self.booleans: set[int] = set()
        self.conditional = False
        self._replacements: dict[int, sp.Basic] = {}
        self._numbers: dict[int, int] = {}  # id of an object -> number
        self._keys: dict[Hashable, int] = {}
        self._alive: list[sp.Basic] = []  # keeps every visited object, so that an id is never used twice
        self._children: list[tuple[int, ...]] = []
        self._free: list[tuple[sp.Basic, ...]] = []
        self._in_bounds: dict[sp.Basic, None] = {}
        self._notes: dict[type, Callable[[sp.Basic], None] | None] = {}

    # -------------------------------------------------------------------------------------------------- numbering
    def number(self, expression: sp.Basic) -> int:
        """The number of an expression; what is below it is numbered first."""
        numbers = self._numbers
        found = numbers.get(id(expression))
        if found is not None:
            return found
        stack: list[tuple[sp.Basic, tuple[sp.Basic, ...] | None]] = [(expression, None)]
        while stack:
            item, parts = stack.pop()
            if id(item) in numbers:
                continue
            if parts is None:
                parts = self._parts(item)
                missing = [c for c in parts if id(c) not in numbers]
                if missing:
                    stack.append((item, parts))
                    stack.extend([(c, None) for c in reversed(missing)])
                    continue
            self._enter(item, tuple([numbers[id(c)] for c in parts]))
        return numbers[id(expression)]

    def _parts(self, item: sp.Basic) -> tuple[sp.Basic, ...]:
        """What is below an expression; the insides of a symbol, of an array and of ``q(t)`` are no expressions."""
        args: tuple[sp.Basic, ...] = item.args
        if not args or isinstance(item, (sp.Idx, sp.Lambda, *ARRAYS, *_NOTATION)):
            return ()
        if isinstance(item, AppliedUndef) and is_variable(item):
            return ()
        return args

    def _enter(self, item: sp.Basic, children: tuple[int, ...]) -> None:
        kind = type(item)
        key: Hashable = (kind, children) if children else (kind, item, getattr(item, "_prec", None))
        number = self._keys.get(key)
        self._alive.append(item)
        if number is None:
            replacement = None if not isinstance(item, _REWRITTEN) or is_variable(item) else rewritten(item)
            if replacement is not None:
                self._alive.append(replacement)
                self.number(replacement)
            number = self._keys[key] = len(self.expressions)
            self.expressions.append(item)
            self._children.append(children)
            if replacement is not None:
                self._replacements[number] = replacement
            if kind not in self._notes:
                self._notes[kind] = self._noting(item)
            note = self._notes[kind]
            if note is not None:
                note(item)
        self._numbers[id(item)] = number

    def replacement(self, expression: sp.Basic) -> sp.Basic | None:
        """What stands for an expression that is only notation (a derivative that was carried out)."""
        return self._replacements.get(self.number(expression))

    # ---------------------------------------------------------------------------------------------- what is found
    def _noting(self, item: sp.Basic) -> Callable[[sp.Basic], None] | None:
        if isinstance(item, (sp.Symbol, sp.Idx, AppliedUndef, sp.Derivative)):
            return self._note_variable
        for classes, note in (
            (ARRAYS, self._note_array),
            (ELEMENTS, self._note_element),
            (_LIMITED, self._note_limits),
            (_CHOICES, self._note_choice),
        ):
            if isinstance(item, classes):
                return note
        return None

    def _note_variable(self, item: sp.Basic) -> None:
        if is_variable(item):
            self.variables.setdefault(item)

    def _note_array(self, item: sp.Basic) -> None:
        self.arrays.setdefault(item)
        for size in item.shape or ():
            for name in sorted(s.name for s in size.free_symbols):
                self.size_names.setdefault(name)

    def _note_element(self, item: sp.Basic) -> None:
        indices = element_indices(item)
        self.accesses.setdefault(item.args[0], []).append(indices)
        self._mark_integers(indices)

    def _note_limits(self, item: sp.Basic) -> None:
        for limit in item.limits:
            bounds = tuple(limit[1:])
            self.binders.setdefault(limit[0], {}).setdefault(bounds)
            for bound in bounds:
                for symbol in sorted(bound.free_symbols, key=str):
                    self._in_bounds.setdefault(symbol)

    def _note_choice(self, item: sp.Basic) -> None:
        self.conditional = True
        conditions = [pair.args[1] for pair in item.args] if isinstance(item, sp.Piecewise) else item.args
        self.booleans.update(self.number(c) for c in conditions if isinstance(c, sp.Symbol))

    def _mark_integers(self, indices: Iterable[sp.Basic]) -> None:
        """Everything that an index is made of holds integers."""
        stack = [self.number(i) for i in indices]
        while stack:
            number = stack.pop()
            if number in self.integers:
                continue
            self.integers.add(number)
            item = self.expressions[number]
            if isinstance(item, ELEMENTS):
                stack.append(self.number(item.args[0]))
            elif isinstance(item, (sp.Add, sp.Mul, sp.Pow, sp.floor, sp.ceiling, sp.Mod, sp.Min, sp.Max)):
                stack.extend(self._children[number])

    def finish(self) -> None:
        """Tell bound symbols and sizes from arguments; to be called once, when every output is numbered."""
        for symbol in self._in_bounds:
            if symbol not in self.binders and isinstance(symbol, sp.Symbol):
                self.size_names.setdefault(symbol.name)
        for symbol in self.binders:
            self.variables.pop(symbol, None)

    # ------------------------------------------------------------------------------------------------ free indices
    def free(self, number: int) -> tuple[sp.Basic, ...]:
        """The bound symbols that are free in the expression of this number, in order of appearance."""
        free = self._free
        while len(free) <= number:
            free.append(self._free_of(len(free)))
        return free[number]

    def _free_of(self, number: int) -> tuple[sp.Basic, ...]:
        children = self._children[number]
        item = self.expressions[number]
        if not children:
            if item in self.binders:
                return (item,)
            replacement = self._replacements.get(number)
            return () if replacement is None else self._free[self._numbers[id(replacement)]]
        if isinstance(item, _LIMITED):
            names = dict.fromkeys(self._free[children[0]])
            for limit in item.limits:
                names.pop(limit[0], None)
                for bound in limit[1:]:
                    names.update(dict.fromkeys(self._free[self._numbers[id(bound)]]))
            return tuple(names)
        union: tuple[sp.Basic, ...] = ()
        for child in children:
            free = self._free[child]
            if free and free is not union:
                union = free if not union else union + tuple(s for s in free if s not in union)
        return union
