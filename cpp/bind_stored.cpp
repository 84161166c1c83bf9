// The block counter, quantile codes and passes over a store, as Python sees them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "code_sums.hpp"
#include "counter.hpp"
#include "handing.hpp"
#include "judge.hpp"
#include "quantile.hpp"
#include "stored.hpp"
#include "team.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::Asked;
using penjing::CodeView;
using penjing::hand_over;
using penjing::In;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::signals;
using penjing::StoredRows;

namespace {

template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

CodeView codes_of(std::vector<nb::object>& kept, nb::handle array, std::size_t n) {
    CodeView view;
    In<std::uint8_t> bytes;
    if (nb::try_cast(array, bytes, false)) {
        view.bytes = pointer<std::uint8_t>(kept, array, n);
    } else {
        view.shorts = pointer<std::uint16_t>(kept, array, n);
    }
    return view;
}

nb::list count_block(const nb::list& columns, const std::vector<std::size_t>& n_codes,
                     nb::handle target, std::size_t n_classes, const In<std::int32_t>& slots,
                     std::size_t n_slots, nb::handle weight, nb::handle y) {
    std::vector<nb::object> kept;
    const std::size_t n = slots.size();
    if (nb::len(columns) != n_codes.size()) {
        throw nb::value_error("one n_codes for each column");
    }
    std::vector<CodeView> codes;
    for (nb::handle column : columns) {
        codes.push_back(codes_of(kept, column, n));
    }
    const bool has_target = !target.is_none();
    const CodeView classes = has_target ? codes_of(kept, target, n) : CodeView{};
    const double* weights = pointer_or_null<double>(kept, weight, n);
    const double* numbers = pointer_or_null<double>(kept, y, n);
    if (has_target == (numbers != nullptr)) {
        throw nb::value_error("either classes or numbers are counted");
    }
    const bool is_whole = weights == nullptr && numbers == nullptr;
    std::vector<std::vector<std::int64_t>> whole(codes.size());
    std::vector<std::vector<double>> parts(codes.size());
    {
        nb::gil_scoped_release free;
        const Asked asked =
            penjing::asked_rows(slots.data(), classes, has_target, n, n_slots, n_classes);
        for (std::size_t c = 0; c < codes.size(); ++c) {
            check_codes(codes[c], asked, n_codes[c]);
            if (is_whole) {
                whole[c].assign(n_slots * n_codes[c] * n_classes, 0);
                count_rows(codes[c], asked, n_codes[c], n_classes, whole[c].data());
            } else {
                const std::size_t size = numbers == nullptr ? n_classes : 3;
                parts[c].assign(n_slots * n_codes[c] * size, 0.0);
                add_rows(codes[c], asked, weights, numbers, n_codes[c], n_classes,
                         parts[c].data());
            }
        }
    }
    nb::list answer;
    for (std::size_t c = 0; c < codes.size(); ++c) {
        if (is_whole) {
            answer.append(hand_over(std::move(whole[c])));
        } else {
            answer.append(hand_over(std::move(parts[c])));
        }
    }
    return answer;
}

// The store as one object: it keeps the mapped arrays alive.
class Passes {
  public:
    Passes(const nb::list& columns, nb::handle target, std::size_t n_classes,
           const InOut<std::uint32_t>& node, int threads)
        : node_(node), team_(std::max(threads, 1)) {
        rows_.n_rows = node.size();
        rows_.node = node.data();
        rows_.n_classes = n_classes;
        rows_.target = codes_of(kept_, target, rows_.n_rows);
        for (nb::handle item : columns) {
            const auto parts = nb::cast<nb::tuple>(item);  // codes, n_codes, cells, raw
            penjing::StoredColumn column;
            column.codes = codes_of(kept_, parts[0], rows_.n_rows);
            column.n_codes = nb::cast<std::size_t>(parts[1]);
            column.raw = pointer_or_null<double>(kept_, parts[3], rows_.n_rows);
            if (column.raw != nullptr) {
                column.cells = nb::cast<const penjing::Quantiles*>(parts[2]);
                kept_.push_back(nb::borrow(parts[2]));
            }
            rows_.columns.push_back(column);
        }
    }

    nb::list pass(const nb::list& tests, const std::vector<std::int32_t>& branches,
                  const In<std::int32_t>& test_of, const In<std::int32_t>& slot_of,
                  std::size_t n_slots) {
        std::vector<penjing::StoredTest> told;
        for (nb::handle item : tests) {
            const auto parts = nb::cast<nb::tuple>(item);
            penjing::StoredTest test;
            test.column = nb::cast<std::int32_t>(parts[0]);
            test.first_child = nb::cast<std::uint32_t>(parts[1]);
            test.table = nb::cast<std::int64_t>(parts[2]);
            test.high = nb::cast<std::uint8_t>(parts[3]);
            test.cut = nb::cast<double>(parts[4]);
            told.push_back(test);
        }
        std::vector<penjing::CountTable> tables;
        {
            nb::gil_scoped_release free;
            tables = rows_.pass(team_, signals(), told, branches, test_of.data(),
                                slot_of.data(), n_slots);
        }
        return handed(tables);
    }

