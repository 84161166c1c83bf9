// Binds store/: counting coded blocks, and passes over a store that is memory-mapped.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "bind/ndarray.hpp"
#include "encode/quantile.hpp"
#include "store/counter.hpp"
#include "store/passes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::CodeView;
using penjing::In;
using penjing::InOut;
using penjing::pointer;
using penjing::pointer_or_null;
using penjing::poll_python;
using penjing::SelectedRows;
using penjing::StoredRows;
using penjing::to_numpy;

namespace {

CodeView codes_of(penjing::References& references, nb::handle array, std::size_t n) {
    CodeView view;
    In<std::uint8_t> bytes;
    if (nb::try_cast(array, bytes, false)) {
        view.bytes = pointer<std::uint8_t>(references, array, n);
    } else {
        view.shorts = pointer<std::uint16_t>(references, array, n);
    }
    return view;
}

nb::list count_block(const nb::list& columns, const std::vector<std::size_t>& n_codes,
                     nb::handle target, std::size_t n_classes, const In<std::int32_t>& slots,
                     std::size_t n_slots, nb::handle weight, nb::handle y) {
    penjing::References references;
    const std::size_t n = slots.size();
    if (nb::len(columns) != n_codes.size()) {
        throw nb::value_error("one n_codes for each column");
    }
    std::vector<CodeView> codes;
    for (nb::handle column : columns) {
        codes.push_back(codes_of(references, column, n));
    }
    const bool has_target = !target.is_none();
    const CodeView classes = has_target ? codes_of(references, target, n) : CodeView{};
    const double* weights = pointer_or_null<double>(references, weight, n);
    const double* numbers = pointer_or_null<double>(references, y, n);
    if (has_target == (numbers != nullptr)) {
        throw nb::value_error("either classes or numbers are counted");
    }
    const bool is_whole = weights == nullptr && numbers == nullptr;
    std::vector<std::vector<std::int64_t>> whole(codes.size());
    std::vector<std::vector<double>> parts(codes.size());
    {
        nb::gil_scoped_release free;
        const SelectedRows selected =
            penjing::select_rows(slots.data(), classes, has_target, n, n_slots, n_classes);
        for (std::size_t c = 0; c < codes.size(); ++c) {
            check_codes(codes[c], selected, n_codes[c]);
            if (is_whole) {
                whole[c].assign(n_slots * n_codes[c] * n_classes, 0);
                count_rows(codes[c], selected, n_codes[c], n_classes, whole[c].data());
            } else {
                const std::size_t size = numbers == nullptr ? n_classes : 3;
                parts[c].assign(n_slots * n_codes[c] * size, 0.0);
                add_rows(codes[c], selected, weights, numbers, n_codes[c], n_classes,
                         parts[c].data());
            }
        }
    }
    nb::list result;
    for (std::size_t c = 0; c < codes.size(); ++c) {
        if (is_whole) {
            result.append(to_numpy(std::move(whole[c])));
        } else {
            result.append(to_numpy(std::move(parts[c])));
        }
    }
    return result;
}

// A store as one object, which keeps the mapped arrays alive.
class Passes {
  public:
    Passes(const nb::list& columns, nb::handle target, std::size_t n_classes,
           const InOut<std::uint32_t>& node, int threads)
        : node_(node), pool_(std::max(threads, 1)) {
        rows_.n_rows = node.size();
        rows_.node = node.data();
        rows_.n_classes = n_classes;
        rows_.target = codes_of(references_, target, rows_.n_rows);
        for (nb::handle item : columns) {
            const auto parts = nb::cast<nb::tuple>(item);  // codes, n_codes, cells, raw
            penjing::StoredColumn column;
            column.codes = codes_of(references_, parts[0], rows_.n_rows);
            column.n_codes = nb::cast<std::size_t>(parts[1]);
            column.raw = pointer_or_null<double>(references_, parts[3], rows_.n_rows);
            if (column.raw != nullptr) {
                column.cells = nb::cast<const penjing::Quantiles*>(parts[2]);
                references_.push_back(nb::borrow(parts[2]));
            }
            rows_.columns.push_back(column);
        }
    }

