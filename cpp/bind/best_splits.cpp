// Binds grow/best_splits, and what the loop in Python asks of an engine: rows of nodes, sums,
// counts.
#include "grow/best_splits.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/grow_request.hpp"
#include "bind/ndarray.hpp"
#include "grow/node_counts.hpp"
#include "grow/route_rows.hpp"
#include "grow/subtree_sums.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::pointer;
using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

nb::dict best_splits(const nb::list& columns, nb::handle target, nb::handle y,
                     const nb::list& nodes, const nb::dict& recipe) {
    penjing::GrowRequest request;
    penjing::References references;
    penjing::read_table(request, references, columns, target, y, nb::none());
    request.criterion = penjing::criterion_kind(nb::cast<std::string>(recipe["measure"]));
    request.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    request.centre = nb::cast<double>(recipe["centre"]);
    request.multiway = nb::cast<bool>(recipe["multiway"]);
    request.missing_branch = nb::cast<bool>(recipe["missing_branch"]);
    request.min_branch = nb::cast<double>(recipe["min_branch"]);
    request.threads = nb::cast<int>(recipe["threads"]);
    const std::vector<penjing::RowsView> rows =
        penjing::read_rows(references, nodes, request.n_rows);
    const std::vector<penjing::SplitLimits> limits = penjing::read_limits(
        request.constraints, references, recipe["limits"], rows.size(), request.columns.size());
    request.constraints.is_regression = request.y != nullptr;
    penjing::BestSplitsTable table;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(request.threads);
        table = penjing::best_splits(request, rows, limits, pool, poll_python());
    }
    nb::dict result;
    result["cut"] = to_numpy(std::move(table.cut));
    result["n_candidates"] = to_numpy(std::move(table.n_candidates));
    result["n_branches"] = to_numpy(std::move(table.n_branches));
    result["known"] = to_numpy(std::move(table.known));
    result["missing"] = to_numpy(std::move(table.missing));
    result["after"] = to_numpy(std::move(table.after));
    result["n_groups"] = to_numpy(std::move(table.n_groups));
    result["group_sizes"] = to_numpy(std::move(table.group_sizes));
    result["group_codes"] = to_numpy(std::move(table.group_codes));
    return result;
}

// A rule from the tuple (codes, first code of branch 1 or -1, branch of each code or None,
// whether the branches are swapped).
penjing::BranchRule read_rule(penjing::References& references, nb::handle item,
                              std::size_t n_rows) {
    const auto parts = nb::cast<nb::tuple>(item);
    penjing::BranchRule rule;
    rule.codes = pointer<std::int32_t>(references, parts[0], n_rows);
    rule.first_above = nb::cast<std::int32_t>(parts[1]);
    if (!parts[2].is_none()) {
        const auto table = nb::cast<penjing::In<std::int32_t>>(parts[2], false);
        rule.branch = pointer<std::int32_t>(references, parts[2], table.size());
    }
    rule.is_swapped = nb::cast<bool>(parts[3]);
    return rule;
}

nb::list route_rows(const penjing::In<std::uint32_t>& ids, nb::handle weight,
                    const nb::list& rules, const nb::dict& settings) {
    penjing::References references;
    const auto n_rows = nb::cast<std::size_t>(settings["n_rows"]);
    const penjing::RowsView rows{
        ids.data(), pointer_or_null<double>(references, weight, ids.size()), ids.size()};
    penjing::Routing routing;
    for (nb::handle item : rules) {
        routing.rules.push_back(read_rule(references, item, n_rows));
    }
    routing.missing_branch = nb::cast<std::int32_t>(settings["missing"]);
    routing.known_stay = nb::cast<bool>(settings["known_stay"]);
    routing.fraction = nb::cast<bool>(settings["fraction"]);
    routing.n_branches = nb::cast<std::size_t>(settings["n_branches"]);
    if (!settings["shares"].is_none()) {
        const double* shares =
            pointer<double>(references, settings["shares"], routing.n_branches);
        routing.shares.assign(shares, shares + routing.n_branches);
    }
    std::vector<penjing::NodeRows> parts;
    {
        const nb::gil_scoped_release free;
        parts = penjing::route_rows(rows, routing);
    }
    nb::list result;
    for (penjing::NodeRows& part : parts) {
        nb::object weights =
            part.is_weighted ? nb::cast(to_numpy(std::move(part.weight))) : nb::none();
        result.append(nb::make_tuple(to_numpy(std::move(part.ids)), weights));
    }
    return result;
}

