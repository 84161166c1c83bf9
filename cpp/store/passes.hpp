// Passes over the rows of a coded store that is memory-mapped, not loaded.
//
// A column holds either exact codes of one or two bytes, or the bucket of each number beside
// the number itself. The node of each row is in memory. A pass goes over all rows in blocks,
// which threads share: it moves rows to the branches of their node's split and counts the rows
// of the nodes that have a slot. `cells` counts the cells of some buckets, and `numbers`
// collects the numbers in single cells.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "base/thread_pool.hpp"
#include "encode/quantile.hpp"
#include "store/count_pairs.hpp"
#include "store/counter.hpp"
#include "store/routing.hpp"

namespace penjing {

// Some buckets of one column: their index by [slot][high], -1 if they are not counted.
struct OpenBuckets {
    std::size_t column = 0;
    const std::int32_t* place = nullptr;
    std::size_t n = 0;
    const std::uint8_t* is_wanted =
        nullptr;                        // [place][low]: whether `numbers` collects the cell
    std::vector<std::uint8_t> is_open;  // [slot][high]; small enough for the cache
};

// What `numbers` returns for one column.
struct CellValues {
    std::vector<std::int32_t> place;
    std::vector<std::uint8_t> low;
    std::vector<std::uint16_t> class_;
    std::vector<double> number;

    void add(const CellValues& other) {
        place.insert(place.end(), other.place.begin(), other.place.end());
        low.insert(low.end(), other.low.begin(), other.low.end());
        class_.insert(class_.end(), other.class_.begin(), other.class_.end());
        number.insert(number.end(), other.number.begin(), other.number.end());
    }
};

using CountTable = std::vector<std::uint32_t>;

class StoredRows {
  public:
    std::vector<StoredColumn> columns;
    CodeView target;
    std::size_t n_rows = 0;
    std::size_t n_classes = 0;
    std::uint32_t* node = nullptr;  // of each row

    static constexpr std::size_t block = 1U << 15U;

    // Move rows by the splits of their nodes (`test_of[node]`, -1: none), then count the rows
    // whose node has a slot: one table per column, [slot][code][class].
    std::vector<CountTable> pass(ThreadPool& pool, const PollCallback& poll,
                                 const std::vector<StoredSplit>& tests,
                                 const std::vector<std::int32_t>& branches,
                                 const std::int32_t* test_of, const std::int32_t* slot_of,
                                 std::size_t n_slots) const {
        using Tables = std::vector<CountTable>;
        std::vector<Tables> per_thread(static_cast<std::size_t>(pool.size()));
        for (Tables& tables : per_thread) {
            tables.resize(columns.size());
            for (std::size_t c = 0; c < columns.size() && n_slots > 0; ++c) {
                tables[c].assign(n_slots * columns[c].n_codes * n_classes, 0);
            }
        }
        std::vector<SelectedRows> selected(per_thread.size());
        std::vector<std::vector<std::uint32_t>> offset(per_thread.size());
        std::vector<std::size_t> n_codes;
        for (const StoredColumn& column : columns) {
            n_codes.push_back(column.n_codes);
        }
        const PairCounter pair_counter(n_codes, n_slots, n_classes);
        const Routing routing(columns, tests, branches, n_rows);
        for_each_block(pool, poll, [&](std::size_t begin, std::size_t end, std::size_t thread) {
            if (!tests.empty()) {
                routing.move_rows(begin, end, test_of, node);
            }
            if (n_slots == 0) {
                return;
            }
            select(begin, end, slot_of, selected[thread]);
            pair_counter.count([&](std::size_t c) { return columns[c].codes.from(begin); },
                               selected[thread], offset[thread], per_thread[thread]);
        });
        return merge_tables(per_thread);
    }

    // Count the cells of open buckets: a table [place][low][class] for each column.
    std::vector<CountTable> cells(ThreadPool& pool, const PollCallback& poll,
                                  const std::int32_t* slot_of,
                                  const std::vector<OpenBuckets>& open) const {
        std::vector<std::vector<CountTable>> per_thread(static_cast<std::size_t>(pool.size()));
        for (auto& tables : per_thread) {
            tables.resize(open.size());
            for (std::size_t i = 0; i < open.size(); ++i) {
                tables[i].assign(open[i].n * 256 * n_classes, 0);
            }
        }
        for_each_open(pool, poll, slot_of, open, [&](std::size_t thread, std::size_t i) {
            const StoredColumn& column = columns[open[i].column];
            std::uint32_t* table = per_thread[thread][i].data();
            return
                [this, &column, table](std::size_t place, std::size_t row, std::size_t class_) {
                    ++table[(place * 256 + low_of(column, row)) * n_classes + class_];
                };
        });
        return merge_tables(per_thread);
    }

