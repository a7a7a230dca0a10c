"""Where Python values meet compiled code: conversion of arguments and results, with errors that name them.

Plain Python, used in three ways: kernels in the cache share this module, emitted Cython packages compile its text, and
emitted Numba modules contain it. It knows NumPy and nothing of symgraph.
"""

import numpy as np

ArgumentError = ValueError


def plain_array(value, name):
    """Any array-like as NumPy understands it."""
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"argument {name} is no array: {error}") from None


def as_array(value, dtype, dimensions, name, expected):
    """Any array-like as an aligned C-contiguous array of one dtype; nothing is lost in silence.

    ``dimensions`` is None where any number will do; ``expected`` says what to expect in the message.
    """
    array = plain_array(value, name)
    letter = array.dtype.kind
    if letter == "c":
        raise ArgumentError(f"argument {name} is complex ({array.dtype}): this function takes real numbers")
    if letter not in ("b" if dtype == "bool" else "biuf"):
        what = "truth values" if dtype == "bool" else f"numbers that {dtype} can hold"
        raise ArgumentError(f"argument {name} has dtype {array.dtype}, expected {what}")
    if dimensions is not None and array.ndim != dimensions:
        raise ArgumentError(
            f"argument {name} has {array.ndim} dimension{'s' * (array.ndim != 1)}, expected {expected}"
        )
    if dtype == "int64" and letter in "fu":
        with np.errstate(invalid="ignore"):
            converted = array.astype(dtype, order="C")
        wrong = (converted != array) | (array >= 2.0**63)
        if wrong.any():
            raise ArgumentError(f"argument {name} holds {array[wrong].flat[0]}, expected integers of 64 bits")
        return converted
    with np.errstate(over="ignore"):
        return np.require(array, dtype, ("C", "A"))


def as_number(value, dtype, name):
    """A scalar argument as a Python number."""
    if isinstance(value, int) and not isinstance(value, bool) and dtype != "bool":
        if dtype == "int64":
            if not -(2**63) <= value < 2**63:
                raise ArgumentError(f"argument {name} is {value}, which does not fit into 64 bits")
            return value
        try:
            return float(value)
        except OverflowError:
            raise ArgumentError(f"argument {name} is an integer that is too large for a float") from None
    return as_array(value, dtype, 0, name, "a scalar").item()


def as_operand(value, dtype, name):
    """An array that a ufunc casts to ``dtype`` without loss, converted first where NumPy would refuse."""
    if not isinstance(value, (int, float)):
        array = plain_array(value, name)
        if array.dtype.kind in "biuf" and np.can_cast(array.dtype, dtype, "safe"):
            return array
    elif dtype != "bool" and not isinstance(value, bool):
        return np.asarray(as_number(value, dtype, name), dtype)
    return as_array(value, dtype, None, name, "")


def call_ufunc(ufunc, arguments, out, count, name):
    """The flat results; Python numbers where all arguments are scalars and no array is given for the results."""
    keywords = {} if out is None else {"out": flat_out(out, count)}
    try:
        results = ufunc(*arguments, **keywords)
    except (TypeError, ValueError) as error:
        shapes = ", ".join([str(argument.shape) for argument in arguments])
        raise ArgumentError(f"{name}: {error} (shapes of the arguments: {shapes})") from None
    results = [results] if count == 1 else list(results)
    return [result.item() if isinstance(result, np.generic) else result for result in results]


def broadcast_operands(arguments, dtypes, name):
    """Contiguous arrays of one shape (scalars stay scalars) and new arrays for the results."""
    try:
        shape = np.broadcast_shapes(*[argument.shape for argument in arguments])
    except ValueError:
        shapes = ", ".join([str(argument.shape) for argument in arguments])
        raise ArgumentError(f"{name}: the arguments do not broadcast; their shapes are {shapes}") from None
    operands = [
        np.require(argument if argument.ndim == 0 else np.broadcast_to(argument, shape), dtype, ("C", "A"))
        for argument, dtype in zip(arguments, dtypes, strict=False)  # those of the results follow
    ]
    return operands + [np.empty(shape, dtype) for dtype in dtypes[len(arguments) :]]


def deliver(results, out):
    """New results as Python numbers where they have no dimensions, or copied into the caller's arrays."""
    if out is None:
        return [result if result.ndim else result.item() for result in results]
    given = flat_out(out, len(results))
    for position, (target, result) in enumerate(zip(given, results, strict=True)):
        if target is None:
            continue
        if not isinstance(target, np.ndarray) or target.shape != result.shape or not target.flags.writeable:
            raise ArgumentError(f"out number {position} must be a writeable array of shape {result.shape}")
        try:
            np.copyto(target, result, casting="same_kind")
        except TypeError as error:
            raise ArgumentError(f"out number {position}: {error}") from None
    return [result if target is None else target for target, result in zip(given, results, strict=True)]


def flat_out(out, count):
    """The arrays in ``out``, which may be nested like the result, in the order of the results."""
    arrays, stack = [], [out]
    while stack:
        item = stack.pop()
        if type(item) is np.ndarray:
            arrays.append(item)
        elif isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, (tuple, list)):
            stack.extend(reversed(item))
        else:
            arrays.append(item)
    if len(arrays) != count:
        raise ArgumentError(f"out holds {len(arrays)} array{'s' * (len(arrays) != 1)}, expected {count}")
    for array in arrays:
        if type(array) is not np.ndarray and array is not None and not isinstance(array, np.ndarray):
            raise ArgumentError(f"out holds a {type(array).__name__}, expected NumPy arrays")
    return tuple(arrays)


def refuse_out(out, name, dtype, shape):
    """Say why an array cannot take a result."""
    if not isinstance(out, np.ndarray):
        found = f"a {type(out).__name__}"
    else:
        found = f"a {out.dtype} array of shape {out.shape}"
        if not out.flags.writeable:
            found += " that is read-only"
        elif out.dtype == dtype and out.shape == shape:
            found += " that is not contiguous" if out.dtype.isnative else " of foreign byte order"
    raise ArgumentError(
        f"out for {name} must be a writeable C-contiguous {dtype} array of shape {shape}, found {found}"
    )


def mismatch(message, found, expected=None, witness=None):
    """A size that does not fit."""
    raise ArgumentError(message.format(found=found, expected=expected, witness=witness))


def check_indices(array, low, high, name):
    """Integers that are used as indices: all from ``low`` to ``high``."""
    if array.size and not (low <= array.min() and array.max() <= high):
        bad = array[(array < low) | (array > high)].flat[0]
        raise ArgumentError(f"argument {name} holds the index {bad}, expected integers from {low} to {high}")


def refuse_index(index, low, high, name):
    """A scalar that is used as an index and is out of range."""
    raise ArgumentError(f"argument {name} is the index {index}, expected an integer from {low} to {high}")


def result_array(out, name, dtype, shape, arguments):
    """A new array for a result, or the caller's where it fits and shares no memory with an argument."""
    if out is None:
        return np.empty(shape, dtype)
    fits = isinstance(out, np.ndarray) and out.dtype == dtype and out.dtype.isnative and out.shape == shape
    if not (fits and out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
        refuse_out(out, name, dtype, shape)
    return np.empty(shape, dtype) if any(np.may_share_memory(out, a) for a in arguments) else out


def given_back(result, out):
    """A result that was computed elsewhere, in the caller's array."""
    if out is None:
        return result
    if result is not out:
        np.copyto(out, result)
    return out
