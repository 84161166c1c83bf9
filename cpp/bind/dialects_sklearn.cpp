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
                      nb::handle weight, nb::handle class_weight, const nb::dict& recipe) {
    penjing::References references;  // arrays must outlive the growth
    penjing::SklearnRequest request;
    request.n_rows = nb::cast<In<std::int32_t>>(target, false).size();
    request.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    request.target = pointer<std::int32_t>(references, target, request.n_rows);
    request.y = pointer_or_null<double>(references, y, request.n_rows);
    request.weight = pointer_or_null<double>(references, weight, request.n_rows);
    request.class_weight = pointer_or_null<double>(references, class_weight, request.n_sums);
    for (nb::handle item : columns) {  // codes, levels
        const auto parts = nb::cast<nb::tuple>(item);
        penjing::GrowColumn column;
        column.ordered = true;
        column.codes = pointer<std::int32_t>(references, parts[0], request.n_rows);
        const std::size_t n_levels = nb::cast<In<double>>(parts[1], false).size();
        column.levels = pointer<double>(references, parts[1], n_levels);
        column.n_levels = static_cast<std::int32_t>(n_levels);
        request.columns.push_back(column);
    }
    const auto number = [&](const char* number_of_node) {
        return nb::cast<double>(recipe[number_of_node]);
    };
    const auto whole = [&](const char* number_of_node) {
        return nb::cast<std::int64_t>(recipe[number_of_node]);
    };
    request.is_entropy = nb::cast<bool>(recipe["by_bits"]);
    request.compare_as_float = nb::cast<bool>(recipe["single"]);
    request.gap = number("gap");
    request.min_samples_split = number("min_samples_split");
    request.min_samples_leaf = number("min_samples_leaf");
    request.min_weight_share = number("min_weight_share");
    request.min_decrease = number("min_decrease");
    request.min_gain = number("min_gain");
    request.max_depth = whole("max_depth");
    request.max_leaves = whole("max_leaves");
    const std::int64_t state = whole("state");  // -1: columns in the order of the table
    request.shuffles = state >= 0;
    request.state = request.shuffles ? static_cast<std::uint32_t>(state) : 0;
    request.max_features = nb::cast<std::size_t>(recipe["n_looked_at"]);
    request.threads = nb::cast<int>(recipe["threads"]);
    penjing::SklearnTree tree;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(request.threads);
        const penjing::PollCallback poll = poll_python();
        const bool in_search_order = request.shuffles || request.max_leaves >= 0;
        const penjing::Packing packing(request.y == nullptr ? request.n_sums : 2);
        if (packing.fits_short(request.n_rows)) {
            penjing::SklearnKernel<std::uint32_t> kernel(request);
            tree = penjing::sklearn_flatten(kernel.grow(pool, poll), request.n_sums,
                                            in_search_order);
        } else {
            penjing::SklearnKernel<std::uint64_t> kernel(request);
            tree = penjing::sklearn_flatten(kernel.grow(pool, poll), request.n_sums,
                                            in_search_order);
        }
    }
    nb::dict result;
    result["parent"] = to_numpy(std::move(tree.parent));
    result["column"] = to_numpy(std::move(tree.column));
    result["cut"] = to_numpy(std::move(tree.cut));
    result["gap"] = to_numpy(std::move(tree.gap));
    result["gain"] = to_numpy(std::move(tree.gain));
    result["missing"] = to_numpy(std::move(tree.missing));
    result["total"] = to_numpy(std::move(tree.total));
    result["tied_nodes"] = to_numpy(std::move(tree.tied_nodes));
    result["tie_start"] = to_numpy(std::move(tree.tie_start));
    result["tie_columns"] = to_numpy(std::move(tree.tie_columns));
    result["n_ties"] = tree.n_ties;
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
