// Binds the best split of every column by the rules of rpart and of scikit-learn.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/grow_request.hpp"
#include "bind/ndarray.hpp"
#include "dialects/rpart_best_splits.hpp"
#include "dialects/sklearn_best_splits.hpp"
#include "grow/scored_split.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

nb::dict to_dict(const std::vector<penjing::ScoredSplit>& splits) {
    std::vector<double> gain;
    std::vector<double> impurity;
    std::vector<double> worth;
    std::vector<double> cut;
    std::vector<std::int64_t> n_candidates;
    std::vector<std::int32_t> missing;
    std::vector<std::int32_t> n_groups;
    std::vector<std::int64_t> group_sizes;
    std::vector<std::int32_t> group_codes;
    std::vector<std::uint8_t> is_constant;
    for (const penjing::ScoredSplit& split : splits) {
        gain.push_back(split.gain);
        impurity.push_back(split.impurity);
        worth.push_back(split.worth);
        cut.push_back(split.cut);
        n_candidates.push_back(split.n_candidates);
        missing.push_back(split.missing);
        is_constant.push_back(split.is_constant ? 1 : 0);
        n_groups.push_back(split.groups.empty() ? 0 : 2);
        if (!split.groups.empty()) {
            group_sizes.push_back(split.n_first);
            group_sizes.push_back(static_cast<std::int64_t>(split.groups.size()) -
                                  split.n_first);
            group_codes.insert(group_codes.end(), split.groups.begin(), split.groups.end());
        }
    }
    nb::dict result;
    result["gain"] = to_numpy(std::move(gain));
    result["impurity"] = to_numpy(std::move(impurity));
    result["worth"] = to_numpy(std::move(worth));
    result["cut"] = to_numpy(std::move(cut));
    result["n_candidates"] = to_numpy(std::move(n_candidates));
    result["missing"] = to_numpy(std::move(missing));
    result["n_groups"] = to_numpy(std::move(n_groups));
    result["group_sizes"] = to_numpy(std::move(group_sizes));
    result["group_codes"] = to_numpy(std::move(group_codes));
    result["is_constant"] = to_numpy(std::move(is_constant));
    return result;
}

// What orders the rows of each column, from the lists of keys and of orders; a column without
// them is None in both.
std::vector<penjing::RowKeys> read_keys(penjing::References& references, const nb::dict& given,
                                        std::size_t n_columns, std::size_t n_rows) {
    const auto keys = nb::cast<nb::list>(given["keys"]);
    const auto orders = nb::cast<nb::list>(given["orders"]);
    if (keys.size() != n_columns || orders.size() != n_columns) {
        throw nb::value_error("every column must have its order of rows, or None");
    }
    std::vector<penjing::RowKeys> result(n_columns);
    for (std::size_t c = 0; c < n_columns; ++c) {
        if (orders[c].is_none()) {
            continue;
        }
        result[c].key = penjing::pointer<std::int32_t>(references, keys[c], n_rows);
        result[c].order = penjing::pointer<std::uint32_t>(references, orders[c], n_rows);
        if (n_rows > 0) {
            const std::int32_t last = result[c].key[result[c].order[n_rows - 1]];
            result[c].n_keys = static_cast<std::size_t>(last + 1);
        }
    }
    return result;
}

nb::dict best_splits_rpart(const nb::list& columns, const nb::dict& given,
                           const nb::list& nodes, const nb::dict& recipe) {
    penjing::References references;
    penjing::RpartRequest request;
    penjing::read_table(request, references, columns, given["target"], given["y"], nb::none());
    request.raw_y = pointer_or_null<double>(references, given["cases"], request.n_rows);
    request.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    request.n_classes = nb::cast<std::size_t>(recipe["n_classes"]);
    request.prior_factor =
        pointer_or_null<double>(references, given["altered"], request.n_classes);
    request.mean_factor = pointer_or_null<double>(references, given["means"], request.n_sums);
    request.centre = nb::cast<double>(recipe["centre"]);
    request.common_prior = nb::cast<double>(recipe["common_prior"]);
    request.is_entropy = nb::cast<bool>(recipe["is_entropy"]);
    request.min_bucket = nb::cast<std::uint32_t>(recipe["min_bucket"]);
    const auto threads = nb::cast<int>(recipe["threads"]);
    const std::vector<penjing::RowKeys> keys =
        read_keys(references, given, request.columns.size(), request.n_rows);
    const std::vector<penjing::RowsView> rows =
        penjing::read_rows(references, nodes, request.n_rows);
    const std::uint8_t* is_root =
        penjing::pointer<std::uint8_t>(references, given["is_root"], rows.size());
    const std::vector<std::uint8_t> roots(is_root, is_root + rows.size());
    const std::vector<penjing::SplitLimits> limits = penjing::read_limits(
        request.constraints, references, recipe["limits"], rows.size(), request.columns.size());
    request.constraints.is_regression = request.y != nullptr;
    penjing::RpartBestSplits best;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(threads);
        best =
            penjing::rpart_best_splits(request, rows, limits, roots, keys, pool, poll_python());
    }
    nb::dict result = to_dict(best.splits);
    std::vector<std::int64_t> n_categories(best.n_categories.begin(), best.n_categories.end());
    result["too_many_categories"] = to_numpy(std::move(n_categories));
    return result;
}

