// The growing kernel of rpart's rules as Python sees it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "handing.hpp"
#include "rp_grown.hpp"
#include "rpart.hpp"
#include "team.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::hand_over;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::signals;

namespace {

void read(const nb::list& columns, const nb::dict& given, const nb::dict& recipe,
          penjing::RpOrder& order, std::vector<nb::object>& kept) {
    const auto number = [&](const char* name) { return nb::cast<double>(recipe[name]); };
    const auto whole = [&](const char* name) { return nb::cast<std::int64_t>(recipe[name]); };
    order.n_sums = nb::cast<std::size_t>(recipe["n_sums"]);
    order.n_rows = nb::cast<In<std::int32_t>>(given["target"], false).size();
    order.target = pointer<std::int32_t>(kept, given["target"], order.n_rows);
    order.y = pointer_or_null<double>(kept, given["y"], order.n_rows);
    order.weight = pointer_or_null<double>(kept, given["weight"], order.n_rows);
    order.cases = pointer_or_null<double>(kept, given["cases"], order.n_rows);
    if (order.cases != nullptr) {
        for (nb::handle rows : nb::cast<nb::list>(given["sorted"])) {
            order.sorted.push_back(pointer_or_null<std::int32_t>(kept, rows, order.n_rows));
        }
    }
    for (nb::handle room : nb::cast<nb::list>(given["lists"])) {
        if (room.is_none()) {  // a nominal column has no list
            order.lists.push_back(nullptr);
            continue;
        }
        auto list =
            nb::cast<nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig>>(room, false);
        if (list.size() != order.n_rows) {
            throw nb::value_error("every list needs room for all rows");
        }
        kept.push_back(nb::borrow(room));
        order.lists.push_back(list.data());
    }
    order.n_seen = nb::cast<std::size_t>(recipe["n_seen"]);
    order.altered = pointer_or_null<double>(kept, given["altered"], order.n_seen);
    order.means = pointer_or_null<double>(kept, given["means"], order.n_sums);
    order.factor = pointer_or_null<double>(kept, given["factor"], order.n_sums);
    order.loss = pointer_or_null<double>(kept, given["loss"], order.n_sums * order.n_sums);
    for (nb::handle item : columns) {  // codes, levels or None, n_levels
        const auto parts = nb::cast<nb::tuple>(item);
        penjing::GrowColumn column;
        column.codes = pointer<std::int32_t>(kept, parts[0], order.n_rows);
        column.n_levels = nb::cast<std::int32_t>(parts[2]);
        column.ordered = !parts[1].is_none();
        column.levels =
            pointer_or_null<double>(kept, parts[1], static_cast<std::size_t>(column.n_levels));
        order.columns.push_back(column);
    }
    order.cost = pointer_or_null<double>(kept, given["cost"], order.columns.size());
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

// Lists of lists as one array and where each of them starts.
struct Lists {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> codes;

    void add(const std::vector<std::int32_t>& list) {
        codes.insert(codes.end(), list.begin(), list.end());
        start.push_back(static_cast<std::int64_t>(codes.size()));
    }
};

nb::dict told(penjing::RpGrown&& grown) {
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> missing;
    std::vector<double> cut;
    std::vector<double> gain;
    std::vector<double> score;
    Lists levels;
    Lists ties;
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
                               hand_over(std::vector<std::int32_t>(one.groups[0])),
                               hand_over(std::vector<std::int32_t>(one.groups[1]))));
        }
    }
    nb::dict answer;
    answer["parent"] = hand_over(std::move(parent));
    answer["column"] = hand_over(std::move(column));
    answer["missing"] = hand_over(std::move(missing));
    answer["cut"] = hand_over(std::move(cut));
    answer["gain"] = hand_over(std::move(gain));
    answer["score"] = hand_over(std::move(score));
    answer["total"] = hand_over(std::move(grown.total));
    answer["level_start"] = hand_over(std::move(levels.start));
    answer["level_codes"] = hand_over(std::move(levels.codes));
    answer["tie_start"] = hand_over(std::move(ties.start));
    answer["tie_columns"] = hand_over(std::move(ties.codes));
    answer["surrogates"] = surrogates;
    return answer;
}

nb::dict grow_rpart(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    std::vector<nb::object> kept;  // arrays must outlive the growth
    penjing::RpOrder order;
    read(columns, given, recipe, order, kept);
    const nb::object progress = recipe["progress"];
    penjing::Pace pace;
    order.pace = &pace;
    penjing::RpGrown grown;
    {
        const nb::gil_scoped_release free;
        penjing::Team team(order.threads);
        penjing::RpKernel kernel(order);
        grown = kernel.grow(team, signals(&pace, progress));
    }
    return told(std::move(grown));
}

auto sorted_rpart(const In<double>& values) {
    std::vector<penjing::RpKeyed> rows;
    rows.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        rows.push_back({values.data()[i], static_cast<std::int32_t>(i)});
    }
    penjing::rp_sort(rows);
    std::vector<std::int32_t> found;
    found.reserve(rows.size());
    for (const penjing::RpKeyed& one : rows) {
        found.push_back(one.row);
    }
    return hand_over(std::move(found));
}

}  // namespace

void bind_rpart(nb::module_& m) {
    m.def("grow_rpart", &grow_rpart, "columns"_a, "given"_a, "recipe"_a,
          "Grow a whole tree by rpart's rules, surrogates included.");
    m.def("sorted_rpart", &sorted_rpart, "values"_a,
          "Return where each row comes when rpart has sorted them: the places, lowest first.");
}
