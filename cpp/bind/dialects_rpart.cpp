// Binds dialects/rpart: growing trees as in R's package rpart.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bind/grow_request.hpp"
#include "bind/ndarray.hpp"
#include "dialects/rpart.hpp"
#include "dialects/rpart_cross_validation.hpp"
#include "grow/driver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::to_numpy;

namespace {

using RpartCall = penjing::GrowCall<penjing::RpartRequest>;

void read(const nb::dict& given, RpartCall& call) {
    penjing::RpartRequest& request = call.request;
    const std::size_t n_rows = request.n_rows;
    const std::size_t n_sums = request.n_sums;
    request.raw_y = call.array<double>("cases", n_rows);
    if (request.raw_y != nullptr) {
        for (nb::handle rows : nb::cast<nb::list>(given["sorted"])) {
            request.sorted.push_back(
                pointer_or_null<std::int32_t>(call.references, rows, n_rows));
        }
    }
    for (nb::handle array : nb::cast<nb::list>(given["lists"])) {
        if (array.is_none()) {  // a categorical column has no list
            request.lists.push_back(nullptr);
            continue;
        }
        auto list =
            nb::cast<nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig>>(array, false);
        if (list.size() != n_rows) {
            throw nb::value_error("every list needs room for all rows");
        }
        call.references.push_back(nb::borrow(array));
        request.lists.push_back(list.data());
    }
    request.n_classes = call.setting<std::size_t>("n_seen");
    request.prior_factor = call.array<double>("altered", request.n_classes);
    request.mean_factor = call.array<double>("means", n_sums);
    request.loss_factor = call.array<double>("factor", n_sums);
    request.loss = call.array<double>("loss", n_sums * n_sums);
    request.cost = call.array<double>("cost", request.columns.size());
    request.is_entropy = call.flag("by_bits");
    request.centre = call.number("centre");
    request.common_prior = call.number("alike");
    request.alpha = call.number("alpha");
    request.cp = call.number("cp");
    request.min_split = call.setting<std::uint32_t>("min_split");
    request.min_bucket = call.setting<std::uint32_t>("least");
    request.max_surrogates = call.setting<std::size_t>("max_surrogates");
    request.use_surrogates = call.setting<int>("use_surrogates");
    request.surrogate_style = call.setting<int>("surrogate_style");
}

nb::dict grow_rpart(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    RpartCall call(columns, given, recipe);
    read(given, call);
    return penjing::to_dict(call.run([&](auto& pool, const auto& poll) {
        return penjing::grow(call.request, penjing::RpartKernel(call.request), pool, poll);
    }));
}

// The errors of each complexity: their sums and the sums of their squares.
nb::tuple cross_validate_rpart(const nb::list& columns, const nb::dict& given,
                               const nb::dict& recipe, const nb::dict& validation) {
    RpartCall call(columns, given, recipe);
    read(given, call);
    penjing::References& references = call.references;
    const penjing::RpartRequest& request = call.request;
    const auto flag = [&](const char* name) { return nb::cast<bool>(validation[name]); };
    penjing::RpartFolds folds;
    folds.n_folds = nb::cast<In<double>>(validation["alpha"], false).size();
    folds.fold = pointer<std::int32_t>(references, validation["fold"], request.n_rows);
    folds.alpha = pointer<double>(references, validation["alpha"], folds.n_folds);
    folds.n_complexities = nb::cast<std::size_t>(validation["n_complexities"]);
    folds.complexities = pointer<double>(references, validation["complexities"],
                                         folds.n_folds * folds.n_complexities);
    folds.number = pointer_or_null<double>(references, validation["number"], request.n_rows);
    folds.has_costs = flag("has_costs");
    folds.loss_transposed = flag("loss_transposed");
    folds.stuck_repeats = flag("stuck_repeats");
    penjing::RpartErrors errors = call.run([&](auto& pool, const auto& poll) {
        return penjing::RpartCrossValidation(request, folds).run(pool, poll);
    });
    return nb::make_tuple(to_numpy(std::move(errors.sum)), to_numpy(std::move(errors.squares)));
}

// The risk of each node of the tree that is grown and pruned to a complexity, row by row.
auto rpart_risks_by_row(const nb::list& columns, const nb::dict& given,
                        const nb::dict& recipe) {
    RpartCall call(columns, given, recipe);
    read(given, call);
    const penjing::RpartRequest& request = call.request;
    return to_numpy(call.run([&](auto& pool, const auto& poll) {
        penjing::RpartPrunedTree tree(
            request, penjing::grow(request, penjing::RpartKernel(request), pool, poll), false);
        tree.prune(request.alpha);
        return tree.risks();
    }));
}

auto rpart_sort_order(const In<double>& values) {
    std::vector<penjing::RpartSortKey> rows;
    rows.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        rows.push_back({values.data()[i], static_cast<std::int32_t>(i)});
    }
    penjing::rpart_sort(rows);
    std::vector<std::int32_t> sorted;
    sorted.reserve(rows.size());
    for (const penjing::RpartSortKey& one : rows) {
        sorted.push_back(one.row);
    }
    return to_numpy(std::move(sorted));
}

}  // namespace

void bind_dialects_rpart(nb::module_& m) {
    m.def("grow_rpart", &grow_rpart, "columns"_a, "given"_a, "recipe"_a,
          "Grow a whole tree by rpart's rules, surrogates included.");
    m.def("cross_validate_rpart", &cross_validate_rpart, "columns"_a, "given"_a, "recipe"_a,
          "validation"_a,
          "Grow a tree outside each fold; return the errors inside at every complexity.");
    m.def("rpart_risks_by_row", &rpart_risks_by_row, "columns"_a, "given"_a, "recipe"_a,
          "Grow and prune a tree; return the risk of its nodes, added row by row.");
    m.def("rpart_sort_order", &rpart_sort_order, "values"_a,
          "Return where each row comes when rpart has sorted them: the places, lowest first.");
}
