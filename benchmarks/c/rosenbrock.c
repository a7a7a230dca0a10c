/* The latency limit: the gradient of the 10-dimensional Rosenbrock function, derived by hand, behind the thinnest
 * entry that CPython and NumPy allow (METH_FASTCALL, one check per argument).
 *
 *     gradient(x)         a new array
 *     gradient(x, out)    into out
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

enum { SIZE = 10 };

static void rosenbrock_gradient(const double *restrict x, double *restrict gradient)
{
    double slope[SIZE - 1];
    for (int i = 0; i < SIZE - 1; ++i)
        slope[i] = 200.0 * (x[i + 1] - x[i] * x[i]);
    for (int i = 0; i < SIZE - 1; ++i)
        gradient[i] = 2.0 * (x[i] - 1.0) - 2.0 * x[i] * slope[i];
    gradient[SIZE - 1] = 0.0;
    for (int i = 0; i < SIZE - 1; ++i)
        gradient[i + 1] += slope[i];
}

static int is_vector(PyObject *object)
{
    PyArrayObject *array = (PyArrayObject *)object;
    return PyArray_Check(object) && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_NDIM(array) == 1 &&
           PyArray_DIM(array, 0) == SIZE && PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISBEHAVED_RO(array);
}

static PyObject *gradient(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count < 1 || count > 2 || !is_vector(arguments[0]) || (count == 2 && !is_vector(arguments[1]))) {
        PyErr_SetString(PyExc_TypeError, "gradient(x[, out]) takes float64 arrays of shape (10,)");
        return NULL;
    }
    PyObject *result;
    if (count == 2) {
        result = Py_NewRef(arguments[1]);
    } else {
        npy_intp shape[1] = {SIZE};
        result = PyArray_SimpleNew(1, shape, NPY_DOUBLE);
        if (result == NULL)
            return NULL;
    }
    rosenbrock_gradient(PyArray_DATA((PyArrayObject *)arguments[0]), PyArray_DATA((PyArrayObject *)result));
    return result;
}

static PyMethodDef methods[] = {
    {"gradient", (PyCFunction)(void (*)(void))gradient, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "rosenbrock_extension", NULL, -1, methods,
                                        NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_rosenbrock_extension(void)
{
    import_array();
    return PyModule_Create(&definition);
}
