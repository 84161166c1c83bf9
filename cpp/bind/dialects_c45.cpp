// Binds dialects/c45 and c50: growing trees as in C4.5, J48 and C5.0, and the best split of
// every column.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bind/grow_request.hpp"
#include "dialects/c45.hpp"
#include "dialects/c45_best_splits.hpp"
#include "dialects/c45_cases.hpp"
#include "dialects/c50.hpp"
#include "grow/driver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A column has a fifth part: whether it takes part in the average gain.
template <class Request>
void read_c45(penjing::GrowCall<Request>& call, const nb::list& columns) {
    Request& request = call.request;
    for (nb::handle column : columns) {
        const auto parts = nb::cast<nb::tuple>(column);
        request.in_average.push_back(nb::cast<bool>(parts[4]) ? 1 : 0);
    }
    request.fraction = call.flag("fraction");
    request.single = call.flag("single");
    request.single_numbers = call.flag("single_numbers");
    request.by_ratio = call.flag("by_ratio");
    request.cut_cost = call.flag("cut_cost");
    request.cut_at_value = call.flag("cut_at_value");
    request.low_memory = call.flag("lean");
    request.min_weight = call.number("min_weight");
    request.min_branch = call.number("min_branch");
    request.tolerance = call.number("tolerance");
    request.gap = call.number("gap");
    request.side_share = call.number("side_share");
    request.side_most = call.number("side_most");
    request.cut_tolerance = call.number("cut_tolerance");
    request.slack = call.number("slack");
    request.start = call.number("start");
    request.tie = call.number("tie");
}

void read_c50(penjing::GrowCall<penjing::C50Request>& call, const nb::list& columns) {
    read_c45(call, columns);
    penjing::C50Request& request = call.request;
    request.gap_cost = call.flag("gap_cost");
    request.least_gain = call.number("least_gain");
    request.screen_share = call.number("screen_share");
    request.screen_few = call.number("screen_few");
    request.screen_many = call.number("screen_many");
    request.near_ties = call.number("near_ties");
    request.pure_share = call.number("pure_share");
    request.per_class = call.number("per_class");
}

nb::dict grow_c45(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    penjing::GrowCall<penjing::C45Request> call(columns, given, recipe);
    read_c45(call, columns);
    const penjing::C45Request& request = call.request;
    const bool is_case_order = call.flag("cases");
    return penjing::to_dict(call.run([&](auto& pool, const auto& poll) {
        return is_case_order
                   ? penjing::grow(request, penjing::C45CaseKernel(request), pool, poll)
                   : penjing::grow(request, penjing::C45Kernel(request), pool, poll);
    }));
}

nb::dict grow_c50(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    penjing::GrowCall<penjing::C50Request> call(columns, given, recipe);
    read_c50(call, columns);
    const penjing::C50Request& request = call.request;
    return penjing::to_dict(call.run([&](auto& pool, const auto& poll) {
        return penjing::grow(request, penjing::C50Kernel(request), pool, poll);
    }));
}

// The rows of nodes from a list of (row numbers, weights or None).
std::vector<penjing::NodeRows> copy_rows(const nb::list& nodes, std::size_t n_rows) {
    penjing::References references;
    std::vector<penjing::NodeRows> copies;
    for (const penjing::RowsView& rows : penjing::read_rows(references, nodes, n_rows)) {
        penjing::NodeRows& copy = copies.emplace_back();
        copy.ids.assign(rows.ids, rows.ids + rows.n);
        if (rows.weight != nullptr) {
            copy.weight.assign(rows.weight, rows.weight + rows.n);
        }
    }
    return copies;
}

template <class Kernel, class Request>
nb::dict best_splits(const penjing::GrowCall<Request>& call, const nb::list& nodes) {
    std::vector<penjing::NodeRows> rows = copy_rows(nodes, call.request.n_rows);
    penjing::C45BestSplits table = call.run([&](auto& pool, const auto& poll) {
        return penjing::c45_best_splits<Kernel>(call.request, rows, pool, poll);
    });
    nb::dict result;
    result["gain"] = penjing::to_numpy(std::move(table.gain));
    result["information"] = penjing::to_numpy(std::move(table.information));
    result["cut"] = penjing::to_numpy(std::move(table.cut));
    result["cost"] = penjing::to_numpy(std::move(table.cost));
    result["n_candidates"] = penjing::to_numpy(std::move(table.n_candidates));
    result["n_groups"] = penjing::to_numpy(std::move(table.n_groups));
    result["group_codes"] = penjing::to_numpy(std::move(table.group_codes));
    return result;
}

nb::dict best_splits_c45(const nb::list& columns, const nb::dict& given, const nb::dict& recipe,
                         const nb::list& nodes) {
    penjing::GrowCall<penjing::C45Request> call(columns, given, recipe);
    read_c45(call, columns);
    return best_splits<penjing::C45Kernel>(call, nodes);
}

nb::dict best_splits_c50(const nb::list& columns, const nb::dict& given, const nb::dict& recipe,
                         const nb::list& nodes) {
    penjing::GrowCall<penjing::C50Request> call(columns, given, recipe);
    read_c50(call, columns);
    return best_splits<penjing::C50Kernel>(call, nodes);
}

nb::dict regrow_c50(const nb::list& columns, const nb::dict& given, const nb::dict& recipe,
                    const nb::dict& node) {
    penjing::GrowCall<penjing::C50Request> call(columns, given, recipe);
    read_c50(call, columns);
    const penjing::C50Request& request = call.request;
    nb::list rows;
    rows.append(node["rows"]);
    penjing::C50GivenNode root;
    root.rows = std::move(copy_rows(rows, request.n_rows).front());
    root.depth = nb::cast<std::int64_t>(node["depth"]);
    root.column = nb::cast<std::size_t>(node["column"]);
    root.cut = nb::cast<double>(node["cut"]);
    root.low = nb::cast<std::int32_t>(node["low"]);
    if (root.column >= request.columns.size()) {
        throw nb::value_error("there is no such column");
    }
    return penjing::to_dict(call.run([&](auto& pool, const auto& poll) {
        return penjing::grow(request, penjing::C50SubtreeKernel(request, root), pool, poll);
    }));
}

}  // namespace

void bind_dialects_c45(nb::module_& m) {
    m.def("grow_c45", &grow_c45, "columns"_a, "given"_a, "recipe"_a,
          "Grow a whole tree by the rules of C4.5 and J48.");
    m.def("grow_c50", &grow_c50, "columns"_a, "given"_a, "recipe"_a,
          "Grow a whole tree by the rules of C5.0.");
    m.def("best_splits_c45", &best_splits_c45, "columns"_a, "given"_a, "recipe"_a, "nodes"_a,
          "Return the best split of every column in each node by the rules of C4.5 and J48.");
    m.def("best_splits_c50", &best_splits_c50, "columns"_a, "given"_a, "recipe"_a, "nodes"_a,
          "Return the best split of every column in each node by the rules of C5.0.");
    m.def("regrow_c50", &regrow_c50, "columns"_a, "given"_a, "recipe"_a, "node"_a,
          "Grow the subtree of a node whose split is given by the rules of C5.0.");
}
