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

nb::dict grow_c45(const nb::list& columns, nb::handle target, nb::handle weight,
                  const nb::dict& recipe) {
    penjing::References references;  // arrays must outlive the growth
    penjing::C45Request request;
    request.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    request.target = pointer<std::int32_t>(references, target, request.n_rows);
    request.weight = pointer_or_null<double>(references, weight, request.n_rows);
    for (nb::handle item : columns) {
        const auto parts =
            nb::cast<nb::tuple>(item);  // …, ordered, whether it is in the average
        penjing::GrowColumn column = coded_column(references, parts, request.n_rows);
        column.ordered = nb::cast<bool>(parts[3]);
        request.columns.push_back(column);
        request.in_average.push_back(nb::cast<bool>(parts[4]) ? 1 : 0);
    }
    const auto number = [&](const char* name) { return nb::cast<double>(recipe[name]); };
    const auto flag = [&](const char* name) { return nb::cast<bool>(recipe[name]); };
    request.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    request.max_depth = nb::cast<std::int64_t>(recipe["max_depth"]);
    request.threads = nb::cast<int>(recipe["threads"]);
    request.fraction = flag("fraction");
    request.single = flag("single");
    request.by_ratio = flag("by_ratio");
    request.cut_cost = flag("cut_cost");
    request.cut_at_value = flag("cut_at_value");
    request.low_memory = flag("lean");
    request.min_weight = number("min_weight");
    request.min_branch = number("min_branch");
    request.min_gain = number("min_gain");
    request.tolerance = number("tolerance");
    request.gap = number("gap");
    request.side_share = number("side_share");
    request.side_most = number("side_most");
    request.cut_tolerance = number("cut_tolerance");
    request.slack = number("slack");
    request.start = number("start");
    request.tie = number("tie");
    const bool is_case_order = flag("cases");
    const nb::object report = recipe["progress"];
    penjing::Progress progress;
    request.progress = &progress;
    penjing::GrownTree tree;
    {
        const nb::gil_scoped_release free;
        if (is_case_order) {
            penjing::C45CaseKernel kernel(request);
            std::vector<penjing::Subtree> subtrees;
            subtrees.push_back(kernel.grow(poll_python(&progress, report)));
            tree = penjing::flatten(std::move(subtrees), request.n_sums, true);
        } else {
            penjing::ThreadPool pool(request.threads);
            penjing::C45Kernel kernel(request);
            tree = penjing::flatten(kernel.grow(pool, poll_python(&progress, report)),
                                    request.n_sums, true);
        }
    }
    nb::dict result;
    result["parent"] = to_numpy(std::move(tree.parent));
    result["column"] = to_numpy(std::move(tree.column));
    result["cut"] = to_numpy(std::move(tree.cut));
    result["level_start"] = to_numpy(std::move(tree.level_start));
    result["level_codes"] = to_numpy(std::move(tree.level_codes));
    result["total"] = to_numpy(std::move(tree.total));
    result["worth"] = to_numpy(std::move(tree.known));  // gain and score come first
    result["tied_nodes"] = to_numpy(std::move(tree.tied_nodes));
    result["tie_start"] = to_numpy(std::move(tree.tie_start));
    result["tie_columns"] = to_numpy(std::move(tree.tie_columns));
    result["n_ties"] = tree.n_ties;
    return result;
}

}  // namespace

void bind_dialects_c45(nb::module_& m) {
    m.def("grow_c45", &grow_c45, "columns"_a, "target"_a, "weight"_a.none(), "recipe"_a,
          "Grow a whole tree by the rules of C4.5 and J48.");
}
