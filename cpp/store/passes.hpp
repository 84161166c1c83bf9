// Rows that live in files: passes over a coded store that is mapped, not loaded.
//
// A column is either exact codes of one or two bytes, or the bucket of each number beside the
// number itself. The node of each row is kept in memory. A pass walks over all rows
// in blocks, dealt to threads: it moves rows into the branches of their node's test and counts
// those that are asked about; `cells` counts the cells of some buckets, `numbers`
// fetches what single cells hold.
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

// Some high buckets of one column, by [slot][high]: their place, -1 if not asked for.
struct OpenBuckets {
    std::size_t column = 0;
    const std::int32_t* place = nullptr;
    std::size_t n = 0;
    const std::uint8_t* wanted = nullptr;  // [place][low]: whether the numbers are asked for
    std::vector<std::uint8_t> is_open;     // [slot][high], small enough to stay in the cache
};

// What `numbers` found in one column.
struct FoundNumbers {
    std::vector<std::int32_t> place;
    std::vector<std::uint8_t> low;
    std::vector<std::uint16_t> class_;
    std::vector<double> number;

    void add(const FoundNumbers& other) {
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

    // Move rows on by the tests of their nodes (`test_of[node]`, -1: none), then count those
    // whose node has a slot; one table a column, [slot][code][class].
    std::vector<CountTable> pass(ThreadPool& pool, const PollCallback& poll,
                                 const std::vector<StoredTest>& tests,
                                 const std::vector<std::int32_t>& branches,
                                 const std::int32_t* test_of, const std::int32_t* slot_of,
                                 std::size_t n_slots) const {
        using Tables = std::vector<CountTable>;
        std::vector<Tables> mine(static_cast<std::size_t>(pool.size()));
        for (Tables& tables : mine) {
            tables.resize(columns.size());
            for (std::size_t c = 0; c < columns.size() && n_slots > 0; ++c) {
                tables[c].assign(n_slots * columns[c].n_codes * n_classes, 0);
            }
        }
        std::vector<Asked> asked(mine.size());
        std::vector<std::vector<std::uint32_t>> offset(mine.size());
        std::vector<std::size_t> n_codes;
        for (const StoredColumn& column : columns) {
            n_codes.push_back(column.n_codes);
        }
        const Pairs pairs(n_codes, n_slots, n_classes);
        const Routing routing(columns, tests, branches, n_rows);
        blocks(pool, poll, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            if (!tests.empty()) {
                routing.move(begin, end, test_of, node);
            }
            if (n_slots == 0) {
                return;
            }
            ask(begin, end, slot_of, asked[worker]);
            pairs.count([&](std::size_t c) { return columns[c].codes.from(begin); },
                        asked[worker], offset[worker], mine[worker]);
        });
        return summed(mine);
    }