    // The numbers in the wanted cells, in no particular order.
    std::vector<CellValues> numbers(ThreadPool& pool, const PollCallback& poll,
                                    const std::int32_t* slot_of,
                                    const std::vector<OpenBuckets>& open) const {
        std::vector<std::vector<CellValues>> per_thread(static_cast<std::size_t>(pool.size()));
        for (auto& values : per_thread) {
            values.resize(open.size());
        }
        for_each_open(pool, poll, slot_of, open, [&](std::size_t thread, std::size_t i) {
            const StoredColumn& column = columns[open[i].column];
            const std::uint8_t* is_wanted = open[i].is_wanted;
            CellValues& values = per_thread[thread][i];
            return [&column, is_wanted, &values](std::size_t place, std::size_t row,
                                                 std::size_t class_) {
                const std::uint8_t low = low_of(column, row);
                if (is_wanted[place * 256 + low] == 0) {
                    return;
                }
                values.place.push_back(static_cast<std::int32_t>(place));
                values.low.push_back(low);
                values.class_.push_back(static_cast<std::uint16_t>(class_));
                values.number.push_back(column.raw[row]);
            };
        });
        for (std::size_t thread = 1; thread < per_thread.size(); ++thread) {
            for (std::size_t i = 0; i < open.size(); ++i) {
                per_thread[0][i].add(per_thread[thread][i]);
                per_thread[thread][i] = CellValues{};
            }
        }
        return std::move(per_thread[0]);
    }

    // The rows of each slot in row order; those of slot i begin at `start[i]`.
    std::vector<std::uint32_t> rows_of(const std::int32_t* slot_of, std::size_t n_slots,
                                       std::vector<std::int64_t>& start) const {
        start.assign(n_slots + 1, 0);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::int32_t slot = slot_of[node[row]];
            if (slot >= 0) {
                ++start[static_cast<std::size_t>(slot) + 1];
            }
        }
        for (std::size_t slot = 0; slot < n_slots; ++slot) {
            start[slot + 1] += start[slot];
        }
        std::vector<std::uint32_t> rows(static_cast<std::size_t>(start.back()));
        std::vector<std::int64_t> next(start.begin(), start.end() - 1);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::int32_t slot = slot_of[node[row]];
            if (slot >= 0) {
                rows[static_cast<std::size_t>(next[static_cast<std::size_t>(slot)]++)] =
                    static_cast<std::uint32_t>(row);
            }
        }
        return rows;
    }

  private:
    static std::uint8_t low_of(const StoredColumn& column, std::size_t row) {
        return column.cells->low(column.codes.bytes[row], column.raw[row]);
    }

    template <class Work>
    void for_each_block(ThreadPool& pool, const PollCallback& poll, const Work& work) const {
        const std::size_t n = (n_rows + block - 1) / block;
        pool.run(n, [&](std::size_t task, int thread) {
            if (thread == 0 && poll) {
                poll();
            }
            work(task * block, std::min(n_rows, (task + 1) * block),
                 static_cast<std::size_t>(thread));
        });
    }

    void select(std::size_t begin, std::size_t end, const std::int32_t* slot_of,
                SelectedRows& selected) const {
        const auto slot = [&](std::size_t i) { return slot_of[node[begin + i]]; };
        if (target.bytes != nullptr) {
            selected.fill(end - begin, slot,
                          [&](std::size_t i) { return target.bytes[begin + i]; });
        } else {
            selected.fill(end - begin, slot,
                          [&](std::size_t i) { return target.shorts[begin + i]; });
        }
    }

    // For every block and column, call visit(place, row, class) for the selected rows in open
    // buckets, where visit is make_visit(thread, column index in `open`).
    template <class MakeVisit>
    void for_each_open(ThreadPool& pool, const PollCallback& poll, const std::int32_t* slot_of,
                       const std::vector<OpenBuckets>& open,
                       const MakeVisit& make_visit) const {
        std::vector<SelectedRows> selected(static_cast<std::size_t>(pool.size()));
        std::vector<std::vector<std::uint32_t>> hits(selected.size());
        for_each_block(pool, poll, [&](std::size_t begin, std::size_t end, std::size_t thread) {
            select(begin, end, slot_of, selected[thread]);
            for (std::size_t i = 0; i < open.size(); ++i) {
                visit_open(open[i], columns[open[i].column], begin, selected[thread],
                           hits[thread], make_visit(thread, i));
            }
        });
    }

    template <class Each>
    void visit_open(const OpenBuckets& open, const StoredColumn& column, std::size_t begin,
                    const SelectedRows& selected, std::vector<std::uint32_t>& hits,
                    const Each& each) const {
        const std::uint8_t* high = column.codes.bytes + begin;
        const std::uint8_t* is_open = open.is_open.data();
        hits.resize(block + 1);
        std::uint32_t* hit = hits.data();
        std::size_t n = 0;
        // Branch-free: few rows are in an open bucket.
        for (std::size_t j = 0; j < selected.size(); ++j) {
            hit[n] = static_cast<std::uint32_t>(j);
            n += is_open[static_cast<std::size_t>(selected.slot[j]) * 256 +
                         high[selected.row[j]]];
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t j = hit[i];
            const std::size_t row = selected.row[j];
            const std::int32_t place =
                open.place[static_cast<std::size_t>(selected.slot[j]) * 256 + high[row]];
            each(static_cast<std::size_t>(place), begin + row, selected.class_[j]);
        }
    }

    static std::vector<CountTable> merge_tables(
        std::vector<std::vector<CountTable>>& per_thread) {
        for (std::size_t thread = 1; thread < per_thread.size(); ++thread) {
            for (std::size_t i = 0; i < per_thread[0].size(); ++i) {
                for (std::size_t j = 0; j < per_thread[0][i].size(); ++j) {
                    per_thread[0][i][j] += per_thread[thread][i][j];
                }
                per_thread[thread][i] = CountTable{};
            }
        }
        return std::move(per_thread[0]);
    }
};

}  // namespace penjing
