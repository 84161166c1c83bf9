// Binds dialects/sklearn: growing trees as in scikit-learn.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/ndarray.hpp"
#include "dialects/sklearn.hpp"
#include "dialects/sklearn_nodes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::In;
using penjing::Out;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

nb::dict grow_sklearn(const nb::list& columns, nb::handle target, nb::handle y,
                      nb::handle weight, nb::handle factor, const nb::dict& recipe) {
    penjing::References references;  // arrays must outlive the growth
    penjing::SkOrder order;
    order.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    order.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    order.target = pointer<std::int32_t>(references, target, order.n_rows);
    order.y = pointer_or_null<double>(references, y, order.n_rows);
    order.weight = pointer_or_null<double>(references, weight, order.n_rows);
    order.factor = pointer_or_null<double>(references, factor, order.n_sums);
    for (nb::handle item : columns) {  // codes, levels
        const auto parts = nb::cast<nb::tuple>(item);
        penjing::GrowColumn column;
        column.ordered = true;
        column.codes = pointer<std::int32_t>(references, parts[0], order.n_rows);
        const std::size_t n_levels = nb::cast<In<double>>(parts[1], false).size();
        column.levels = pointer<double>(references, parts[1], n_levels);
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
        penjing::ThreadPool pool(order.threads);
        const penjing::PollCallback poll = poll_python();
        const bool as_asked = order.draws || order.max_leaves >= 0;
        const penjing::Packing packing(order.y == nullptr ? order.n_sums : 2);
        if (packing.fits_short(order.n_rows)) {
            penjing::SkKernel<std::uint32_t> kernel(order);
            grown = penjing::sk_flatten(kernel.grow(pool, poll), order.n_sums, as_asked);
        } else {
            penjing::SkKernel<std::uint64_t> kernel(order);
            grown = penjing::sk_flatten(kernel.grow(pool, poll), order.n_sums, as_asked);
        }
    }
    nb::dict result;
    result["parent"] = to_numpy(std::move(grown.parent));
    result["column"] = to_numpy(std::move(grown.column));
    result["cut"] = to_numpy(std::move(grown.cut));
    result["gap"] = to_numpy(std::move(grown.gap));
    result["gain"] = to_numpy(std::move(grown.gain));
    result["missing"] = to_numpy(std::move(grown.missing));
    result["total"] = to_numpy(std::move(grown.total));
    result["tied_nodes"] = to_numpy(std::move(grown.tied_nodes));
    result["tie_start"] = to_numpy(std::move(grown.tie_start));
    result["tie_columns"] = to_numpy(std::move(grown.tie_columns));
    result["n_ties"] = grown.n_ties;
    return result;
}

// By the C library, which scikit-learn and rpart call too: NumPy's may differ in the last bit.
Out<double> logs(const In<double>& x) {
    std::vector<double> logarithms(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        logarithms[i] = std::log(x.data()[i]);
    }
    return to_numpy(std::move(logarithms));
}

}  // namespace

void bind_dialects_sklearn(nb::module_& m) {
    m.def("grow_sklearn", &grow_sklearn, "columns"_a, "target"_a, "y"_a.none(),
          "weight"_a.none(), "factor"_a.none(), "recipe"_a,
          "Grow a whole tree by scikit-learn's rules.");
    m.def("logs", &logs, nb::arg("x").noconvert(),
          "Return the natural logarithm of each number, by the C library.");
}
