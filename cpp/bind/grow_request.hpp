// Reads what the growing kernels need from Python: columns, target, settings, rows of nodes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bind/ndarray.hpp"
#include "grow/node_rows.hpp"
#include "grow/request.hpp"

namespace penjing {

struct GrowInput {
    GrowRequest request;
    References references;  // arrays must outlive the work
};

inline CriterionKind criterion_kind(const std::string& name) {
    return name == "gini"       ? CriterionKind::gini
           : name == "gain"     ? CriterionKind::entropy
           : name == "variance" ? CriterionKind::variance
                                : CriterionKind::ratio;
}

// A column from the tuple (codes, values of the codes or None, n_codes, ordered); a negative
// number of codes stands for a column that is not encoded: its numbers.
inline GrowColumn any_column(References& references, const nb::tuple& parts,
                             std::size_t n_rows) {
    using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
    GrowColumn column;
    if (nb::cast<std::int32_t>(parts[2]) < 0) {
        const auto numbers = nb::cast<Strided>(parts[0], false);
        if (numbers.size() != n_rows || numbers.stride(0) < 1) {
            throw nb::value_error("numbers must have as many rows as the table, in order");
        }
        references.push_back(nb::borrow(parts[0]));
        column.numbers = numbers.data();
        column.stride = static_cast<std::size_t>(numbers.stride(0));
    } else {
        column = coded_column(references, parts, n_rows);
    }
    column.ordered = nb::cast<bool>(parts[3]);
    return column;
}

// The columns and the target: classes, or numbers `y`.
inline void read_table(GrowRequest& request, References& references, const nb::list& columns,
                       nb::handle target, nb::handle y, nb::handle weight) {
    request.n_rows = target.is_none() ? nb::cast<In<double>>(y, false).size()
                                      : nb::cast<In<std::int32_t>>(target, false).size();
    request.target = pointer_or_null<std::int32_t>(references, target, request.n_rows);
    request.y = pointer_or_null<double>(references, y, request.n_rows);
    request.weight = pointer_or_null<double>(references, weight, request.n_rows);
    for (nb::handle item : columns) {
        request.columns.push_back(
            any_column(references, nb::cast<nb::tuple>(item), request.n_rows));
    }
}

// The rows of nodes from a list of (row numbers, weights or None).
inline std::vector<RowsView> read_rows(References& references, const nb::list& nodes,
                                       std::size_t n_rows) {
    std::vector<RowsView> views;
    views.reserve(nodes.size());
    for (nb::handle item : nodes) {
        const auto parts = nb::cast<nb::tuple>(item);
        const auto ids = nb::cast<In<std::uint32_t>>(parts[0], false);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (ids.data()[i] >= n_rows) {
                throw nb::value_error("a node has a row that the table does not have");
            }
        }
        references.push_back(nb::borrow(parts[0]));
        const double* weight = pointer_or_null<double>(references, parts[1], ids.size());
        views.push_back({ids.data(), weight, ids.size()});
    }
    return views;
}

}  // namespace penjing
