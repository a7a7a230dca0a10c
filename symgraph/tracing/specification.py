"""How the arguments of a traced function are declared: shapes as text, tuples, arrays, and nested ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..axis import size_expression
from ..dtype import BOOLEAN, FLOATING, INTEGER, Dtype
from ..errors import ModelError

__all__ = ["KINDS", "Fixed", "Specification", "specification"]

_DTYPES: dict[str, Dtype] = {
    "": FLOATING, "float": FLOATING, "f64": FLOATING, "f32": FLOATING, "float64": FLOATING, "float32": FLOATING,
    "int": INTEGER, "i64": INTEGER, "int64": INTEGER, "bool": BOOLEAN,
}  # fmt: skip
KINDS = {"b": BOOLEAN, "i": INTEGER, "u": INTEGER, "f": FLOATING}
_TEXT = re.compile(r"\s*(?:(?P<dtype>[a-z]+\d*)?\s*\[(?P<inside>[^\]]*)\]|(?P<bare>[^\[\]]*))\s*\Z")


@dataclass(frozen=True)
class Specification:
    """The shape and dtype of one argument, or those of the arrays in it."""

    shape: tuple[sp.Expr, ...] = ()
    dtype: Dtype = FLOATING
    children: dict[str, Specification] | None = None
    rebuild: Callable[[dict[str, Any]], Any] = dict


@dataclass(frozen=True)
class Fixed:
    """An argument that is no array: its value is part of the Function."""

    value: Any


def specification(name: str, parameter: inspect.Parameter, given: Mapping[str, Any]) -> Specification | Fixed:
    """What an argument is: as given, as annotated, its default as a fixed value, or a scalar."""
    if name in given:
        return _parse(name, given[name])
    annotation = parameter.annotation
    if isinstance(annotation, str) and parameter.default is parameter.empty:
        text = annotation.strip()
        if text[:1] in "'\"" and text[-1:] == text[:1] and len(text) > 1:  # from __future__ import annotations
            text = text[1:-1]
        if _TEXT.match(text) and text not in _TYPES:
            return _parse(name, text)
    if parameter.default is not parameter.empty:
        return Fixed(parameter.default)
    return Specification()


_TYPES = {"float", "int", "bool", "Any", "np.ndarray", "numpy.ndarray", "ArrayLike", "NDArray", "object"}


def _parse(name: str, value: Any) -> Specification:
    if isinstance(value, str):
        return _from_text(name, value)
    if isinstance(value, Mapping):
        return _nested(name, {str(k): v for k, v in value.items()}, dict)
    if isinstance(value, list):
        return _nested(name, {str(k): v for k, v in enumerate(value)}, lambda parts: list(parts.values()))
    if isinstance(value, tuple):
        if all(_is_size(v) for v in value):
            return Specification(tuple(_size(name, v) for v in value))
        return _nested(name, {str(k): v for k, v in enumerate(value)}, lambda parts: tuple(parts.values()))
    array = np.asarray(value)
    if array.dtype.kind not in KINDS:
        raise ModelError(f"the argument {name} is declared by an array of dtype {array.dtype}: use real numbers")
    return Specification(tuple(sp.Integer(n) for n in array.shape), KINDS[array.dtype.kind])


def _is_size(entry: Any) -> bool:
    """Whether an entry of a tuple is a size, so that the tuple is a shape: text with a comma is a shape itself."""
    if isinstance(entry, str):
        return bool(entry.strip()) and not set(entry) & set(",[]()")
    return isinstance(entry, (int, sp.Expr)) and not isinstance(entry, bool)


def _nested(name: str, parts: dict[str, Any], rebuild: Callable[[dict[str, Any]], Any]) -> Specification:
    if not parts:
        raise ModelError(f"the argument {name} is declared as an empty collection: there is no array in it")
    children = {key: _parse(f"{name}_{key}", part) for key, part in parts.items()}
    return Specification(children=children, rebuild=rebuild)


def _from_text(name: str, text: str) -> Specification:
    match = _TEXT.match(text)
    if match is None:
        raise ModelError(f"the shape {text!r} of the argument {name}: write it as in 'n, d' or 'int[n]'")
    dtype = match["dtype"] or ""
    inside = match["inside"] if match["inside"] is not None else match["bare"]
    if match["inside"] is None and inside.strip() in _DTYPES:
        dtype, inside = inside.strip(), ""
    if dtype not in _DTYPES:
        raise ModelError(f"the dtype {dtype!r} of the argument {name}: use {', '.join(d for d in _DTYPES if d)}")
    entries = [entry.strip() for entry in inside.strip().strip("()").split(",")]
    return Specification(tuple(_size(name, entry) for entry in entries if entry), _DTYPES[dtype])


def _size(name: str, entry: int | str | sp.Expr) -> sp.Expr:
    if isinstance(entry, str):
        factors = entry.replace("-", "+-").split("+")
        if not re.fullmatch(r"[\w\s*+-]+", entry):
            raise ModelError(f"the size {entry!r} of the argument {name}: use an integer or a name, as in 'n, d'")
        return size_expression(sp.Add(*[_product(name, f) for f in factors if f.strip()]))
    return size_expression(entry)


def _product(name: str, text: str) -> sp.Expr:
    """A product of names and integers, as in 2*n; nothing is evaluated as Python code."""
    sign = -1 if text.strip().startswith("-") else 1
    factors = []
    for factor in text.strip().lstrip("-").split("*"):
        word = factor.strip()
        if word.isdigit():
            factors.append(sp.Integer(int(word)))
        elif word.isidentifier():
            factors.append(size_expression(word))
        else:
            raise ModelError(f"the size {text!r} of the argument {name}: use an integer or a name, as in 'n, d'")
    return sign * sp.Mul(*factors)
