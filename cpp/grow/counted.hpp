// The growing kernel for rows that count one each, with nothing missing, and classes.
//
// All arrays are in the node's row order (grow/level_counts.hpp): codes of levels, and for
// ordered columns the codes of buckets (grow/buckets.hpp). A node owns the same stretch of
// every array; its children get that stretch of the array's twin, so that no two nodes ever
// write to one place. Small nodes, and nodes of any size where every column's own best cut is
// asked for (gain ratio), keep ordered columns as sorted lists (grow/sorted_lists.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/arena.hpp"
#include "base/buffer.hpp"
#include "base/double_buffer.hpp"
#include "base/simd.hpp"
#include "base/thread_pool.hpp"
#include "encode/radix_sort.hpp"
#include "grow/bitset_grower.hpp"
#include "grow/buckets.hpp"
#include "grow/category_order.hpp"
#include "grow/criterion.hpp"
#include "grow/criterion_counts.hpp"
#include "grow/level_counts.hpp"
#include "grow/nodes.hpp"
#include "grow/sorted_lists.hpp"

namespace penjing {

template <class Entry, class M>
class CountedKernel {
    friend class TinyGrower<CountedKernel>;

  public:
    using TheMeasure = M;

    explicit CountedKernel(const Order& order)
        : order_(order),
          k_(order.n_sums),
          packing_(order.n_sums),
          wide_(has_avx512()),
          columns_(order.columns.size()) {}

    // Empty if a value is missing or infinite: then the general kernel has to do it.
    std::vector<Grove> grow(ThreadPool& pool, const PollCallback& poll) {
        Open root;
        root.n = static_cast<std::uint32_t>(order_.n_rows);
        if (!prepare(pool, root, poll)) {
            return {};
        }
        const bool alone = pool.size() == 1;
        const std::size_t large =
            alone ? 0 : std::max<std::size_t>(order_.n_rows / 32, std::size_t{4096});
        std::vector<Grove> groves(1);
        std::vector<Open> later;
        root.counts.assign(k_, 0);
        for (std::size_t i = 0; i < order_.n_rows; ++i) {
            ++root.counts[static_cast<std::size_t>(order_.target[i])];
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (columns_[c].kind != Kind::constant) {
                root.active.push_back(static_cast<std::uint32_t>(c));
            }
        }
        add_node(groves[0], root.counts.data());
        if (!is_leaf(root.counts.data(), root.n, 0)) {
            subtree(groves[0], std::move(root), workers_[0], large, alone ? nullptr : &pool,
                    alone ? nullptr : &later, poll);
        }
        groves.resize(1 + later.size());
        std::vector<std::size_t> by_size(later.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(),
                         [&](std::size_t a, std::size_t b) { return later[a].n > later[b].n; });
        for (std::size_t i = 0; i < later.size(); ++i) {
            groves[0].nodes[later[i].node].link = static_cast<std::int32_t>(i + 1);
            add_node(groves[i + 1], later[i].counts.data());
        }
        pool.run(later.size(), [&](std::size_t piece, int worker) {
            const std::size_t i = by_size[piece];
            later[i].node = 0;
            subtree(groves[i + 1], std::move(later[i]),
                    workers_[static_cast<std::size_t>(worker)], 0, nullptr, nullptr,
                    worker == 0 ? poll : PollCallback{});
        });
        return groves;
    }

  private:
    // Up to this depth opening buckets costs less than carrying finer codes along.
    static constexpr std::int64_t shallow = 9;
    // Buckets of fewer rows are sorted at once.
    [[nodiscard]] std::uint32_t few_in_bucket() const {
        return static_cast<std::uint32_t>(std::min<std::size_t>(64, small_));
    }

    enum class Kind : std::uint8_t { constant, pair, nominal, ordered };
    struct Column {
        Kind kind = Kind::constant;
        Keys keys;                         // ordered, also with two levels
        DoubleBuffer<Entry> list;          // ordered, where lists are used at any size
        DoubleBuffer<std::uint8_t> bytes;  // buckets, or levels by their number
        DoubleBuffer<std::uint8_t> finer;  // codes inside the buckets, where trees grow deep
        DoubleBuffer<std::uint16_t> shorts;
        DoubleBuffer<std::uint32_t> words;
        std::unique_ptr<BucketMap> map;  // ordered, where there are buckets
        std::size_t slot = 0;            // of its buckets in a node's counts
        double low = 0, high = 1;        // keys of an ordered column with two levels
        [[nodiscard]] bool is_ordered() const { return kind == Kind::ordered; }
        [[nodiscard]] bool is_pair() const { return kind == Kind::pair; }
    };
    using Cells = std::unique_ptr<std::uint32_t[]>;
    struct Open {
        std::uint32_t node = 0;
        std::uint32_t n = 0;
        std::size_t begin = 0;
        std::int64_t depth = 0;
        bool has_lists = false;
        std::vector<std::uint32_t> counts;
        std::vector<std::uint32_t> active;
        Cells buckets;  // slots x buckets x K
    };
    struct Found {
        bool made = false;   // whether there is an offer
        bool stays = false;  // may still offer something further down
        double value = 0;    // V
        double information = 0;
        std::uint32_t at = 0;                  // ordered: rows of the left branch
        std::uint32_t bucket = 0;              // … of which the last lie in this bucket
        std::vector<std::uint32_t> groups[2];  // levels, binary shape
        double edges = 0;                      // the best V between two buckets
        std::vector<double> edge;              // V after each bucket, -1 where there is no cut
        std::vector<double> most;              // what a bucket may hide, -1: nothing
    };
    struct Worker {
        RowBits marked;
        LevelCounts levels;
        ClassBits classes;
        std::vector<std::uint32_t> below;
        std::vector<Found> found;
        std::vector<Offer> offers;
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
        std::vector<std::uint64_t> mask;
        std::vector<std::uint32_t> branch_of_row;
        std::vector<std::uint32_t> places;
        std::vector<Cells> spare;                // buckets of nodes that are done
        std::vector<DoubleBuffer<Entry>> lists;  // of the small node at hand
        GrowableBuffer<Entry> aside;        // a part of a list that is divided where it lies
        std::vector<std::uint32_t> global;  // its rows, by their number in the node
        std::size_t base = 0;               // where it begins
        RowSort sort;
        CodeSort code_sort;
        ShareSort shares;
        std::vector<std::uint32_t> hits;
        std::vector<std::uint32_t> run, run_hits;  // rows of buckets side by side
        std::vector<Entry> opened;
        std::vector<std::uint32_t> before, fine, start;
        Packed packed;
        std::vector<double> keys;
        std::array<double, n_buckets> edge, most;  // of the finer cells of a bucket
        TinyGrower<CountedKernel> tiny;
        std::vector<std::uint8_t> tiny_of_row;  // a row's number in the tiny table
    };

    // ---- preparation

    bool prepare(ThreadPool& pool, Open& root, const PollCallback& poll) {
        const std::size_t n = order_.n_rows;
        if (order_.is_ratio()) {
            for (std::uint32_t i = 2; i <= most_tiny; ++i) {
                for (std::uint32_t l = 1; l < i; ++l) {
                    information_[i][l] = information_of_two(l, i);
                }
            }
        }
        // A few thousand rows are sorted sooner than buckets for them are made and scanned.
        const bool is_short = n <= 8 * order_.small;
        // With many classes a bucket costs more to judge than a few rows.
        const std::size_t small = k_ > 2 ? 2 * order_.small : order_.small;
        small_ = is_short || order_.is_ratio() || k_ > most_bucketed ? n : small;
        lists_everywhere_ = n > order_.small && small_ == n;
        if constexpr (M::is_entropy) {  // whole lists of two classes want no steps
            log_.prepare(n, !(lists_everywhere_ && k_ == 2 && n < detail::most_convex));
        }
        has_finer_ = small_ < n && (order_.max_depth < 0 || order_.max_depth > shallow);
        workers_.resize(static_cast<std::size_t>(pool.size()));
        for (Worker& worker : workers_) {
            worker.marked.prepare(small_);
            worker.lists.resize(columns_.size());
            worker.found.resize(columns_.size());
        }
        const auto n_ordered = static_cast<std::size_t>(
            std::count_if(order_.columns.begin(), order_.columns.end(),
                          [](const GrowColumn& c) { return c.ordered; }));
        if (lists_everywhere_) {
            arena_.prepare(n_ordered * (n * sizeof(Entry) + Arena::alignment));
        } else if (small_ < n) {  // codes of buckets, and finer ones
            arena_.prepare(n_ordered * 2 * (n + Arena::alignment));
            if (has_finer_) {
                finer_arena_.prepare(n_ordered * 2 * (n + Arena::alignment));
            }
        }
        if (!lists_everywhere_ || !is_all_lists()) {  // entries have row and class themselves
            prepare_rows(n);
        }
        std::atomic<bool> whole{true};
        pool.run(columns_.size(), [&](std::size_t c, int) {
            if (!prepare_column(order_.columns[c], columns_[c])) {
                whole = false;
            }
        });
        if (whole && small_ < n) {
            return prepare_buckets(pool, root, poll);
        }
        return whole;
    }

