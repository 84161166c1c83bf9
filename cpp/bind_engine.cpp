// The growing kernels as Python sees them: one call grows a tree.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "coded.hpp"
#include "counted.hpp"
#include "general.hpp"
#include "grow_measured.hpp"
#include "grown.hpp"
#include "handing.hpp"
#include "principal.hpp"
#include "team.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::hand_over;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::signals;

namespace {

using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;

struct Input {
    penjing::Order order;
    std::vector<nb::object> kept;  // arrays must outlive the growth
};

Input read(const nb::list& columns, nb::handle target, nb::handle y, nb::handle weight,
           const nb::dict& recipe) {
    Input input;
    penjing::Order& order = input.order;
    order.n_rows = target.is_none() ? nb::cast<In<double>>(y, false).size()
                                    : nb::cast<In<std::int32_t>>(target, false).size();
    order.target = pointer_or_null<std::int32_t>(input.kept, target, order.n_rows);
    order.y = pointer_or_null<double>(input.kept, y, order.n_rows);
    order.weight = pointer_or_null<double>(input.kept, weight, order.n_rows);
    for (nb::handle item : columns) {
        const auto parts =
            nb::cast<nb::tuple>(item);  // codes, levels or None, n_levels, ordered
        penjing::GrowColumn column;
        column.n_levels = nb::cast<std::int32_t>(parts[2]);
        if (column.n_levels < 0) {  // not coded: its numbers
            const auto numbers = nb::cast<Strided>(parts[0], false);
            if (numbers.size() != order.n_rows || numbers.stride(0) < 1) {
                throw nb::value_error("numbers must have as many rows as the table, in order");
            }
            input.kept.push_back(nb::borrow(parts[0]));
            column.numbers = numbers.data();
            column.stride = static_cast<std::size_t>(numbers.stride(0));
            column.n_levels = 0;
        } else {
            column.codes = pointer<std::int32_t>(input.kept, parts[0], order.n_rows);
        }
        column.ordered = nb::cast<bool>(parts[3]);
        if (!parts[1].is_none()) {
            column.levels = pointer<double>(input.kept, parts[1],
                                            static_cast<std::size_t>(column.n_levels));
        }
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
        penjing::Team team(order.threads);
        const penjing::Poll poll = signals(&pace, progress);
        std::vector<penjing::Grove> groves;
        if (by_count && penjing::is_counted(order) && !penjing::misses_early(order)) {
            const bool fits = penjing::Packing(order.n_sums).fits_short(order.n_rows);
            groves = fits ? penjing::grow_counted<std::uint32_t>(order, team, poll)
                          : penjing::grow_counted<std::uint64_t>(order, team, poll);
        }
        whole = !groves.empty();
        measured = !by_count && !by_row && penjing::is_measured(order);
        if (measured) {
            groves = penjing::grow_measured(order, team, poll, sight);
        } else if (!by_count) {
            const penjing::Coded coded(order, team);
            groves = penjing::GeneralKernel(coded.order).grow(team, poll);
        }
        if (!groves.empty()) {
            grown = penjing::flatten(std::move(groves), order.n_sums, !whole);
        }
    }
    if ((by_count && !whole) || sight.is_odd) {
        return nb::none();
    }
    nb::dict answer;
    if (order.measure == penjing::Measure::gini && whole) {
        answer["gain"] = hand_over(penjing::gains_of(grown, order.n_sums));
    }
    answer["parent"] = hand_over(std::move(grown.parent));
    answer["column"] = hand_over(std::move(grown.column));
    answer["cut"] = hand_over(std::move(grown.cut));
    answer["gap"] = hand_over(std::move(grown.gap));
    answer["level_start"] = hand_over(std::move(grown.level_start));
    answer["level_codes"] = hand_over(std::move(grown.level_codes));
    answer["total"] = hand_over(std::move(grown.total));
    answer["after"] = hand_over(std::move(grown.after));
    answer["known"] = hand_over(std::move(grown.known));
    answer["missing"] = hand_over(std::move(grown.missing));
    answer["tied_nodes"] = hand_over(std::move(grown.tied_nodes));
    answer["tie_start"] = hand_over(std::move(grown.tie_start));
    answer["tie_columns"] = hand_over(std::move(grown.tie_columns));
    answer["n_ties"] = grown.n_ties;
    answer["has_gap"] = whole || measured;
    answer["n_missing"] = hand_over(std::move(sight.n_missing));
    return nb::object(answer);
}

using Cells = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

penjing::Out<double> along_principal(const Cells& cells) {
    return hand_over(penjing::along_principal(cells.data(), cells.shape(0), cells.shape(1)));
}

}  // namespace

void bind_engine(nb::module_& m) {
    m.def("along_principal", &along_principal, "cells"_a.noconvert(),
          "Return where levels lie along the direction in which their shares of the classes "
          "vary most.");
    m.def("grow", &grow, "columns"_a, "target"_a.none(), "y"_a.none(), "weight"_a.none(),
          "recipe"_a,
          "Grow a whole tree; the answer holds the arrays of penjing.tree.Nodes. None if asked "
          "to count by ones where a value is missing or rows have weights, or if a number is "
          "infinite, or a value missing that must not.");
}
