"""The plain C function of a kernel in a package: what other Cython and C code calls, without Python in between."""

from __future__ import annotations

import re

from .abi import Argument, Interface

__all__ = ["CEntry"]

_MEMORY = ("unsigned char", "long long", "{real}")  # by dtype
_POINTERS = ("truths", "integers", "reals")  # what the emitted module calls pointers to them
_REALS = {"float64": "double", "float32": "float"}


class CEntry:
    """Scalars by value, arrays and results by pointer, sizes first; 0, or another number where memory ran out.

    Attributes
    ----------
    name, signature:
        The function, and how it is declared.
    body, call:
        The function of the module that does the work, and its arguments.
    locals, stores:
        Lines before and after the call, where the body works on lanes.
    returns_status:
        Whether the body says if memory ran out.
    """

    def __init__(self, face: Interface, entry: str, text: str, dtype: str) -> None:
        self.name, self.body = f"{entry}_c", f"{entry}_body"
        pattern = rf"^cdef (?:inline )?(int|void) {re.escape(self.body)}\((.*)\) noexcept nogil:"
        body = re.search(pattern, text, re.MULTILINE)
        assert body is not None
        self.returns_status = body.group(1) == "int"
        declared = [p.rsplit(" ", 1) for p in body.group(2).split(", ")] if body.group(2) else []
        self._lanes = any(kind.startswith("lanes") for kind, _ in declared)
        self._real = _REALS[dtype]
        sizes = [name for _, name in declared[: len(declared) - len(face.arguments) - len(face.results)]]
        names = [name for _, name in declared[len(sizes) :]]
        self.call = list(sizes)
        self.locals: list[str] = []
        self.stores: list[str] = []
        self._parameters = [f"long long {name}" for name in sizes]
        for argument, name in zip(face.arguments, names, strict=False):
            self._add_argument(argument, name)
        for result, name in zip(face.results, names[len(face.arguments) :], strict=True):
            self._add_result(result, name)
        self.signature = f"cdef int {self.name}({', '.join(self._parameters)}) noexcept nogil"

    def _memory(self, argument: Argument) -> str:
        return _MEMORY[argument.dtype].format(real=self._real)

    def _add_argument(self, argument: Argument, name: str) -> None:
        if argument.is_array:
            self._parameters.append(f"const {self._memory(argument)}* {name}")
            self.call.append(f"<const_{_POINTERS[argument.dtype]}>{name}")
        else:
            self._parameters.append(f"{self._memory(argument)} {name}")
            self.call.append(f"splat({name})" if self._lanes else name)

    def _add_result(self, result: Argument, name: str) -> None:
        self._parameters.append(f"{self._memory(result)}* {name}")
        if result.is_array:
            self.call.append(f"<{_POINTERS[result.dtype]}>{name}")
        elif self._lanes:
            self.locals.append(f"cdef lanes {name}_lanes")
            self.call.append(f"&{name}_lanes")
            self.stores.append(f"{name}[0] = first({name}_lanes)")
        else:
            self.call.append(name)
