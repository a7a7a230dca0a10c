"""One walk over the user's expressions before capture: number them, and find what is free, bound, a size or an index.

SymPy's own ``free_symbols``, ``has`` and ``==`` recurse, so that nothing here calls them on a user's expression: the
walk goes over ``args`` with an explicit stack. Equal expressions get the same number, whether or not they are the same
object, so that the work of capture is linear in the number of distinct expressions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.tensor.array import ArrayComprehension
from sympy.tensor.array.expressions.array_expressions import ArrayElement, ArraySymbol

from .rewriting import rewritten

__all__ = ["Survey", "is_variable"]

_ARRAYS = (sp.IndexedBase, sp.MatrixSymbol, ArraySymbol)
_LIMITED = (ExprWithLimits, ArrayComprehension)
_LOGICAL = (sp.And, sp.Or, sp.Not, sp.Xor, sp.Implies, sp.Equivalent, sp.Nand, sp.Nor)


def is_variable(expression: sp.Basic) -> bool:
    """Whether an expression can only get its value from an argument: a symbol, ``q(t)``, or a derivative of that."""
    if isinstance(expression, (sp.Symbol, sp.Idx)):
        return True
    if isinstance(expression, sp.Derivative):
        expression = expression.expr
    return isinstance(expression, AppliedUndef) and all(isinstance(a, sp.Symbol) for a in expression.args)


class Survey:
    """The numbered expressions of one capture.

    Attributes
    ----------
    expressions:
        The first object seen of each number.
    binders:
        The symbols that sums and comprehensions bind, with every range in which they are bound.
    variables, arrays:
        Symbols, ``q(t)``, derivatives; and array symbols, in order of appearance.
    size_names:
        Names of the symbols in shapes and in bounds.
    integers, booleans:
        Numbers of expressions that are used as an index, or as a condition.
    conditional:
        Whether a Piecewise or ITE occurs: it may guard an index that is out of range elsewhere.
    """

    def __init__(self) -> None:
        self.expressions: list[sp.Basic] = []
        self.binders: dict[sp.Basic, dict[tuple[sp.Basic, sp.Basic], None]] = {}
        self.variables: dict[sp.Basic, None] = {}
        self.arrays: dict[sp.Basic, None] = {}
        self.accesses: dict[sp.Basic, list[tuple[sp.Basic, ...]]] = {}
        self.size_names: dict[str, None] = {}
        self.integers: set[int] = set()
        self.booleans: set[int] = set()
        self.replacements: dict[int, sp.Basic] = {}
        self.conditional = False
        self._numbers: dict[int, int] = {}  # id of an object -> number
        self._keys: dict[Hashable, int] = {}
        self._alive: list[sp.Basic] = []  # keeps every visited object, so that an id is never used twice
        self._children: list[tuple[int, ...]] = []
        self._free: list[tuple[sp.Basic, ...]] = []
        self._bound_symbols: dict[sp.Basic, None] = {}

    def number(self, expression: sp.Basic) -> int:
        """The number of an expression; what is below it is numbered first."""
        found = self._numbers.get(id(expression))
        if found is not None:
            return found
        stack: list[tuple[sp.Basic, bool]] = [(expression, False)]
        numbers = self._numbers
        while stack:
            item, expanded = stack.pop()
            if id(item) in numbers:
                continue
            children = self._parts(item)
            if not expanded:
                missing = [c for c in children if id(c) not in numbers]
                if missing:
                    stack.append((item, True))
                    stack.extend((c, False) for c in reversed(missing))
                    continue
            self._enter(item, tuple(numbers[id(c)] for c in children))
        return numbers[id(expression)]

    def free(self, number: int) -> tuple[sp.Basic, ...]:
        """The bound symbols that are free in the expression of this number, in order of appearance."""
        free = self._free
        while len(free) <= number:
            free.append(self._free_of(len(free)))
        return free[number]

    def replacement(self, expression: sp.Basic) -> sp.Basic | None:
        """What stands for an expression that is only another notation (a derivative that was carried out)."""
        return self.replacements.get(self.number(expression))

    def _parts(self, item: sp.Basic) -> tuple[sp.Basic, ...]:
        if not item.args or is_variable(item) or isinstance(item, (*_ARRAYS, AppliedUndef)):
            return ()
        if isinstance(item, (sp.Derivative, sp.Subs)):
            return ()
        return item.args

    def _enter(self, item: sp.Basic, children: tuple[int, ...]) -> None:
        leaf: Hashable = (item, item._prec) if isinstance(item, sp.Float) else item
        key: Hashable = (type(item), children) if children else (type(item), leaf)
        number = self._keys.get(key)
        self._alive.append(item)
        if number is None:
            number = self._keys[key] = len(self.expressions)
            self.expressions.append(item)
            self._children.append(children)
            self._note(item, number)
        self._numbers[id(item)] = number

    def _note(self, item: sp.Basic, number: int) -> None:
        if is_variable(item):
            self.variables.setdefault(item)
        elif isinstance(item, _ARRAYS):
            self._note_array(item)
        elif isinstance(item, (sp.Indexed, MatrixElement, ArrayElement)):
            indices = _indices(item)
            self.accesses.setdefault(item.args[0], []).append(indices)
            self._mark_integers(indices)
        elif isinstance(item, _LIMITED):
            for limit in item.limits:
                self._note_limit(limit)
        elif isinstance(item, (sp.Piecewise, sp.ITE, *_LOGICAL)):
            self.conditional = True
            conditions = [p.args[1] for p in item.args] if isinstance(item, sp.Piecewise) else list(item.args)
            self.booleans.update(self.number(c) for c in (conditions[:1] if isinstance(item, sp.ITE) else conditions))
        replacement = rewritten(item)
        if replacement is not None:
            self._alive.append(replacement)
            self.replacements[number] = replacement
            self.number(replacement)

    def _note_array(self, item: sp.Basic) -> None:
        self.arrays.setdefault(item)
        shape = item.shape
        for size in shape or ():
            for name in sorted(s.name for s in size.free_symbols):
                self.size_names.setdefault(name)

    def _note_limit(self, limit: sp.Tuple) -> None:
        symbol = limit[0]
        self.variables.pop(symbol, None)
        bounds = (limit[1], limit[2]) if len(limit) == 3 else ()
        self.binders.setdefault(symbol, {}).setdefault(bounds)
        # symbols of the bounds that no sum binds are sizes; which ones are bound is known after the walk only
        for bound in bounds:
            for name in sorted(bound.free_symbols, key=str):
                self._bound_symbols.setdefault(name)

    def finish(self) -> None:
        """To be called when every output is numbered: tells bound symbols and sizes from arguments."""
        for symbol in self._bound_symbols:
            if symbol not in self.binders and isinstance(symbol, sp.Symbol):
                self.size_names.setdefault(symbol.name)
        for symbol in self.binders:
            self.variables.pop(symbol, None)

    def _mark_integers(self, indices: Iterable[sp.Basic]) -> None:
        """Everything that an index is made of holds integers."""
        stack = [self.number(i) for i in indices]
        while stack:
            number = stack.pop()
            if number in self.integers:
                continue
            self.integers.add(number)
            item = self.expressions[number]
            if isinstance(item, (sp.Indexed, MatrixElement, ArrayElement)):
                stack.append(self.number(item.args[0]))
            elif isinstance(item, (sp.Add, sp.Mul, sp.Pow, sp.floor, sp.ceiling, sp.Mod, sp.Min, sp.Max)):
                stack.extend(self._children[number])

    def _free_of(self, number: int) -> tuple[sp.Basic, ...]:
        item = self.expressions[number]
        if item in self.binders if is_variable(item) else False:
            return (item,)
        replacement = self.replacements.get(number)
        if replacement is not None:
            return self._union([self.number(replacement)])
        if isinstance(item, _LIMITED):
            names = dict.fromkeys(self.free(self.number(item.args[0])))
            for limit in item.limits:
                names.pop(limit[0], None)
                for bound in limit[1:]:
                    names.update(dict.fromkeys(self.free(self.number(bound))))
            return tuple(names)
        return self._union(self._children[number])

    def _union(self, numbers: Iterable[int]) -> tuple[sp.Basic, ...]:
        union: tuple[sp.Basic, ...] = ()
        for number in numbers:
            free = self.free(number)
            if free and free is not union:
                union = free if not union else union + tuple(s for s in free if s not in union)
        return union


def _indices(item: sp.Basic) -> tuple[sp.Basic, ...]:
    if isinstance(item, ArrayElement):
        return tuple(item.indices)
    return tuple(item.args[1:])