nb::tuple count_column(const penjing::In<std::int32_t>& codes, std::size_t n_levels,
                       nb::handle target, nb::handle y, std::size_t n_sums,
                       const penjing::In<std::uint32_t>& ids, nb::handle weight) {
    penjing::References references;
    penjing::TargetView values;
    values.classes = pointer_or_null<std::int32_t>(references, target, codes.size());
    values.numbers = pointer_or_null<double>(references, y, codes.size());
    values.n_sums = n_sums;
    const penjing::RowsView rows{
        ids.data(), pointer_or_null<double>(references, weight, ids.size()), ids.size()};
    penjing::NodeCounts counts;
    {
        const nb::gil_scoped_release free;
        counts = penjing::count_column(codes.data(), n_levels, values, rows);
    }
    const bool has_rows = rows.weight != nullptr;
    nb::object unit = has_rows ? nb::cast(to_numpy(std::move(counts.rows))) : nb::none();
    return nb::make_tuple(to_numpy(std::move(counts.codes)), to_numpy(std::move(counts.cells)),
                          to_numpy(std::move(counts.missing)), unit, counts.n_missing);
}

nb::tuple node_sums(nb::handle target, nb::handle y, const penjing::In<std::int32_t>& codes,
                    std::size_t n_sums, const nb::list& nodes) {
    penjing::References references;
    penjing::TargetView values;
    values.classes = pointer_or_null<std::int32_t>(references, target, codes.size());
    values.numbers = pointer_or_null<double>(references, y, codes.size());
    values.n_sums = n_sums;
    const std::vector<penjing::RowsView> rows =
        penjing::read_rows(references, nodes, codes.size());
    std::vector<double> cells;
    std::vector<std::uint8_t> is_pure;
    {
        const nb::gil_scoped_release free;
        for (const penjing::RowsView& node : rows) {
            const std::vector<double> sums = penjing::node_sums(values, node);
            cells.insert(cells.end(), sums.begin(), sums.end());
            is_pure.push_back(penjing::is_one_value(codes.data(), node) ? 1 : 0);
        }
    }
    return nb::make_tuple(to_numpy(std::move(cells)), to_numpy(std::move(is_pure)));
}

// The split of a node from the tuple (node, first child, number of branches, column, threshold
// or None, groups of codes, branch of missing values).
penjing::SubtreeSplit read_subtree_split(penjing::References& references, nb::handle item,
                                         const nb::list& columns, std::size_t n_rows) {
    const auto parts = nb::cast<nb::tuple>(item);
    const auto column = nb::cast<nb::tuple>(columns[nb::cast<std::size_t>(parts[3])]);
    const auto n_levels = nb::cast<std::int32_t>(column[2]);
    penjing::SubtreeSplit split;
    split.node = nb::cast<std::size_t>(parts[0]);
    split.first_child = nb::cast<std::size_t>(parts[1]);
    split.routing.n_branches = nb::cast<std::size_t>(parts[2]);
    split.routing.missing_branch = nb::cast<std::int32_t>(parts[6]);
    penjing::BranchRule rule;
    rule.codes = pointer<std::int32_t>(references, column[0], n_rows);
    if (parts[4].is_none()) {
        split.branch.assign(static_cast<std::size_t>(n_levels), -1);
        std::int32_t number = 0;
        for (nb::handle group : nb::cast<nb::tuple>(parts[5])) {
            const auto codes = nb::cast<penjing::In<std::int32_t>>(group, false);
            for (std::size_t i = 0; i < codes.size(); ++i) {
                split.branch.at(static_cast<std::size_t>(codes.data()[i])) = number;
            }
            ++number;
        }
    } else {
        const auto cut = nb::cast<double>(parts[4]);
        if (column[1].is_none()) {  // categories in an order
            const double last = std::min(std::floor(cut), static_cast<double>(n_levels));
            rule.first_above = std::max(static_cast<std::int32_t>(last) + 1, 0);
        } else {
            const auto size = static_cast<std::size_t>(n_levels);
            const double* levels = pointer<double>(references, column[1], size);
            const double* above = std::upper_bound(levels, levels + size, cut);
            rule.first_above = static_cast<std::int32_t>(above - levels);
        }
    }
    split.routing.rules.push_back(rule);
    return split;
}

