// Binds dialects/c45: growing trees as in C4.5 and J48.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bind/ndarray.hpp"
#include "dialects/c45.hpp"
#include "dialects/c45_cases.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::coded_column;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

nb::dict grow_quinlan(const nb::list& columns, nb::handle target, nb::handle weight,
                      const nb::dict& recipe) {
    penjing::References references;  // arrays must outlive the growth
    penjing::QuinlanOrder order;
    order.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    order.target = pointer<std::int32_t>(references, target, order.n_rows);
    order.weight = pointer_or_null<double>(references, weight, order.n_rows);
    for (nb::handle item : columns) {
        const auto parts =
            nb::cast<nb::tuple>(item);  // …, ordered, whether it is in the average
        penjing::GrowColumn column = coded_column(references, parts, order.n_rows);
        column.ordered = nb::cast<bool>(parts[3]);
        order.columns.push_back(column);
        order.mean.push_back(nb::cast<bool>(parts[4]) ? 1 : 0);
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
    const bool is_case_order = flag("cases");
    const nb::object progress = recipe["progress"];
    penjing::Pace pace;
    order.pace = &pace;
    penjing::Grown grown;
    {
        const nb::gil_scoped_release free;
        if (is_case_order) {
            penjing::CaseKernel kernel(order);
            std::vector<penjing::Grove> groves;
            groves.push_back(kernel.grow(poll_python(&pace, progress)));
            grown = penjing::flatten(std::move(groves), order.n_sums, true);
        } else {
            penjing::ThreadPool pool(order.threads);
            penjing::QuinlanKernel kernel(order);
            grown = penjing::flatten(kernel.grow(pool, poll_python(&pace, progress)),
                                     order.n_sums, true);
        }
    }
    nb::dict result;
    result["parent"] = to_numpy(std::move(grown.parent));
    result["column"] = to_numpy(std::move(grown.column));
    result["cut"] = to_numpy(std::move(grown.cut));
    result["level_start"] = to_numpy(std::move(grown.level_start));
    result["level_codes"] = to_numpy(std::move(grown.level_codes));
    result["total"] = to_numpy(std::move(grown.total));
    result["worth"] = to_numpy(std::move(grown.known));  // gain and score come first
    result["tied_nodes"] = to_numpy(std::move(grown.tied_nodes));
    result["tie_start"] = to_numpy(std::move(grown.tie_start));
    result["tie_columns"] = to_numpy(std::move(grown.tie_columns));
    result["n_ties"] = grown.n_ties;
    return result;
}

}  // namespace

void bind_dialects_c45(nb::module_& m) {
    m.def("grow_quinlan", &grow_quinlan, "columns"_a, "target"_a, "weight"_a.none(), "recipe"_a,
          "Grow a whole tree by the rules of C4.5 and J48.");
}
