// Binds encode/: dictionary codes, codes with counts, and quantile buckets.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bind/ndarray.hpp"
#include "encode/code_sums.hpp"
#include "encode/dictionary.hpp"
#include "encode/quantile.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::In;
using penjing::InOut;
using penjing::pointer_or_null;
using penjing::to_numpy;
using penjing::view;

namespace {

nb::tuple encode_floats(const In<double>& values) {
    penjing::Buffer<std::int32_t> codes;
    penjing::FloatCodes result;
    {
        nb::gil_scoped_release free;
        codes = penjing::Buffer<std::int32_t>(values.size());
        result = penjing::encode_floats(view(values), codes.view());
    }
    return nb::make_tuple(to_numpy(std::move(result.levels)), to_numpy(std::move(codes)));
}

nb::object encode_integers(const In<std::int64_t>& values) {
    penjing::detail::check_size(values.size());
    penjing::Buffer<std::int32_t> codes;
    std::vector<std::int64_t> levels;
    bool is_narrow = false;
    {
        nb::gil_scoped_release free;
        codes = penjing::Buffer<std::int32_t>(values.size());
        is_narrow = penjing::detail::encode_integers(view(values), codes.view(), levels);
    }
    if (!is_narrow) {
        return nb::none();
    }
    return nb::make_tuple(to_numpy(std::move(levels)), to_numpy(std::move(codes)));
}

nb::tuple encode_strings(const In<std::uint8_t>& data, const In<std::int64_t>& offsets,
                         const std::optional<In<std::uint8_t>>& valid) {
    if (offsets.size() == 0) {
        throw nb::value_error("offsets must have one more entry than rows");
    }
    penjing::Buffer<std::int32_t> codes;
    penjing::StringCodes result;
    {
        nb::gil_scoped_release free;
        codes = penjing::Buffer<std::int32_t>(offsets.size() - 1);
        result = penjing::encode_strings(view(data), view(offsets),
                                         valid ? view(*valid) : penjing::View<std::uint8_t>{},
                                         codes.view());
    }
    return nb::make_tuple(to_numpy(std::move(result.first_rows)), to_numpy(std::move(codes)));
}

// Values are equal when Python says so (1 == 1.0 == True), hence the lookup in a Python dict.
// C++ saves a boxed integer and the interpreter's loop for each row.
nb::tuple encode_objects(const nb::list& values) {
    const std::size_t n = values.size();
    std::vector<std::int32_t> codes(n);
    nb::list levels;
    nb::dict place;
    PyObject* last = nullptr;  // runs of one object are common
    std::int32_t last_code = penjing::missing_code;
    std::int32_t n_levels = 0;
    for (std::size_t row = 0; row < n; ++row) {
        // values[row] may run Python code (__eq__, __hash__) that changes the list
        if (row >= values.size()) {
            throw nb::value_error("the list changed while it was read");
        }
        const nb::object value = nb::borrow(values[row]);
        if (value.is_none()) {
            codes[row] = penjing::missing_code;
            continue;
        }
        if (value.ptr() != last) {
            PyObject* found = PyDict_GetItemWithError(place.ptr(), value.ptr());
            if (found != nullptr) {
                last_code = static_cast<std::int32_t>(PyLong_AsLong(found));
            } else {
                if (PyErr_Occurred() != nullptr) {
                    throw nb::python_error();
                }
                place[value] = n_levels;
                levels.append(value);
                last_code = n_levels++;
            }
            last = value.ptr();
        }
        codes[row] = last_code;
    }
    return nb::make_tuple(levels, to_numpy(std::move(codes)));
}

// Strings only, the most common column. Returns None if there is any other object; None and NaN
// are missing values. Equal strings are mostly the same object, so a small cache by address
// avoids most lookups in the dictionary.
nb::object encode_str_list(const nb::list& values) {
    constexpr std::size_t cache_size = 4096;
    std::vector<std::pair<PyObject*, std::int32_t>> cache(cache_size);
    const std::size_t n = values.size();
    std::vector<std::int32_t> codes(n);
    nb::list levels;
    nb::dict place;
    std::int32_t n_levels = 0;
    for (std::size_t row = 0; row < n; ++row) {
        PyObject* value = PyList_GetItem(values.ptr(), static_cast<Py_ssize_t>(row));
        auto& slot = cache[(reinterpret_cast<std::uintptr_t>(value) >> 4) % cache_size];
        if (slot.first == value) {
            codes[row] = slot.second;
            continue;
        }
        if (value == Py_None ||
            (PyFloat_CheckExact(value) && std::isnan(PyFloat_AsDouble(value)))) {
            codes[row] = penjing::missing_code;
            continue;
        }
        if (!PyUnicode_CheckExact(value)) {
            return nb::none();
        }
        std::int32_t code = n_levels;
        if (PyObject* found = PyDict_GetItemWithError(place.ptr(), value); found != nullptr) {
            code = static_cast<std::int32_t>(PyLong_AsLong(found));
        } else {
            if (PyErr_Occurred() != nullptr) {
                throw nb::python_error();
            }
            place[nb::handle(value)] = n_levels++;
            levels.append(nb::handle(value));
        }
        slot = {value, code};  // the list keeps it alive
        codes[row] = code;
    }
    return nb::make_tuple(levels, to_numpy(std::move(codes)));
}

nb::tuple to_tuple(const penjing::SpecialValues& special) {
    return nb::make_tuple(special.n_missing, special.is_infinite, special.has_minus_zero);
}

nb::tuple buckets(const penjing::Quantiles& edges, const In<double>& x,
                  const InOut<std::uint8_t>& high) {
    if (high.size() != x.size()) {
        throw nb::value_error("answers need as much room as there are numbers");
    }
    penjing::SpecialValues special;
    {
        nb::gil_scoped_release free;
        special = edges.buckets(x.data(), x.size(), high.data());
    }
    return to_tuple(special);
}

nb::tuple code(const penjing::Quantiles& edges, const In<double>& x,
               const InOut<std::uint8_t>& high, const InOut<std::uint8_t>& low) {
    if (high.size() != x.size() || low.size() != x.size()) {
        throw nb::value_error("answers need as much room as there are numbers");
    }
    penjing::SpecialValues special;
    {
        nb::gil_scoped_release free;
        special = edges.code(x.data(), x.size(), high.data(), low.data());
    }
    return to_tuple(special);
}

// Call work(sums) with the type of `codes`, one or two bytes.
template <class Work>
auto with_sums(nb::handle codes, const InOut<std::int64_t>& counts,
               const InOut<std::int64_t>& first, std::size_t n, const Work& work) {
    if (counts.size() != first.size()) {
        throw nb::value_error("as many counts as first rows");
    }
    const std::size_t size = counts.size();
    InOut<std::uint8_t> bytes;
    if (nb::try_cast(codes, bytes, false)) {
        if (bytes.size() != n) {
            throw nb::value_error("as many codes as rows");
        }
        penjing::CodeSums<std::uint8_t> sums(bytes.data(), n, counts.data(), first.data(),
                                             size);
        return work(sums);
    }
    const auto shorts = nb::cast<InOut<std::uint16_t>>(codes, false);
    if (shorts.size() != n) {
        throw nb::value_error("as many codes as rows");
    }
    penjing::CodeSums<std::uint16_t> sums(shorts.data(), n, counts.data(), first.data(), size);
    return work(sums);
}

void encode_by_table(const In<std::int32_t>& indices, const In<std::uint16_t>& code_of,
                     std::int64_t start, nb::handle codes, const InOut<std::int64_t>& counts,
                     const InOut<std::int64_t>& first) {
    for (std::size_t i = 0; i < code_of.size(); ++i) {
        if (code_of.data()[i] >= counts.size()) {
            throw nb::index_error("a code is not below the number of counts");
        }
    }
    with_sums(codes, counts, first, indices.size(), [&](auto& sums) {
        nb::gil_scoped_release free;
        sums.code_by_table(indices.data(), code_of.data(), code_of.size(), start);
        return true;
    });
}

// False if a number is out of the range of codes.
bool encode_by_offset(const In<std::int64_t>& x, nb::handle is_missing_array, std::int64_t low,
                      std::int64_t start, nb::handle codes, const InOut<std::int64_t>& counts,
                      const InOut<std::int64_t>& first) {
    penjing::References references;
    const std::uint8_t* is_missing =
        pointer_or_null<std::uint8_t>(references, is_missing_array, x.size());
    return with_sums(codes, counts, first, x.size(), [&](auto& sums) {
        nb::gil_scoped_release free;
        return sums.code_by_offset(x.data(), is_missing, low, start);
    });
}

}  // namespace

