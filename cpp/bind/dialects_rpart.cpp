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
          penjing::RpOrder& order, penjing::References& references) {
    const auto number = [&](const char* name) { return nb::cast<double>(recipe[name]); };
    const auto whole = [&](const char* name) { return nb::cast<std::int64_t>(recipe[name]); };
    order.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    order.n_rows = nb::cast<In<std::int32_t>>(given["target"], false).size();
    order.target = pointer<std::int32_t>(references, given["target"], order.n_rows);
    order.y = pointer_or_null<double>(references, given["y"], order.n_rows);
    order.weight = pointer_or_null<double>(references, given["weight"], order.n_rows);
    order.cases = pointer_or_null<double>(references, given["cases"], order.n_rows);
    if (order.cases != nullptr) {
        for (nb::handle rows : nb::cast<nb::list>(given["sorted"])) {
            order.sorted.push_back(
                pointer_or_null<std::int32_t>(references, rows, order.n_rows));
        }
    }
    for (nb::handle array : nb::cast<nb::list>(given["lists"])) {
        if (array.is_none()) {  // a categorical column has no list
            order.lists.push_back(nullptr);
            continue;
        }
        auto list =
            nb::cast<nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig>>(array, false);
        if (list.size() != order.n_rows) {
            throw nb::value_error("every list needs room for all rows");
        }
        references.push_back(nb::borrow(array));
        order.lists.push_back(list.data());
    }
    order.n_seen = nb::cast<std::size_t>(recipe["n_seen"]);
    order.altered = pointer_or_null<double>(references, given["altered"], order.n_seen);
    order.means = pointer_or_null<double>(references, given["means"], order.n_sums);
    order.factor = pointer_or_null<double>(references, given["factor"], order.n_sums);
    order.loss =
        pointer_or_null<double>(references, given["loss"], order.n_sums * order.n_sums);
    for (nb::handle item : columns) {  // codes, levels or None, n_levels
        const auto parts = nb::cast<nb::tuple>(item);
        penjing::GrowColumn column = coded_column(references, parts, order.n_rows);
        column.ordered = column.levels != nullptr;
        order.columns.push_back(column);
    }
    order.cost = pointer_or_null<double>(references, given["cost"], order.columns.size());
    order.by_bits = nb::cast<bool>(recipe["by_bits"]);
    order.centre = number("centre");
    order.alike = number("alike");
    order.alpha = number("alpha");
    order.cp = number("cp");
    order.min_gain = number("min_gain");
    order.max_depth = whole("max_depth");
    order.min_split = nb::cast<std::uint32_t>(recipe["min_split"]);
    order.least = nb::cast<std::uint32_t>(recipe["least"]);
    order.max_surrogates = nb::cast<std::size_t>(recipe["max_surrogates"]);
    order.use_surrogates = nb::cast<int>(recipe["use_surrogates"]);
    order.surrogate_style = nb::cast<int>(recipe["surrogate_style"]);
    order.threads = nb::cast<int>(recipe["threads"]);
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

nb::dict to_dict(penjing::RpGrown&& grown) {
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> missing;
    std::vector<double> cut;
    std::vector<double> gain;
    std::vector<double> score;
    CodeLists levels;
    CodeLists ties;
    nb::list surrogates;
    for (std::size_t i = 0; i < grown.nodes.size(); ++i) {
        const penjing::RpNode& node = grown.nodes[i];
        parent.push_back(node.parent);
        column.push_back(node.column);
        missing.push_back(node.missing);
        cut.push_back(node.cut);
        gain.push_back(node.gain);
        score.push_back(node.score);
        levels.add(node.levels);
        ties.add(node.ties);
        for (const penjing::RpSurrogate& one : node.surrogates) {
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
    result["total"] = to_numpy(std::move(grown.total));
    result["level_start"] = to_numpy(std::move(levels.start));
    result["level_codes"] = to_numpy(std::move(levels.codes));
    result["tie_start"] = to_numpy(std::move(ties.start));
    result["tie_columns"] = to_numpy(std::move(ties.codes));
    result["surrogates"] = surrogates;
    return result;
}

nb::dict grow_rpart(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    penjing::References references;  // arrays must outlive the growth
    penjing::RpOrder order;
    read(columns, given, recipe, order, references);
    const nb::object progress = recipe["progress"];
    penjing::Pace pace;
    order.pace = &pace;
    penjing::RpGrown grown;
    {
        const nb::gil_scoped_release free;
        penjing::ThreadPool pool(order.threads);
        penjing::RpKernel kernel(order);
        grown = kernel.grow(pool, poll_python(&pace, progress));
    }
    return to_dict(std::move(grown));
}

auto sorted_rpart(const In<double>& values) {
    std::vector<penjing::RpKeyed> rows;
    rows.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        rows.push_back({values.data()[i], static_cast<std::int32_t>(i)});
    }
    penjing::rp_sort(rows);
    std::vector<std::int32_t> sorted;
    sorted.reserve(rows.size());
    for (const penjing::RpKeyed& one : rows) {
        sorted.push_back(one.row);
    }
    return to_numpy(std::move(sorted));
}

}  // namespace

void bind_dialects_rpart(nb::module_& m) {
    m.def("grow_rpart", &grow_rpart, "columns"_a, "given"_a, "recipe"_a,
          "Grow a whole tree by rpart's rules, surrogates included.");
    m.def("sorted_rpart", &sorted_rpart, "values"_a,
          "Return where each row comes when rpart has sorted them: the places, lowest first.");
}
