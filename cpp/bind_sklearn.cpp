// The growing kernel of scikit-learn's rules as Python sees it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "handing.hpp"
#include "sk_grown.hpp"
#include "sklearn.hpp"
#include "team.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::hand_over;
using penjing::In;
using penjing::Out;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::signals;

namespace {

nb::dict grow_sklearn(const nb::list& columns, nb::handle target, nb::handle y,
                      nb::handle weight, nb::handle factor, const nb::dict& recipe) {
    std::vector<nb::object> kept;  // arrays must outlive the growth
    penjing::SkOrder order;
    order.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    order.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    order.target = pointer<std::int32_t>(kept, target, order.n_rows);
    order.y = pointer_or_null<double>(kept, y, order.n_rows);
    order.weight = pointer_or_null<double>(kept, weight, order.n_rows);
    order.factor = pointer_or_null<double>(kept, factor, order.n_sums);
    for (nb::handle item : columns) {  // codes, levels
        const auto parts = nb::cast<nb::tuple>(item);
        penjing::GrowColumn column;
        column.ordered = true;
        column.codes = pointer<std::int32_t>(kept, parts[0], order.n_rows);
        const std::size_t n_levels = nb::cast<In<double>>(parts[1], false).size();
        column.levels = pointer<double>(kept, parts[1], n_levels);
        column.n_levels = static_cast<std::int32_t>(n_levels);
        order.columns.push_back(column);
    }
    const auto number = [&](const char* name) { return nb::cast<double>(recipe[name]); };
    const auto whole = [&](const char* name) { return nb::cast<std::int64_t>(recipe[name]); };
    order.by_bits = nb::cast<bool>(recipe["by_bits"]);
    order.single = nb::cast<bool>(recipe["single"]);
    order.gap = number("gap");
    order.min_samples_split = number("min_samples_split");
    order.min_samples_leaf = number("min_samples_leaf");
    order.min_weight_share = number("min_weight_share");
    order.min_decrease = number("min_decrease");
    order.min_gain = number("min_gain");
    order.max_depth = whole("max_depth");
    order.max_leaves = whole("max_leaves");
    const std::int64_t state = whole("state");  // -1: columns in the order of the table
    order.draws = state >= 0;
    order.state = order.draws ? static_cast<std::uint32_t>(state) : 0;
    order.n_looked_at = nb::cast<std::size_t>(recipe["n_looked_at"]);
    order.threads = nb::cast<int>(recipe["threads"]);
    penjing::SkGrown grown;
    {
        const nb::gil_scoped_release free;
        penjing::Team team(order.threads);
        const penjing::Poll poll = signals();
        const bool as_asked = order.draws || order.max_leaves >= 0;
        const penjing::Packing packing(order.y == nullptr ? order.n_sums : 2);
        if (packing.fits_short(order.n_rows)) {
            penjing::SkKernel<std::uint32_t> kernel(order);
            grown = penjing::sk_flatten(kernel.grow(team, poll), order.n_sums, as_asked);
        } else {
            penjing::SkKernel<std::uint64_t> kernel(order);
            grown = penjing::sk_flatten(kernel.grow(team, poll), order.n_sums, as_asked);
        }
    }
    nb::dict answer;
    answer["parent"] = hand_over(std::move(grown.parent));
    answer["column"] = hand_over(std::move(grown.column));
    answer["cut"] = hand_over(std::move(grown.cut));
    answer["gap"] = hand_over(std::move(grown.gap));
    answer["gain"] = hand_over(std::move(grown.gain));
    answer["missing"] = hand_over(std::move(grown.missing));
    answer["total"] = hand_over(std::move(grown.total));
    answer["tied_nodes"] = hand_over(std::move(grown.tied_nodes));
    answer["tie_start"] = hand_over(std::move(grown.tie_start));
    answer["tie_columns"] = hand_over(std::move(grown.tie_columns));
    answer["n_ties"] = grown.n_ties;
    return answer;
}

// C's own logarithm, which scikit-learn and rpart call too; NumPy's may differ in the last bit.
Out<double> logs(const In<double>& x) {
    std::vector<double> found(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        found[i] = std::log(x.data()[i]);
    }
    return hand_over(std::move(found));
}

}  // namespace

void bind_sklearn(nb::module_& m) {
    m.def("grow_sklearn", &grow_sklearn, "columns"_a, "target"_a, "y"_a.none(),
          "weight"_a.none(), "factor"_a.none(), "recipe"_a,
          "Grow a whole tree by scikit-learn's rules.");
    m.def("logs", &logs, nb::arg("x").noconvert(),
          "Return the natural logarithm of each number, by the C library.");
}
