// Binds grow/: one call grows a tree; others score the splits of one column from its counts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/grow_request.hpp"
#include "bind/ndarray.hpp"
#include "grow/category_order.hpp"
#include "grow/counted.hpp"
#include "grow/encoded_request.hpp"
#include "grow/general.hpp"
#include "grow/grow_weighted.hpp"
#include "grow/histogram_splits.hpp"
#include "grow/nodes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::In;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

penjing::GrowInput read(const nb::list& columns, nb::handle target, nb::handle y,
                        nb::handle weight, const nb::dict& recipe) {
    penjing::GrowInput input;
    penjing::GrowRequest& request = input.request;
    penjing::read_table(request, input.references, columns, target, y, weight);
    request.criterion = penjing::criterion_kind(nb::cast<std::string>(recipe["measure"]));
    request.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    request.centre = nb::cast<double>(recipe["centre"]);
    request.multiway = nb::cast<bool>(recipe["multiway"]);
    request.fraction = nb::cast<bool>(recipe["fraction"]);
    request.whole = nb::cast<bool>(recipe["whole"]);
    request.max_depth = nb::cast<std::int64_t>(recipe["max_depth"]);
    request.min_weight = nb::cast<double>(recipe["min_weight"]);
    request.min_branch = nb::cast<double>(recipe["min_branch"]);
    request.min_gain = nb::cast<double>(recipe["min_gain"]);
    request.threads = nb::cast<int>(recipe["threads"]);
    request.small = nb::cast<std::size_t>(recipe["small"]);
    return input;
}

nb::object grow(const nb::list& columns, nb::handle target, nb::handle y, nb::handle weight,
                const nb::dict& recipe) {
    penjing::GrowInput input = read(columns, target, y, weight, recipe);
    penjing::Progress progress;
    input.request.progress = &progress;
    const penjing::GrowRequest& request = input.request;
    const nb::object report = recipe["progress"];
    const bool by_count = nb::cast<bool>(recipe["by_count"]);
    const bool by_row = nb::cast<bool>(recipe["by_row"]);  // the general kernel, come what may
    penjing::GrownTree tree;
    penjing::ColumnChecks checks;
    bool is_counted = false;
    bool is_weighted = false;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(request.threads);
        const penjing::PollCallback poll = poll_python(&progress, report);
        std::vector<penjing::Subtree> subtrees;
        if (by_count && penjing::can_grow_counted(request) &&
            !penjing::starts_with_missing(request)) {
            const bool fits = penjing::Packing(request.n_sums).fits_short(request.n_rows);
            subtrees = fits ? penjing::grow_counted<std::uint32_t>(request, pool, poll)
                            : penjing::grow_counted<std::uint64_t>(request, pool, poll);
        }
        is_counted = !subtrees.empty();
        is_weighted = !by_count && !by_row && penjing::can_grow_weighted(request);
        if (is_weighted) {
            subtrees = penjing::grow_weighted(request, pool, poll, checks);
        } else if (!by_count) {
            const penjing::EncodedRequest coded(request, pool);
            subtrees = penjing::GeneralKernel(coded.request).grow(pool, poll);
        }
        if (!subtrees.empty()) {
            tree = penjing::flatten(std::move(subtrees), request.n_sums, !is_counted);
        }
    }
    if ((by_count && !is_counted) || checks.is_unsupported) {
        return nb::none();
    }
    nb::dict result;
    if (request.criterion == penjing::CriterionKind::gini && is_counted) {
        result["gain"] = to_numpy(penjing::gini_gains(tree, request.n_sums));
    }
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
    result["tied_nodes"] = to_numpy(std::move(tree.tied_nodes));
    result["tie_start"] = to_numpy(std::move(tree.tie_start));
    result["tie_columns"] = to_numpy(std::move(tree.tie_columns));
    result["n_ties"] = tree.n_ties;
    result["has_gap"] = is_counted || is_weighted;
    result["n_missing"] = to_numpy(std::move(checks.n_missing));
    return nb::object(result);
}

using Cells = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

penjing::Out<double> principal_coordinates(const Cells& cells) {
    return to_numpy(
        penjing::principal_coordinates(cells.data(), cells.shape(0), cells.shape(1)));
}

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

penjing::HistogramSplits histogram_splits(const Table& counts, const std::string& criterion) {
    if (criterion != "gini" && criterion != "entropy") {
        throw nb::value_error("measure: gini or entropy");
    }
    const auto kind =
        criterion == "gini" ? penjing::CriterionKind::gini : penjing::CriterionKind::entropy;
    return {kind, counts.data(), counts.shape(0), counts.shape(1)};
}

nb::tuple cut_gains(const Table& counts, const std::string& criterion, double min_branch) {
    penjing::HistogramSplits splits = histogram_splits(counts, criterion);
    std::vector<double> gain = splits.cut_gains(min_branch);
    const std::size_t best = penjing::first_best(gain, splits.slack());
    const bool is_cut = best < gain.size();
    return nb::make_tuple(is_cut ? static_cast<std::ptrdiff_t>(best) : -1,
                          to_numpy(std::move(gain)));
}

penjing::Out<std::uint8_t> open_units(const Table& counts, const std::string& criterion,
                                      const In<double>& gain, const In<std::uint8_t>& single,
                                      double bar) {
    const std::size_t n = counts.shape(0);
    if (single.size() != n || gain.size() + 1 != std::max<std::size_t>(n, 1)) {
        throw nb::value_error("a cut between each two units");
    }
    return to_numpy(
        histogram_splits(counts, criterion).open_units(gain.data(), single.data(), bar));
}

penjing::Out<std::int8_t> best_grouping(const Table& counts, const std::string& criterion,
                                        double min_branch) {
    return to_numpy(histogram_splits(counts, criterion).best_grouping(min_branch));
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("principal_coordinates", &principal_coordinates, "cells"_a.noconvert(),
          "Return where levels lie along the direction in which their shares of the classes "
          "vary most.");
    m.def("grow", &grow, "columns"_a, "target"_a.none(), "y"_a.none(), "weight"_a.none(),
          "recipe"_a,
          "Grow a whole tree; the answer holds the arrays of penjing.tree.Nodes. None if asked "
          "to count by ones where a value is missing or rows have weights, or if a number is "
          "infinite, or a value missing that must not.");
    m.def("cut_gains", &cut_gains, "counts"_a.noconvert(), "measure"_a, "min_branch"_a,
          "Return the first of the best cuts (-1: none), and the gain of each.");
    m.def("open_units", &open_units, "counts"_a.noconvert(), "measure"_a, "gain"_a, "single"_a,
          "bar"_a,
          "Say which units may hold a cut that reaches the bar; see "
          "cpp/grow/histogram_splits.hpp.");
    m.def(
        "best_grouping", &best_grouping, "counts"_a.noconvert(), "measure"_a, "min_branch"_a,
        "Return the side of each level in the best grouping in two; nothing if there is none.");
}
