static inline void* data_of(PyObject* array) { return PyArray_DATA((PyArrayObject*)array); }
static inline npy_intp size_along(PyObject* array, int axis) { return PyArray_DIM((PyArrayObject*)array, axis); }
static inline int copy_array(PyObject* to, PyObject* from) {
    return PyArray_CopyInto((PyArrayObject*)to, (PyArrayObject*)from);
}
/* an array that can be used as it is */
static inline int is_plain(PyObject* object, int type, int dimensions) {
    PyArrayObject* array = (PyArrayObject*)object;
    return PyArray_CheckExact(object) && PyArray_TYPE(array) == type && PyArray_NDIM(array) == dimensions
        && PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISBEHAVED_RO(array);
}
/* a result can be written into it */
static inline int fits(PyObject* object, int type, int dimensions, npy_intp* shape) {
    return is_plain(object, type, dimensions) && PyArray_ISWRITEABLE((PyArrayObject*)object)
        && PyArray_CompareLists(PyArray_DIMS((PyArrayObject*)object), shape, dimensions);
}
static inline int overlap(PyObject* one, PyObject* other) { /* both contiguous */
    char *a = PyArray_BYTES((PyArrayObject*)one), *b = PyArray_BYTES((PyArrayObject*)other);
    return a < b + PyArray_NBYTES((PyArrayObject*)other) && b < a + PyArray_NBYTES((PyArrayObject*)one);
}
/* other threads may run while a long call computes; a short one would lose more than it gains */
static inline PyThreadState* release_threads(double work) { return work > 20000 ? PyEval_SaveThread() : NULL; }
static inline void restore_threads(PyThreadState* state) { if (state) PyEval_RestoreThread(state); }
