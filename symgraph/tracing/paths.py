"""sg.jit: compile the paths that a Python function with control flow takes, and record anew where a new one begins."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compile import compile
from ..errors import ModelError, UnsupportedError
from ..function import Function
from ..transform import grad, value_and_grad
from .recording import Guard, Recording

__all__ = ["Jit", "Path", "jit"]

MOST_PATHS = 64  # for arguments of one shape: a function with more decides by numbers, not by cases


@dataclass(frozen=True)
class Path:
    """One way through the function: its graph with guards, what they are, and the compiled kernel."""

    function: Function
    guards: tuple[Guard, ...]
    run: Callable[..., Any]


class Jit:
    """A Python function whose recorded paths are compiled. Made by :func:`jit`.

    Attributes
    ----------
    paths:
        The paths so far, by the shapes and kinds of the arguments.
    log:
        One line for each recording: why it was made.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        compiler: Callable[[Function], Callable[..., Any]],
        derivative: str | None,
        wrt: object,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function, self._compiler, self._derivative, self._wrt = function, compiler, derivative, wrt
        self.paths: dict[tuple[Any, ...], list[Path]] = {}
        self.log: list[str] = []

    def __call__(self, *arguments: Any) -> Any:
        """Run the path whose guards hold; record a new one where none does."""
        leaves: list[Any] = []
        key = (_flatten(arguments, leaves), *((np.shape(x), np.asarray(x).dtype.kind) for x in leaves))
        paths = self.paths.setdefault(key, [])
        failed: Guard | None = None
        for position, path in enumerate(paths):
            result, first = path.run(*leaves)
            if first >= len(path.guards):
                if position:  # the path of the last call is the likeliest of the next
                    paths.insert(0, paths.pop(position))
                return result
            failed = failed or path.guards[int(first)]
        if len(paths) >= MOST_PATHS:
            raise UnsupportedError(
                f"{self._name} took {MOST_PATHS} paths for arguments of one shape, and needs another outcome of "
                f"{failed}: use np.where for choices that depend on every number"
            )
        path = self._record(arguments, leaves)
        paths.insert(0, path)
        self.log.append(f"another outcome of {failed}" if failed else "arguments of new shapes")
        return path.run(*leaves)[0]

    @property
    def _name(self) -> str:
        return str(getattr(self._function, "__name__", "f"))

    def function(self, *arguments: Any) -> Function:
        """The Function (result, guard) of the path that these arguments take; it is recorded if it is new."""
        self(*arguments)
        leaves: list[Any] = []
        key = (_flatten(arguments, leaves), *((np.shape(x), np.asarray(x).dtype.kind) for x in leaves))
        return self.paths[key][0].function

    def _record(self, arguments: Sequence[Any], leaves: Sequence[Any]) -> Path:
        tape = Recording()
        names = _names(self._function, arguments)
        variables = iter([tape.variable(value, name) for name, value in zip(names, leaves, strict=True)])
        result = self._function(*[_rebuilt(a, variables) for a in arguments])
        function = tape.function(result, name=self._name)
        if self._derivative is not None:
            function = _DERIVATIVES[self._derivative](function, self._wrt)
        guarded = tape.guarded(function)
        return Path(guarded, tuple(tape.guards), self._compiler(guarded))

    def __repr__(self) -> str:
        return f"<jit of {self._name}: {sum(map(len, self.paths.values()))} compiled paths>"


def _flatten(value: Any, leaves: list[Any]) -> Any:
    """The structure of nested arguments; their arrays and numbers are appended to ``leaves``."""
    if isinstance(value, Mapping):
        return tuple((key, _flatten(item, leaves)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *(_flatten(item, leaves) for item in value))
    leaves.append(value)
    return None


def _rebuilt(value: Any, variables: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _rebuilt(item, variables) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_rebuilt(item, variables) for item in value)
    return next(variables)


def _names(function: Callable[..., Any], arguments: Sequence[Any]) -> list[str]:
    """The names of the arrays in the arguments: ``x``, and ``params_w_0`` in nested ones."""
    parameters = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    parameters += [f"x{k}" for k in range(len(parameters), len(arguments))]
    names: list[str] = []

    def place(name: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, item in value.items():
                place(f"{name}_{key}", item)
        elif isinstance(value, (list, tuple)):
            for key, item in enumerate(value):
                place(f"{name}_{key}", item)
        else:
            names.append(name)

    for name, value in zip(parameters, arguments, strict=False):
        place(name, value)
    return names


_DERIVATIVES: dict[str, Callable[..., Function]] = {"grad": grad, "value_and_grad": value_and_grad}


def jit(
    function: Callable[..., Any] | None = None,
    *,
    target: str = "cython",
    derivative: str | None = None,
    wrt: object = None,
    **options: Any,
) -> Any:
    """Compile a Python function with ``if``, ``for``, ``while``, recursion, by recording the paths that it takes.

    Parameters
    ----------
    function:
        A callable on numbers and arrays (nested in lists and dicts as one likes). Without it, a decorator.
    target, options:
        As for :func:`symgraph.compile`.
    derivative:
        None for the result, ``"grad"`` for derivatives of a scalar result, ``"value_and_grad"`` for both.
    wrt:
        Names of the arguments to differentiate by, ``params_w`` for those in nested ones; default: all floating ones.

    Returns
    -------
    Jit
        Called like the function. Each path is compiled once per shape of the arguments; its guards, the comparisons
        that Python decided, are computed with it, and where one fails the function is recorded anew.

    Examples
    --------
    >>> @jit
    ... def root(a):
    ...     x = a
    ...     while abs(x * x - a) > 1e-9:
    ...         x = (x + a / x) / 2
    ...     return x
    >>> round(root(2.0), 9), round(root(2.1), 9)
    (1.414213562, 1.449137675)
    >>> len(root.log)
    1
    """
    if function is None:
        return lambda given: jit(given, target=target, derivative=derivative, wrt=wrt, **options)
    if derivative is not None and derivative not in _DERIVATIVES:
        raise ModelError(f"the derivative {derivative!r} of jit: use 'grad', 'value_and_grad' or leave it out")
    return Jit(function, functools.partial(compile, target=target, **options), derivative, wrt)