    nb::list cells(const In<std::int32_t>& slot_of, const nb::list& open) {
        std::vector<nb::object> kept;
        const auto asked = opened(kept, open);
        std::vector<penjing::CountTable> tables;
        {
            nb::gil_scoped_release free;
            tables = rows_.cells(team_, signals(), slot_of.data(), asked);
        }
        return handed(tables);
    }

    nb::list numbers(const In<std::int32_t>& slot_of, const nb::list& open) {
        std::vector<nb::object> kept;
        const auto asked = opened(kept, open);
        std::vector<penjing::FoundNumbers> found;
        {
            nb::gil_scoped_release free;
            found = rows_.numbers(team_, signals(), slot_of.data(), asked);
        }
        nb::list answer;
        for (penjing::FoundNumbers& one : found) {
            answer.append(nb::make_tuple(
                hand_over(std::move(one.place)), hand_over(std::move(one.low)),
                hand_over(std::move(one.class_)), hand_over(std::move(one.number))));
        }
        return answer;
    }

    nb::tuple rows_of(const In<std::int32_t>& slot_of, std::size_t n_slots) {
        std::vector<std::int64_t> start;
        std::vector<std::uint32_t> rows;
        {
            nb::gil_scoped_release free;
            rows = rows_.rows_of(slot_of.data(), n_slots, start);
        }
        return nb::make_tuple(hand_over(std::move(start)), hand_over(std::move(rows)));
    }

  private:
    static nb::list handed(std::vector<penjing::CountTable>& tables) {
        nb::list answer;
        for (penjing::CountTable& table : tables) {
            answer.append(hand_over(std::move(table)));
        }
        return answer;
    }

    std::vector<penjing::OpenBuckets> opened(std::vector<nb::object>& kept,
                                             const nb::list& open) const {
        std::vector<penjing::OpenBuckets> asked;
        for (nb::handle item : open) {
            const auto parts = nb::cast<nb::tuple>(item);  // column, place, n, wanted or None
            penjing::OpenBuckets one;
            one.column = nb::cast<std::size_t>(parts[0]);
            one.n = nb::cast<std::size_t>(parts[2]);
            const auto place = nb::cast<In<std::int32_t>>(parts[1], false);
            one.place = place.data();
            one.is_open.resize(place.size());
            for (std::size_t i = 0; i < place.size(); ++i) {
                if (one.place[i] >= static_cast<std::int64_t>(one.n)) {
                    throw nb::index_error("a place is not below their number");
                }
                one.is_open[i] = one.place[i] >= 0 ? 1 : 0;
            }
            kept.push_back(nb::borrow(parts[1]));
            one.wanted = pointer_or_null<std::uint8_t>(kept, parts[3], one.n * 256);
            if (rows_.columns.at(one.column).cells == nullptr) {
                throw nb::value_error("only quantile columns have buckets");
            }
            asked.push_back(std::move(one));
        }
        return asked;
    }

    std::vector<nb::object> kept_;
    InOut<std::uint32_t> node_;
    StoredRows rows_;
    penjing::Team team_;
};

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
                          hand_over(std::move(gain)));
}

penjing::Out<std::uint8_t> open_units(const Table& counts, const std::string& measure,
                                      const In<double>& gain, const In<std::uint8_t>& single,
                                      double bar) {
    const std::size_t n = counts.shape(0);
    if (single.size() != n || gain.size() + 1 != std::max<std::size_t>(n, 1)) {
        throw nb::value_error("a cut between each two units");
    }
    return hand_over(judge_of(counts, measure).open(gain.data(), single.data(), bar));
}

penjing::Out<std::int8_t> group_levels(const Table& counts, const std::string& measure,
                                       double min_branch) {
    return hand_over(judge_of(counts, measure).grouped(min_branch));
}

nb::tuple told(const penjing::Odd& odd) {
    return nb::make_tuple(odd.n_missing, odd.is_infinite, odd.has_minus_zero);
}

nb::tuple buckets(const penjing::Quantiles& edges, const In<double>& x,
                  const InOut<std::uint8_t>& high) {
    if (high.size() != x.size()) {
        throw nb::value_error("answers need as much room as there are numbers");
    }
    penjing::Odd odd;
    {
        nb::gil_scoped_release free;
        odd = edges.buckets(x.data(), x.size(), high.data());
    }
    return told(odd);
}

nb::tuple code(const penjing::Quantiles& edges, const In<double>& x,
               const InOut<std::uint8_t>& high, const InOut<std::uint8_t>& low) {
    if (high.size() != x.size() || low.size() != x.size()) {
        throw nb::value_error("answers need as much room as there are numbers");
    }
    penjing::Odd odd;
    {
        nb::gil_scoped_release free;
        odd = edges.code(x.data(), x.size(), high.data(), low.data());
    }
    return told(odd);
}

