// Binds dialects/rpart: growing trees as in R's package rpart.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/ndarray.hpp"
#include "dialects/rpart.hpp"
#include "dialects/rpart_cross_validation.hpp"
#include "dialects/rpart_nodes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::coded_column;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::to_numpy;

namespace {

void read(const nb::list& columns, const nb::dict& given, const nb::dict& recipe,
          penjing::RpartRequest& request, penjing::References& references) {
    const auto number = [&](const char* name) { return nb::cast<double>(recipe[name]); };
    const auto whole = [&](const char* name) { return nb::cast<std::int64_t>(recipe[name]); };
    request.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    request.n_rows = nb::cast<In<std::int32_t>>(given["target"], false).size();
    request.target = pointer<std::int32_t>(references, given["target"], request.n_rows);
    request.y = pointer_or_null<double>(references, given["y"], request.n_rows);
    request.weight = pointer_or_null<double>(references, given["weight"], request.n_rows);
    request.raw_y = pointer_or_null<double>(references, given["cases"], request.n_rows);
    if (request.raw_y != nullptr) {
        for (nb::handle rows : nb::cast<nb::list>(given["sorted"])) {
            request.sorted.push_back(
                pointer_or_null<std::int32_t>(references, rows, request.n_rows));
        }
    }
    for (nb::handle array : nb::cast<nb::list>(given["lists"])) {
        if (array.is_none()) {  // a categorical column has no list
            request.lists.push_back(nullptr);
            continue;
        }
        auto list =
            nb::cast<nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig>>(array, false);
        if (list.size() != request.n_rows) {
            throw nb::value_error("every list needs room for all rows");
        }
        references.push_back(nb::borrow(array));
        request.lists.push_back(list.data());
    }
    request.n_classes = nb::cast<std::size_t>(recipe["n_seen"]);
    request.prior_factor =
        pointer_or_null<double>(references, given["altered"], request.n_classes);
    request.mean_factor = pointer_or_null<double>(references, given["means"], request.n_sums);
    request.loss_factor = pointer_or_null<double>(references, given["factor"], request.n_sums);
    request.loss =
        pointer_or_null<double>(references, given["loss"], request.n_sums * request.n_sums);
    for (nb::handle item : columns) {  // codes, levels or None, n_levels
        const auto parts = nb::cast<nb::tuple>(item);
        penjing::GrowColumn column = coded_column(references, parts, request.n_rows);
        column.ordered = column.levels != nullptr;
        request.columns.push_back(column);
    }
    request.cost = pointer_or_null<double>(references, given["cost"], request.columns.size());
    request.is_entropy = nb::cast<bool>(recipe["by_bits"]);
    request.centre = number("centre");
    request.common_prior = number("alike");
    request.alpha = number("alpha");
    request.cp = number("cp");
    request.min_gain = number("min_gain");
    request.max_depth = whole("max_depth");
    request.min_split = nb::cast<std::uint32_t>(recipe["min_split"]);
    request.min_bucket = nb::cast<std::uint32_t>(recipe["least"]);
    request.max_surrogates = nb::cast<std::size_t>(recipe["max_surrogates"]);
    request.use_surrogates = nb::cast<int>(recipe["use_surrogates"]);
    request.surrogate_style = nb::cast<int>(recipe["surrogate_style"]);
    request.threads = nb::cast<int>(recipe["threads"]);
}

// Lists of codes as one array with the start of each.
struct CodeLists {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> codes;

    void add(const std::vector<std::int32_t>& list) {
        codes.insert(codes.end(), list.begin(), list.end());
        start.push_back(static_cast<std::int64_t>(codes.size()));
    }
};

nb::dict to_dict(penjing::RpartTree&& tree) {
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> missing;
    std::vector<double> cut;
    std::vector<double> gain;
    std::vector<double> score;
    CodeLists levels;
    CodeLists ties;
    nb::list surrogates;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const penjing::RpartNode& node = tree.nodes[i];
        parent.push_back(node.parent);
        column.push_back(node.column);
        missing.push_back(node.missing);
        cut.push_back(node.cut);
        gain.push_back(node.gain);
        score.push_back(node.score);
        levels.add(node.levels);
        ties.add(node.ties);
        for (const penjing::RpartSurrogate& one : node.surrogates) {
            surrogates.append(
                nb::make_tuple(i, one.column, one.cut, one.below, one.agreement, one.adjusted,
                               to_numpy(std::vector<std::int32_t>(one.groups[0])),
                               to_numpy(std::vector<std::int32_t>(one.groups[1]))));
        }
    }
    nb::dict result;
    result["parent"] = to_numpy(std::move(parent));
    result["column"] = to_numpy(std::move(column));
    result["missing"] = to_numpy(std::move(missing));
    result["cut"] = to_numpy(std::move(cut));
    result["gain"] = to_numpy(std::move(gain));
    result["score"] = to_numpy(std::move(score));
    result["total"] = to_numpy(std::move(tree.total));
    result["level_start"] = to_numpy(std::move(levels.start));
    result["level_codes"] = to_numpy(std::move(levels.codes));
    result["tie_start"] = to_numpy(std::move(ties.start));
    result["tie_columns"] = to_numpy(std::move(ties.codes));
    result["surrogates"] = surrogates;
    return result;
}

nb::dict grow_rpart(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    penjing::References references;  // arrays must outlive the growth
    penjing::RpartRequest request;
    read(columns, given, recipe, request, references);
    const nb::object report = recipe["progress"];
    penjing::Progress progress;
    request.progress = &progress;
    penjing::RpartTree tree;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(request.threads);
        penjing::RpartKernel kernel(request);
        tree = kernel.grow(pool, poll_python(&progress, report));
    }
    return to_dict(std::move(tree));
}

// The errors of each complexity: their sums and the sums of their squares.
nb::tuple cross_validate_rpart(const nb::list& columns, const nb::dict& given,
                               const nb::dict& recipe, const nb::dict& validation) {
    penjing::References references;
    penjing::RpartRequest request;
    read(columns, given, recipe, request, references);
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
    penjing::RpartErrors errors;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(request.threads);
        errors = penjing::RpartCrossValidation(request, folds).run(pool, poll_python());
    }
    return nb::make_tuple(to_numpy(std::move(errors.sum)), to_numpy(std::move(errors.squares)));
}

// The risk of each node of the tree that is grown and pruned to a complexity, row by row.
auto rpart_risks_by_row(const nb::list& columns, const nb::dict& given,
                        const nb::dict& recipe) {
    penjing::References references;
    penjing::RpartRequest request;
    read(columns, given, recipe, request, references);
    std::vector<double> risks;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(request.threads);
        penjing::RpartKernel kernel(request);
        penjing::RpartPrunedTree tree(request, kernel.grow(pool, poll_python()), false);
        tree.prune(request.alpha);
        risks = tree.risks();
    }
    return to_numpy(std::move(risks));
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