void bind_encode(nb::module_& m) {
    m.def("encode_floats", &encode_floats, nb::arg("values").noconvert(),
          "Return the sorted distinct numbers and each row's rank among them, -1 for NaN.");
    m.def(
        "encode_integers", &encode_integers, nb::arg("values").noconvert(),
        "Return the distinct whole numbers in order of first appearance, and each row's code; "
        "None where they range too widely.");
    m.def("encode_strings", &encode_strings, nb::arg("data").noconvert(),
          nb::arg("offsets").noconvert(), nb::arg("valid").noconvert().none() = nb::none(),
          "Return the row where each distinct string was seen first, and each row's code.");
    m.def("encode_objects", &encode_objects, "values"_a,
          "Return the distinct objects in order of first appearance, and each row's code.");

    m.def("encode_str_list", &encode_str_list, "values"_a,
          "The same for texts, None or NaN being missing; None if there is anything else.");
    m.def("encode_by_table", &encode_by_table, "indices"_a, "code_of"_a, "start"_a, "codes"_a,
          "counts"_a, "first"_a, "Code rows by a table of codes; count them.");
    m.def("encode_by_offset", &encode_by_offset, "x"_a, "absent"_a.none(), "low"_a, "start"_a,
          "codes"_a, "counts"_a, "first"_a,
          "Code whole numbers by their distance from the least one.");
    nb::class_<penjing::Quantiles>(m, "Quantiles")
        .def(nb::init<std::vector<double>, std::vector<std::uint8_t>,
                      std::vector<std::uint8_t>>(),
             "edges"_a, "high"_a, "low"_a)
        .def("buckets", &buckets, "x"_a, "high"_a)
        .def("code", &code, "x"_a, "high"_a, "low"_a)
        .def("cell", &penjing::Quantiles::cell, "x"_a);
}