nb::dict best_splits_sklearn(const nb::list& columns, const nb::dict& given,
                             const nb::list& nodes, const nb::dict& recipe) {
    penjing::References references;
    penjing::GrowRequest table;
    penjing::read_table(table, references, columns, given["target"], given["y"], nb::none());
    penjing::SklearnSearchRequest request;
    request.columns = table.columns;
    request.n_rows = table.n_rows;
    request.target = {table.target, table.y, nb::cast<std::size_t>(recipe["n_sums"])};
    request.class_weight =
        pointer_or_null<double>(references, given["factor"], request.target.n_sums);
    request.is_entropy = nb::cast<bool>(recipe["is_entropy"]);
    request.compare_as_float = nb::cast<bool>(recipe["compare_as_float"]);
    request.gap = nb::cast<double>(recipe["gap"]);
    request.min_samples_leaf = nb::cast<double>(recipe["min_samples_leaf"]);
    request.min_weight_leaf = nb::cast<double>(recipe["min_weight_leaf"]);
    request.ties_by_rounding = nb::cast<bool>(recipe["ties_by_rounding"]);
    request.keys = read_keys(references, given, request.columns.size(), request.n_rows);
    for (nb::handle bits : nb::cast<nb::list>(given["is_close"])) {
        const std::size_t c = request.is_close.size();
        const auto n_levels = static_cast<std::size_t>(request.columns.at(c).n_levels);
        request.is_close.push_back(
            pointer_or_null<std::uint8_t>(references, bits, (n_levels + 7) / 8));
    }
    if (request.is_close.size() != request.columns.size()) {
        throw nb::value_error("every column needs its close values, or None");
    }
    const auto threads = nb::cast<int>(recipe["threads"]);
    const std::vector<penjing::RowsView> rows =
        penjing::read_rows(references, nodes, request.n_rows);
    request.limits = penjing::read_limits(request.constraints, references, recipe["limits"],
                                          rows.size(), request.columns.size());
    request.constraints.is_regression = request.is_regression();
    penjing::SklearnBestSplits best;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(threads);
        best = penjing::sklearn_best_splits(request, rows, pool, poll_python());
    }
    nb::dict result = to_dict(best.splits);
    result["node_weight"] = to_numpy(std::move(best.weight));
    return result;
}

nb::object order_of_rows(const penjing::In<std::int32_t>& codes, std::size_t n_levels) {
    std::vector<std::uint32_t> order;
    {
        const nb::gil_scoped_release free;
        order = penjing::order_of_rows(codes.data(), codes.size(), n_levels);
    }
    return order.empty() ? nb::none() : nb::cast(to_numpy(std::move(order)));
}

}  // namespace

void bind_best_splits_dialects(nb::module_& m) {
    m.def("order_of_rows", &order_of_rows, "codes"_a.noconvert(), "n_levels"_a,
          "Return the rows in the order of their codes; None for few codes.");
    m.def("best_splits_rpart", &best_splits_rpart, "columns"_a, "given"_a, "nodes"_a,
          "recipe"_a, "Return the best split of every column in each node, by rpart's rules.");
    m.def("best_splits_sklearn", &best_splits_sklearn, "columns"_a, "given"_a, "nodes"_a,
          "recipe"_a,
          "Return the best split of every column in each node, by scikit-learn's rules.");
}
