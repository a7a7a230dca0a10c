#include <fenv.h>
/* A branch that is not taken and glibc's vector functions may raise flags that mean nothing: NumPy must not warn of them. */
static inline void forget_flags(void) { feclearexcept(FE_ALL_EXCEPT); }
/* whether no output feeds a later element of an input: the same elements, or none in common */
static int independent(char** operands, npy_intp count, const npy_intp* steps, int all, int outputs) {
    for (int o = all - outputs; o < all; o++)
        for (int i = 0; i < all - outputs; i++) {
            char *a = operands[o], *b = operands[i];
            if (a == b && steps[o] == steps[i] && steps[o] != 0) continue;
            npy_intp reach_a = (count - 1) * steps[o], reach_b = (count - 1) * steps[i];
            char *low_a = reach_a < 0 ? a + reach_a : a, *high_a = (reach_a < 0 ? a : a + reach_a) + sizeof(real);
            char *low_b = reach_b < 0 ? b + reach_b : b, *high_b = (reach_b < 0 ? b : b + reach_b) + sizeof(real);
            if (low_a < high_b && low_b < high_a) return 0;
        }
    return 1;
}
static inline int is_number(PyObject* x) { return PyFloat_Check(x) || PyLong_CheckExact(x); }
static inline int is_array(PyObject* x, int type) { return PyArray_CheckExact(x) && PyArray_TYPE((PyArrayObject*)x) == type; }
static inline real as_float_of(PyObject* x) { return (real)PyFloat_AS_DOUBLE(x); }
/* arrays whose elements follow each other, with at least one dimension */
static inline int is_flat(PyObject* x, int type) {
    return is_array(x, type) && PyArray_NDIM((PyArrayObject*)x) > 0 && PyArray_IS_C_CONTIGUOUS((PyArrayObject*)x)
        && PyArray_ISBEHAVED_RO((PyArrayObject*)x);
}
static inline int is_writeable(PyObject* x) { return PyArray_ISWRITEABLE((PyArrayObject*)x); }
static inline int same_shape(PyObject* x, PyObject* y) { return PyArray_SAMESHAPE((PyArrayObject*)x, (PyArrayObject*)y); }
static inline PyObject* new_like(PyObject* x, int type) {
    return PyArray_SimpleNew(PyArray_NDIM((PyArrayObject*)x), PyArray_DIMS((PyArrayObject*)x), type);
}
