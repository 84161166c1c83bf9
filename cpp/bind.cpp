// penjing._core: the door of Python. It checks shapes, lets go of the interpreter lock, calls a
// kernel, and hands the answer's memory to NumPy without a copy; the other bind_*.cpp hang on
// it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "code.hpp"
#include "handing.hpp"
#include "predict.hpp"
#include "view.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::hand_over;
using penjing::In;
using penjing::Out;

namespace {

template <class T>
penjing::View<T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

nb::tuple code_floats(const In<double>& values) {
    penjing::Buffer<std::int32_t> codes;
    penjing::FloatCodes answer;
    {
        nb::gil_scoped_release free;
        codes = penjing::Buffer<std::int32_t>(values.size());
        answer = penjing::code_floats(view(values), codes.room());
    }
    return nb::make_tuple(hand_over(std::move(answer.levels)), hand_over(std::move(codes)));
}

nb::object code_whole(const In<std::int64_t>& values) {
    penjing::detail::check_size(values.size());
    penjing::Buffer<std::int32_t> codes;
    std::vector<std::int64_t> levels;
    bool is_narrow = false;
    {
        nb::gil_scoped_release free;
        codes = penjing::Buffer<std::int32_t>(values.size());
        is_narrow = penjing::detail::code_whole(view(values), codes.room(), levels);
    }
    if (!is_narrow) {
        return nb::none();
    }
    return nb::make_tuple(hand_over(std::move(levels)), hand_over(std::move(codes)));
}

nb::tuple code_strings(const In<std::uint8_t>& data, const In<std::int64_t>& offsets,
                       const std::optional<In<std::uint8_t>>& valid) {
    if (offsets.size() == 0) {
        throw nb::value_error("offsets must have one more entry than rows");
    }
    penjing::Buffer<std::int32_t> codes;
    penjing::StringCodes answer;
    {
        nb::gil_scoped_release free;
        codes = penjing::Buffer<std::int32_t>(offsets.size() - 1);
        answer = penjing::code_strings(view(data), view(offsets),
                                       valid ? view(*valid) : penjing::View<std::uint8_t>{},
                                       codes.room());
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

// Texts only, the commonest column of all: None where anything else turns up but None and NaN,
// which are missing. A text that was met before is mostly the same object again, so a small
// table by address answers before the dictionary is asked.
nb::object code_texts(const nb::list& values) {
    constexpr std::size_t n_known = 4096;
    std::vector<std::pair<PyObject*, std::int32_t>> known(n_known);
    const std::size_t n = values.size();
    std::vector<std::int32_t> codes(n);
    nb::list levels;
    nb::dict place;
    std::int32_t n_levels = 0;
    for (std::size_t row = 0; row < n; ++row) {
        PyObject* value = PyList_GetItem(values.ptr(), static_cast<Py_ssize_t>(row));
        auto& slot = known[(reinterpret_cast<std::uintptr_t>(value) >> 4) % n_known];
        if (slot.first == value) {
            codes[row] = slot.second;
            continue;
        }
        if (value == Py_None ||
            (PyFloat_CheckExact(value) && std::isnan(PyFloat_AsDouble(value)))) {
            codes[row] = penjing::missing;
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
    return nb::make_tuple(levels, hand_over(std::move(codes)));
}

// ------------------------------------------------------------------ prediction

penjing::Flat make_flat(const In<std::int32_t>& column, const In<double>& cut,
                        const In<std::int32_t>& first_child, const In<std::int32_t>& n_children,
                        const In<std::int64_t>& level_start,
                        const In<std::int32_t>& level_codes,
                        const In<std::int32_t>& missing_mode, const In<double>& weight,
                        std::int32_t unseen_mode) {
    nb::gil_scoped_release free;
    return penjing::Flat({view(column), view(cut), view(first_child), view(n_children),
                          view(level_start), view(level_codes), view(missing_mode),
                          view(weight), unseen_mode});
}

// Python's arrays, kept alive while kernels look at them without the lock.
struct Columns {
    using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
    std::vector<Array> arrays;
    std::vector<penjing::ColumnView> views;

    Columns(const nb::list& columns, std::size_t n_rows) {
        views.reserve(columns.size());
        for (const nb::handle item : columns) {
            if (item.is_none()) {
                views.emplace_back();
                continue;
            }
            auto array = nb::cast<Array>(item, false);
            if (array.size() != n_rows) {
                throw nb::value_error("every column needs an entry per row");
            }
            penjing::ColumnView column;
            const bool in_order =
                (n_rows < 2 || array.stride(0) > 0) &&
                reinterpret_cast<std::uintptr_t>(array.data()) % alignof(double) == 0;
            if (array.dtype() == nb::dtype<double>() && in_order) {
                column.numbers = static_cast<const double*>(array.data());
                column.stride = static_cast<std::size_t>(n_rows < 2 ? 1 : array.stride(0));
            } else if (array.dtype() == nb::dtype<std::int32_t>() &&
                       (n_rows < 2 || array.stride(0) == 1)) {
                column.codes = static_cast<const std::int32_t*>(array.data());
            } else {
                throw nb::type_error(
                    "a column must be float64 numbers or int32 codes, in order and aligned");
            }
            views.push_back(column);
            arrays.push_back(std::move(array));
        }
    }
};

// Set in NB_MODULE, never freed: a module lives as long as its process.
PyObject* unseen_error = nullptr;

void raise_if(const std::optional<penjing::Unseen>& unseen) {
    if (unseen) {
        const nb::tuple where =
            nb::make_tuple(unseen->row, unseen->column, unseen->code, unseen->node);
        PyErr_SetObject(unseen_error, where.ptr());
        throw nb::python_error();
    }
}

Out<std::int32_t> apply(const penjing::Flat& flat, const nb::list& columns, std::size_t n_rows,
                        int threads) {
    const Columns handed(columns, n_rows);
    penjing::Buffer<std::int32_t> stops;
    std::optional<penjing::Unseen> unseen;
    {
        nb::gil_scoped_release free;
        stops = penjing::Buffer<std::int32_t>(n_rows);
        unseen = flat.apply(handed.views, stops.room(), threads);
    }
    raise_if(unseen);
    return hand_over(std::move(stops));
}

nb::object answer(const penjing::Flat& flat, const nb::list& columns,
                  const In<std::int64_t>& values, std::size_t n_rows, int threads,
                  bool only_leaves) {
    const Columns handed(columns, n_rows);
    penjing::Buffer<std::int64_t> answers;
    std::optional<penjing::Unseen> unseen;
    bool all_in_leaves = true;
    {
        nb::gil_scoped_release free;
        answers = penjing::Buffer<std::int64_t>(n_rows);
        unseen = flat.answer(handed.views, view(values), answers.room(), threads, only_leaves,
                             all_in_leaves);
    }
    raise_if(unseen);
    if (only_leaves && !all_in_leaves) {
        return nb::none();
    }
    return nb::cast(hand_over(std::move(answers)));
}

nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig> spread(
    const penjing::Flat& flat, const nb::list& columns,
    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values,
    std::size_t n_rows, int threads, nb::handle some) {
    const Columns handed(columns, n_rows);
    const std::size_t width = values.shape(1);
    const std::int64_t* rows = nullptr;
    if (!some.is_none()) {
        const auto listed = nb::cast<penjing::In<std::int64_t>>(some, false);
        rows = listed.data();
        for (std::size_t i = 0; i < listed.size(); ++i) {
            if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= n_rows) {
                throw nb::index_error("a row is not below the number of rows");
            }
        }
        n_rows = listed.size();
    }
    penjing::Buffer<double> mixed;
    std::optional<penjing::Unseen> unseen;
    {
        nb::gil_scoped_release free;
        mixed = penjing::Buffer<double>(n_rows * width);
        unseen = flat.spread(handed.views, {values.data(), values.size()}, width, mixed.room(),
                             threads, rows);
    }
    raise_if(unseen);
    double* data = mixed.data();
    return {data, {n_rows, width}, penjing::keep(std::move(mixed))};
}

Out<double> gaps(const penjing::Flat& flat, const nb::list& columns, std::size_t n_rows) {
    const Columns handed(columns, n_rows);
    std::vector<double> found;
    {
        nb::gil_scoped_release free;
        found = flat.gaps(handed.views, n_rows);
    }
    return hand_over(std::move(found));
}

}  // namespace

void bind_engine(nb::module_& m);   // bind_engine.cpp
void bind_quinlan(nb::module_& m);  // bind_quinlan.cpp
void bind_sklearn(nb::module_& m);  // bind_sklearn.cpp
void bind_stored(nb::module_& m);   // bind_stored.cpp
void bind_rpart(nb::module_& m);    // bind_rpart.cpp

NB_MODULE(_core, m) {
    bind_engine(m);
    bind_quinlan(m);
    bind_sklearn(m);
    bind_stored(m);
    bind_rpart(m);
#ifdef NDEBUG
    // A tree that is still in use when Python ends is no leak that a user should read about.
    nb::set_leak_warnings(false);
#endif
    m.doc() = "Column coding and prediction in C++.";
    m.def("code_floats", &code_floats, nb::arg("values").noconvert(),
          "Return the sorted distinct numbers and each row's rank among them, -1 for NaN.");
    m.def(
        "code_whole", &code_whole, nb::arg("values").noconvert(),
        "Return the distinct whole numbers in order of first appearance, and each row's code; "
        "None where they range too widely.");
    m.def("code_strings", &code_strings, nb::arg("data").noconvert(),
          nb::arg("offsets").noconvert(), nb::arg("valid").noconvert().none() = nb::none(),
          "Return the row where each distinct string was seen first, and each row's code.");
    m.def("code_objects", &code_objects, "values"_a,
          "Return the distinct objects in order of first appearance, and each row's code.");

    m.def("code_texts", &code_texts, "values"_a,
          "The same for texts, None or NaN being missing; None if there is anything else.");

    unseen_error = PyErr_NewExceptionWithDoc(
        "penjing._core.Unseen",
        "A value that leads nowhere, in a tree that reports it: (row, column, code, node).",
        PyExc_LookupError, nullptr);
    m.attr("Unseen") = nb::borrow(unseen_error);

    nb::class_<penjing::Flat>(m, "Flat", "A tree as arrays, for prediction.")
        .def(nb::new_(&make_flat), nb::kw_only(), "column"_a.noconvert(), "cut"_a.noconvert(),
             "first_child"_a.noconvert(), "n_children"_a.noconvert(),
             "level_start"_a.noconvert(), "level_codes"_a.noconvert(),
             "missing_mode"_a.noconvert(), "weight"_a.noconvert(),
             "unseen_mode"_a = penjing::mode::stop)
        .def_prop_ro("n_nodes", &penjing::Flat::size)
        .def_prop_ro(
            "asked",
            [](const penjing::Flat& flat) {
                return hand_over(std::vector<std::int32_t>(flat.asked()));
            },
            nb::rv_policy::automatic,  // the array owns its memory, not the tree
            "The columns that some node asks about; no others need be handed in.")
        .def("apply", &apply, "columns"_a, "n_rows"_a, nb::kw_only(), "threads"_a = 1,
             "Return the node where each row stops, or would be shared out.")
        .def("answer", &answer, "columns"_a, "values"_a.noconvert(), "n_rows"_a, nb::kw_only(),
             "threads"_a = 1, "only_leaves"_a = false,
             "Return the value of the node where each row stops; None if that must be a leaf.")
        .def("gaps", &gaps, "columns"_a, "n_rows"_a,
             "Return the rows' values on both sides of each cut, two a node.")
        .def("spread", &spread, "columns"_a, "values"_a.noconvert(), "n_rows"_a, nb::kw_only(),
             "threads"_a = 1, "rows"_a.none() = nb::none(),
             "Return the values of the nodes that each row reaches, by parts.");
}
