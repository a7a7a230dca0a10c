"""The loop IR: what a plan becomes before it is text. Eight statements over typed scalar expressions, all
frozen.

Canonical form (what every printer may assume; `loop_spec` checks it):

- every name is bound once: by a parameter, an Alloc, a For or a Let; names are valid identifiers, unique in a
  Procedure;
- an Operation names a row of the op table or one of `EMITTED` (a - b, a / b, -a, 1 / a, the square root);
  operands already have the dtype that the row wants (casts are explicit); `select` evaluates only the branch
  that it takes, because a read in the other one may be out of range; `floordiv` rounds down;
- a Load or Store has one flat integer index (row-major); what it reads is in range, given the guards around
  it;
- a Let whose `mutable` is true is an accumulator: only an Accumulate changes it; all other variables never
  change;
- expression trees are shallow (at most `MAXIMUM_DEPTH`), so that printers may recurse;
- the turns of a For with `lanes` are carried out together, statement by statement, so many at a time as the machine
  has lanes (or `strip` times as many): its bounds, and those of the loops and the conditions of the branches in it,
  are the same for all turns, no turn reads what another one writes, and what they accumulate together goes through
  the `Collected` of the loop, in no fixed order. An array with `lanes` belongs to one such loop: it has one element
  per turn, of no meaning before the turn and behind it.

Targets print this; they do not optimise it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ..dtype import Dtype

__all__ = [
    "EMITTED", "MAXIMUM_DEPTH", "Accumulate", "Alloc", "Array", "Block", "Call", "Collected", "Expression", "For", "If",
    "IndexCheck", "Lanes", "Let", "Literal", "Load", "Operation", "Procedure", "Statement", "Store", "Table",
    "Variable",
]  # fmt: skip

MAXIMUM_DEPTH = 24
EMITTED = {"sub": 2, "div": 2, "neg": 1, "rcp": 1, "sqrt": 1}  # operations beyond the op table, with their arity


# ---------------------------------------------------------------------------------------------------- expressions
@dataclass(frozen=True, slots=True)
class Literal:
    """An exact constant: the payload of a Const node (int, Fraction, float, bool, SymPy number)."""

    value: object
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar: a parameter, a size, a loop index, or what a Let binds."""

    name: str
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class Array:
    """A contiguous row-major array of `dtype`; `shape` are integer expressions (for comments and checks).

    With `lanes`, every turn of the loop that it belongs to has its own elements, in so many vectors at a time.
    """

    name: str
    dtype: Dtype
    shape: tuple[Expression, ...] = ()
    lanes: int = 0


@dataclass(frozen=True, slots=True)
class Load:
    array: Array
    index: Expression

    @property
    def dtype(self) -> Dtype:
        return self.array.dtype


@dataclass(frozen=True, slots=True)
class Operation:
    """A row of the op table applied to operands; `add` and `mul` are n-ary, `select` is (condition, then, else)."""

    op: str
    operands: tuple[Expression, ...]
    dtype: Dtype


Expression: TypeAlias = Literal | Variable | Load | Operation


# ----------------------------------------------------------------------------------------------------- statements
@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Let:
    """Bind a new variable. With `mutable`, it is an accumulator that starts at `value`."""

    variable: Variable
    value: Expression
    mutable: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    array: Array
    index: Expression
    value: Expression
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Accumulate:
    """target = combine(target, value), where `reducer` is a row of the reducer table (sum, product, max, min)."""

    target: Variable | Load
    reducer: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Collected:
    """What all turns of a loop over lanes accumulate: `by` starts at the identity of the reducer in every lane (for
    an array, in all `size` elements), and is combined into `target` behind the loop."""

    target: Variable | Load | Array
    by: Variable | Array
    reducer: str
    size: Expression


@dataclass(frozen=True, slots=True)
class Lanes:
    """How a loop runs over lanes: `strip` vectors of turns at a time, and what its turns accumulate together."""

    strip: int
    collected: tuple[Collected, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """for index in range(start, stop): the index is an integer variable that is visible in `body` only."""

    index: Variable
    start: Expression
    stop: Expression
    body: Block
    parallel: bool = False
    comment: str = ""
    lanes: Lanes | None = None


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Block
    otherwise: Block = field(default_factory=lambda: Block(()))


@dataclass(frozen=True, slots=True)
class Alloc:
    """A scratch array of `size` elements. `fill` (a Literal) is written to every element first, None leaves it unset.

    An Alloc stands at the top level of a Procedure; the host may place all of them in one arena.
    """

    array: Array
    size: Expression
    fill: Literal | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """Call a Procedure or a library routine by name, with arrays and scalars as arguments."""

    function: str
    arguments: tuple[Array | Expression, ...]


Statement: TypeAlias = Block | Let | Store | Accumulate | For | If | Alloc | Call


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """Every element of an integer input must lie in low..high (both included): it is used as an index."""

    input: Array | Variable
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Table:
    """An array of constants, which exists before the first call."""

    array: Array
    values: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Procedure:
    """A function of the loop IR.

    `inputs` holds, in the order of the graph's inputs, an Array for one with axes and a Variable for a scalar.
    `outputs` are arrays, in the order of the graph's outputs; a scalar output is an array of one element.
    `sizes` are the integer variables of the size symbols, by name of the symbol.
    Outputs are not initialised: the body stores every element (or fills before it accumulates).
    `index_checks` are for the caller: the body reads unchecked where they promise that an index is in range.
    """

    name: str
    inputs: tuple[Array | Variable, ...]
    outputs: tuple[Array, ...]
    sizes: tuple[Variable, ...]
    body: Block
    index_checks: tuple[IndexCheck, ...] = ()
    tables: tuple[Table, ...] = ()
