// Binds grow/: one call grows a tree; others score the splits of one column from its counts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
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

using penjing::coded_column;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;

struct Input {
    penjing::Order order;
    penjing::References references;  // arrays must outlive the growth
};

Input read(const nb::list& columns, nb::handle target, nb::handle y, nb::handle weight,
           const nb::dict& recipe) {
    Input input;
    penjing::Order& order = input.order;
    order.n_rows = target.is_none() ? nb::cast<In<double>>(y, false).size()
                                    : nb::cast<In<std::int32_t>>(target, false).size();
    order.target = pointer_or_null<std::int32_t>(input.references, target, order.n_rows);
    order.y = pointer_or_null<double>(input.references, y, order.n_rows);
    order.weight = pointer_or_null<double>(input.references, weight, order.n_rows);
    for (nb::handle item : columns) {
        const auto parts =
            nb::cast<nb::tuple>(item);  // codes, levels or None, n_levels, ordered
        penjing::GrowColumn column;
        if (nb::cast<std::int32_t>(parts[2]) < 0) {  // not coded: its numbers
            const auto numbers = nb::cast<Strided>(parts[0], false);
            if (numbers.size() != order.n_rows || numbers.stride(0) < 1) {
                throw nb::value_error("numbers must have as many rows as the table, in order");
            }
            input.references.push_back(nb::borrow(parts[0]));
            column.numbers = numbers.data();
            column.stride = static_cast<std::size_t>(numbers.stride(0));
        } else {
            column = coded_column(input.references, parts, order.n_rows);
        }
        column.ordered = nb::cast<bool>(parts[3]);
        order.columns.push_back(column);
    }
    const auto measure = nb::cast<std::string>(recipe["measure"]);
    order.measure = measure == "gini"       ? penjing::Measure::gini
                    : measure == "gain"     ? penjing::Measure::entropy
                    : measure == "variance" ? penjing::Measure::variance
                                            : penjing::Measure::ratio;
    order.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    order.centre = nb::cast<double>(recipe["centre"]);
    order.multiway = nb::cast<bool>(recipe["multiway"]);
    order.fraction = nb::cast<bool>(recipe["fraction"]);
    order.whole = nb::cast<bool>(recipe["whole"]);
    order.max_depth = nb::cast<std::int64_t>(recipe["max_depth"]);
    order.min_weight = nb::cast<double>(recipe["min_weight"]);
    order.min_branch = nb::cast<double>(recipe["min_branch"]);
    order.min_gain = nb::cast<double>(recipe["min_gain"]);
    order.threads = nb::cast<int>(recipe["threads"]);
    order.small = nb::cast<std::size_t>(recipe["small"]);
    return input;
}

nb::object grow(const nb::list& columns, nb::handle target, nb::handle y, nb::handle weight,
                const nb::dict& recipe) {
    Input input = read(columns, target, y, weight, recipe);
    penjing::Pace pace;
    input.order.pace = &pace;
    const penjing::Order& order = input.order;
    const nb::object progress = recipe["progress"];
    const bool by_count = nb::cast<bool>(recipe["by_count"]);
    const bool by_row = nb::cast<bool>(recipe["by_row"]);  // the general kernel, come what may
    penjing::Grown grown;
    penjing::Sight sight;
    bool whole = false;
    bool measured = false;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(order.threads);
        const penjing::PollCallback poll = poll_python(&pace, progress);
        std::vector<penjing::Grove> groves;
        if (by_count && penjing::is_counted(order) && !penjing::misses_early(order)) {
            const bool fits = penjing::Packing(order.n_sums).fits_short(order.n_rows);
            groves = fits ? penjing::grow_counted<std::uint32_t>(order, pool, poll)
                          : penjing::grow_counted<std::uint64_t>(order, pool, poll);
        }
        whole = !groves.empty();
        measured = !by_count && !by_row && penjing::is_measured(order);
        if (measured) {
            groves = penjing::grow_measured(order, pool, poll, sight);
        } else if (!by_count) {
            const penjing::Coded coded(order, pool);
            groves = penjing::GeneralKernel(coded.order).grow(pool, poll);
        }
        if (!groves.empty()) {
            grown = penjing::flatten(std::move(groves), order.n_sums, !whole);
        }
    }
    if ((by_count && !whole) || sight.is_odd) {
        return nb::none();
    }
    nb::dict result;
    if (order.measure == penjing::Measure::gini && whole) {
        result["gain"] = to_numpy(penjing::gains_of(grown, order.n_sums));
    }
    result["parent"] = to_numpy(std::move(grown.parent));
    result["column"] = to_numpy(std::move(grown.column));
    result["cut"] = to_numpy(std::move(grown.cut));
    result["gap"] = to_numpy(std::move(grown.gap));
    result["level_start"] = to_numpy(std::move(grown.level_start));
    result["level_codes"] = to_numpy(std::move(grown.level_codes));
    result["total"] = to_numpy(std::move(grown.total));
    result["after"] = to_numpy(std::move(grown.after));
    result["known"] = to_numpy(std::move(grown.known));
    result["missing"] = to_numpy(std::move(grown.missing));
    result["tied_nodes"] = to_numpy(std::move(grown.tied_nodes));
    result["tie_start"] = to_numpy(std::move(grown.tie_start));
    result["tie_columns"] = to_numpy(std::move(grown.tie_columns));
    result["n_ties"] = grown.n_ties;
    result["has_gap"] = whole || measured;
    result["n_missing"] = to_numpy(std::move(sight.n_missing));
    return nb::object(result);
}

