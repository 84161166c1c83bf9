// penjing._core: the only file that knows Python exists. It checks shapes, lets go of the
// interpreter lock, calls a kernel, and hands the answer's memory to NumPy without a copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "code.hpp"
#include "view.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <class T>
penjing::View<T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

// The vector moves into the array: NumPy frees it.
template <class T>
Out<T> hand_over(std::vector<T>&& values) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* data = kept->data();
    const std::size_t size = kept->size();
    nb::capsule owner(kept.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(data, {size}, owner);
}

nb::tuple code_floats(const In<double>& values) {
    std::vector<std::int32_t> codes;
    penjing::FloatCodes answer;
    {
        nb::gil_scoped_release free;
        codes.resize(values.size());
        answer = penjing::code_floats(view(values), codes);
    }
    return nb::make_tuple(hand_over(std::move(answer.levels)), hand_over(std::move(codes)));
}

nb::tuple code_strings(const In<std::uint8_t>& data, const In<std::int64_t>& offsets,
                       const std::optional<In<std::uint8_t>>& valid) {
    if (offsets.size() == 0) {
        throw nb::value_error("offsets must have one more entry than rows");
    }
    std::vector<std::int32_t> codes;
    penjing::StringCodes answer;
    {
        nb::gil_scoped_release free;
        codes.resize(offsets.size() - 1);
        answer =
            penjing::code_strings(view(data), view(offsets),
                                  valid ? view(*valid) : penjing::View<std::uint8_t>{}, codes);
    }
    return nb::make_tuple(hand_over(std::move(answer.first_rows)), hand_over(std::move(codes)));
}

// Python's own idea of equality decides (1 == 1.0 == True), so a Python dict does the looking
// up; what is saved is a boxed integer and a trip through the interpreter per row.
nb::tuple code_objects(const nb::list& values) {
    const std::size_t n = values.size();
    std::vector<std::int32_t> codes(n);
    nb::list levels;
    nb::dict place;
    PyObject* before = nullptr;  // runs of one object are common
    std::int32_t before_code = penjing::missing;
    std::int32_t n_levels = 0;
    for (std::size_t row = 0; row < n; ++row) {
        // values[row] may run Python code (__eq__, __hash__) that changes the list
        if (row >= values.size()) {
            throw nb::value_error("the list changed while it was read");
        }
        const nb::object value = nb::borrow(values[row]);
        if (value.is_none()) {
            codes[row] = penjing::missing;
            continue;
        }
        if (value.ptr() != before) {
            PyObject* found = PyDict_GetItemWithError(place.ptr(), value.ptr());
            if (found != nullptr) {
                before_code = static_cast<std::int32_t>(PyLong_AsLong(found));
            } else {
                if (PyErr_Occurred() != nullptr) {
                    throw nb::python_error();
                }
                place[value] = n_levels;
                levels.append(value);
                before_code = n_levels++;
            }
            before = value.ptr();
        }
        codes[row] = before_code;
    }
    return nb::make_tuple(levels, hand_over(std::move(codes)));
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Column coding and prediction in C++.";
    m.def("code_floats", &code_floats, nb::arg("values").noconvert(),
          "Return the sorted distinct numbers and each row's rank among them, -1 for NaN.");
    m.def("code_strings", &code_strings, nb::arg("data").noconvert(),
          nb::arg("offsets").noconvert(), nb::arg("valid").noconvert().none() = nb::none(),
          "Return the row where each distinct string was seen first, and each row's code.");
    m.def("code_objects", &code_objects, "values"_a,
          "Return the distinct objects in order of first appearance, and each row's code.");
}
