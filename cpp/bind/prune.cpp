// Binds prune/: error-based pruning as in C4.5 and J48, weakest links, and numbers of nodes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "bind/ndarray.hpp"
#include "prune/error_based.hpp"
#include "prune/map_nodes.hpp"
#include "prune/weakest_link.hpp"

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
    request.kept = pointer_or_null<std::uint8_t>(references, options["kept"], n);
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
    result["removes_kept"] = pruned.removes_kept;
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

// The arrays of a tree that must have one value a node.
void check_sizes(std::size_t n, std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) {
        if (size != n || n == 0) {
            throw nb::value_error("every array must have a value for each node");
        }
    }
}

nb::tuple weakest_links(const In<std::int32_t>& parent, const In<std::uint8_t>& is_leaf,
                        const In<double>& cost) {
    check_sizes(parent.size(), {is_leaf.size(), cost.size()});
    penjing::WeakestLinks links;
    {
        const nb::gil_scoped_release free;
        penjing::WeakestLinkPruner pruner(parent.size(), parent.data(), is_leaf.data(),
                                          cost.data());
        links = pruner.prune(poll_python());
    }
    return nb::make_tuple(to_numpy(std::move(links.alpha)), to_numpy(std::move(links.node)),
                          to_numpy(std::move(links.cost)), to_numpy(std::move(links.n_leaves)));
}

nb::dict cut_costs(const In<std::int32_t>& parent, const In<std::uint8_t>& is_leaf,
                   const In<double>& cost, const In<std::int32_t>& cuts) {
    check_sizes(parent.size(), {is_leaf.size(), cost.size()});
    const std::vector<std::int32_t> nodes(cuts.data(), cuts.data() + cuts.size());
    for (const std::int32_t node : nodes) {
        if (node < 0 || static_cast<std::size_t>(node) >= parent.size()) {
            throw nb::value_error("there is no such node");
        }
    }
    penjing::CutCosts costs;
    {
        const nb::gil_scoped_release free;
        costs = penjing::cut_costs(parent.size(), parent.data(), is_leaf.data(), cost.data(),
                                   nodes);
    }
    nb::dict result;
    result["cost"] = to_numpy(std::move(costs.cost));
    result["n_leaves"] = to_numpy(std::move(costs.n_leaves));
    result["tree_cost"] = to_numpy(std::move(costs.tree_cost));
    result["tree_leaves"] = to_numpy(std::move(costs.tree_leaves));
    result["final_cost"] = to_numpy(std::move(costs.final_cost));
    result["final_leaves"] = to_numpy(std::move(costs.final_leaves));
    return result;
}

// A tree from the tuple (first child, children, parent, column, cut, total, level_start,
// codes).
penjing::SplitArrays split_arrays(penjing::References& references, const nb::tuple& parts) {
    penjing::SplitArrays tree;
    const std::size_t n = nb::cast<In<std::int32_t>>(parts[0], false).size();
    tree.n_nodes = n;
    tree.first_child = pointer<std::int32_t>(references, parts[0], n);
    tree.n_children = pointer<std::int32_t>(references, parts[1], n);
    tree.parent = pointer<std::int32_t>(references, parts[2], n);
    tree.column = pointer<std::int32_t>(references, parts[3], n);
    tree.cut = pointer<double>(references, parts[4], n);
    const std::size_t n_cells = nb::cast<In<double>>(parts[5], false).size();
    tree.n_sums = n == 0 ? 0 : n_cells / n;
    tree.total = pointer<double>(references, parts[5], n * tree.n_sums);
    tree.level_start = pointer<std::int64_t>(references, parts[6], n + 1);
    const auto n_codes = nb::cast<In<std::int32_t>>(parts[7], false).size();
    tree.level_codes = pointer<std::int32_t>(references, parts[7], n_codes);
    bool is_valid = n > 0 && tree.level_start[0] >= 0 &&
                    tree.level_start[n] <= static_cast<std::int64_t>(n_codes);
    const auto last = static_cast<std::int64_t>(n);
    for (std::size_t i = 0; is_valid && i < n; ++i) {
        const std::int64_t first = tree.first_child[i];
        is_valid = tree.level_start[i] <= tree.level_start[i + 1] && tree.n_children[i] >= 0 &&
                   (tree.n_children[i] == 0 || (first > static_cast<std::int64_t>(i) &&
                                                first + tree.n_children[i] <= last));
        is_valid =
            is_valid &&
            (i == 0 || (tree.parent[i] >= 0 && tree.parent[i] < static_cast<std::int32_t>(i)));
    }
    if (!is_valid) {
        throw nb::value_error("the arrays are not those of a tree");
    }
    return tree;
}

nb::tuple map_nodes(const nb::tuple& before, const nb::tuple& after) {
    penjing::References references;
    const penjing::SplitArrays one = split_arrays(references, before);
    const penjing::SplitArrays other = split_arrays(references, after);
    if (one.n_sums != other.n_sums) {
        throw nb::value_error("the trees have different classes");
    }
    penjing::MappedNodes mapped = penjing::map_nodes(one, other);
    return nb::make_tuple(to_numpy(std::move(mapped.now)), to_numpy(std::move(mapped.nearest)),
                          to_numpy(std::move(mapped.cut)), to_numpy(std::move(mapped.changed)));
}

}  // namespace

void bind_prune(nb::module_& m) {
    m.def("prune_error_based", &prune_error_based, "columns"_a, "target"_a, "weight"_a.none(),
          "tree"_a, "how"_a, "Prune a tree by estimated errors, as C4.5 and J48 do.");
    m.def("weakest_links", &weakest_links, "parent"_a, "is_leaf"_a, "cost"_a,
          "Prune the weakest link until the root is left; nodes are numbered in preorder.");
    m.def("map_nodes", &map_nodes, "before"_a, "after"_a,
          "Return the new number of each node, or -1, the closest remaining ancestor's, and "
          "which "
          "nodes became leaves or have another split.");
    m.def("cut_costs", &cut_costs, "parent"_a, "is_leaf"_a, "cost"_a, "cuts"_a,
          "Return the costs of subtrees while nodes become leaves, one after the other.");
}
