// What Python asks of the growing kernels (columns, target, settings, rows of nodes), and the
// tree that it gets.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/ndarray.hpp"
#include "grow/node_rows.hpp"
#include "grow/nodes.hpp"
#include "grow/request.hpp"

namespace penjing {

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

// The directions of columns and the weights of classes, which all forms of constraints have.
inline void read_directions(Constraints& constraints, References& references,
                            const nb::dict& given, std::size_t n_columns) {
    const auto signs = nb::cast<In<std::int8_t>>(given["signs"], false);
    if (signs.size() != 0 && signs.size() != n_columns) {
        throw nb::value_error("every column needs a direction");
    }
    constraints.signs.assign(signs.data(), signs.data() + signs.size());
    constraints.class_factor = pointer_or_null<double>(
        references, given["factor"],
        given["factor"].is_none() ? 0 : nb::cast<In<double>>(given["factor"], false).size());
    constraints.is_given = true;
}

// The constraints of a whole tree; None: none.
inline void read_constraints(GrowRequest& request, References& references, nb::handle item) {
    if (item.is_none()) {
        return;
    }
    const auto given = nb::cast<nb::dict>(item);
    Constraints& constraints = request.constraints;
    read_directions(constraints, references, given, request.columns.size());
    constraints.is_regression = request.y != nullptr;
    const auto start = nb::cast<In<std::int64_t>>(given["group_start"], false);
    const auto columns = nb::cast<In<std::int32_t>>(given["group_columns"], false);
    for (std::size_t group = 0; group + 1 < start.size(); ++group) {
        std::vector<std::uint32_t>& members = constraints.groups.emplace_back();
        for (std::int64_t i = start.data()[group]; i < start.data()[group + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (at >= columns.size() || columns.data()[at] < 0 ||
                static_cast<std::size_t>(columns.data()[at]) >= request.columns.size()) {
                throw nb::value_error("a group has a column that the table does not have");
            }
            members.push_back(static_cast<std::uint32_t>(columns.data()[at]));
        }
    }
}

// The limits of single nodes; None: nothing.
inline std::vector<SplitLimits> read_limits(Constraints& constraints, References& references,
                                            nb::handle item, std::size_t n_nodes,
                                            std::size_t n_columns) {
    if (item.is_none()) {
        return {};
    }
    const auto given = nb::cast<nb::dict>(item);
    read_directions(constraints, references, given, n_columns);
    const auto bounds = nb::cast<In<double>>(given["bounds"], false);
    const auto excluded = nb::cast<In<std::uint8_t>>(given["excluded"], false);
    if (bounds.size() != 2 * n_nodes || excluded.size() != n_nodes * n_columns) {
        throw nb::value_error("every node needs its limits");
    }
    std::vector<SplitLimits> limits(n_nodes);
    for (std::size_t i = 0; i < n_nodes; ++i) {
        limits[i].lower = bounds.data()[2 * i];
        limits[i].upper = bounds.data()[2 * i + 1];
        const std::uint8_t* columns = excluded.data() + i * n_columns;
        limits[i].excluded.assign(columns, columns + n_columns);
    }
    return limits;
}

// One call of a kernel from Python: `columns` as above, `given` the arrays of the rows, and
// `recipe` the settings.
template <class Request>
class GrowCall {
  public:
    Request request;
    References references;  // arrays must outlive the growth
    Progress progress;

    GrowCall(const nb::list& columns, const nb::dict& given, const nb::dict& recipe)
        : given_(given), recipe_(recipe), report_(recipe["progress"]) {
        read_table(request, references, columns, given["target"], given["y"], given["weight"]);
        request.n_sums = setting<std::size_t>("n_sums");
        request.max_depth = setting<std::int64_t>("max_depth");
        request.max_leaves = setting<std::int64_t>("max_leaves");
        request.min_gain = setting<double>("min_gain");
        request.threads = setting<int>("threads");
        if (recipe.contains("constraints")) {
            read_constraints(request, references, recipe["constraints"]);
        }
        request.progress = &progress;
    }
    GrowCall(const GrowCall&) = delete;
    GrowCall& operator=(const GrowCall&) = delete;

    template <class T>
    [[nodiscard]] T setting(const char* name) const {
        return nb::cast<T>(recipe_[name]);
    }
    [[nodiscard]] double number(const char* name) const { return setting<double>(name); }
    [[nodiscard]] bool flag(const char* name) const { return setting<bool>(name); }

    // An array of the rows, classes or columns; null for None.
    template <class T>
    const T* array(const char* name, std::size_t size) {
        return pointer_or_null<T>(references, given_[name], size);
    }

    // Return work(pool, poll), which runs without the lock of the interpreter.
    template <class Work>
    auto run(const Work& work) const {
        const nb::gil_scoped_release free;
        ThreadPool pool(request.threads);
        return work(pool, poll_python(&progress, report_));
    }

  private:
    const nb::dict& given_;
    const nb::dict& recipe_;
    nb::object report_;
};

// The arrays of a tree by name; those that the kernel does not record are empty.
inline nb::dict to_dict(GrownTree&& tree) {
    nb::list surrogates;
    for (Surrogate& one : tree.surrogates) {
        surrogates.append(nb::make_tuple(
            one.node, one.column, one.cut, one.below, one.agreement, one.adjusted,
            to_numpy(std::move(one.groups[0])), to_numpy(std::move(one.groups[1]))));
    }
    nb::dict result;
    result["parent"] = to_numpy(std::move(tree.parent));
    result["column"] = to_numpy(std::move(tree.column));
    result["cut"] = to_numpy(std::move(tree.cut));
    result["gap"] = to_numpy(std::move(tree.gap));
    result["level_start"] = to_numpy(std::move(tree.level_start));
    result["level_codes"] = to_numpy(std::move(tree.level_codes));
    result["total"] = to_numpy(std::move(tree.total));
    result["after"] = to_numpy(std::move(tree.after));
    result["known"] = to_numpy(std::move(tree.known));
    result["missing"] = to_numpy(std::move(tree.missing));
    result["gain"] = to_numpy(std::move(tree.gain));
    result["score"] = to_numpy(std::move(tree.score));
    result["missing_branch"] = to_numpy(std::move(tree.missing_branch));
    result["surrogates"] = surrogates;
    result["tied_nodes"] = to_numpy(std::move(tree.tied_nodes));
    result["tie_start"] = to_numpy(std::move(tree.tie_start));
    result["tie_columns"] = to_numpy(std::move(tree.tie_columns));
    result["n_ties"] = tree.n_ties;
    result["passed_over"] = to_numpy(std::move(tree.passed_over));
    return result;
}

}  // namespace penjing
