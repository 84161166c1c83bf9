// The growing kernel of C4.5 and J48 as Python sees it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "errors.hpp"
#include "handing.hpp"
#include "quinlan.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::hand_over;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::signals;

namespace {

// codes, levels or None, n_levels, ordered, whether it counts in the average
penjing::GrowColumn column_of(std::vector<nb::object>& kept, nb::handle item, std::size_t n) {
    const auto parts = nb::cast<nb::tuple>(item);
    penjing::GrowColumn column;
    column.codes = pointer<std::int32_t>(kept, parts[0], n);
    column.n_levels = nb::cast<std::int32_t>(parts[2]);
    column.ordered = nb::cast<bool>(parts[3]);
    if (!parts[1].is_none()) {
        column.levels =
            pointer<double>(kept, parts[1], static_cast<std::size_t>(column.n_levels));
    }
    return column;
}

nb::dict grow_quinlan(const nb::list& columns, nb::handle target, nb::handle weight,
                      const nb::dict& recipe) {
    std::vector<nb::object> kept;  // arrays must outlive the growth
    penjing::QuinlanOrder order;
    order.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    order.target = pointer<std::int32_t>(kept, target, order.n_rows);
    order.weight = pointer_or_null<double>(kept, weight, order.n_rows);
    for (nb::handle item : columns) {
        order.columns.push_back(column_of(kept, item, order.n_rows));
        order.mean.push_back(nb::cast<bool>(nb::cast<nb::tuple>(item)[4]) ? 1 : 0);
    }
    const auto number = [&](const char* name) { return nb::cast<double>(recipe[name]); };
    const auto flag = [&](const char* name) { return nb::cast<bool>(recipe[name]); };
    order.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    order.max_depth = nb::cast<std::int64_t>(recipe["max_depth"]);
    order.threads = nb::cast<int>(recipe["threads"]);
    order.fraction = flag("fraction");
    order.single = flag("single");
    order.by_ratio = flag("by_ratio");
    order.cut_cost = flag("cut_cost");
    order.cut_at_value = flag("cut_at_value");
    order.lean = flag("lean");
    order.min_weight = number("min_weight");
    order.min_branch = number("min_branch");
    order.min_gain = number("min_gain");
    order.tolerance = number("tolerance");
    order.gap = number("gap");
    order.side_share = number("side_share");
    order.side_most = number("side_most");
    order.cut_tolerance = number("cut_tolerance");
    order.slack = number("slack");
    order.start = number("start");
    order.tie = number("tie");
    const bool in_order_of_cases = flag("cases");
    const nb::object progress = recipe["progress"];
    penjing::Pace pace;
    order.pace = &pace;
    penjing::Grown grown;
    {
        const nb::gil_scoped_release free;
        if (in_order_of_cases) {
            penjing::CaseKernel kernel(order);
            std::vector<penjing::Grove> groves;
            groves.push_back(kernel.grow(signals(&pace, progress)));
            grown = penjing::flatten(std::move(groves), order.n_sums, true);
        } else {
            penjing::Team team(order.threads);
            penjing::QuinlanKernel kernel(order);
            grown = penjing::flatten(kernel.grow(team, signals(&pace, progress)), order.n_sums,
                                     true);
        }
    }
    nb::dict answer;
    answer["parent"] = hand_over(std::move(grown.parent));
    answer["column"] = hand_over(std::move(grown.column));
    answer["cut"] = hand_over(std::move(grown.cut));
    answer["level_start"] = hand_over(std::move(grown.level_start));
    answer["level_codes"] = hand_over(std::move(grown.level_codes));
    answer["total"] = hand_over(std::move(grown.total));
    answer["worth"] = hand_over(std::move(grown.known));  // gain and score come first
    answer["tied_nodes"] = hand_over(std::move(grown.tied_nodes));
    answer["tie_start"] = hand_over(std::move(grown.tie_start));
    answer["tie_columns"] = hand_over(std::move(grown.tie_columns));
    answer["n_ties"] = grown.n_ties;
    return answer;
}

nb::dict prune_quinlan(const nb::list& columns, nb::handle target, nb::handle weight,
                       const nb::dict& tree, const nb::dict& how) {
    std::vector<nb::object> kept;
    penjing::PruneOrder order;
    order.rows.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    order.rows.target = pointer<std::int32_t>(kept, target, order.rows.n_rows);
    order.rows.weight = pointer_or_null<double>(kept, weight, order.rows.n_rows);
    for (nb::handle item : columns) {
        order.rows.columns.push_back(column_of(kept, item, order.rows.n_rows));
    }
    order.rows.n_sums = nb::cast<std::size_t>(how["n_sums"]);
    order.rows.fraction = nb::cast<bool>(how["fraction"]);
    const std::size_t n = nb::cast<In<std::int32_t>>(tree["parent"], false).size();
    order.n_nodes = n;
    order.parent = pointer<std::int32_t>(kept, tree["parent"], n);
    order.column = pointer<std::int32_t>(kept, tree["column"], n);
    order.cut = pointer<double>(kept, tree["cut"], n);
    order.level_start = pointer<std::int64_t>(kept, tree["level_start"], n + 1);
    const std::size_t n_codes = static_cast<std::size_t>(order.level_start[n]);
    order.level_codes = pointer<std::int32_t>(kept, tree["level_codes"], n_codes);
    order.total = pointer<double>(kept, tree["total"], n * order.rows.n_sums);
    order.label = pointer<std::int32_t>(kept, tree["label"], n);
    const auto number = [&](const char* name) { return nb::cast<double>(how[name]); };
    const auto flag = [&](const char* name) { return nb::cast<bool>(how[name]); };
    order.bound.confidence = number("confidence");
    order.bound.squared = number("squared");
    order.bound.last_errors = number("last_errors");
    order.bound.single = flag("single");
    order.bound.table = flag("table");
    order.bound.nothing = flag("nothing");
    order.tolerance = number("tolerance");
    order.margin = number("margin");
    order.raises = flag("raises");
    order.relabels = flag("relabels");
    penjing::Pruned made;
    {
        const nb::gil_scoped_release free;
        penjing::ErrorPruner pruner(order);
        made = pruner.prune(signals());
    }
    nb::dict answer;
    answer["node"] = hand_over(std::move(made.node));
    answer["decision"] = hand_over(std::move(made.decision));
    answer["rows"] = hand_over(std::move(made.rows));
    answer["kept"] = hand_over(std::move(made.kept));
    answer["as_leaf"] = hand_over(std::move(made.as_leaf));
    answer["as_branch"] = hand_over(std::move(made.as_branch));
    answer["whole"] = hand_over(std::move(made.whole));
    answer["parent"] = hand_over(std::move(made.parent));
    answer["origin"] = hand_over(std::move(made.origin));
    answer["label"] = hand_over(std::move(made.label));
    answer["level_start"] = hand_over(std::move(made.level_start));
    answer["level_codes"] = hand_over(std::move(made.level_codes));
    answer["total"] = hand_over(std::move(made.total));
    return answer;
}

}  // namespace

void bind_quinlan(nb::module_& m) {
    m.def("grow_quinlan", &grow_quinlan, "columns"_a, "target"_a, "weight"_a.none(), "recipe"_a,
          "Grow a whole tree by the rules of C4.5 and J48.");
    m.def("prune_quinlan", &prune_quinlan, "columns"_a, "target"_a, "weight"_a.none(), "tree"_a,
          "how"_a, "Prune a tree by estimated errors, as C4.5 and J48 do.");
}
