cdef object as_array(object value, int kind, int dimensions, str name, str expected):
    """Any array-like as an aligned C-contiguous array of one type; nothing is lost in silence."""
    if is_plain(value, kind, dimensions):
        return value
    array = PyArray_FROM_OF(value, NPY_ARRAY_ENSUREARRAY)
    letter = array.dtype.kind
    if letter == "c":
        raise ArgumentError(f"argument {name} is complex: this function takes real numbers")
    if letter not in "biuf" or (kind == NPY_BOOL and letter != "b"):
        what = "truth values" if kind == NPY_BOOL else "real numbers"
        raise ArgumentError(f"argument {name} has dtype {array.dtype}, expected {what}")
    if dimensions >= 0 and array.ndim != dimensions:
        plural = "" if array.ndim == 1 else "s"
        raise ArgumentError(f"argument {name} has {array.ndim} dimension{plural}, expected {expected}")
    converted = PyArray_FROM_OTF(array, kind, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST)
    if kind == NPY_INT64 and letter in "fu" and not (converted == array).all():
        raise ArgumentError(f"argument {name} holds {array[converted != array].flat[0]}, expected integers of 64 bits")
    return converted


cdef double as_float(object value, str name) except? -1.0:
    if PyFloat_Check(value):
        return PyFloat_AS_DOUBLE(value)
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            raise ArgumentError(f"argument {name} is an integer too large for a float") from None
    return as_array(value, NPY_DOUBLE, 0, name, "a scalar").item()


cdef int64_t as_integer(object value, str name) except? -1:
    if isinstance(value, int) and not -(1 << 63) <= value < (1 << 63):
        raise ArgumentError(f"argument {name} is {value}, which does not fit into 64 bits")
    return as_array(value, NPY_INT64, 0, name, "a scalar").item()


cdef tuple flat_out(object out, int count):
    """The arrays in `out`, which may be nested like the result, in the order of the results."""
    arrays, stack = [], [out]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, (tuple, list)):
            stack.extend(reversed(item))
        else:
            arrays.append(item)
    if len(arrays) != count:
        raise ArgumentError(f"out holds {len(arrays)} array{'s' * (len(arrays) != 1)}, expected {count}")
    return tuple(arrays)


cdef bint as_truth(object value, str name) except -1:
    return as_array(value, NPY_BOOL, 0, name, "a scalar").item()


cdef object as_operand(object value, int kind, str name):
    """An array that NumPy casts to the type of the loop without loss, converted first where it would refuse."""
    array = PyArray_FROM_OF(value, NPY_ARRAY_ENSUREARRAY)
    letter, size = array.dtype.kind, array.dtype.itemsize
    if letter == "f" and size <= (8 if kind == NPY_DOUBLE else 4 if kind == NPY_FLOAT else 0):
        return array
    if (letter in "biu" and kind == NPY_DOUBLE) or (letter == "i" and kind == NPY_INT64) or (letter == "b" and kind == NPY_BOOL):
        return array
    return as_array(array, kind, -1, name, "")
