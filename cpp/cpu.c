/* Tells which build of the core this processor can run. Plain C and no library, because it must
   run before any of those builds is loaded. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject* level(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("fma"))
    return PyUnicode_FromString("avx2");
#endif
  return PyUnicode_FromString("portable");
}

static PyMethodDef methods[] = {
    {"level", level, METH_NOARGS, "The best build this processor can run."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "cpu", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_cpu(void) { return PyModule_Create(&module); }
