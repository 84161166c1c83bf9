// Binds prune/: error-based pruning as in C4.5 and J48.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

#include "bind/ndarray.hpp"
#include "prune/error_based.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::coded_column;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

nb::dict prune_error_based(const nb::list& columns, nb::handle target, nb::handle weight,
                           const nb::dict& tree, const nb::dict& options) {
    penjing::References references;
    penjing::PruneRequest request;
    request.rows.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    request.rows.target = pointer<std::int32_t>(references, target, request.rows.n_rows);
    request.rows.weight = pointer_or_null<double>(references, weight, request.rows.n_rows);
    for (nb::handle item : columns) {
        const auto parts = nb::cast<nb::tuple>(item);  // …, ordered
        penjing::GrowColumn column = coded_column(references, parts, request.rows.n_rows);
        column.ordered = nb::cast<bool>(parts[3]);
        request.rows.columns.push_back(column);
    }
    request.rows.n_sums = nb::cast<std::size_t>(options["n_sums"]);
    request.rows.fraction = nb::cast<bool>(options["fraction"]);
    const std::size_t n = nb::cast<In<std::int32_t>>(tree["parent"], false).size();
    request.n_nodes = n;
    request.parent = pointer<std::int32_t>(references, tree["parent"], n);
    request.column = pointer<std::int32_t>(references, tree["column"], n);
    request.cut = pointer<double>(references, tree["cut"], n);
    request.level_start = pointer<std::int64_t>(references, tree["level_start"], n + 1);
    const std::size_t n_codes = static_cast<std::size_t>(request.level_start[n]);
    request.level_codes = pointer<std::int32_t>(references, tree["level_codes"], n_codes);
    request.total = pointer<double>(references, tree["total"], n * request.rows.n_sums);
    request.label = pointer<std::int32_t>(references, tree["label"], n);
    const auto number = [&](const char* name) { return nb::cast<double>(options[name]); };
    const auto flag = [&](const char* name) { return nb::cast<bool>(options[name]); };
    request.bound.confidence = number("confidence");
    request.bound.squared = number("squared");
    request.bound.last_errors = number("last_errors");
    request.bound.round_to_float = flag("single");
    request.bound.is_c45 = flag("table");
    request.bound.adds_nothing = flag("nothing");
    request.tolerance = number("tolerance");
    request.margin = number("margin");
    request.raises = flag("raises");
    request.relabels = flag("relabels");
    penjing::PruneResult pruned;
    {
        const nb::gil_scoped_release free;
        penjing::ErrorPruner pruner(request);
        pruned = pruner.prune(poll_python());
    }
    nb::dict result;
    result["node"] = to_numpy(std::move(pruned.node));
    result["decision"] = to_numpy(std::move(pruned.decision));
    result["rows"] = to_numpy(std::move(pruned.rows));
    result["kept"] = to_numpy(std::move(pruned.subtree_errors));
    result["as_leaf"] = to_numpy(std::move(pruned.leaf_errors));
    result["as_branch"] = to_numpy(std::move(pruned.branch_errors));
    result["whole"] = to_numpy(std::move(pruned.total_errors));
    result["parent"] = to_numpy(std::move(pruned.parent));
    result["origin"] = to_numpy(std::move(pruned.origin));
    result["label"] = to_numpy(std::move(pruned.label));
    result["level_start"] = to_numpy(std::move(pruned.level_start));
    result["level_codes"] = to_numpy(std::move(pruned.level_codes));
    result["total"] = to_numpy(std::move(pruned.total));
    return result;
}

}  // namespace

void bind_prune(nb::module_& m) {
    m.def("prune_error_based", &prune_error_based, "columns"_a, "target"_a, "weight"_a.none(),
          "tree"_a, "how"_a, "Prune a tree by estimated errors, as C4.5 and J48 do.");
}