// Do work(sums) with sums of one or of two bytes.
template <class Work>
auto with_sums(nb::handle codes, const InOut<std::int64_t>& counts,
               const InOut<std::int64_t>& first, std::size_t n, const Work& work) {
    if (counts.size() != first.size()) {
        throw nb::value_error("as many counts as first rows");
    }
    const std::size_t size = counts.size();
    InOut<std::uint8_t> bytes;
    if (nb::try_cast(codes, bytes, false)) {
        if (bytes.size() != n) {
            throw nb::value_error("as many codes as rows");
        }
        penjing::CodeSums<std::uint8_t> sums(bytes.data(), n, counts.data(), first.data(),
                                             size);
        return work(sums);
    }
    const auto shorts = nb::cast<InOut<std::uint16_t>>(codes, false);
    if (shorts.size() != n) {
        throw nb::value_error("as many codes as rows");
    }
    penjing::CodeSums<std::uint16_t> sums(shorts.data(), n, counts.data(), first.data(), size);
    return work(sums);
}

void code_indices(const In<std::int32_t>& indices, const In<std::uint16_t>& code_of,
                  std::int64_t start, nb::handle codes, const InOut<std::int64_t>& counts,
                  const InOut<std::int64_t>& first) {
    for (std::size_t i = 0; i < code_of.size(); ++i) {
        if (code_of.data()[i] >= counts.size()) {
            throw nb::index_error("a code is not below the number of counts");
        }
    }
    with_sums(codes, counts, first, indices.size(), [&](auto& sums) {
        nb::gil_scoped_release free;
        sums.by_table(indices.data(), code_of.data(), code_of.size(), start);
        return true;
    });
}

// False if a number is out of the range of codes.
bool code_wholes(const In<std::int64_t>& x, nb::handle absent, std::int64_t low,
                 std::int64_t start, nb::handle codes, const InOut<std::int64_t>& counts,
                 const InOut<std::int64_t>& first) {
    std::vector<nb::object> kept;
    const std::uint8_t* gaps = pointer_or_null<std::uint8_t>(kept, absent, x.size());
    return with_sums(codes, counts, first, x.size(), [&](auto& sums) {
        nb::gil_scoped_release free;
        return sums.by_distance(x.data(), gaps, low, start);
    });
}

}  // namespace

void bind_stored(nb::module_& m) {
    m.def("count_block", &count_block, "columns"_a, "n_codes"_a, "target"_a.none(),
          "n_classes"_a, "slots"_a, "n_slots"_a, "weight"_a.none() = nb::none(),
          "y"_a.none() = nb::none(), "Count the rows of a coded block; see cpp/counter.hpp.");
    m.def("judge_cuts", &judge_cuts, "counts"_a.noconvert(), "measure"_a, "min_branch"_a,
          "Return the first of the best cuts (-1: none), and the gain of each.");
    m.def("open_units", &open_units, "counts"_a.noconvert(), "measure"_a, "gain"_a, "single"_a,
          "bar"_a, "Say which units may hold a cut that reaches the bar; see cpp/judge.hpp.");
    m.def(
        "group_levels", &group_levels, "counts"_a.noconvert(), "measure"_a, "min_branch"_a,
        "Return the side of each level in the best grouping in two; nothing if there is none.");
    m.def("code_indices", &code_indices, "indices"_a, "code_of"_a, "start"_a, "codes"_a,
          "counts"_a, "first"_a, "Code rows by a table of codes; count them.");
    m.def("code_wholes", &code_wholes, "x"_a, "absent"_a.none(), "low"_a, "start"_a, "codes"_a,
          "counts"_a, "first"_a, "Code whole numbers by their distance from the least one.");
    nb::class_<penjing::Quantiles>(m, "Quantiles")
        .def(nb::init<std::vector<double>, std::vector<std::uint8_t>,
                      std::vector<std::uint8_t>>(),
             "edges"_a, "high"_a, "low"_a)
        .def("buckets", &buckets, "x"_a, "high"_a)
        .def("code", &code, "x"_a, "high"_a, "low"_a)
        .def("cell", &penjing::Quantiles::cell, "x"_a);
    nb::class_<Passes>(m, "Passes")
        .def(nb::init<const nb::list&, nb::handle, std::size_t, const InOut<std::uint32_t>&,
                      int>(),
             "columns"_a, "target"_a, "n_classes"_a, "node"_a, "threads"_a)
        .def("pass_", &Passes::pass, "tests"_a, "branches"_a, "test_of"_a, "slot_of"_a,
             "n_slots"_a)
        .def("cells", &Passes::cells, "slot_of"_a, "opened"_a)
        .def("numbers", &Passes::numbers, "slot_of"_a, "opened"_a)
        .def("rows_of", &Passes::rows_of, "slot_of"_a, "n_slots"_a);
}
