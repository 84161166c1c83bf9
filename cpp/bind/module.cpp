// The extension module penjing._core. A binding checks shapes, releases the interpreter lock,
// calls a kernel, and passes the result's memory to NumPy without a copy.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

// Each is defined in the file of its name.
void bind_encode(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_best_splits(nb::module_& m);
void bind_best_splits_dialects(nb::module_& m);
void bind_dialects_c45(nb::module_& m);
void bind_dialects_rpart(nb::module_& m);
void bind_dialects_sklearn(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_store(nb::module_& m);
void bind_predict(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "Column coding and prediction in C++.";
#ifdef NDEBUG
    // A tree that is still in use when Python exits is not a leak that users should read about.
    nb::set_leak_warnings(false);
#endif
    bind_encode(m);
    bind_grow(m);
    bind_best_splits(m);
    bind_best_splits_dialects(m);
    bind_dialects_c45(m);
    bind_dialects_rpart(m);
    bind_dialects_sklearn(m);
    bind_prune(m);
    bind_store(m);
    bind_predict(m);
}
