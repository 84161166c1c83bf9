// Binds grow/: one call grows a tree; others score the splits of one column from its counts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/grow_request.hpp"
#include "bind/ndarray.hpp"
#include "grow/category_order.hpp"
#include "grow/counted.hpp"
#include "grow/driver.hpp"
#include "grow/encoded_request.hpp"
#include "grow/general.hpp"
#include "grow/grow_weighted.hpp"
#include "grow/histogram_splits.hpp"
#include "grow/nodes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::In;
using penjing::to_numpy;

namespace {

nb::object grow(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    penjing::GrowCall<penjing::GrowRequest> call(columns, given, recipe);
    penjing::GrowRequest& request = call.request;
    request.criterion = penjing::criterion_kind(call.setting<std::string>("measure"));
    request.centre = call.number("centre");
    request.multiway = call.flag("multiway");
    request.fraction = call.flag("fraction");
    request.whole = call.flag("whole");
    request.min_weight = call.number("min_weight");
    request.min_branch = call.number("min_branch");
    request.small = call.setting<std::size_t>("small");
    const bool by_count = call.flag("by_count");
    // The general kernel: because it is asked for, or since the others grow depth first only.
    const bool by_row =
        call.flag("by_row") || request.max_leaves >= 0 || request.constraints.is_given;
    penjing::ColumnChecks checks;
    const bool is_weighted = !by_count && !by_row && penjing::can_grow_weighted(request);
    penjing::GrownTree tree = call.run([&](penjing::ThreadPool& pool,
                                           const penjing::PollCallback& poll) {
        if (by_count) {
            return penjing::can_grow_counted(request) && !penjing::starts_with_missing(request)
                       ? penjing::grow_counted(request, pool, poll)
                       : penjing::GrownTree{};
        }
        if (is_weighted) {
            return penjing::grow_weighted(request, pool, poll, checks);
        }
        const penjing::EncodedRequest coded(request, pool);
        return penjing::grow(coded.request, penjing::GeneralKernel(coded.request), pool, poll);
    });
    if (tree.parent.empty()) {
        return nb::none();
    }
    if (request.criterion == penjing::CriterionKind::gini && by_count) {
        tree.gain = penjing::gini_gains(tree, request.n_sums);
    }
    nb::dict result = penjing::to_dict(std::move(tree));
    result["has_gap"] = by_count || is_weighted;
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
    m.def("grow", &grow, "columns"_a, "given"_a, "recipe"_a,
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