nb::tuple subtree_sums(nb::handle target, nb::handle y, const penjing::In<std::int32_t>& codes,
                       std::size_t n_sums, const nb::list& columns, const nb::tuple& rows,
                       const nb::list& splits, const nb::dict& settings) {
    penjing::References references;
    penjing::TargetView values;
    values.classes = pointer_or_null<std::int32_t>(references, target, codes.size());
    values.numbers = pointer_or_null<double>(references, y, codes.size());
    values.n_sums = n_sums;
    nb::list tops;
    tops.append(rows);
    const penjing::RowsView top = penjing::read_rows(references, tops, codes.size())[0];
    std::vector<penjing::SubtreeSplit> subtree;
    std::size_t n_nodes = 1;
    for (nb::handle item : splits) {
        subtree.push_back(read_subtree_split(references, item, columns, codes.size()));
        penjing::SubtreeSplit& split = subtree.back();
        split.routing.known_stay = nb::cast<bool>(settings["known_stay"]);
        split.routing.fraction = nb::cast<bool>(settings["fraction"]);
        if (split.node >= n_nodes || split.first_child != n_nodes) {
            throw nb::value_error("the nodes of a subtree are not numbered breadth first");
        }
        n_nodes += split.routing.n_branches;
    }
    penjing::SubtreeSums sums;
    {
        const nb::gil_scoped_release free;
        sums = penjing::subtree_sums(values, codes.data(), top, subtree, n_nodes);
    }
    return nb::make_tuple(to_numpy(std::move(sums.cells)), to_numpy(std::move(sums.is_pure)),
                          to_numpy(std::move(sums.n_rows)));
}

}  // namespace

void bind_best_splits(nb::module_& m) {
    m.def(
        "best_splits", &best_splits, "columns"_a, "target"_a.none(), "y"_a.none(), "nodes"_a,
        "recipe"_a,
        "Return the best split of every column in each node, by a criterion of the textbook.");
    m.def("route_rows", &route_rows, "ids"_a.noconvert(), "weight"_a.none(), "rules"_a,
          "settings"_a, "Return the rows of each branch of a split, and their weights.");
    m.def("count_column", &count_column, "codes"_a.noconvert(), "n_levels"_a, "target"_a.none(),
          "y"_a.none(), "n_sums"_a, "ids"_a.noconvert(), "weight"_a.none(),
          "Return codes that occur, their sums, the sums of missing values, and the same with "
          "weight one.");
    m.def("node_sums", &node_sums, "target"_a.none(), "y"_a.none(), "codes"_a.noconvert(),
          "n_sums"_a, "nodes"_a,
          "Return the sums of each node, and whether all its rows have one target.");
    m.def("subtree_sums", &subtree_sums, "target"_a.none(), "y"_a.none(), "codes"_a.noconvert(),
          "n_sums"_a, "columns"_a, "rows"_a, "splits"_a, "settings"_a,
          "Return the sums of all nodes below a node, whether they are pure, and their rows.");
}