    bool prepare_column(const GrowColumn& from, Column& to) {
        const std::size_t n = order_.n_rows;
        to.keys = {from.numbers, from.stride, from.codes};
        if (from.codes != nullptr) {
            if (*std::min_element(from.codes, from.codes + n) < 0) {
                return false;
            }
            to.kind = from.n_levels < 2    ? Kind::constant
                      : from.n_levels == 2 ? Kind::pair
                      : from.ordered       ? Kind::ordered
                                           : Kind::nominal;
        } else {
            to.kind = Kind::ordered;
        }
        if (to.kind == Kind::ordered) {
            if (small_ < n) {
                to.map = std::make_unique<BucketMap>();
                to.map->prepare(to.keys, n);
                to.bytes.prepare(n, &arena_);
                if (has_finer_) {
                    to.finer.prepare(n, &finer_arena_);
                }
            } else if (lists_everywhere_) {
                to.list.prepare_single(n, arena_);
                return from.codes == nullptr ? sort_list(from, to.list.at(0, 0))
                                             : count_list(from, to.list.at(0, 0));
            } else if (from.codes == nullptr) {
                for (std::size_t i = 0; i < n; ++i) {
                    if (!std::isfinite(from.numbers[i * from.stride])) {
                        return false;
                    }
                }
            }
        } else if (to.kind != Kind::constant) {
            if (from.n_levels <= 256) {
                copy_codes(from.codes, to.bytes);
            } else if (from.n_levels <= 65536) {
                copy_codes(from.codes, to.shorts);
            } else {
                copy_codes(from.codes, to.words);
            }
        }
        return true;
    }

