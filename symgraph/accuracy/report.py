"""What a measurement of accuracy found, as rows; how it shows itself in a terminal and in a notebook."""

from __future__ import annotations

import dataclasses
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

__all__ = ["Accuracy", "OutputAccuracy", "figure"]


@dataclass(frozen=True)
class OutputAccuracy:
    """The accuracy of one output.

    Attributes
    ----------
    output:
        Its name; derivatives as ``df_dx``.
    order:
        0 for a value, 1 for a first derivative, 2 for a second one.
    worst, median:
        Errors in units in the last place, over all points inside the domain; infinite for a nan or an infinity where
        there is a finite value, and the other way round.
    points:
        Points at which the exact result is a finite number.
    outside:
        Points at which it is none: outside of the domain of the formula.
    overflow:
        Points, of those inside, at which the exact result is greater than the greatest float: an infinity is right.
    wrong:
        Points, of those inside, with an infinite error.
    call:
        How the kernel was called where it is worst: "array" or "number".
    point:
        Where it is worst: input names to values.
    element:
        Which element of an array output is worst.
    found, exact:
        What the kernel gave there, and the exact value to 20 digits.
    condition:
        By how much a relative change of the inputs can be greater in the result there; None where it is not defined.
    estimate:
        Units that are lost there, to first order, if every operation is right to one unit.
    node:
        The formula of the node that loses the digits, and by which factor; empty where all that happens is rounding.
    gain:
        By how much that node makes relative errors of its arguments greater.
    rewrite:
        A form that keeps the digits, or "none known".
    """

    output: str
    order: int
    worst: float
    median: float
    points: int
    outside: int = 0
    overflow: int = 0
    wrong: int = 0
    call: str = ""
    point: dict[str, Any] = dataclasses.field(default_factory=dict)
    element: tuple[int, ...] = ()
    found: float = math.nan
    exact: str = ""
    condition: float | None = None
    estimate: float | None = None
    node: str = ""
    gain: float | None = None
    rewrite: str = ""


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of a kernel: one row per output. It has a length, iterates over its rows, and is indexed by name.

    Attributes
    ----------
    rows:
        One :class:`OutputAccuracy` per output.
    name, target, dtype, seed:
        What was measured, and how.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> report = sg.accuracy(sg.function(x**2 + x, name="f"), points=50)
    >>> report.outputs, report["df_dx"].worst < 2, report.passed(4)
    (('f', 'df_dx'), True, True)
    """

    rows: tuple[OutputAccuracy, ...]
    name: str
    target: str
    dtype: str
    seed: int

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(row.output for row in self.rows)

    @property
    def worst(self) -> float:
        """The worst error of all outputs, in units in the last place."""
        return max((row.worst for row in self.rows), default=0.0)

    def passed(self, max_ulp: float) -> bool:
        """Whether no output is off by more than ``max_ulp``."""
        return self.worst <= max_ulp

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[OutputAccuracy]:
        return iter(self.rows)

    def __getitem__(self, which: int | str) -> OutputAccuracy:
        if isinstance(which, int):
            return self.rows[which]
        for row in self.rows:
            if row.output == which:
                return row
        raise KeyError(f"{self.name} has no output {which!r}: its outputs are {', '.join(self.outputs)}")

    def records(self) -> list[dict[str, Any]]:
        """The rows as dicts, as ``pandas.DataFrame`` takes them."""
        return [dataclasses.asdict(row) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data: numbers, strings, lists and dicts."""
        rows = [{key: _plain(value) for key, value in record.items()} for record in self.records()]
        return {
            "name": self.name,
            "target": self.target,
            "dtype": self.dtype,
            "seed": self.seed,
            "rows": rows,
        }

    # ------------------------------------------------------------------------------------------------------- showing
    @property
    def title(self) -> str:
        """What was measured, in a line."""
        return f"{self.name}: errors in ulp against exact values ({self.target}, {self.dtype})"

    def cells(self) -> list[tuple[str, ...]]:
        """The table as texts, the header first."""
        return [("output", "worst", "median", "points", "worst at", "condition", "lost in", "rewrite")] + [
            _cells(row) for row in self.rows
        ]

    def __str__(self) -> str:
        from rich.console import Console
        from rich.table import Table

        header, *rows = self.cells()
        table = Table(*header, title=self.title, title_justify="left", title_style="")
        for row in rows:
            table.add_row(*map(_unmarked, row))
        page = io.StringIO()
        Console(file=page, width=140, color_system=None, force_terminal=False).print(table)
        return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())

    def __repr__(self) -> str:
        return f"<accuracy of {self.name}: {len(self.rows)} outputs, worst {figure(self.worst)} ulp>"

    def _repr_html_(self) -> str:
        header, *rows = self.cells()
        head = "".join(f'<th style="text-align:left">{escape(cell)}</th>' for cell in header)
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row) + "</tr>"
            for row in rows
        )
        return f"<table><caption>{escape(self.title)}</caption><tr>{head}</tr>{body}</table>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


def figure(number: float | None) -> str:
    """An error or a factor with as many digits as it is worth.

    >>> figure(0.512), figure(23.4), figure(4.2e9), figure(float("inf"))
    ('0.51', '23', '4.2e+09', 'inf')
    """
    if number is None:
        return ""
    if not math.isfinite(number) or number >= 1e5:
        return f"{number:.2g}"
    return f"{number:.2f}" if number < 10 else f"{number:.0f}"


def _cells(row: OutputAccuracy) -> tuple[str, ...]:
    points = f"{row.points}" + (f" (+{row.outside} outside)" if row.outside else "")
    at = ", ".join(f"{name}={_short(value)}" for name, value in row.point.items())
    if row.wrong:
        at += f"; {row.found:.6g} for {row.exact[:12]}"
    lost = f"{row.node} (x {figure(row.gain)})" if row.node else ""
    worst = figure(row.worst) if row.points else ""
    return (row.output, worst, figure(row.median) if row.points else "", points, at, figure(row.condition), lost,
            row.rewrite)  # fmt: skip


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "[...]" if len(str(value)) > 24 else str(value)
    if not isinstance(value, float):
        return str(value)
    single = np.float32(value)
    return str(single) if float(single) == value else repr(value)


def _plain(value: Any) -> Any:
    """A value that JSON has; infinities and nan as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


def _unmarked(text: str) -> str:
    """Text in which brackets are no markup."""
    return text.replace("[", "\\[")