    nb::list pass(const nb::list& tests, const std::vector<std::int32_t>& branches,
                  const In<std::int32_t>& test_of, const In<std::int32_t>& slot_of,
                  std::size_t n_slots) {
        std::vector<penjing::StoredSplit> node_tests;
        for (nb::handle item : tests) {
            const auto parts = nb::cast<nb::tuple>(item);
            penjing::StoredSplit test;
            test.column = nb::cast<std::int32_t>(parts[0]);
            test.first_child = nb::cast<std::uint32_t>(parts[1]);
            test.table = nb::cast<std::int64_t>(parts[2]);
            test.high = nb::cast<std::uint8_t>(parts[3]);
            test.cut = nb::cast<double>(parts[4]);
            node_tests.push_back(test);
        }
        std::vector<penjing::CountTable> tables;
        {
            nb::gil_scoped_release free;
            tables = rows_.pass(pool_, poll_python(), node_tests, branches, test_of.data(),
                                slot_of.data(), n_slots);
        }
        return tables_to_numpy(tables);
    }

    nb::list cells(const In<std::int32_t>& slot_of, const nb::list& open) {
        penjing::References references;
        const auto buckets = read_open_buckets(references, open);
        std::vector<penjing::CountTable> tables;
        {
            nb::gil_scoped_release free;
            tables = rows_.cells(pool_, poll_python(), slot_of.data(), buckets);
        }
        return tables_to_numpy(tables);
    }

    nb::list numbers(const In<std::int32_t>& slot_of, const nb::list& open) {
        penjing::References references;
        const auto buckets = read_open_buckets(references, open);
        std::vector<penjing::CellValues> cell_values;
        {
            nb::gil_scoped_release free;
            cell_values = rows_.numbers(pool_, poll_python(), slot_of.data(), buckets);
        }
        nb::list result;
        for (penjing::CellValues& one : cell_values) {
            result.append(nb::make_tuple(
                to_numpy(std::move(one.place)), to_numpy(std::move(one.low)),
                to_numpy(std::move(one.class_)), to_numpy(std::move(one.number))));
        }
        return result;
    }

    nb::tuple rows_of(const In<std::int32_t>& slot_of, std::size_t n_slots) {
        std::vector<std::int64_t> start;
        std::vector<std::uint32_t> rows;
        {
            nb::gil_scoped_release free;
            rows = rows_.rows_of(slot_of.data(), n_slots, start);
        }
        return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(rows)));
    }

  private:
    static nb::list tables_to_numpy(std::vector<penjing::CountTable>& tables) {
        nb::list result;
        for (penjing::CountTable& table : tables) {
            result.append(to_numpy(std::move(table)));
        }
        return result;
    }

    std::vector<penjing::OpenBuckets> read_open_buckets(penjing::References& references,
                                                        const nb::list& open) const {
        std::vector<penjing::OpenBuckets> buckets;
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
            references.push_back(nb::borrow(parts[1]));
            one.is_wanted = pointer_or_null<std::uint8_t>(references, parts[3], one.n * 256);
            if (rows_.columns.at(one.column).cells == nullptr) {
                throw nb::value_error("only quantile columns have buckets");
            }
            buckets.push_back(std::move(one));
        }
        return buckets;
    }

    penjing::References references_;
    InOut<std::uint32_t> node_;
    StoredRows rows_;
    penjing::ThreadPool pool_;
};

}  // namespace

void bind_store(nb::module_& m) {
    m.def("count_block", &count_block, "columns"_a, "n_codes"_a, "target"_a.none(),
          "n_classes"_a, "slots"_a, "n_slots"_a, "weight"_a.none() = nb::none(),
          "y"_a.none() = nb::none(),
          "Count the rows of a coded block; see cpp/store/counter.hpp.");
    nb::class_<Passes>(m, "Passes")
        .def(nb::init<const nb::list&, nb::handle, std::size_t, const InOut<std::uint32_t>&,
                      int>(),
             "columns"_a, "target"_a, "n_classes"_a, "node"_a, "threads"_a)
        .def("move_and_count", &Passes::pass, "tests"_a, "branches"_a, "test_of"_a, "slot_of"_a,
             "n_slots"_a)
        .def("cells", &Passes::cells, "slot_of"_a, "opened"_a)
        .def("numbers", &Passes::numbers, "slot_of"_a, "opened"_a)
        .def("rows_of", &Passes::rows_of, "slot_of"_a, "n_slots"_a);
}