    // Code all ordered columns, a few thousand rows at a time: numbers that lie row by row are
    // read from memory once.
    bool prepare_buckets(ThreadPool& pool, Open& root, const PollCallback& poll) {
        // Numbers that lie row by row: so many rows that they stay in the nearest cache.
        std::size_t reach = 1;
        for (const Column& column : columns_) {
            reach = std::max(reach, column.is_ordered() ? column.keys.stride : 1);
        }
        const std::size_t block = std::clamp<std::size_t>(2048 / reach, 64, 2048);
        const std::size_t n = order_.n_rows;
        std::vector<std::vector<std::unique_ptr<BucketMap>>> maps(workers_.size());
        for (auto& mine : maps) {
            for (const Column& column : columns_) {
                mine.push_back(column.map ? std::make_unique<BucketMap>(*column.map) : nullptr);
            }
        }
        std::atomic<bool> whole{true};
        pool.run((n + block - 1) / block, [&](std::size_t piece, int worker) {
            if (worker == 0 && poll) {
                poll();
            }
            auto& mine = maps[static_cast<std::size_t>(worker)];
            const std::size_t end = std::min(n, (piece + 1) * block);
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                if (!columns_[c].is_ordered()) {
                    continue;
                }
                const std::size_t begin = piece * block;
                std::uint8_t* codes = columns_[c].bytes.at(0, 0);
                if (!mine[c]->code(columns_[c].keys, begin, end, codes)) {
                    whole = false;
                }
                if (has_finer_ && !mine[c]->is_few()) {
                    mine[c]->refine(columns_[c].keys, begin, end, codes,
                                    columns_[c].finer.at(0, 0));
                }
            }
        });
        if (!whole) {
            return false;
        }
        n_slots_ = 0;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (columns_[c].is_ordered()) {
                for (const auto& mine : maps) {
                    columns_[c].map->merge(*mine[c]);
                }
                columns_[c].slot = n_slots_++;
            }
        }
        root.buckets = fresh(workers_[0]);
        pool.run(columns_.size(), [&](std::size_t c, int) {
            Column& column = columns_[c];
            if (column.is_ordered() && column.map->only_few()) {
                settle_few(column);
            } else if (column.is_ordered()) {
                std::uint32_t* cells = root.buckets.get() + column.slot * n_buckets * k_;
                count_buckets(column.bytes.at(0, 0), labels_.at(0, 0), n, cells);
                settle_kind(column, cells);
            }
            if (has_finer_ && column.is_ordered() && column.map->is_few()) {
                column.map->refine(column.keys, 0, n, column.bytes.at(0, 0),
                                   column.finer.at(0, 0));
            }
        });
        return true;
    }

    // A column of one value or two, coded 0 and 1.
    void settle_few(Column& column) {
        const std::uint8_t* codes = column.bytes.at(0, 0);
        const bool is_pair = std::memchr(codes, 0, order_.n_rows) != nullptr &&
                             std::memchr(codes, 1, order_.n_rows) != nullptr;
        column.kind = is_pair ? Kind::pair : Kind::constant;
        column.low = column.map->bound(0);
        column.high = column.map->bound(1);
        column.finer = {};
    }

    // An ordered column may turn out to have one value, or two.
    void settle_kind(Column& column, const std::uint32_t* cells) {
        std::vector<std::size_t> used;
        for (std::size_t b = 0; b < n_buckets; ++b) {
            const std::uint32_t* cell = cells + b * k_;
            if (std::any_of(cell, cell + k_, [](std::uint32_t c) { return c > 0; })) {
                if (column.map->is_many(b) || used.size() == 2) {
                    return;
                }
                used.push_back(b);
            }
        }
        column.kind = used.size() < 2 ? Kind::constant : Kind::pair;
        column.finer = {};
        if (column.is_pair()) {
            column.low = column.map->bound(used[0]);
            column.high = column.map->bound(used[1]);
            std::uint8_t* codes = column.bytes.at(0, 0);
            for (std::size_t i = 0; i < order_.n_rows; ++i) {
                codes[i] = codes[i] == used[0] ? 0 : 1;
            }
        }
    }

    Cells fresh(Worker& my) const {
        if (!my.spare.empty()) {
            Cells cells = std::move(my.spare.back());
            my.spare.pop_back();
            return cells;
        }
        return Cells(new std::uint32_t[n_slots_ * n_buckets * k_]);
    }

    void count_buckets(const std::uint8_t* codes, const std::uint16_t* labels, std::size_t n,
                       std::uint32_t* cells) const {
        std::fill(cells, cells + n_buckets * k_, 0U);
        if (k_ == 2) {
            for (std::size_t i = 0; i < n; ++i) {
                ++cells[codes[i] * 2U + labels[i]];
            }
            return;
        }
        for (std::size_t i = 0; i < n; ++i) {
            ++cells[codes[i] * k_ + labels[i]];
        }
    }

    [[nodiscard]] bool is_all_lists() const {
        return std::all_of(
            order_.columns.begin(), order_.columns.end(), [](const GrowColumn& column) {
                return column.ordered && (column.codes == nullptr || column.n_levels > 2);
            });
    }

    void prepare_rows(std::size_t n) {
        rows_.prepare(n);
        labels_.prepare(n);
        std::iota(rows_.at(0, 0), rows_.at(0, n), 0U);
        for (std::size_t i = 0; i < n; ++i) {
            labels_.at(0, 0)[i] = static_cast<std::uint16_t>(order_.target[i]);
        }
    }

    template <class T>
    void copy_codes(const std::int32_t* from, DoubleBuffer<T>& to) const {
        to.prepare(order_.n_rows);
        for (std::size_t i = 0; i < order_.n_rows; ++i) {
            to.at(0, 0)[i] = static_cast<T>(from[i]);
        }
    }

    [[nodiscard]] Entry entry_of(std::size_t row) const {
        return static_cast<Entry>(row) << packing_.shift() |
               static_cast<Entry>(order_.target[row]) << 1;
    }

    // False if a number is missing or infinite.
    bool sort_list(const GrowColumn& from, Entry* list) const {
        return each_in_order(from.numbers, from.stride, order_.n_rows,
                             [&](std::size_t row, bool differs) {
                                 *list++ = entry_of(row) | (differs ? 1U : 0U);
                             });
    }

    // Counting sort by code.
    bool count_list(const GrowColumn& from, Entry* list) const {
        const std::size_t n = order_.n_rows;
        const auto n_levels = static_cast<std::size_t>(from.n_levels);
        std::vector<std::uint32_t> place(n_levels + 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            ++place[static_cast<std::size_t>(from.codes[i]) + 1];
        }
        std::partial_sum(place.begin(), place.end(), place.begin());
        for (std::size_t i = 0; i < n; ++i) {
            list[place[static_cast<std::size_t>(from.codes[i])]++] = entry_of(i);
        }
        for (std::size_t code = 0; code + 1 < n_levels; ++code) {  // place[code] is its end now
            if (place[code] < n) {
                list[place[code]] |= 1U;
            }
        }
        return true;
    }

    // A node becomes small: sort its rows in every ordered column.
    void make_lists(Open& open, Worker& my) const {
        my.base = open.begin;
        std::uint32_t* rows = rows_.at(open.depth, open.begin);
        const std::uint16_t* labels = labels_.at(open.depth, open.begin);
        my.global.assign(rows, rows + open.n);
        std::iota(rows, rows + open.n, 0U);
        const auto tag_bits = static_cast<unsigned>(std::bit_width(small_));
        for (const std::uint32_t c : open.active) {
            const Column& column = columns_[c];
            if (!column.is_ordered()) {
                continue;
            }
            if (my.lists[c].empty()) {
                my.lists[c].prepare(small_);
            }
            Entry* list = my.lists[c].at(open.depth, 0);
            const auto put = [&](std::uint32_t i, std::uint32_t id, bool differs) {
                list[i] = static_cast<Entry>(id) << packing_.shift() |
                          static_cast<Entry>(labels[id]) << 1 | (differs ? 1U : 0U);
            };
            if (has_finer_) {
                my.code_sort.sort(
                    column.bytes.at(open.depth, open.begin),
                    column.finer.at(open.depth, open.begin), open.n,
                    [&](std::uint32_t id) { return column.keys.at(my.global[id]); },
                    [&](std::size_t b) { return column.map->is_many_inside(b); });
                for (std::uint32_t i = 0; i < open.n; ++i) {
                    put(i, my.code_sort.id(i), my.code_sort.differs(i));
                }
                continue;
            }
            my.sort.start(open.n, tag_bits);
            column.keys.gather(my.global.data(), open.n, my.sort.values());
            std::iota(my.sort.tags(), my.sort.tags() + open.n, 0U);
            my.sort.sort();
            for (std::uint32_t i = 0; i < open.n; ++i) {
                put(i, my.sort.tag(i), my.sort.differs(i));
            }
        }
        open.has_lists = true;
        if (open.buckets) {
            my.spare.push_back(std::move(open.buckets));
        }
    }

    // A node becomes tiny: its rows are numbered anew, by their place or by the first list.
    void make_tiny(const Open& open, Worker& my) const {
        TinyTable& table = my.tiny.table;
        table.start(open.n);
        my.tiny_of_row.resize(small_);
        const unsigned shift = packing_.shift();
        const bool by_list =
            !open.active.empty() &&
            std::all_of(open.active.begin(), open.active.end(),
                        [&](std::uint32_t c) { return columns_[c].is_ordered(); });
        const std::uint32_t* rows = by_list ? nullptr : rows_.at(open.depth, open.begin);
        const std::uint16_t* labels = by_list ? nullptr : labels_.at(open.depth, open.begin);
        const Entry* list =
            by_list ? list_at(open.active[0], my, open.depth, open.begin) : nullptr;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const std::size_t row =
                by_list ? static_cast<std::size_t>(list[i] >> shift) : rows[i];
            my.tiny_of_row[row] = static_cast<std::uint8_t>(i);
            table.rows[i] = static_cast<std::uint32_t>(global_row(my, row));
        }
        const Entry mask = (Entry{1} << packing_.class_bits) - 1;
        table.set_classes([&](std::uint32_t i) {
            return by_list ? static_cast<std::uint32_t>(list[i] >> 1 & mask) : labels[i];
        });
        for (const std::uint32_t c : open.active) {
            const Column& column = columns_[c];
            if (column.is_pair()) {
                const std::size_t j = table.add(c, TinyTable::Kind::pair);
                table.columns[j].ones =
                    detail::bits_of_bytes(column.bytes.at(open.depth, open.begin), open.n);
            } else if (column.is_ordered()) {
                const std::size_t j = table.add(c, TinyTable::Kind::ordered);
                list = list_at(c, my, open.depth, open.begin);
                std::uint8_t* ids = table.ids[0].data() + j * most_tiny;
                std::uint64_t differs = 0;
                for (std::uint32_t i = 0; i < open.n; ++i) {
                    ids[i] = my.tiny_of_row[static_cast<std::size_t>(list[i] >> shift)];
                    differs |= static_cast<std::uint64_t>(list[i] & 1U) << i;
                }
                table.differs[0][j] = differs;
            } else {
                const std::size_t j = table.add(c, TinyTable::Kind::nominal);
                std::uint32_t* codes = table.codes.data() + j * most_tiny;
                each_code(open, column,
                          [&](std::size_t i, std::uint32_t code) { codes[i] = code; });
                table.sort_codes(j, static_cast<std::size_t>(order_.columns[c].n_levels));
            }
        }
    }

    // Where an ordered column's list lies, of a node or (one deeper) of its child.
    Entry* list_at(std::size_t c, const Worker& my, std::int64_t depth,
                   std::size_t begin) const {
        return lists_everywhere_ ? columns_[c].list.at(depth, begin)
                                 : my.lists[c].at(depth, begin - my.base);
    }

    [[nodiscard]] std::size_t global_row(const Worker& my, std::size_t row) const {
        return lists_everywhere_ ? row : my.global[row];
    }

    struct Cut {
        double at = not_a_number;
        double low = not_a_number, high = not_a_number;
    };

    [[nodiscard]] Cut cut_of(std::size_t c, double low, double high) const {
        const GrowColumn& source = order_.columns[c];
        if (source.codes == nullptr) {
            return {midpoint(low, high), low, high};
        }
        if (source.levels == nullptr) {
            return {low};  // an ordered level: its position
        }
        low = source.levels[static_cast<std::int32_t>(low)];
        high = source.levels[static_cast<std::int32_t>(high)];
        return {midpoint(low, high), low, high};
    }

    // ---- nodes

    void add_node(Grove& grove, const std::uint32_t* counts) const {
        grove.nodes.emplace_back();
        grove.counts.insert(grove.counts.end(), counts, counts + k_);
    }

    [[nodiscard]] bool is_leaf(const std::uint32_t* counts, std::uint32_t n,
                               std::int64_t depth) const {
        return *std::max_element(counts, counts + k_) == n ||
               (order_.max_depth >= 0 && depth >= order_.max_depth) || n < order_.min_weight;
    }

    // Rows that a branch of a node must have.
    [[nodiscard]] std::uint32_t least_of(std::uint32_t n) const {
        return static_cast<std::uint32_t>(
            std::clamp(std::ceil(order_.min_branch), 1.0, static_cast<double>(n)));
    }

    void set_split(Grove& grove, std::uint32_t at, std::size_t c, const Cut& cut,
                   std::uint32_t first, std::size_t n_parts) const {
        Grove::Node& node = grove.nodes[at];
        node.column = static_cast<std::int32_t>(c);
        node.cut = cut.at;
        node.low = cut.low;
        node.high = cut.high;
        node.first_child = first;
        node.n_children = static_cast<std::uint32_t>(n_parts);
    }

    // The levels that lead into the node added last.
    static void set_levels(Grove& grove, const std::vector<std::uint32_t>& levels) {
        Grove::Node& child = grove.nodes.back();
        child.level_start = static_cast<std::uint32_t>(grove.levels.size());
        child.level_count = static_cast<std::uint32_t>(levels.size());
        grove.levels.insert(grove.levels.end(), levels.begin(), levels.end());
    }

    void subtree(Grove& grove, Open first, Worker& my, std::size_t large, ThreadPool* pool,
                 std::vector<Open>* later, const PollCallback& poll) {
        std::vector<Open> stack;
        stack.push_back(std::move(first));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (poll) {
                poll();
            }
            if (later != nullptr && open.n < large) {
                later->push_back(std::move(open));
                continue;
            }
            if (!open.has_lists && open.n <= small_) {
                if (lists_everywhere_) {
                    open.has_lists = true;
                } else {
                    make_lists(open, my);
                }
            }
            if (open.has_lists && open.n <= most_tiny) {
                make_tiny(open, my);
                my.tiny.grow(*this, grove, open.node, open.depth, my);
            } else if (pool != nullptr) {
                grow_node(grove, open, my, *pool, stack);
            } else {
                grow_node(grove, open, my, SerialPool{}, stack);
            }
        }
    }

    Worker& worker(int by, Worker& my) {
        return by < 0 ? my : workers_[static_cast<std::size_t>(by)];
    }

    template <class Pool>
    void grow_node(Grove& grove, Open& open, Worker& my, Pool&& pool,
                   std::vector<Open>& stack) {
        NodeFacts facts;
        facts.t = open.counts.data();
        facts.k = k_;
        facts.n = open.n;
        facts.least = least_of(open.n);
        M::facts(facts, log_);
        bool any_pair = false;
        for (const std::uint32_t c : open.active) {
            any_pair = any_pair || columns_[c].is_pair();
        }
        if (any_pair) {
            my.classes.prepare(labels_.at(open.depth, open.begin), open.n, k_);
        }
        pool.run(open.active.size(), [&](std::size_t i, int by) {
            const std::size_t c = open.active[i];
            Worker& mine = worker(by, my);
            search(c, open, facts, mine, my.classes, my.found[c], my);
        });
        if (!open.has_lists) {
            open_buckets(open, facts, my, pool);
        }
        order_.look(open.n);
        const int winner = choose_column(open, facts, my);
        if (winner < 0) {
            order_.place(open.n);
            return;
        }
        grove.set_ties(open.node, my.ties);
        divide(grove, open, static_cast<std::size_t>(winner), my, pool, stack);
    }

    // ---- search

    void search(std::size_t c, const Open& open, const NodeFacts& f, Worker& my,
                const ClassBits& classes, Found& found, const Worker& owner) const {
        const Column& column = columns_[c];
        found.made = false;
        found.stays = false;
        if (column.is_ordered()) {
            if (!open.has_lists) {
                scan_buckets(column, open, f, my, found);
                return;
            }
            my.below.assign(k_, 0);
            const BestCut best =
                best_cut(ListView<Entry>{list_at(c, owner, open.depth, open.begin), open.n,
                                         packing_.shift()},
                         f, M{}, log_, my.below, wide_);
            found.made = best.at > 0;
            found.value = best.value;
            found.at = best.at;
            found.stays = found.made;
            if (order_.is_ratio() && found.stays) {
                found.information = information_of_two(best.at, open.n);
            }
            return;
        }
        if (column.is_pair()) {
            my.below.resize(k_);
            count_ones(column.bytes.at(open.depth, open.begin), classes, open.n, k_,
                       my.below.data(), wide_);
            const std::uint32_t ones =
                std::accumulate(my.below.begin(), my.below.end(), std::uint32_t{0});
            const std::uint32_t zeros = open.n - ones;
            found.stays = ones > 0 && zeros > 0;
            if (zeros >= f.least && ones >= f.least) {
                for (std::size_t k = 0; k < k_; ++k) {
                    my.below[k] = f.t[k] - my.below[k];
                }
                found.made = true;
                found.value = M::of_two(f, my.below.data(), zeros, log_);
                if (order_.is_ratio()) {
                    found.information = information_of_two(zeros, open.n);
                }
            }
            return;
        }
        count(column, open, order_.columns[c].n_levels, my.levels);
        weigh_levels(my.levels, f, my, found);
    }

    // What the levels of a nominal column offer.
    void weigh_levels(const LevelCounts& levels, const NodeFacts& f, Worker& my,
                      Found& found) const {
        const std::size_t n_parts = levels.codes.size();
        found.stays = n_parts > 1;
        if (n_parts < 2) {
            return;
        }
        if (!order_.multiway) {
            group(levels, f, my, found);
            return;
        }
        std::size_t heavy = 0;
        for (const std::uint32_t size : levels.sizes) {
            heavy += size >= f.least ? 1U : 0U;
        }
        if (heavy >= 2) {
            found.made = true;
            found.value =
                M::of_parts(f, levels.cells.data(), levels.sizes.data(), n_parts, log_);
            if (order_.is_ratio()) {
                std::vector<double> sizes(levels.sizes.begin(), levels.sizes.end());
                std::vector<double> spare(n_parts);
                found.information = bits(sizes.data(), n_parts, spare.data());
            }
        }
    }

    // What lies between buckets, and what each may hide.
    void scan_buckets(const Column& column, const Open& open, const NodeFacts& f, Worker& my,
                      Found& found) const {
        const std::uint32_t* cells = open.buckets.get() + column.slot * n_buckets * k_;
        my.below.assign(k_, 0);
        found.edge.resize(n_buckets);
        found.most.resize(n_buckets);
        const auto is_many = [&](std::size_t b) { return column.map->is_many(b); };
        const Scan scan = scan_cells(cells, n_buckets, is_many, f, my.below.data(), 0,
                                     found.edge.data(), found.most.data());
        found.edges = scan.best;
        found.stays = scan.n_used > 1 || scan.any_many;
    }

    struct Scan {
        double best = -1;  // the best V between two cells
        std::size_t n_used = 0;
        bool any_many = false;
    };

    // V after each cell, -1 where there is no cut, and what each may hide, -1: nothing. `below`
    // are the rows before the first cell, `l` of them.
    template <class IsMany>
    Scan scan_cells(const std::uint32_t* cells, std::size_t n_cells, IsMany&& is_many,
                    const NodeFacts& f, std::uint32_t* below, std::uint32_t l, double* edge,
                    double* most) const {
        Scan scan;
        for (std::size_t b = 0; b < n_cells; ++b) {
            const std::uint32_t* inside = cells + b * k_;
            std::uint32_t m = 0;
            for (std::size_t k = 0; k < k_; ++k) {
                m += inside[k];
            }
            edge[b] = -1;
            most[b] = -1;
            if (m == 0) {
                continue;
            }
            ++scan.n_used;
            if (m > 1 && is_many(b)) {
                scan.any_many = true;
                most[b] = most_inside(M{}, f, below, l, inside, m, log_);
                if (l > 0 &&
                    l < f.least) {  // no cut there, but one inside may be nearly as good
                    most[b] = std::max(most[b], M::of_two(f, below, l, log_));
                }
            }
            for (std::size_t k = 0; k < k_; ++k) {
                below[k] += inside[k];
            }
            l += m;
            if (l >= f.least && f.n - l >= f.least) {
                edge[b] = std::max(0.0, M::of_two(f, below, l, log_));
                scan.best = std::max(scan.best, edge[b]);
            } else if (l < f.n && most[b] >= 0) {
                most[b] = std::max(most[b], M::of_two(f, below, l, log_));
            }
        }
        return scan;
    }

    // Open the buckets that may still hide the best cut of the node, or one as good.
    template <class Pool>
    void open_buckets(const Open& open, const NodeFacts& f, Worker& my, Pool&& pool) {
        double best = 0;
        for (const std::uint32_t c : open.active) {
            const Found& found = my.found[c];
            best = std::max(best, columns_[c].is_ordered() ? found.edges
                                  : found.made             ? found.value
                                                           : 0.0);
        }
        std::atomic<double> so_far{best};
        pool.run(open.active.size(), [&](std::size_t i, int by) {
            const std::size_t c = open.active[i];
            if (columns_[c].is_ordered()) {
                open_column(c, open, f, by < 0 ? my : workers_[static_cast<std::size_t>(by)],
                            my.found[c], so_far);
            }
        });
    }

    void open_column(std::size_t c, const Open& open, const NodeFacts& f, Worker& my,
                     Found& found, std::atomic<double>& so_far) const {
        const Column& column = columns_[c];
        const auto bar = [&] {  // what is below has no part in the choice, ties included
            return so_far.load(std::memory_order_relaxed) * (1 - 1e-11) - 3 * f.slack;
        };
        const std::uint32_t* cells = open.buckets.get() + column.slot * n_buckets * k_;
        const std::uint8_t* codes = column.bytes.at(open.depth, open.begin);
        const std::uint32_t* rows = rows_.at(open.depth, open.begin);
        const std::uint16_t* labels = labels_.at(open.depth, open.begin);
        my.before.assign(k_, 0);
        std::uint32_t l = 0;
        found.made = false;
        const auto offer = [&](double value, std::uint32_t at, std::size_t b) {
            if (!found.made || value > found.value + f.slack) {
                found.value = !found.made && value <= f.slack ? 0 : value;
                found.at = at;
                found.bucket = static_cast<std::uint32_t>(b);
                found.made = true;
            }
        };
        const auto raise = [&](double value) {
            double old = so_far.load(std::memory_order_relaxed);
            while (value > old && !so_far.compare_exchange_weak(old, value)) {
            }
        };
        // Rows (by their place in the node) as a list sorted by value, in my.opened.
        const auto sort_rows = [&] {
            my.sort.start(my.hits.size(), packing_.class_bits);
            std::uint32_t* tags = my.sort.tags();
            for (std::size_t i = 0; i < my.hits.size(); ++i) {
                tags[i] = labels[my.hits[i]];
                my.hits[i] = rows[my.hits[i]];
            }
            column.keys.gather(my.hits.data(), my.hits.size(), my.sort.values());
            my.sort.sort();
            my.opened.resize(my.hits.size());
            for (std::size_t i = 0; i < my.hits.size(); ++i) {
                my.opened[i] =
                    static_cast<Entry>(my.sort.tag(i)) << 1 | (my.sort.differs(i) ? 1U : 0U);
            }
        };
        // The best cut inside a stretch of my.opened, after `before` rows.
        const auto look_inside = [&](std::size_t first, std::uint32_t size,
                                     std::uint32_t before, std::size_t b) {
            if (size < 2) {
                return;
            }
            my.opened[first] &= ~Entry{1};
            const BestCut best = best_cut(
                ListView<Entry>{my.opened.data() + first, size, packing_.shift(), before}, f,
                M{}, log_, my.below, wide_);
            if (best.at > 0) {
                offer(best.value, best.at, b);
                raise(best.value);
            }
        };
        std::size_t run_end = 0;  // of the buckets whose rows have been fetched
        std::size_t place = 0;    // where those of bucket b begin
        for (std::size_t b = 0; b < n_buckets; ++b) {
            const std::uint32_t* inside = cells + b * k_;
            const std::uint32_t m = std::accumulate(inside, inside + k_, std::uint32_t{0});
            if (found.most[b] >= bar()) {
                const auto bucket = static_cast<std::uint8_t>(b);
                if (!has_finer_ || m < few_in_bucket()) {
                    if (b >= run_end) {
                        run_end = fetch_run(b, codes, cells, open.n, found, bar(), my);
                        place = 0;
                    }
                    my.hits.assign(my.run.begin() + static_cast<std::ptrdiff_t>(place),
                                   my.run.begin() + static_cast<std::ptrdiff_t>(place + m));
                    sort_rows();
                    my.below = my.before;
                    look_inside(0, m, l, b);
                } else {
                    // As many finer cells as leave a few rows in each.
                    const auto bits = static_cast<unsigned>(
                        std::clamp(static_cast<int>(std::bit_width(m)) - 3, 4, 7));
                    const std::size_t n_cells = std::size_t{1} << bits;
                    const std::uint8_t* finer = column.finer.at(open.depth, open.begin);
                    const FinerView view{codes, finer, labels, open.n, 8 - bits, k_};
                    my.fine.assign(n_cells * k_, 0);
                    count_in_bucket(view, bucket, m, my.fine.data(), my.packed, wide_);
                    my.start = my.before;
                    const Scan scan = scan_cells(
                        my.fine.data(), n_cells, [](std::size_t) { return true; }, f,
                        my.start.data(), l, my.edge.data(), my.most.data());
                    raise(scan.best);
                    const double least = bar();
                    rows_in_cells(view, bucket, m, my.most.data(), least, my.hits, wide_);
                    sort_rows();
                    my.start = my.before;
                    std::size_t first = 0;
                    std::uint32_t before = l;
                    for (std::size_t cell = 0; cell < n_cells; ++cell) {
                        const std::uint32_t* rows_of = my.fine.data() + cell * k_;
                        const std::uint32_t size =
                            std::accumulate(rows_of, rows_of + k_, std::uint32_t{0});
                        if (my.most[cell] >= least) {
                            my.below = my.start;
                            look_inside(first, size, before, b);
                            first += size;
                        }
                        for (std::size_t k = 0; k < k_; ++k) {
                            my.start[k] += rows_of[k];
                        }
                        before += size;
                        if (my.edge[cell] >= 0 && before < l + m) {
                            offer(my.edge[cell], before, b);
                        }
                    }
                }
            }
            for (std::size_t k = 0; k < k_; ++k) {
                my.before[k] += inside[k];
            }
            l += m;
            place += m;
            if (found.edge[b] >= 0) {
                offer(found.edge[b], l, b);
            }
        }
    }

    // Fetch the rows of bucket b, and of those behind it that are to be opened too, into
    // my.run, bucket after bucket; returns the first bucket that is not among them.
    std::size_t fetch_run(std::size_t b, const std::uint8_t* codes, const std::uint32_t* cells,
                          std::uint32_t n, const Found& found, double least, Worker& my) const {
        std::array<std::uint32_t, n_buckets> start;
        std::uint32_t size = 0;
        std::size_t end = b;
        for (; end < n_buckets; ++end) {
            const std::uint32_t* cell = cells + end * k_;
            const std::uint32_t m = std::accumulate(cell, cell + k_, std::uint32_t{0});
            if (end > b && (found.most[end] < least || (has_finer_ && m >= few_in_bucket()))) {
                break;
            }
            start[end] = size;
            size += m;
        }
        const auto first = static_cast<std::uint8_t>(b);
        const auto last = static_cast<std::uint8_t>(end - 1);
        if (first == last) {
            rows_in_run(codes, n, first, last, size, my.run, wide_);
            return end;
        }
        rows_in_run(codes, n, first, last, size, my.run_hits, wide_);
        my.run.resize(size);
        for (const std::uint32_t at : my.run_hits) {
            my.run[start[codes[at]]++] = at;
        }
        return end;
    }

    [[nodiscard]] double information_of_few(std::uint32_t l, std::uint32_t n) const {
        return information_[n][l];
    }

    static double information_of_two(std::uint32_t l, std::uint32_t n) {
        const double sizes[2] = {static_cast<double>(l), static_cast<double>(n - l)};
        double spare[2];
        return bits(sizes, 2, spare);
    }

    void count(const Column& column, const Open& open, std::int32_t n_levels,
               LevelCounts& out) const {
        const std::uint16_t* labels = labels_.at(open.depth, open.begin);
        const auto levels = static_cast<std::size_t>(n_levels);
        if (!column.bytes.empty()) {
            count_levels(column.bytes.at(open.depth, open.begin), labels, open.n, levels, k_,
                         out);
        } else if (!column.shorts.empty()) {
            count_levels(column.shorts.at(open.depth, open.begin), labels, open.n, levels, k_,
                         out);
        } else {
            count_levels(column.words.at(open.depth, open.begin), labels, open.n, levels, k_,
                         out);
        }
    }

    // The best division of levels into two groups (search._groupings).
    void group(const LevelCounts& levels, const NodeFacts& f, Worker& my, Found& found) const {
        const std::size_t n = levels.codes.size();
        double best = 0;
        std::size_t at = 0;  // 1 + the best candidate
        const auto offer = [&](std::size_t candidate, const std::uint32_t* left,
                               std::uint32_t l) {
            if (l < f.least || f.n - l < f.least) {
                return;
            }
            const double value = M::of_two(f, left, l, log_);
            if (at == 0 || value > best + f.slack) {
                best = at == 0 && value <= f.slack ? 0 : value;
                at = candidate + 1;
            }
        };
        const auto put = [&](std::size_t level, bool right) {
            found.groups[right ? 1 : 0].push_back(levels.codes[level]);
        };
        found.groups[0].clear();
        found.groups[1].clear();
        std::uint32_t left_size = 0;
        if (k_ == 2 || n > all_subsets) {
            std::vector<std::uint32_t> along;
            if (k_ > 2) {
                along = order_along(levels.cells.data(), n, f.k);
            }
            const std::vector<std::uint32_t>& by_share =
                k_ > 2 ? along : my.shares.order(levels.cells.data(), levels.sizes.data(), n);
            my.below.assign(f.k, 0);
            std::vector<std::size_t> rank(n);
            for (std::size_t i = 0; i < n; ++i) {
                rank[by_share[i]] = i;
                if (i + 1 < n) {
                    for (std::size_t k = 0; k < f.k; ++k) {
                        my.below[k] += levels.cells[f.k * by_share[i] + k];
                    }
                    left_size += levels.sizes[by_share[i]];
                    offer(i, my.below.data(), left_size);
                }
            }
            for (std::size_t i = 0; at > 0 && i < n; ++i) {
                put(i, rank[i] >= at);
            }
        } else {  // more classes: every grouping; the last level is always in group 1
            const std::size_t n_subsets = std::size_t{1} << (n - 1);
            std::vector<std::uint32_t> sums(n_subsets * f.k, 0);
            std::vector<std::uint32_t> sizes(n_subsets, 0);
            for (std::size_t number = 1; number < n_subsets; ++number) {
                const auto level = static_cast<std::size_t>(std::countr_zero(number));
                const std::size_t rest = number & (number - 1);
                for (std::size_t k = 0; k < f.k; ++k) {
                    sums[number * f.k + k] =
                        sums[rest * f.k + k] + levels.cells[level * f.k + k];
                }
                sizes[number] = sizes[rest] + levels.sizes[level];
                offer(number - 1, sums.data() + number * f.k, sizes[number]);
            }
            for (std::size_t i = 0; at > 0 && i < n; ++i) {
                put(i, (at >> i & 1U) == 0);
            }
        }
        if (at > 0) {
            found.made = true;
            found.value = best;
            std::uint32_t l = 0;
            std::size_t next = 0;
            for (std::size_t i = 0; i < n; ++i) {
                if (next < found.groups[0].size() && found.groups[0][next] == levels.codes[i]) {
                    l += levels.sizes[i];
                    ++next;
                }
            }
            found.information = information_of_two(l, f.n);
        }
    }

    int choose_column(const Open& open, const NodeFacts& f, Worker& my) const {
        my.ties.clear();
        if (order_.is_ratio()) {
            my.offers.assign(columns_.size(), Offer{});
            for (const std::uint32_t c : open.active) {
                const Found& found = my.found[c];
                if (found.made) {
                    const double value = found.value <= f.slack ? 0 : found.value;
                    my.offers[c] = {value * f.unit, found.information, f.impurity};
                }
            }
            return choose(my.offers, true, my.scores, my.ties);
        }
        double best = -1;
        for (const std::uint32_t c : open.active) {
            Found& found = my.found[c];
            if (found.made) {
                found.value = found.value <= f.slack ? 0 : found.value;
                best = std::max(best, found.value);
            }
        }
        if (best < 0) {
            return -1;
        }
        for (const std::uint32_t c : open.active) {
            if (my.found[c].made && my.found[c].value + f.slack >= best) {
                my.ties.push_back(static_cast<std::int32_t>(c));
            }
        }
        return my.ties.front();
    }

    // ---- division

    template <class Pool>
    void divide(Grove& grove, Open& open, std::size_t c, Worker& my, Pool&& pool,
                std::vector<Open>& stack) {
        const Column& column = columns_[c];
        const Found& found = my.found[c];
        const GrowColumn& source = order_.columns[c];
        std::vector<std::uint32_t> counts;  // K a branch
        std::vector<std::uint32_t> sizes;
        std::vector<std::vector<std::uint32_t>> levels;  // into each branch
        Cut cut;
        if (column.is_ordered() && !open.has_lists) {
            cut = cut_bucket(c, open, found, my, counts);
            sizes = {found.at, open.n - found.at};
        } else if (column.is_ordered()) {
            const Entry* list = list_at(c, my, open.depth, open.begin);
            const unsigned shift = packing_.shift();
            const Entry mask = (Entry{1} << packing_.class_bits) - 1;
            const bool left_is_smaller = found.at <= open.n - found.at;
            counts.assign(2 * k_, 0);
            std::uint32_t* few = counts.data() + (left_is_smaller ? 0 : k_);
            std::uint32_t* many = counts.data() + (left_is_smaller ? k_ : 0);
            const std::uint32_t from = left_is_smaller ? 0 : found.at;
            const std::uint32_t to = left_is_smaller ? found.at : open.n;
            for (std::uint32_t i = from; i < to; ++i) {
                ++few[list[i] >> 1 & mask];
            }
            for (std::size_t k = 0; k < k_; ++k) {
                many[k] = open.counts[k] - few[k];
            }
            sizes = {found.at, open.n - found.at};
            const auto key = [&](std::uint32_t i) {
                return column.keys.at(
                    global_row(my, static_cast<std::size_t>(list[i] >> shift)));
            };
            cut = cut_of(c, key(found.at - 1), key(found.at));
        } else {
            count(column, open, std::max(source.n_levels, 2), my.levels);
            const LevelCounts& present = my.levels;
            if (source.ordered) {
                cut = cut_of(c, column.low, column.high);
            }
            if (order_.multiway || source.ordered) {
                counts = present.cells;
                sizes = present.sizes;
                for (const std::uint32_t code : present.codes) {
                    levels.push_back({code});
                }
            } else {
                levels = groups_of(column, found, present);
                counts.assign(2 * k_, 0);
                sizes.assign(2, 0);
                for (std::size_t b = 0; b < 2; ++b) {
                    for (const std::uint32_t code : levels[b]) {
                        const auto i = static_cast<std::size_t>(
                            std::lower_bound(present.codes.begin(), present.codes.end(), code) -
                            present.codes.begin());
                        sizes[b] += present.sizes[i];
                        for (std::size_t k = 0; k < k_; ++k) {
                            counts[b * k_ + k] += present.cells[i * k_ + k];
                        }
                    }
                }
            }
        }
        if (order_.min_gain > 0 &&
            gain_of(open.counts, open.n, counts, sizes.size()) < order_.min_gain) {
            order_.place(open.n);
            return;
        }

        // The nodes.
        const std::size_t n_parts = sizes.size();
        const auto first = static_cast<std::uint32_t>(grove.nodes.size());
        set_split(grove, open.node, c, cut, first, n_parts);
        std::vector<std::uint32_t> still;
        const bool spent = column.is_pair() || (!source.ordered && order_.multiway);
        for (const std::uint32_t other : open.active) {
            if (my.found[other].stays && !(spent && other == c)) {
                still.push_back(other);
            }
        }
        std::vector<bool> lives(n_parts);
        bool any_lives = false;
        for (std::size_t b = 0; b < n_parts; ++b) {
            const std::uint32_t* of_branch = counts.data() + b * k_;
            add_node(grove, of_branch);
            if (!source.ordered) {
                set_levels(grove, levels[b]);
            }
            lives[b] = !still.empty() && !is_leaf(of_branch, sizes[b], open.depth + 1);
            any_lives = any_lives || lives[b];
            if (!lives[b]) {
                order_.place(sizes[b]);
            }
        }
        if (!any_lives) {
            return;
        }

        // The rows.
        std::vector<Cells> buckets(n_parts);
        if (n_parts == 2) {
            divide_in_two(open, c, my, sizes, levels, lives, still, pool, buckets);
        } else {
            divide_in_many(open, c, my, sizes, levels, lives, still, pool, buckets);
        }
        // The smaller branch is taken first: the others that wait are then few.
        std::vector<std::size_t> starts(n_parts, open.begin);
        for (std::size_t b = 1; b < n_parts; ++b) {
            starts[b] = starts[b - 1] + sizes[b - 1];
        }
        for (std::size_t i = 0; i < n_parts; ++i) {
            const std::size_t b = n_parts == 2 && sizes[0] > sizes[1] ? i : n_parts - 1 - i;
            if (lives[b]) {
                Open child;
                child.node = first + static_cast<std::uint32_t>(b);
                child.n = sizes[b];
                child.begin = starts[b];
                child.has_lists = open.has_lists;
                child.buckets = std::move(buckets[b]);
                child.depth = open.depth + 1;
                child.counts.assign(counts.data() + b * k_, counts.data() + (b + 1) * k_);
                child.active = still;
                stack.push_back(std::move(child));
            }
        }
        if (open.buckets) {
            my.spare.push_back(std::move(open.buckets));
        }
    }

    // Find the values on both sides of a cut, count both branches, and mark the rows of the
    // left.
    Cut cut_bucket(std::size_t c, const Open& open, const Found& found, Worker& my,
                   std::vector<std::uint32_t>& counts) const {
        const Column& column = columns_[c];
        const std::uint32_t* cells = open.buckets.get() + column.slot * n_buckets * k_;
        const std::uint8_t* codes = column.bytes.at(open.depth, open.begin);
        const std::uint32_t* rows = rows_.at(open.depth, open.begin);
        const std::uint16_t* labels = labels_.at(open.depth, open.begin);
        counts.assign(2 * k_, 0);
        std::uint32_t l = 0;
        for (std::size_t at = 0; at < found.bucket * k_; ++at) {
            counts[at % k_] += cells[at];
            l += cells[at];
        }
        my.mask.assign((open.n + 63) / 64, 0);
        for (std::uint32_t i = 0; i < open.n; ++i) {
            my.mask[i / 64] |= static_cast<std::uint64_t>(codes[i] < found.bucket) << (i % 64);
        }
        const auto rows_of = [&](std::size_t b) {
            const std::uint32_t* cell = cells + b * k_;
            const auto bucket = static_cast<std::uint8_t>(b);
            rows_in_run(codes, open.n, bucket, bucket,
                        std::accumulate(cell, cell + k_, std::size_t{0}), my.hits, wide_);
        };
        rows_of(found.bucket);
        my.keys.clear();
        for (const std::uint32_t at : my.hits) {
            my.keys.push_back(column.keys.at(rows[at]));
        }
        std::vector<double> sorted = my.keys;
        const auto middle = sorted.begin() + (found.at - l - 1);
        std::nth_element(sorted.begin(), middle, sorted.end());
        const double low = *middle;
        for (std::size_t i = 0; i < my.hits.size(); ++i) {
            if (my.keys[i] <= low) {
                const std::uint32_t at = my.hits[i];
                my.mask[at / 64] |= std::uint64_t{1} << (at % 64);
                ++counts[labels[at]];
            }
        }
        for (std::size_t k = 0; k < k_; ++k) {
            counts[k_ + k] = open.counts[k] - counts[k];
        }
        if (found.at - l < sorted.size()) {
            return cut_of(c, low, *std::min_element(middle + 1, sorted.end()));
        }
        std::size_t next = found.bucket + 1;
        while (std::all_of(cells + next * k_, cells + (next + 1) * k_,
                           [](std::uint32_t count) { return count == 0; })) {
            ++next;
        }
        rows_of(next);
        double high = std::numeric_limits<double>::infinity();
        for (const std::uint32_t at : my.hits) {
            high = std::min(high, column.keys.at(rows[at]));
        }
        return cut_of(c, low, high);
    }

    // The levels of both groups; those of a column with two levels were not kept by `search`.
    std::vector<std::vector<std::uint32_t>> groups_of(const Column& column, const Found& found,
                                                      const LevelCounts& present) const {
        if (!column.is_pair()) {
            return {found.groups[0], found.groups[1]};
        }
        const auto share = [&](std::size_t i) {
            return static_cast<double>(present.cells[i * k_]) / present.sizes[i];
        };
        const bool swapped = k_ == 2 && share(1) < share(0);
        return {{swapped ? 1U : 0U}, {swapped ? 0U : 1U}};
    }

    [[nodiscard]] double gain_of(const std::vector<std::uint32_t>& total, std::uint32_t n,
                                 const std::vector<std::uint32_t>& counts,
                                 std::size_t n_parts) const {
        Scorer scorer(order_.measure, k_);
        const std::vector<double> whole(total.begin(), total.end());
        const std::vector<double> parts(counts.begin(), counts.end());
        return scorer.gain(scorer.impurity(whole.data()), static_cast<double>(n), parts.data(),
                           n_parts);
    }

    template <class Pool>
    void divide_in_two(const Open& open, std::size_t c, Worker& my,
                       const std::vector<std::uint32_t>& sizes,
                       const std::vector<std::vector<std::uint32_t>>& levels,
                       const std::vector<bool>& lives, const std::vector<std::uint32_t>& still,
                       Pool&& pool, std::vector<Cells>& buckets) {
        const Column& column = columns_[c];
        const bool left_is_marked = sizes[0] <= sizes[1];
        bool any_list = false;
        bool any_block = false;
        for (const std::uint32_t other : still) {
            const bool is_list = columns_[other].is_ordered() && open.has_lists;
            (is_list ? any_list : any_block) = true;
        }
        // Mark the rows of the smaller branch, by position and by row number.
        const bool by_list = column.is_ordered() && open.has_lists;
        if (column.is_ordered() && !open.has_lists) {  // cut_bucket has marked the left
            if (!left_is_marked) {
                for (std::uint64_t& word : my.mask) {
                    word = ~word;
                }
            }
        } else if (by_list) {
            const Entry* list = list_at(c, my, open.depth, open.begin);
            const std::uint32_t from = left_is_marked ? 0 : sizes[0];
            const std::uint32_t to = left_is_marked ? sizes[0] : open.n;
            for (std::uint32_t i = from; i < to; ++i) {
                my.marked.set(static_cast<std::size_t>(list[i] >> packing_.shift()));
            }
            if (any_block) {
                const std::uint32_t* rows = rows_.at(open.depth, open.begin);
                my.mask.assign((open.n + 63) / 64, 0);
                for (std::uint32_t i = 0; i < open.n; ++i) {
                    my.mask[i / 64] |= static_cast<std::uint64_t>(my.marked.get(rows[i]))
                                       << (i % 64);
                }
            }
        } else {
            mark_levels(open, column, levels[left_is_marked ? 0 : 1],
                        std::max(order_.columns[c].n_levels, 2), my);
            if (any_list) {
                const std::uint32_t* rows = rows_.at(open.depth, open.begin);
                each_marked(my, open.n, [&](std::size_t i) { my.marked.set(rows[i]); });
            }
        }
        const std::size_t starts[2] = {open.begin, open.begin + sizes[0]};
        const std::size_t marked = left_is_marked ? 0 : 1;
        const std::size_t plain = 1 - marked;
        // Buckets of the larger branch are those of the node less those of the smaller.
        const auto counts_buckets = [&](std::size_t b) {
            return !open.has_lists && lives[b] && sizes[b] > small_;
        };
        const bool counts_any = counts_buckets(plain) || counts_buckets(marked);
        const bool moves[2] = {lives[0] || (counts_any && marked == 0),
                               lives[1] || (counts_any && marked == 1)};
        if (counts_any) {
            buckets[marked] = fresh(my);
            buckets[plain] = fresh(my);
        }
        const auto move = [&](const auto& buffer) {
            split_by_mask(buffer.at(open.depth, open.begin), my.mask.data(), open.n,
                          moves[plain] ? buffer.at(open.depth + 1, starts[plain]) : nullptr,
                          moves[marked] ? buffer.at(open.depth + 1, starts[marked]) : nullptr,
                          wide_);
        };
        if (any_block) {
            pool.run(2, [&](std::size_t i, int) {
                if (i == 0) {
                    move(rows_);
                } else {
                    move(labels_);
                }
            });
        }
        pool.run(still.size(), [&](std::size_t i, int by) {
            const Column& other = columns_[still[i]];
            if (other.is_ordered() && open.has_lists) {
                Entry* const right = list_at(still[i], my, open.depth + 1, starts[1]);
                Entry* to[2] = {
                    lives[0] ? list_at(still[i], my, open.depth + 1, starts[0]) : nullptr,
                    lives[1] ? right : nullptr};
                if (lists_everywhere_ && lives[1]) {  // the left stays where the node is
                    to[1] = worker(by, my).aside.reset(sizes[1]);
                }
                partition_two(ListView<Entry>{list_at(still[i], my, open.depth, open.begin),
                                              open.n, packing_.shift()},
                              my.marked, to[plain], to[marked], wide_);
                if (lists_everywhere_ && lives[1]) {
                    std::copy_n(to[1], sizes[1], right);
                }
            } else if (!other.bytes.empty()) {
                move(other.bytes);
                if (!other.finer.empty()) {
                    move(other.finer);
                }
                if (other.is_ordered() && counts_any) {
                    const std::size_t at = other.slot * n_buckets * k_;
                    std::uint32_t* few = buckets[marked].get() + at;
                    count_buckets(other.bytes.at(open.depth + 1, starts[marked]),
                                  labels_.at(open.depth + 1, starts[marked]), sizes[marked],
                                  few);
                    const std::uint32_t* all = open.buckets.get() + at;
                    std::uint32_t* many = buckets[plain].get() + at;
                    for (std::size_t cell = 0; cell < n_buckets * k_; ++cell) {
                        many[cell] = all[cell] - few[cell];
                    }
                }
            } else if (!other.shorts.empty()) {
                move(other.shorts);
            } else {
                move(other.words);
            }
        });
        for (std::size_t b = 0; b < 2; ++b) {
            if (buckets[b] && !counts_buckets(b)) {
                my.spare.push_back(std::move(buckets[b]));
            }
        }
        // Leave no mark behind.
        if (by_list) {
            const Entry* list = list_at(c, my, open.depth, open.begin);
            const std::uint32_t from = left_is_marked ? 0 : sizes[0];
            const std::uint32_t to = left_is_marked ? sizes[0] : open.n;
            for (std::uint32_t i = from; i < to; ++i) {
                my.marked.clear(static_cast<std::size_t>(list[i] >> packing_.shift()));
            }
        } else if (any_list) {
            const std::uint32_t* rows = rows_.at(open.depth, open.begin);
            each_marked(my, open.n, [&](std::size_t i) { my.marked.clear(rows[i]); });
        }
    }

    template <class F>
    static void each_marked(const Worker& my, std::size_t n, F&& visit) {
        for (std::size_t w = 0; w < (n + 63) / 64; ++w) {
            for (std::uint64_t word = my.mask[w]; word != 0; word &= word - 1) {
                visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
            }
        }
    }

    void mark_levels(const Open& open, const Column& column,
                     const std::vector<std::uint32_t>& codes, std::int32_t n_levels,
                     Worker& my) const {
        std::vector<std::uint8_t> in(static_cast<std::size_t>(n_levels), 0);
        for (const std::uint32_t code : codes) {
            in[code] = 1;
        }
        my.mask.assign((open.n + 63) / 64, 0);
        each_code(open, column, [&](std::size_t i, std::uint32_t code) {
            my.mask[i / 64] |= static_cast<std::uint64_t>(in[code]) << (i % 64);
        });
    }

    template <class F>
    void each_code(const Open& open, const Column& column, F&& visit) const {
        const auto walk = [&](const auto* codes) {
            for (std::size_t i = 0; i < open.n; ++i) {
                visit(i, static_cast<std::uint32_t>(codes[i]));
            }
        };
        if (!column.bytes.empty()) {
            walk(column.bytes.at(open.depth, open.begin));
        } else if (!column.shorts.empty()) {
            walk(column.shorts.at(open.depth, open.begin));
        } else {
            walk(column.words.at(open.depth, open.begin));
        }
    }

    template <class Pool>
    void divide_in_many(const Open& open, std::size_t c, Worker& my,
                        const std::vector<std::uint32_t>& sizes,
                        const std::vector<std::vector<std::uint32_t>>& levels,
                        const std::vector<bool>& lives, const std::vector<std::uint32_t>& still,
                        Pool&& pool, std::vector<Cells>& buckets) {
        const std::size_t n_parts = sizes.size();
        std::vector<std::uint32_t> branch_of(
            static_cast<std::size_t>(order_.columns[c].n_levels), 0);
        std::vector<std::uint32_t> next(n_parts);
        std::uint32_t start = 0;
        for (std::size_t b = 0; b < n_parts; ++b) {
            branch_of[levels[b][0]] = static_cast<std::uint32_t>(b);
            next[b] = start;
            start += sizes[b];
        }
        const std::vector<std::uint32_t> starts = next;
        bool any_list = false;
        bool counts_any = false;
        for (const std::uint32_t other : still) {
            any_list = any_list || (columns_[other].is_ordered() && open.has_lists);
            counts_any = counts_any || (columns_[other].is_ordered() && !open.has_lists);
        }
        for (std::size_t b = 0; counts_any && b < n_parts; ++b) {
            if (lives[b] && sizes[b] > small_) {
                buckets[b] = fresh(my);
            }
        }
        my.places.resize(open.n);
        if (any_list && my.branch_of_row.empty()) {
            my.branch_of_row.resize(small_);
        }
        const std::uint32_t* rows = rows_.at(open.depth, open.begin);
        each_code(open, columns_[c], [&](std::size_t i, std::uint32_t code) {
            const std::uint32_t b = branch_of[code];
            my.places[i] = next[b]++;
            if (any_list) {
                my.branch_of_row[rows[i]] = b;
            }
        });
        const auto move = [&](const auto& buffer) {
            const auto* from = buffer.at(open.depth, open.begin);
            auto* to = buffer.at(open.depth + 1, open.begin);
            for (std::size_t i = 0; i < open.n; ++i) {
                to[my.places[i]] = from[i];
            }
        };
        pool.run(2, [&](std::size_t i, int) {
            if (i == 0) {
                move(rows_);
            } else {
                move(labels_);
            }
        });
        pool.run(still.size(), [&](std::size_t i, int by) {
            const Column& other = columns_[still[i]];
            if (other.is_ordered() && open.has_lists) {
                std::vector<Entry*> ends(n_parts, nullptr);
                std::vector<std::uint32_t> last;
                Entry* const whole = list_at(still[i], my, open.depth + 1, open.begin);
                Entry* const to =
                    lists_everywhere_ ? worker(by, my).aside.reset(open.n) : whole;
                for (std::size_t b = 0; b < n_parts; ++b) {
                    ends[b] = lives[b] ? to + starts[b] : nullptr;
                }
                partition_many(ListView<Entry>{list_at(still[i], my, open.depth, open.begin),
                                               open.n, packing_.shift()},
                               my.branch_of_row.data(), ends, last);
                for (std::size_t b = 0; lists_everywhere_ && b < n_parts; ++b) {
                    if (lives[b]) {
                        std::copy_n(to + starts[b], sizes[b], whole + starts[b]);
                    }
                }
            } else if (!other.bytes.empty()) {
                move(other.bytes);
                if (!other.finer.empty()) {
                    move(other.finer);
                }
                for (std::size_t b = 0; other.is_ordered() && b < n_parts; ++b) {
                    if (buckets[b]) {
                        const std::size_t at = open.begin + starts[b];
                        count_buckets(other.bytes.at(open.depth + 1, at),
                                      labels_.at(open.depth + 1, at), sizes[b],
                                      buckets[b].get() + other.slot * n_buckets * k_);
                    }
                }
            } else if (!other.shorts.empty()) {
                move(other.shorts);
            } else {
                move(other.words);
            }
        });
    }

    const Order& order_;
    std::size_t k_;
    Packing packing_;
    bool wide_;
    LogTable log_;
    std::vector<Column> columns_;
    Arena arena_, finer_arena_;  // columns of two values never touch theirs of the second
    DoubleBuffer<std::uint32_t> rows_;
    DoubleBuffer<std::uint16_t> labels_;
    std::vector<Worker> workers_;
    std::size_t small_ = 0;          // nodes of up to so many rows have lists
    bool lists_everywhere_ = false;  // … made once, for the whole table
    std::size_t n_slots_ = 0;
    bool has_finer_ = false;
    // Of two parts of up to 64 rows together, by the rows of both and of one.
    std::array<std::array<double, most_tiny>, most_tiny + 1> information_{};
};

// Whether rows count one each and targets are classes; that nothing is missing, and no number
// infinite, shows on the way.
inline bool is_counted(const Order& order) {
    return order.y == nullptr && order.weight == nullptr && order.n_sums > 1 &&
           order.n_sums < 65536 && order.n_rows < std::size_t{1} << 31;
}

template <class Entry>
std::vector<Grove> grow_counted(const Order& order, ThreadPool& pool,
                                const PollCallback& poll) {
    if (order.measure == Measure::gini) {
        if (order.n_sums == 2) {
            return CountedKernel<Entry, GiniOfTwo>(order).grow(pool, poll);
        }
        return CountedKernel<Entry, GiniOfMany>(order).grow(pool, poll);
    }
    return CountedKernel<Entry, EntropyOfCounts>(order).grow(pool, poll);
}

}  // namespace penjing
