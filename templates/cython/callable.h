/* A type whose instances call one function with no detour; symgraph derives its kernel class from it. */
#include <structmember.h>
typedef PyObject* (*fast_function)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
typedef struct { PyObject_HEAD vectorcallfunc vectorcall; PyObject* function; fast_function target; } callable_object;
static PyObject* callable_call(PyObject* self, PyObject* const* arguments, size_t count, PyObject* keywords) {
    callable_object* callable = (callable_object*)self;
    return callable->target(PyCFunction_GET_SELF(callable->function), arguments, PyVectorcall_NARGS(count), keywords);
}
static PyObject* callable_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    PyObject* function;
    if (keywords || !PyArg_ParseTuple(arguments, "O:Callable", &function)) return NULL;
    if (!PyCFunction_Check(function) || PyCFunction_GET_FLAGS(function) != (METH_FASTCALL | METH_KEYWORDS))
        return PyErr_Format(PyExc_TypeError, "%R is no built-in function that takes keywords", function);
    callable_object* self = (callable_object*)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->vectorcall = callable_call; self->target = (fast_function)(void (*)(void))PyCFunction_GET_FUNCTION(function);
    Py_INCREF(function); self->function = function;
#if PY_VERSION_HEX < 0x030C0000
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL; /* later versions let a class inherit this */
#endif
    return (PyObject*)self;
}
static void callable_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    if (PyType_IS_GC(type)) PyObject_GC_UnTrack(self);
    Py_CLEAR(((callable_object*)self)->function);
    type->tp_free(self);
    Py_DECREF(type);
}
static PyMemberDef callable_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(callable_object, vectorcall), READONLY, NULL}, {NULL}};
static PyType_Slot callable_slots[] = {
    {Py_tp_new, callable_new}, {Py_tp_call, PyVectorcall_Call}, {Py_tp_dealloc, callable_dealloc},
    {Py_tp_members, callable_members}, {0, NULL}};
static PyType_Spec callable_spec = {"kernel.Callable", sizeof(callable_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, callable_slots};
static PyObject* callable_type(void) { return PyType_FromSpec(&callable_spec); }
