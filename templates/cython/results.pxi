cdef object result_array(object out, int kind, int dimensions, npy_intp* shape, str name):
    """A new array, or the caller's where it fits exactly."""
    if out is None:
        return PyArray_SimpleNew(dimensions, shape, kind)
    cdef int axis
    if is_plain(out, kind, dimensions) and PyArray_ISWRITEABLE(out):
        for axis in range(dimensions):
            if PyArray_DIM(out, axis) != shape[axis]:
                break
        else:
            return out
    expected = PyArray_SimpleNew(dimensions, shape, kind)
    found = f"{out.dtype} array of shape {out.shape}" if PyArray_Check(out) else type(out).__name__
    if PyArray_Check(out) and out.dtype == expected.dtype and out.shape == expected.shape:
        found += " that is read-only" if out.flags.c_contiguous else " that is not contiguous"
    raise ArgumentError(
        f"out for {name} must be a writeable C-contiguous {expected.dtype} array of shape {expected.shape}, found a {found}"
    )


cdef object filled(object array, object value):
    """A scalar result in the caller's array without dimensions."""
    array[()] = value
    return array


cdef int mismatch(str message, object found, object expected=None, object witness=None) except -1:
    raise ArgumentError(message.format(found=found, expected=expected, witness=witness))
