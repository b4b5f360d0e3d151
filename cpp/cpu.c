/* Says which build of the core this processor can run. Plain C and no library, because it must
   run before any of those builds is loaded. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>

static int bit(int word, int number) { return (word >> number) & 1; }

static int has_avx2(void) {
  int one[4], seven[4];
  __cpuid(one, 1);
  __cpuidex(seven, 7, 0);
  /* The system must save the wide registers, too: XGETBV tells, where OSXSAVE is set. */
  const int saved = bit(one[2], 27) && (_xgetbv(0) & 6) == 6;
  return saved && bit(one[2], 12) && bit(seven[1], 5) && bit(seven[1], 8);
}
#elif defined(__x86_64__)
static int has_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("fma");
}
#else
static int has_avx2(void) { return 0; }
#endif

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#if defined(__clang__)
#define COMPILER "Clang " TEXT(__clang_major__) "." TEXT(__clang_minor__)
#elif defined(__GNUC__)
#define COMPILER "GCC " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__)
#elif defined(_MSC_VER)
#define COMPILER "MSVC " TEXT(_MSC_VER)
#else
#define COMPILER "an unknown compiler"
#endif

static PyObject* level(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return PyUnicode_FromString(has_avx2() ? "avx2" : "portable");
}

static PyObject* compiler(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return PyUnicode_FromString(COMPILER);
}

static PyMethodDef methods[] = {
    {"level", level, METH_NOARGS, "The best build this processor can run."},
    {"compiler", compiler, METH_NOARGS, "What built this module and the core beside it."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "cpu", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_cpu(void) { return PyModule_Create(&module); }
