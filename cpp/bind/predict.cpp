// Binds predict/: rows walk down a flat tree.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bind/ndarray.hpp"
#include "predict/flat.hpp"
#include "predict/split_bins.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::In;
using penjing::InOut;
using penjing::Out;
using penjing::to_numpy;
using penjing::view;

namespace {

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

// The columns that Python passes; `arrays` keeps them alive while kernels run without the lock.
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

// Set once and never freed: a module lives as long as its process.
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
    const Columns inputs(columns, n_rows);
    penjing::Buffer<std::int32_t> stops;
    std::optional<penjing::Unseen> unseen;
    {
        nb::gil_scoped_release free;
        stops = penjing::Buffer<std::int32_t>(n_rows);
        unseen = flat.apply(inputs.views, stops.view(), threads);
    }
    raise_if(unseen);
    return to_numpy(std::move(stops));
}

nb::object predict(const penjing::Flat& flat, const nb::list& columns,
                   const In<std::int64_t>& values, std::size_t n_rows, int threads,
                   bool only_leaves) {
    const Columns inputs(columns, n_rows);
    penjing::Buffer<std::int64_t> values_out;
    std::optional<penjing::Unseen> unseen;
    bool all_in_leaves = true;
    {
        nb::gil_scoped_release free;
        values_out = penjing::Buffer<std::int64_t>(n_rows);
        unseen = flat.predict(inputs.views, view(values), values_out.view(), threads,
                              only_leaves, all_in_leaves);
    }
    raise_if(unseen);
    if (only_leaves && !all_in_leaves) {
        return nb::none();
    }
    return nb::cast(to_numpy(std::move(values_out)));
}

nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig> predict_fractional(
    const penjing::Flat& flat, const nb::list& columns,
    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values,
    std::size_t n_rows, int threads, nb::handle selection) {
    const Columns inputs(columns, n_rows);
    const std::size_t width = values.shape(1);
    const std::int64_t* rows = nullptr;
    if (!selection.is_none()) {
        const auto indices = nb::cast<penjing::In<std::int64_t>>(selection, false);
        rows = indices.data();
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= n_rows) {
                throw nb::index_error("a row is not below the number of rows");
            }
        }
        n_rows = indices.size();
    }
    penjing::Buffer<double> values_out;
    std::optional<penjing::Unseen> unseen;
    {
        nb::gil_scoped_release free;
        values_out = penjing::Buffer<double>(n_rows * width);
        unseen = flat.predict_fractional(inputs.views, {values.data(), values.size()}, width,
                                         values_out.view(), threads, rows);
    }
    raise_if(unseen);
    double* data = values_out.data();
    return {data, {n_rows, width}, penjing::make_owner(std::move(values_out))};
}

Out<double> threshold_gaps(const penjing::Flat& flat, const nb::list& columns,
                           std::size_t n_rows) {
    const Columns inputs(columns, n_rows);
    std::vector<double> threshold_gaps;
    {
        nb::gil_scoped_release free;
        threshold_gaps = flat.threshold_gaps(inputs.views, n_rows);
    }
    return to_numpy(std::move(threshold_gaps));
}

void count_bins(const penjing::Flat& flat, const nb::list& columns,
                const In<std::int32_t>& classes, std::size_t n_classes,
                const In<std::int64_t>& bin_start, const In<std::int64_t>& bound_start,
                const In<double>& bounds, const InOut<std::int64_t>& counts,
                const InOut<double>& low, const InOut<double>& high) {
    const Columns inputs(columns, classes.size());
    nb::gil_scoped_release free;
    penjing::SplitBinCounter counter(flat, {view(bin_start),
                                            view(bound_start),
                                            view(bounds),
                                            n_classes,
                                            {counts.data(), counts.size()},
                                            {low.data(), low.size()},
                                            {high.data(), high.size()}});
    counter.add(inputs.views, view(classes));
}

}  // namespace

void bind_predict(nb::module_& m) {
    unseen_error = PyErr_NewExceptionWithDoc(
        "penjing._core.UnseenValueError",
        "A value that leads nowhere, in a tree that reports it: (row, column, code, node).",
        PyExc_LookupError, nullptr);
    m.attr("UnseenValueError") = nb::borrow(unseen_error);

    nb::class_<penjing::Flat>(m, "FlatTree", "A tree as arrays, for prediction.")
        .def(nb::new_(&make_flat), nb::kw_only(), "column"_a.noconvert(), "cut"_a.noconvert(),
             "first_child"_a.noconvert(), "n_children"_a.noconvert(),
             "level_start"_a.noconvert(), "level_codes"_a.noconvert(),
             "missing_mode"_a.noconvert(), "weight"_a.noconvert(),
             "unseen_mode"_a = penjing::mode::stop)
        .def_prop_ro("n_nodes", &penjing::Flat::size)
        .def_prop_ro(
            "used_columns",
            [](const penjing::Flat& flat) {
                return to_numpy(std::vector<std::int32_t>(flat.used_columns()));
            },
            nb::rv_policy::automatic,  // the array owns its memory, not the tree
            "The columns that some node asks about; no others need be handed in.")
        .def("apply", &apply, "columns"_a, "n_rows"_a, nb::kw_only(), "threads"_a = 1,
             "Return the node where each row stops, or would be shared out.")
        .def("predict", &predict, "columns"_a, "values"_a.noconvert(), "n_rows"_a,
             nb::kw_only(), "threads"_a = 1, "only_leaves"_a = false,
             "Return the value of the node where each row stops; None if that must be a leaf.")
        .def("threshold_gaps", &threshold_gaps, "columns"_a, "n_rows"_a,
             "Return the rows' values on both sides of each cut, two a node.")
        .def("count_bins", &count_bins, "columns"_a, "classes"_a.noconvert(), "n_classes"_a,
             "bin_start"_a.noconvert(), "bound_start"_a.noconvert(), "bounds"_a.noconvert(),
             "counts"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
             "Add the rows of each node to counts by bins of its column and class.")
        .def("predict_fractional", &predict_fractional, "columns"_a, "values"_a.noconvert(),
             "n_rows"_a, nb::kw_only(), "threads"_a = 1, "rows"_a.none() = nb::none(),
             "Return the values of the nodes that each row reaches, by parts.");
}