    // The low bytes of open buckets: a table [place][low][class] for each of them.
    std::vector<CountTable> cells(ThreadPool& pool, const PollCallback& poll,
                                  const std::int32_t* slot_of,
                                  const std::vector<OpenBuckets>& open) const {
        std::vector<std::vector<CountTable>> mine(static_cast<std::size_t>(pool.size()));
        for (auto& tables : mine) {
            tables.resize(open.size());
            for (std::size_t i = 0; i < open.size(); ++i) {
                tables[i].assign(open[i].n * 256 * n_classes, 0);
            }
        }
        std::vector<Asked> asked(mine.size());
        std::vector<std::vector<std::uint32_t>> hits(mine.size());
        blocks(pool, poll, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            ask(begin, end, slot_of, asked[worker]);
            for (std::size_t i = 0; i < open.size(); ++i) {
                const StoredColumn& column = columns[open[i].column];
                std::uint32_t* table = mine[worker][i].data();
                each_open(open[i], column, begin, asked[worker], hits[worker],
                          [&](std::size_t place, std::size_t row, std::size_t class_) {
                              ++table[(place * 256 + low_of(column, row)) * n_classes + class_];
                          });
            }
        });
        return summed(mine);
    }

    // The numbers of the cells that are wanted, in no order.
    std::vector<FoundNumbers> numbers(ThreadPool& pool, const PollCallback& poll,
                                      const std::int32_t* slot_of,
                                      const std::vector<OpenBuckets>& open) const {
        std::vector<std::vector<FoundNumbers>> mine(static_cast<std::size_t>(pool.size()));
        for (auto& found : mine) {
            found.resize(open.size());
        }
        std::vector<Asked> asked(mine.size());
        std::vector<std::vector<std::uint32_t>> hits(mine.size());
        blocks(pool, poll, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            ask(begin, end, slot_of, asked[worker]);
            for (std::size_t i = 0; i < open.size(); ++i) {
                const StoredColumn& column = columns[open[i].column];
                FoundNumbers& found = mine[worker][i];
                each_open(open[i], column, begin, asked[worker], hits[worker],
                          [&](std::size_t place, std::size_t row, std::size_t class_) {
                              const std::uint8_t low = low_of(column, row);
                              if (open[i].wanted[place * 256 + low] == 0) {
                                  return;
                              }
                              found.place.push_back(static_cast<std::int32_t>(place));
                              found.low.push_back(low);
                              found.class_.push_back(static_cast<std::uint16_t>(class_));
                              found.number.push_back(column.raw[row]);
                          });
            }
        });
        for (std::size_t worker = 1; worker < mine.size(); ++worker) {
            for (std::size_t i = 0; i < open.size(); ++i) {
                mine[0][i].add(mine[worker][i]);
                mine[worker][i] = FoundNumbers{};
            }
        }
        return std::move(mine[0]);
    }

    // The rows of each slot, in their order; `start` tells where each slot's begin.
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
    void blocks(ThreadPool& pool, const PollCallback& poll, const Work& work) const {
        const std::size_t n = (n_rows + block - 1) / block;
        pool.run(n, [&](std::size_t piece, int worker) {
            if (worker == 0 && poll) {
                poll();
            }
            work(piece * block, std::min(n_rows, (piece + 1) * block),
                 static_cast<std::size_t>(worker));
        });
    }

    void ask(std::size_t begin, std::size_t end, const std::int32_t* slot_of,
             Asked& asked) const {
        const auto slot = [&](std::size_t i) { return slot_of[node[begin + i]]; };
        if (target.bytes != nullptr) {
            asked.fill(end - begin, slot,
                       [&](std::size_t i) { return target.bytes[begin + i]; });
        } else {
            asked.fill(end - begin, slot,
                       [&](std::size_t i) { return target.shorts[begin + i]; });
        }
    }

    template <class Each>
    void each_open(const OpenBuckets& open, const StoredColumn& column, std::size_t begin,
                   const Asked& asked, std::vector<std::uint32_t>& hits,
                   const Each& each) const {
        const std::uint8_t* high = column.codes.bytes + begin;
        const std::uint8_t* is_open = open.is_open.data();
        hits.resize(block + 1);
        std::uint32_t* hit = hits.data();
        std::size_t n = 0;
        for (std::size_t j = 0; j < asked.size(); ++j) {  // few are: no branch is guessed wrong
            hit[n] = static_cast<std::uint32_t>(j);
            n += is_open[static_cast<std::size_t>(asked.slot[j]) * 256 + high[asked.row[j]]];
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t j = hit[i];
            const std::size_t row = asked.row[j];
            const std::int32_t place =
                open.place[static_cast<std::size_t>(asked.slot[j]) * 256 + high[row]];
            each(static_cast<std::size_t>(place), begin + row, asked.class_[j]);
        }
    }

    static std::vector<CountTable> summed(std::vector<std::vector<CountTable>>& mine) {
        for (std::size_t worker = 1; worker < mine.size(); ++worker) {
            for (std::size_t i = 0; i < mine[0].size(); ++i) {
                for (std::size_t j = 0; j < mine[0][i].size(); ++j) {
                    mine[0][i][j] += mine[worker][i][j];
                }
                mine[worker][i] = CountTable{};
            }
        }
        return std::move(mine[0]);
    }
};

}  // namespace penjing