using Cells = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

penjing::Out<double> along_principal(const Cells& cells) {
    return to_numpy(penjing::along_principal(cells.data(), cells.shape(0), cells.shape(1)));
}

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

penjing::Judge judge_of(const Table& counts, const std::string& measure) {
    if (measure != "gini" && measure != "entropy") {
        throw nb::value_error("measure: gini or entropy");
    }
    const auto kind = measure == "gini" ? penjing::Measure::gini : penjing::Measure::entropy;
    return {kind, counts.data(), counts.shape(0), counts.shape(1)};
}

nb::tuple judge_cuts(const Table& counts, const std::string& measure, double min_branch) {
    penjing::Judge judge = judge_of(counts, measure);
    std::vector<double> gain = judge.cuts(min_branch);
    const std::size_t best = penjing::first_best(gain, judge.slack());
    const bool is_cut = best < gain.size();
    return nb::make_tuple(is_cut ? static_cast<std::ptrdiff_t>(best) : -1,
                          to_numpy(std::move(gain)));
}

penjing::Out<std::uint8_t> open_units(const Table& counts, const std::string& measure,
                                      const In<double>& gain, const In<std::uint8_t>& single,
                                      double bar) {
    const std::size_t n = counts.shape(0);
    if (single.size() != n || gain.size() + 1 != std::max<std::size_t>(n, 1)) {
        throw nb::value_error("a cut between each two units");
    }
    return to_numpy(judge_of(counts, measure).open(gain.data(), single.data(), bar));
}

penjing::Out<std::int8_t> group_levels(const Table& counts, const std::string& measure,
                                       double min_branch) {
    return to_numpy(judge_of(counts, measure).grouped(min_branch));
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def("along_principal", &along_principal, "cells"_a.noconvert(),
          "Return where levels lie along the direction in which their shares of the classes "
          "vary most.");
    m.def("grow", &grow, "columns"_a, "target"_a.none(), "y"_a.none(), "weight"_a.none(),
          "recipe"_a,
          "Grow a whole tree; the answer holds the arrays of penjing.tree.Nodes. None if asked "
          "to count by ones where a value is missing or rows have weights, or if a number is "
          "infinite, or a value missing that must not.");
    m.def("judge_cuts", &judge_cuts, "counts"_a.noconvert(), "measure"_a, "min_branch"_a,
          "Return the first of the best cuts (-1: none), and the gain of each.");
    m.def("open_units", &open_units, "counts"_a.noconvert(), "measure"_a, "gain"_a, "single"_a,
          "bar"_a,
          "Say which units may hold a cut that reaches the bar; see "
          "cpp/grow/histogram_splits.hpp.");
    m.def(
        "group_levels", &group_levels, "counts"_a.noconvert(), "measure"_a, "min_branch"_a,
        "Return the side of each level in the best grouping in two; nothing if there is none.");
}
