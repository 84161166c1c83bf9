// The growing kernel for classification with rows of weight one and no missing values.
//
// All arrays are in the row order of the nodes (grow/level_counts.hpp): category codes, and
// bucket codes of ordered columns (grow/buckets.hpp). A node owns the same range of every
// array; its children get that range of the other side of the double buffer, so that no two
// nodes write to the same place. Small nodes keep ordered columns as sorted lists
// (grow/sorted_lists.hpp); so do nodes of any size under gain ratio, which needs the best cut
// of every column.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
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
#include "grow/driver.hpp"
#include "grow/level_counts.hpp"
#include "grow/nodes.hpp"
#include "grow/sorted_lists.hpp"

namespace penjing {

template <class Entry, class M>
class CountedKernel {
    friend class BitsetGrower<CountedKernel>;

  public:
    using Criterion = M;

    explicit CountedKernel(const GrowRequest& request)
        : request_(request),
          k_(request.n_sums),
          packing_(request.n_sums),
          use_avx512_(has_avx512()),
          columns_(request.columns.size()) {}

    enum class Kind : std::uint8_t { constant, pair, nominal, ordered };
    struct Column {
        Kind kind = Kind::constant;
        Keys keys;                         // of ordered columns, also binary ones
        DoubleBuffer<Entry> list;          // of ordered columns, if nodes of any size use lists
        DoubleBuffer<std::uint8_t> bytes;  // buckets, or category codes
        DoubleBuffer<std::uint8_t> fine;   // fine codes, if trees may grow deep
        DoubleBuffer<std::uint16_t> shorts;
        DoubleBuffer<std::uint32_t> words;
        std::unique_ptr<BucketMap> map;  // of ordered columns, if there are buckets
        std::size_t slot = 0;            // index of its buckets in the counts of a node
        double low = 0, high = 1;        // the values of an ordered binary column
        [[nodiscard]] bool is_ordered() const { return kind == Kind::ordered; }
        [[nodiscard]] bool is_pair() const { return kind == Kind::pair; }
    };
    using Cells = std::unique_ptr<std::uint32_t[]>;
    struct OpenNode {
        std::uint32_t node = 0;
        std::uint32_t n = 0;
        std::size_t begin = 0;
        std::int64_t depth = 0;
        bool has_lists = false;
        std::vector<std::uint32_t> counts;
        std::vector<std::uint32_t> active;
        Cells buckets;  // slots x buckets x K

        [[nodiscard]] std::size_t n_rows() const { return n; }
    };
    struct Cut {
        double at = not_a_number;
        double low = not_a_number, high = not_a_number;
    };
    struct Split {
        std::size_t column = 0;
        Cut cut;
        std::vector<std::uint32_t> counts;               // K per branch
        std::vector<std::uint32_t> sizes;                // rows of each branch
        std::vector<std::vector<std::uint32_t>> levels;  // categories into each branch
    };
    struct ColumnSplit {
        bool exists = false;           // whether there is an admissible split
        bool can_split_below = false;  // whether the column can still split a node below
        double value = 0;              // V
        double information = 0;
        std::uint32_t at = 0;                  // ordered: rows of the left branch
        std::uint32_t bucket = 0;              // … the last of which is in this bucket
        std::vector<std::uint32_t> groups[2];  // categories of a binary split
        double best_edge = 0;                  // the best V between two buckets
        std::vector<double> edge_value;        // V after each bucket, -1 where there is no cut
        std::vector<double> bound;             // bound of the cuts inside each bucket, -1: none
    };
    struct Scratch {
        RowBits marked;
        LevelCounts levels;
        ClassBits classes;
        std::vector<std::uint32_t> below;
        std::vector<ColumnSplit> splits;
        std::vector<Candidate> candidates;
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
        std::vector<std::uint64_t> mask;
        std::vector<std::uint32_t> branch_of_row;
        std::vector<std::uint32_t> places;
        std::vector<Cells> spare;                // buckets of finished nodes, for reuse
        std::vector<DoubleBuffer<Entry>> lists;  // of the current small node
        GrowableBuffer<Entry> spare_list;        // part of a list that is partitioned in place
        std::vector<std::uint32_t> global;       // the table row of each of its rows
        std::size_t base = 0;                    // its offset in the arrays
        RowSort sort;
        CodeRadixSort code_sort;
        ClassShareSort share_sort;
        std::vector<std::uint32_t> hits;
        std::vector<std::uint32_t> run, run_hits;  // rows of adjacent buckets
        std::vector<Entry> opened;
        std::vector<std::uint32_t> before, fine_counts, start;
        PackedRows packed;
        std::vector<double> keys;
        std::array<double, n_buckets> edge_value, bound;  // of the fine cells of a bucket
        BitsetGrower<CountedKernel> bitset;
        std::vector<std::uint8_t> bitset_row;  // the number of a row in the bitset table
    };

    using Task = GrowTask<Scratch>;

    // ---- for the driver

    [[nodiscard]] NodeLayout layout() const { return {k_, true, false, false}; }

    Scratch& scratch(int thread) { return scratch_[static_cast<std::size_t>(thread)]; }

    [[nodiscard]] std::size_t min_shared_rows(int) const {
        return std::max<std::size_t>(request_.n_rows / 32, 4096);
    }

    // Returns nothing if a value is missing or infinite: the request is then for another
    // kernel.
    std::optional<OpenNode> start(Subtree& subtree, ThreadPool& pool,
                                  const PollCallback& poll) {
        OpenNode root;
        root.n = static_cast<std::uint32_t>(request_.n_rows);
        if (!prepare(pool, root, poll)) {
            return std::nullopt;
        }
        root.counts.assign(k_, 0);
        for (std::size_t i = 0; i < request_.n_rows; ++i) {
            ++root.counts[static_cast<std::size_t>(request_.target[i])];
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (columns_[c].kind != Kind::constant) {
                root.active.push_back(static_cast<std::uint32_t>(c));
            }
        }
        add_node(subtree, root.counts.data());
        return root;
    }

    bool stops(Task&, const OpenNode& open) const {
        return is_leaf(open.counts.data(), open.n, open.depth);
    }

    // Make the lists of a node that has become small, and grow the subtree of a tiny one.
    bool grow_whole(Task& task, OpenNode& open, const PollCallback&) {
        if (!open.has_lists && open.n <= small_) {
            if (lists_everywhere_) {
                open.has_lists = true;
            } else {
                make_lists(open, task.scratch);
            }
        }
        if (!open.has_lists || open.n > max_bitset_rows) {
            return false;
        }
        make_bitset(open, task.scratch);
        task.scratch.bitset.grow(*this, task.subtree, open.node, open.depth, task.scratch);
        return true;
    }

    template <class Pool>
    bool search(Task& task, const OpenNode& open, Split& split, Pool&& pool) {
        Scratch& scratch = task.scratch;
        NodeStats stats;
        stats.t = open.counts.data();
        stats.k = k_;
        stats.n = open.n;
        stats.min_rows = min_branch_rows(open.n);
        M::prepare(stats, log_);
        if (std::any_of(open.active.begin(), open.active.end(),
                        [&](std::uint32_t c) { return columns_[c].is_pair(); })) {
            scratch.classes.prepare(labels_.at(open.depth, open.begin), open.n, k_);
        }
        pool.run(open.active.size(), [&](std::size_t i, int thread) {
            const std::size_t c = open.active[i];
            search_column(c, open, stats, scratch_of(thread, scratch), scratch.classes,
                          scratch.splits[c], scratch);
        });
        if (!open.has_lists) {
            open_buckets(open, stats, scratch, pool);
        }
        const int winner = choose_column(open, stats, scratch);
        if (winner < 0) {
            return false;
        }
        split.column = static_cast<std::size_t>(winner);
        count_branches(open, scratch, split);
        if (request_.min_gain > 0 && gain_of(open.counts, open.n, split.counts,
                                             split.sizes.size()) < request_.min_gain) {
            return false;
        }
        task.subtree.set_ties(open.node, scratch.ties);
        return true;
    }

    template <class Pool>
    void divide(Task& task, OpenNode& open, const Split& split, Pool&& pool,
                std::vector<OpenNode>& open_nodes) {
        Scratch& scratch = task.scratch;
        const std::size_t n_parts = split.sizes.size();
        Division division{split, {}, std::vector<bool>(n_parts), std::vector<Cells>(n_parts)};
        const auto first = static_cast<std::uint32_t>(task.subtree.nodes.size());
        if (!add_children(task.subtree, open, scratch, division)) {
            return;
        }
        if (n_parts == 2) {
            divide_in_two(open, scratch, division, pool);
        } else {
            divide_in_many(open, scratch, division, pool);
        }
        // The smaller branch is grown first, so that few nodes wait.
        std::vector<std::size_t> starts(n_parts, open.begin);
        for (std::size_t b = 1; b < n_parts; ++b) {
            starts[b] = starts[b - 1] + split.sizes[b - 1];
        }
        for (std::size_t i = 0; i < n_parts; ++i) {
            const std::size_t b =
                n_parts == 2 && split.sizes[0] > split.sizes[1] ? i : n_parts - 1 - i;
            if (division.grows[b]) {
                OpenNode child;
                child.node = first + static_cast<std::uint32_t>(b);
                child.n = split.sizes[b];
                child.begin = starts[b];
                child.has_lists = open.has_lists;
                child.buckets = std::move(division.buckets[b]);
                child.depth = open.depth + 1;
                child.counts.assign(split.counts.data() + b * k_,
                                    split.counts.data() + (b + 1) * k_);
                child.active = division.remaining;
                open_nodes.push_back(std::move(child));
            }
        }
        if (open.buckets) {
            scratch.spare.push_back(std::move(open.buckets));
        }
    }

  private:
    struct Division {
        const Split& split;
        std::vector<std::uint32_t> remaining;  // columns that may still split a node below
        std::vector<bool> grows;               // whether a branch may be split
        std::vector<Cells> buckets;            // of each branch
    };

    // Up to this depth, examining buckets costs less than moving fine codes along.
    static constexpr std::int64_t shallow = 9;
    // Buckets of fewer rows are sorted without a look at fine codes.
    [[nodiscard]] std::uint32_t max_sorted_bucket() const {
        return static_cast<std::uint32_t>(std::min<std::size_t>(64, small_));
    }

    // ---- preparation

    bool prepare(ThreadPool& pool, OpenNode& root, const PollCallback& poll) {
        const std::size_t n = request_.n_rows;
        if (request_.is_ratio()) {
            for (std::uint32_t i = 2; i <= max_bitset_rows; ++i) {
                for (std::uint32_t l = 1; l < i; ++l) {
                    information_[i][l] = split_information(l, i);
                }
            }
        }
        // A few thousand rows are sorted faster than buckets are made for them; more, if they
        // are encoded, since codes are sorted by counting.
        const bool is_short = n <= (is_encoded() ? 32 : 8) * request_.small;
        // With many classes a bucket costs more to score than a few rows.
        const std::size_t small = k_ > 2 ? 2 * request_.small : request_.small;
        small_ = is_short || request_.is_ratio() || k_ > max_bucketed_classes ? n : small;
        lists_everywhere_ = n > request_.small && small_ == n;
        if constexpr (M::is_entropy) {  // lists of two classes need no differences
            log_.prepare(n, !(lists_everywhere_ && k_ == 2 && n < detail::max_convex_rows));
        }
        has_fine_codes_ =
            small_ < n && (request_.max_depth < 0 || request_.max_depth > shallow);
        scratch_.resize(static_cast<std::size_t>(pool.size()));
        for (Scratch& scratch : scratch_) {
            scratch.marked.prepare(small_);
            scratch.lists.resize(columns_.size());
            scratch.splits.resize(columns_.size());
        }
        const auto n_ordered = static_cast<std::size_t>(
            std::count_if(request_.columns.begin(), request_.columns.end(),
                          [](const GrowColumn& c) { return c.ordered; }));
        if (lists_everywhere_) {
            arena_.prepare(n_ordered * (n * sizeof(Entry) + Arena::alignment));
        } else if (small_ < n) {  // bucket codes and fine codes
            arena_.prepare(n_ordered * 2 * (n + Arena::alignment));
            if (has_fine_codes_) {
                fine_arena_.prepare(n_ordered * 2 * (n + Arena::alignment));
            }
        }
        if (!lists_everywhere_ || !is_all_lists()) {  // list entries contain row and class
            prepare_rows(n);
        }
        std::atomic<bool> whole{true};
        pool.run(columns_.size(), [&](std::size_t c, int) {
            if (!prepare_column(request_.columns[c], columns_[c])) {
                whole = false;
            }
        });
        if (whole && small_ < n) {
            return prepare_buckets(pool, root, poll);
        }
        return whole;
    }

    bool prepare_column(const GrowColumn& from, Column& to) {
        const std::size_t n = request_.n_rows;
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
                if (has_fine_codes_) {
                    to.fine.prepare(n, &fine_arena_);
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

    // Encode all ordered columns, a few thousand rows at a time, so that a row-major matrix is
    // read from memory once.
    bool prepare_buckets(ThreadPool& pool, OpenNode& root, const PollCallback& poll) {
        // The rows per block of a row-major matrix, so that a block stays in the L1 cache.
        std::size_t reach = 1;
        for (const Column& column : columns_) {
            reach = std::max(reach, column.is_ordered() ? column.keys.stride : 1);
        }
        const std::size_t block = std::clamp<std::size_t>(2048 / reach, 64, 2048);
        const std::size_t n = request_.n_rows;
        std::vector<std::vector<std::unique_ptr<BucketMap>>> maps(scratch_.size());
        for (auto& thread_maps : maps) {
            for (const Column& column : columns_) {
                thread_maps.push_back(column.map ? std::make_unique<BucketMap>(*column.map)
                                                 : nullptr);
            }
        }
        std::atomic<bool> whole{true};
        pool.run((n + block - 1) / block, [&](std::size_t task, int thread) {
            if (thread == 0 && poll) {
                poll();
            }
            auto& thread_maps = maps[static_cast<std::size_t>(thread)];
            const std::size_t end = std::min(n, (task + 1) * block);
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                if (!columns_[c].is_ordered()) {
                    continue;
                }
                const std::size_t begin = task * block;
                std::uint8_t* codes = columns_[c].bytes.at(0, 0);
                if (!thread_maps[c]->code(columns_[c].keys, begin, end, codes)) {
                    whole = false;
                }
                if (has_fine_codes_ && !thread_maps[c]->sample_has_two_values()) {
                    thread_maps[c]->refine(columns_[c].keys, begin, end, codes,
                                           columns_[c].fine.at(0, 0));
                }
            }
        });
        if (!whole) {
            return false;
        }
        n_slots_ = 0;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (columns_[c].is_ordered()) {
                for (const auto& thread_maps : maps) {
                    columns_[c].map->merge(*thread_maps[c]);
                }
                columns_[c].slot = n_slots_++;
            }
        }
        root.buckets = fresh(scratch_[0]);
        pool.run(columns_.size(), [&](std::size_t c, int) {
            Column& column = columns_[c];
            if (column.is_ordered() && column.map->has_two_values()) {
                set_binary_kind(column);
            } else if (column.is_ordered()) {
                std::uint32_t* cells = root.buckets.get() + column.slot * n_buckets * k_;
                count_buckets(column.bytes.at(0, 0), labels_.at(0, 0), n, cells);
                reduce_kind(column, cells);
            }
            if (has_fine_codes_ && column.is_ordered() && column.map->sample_has_two_values()) {
                column.map->refine(column.keys, 0, n, column.bytes.at(0, 0),
                                   column.fine.at(0, 0));
            }
        });
        return true;
    }

    // A column of one or two values, encoded as 0 and 1.
    void set_binary_kind(Column& column) {
        const std::uint8_t* codes = column.bytes.at(0, 0);
        const bool is_pair = std::memchr(codes, 0, request_.n_rows) != nullptr &&
                             std::memchr(codes, 1, request_.n_rows) != nullptr;
        column.kind = is_pair ? Kind::pair : Kind::constant;
        column.low = column.map->bound(0);
        column.high = column.map->bound(1);
        column.fine = {};
    }

    // An ordered column may turn out to have one value, or two.
    void reduce_kind(Column& column, const std::uint32_t* cells) {
        std::vector<std::size_t> used;
        for (std::size_t b = 0; b < n_buckets; ++b) {
            const std::uint32_t* cell = cells + b * k_;
            if (std::any_of(cell, cell + k_, [](std::uint32_t c) { return c > 0; })) {
                if (column.map->has_several_values(b) || used.size() == 2) {
                    return;
                }
                used.push_back(b);
            }
        }
        column.kind = used.size() < 2 ? Kind::constant : Kind::pair;
        column.fine = {};
        if (column.is_pair()) {
            column.low = column.map->bound(used[0]);
            column.high = column.map->bound(used[1]);
            std::uint8_t* codes = column.bytes.at(0, 0);
            for (std::size_t i = 0; i < request_.n_rows; ++i) {
                codes[i] = codes[i] == used[0] ? 0 : 1;
            }
        }
    }

    Cells fresh(Scratch& scratch) const {
        if (!scratch.spare.empty()) {
            Cells cells = std::move(scratch.spare.back());
            scratch.spare.pop_back();
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

    [[nodiscard]] bool is_encoded() const {
        return std::all_of(request_.columns.begin(), request_.columns.end(),
                           [](const GrowColumn& column) { return column.codes != nullptr; });
    }

    [[nodiscard]] bool is_all_lists() const {
        return std::all_of(
            request_.columns.begin(), request_.columns.end(), [](const GrowColumn& column) {
                return column.ordered && (column.codes == nullptr || column.n_levels > 2);
            });
    }

    void prepare_rows(std::size_t n) {
        rows_.prepare(n);
        labels_.prepare(n);
        std::iota(rows_.at(0, 0), rows_.at(0, n), 0U);
        for (std::size_t i = 0; i < n; ++i) {
            labels_.at(0, 0)[i] = static_cast<std::uint16_t>(request_.target[i]);
        }
    }

    template <class T>
    void copy_codes(const std::int32_t* from, DoubleBuffer<T>& to) const {
        to.prepare(request_.n_rows);
        for (std::size_t i = 0; i < request_.n_rows; ++i) {
            to.at(0, 0)[i] = static_cast<T>(from[i]);
        }
    }

    [[nodiscard]] Entry entry_of(std::size_t row) const {
        return static_cast<Entry>(row) << packing_.shift() |
               static_cast<Entry>(request_.target[row]) << 1;
    }

    // False if a number is missing or infinite.
    bool sort_list(const GrowColumn& from, Entry* list) const {
        return for_each_in_order(from.numbers, from.stride, request_.n_rows,
                                 [&](std::size_t row, bool differs) {
                                     *list++ = entry_of(row) | (differs ? 1U : 0U);
                                 });
    }

    // Counting sort by code.
    bool count_list(const GrowColumn& from, Entry* list) const {
        const std::size_t n = request_.n_rows;
        const auto n_levels = static_cast<std::size_t>(from.n_levels);
        std::vector<std::uint32_t> place(n_levels + 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            ++place[static_cast<std::size_t>(from.codes[i]) + 1];
        }
        std::partial_sum(place.begin(), place.end(), place.begin());
        for (std::size_t i = 0; i < n; ++i) {
            list[place[static_cast<std::size_t>(from.codes[i])]++] = entry_of(i);
        }
        for (std::size_t code = 0; code + 1 < n_levels; ++code) {  // place[code] is now its end
            if (place[code] < n) {
                list[place[code]] |= 1U;
            }
        }
        return true;
    }

    // Sort the rows of a node that has become small in every ordered column.
    void make_lists(OpenNode& open, Scratch& scratch) const {
        scratch.base = open.begin;
        std::uint32_t* rows = rows_.at(open.depth, open.begin);
        const std::uint16_t* labels = labels_.at(open.depth, open.begin);
        scratch.global.assign(rows, rows + open.n);
        std::iota(rows, rows + open.n, 0U);
        const auto tag_bits = static_cast<unsigned>(std::bit_width(small_));
        for (const std::uint32_t c : open.active) {
            const Column& column = columns_[c];
            if (!column.is_ordered()) {
                continue;
            }
            if (scratch.lists[c].empty()) {
                scratch.lists[c].prepare(small_);
            }
            Entry* list = scratch.lists[c].at(open.depth, 0);
            const auto put = [&](std::uint32_t i, std::uint32_t id, bool differs) {
                list[i] = static_cast<Entry>(id) << packing_.shift() |
                          static_cast<Entry>(labels[id]) << 1 | (differs ? 1U : 0U);
            };
            if (has_fine_codes_) {
                scratch.code_sort.sort(
                    column.bytes.at(open.depth, open.begin),
                    column.fine.at(open.depth, open.begin), open.n,
                    [&](std::uint32_t id) { return column.keys.at(scratch.global[id]); },
                    [&](std::size_t b) { return column.map->has_several_values_inside(b); });
                for (std::uint32_t i = 0; i < open.n; ++i) {
                    put(i, scratch.code_sort.id(i), scratch.code_sort.differs(i));
                }
                continue;
            }
            scratch.sort.start(open.n, tag_bits);
            column.keys.gather(scratch.global.data(), open.n, scratch.sort.values());
            std::iota(scratch.sort.tags(), scratch.sort.tags() + open.n, 0U);
            scratch.sort.sort();
            for (std::uint32_t i = 0; i < open.n; ++i) {
                put(i, scratch.sort.tag(i), scratch.sort.differs(i));
            }
        }
        open.has_lists = true;
        if (open.buckets) {
            scratch.spare.push_back(std::move(open.buckets));
        }
    }

    // Fill the bitset table of a node of at most 64 rows; rows are numbered by position or by
    // the first list.
    void make_bitset(const OpenNode& open, Scratch& scratch) const {
        BitsetTable& table = scratch.bitset.table;
        table.start(open.n);
        scratch.bitset_row.resize(small_);
        const unsigned shift = packing_.shift();
        const bool by_list =
            !open.active.empty() &&
            std::all_of(open.active.begin(), open.active.end(),
                        [&](std::uint32_t c) { return columns_[c].is_ordered(); });
        const std::uint32_t* rows = by_list ? nullptr : rows_.at(open.depth, open.begin);
        const std::uint16_t* labels = by_list ? nullptr : labels_.at(open.depth, open.begin);
        const Entry* list =
            by_list ? list_at(open.active[0], scratch, open.depth, open.begin) : nullptr;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const std::size_t row =
                by_list ? static_cast<std::size_t>(list[i] >> shift) : rows[i];
            scratch.bitset_row[row] = static_cast<std::uint8_t>(i);
            table.rows[i] = static_cast<std::uint32_t>(global_row(scratch, row));
        }
        const Entry mask = (Entry{1} << packing_.class_bits) - 1;
        table.set_classes([&](std::uint32_t i) {
            return by_list ? static_cast<std::uint32_t>(list[i] >> 1 & mask) : labels[i];
        });
        for (const std::uint32_t c : open.active) {
            const Column& column = columns_[c];
            if (column.is_pair()) {
                const std::size_t j = table.add(c, BitsetTable::Kind::pair);
                table.columns[j].ones =
                    detail::bits_of_bytes(column.bytes.at(open.depth, open.begin), open.n);
            } else if (column.is_ordered()) {
                const std::size_t j = table.add(c, BitsetTable::Kind::ordered);
                list = list_at(c, scratch, open.depth, open.begin);
                std::uint8_t* ids = table.ids[0].data() + j * max_bitset_rows;
                std::uint64_t differs = 0;
                for (std::uint32_t i = 0; i < open.n; ++i) {
                    ids[i] = scratch.bitset_row[static_cast<std::size_t>(list[i] >> shift)];
                    differs |= static_cast<std::uint64_t>(list[i] & 1U) << i;
                }
                table.differs[0][j] = differs;
            } else {
                const std::size_t j = table.add(c, BitsetTable::Kind::nominal);
                std::uint32_t* codes = table.codes.data() + j * max_bitset_rows;
                each_code(open, column,
                          [&](std::size_t i, std::uint32_t code) { codes[i] = code; });
                table.sort_codes(j, static_cast<std::size_t>(request_.columns[c].n_levels));
            }
        }
    }

    // The list of an ordered column, of a node or (with depth + 1) of its child.
    Entry* list_at(std::size_t c, const Scratch& scratch, std::int64_t depth,
                   std::size_t begin) const {
        return lists_everywhere_ ? columns_[c].list.at(depth, begin)
                                 : scratch.lists[c].at(depth, begin - scratch.base);
    }

    [[nodiscard]] std::size_t global_row(const Scratch& scratch, std::size_t row) const {
        return lists_everywhere_ ? row : scratch.global[row];
    }

    [[nodiscard]] Cut cut_of(std::size_t c, double low, double high) const {
        const GrowColumn& source = request_.columns[c];
        if (source.codes == nullptr) {
            return {midpoint(low, high), low, high};
        }
        if (source.levels == nullptr) {
            return {low};  // an ordinal category: its position
        }
        low = source.levels[static_cast<std::int32_t>(low)];
        high = source.levels[static_cast<std::int32_t>(high)];
        return {midpoint(low, high), low, high};
    }

    // ---- nodes

    void add_node(Subtree& subtree, const std::uint32_t* counts) const {
        subtree.nodes.emplace_back();
        subtree.counts.insert(subtree.counts.end(), counts, counts + k_);
    }

    [[nodiscard]] bool is_leaf(const std::uint32_t* counts, std::uint32_t n,
                               std::int64_t depth) const {
        return *std::max_element(counts, counts + k_) == n ||
               (request_.max_depth >= 0 && depth >= request_.max_depth) ||
               n < request_.min_weight;
    }

    // The smallest admissible number of rows in a branch.
    [[nodiscard]] std::uint32_t min_branch_rows(std::uint32_t n) const {
        return static_cast<std::uint32_t>(
            std::clamp(std::ceil(request_.min_branch), 1.0, static_cast<double>(n)));
    }

    void set_split(Subtree& subtree, std::uint32_t at, std::size_t c, const Cut& cut,
                   std::uint32_t first, std::size_t n_parts) const {
        Subtree::Node& node = subtree.nodes[at];
        node.column = static_cast<std::int32_t>(c);
        node.cut = cut.at;
        node.low = cut.low;
        node.high = cut.high;
        node.first_child = first;
        node.n_children = static_cast<std::uint32_t>(n_parts);
    }

    Scratch& scratch_of(int thread, Scratch& scratch) {
        return thread < 0 ? scratch : scratch_[static_cast<std::size_t>(thread)];
    }

    // ---- search

    void search_column(std::size_t c, const OpenNode& open, const NodeStats& f,
                       Scratch& scratch, const ClassBits& classes, ColumnSplit& split,
                       const Scratch& owner) const {
        const Column& column = columns_[c];
        split.exists = false;
        split.can_split_below = false;
        if (column.is_ordered()) {
            if (!open.has_lists) {
                scan_buckets(column, open, f, scratch, split);
                return;
            }
            scratch.below.assign(k_, 0);
            const BestCut best =
                best_cut(ListView<Entry>{list_at(c, owner, open.depth, open.begin), open.n,
                                         packing_.shift()},
                         f, M{}, log_, scratch.below, use_avx512_);
            split.exists = best.at > 0;
            split.value = best.value;
            split.at = best.at;
            split.can_split_below = split.exists;
            if (request_.is_ratio() && split.can_split_below) {
                split.information = split_information(best.at, open.n);
            }
            return;
        }
        if (column.is_pair()) {
            scratch.below.resize(k_);
            count_ones(column.bytes.at(open.depth, open.begin), classes, open.n, k_,
                       scratch.below.data(), use_avx512_);
            const std::uint32_t ones =
                std::accumulate(scratch.below.begin(), scratch.below.end(), std::uint32_t{0});
            const std::uint32_t zeros = open.n - ones;
            split.can_split_below = ones > 0 && zeros > 0;
            if (zeros >= f.min_rows && ones >= f.min_rows) {
                for (std::size_t k = 0; k < k_; ++k) {
                    scratch.below[k] = f.t[k] - scratch.below[k];
                }
                split.exists = true;
                split.value = M::score_binary(f, scratch.below.data(), zeros, log_);
                if (request_.is_ratio()) {
                    split.information = split_information(zeros, open.n);
                }
            }
            return;
        }
        count(column, open, request_.columns[c].n_levels, scratch.levels);
        score_categories(scratch.levels, f, scratch, split);
    }

    // The best split by the categories of a column.
    void score_categories(const LevelCounts& levels, const NodeStats& f, Scratch& scratch,
                          ColumnSplit& split) const {
        const std::size_t n_parts = levels.codes.size();
        split.can_split_below = n_parts > 1;
        if (n_parts < 2) {
            return;
        }
        if (!request_.multiway) {
            group(levels, f, scratch, split);
            return;
        }
        std::size_t heavy = 0;
        for (const std::uint32_t size : levels.sizes) {
            heavy += size >= f.min_rows ? 1U : 0U;
        }
        if (heavy >= 2) {
            split.exists = true;
            split.value =
                M::score_multiway(f, levels.cells.data(), levels.sizes.data(), n_parts, log_);
            if (request_.is_ratio()) {
                std::vector<double> sizes(levels.sizes.begin(), levels.sizes.end());
                std::vector<double> spare(n_parts);
                split.information = entropy_bits(sizes.data(), n_parts, spare.data());
            }
        }
    }

    // The values of the cuts between buckets, and bounds for those inside.
    void scan_buckets(const Column& column, const OpenNode& open, const NodeStats& f,
                      Scratch& scratch, ColumnSplit& split) const {
        const std::uint32_t* cells = open.buckets.get() + column.slot * n_buckets * k_;
        scratch.below.assign(k_, 0);
        split.edge_value.resize(n_buckets);
        split.bound.resize(n_buckets);
        const auto has_several_values = [&](std::size_t b) {
            return column.map->has_several_values(b);
        };
        const Scan scan =
            scan_cells(cells, n_buckets, has_several_values, f, scratch.below.data(), 0,
                       split.edge_value.data(), split.bound.data());
        split.best_edge = scan.best;
        split.can_split_below = scan.n_used > 1 || scan.any_several;
    }

    struct Scan {
        double best = -1;  // the best V between two cells
        std::size_t n_used = 0;
        bool any_several = false;
    };

    // V after each cell, -1 if there is no cut, and the bound of the cuts inside each, -1 if
    // there are none. `below` counts the `l` rows before the first cell by class.
    template <class HasSeveralValues>
    Scan scan_cells(const std::uint32_t* cells, std::size_t n_cells,
                    HasSeveralValues&& has_several_values, const NodeStats& f,
                    std::uint32_t* below, std::uint32_t l, double* edge_value,
                    double* bound) const {
        Scan scan;
        for (std::size_t b = 0; b < n_cells; ++b) {
            const std::uint32_t* inside = cells + b * k_;
            std::uint32_t m = 0;
            for (std::size_t k = 0; k < k_; ++k) {
                m += inside[k];
            }
            edge_value[b] = -1;
            bound[b] = -1;
            if (m == 0) {
                continue;
            }
            ++scan.n_used;
            if (m > 1 && has_several_values(b)) {
                scan.any_several = true;
                bound[b] = bound_inside(M{}, f, below, l, inside, m, log_);
                if (l > 0 && l < f.min_rows) {  // not admissible itself, but bounds cuts inside
                    bound[b] = std::max(bound[b], M::score_binary(f, below, l, log_));
                }
            }
            for (std::size_t k = 0; k < k_; ++k) {
                below[k] += inside[k];
            }
            l += m;
            if (l >= f.min_rows && f.n - l >= f.min_rows) {
                edge_value[b] = std::max(0.0, M::score_binary(f, below, l, log_));
                scan.best = std::max(scan.best, edge_value[b]);
            } else if (l < f.n && bound[b] >= 0) {
                bound[b] = std::max(bound[b], M::score_binary(f, below, l, log_));
            }
        }
        return scan;
    }

    // Examine the buckets that may contain the best cut of the node, or a tie.
    template <class Pool>
    void open_buckets(const OpenNode& open, const NodeStats& f, Scratch& scratch, Pool&& pool) {
        double best = 0;
        for (const std::uint32_t c : open.active) {
            const ColumnSplit& split = scratch.splits[c];
            best = std::max(best, columns_[c].is_ordered() ? split.best_edge
                                  : split.exists           ? split.value
                                                           : 0.0);
        }
        std::atomic<double> so_far{best};
        pool.run(open.active.size(), [&](std::size_t i, int thread) {
            const std::size_t c = open.active[i];
            if (columns_[c].is_ordered()) {
                open_column(c, open, f,
                            thread < 0 ? scratch : scratch_[static_cast<std::size_t>(thread)],
                            scratch.splits[c], so_far);
            }
        });
    }

    // The search inside the buckets of one column.
    struct BucketSearch {
        const CountedKernel& kernel;
        const Column& column;
        const NodeStats& f;
        Scratch& scratch;
        ColumnSplit& split;
        std::atomic<double>& so_far;
        const std::uint8_t* codes;
        const std::uint32_t* rows;
        const std::uint16_t* labels;

        // Candidates below it can neither win nor tie.
        [[nodiscard]] double bar() const {
            return so_far.load(std::memory_order_relaxed) * (1 - 1e-11) - 3 * f.slack;
        }
        void propose(double value, std::uint32_t at, std::size_t b) {
            if (!split.exists || value > split.value + f.slack) {
                split.value = !split.exists && value <= f.slack ? 0 : value;
                split.at = at;
                split.bucket = static_cast<std::uint32_t>(b);
                split.exists = true;
            }
        }
        void raise(double value) {
            double old = so_far.load(std::memory_order_relaxed);
            while (value > old && !so_far.compare_exchange_weak(old, value)) {
            }
        }
        // Sort rows, given by position in the node, by value into scratch.opened.
        void sort_rows() {
            scratch.sort.start(scratch.hits.size(), kernel.packing_.class_bits);
            std::uint32_t* tags = scratch.sort.tags();
            for (std::size_t i = 0; i < scratch.hits.size(); ++i) {
                tags[i] = labels[scratch.hits[i]];
                scratch.hits[i] = rows[scratch.hits[i]];
            }
            column.keys.gather(scratch.hits.data(), scratch.hits.size(), scratch.sort.values());
            scratch.sort.sort();
            scratch.opened.resize(scratch.hits.size());
            for (std::size_t i = 0; i < scratch.hits.size(); ++i) {
                scratch.opened[i] = static_cast<Entry>(scratch.sort.tag(i)) << 1 |
                                    (scratch.sort.differs(i) ? 1U : 0U);
            }
        }
        // The best cut inside a range of scratch.opened, after `before` rows of the node.
        void search_inside(std::size_t first, std::uint32_t size, std::uint32_t before,
                           std::size_t b) {
            if (size < 2) {
                return;
            }
            scratch.opened[first] &= ~Entry{1};
            const BestCut best =
                best_cut(ListView<Entry>{scratch.opened.data() + first, size,
                                         kernel.packing_.shift(), before},
                         f, M{}, kernel.log_, scratch.below, kernel.use_avx512_);
            if (best.at > 0) {
                propose(best.value, best.at, b);
                raise(best.value);
            }
        }
        // Search a bucket of m rows, after l others, by its fine codes.
        void search_fine_cells(const std::uint8_t* fine, std::size_t b, std::uint32_t m,
                               std::uint32_t l) {
            // So many fine cells that a few rows are in each.
            const std::size_t k_ = kernel.k_;
            const auto bits = static_cast<unsigned>(
                std::clamp(static_cast<int>(std::bit_width(m)) - 3, 4, 7));
            const std::size_t n_cells = std::size_t{1} << bits;
            const auto bucket = static_cast<std::uint8_t>(b);
            const FineCodeView view{codes, fine, labels, f.n, 8 - bits, k_};
            scratch.fine_counts.assign(n_cells * k_, 0);
            count_in_bucket(view, bucket, m, scratch.fine_counts.data(), scratch.packed,
                            kernel.use_avx512_);
            scratch.start = scratch.before;
            const Scan scan = kernel.scan_cells(
                scratch.fine_counts.data(), n_cells, [](std::size_t) { return true; }, f,
                scratch.start.data(), l, scratch.edge_value.data(), scratch.bound.data());
            raise(scan.best);
            const double least = bar();
            rows_in_cells(view, bucket, m, scratch.bound.data(), least, scratch.hits,
                          kernel.use_avx512_);
            sort_rows();
            scratch.start = scratch.before;
            std::size_t first = 0;
            std::uint32_t before = l;
            for (std::size_t cell = 0; cell < n_cells; ++cell) {
                const std::uint32_t* inside = scratch.fine_counts.data() + cell * k_;
                const std::uint32_t size =
                    std::accumulate(inside, inside + k_, std::uint32_t{0});
                if (scratch.bound[cell] >= least) {
                    scratch.below = scratch.start;
                    search_inside(first, size, before, b);
                    first += size;
                }
                for (std::size_t k = 0; k < k_; ++k) {
                    scratch.start[k] += inside[k];
                }
                before += size;
                if (scratch.edge_value[cell] >= 0 && before < l + m) {
                    propose(scratch.edge_value[cell], before, b);
                }
            }
        }
    };

    void open_column(std::size_t c, const OpenNode& open, const NodeStats& f, Scratch& scratch,
                     ColumnSplit& split, std::atomic<double>& so_far) const {
        const Column& column = columns_[c];
        BucketSearch buckets{*this,
                             column,
                             f,
                             scratch,
                             split,
                             so_far,
                             column.bytes.at(open.depth, open.begin),
                             rows_.at(open.depth, open.begin),
                             labels_.at(open.depth, open.begin)};
        const std::uint32_t* cells = open.buckets.get() + column.slot * n_buckets * k_;
        scratch.before.assign(k_, 0);
        std::uint32_t l = 0;
        split.exists = false;
        std::size_t run_end = 0;  // end of the buckets whose rows are in scratch.run
        std::size_t place = 0;    // where the rows of bucket b begin
        for (std::size_t b = 0; b < n_buckets; ++b) {
            const std::uint32_t* inside = cells + b * k_;
            const std::uint32_t m = std::accumulate(inside, inside + k_, std::uint32_t{0});
            const double least = buckets.bar();
            if (split.bound[b] >= least) {
                if (has_fine_codes_ && m >= max_sorted_bucket()) {
                    buckets.search_fine_cells(column.fine.at(open.depth, open.begin), b, m, l);
                } else {
                    if (b >= run_end) {
                        run_end =
                            fetch_run(b, buckets.codes, cells, open.n, split, least, scratch);
                        place = 0;
                    }
                    const auto rows = scratch.run.begin() + static_cast<std::ptrdiff_t>(place);
                    scratch.hits.assign(rows, rows + m);
                    buckets.sort_rows();
                    scratch.below = scratch.before;
                    buckets.search_inside(0, m, l, b);
                }
            }
            for (std::size_t k = 0; k < k_; ++k) {
                scratch.before[k] += inside[k];
            }
            l += m;
            place += m;
            if (split.edge_value[b] >= 0) {
                buckets.propose(split.edge_value[b], l, b);
            }
        }
    }

    // Fetch the rows of bucket b, and of the following ones that are examined too, into
    // scratch.run, bucket after bucket. Returns the first bucket that is not included.
    std::size_t fetch_run(std::size_t b, const std::uint8_t* codes, const std::uint32_t* cells,
                          std::uint32_t n, const ColumnSplit& split, double least,
                          Scratch& scratch) const {
        std::array<std::uint32_t, n_buckets> start;
        std::uint32_t size = 0;
        std::size_t end = b;
        for (; end < n_buckets; ++end) {
            const std::uint32_t* cell = cells + end * k_;
            const std::uint32_t m = std::accumulate(cell, cell + k_, std::uint32_t{0});
            if (end > b &&
                (split.bound[end] < least || (has_fine_codes_ && m >= max_sorted_bucket()))) {
                break;
            }
            start[end] = size;
            size += m;
        }
        const auto first = static_cast<std::uint8_t>(b);
        const auto last = static_cast<std::uint8_t>(end - 1);
        if (first == last) {
            rows_in_run(codes, n, first, last, size, scratch.run, use_avx512_);
            return end;
        }
        rows_in_run(codes, n, first, last, size, scratch.run_hits, use_avx512_);
        scratch.run.resize(size);
        for (const std::uint32_t at : scratch.run_hits) {
            scratch.run[start[codes[at]]++] = at;
        }
        return end;
    }

    [[nodiscard]] double small_split_information(std::uint32_t l, std::uint32_t n) const {
        return information_[n][l];
    }

    static double split_information(std::uint32_t l, std::uint32_t n) {
        const double sizes[2] = {static_cast<double>(l), static_cast<double>(n - l)};
        double spare[2];
        return entropy_bits(sizes, 2, spare);
    }

    void count(const Column& column, const OpenNode& open, std::int32_t n_levels,
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

    // The best binary grouping of categories (search._groupings).
    void group(const LevelCounts& levels, const NodeStats& f, Scratch& scratch,
               ColumnSplit& split) const {
        const std::size_t n = levels.codes.size();
        double best = 0;
        std::size_t at = 0;  // 1 + the best candidate
        const auto propose = [&](std::size_t candidate, const std::uint32_t* left,
                                 std::uint32_t l) {
            if (l < f.min_rows || f.n - l < f.min_rows) {
                return;
            }
            const double value = M::score_binary(f, left, l, log_);
            if (at == 0 || value > best + f.slack) {
                best = at == 0 && value <= f.slack ? 0 : value;
                at = candidate + 1;
            }
        };
        const auto put = [&](std::size_t level, bool right) {
            split.groups[right ? 1 : 0].push_back(levels.codes[level]);
        };
        split.groups[0].clear();
        split.groups[1].clear();
        std::uint32_t left_size = 0;
        if (k_ == 2 || n > max_exhaustive_categories) {
            std::vector<std::uint32_t> along;
            if (k_ > 2) {
                along = principal_order(levels.cells.data(), n, f.k);
            }
            const std::vector<std::uint32_t>& by_share =
                k_ > 2 ? along
                       : scratch.share_sort.order(levels.cells.data(), levels.sizes.data(), n);
            scratch.below.assign(f.k, 0);
            std::vector<std::size_t> rank(n);
            for (std::size_t i = 0; i < n; ++i) {
                rank[by_share[i]] = i;
                if (i + 1 < n) {
                    for (std::size_t k = 0; k < f.k; ++k) {
                        scratch.below[k] += levels.cells[f.k * by_share[i] + k];
                    }
                    left_size += levels.sizes[by_share[i]];
                    propose(i, scratch.below.data(), left_size);
                }
            }
            for (std::size_t i = 0; at > 0 && i < n; ++i) {
                put(i, rank[i] >= at);
            }
        } else {  // every grouping; the last category is always in group 1
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
                propose(number - 1, sums.data() + number * f.k, sizes[number]);
            }
            for (std::size_t i = 0; at > 0 && i < n; ++i) {
                put(i, (at >> i & 1U) == 0);
            }
        }
        if (at > 0) {
            split.exists = true;
            split.value = best;
            std::uint32_t l = 0;
            std::size_t next = 0;
            for (std::size_t i = 0; i < n; ++i) {
                if (next < split.groups[0].size() && split.groups[0][next] == levels.codes[i]) {
                    l += levels.sizes[i];
                    ++next;
                }
            }
            split.information = split_information(l, f.n);
        }
    }

    int choose_column(const OpenNode& open, const NodeStats& f, Scratch& scratch) const {
        scratch.ties.clear();
        if (request_.is_ratio()) {
            scratch.candidates.assign(columns_.size(), Candidate{});
            for (const std::uint32_t c : open.active) {
                const ColumnSplit& split = scratch.splits[c];
                if (split.exists) {
                    const double value = split.value <= f.slack ? 0 : split.value;
                    scratch.candidates[c] = {value * f.unit, split.information, f.impurity};
                }
            }
            return choose(scratch.candidates, true, scratch.scores, scratch.ties);
        }
        double best = -1;
        for (const std::uint32_t c : open.active) {
            ColumnSplit& split = scratch.splits[c];
            if (split.exists) {
                split.value = split.value <= f.slack ? 0 : split.value;
                best = std::max(best, split.value);
            }
        }
        if (best < 0) {
            return -1;
        }
        for (const std::uint32_t c : open.active) {
            if (scratch.splits[c].exists && scratch.splits[c].value + f.slack >= best) {
                scratch.ties.push_back(static_cast<std::int32_t>(c));
            }
        }
        return scratch.ties.front();
    }

    // ---- partition

    // The rows and classes of each branch, the categories that lead to it, and the cut.
    void count_branches(const OpenNode& open, Scratch& scratch, Split& split) const {
        const std::size_t c = split.column;
        const Column& column = columns_[c];
        const ColumnSplit& best = scratch.splits[c];
        const bool is_ordered = request_.columns[c].ordered;
        split.cut = Cut{};
        split.levels.clear();
        if (column.is_ordered()) {
            split.cut = open.has_lists ? cut_list(c, open, best, scratch, split.counts)
                                       : cut_bucket(c, open, best, scratch, split.counts);
            split.sizes = {best.at, open.n - best.at};
            return;
        }
        count(column, open, std::max(request_.columns[c].n_levels, 2), scratch.levels);
        const LevelCounts& present = scratch.levels;
        if (is_ordered) {
            split.cut = cut_of(c, column.low, column.high);
        }
        if (request_.multiway || is_ordered) {
            split.counts = present.cells;
            split.sizes = present.sizes;
            for (const std::uint32_t code : present.codes) {
                split.levels.push_back({code});
            }
            return;
        }
        split.levels = groups_of(column, best, present);
        split.counts.assign(2 * k_, 0);
        split.sizes.assign(2, 0);
        for (std::size_t b = 0; b < 2; ++b) {
            for (const std::uint32_t code : split.levels[b]) {
                const auto i = static_cast<std::size_t>(
                    std::lower_bound(present.codes.begin(), present.codes.end(), code) -
                    present.codes.begin());
                split.sizes[b] += present.sizes[i];
                for (std::size_t k = 0; k < k_; ++k) {
                    split.counts[b * k_ + k] += present.cells[i * k_ + k];
                }
            }
        }
    }

    // Find the values on both sides of a cut of a sorted list, and count both branches.
    Cut cut_list(std::size_t c, const OpenNode& open, const ColumnSplit& split,
                 const Scratch& scratch, std::vector<std::uint32_t>& counts) const {
        const Entry* list = list_at(c, scratch, open.depth, open.begin);
        const Entry mask = (Entry{1} << packing_.class_bits) - 1;
        const bool left_is_smaller = split.at <= open.n - split.at;
        counts.assign(2 * k_, 0);
        std::uint32_t* few = counts.data() + (left_is_smaller ? 0 : k_);
        std::uint32_t* many = counts.data() + (left_is_smaller ? k_ : 0);
        const std::uint32_t from = left_is_smaller ? 0 : split.at;
        const std::uint32_t to = left_is_smaller ? split.at : open.n;
        for (std::uint32_t i = from; i < to; ++i) {
            ++few[list[i] >> 1 & mask];
        }
        for (std::size_t k = 0; k < k_; ++k) {
            many[k] = open.counts[k] - few[k];
        }
        const auto key = [&](std::uint32_t i) {
            return columns_[c].keys.at(
                global_row(scratch, static_cast<std::size_t>(list[i] >> packing_.shift())));
        };
        return cut_of(c, key(split.at - 1), key(split.at));
    }

    // Add the children to the subtree; returns whether any of them may be split.
    bool add_children(Subtree& subtree, const OpenNode& open, const Scratch& scratch,
                      Division& division) const {
        const Split& split = division.split;
        const std::size_t c = split.column;
        const bool is_ordered = request_.columns[c].ordered;
        set_split(subtree, open.node, c, split.cut,
                  static_cast<std::uint32_t>(subtree.nodes.size()), split.sizes.size());
        const bool used_up = columns_[c].is_pair() || (!is_ordered && request_.multiway);
        for (const std::uint32_t other : open.active) {
            if (scratch.splits[other].can_split_below && !(used_up && other == c)) {
                division.remaining.push_back(other);
            }
        }
        bool any_grows = false;
        for (std::size_t b = 0; b < split.sizes.size(); ++b) {
            const std::uint32_t* counts = split.counts.data() + b * k_;
            add_node(subtree, counts);
            if (!is_ordered) {
                subtree.set_levels(static_cast<std::uint32_t>(subtree.nodes.size() - 1),
                                   split.levels[b]);
            }
            const bool grows =
                !division.remaining.empty() && !is_leaf(counts, split.sizes[b], open.depth + 1);
            division.grows[b] = grows;
            any_grows = any_grows || grows;
            if (!grows) {
                request_.report_leaf(split.sizes[b]);
            }
        }
        return any_grows;
    }

    // Find the values on both sides of a cut, count both branches, and mark the rows of the
    // left one.
    Cut cut_bucket(std::size_t c, const OpenNode& open, const ColumnSplit& split,
                   Scratch& scratch, std::vector<std::uint32_t>& counts) const {
        const Column& column = columns_[c];
        const std::uint32_t* cells = open.buckets.get() + column.slot * n_buckets * k_;
        const std::uint8_t* codes = column.bytes.at(open.depth, open.begin);
        const std::uint32_t* rows = rows_.at(open.depth, open.begin);
        const std::uint16_t* labels = labels_.at(open.depth, open.begin);
        counts.assign(2 * k_, 0);
        std::uint32_t l = 0;
        for (std::size_t at = 0; at < split.bucket * k_; ++at) {
            counts[at % k_] += cells[at];
            l += cells[at];
        }
        scratch.mask.assign((open.n + 63) / 64, 0);
        for (std::uint32_t i = 0; i < open.n; ++i) {
            scratch.mask[i / 64] |= static_cast<std::uint64_t>(codes[i] < split.bucket)
                                    << (i % 64);
        }
        const auto rows_of = [&](std::size_t b) {
            const std::uint32_t* cell = cells + b * k_;
            const auto bucket = static_cast<std::uint8_t>(b);
            rows_in_run(codes, open.n, bucket, bucket,
                        std::accumulate(cell, cell + k_, std::size_t{0}), scratch.hits,
                        use_avx512_);
        };
        rows_of(split.bucket);
        scratch.keys.clear();
        for (const std::uint32_t at : scratch.hits) {
            scratch.keys.push_back(column.keys.at(rows[at]));
        }
        std::vector<double> sorted = scratch.keys;
        const auto middle = sorted.begin() + (split.at - l - 1);
        std::nth_element(sorted.begin(), middle, sorted.end());
        const double low = *middle;
        for (std::size_t i = 0; i < scratch.hits.size(); ++i) {
            if (scratch.keys[i] <= low) {
                const std::uint32_t at = scratch.hits[i];
                scratch.mask[at / 64] |= std::uint64_t{1} << (at % 64);
                ++counts[labels[at]];
            }
        }
        for (std::size_t k = 0; k < k_; ++k) {
            counts[k_ + k] = open.counts[k] - counts[k];
        }
        if (split.at - l < sorted.size()) {
            return cut_of(c, low, *std::min_element(middle + 1, sorted.end()));
        }
        std::size_t next = split.bucket + 1;
        while (std::all_of(cells + next * k_, cells + (next + 1) * k_,
                           [](std::uint32_t count) { return count == 0; })) {
            ++next;
        }
        rows_of(next);
        double high = std::numeric_limits<double>::infinity();
        for (const std::uint32_t at : scratch.hits) {
            high = std::min(high, column.keys.at(rows[at]));
        }
        return cut_of(c, low, high);
    }

    // The categories of both groups; `search` does not store those of a binary column.
    std::vector<std::vector<std::uint32_t>> groups_of(const Column& column,
                                                      const ColumnSplit& split,
                                                      const LevelCounts& present) const {
        if (!column.is_pair()) {
            return {split.groups[0], split.groups[1]};
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
        Scorer scorer(request_.criterion, k_);
        const std::vector<double> whole(total.begin(), total.end());
        const std::vector<double> parts(counts.begin(), counts.end());
        return scorer.gain(scorer.impurity(whole.data()), static_cast<double>(n), parts.data(),
                           n_parts);
    }

    // How the rows of a node go to two branches: those of the smaller branch are marked.
    struct Marks {
        bool left;      // whether the left branch is the marked one
        bool in_list;   // whether the rows were marked by the list of the split's column
        bool any_list;  // whether a column that is partitioned is a list
        bool any_block;
        [[nodiscard]] std::size_t marked() const { return left ? 0 : 1; }
    };

    // Mark the rows of the smaller branch, by position and by row number.
    Marks mark_rows(const OpenNode& open, Scratch& scratch, const Division& division) const {
        const Split& split = division.split;
        const Column& column = columns_[split.column];
        Marks marks{split.sizes[0] <= split.sizes[1], column.is_ordered() && open.has_lists,
                    false, false};
        for (const std::uint32_t other : division.remaining) {
            const bool is_list = columns_[other].is_ordered() && open.has_lists;
            (is_list ? marks.any_list : marks.any_block) = true;
        }
        if (column.is_ordered() && !open.has_lists) {  // cut_bucket has marked the left
            if (!marks.left) {
                for (std::uint64_t& word : scratch.mask) {
                    word = ~word;
                }
            }
        } else if (marks.in_list) {
            each_in_smaller_part(open, scratch, split,
                                 [&](std::size_t row) { scratch.marked.set(row); });
            if (marks.any_block) {
                const std::uint32_t* rows = rows_.at(open.depth, open.begin);
                scratch.mask.assign((open.n + 63) / 64, 0);
                for (std::uint32_t i = 0; i < open.n; ++i) {
                    scratch.mask[i / 64] |=
                        static_cast<std::uint64_t>(scratch.marked.get(rows[i])) << (i % 64);
                }
            }
        } else {
            mark_levels(open, column, split.levels[marks.marked()],
                        std::max(request_.columns[split.column].n_levels, 2), scratch);
            if (marks.any_list) {
                const std::uint32_t* rows = rows_.at(open.depth, open.begin);
                each_marked(scratch, open.n,
                            [&](std::size_t i) { scratch.marked.set(rows[i]); });
            }
        }
        return marks;
    }

    void clear_marks(const OpenNode& open, Scratch& scratch, const Division& division,
                     const Marks& marks) const {
        if (marks.in_list) {
            each_in_smaller_part(open, scratch, division.split,
                                 [&](std::size_t row) { scratch.marked.clear(row); });
        } else if (marks.any_list) {
            const std::uint32_t* rows = rows_.at(open.depth, open.begin);
            each_marked(scratch, open.n, [&](std::size_t i) { scratch.marked.clear(rows[i]); });
        }
    }

    // Call f(row) for the rows of the smaller branch of a cut, from its sorted list.
    template <class F>
    void each_in_smaller_part(const OpenNode& open, const Scratch& scratch, const Split& split,
                              F&& f) const {
        const Entry* list = list_at(split.column, scratch, open.depth, open.begin);
        const bool is_left = split.sizes[0] <= split.sizes[1];
        const std::uint32_t to = is_left ? split.sizes[0] : open.n;
        for (std::uint32_t i = is_left ? 0 : split.sizes[0]; i < to; ++i) {
            f(static_cast<std::size_t>(list[i] >> packing_.shift()));
        }
    }

    template <class Pool>
    void divide_in_two(const OpenNode& open, Scratch& scratch, Division& division,
                       Pool&& pool) {
        const std::vector<std::uint32_t>& sizes = division.split.sizes;
        const std::vector<bool>& grows = division.grows;
        const Marks marks = mark_rows(open, scratch, division);
        const std::size_t starts[2] = {open.begin, open.begin + sizes[0]};
        const std::size_t marked = marks.marked();
        const std::size_t plain = 1 - marked;
        const auto counts_buckets = [&](std::size_t b) {
            return !open.has_lists && grows[b] && sizes[b] > small_;
        };
        const bool counts_any = counts_buckets(plain) || counts_buckets(marked);
        const bool moves[2] = {grows[0] || (counts_any && marked == 0),
                               grows[1] || (counts_any && marked == 1)};
        if (counts_any) {
            division.buckets[marked] = fresh(scratch);
            division.buckets[plain] = fresh(scratch);
        }
        const auto move = [&](const auto& buffer) {
            split_by_mask(buffer.at(open.depth, open.begin), scratch.mask.data(), open.n,
                          moves[plain] ? buffer.at(open.depth + 1, starts[plain]) : nullptr,
                          moves[marked] ? buffer.at(open.depth + 1, starts[marked]) : nullptr,
                          use_avx512_);
        };
        if (marks.any_block) {
            pool.run(2, [&](std::size_t i, int) {
                if (i == 0) {
                    move(rows_);
                } else {
                    move(labels_);
                }
            });
        }
        pool.run(division.remaining.size(), [&](std::size_t i, int thread) {
            const std::uint32_t c = division.remaining[i];
            const Column& other = columns_[c];
            if (other.is_ordered() && open.has_lists) {
                split_list_in_two(c, open, division, plain, scratch,
                                  scratch_of(thread, scratch));
            } else if (!other.bytes.empty()) {
                move(other.bytes);
                if (!other.fine.empty()) {
                    move(other.fine);
                }
                if (other.is_ordered() && counts_any) {
                    count_smaller_branch(other, open, division, marked, starts[marked]);
                }
            } else if (!other.shorts.empty()) {
                move(other.shorts);
            } else {
                move(other.words);
            }
        });
        for (std::size_t b = 0; b < 2; ++b) {
            if (division.buckets[b] && !counts_buckets(b)) {
                scratch.spare.push_back(std::move(division.buckets[b]));
            }
        }
        clear_marks(open, scratch, division, marks);
    }

    void split_list_in_two(std::uint32_t c, const OpenNode& open, const Division& division,
                           std::size_t plain, const Scratch& owner, Scratch& own) const {
        const std::uint32_t* sizes = division.split.sizes.data();
        Entry* const right = list_at(c, owner, open.depth + 1, open.begin + sizes[0]);
        Entry* to[2] = {
            division.grows[0] ? list_at(c, owner, open.depth + 1, open.begin) : nullptr,
            division.grows[1] ? right : nullptr};
        const bool in_place = lists_everywhere_ && division.grows[1];
        if (in_place) {  // the left branch is written over the list
            to[1] = own.spare_list.reset(sizes[1]);
        }
        partition_two(ListView<Entry>{list_at(c, owner, open.depth, open.begin), open.n,
                                      packing_.shift()},
                      owner.marked, to[plain], to[1 - plain], use_avx512_);
        if (in_place) {
            std::copy_n(to[1], sizes[1], right);
        }
    }

    // The counts of the larger branch are those of the node less those of the smaller.
    void count_smaller_branch(const Column& column, const OpenNode& open,
                              const Division& division, std::size_t marked,
                              std::size_t begin) const {
        const std::size_t at = column.slot * n_buckets * k_;
        std::uint32_t* few = division.buckets[marked].get() + at;
        count_buckets(column.bytes.at(open.depth + 1, begin), labels_.at(open.depth + 1, begin),
                      division.split.sizes[marked], few);
        const std::uint32_t* all = open.buckets.get() + at;
        std::uint32_t* many = division.buckets[1 - marked].get() + at;
        for (std::size_t cell = 0; cell < n_buckets * k_; ++cell) {
            many[cell] = all[cell] - few[cell];
        }
    }

    template <class F>
    static void each_marked(const Scratch& scratch, std::size_t n, F&& visit) {
        for (std::size_t w = 0; w < (n + 63) / 64; ++w) {
            for (std::uint64_t word = scratch.mask[w]; word != 0; word &= word - 1) {
                visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
            }
        }
    }

    void mark_levels(const OpenNode& open, const Column& column,
                     const std::vector<std::uint32_t>& codes, std::int32_t n_levels,
                     Scratch& scratch) const {
        std::vector<std::uint8_t> in(static_cast<std::size_t>(n_levels), 0);
        for (const std::uint32_t code : codes) {
            in[code] = 1;
        }
        scratch.mask.assign((open.n + 63) / 64, 0);
        each_code(open, column, [&](std::size_t i, std::uint32_t code) {
            scratch.mask[i / 64] |= static_cast<std::uint64_t>(in[code]) << (i % 64);
        });
    }

    template <class F>
    void each_code(const OpenNode& open, const Column& column, F&& visit) const {
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
    void divide_in_many(const OpenNode& open, Scratch& scratch, Division& division,
                        Pool&& pool) {
        const std::size_t c = division.split.column;
        const std::vector<std::uint32_t>& sizes = division.split.sizes;
        const std::vector<std::vector<std::uint32_t>>& levels = division.split.levels;
        const std::vector<bool>& grows = division.grows;
        const std::vector<std::uint32_t>& remaining = division.remaining;
        std::vector<Cells>& buckets = division.buckets;
        const std::size_t n_parts = sizes.size();
        std::vector<std::uint32_t> branch_of(
            static_cast<std::size_t>(request_.columns[c].n_levels), 0);
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
        for (const std::uint32_t other : remaining) {
            any_list = any_list || (columns_[other].is_ordered() && open.has_lists);
            counts_any = counts_any || (columns_[other].is_ordered() && !open.has_lists);
        }
        for (std::size_t b = 0; counts_any && b < n_parts; ++b) {
            if (grows[b] && sizes[b] > small_) {
                buckets[b] = fresh(scratch);
            }
        }
        scratch.places.resize(open.n);
        if (any_list && scratch.branch_of_row.empty()) {
            scratch.branch_of_row.resize(small_);
        }
        const std::uint32_t* rows = rows_.at(open.depth, open.begin);
        each_code(open, columns_[c], [&](std::size_t i, std::uint32_t code) {
            const std::uint32_t b = branch_of[code];
            scratch.places[i] = next[b]++;
            if (any_list) {
                scratch.branch_of_row[rows[i]] = b;
            }
        });
        const auto move = [&](const auto& buffer) {
            const auto* from = buffer.at(open.depth, open.begin);
            auto* to = buffer.at(open.depth + 1, open.begin);
            for (std::size_t i = 0; i < open.n; ++i) {
                to[scratch.places[i]] = from[i];
            }
        };
        pool.run(2, [&](std::size_t i, int) {
            if (i == 0) {
                move(rows_);
            } else {
                move(labels_);
            }
        });
        pool.run(remaining.size(), [&](std::size_t i, int thread) {
            const Column& other = columns_[remaining[i]];
            if (other.is_ordered() && open.has_lists) {
                std::vector<Entry*> ends(n_parts, nullptr);
                std::vector<std::uint32_t> last;
                Entry* const whole = list_at(remaining[i], scratch, open.depth + 1, open.begin);
                Entry* const to = lists_everywhere_
                                      ? scratch_of(thread, scratch).spare_list.reset(open.n)
                                      : whole;
                for (std::size_t b = 0; b < n_parts; ++b) {
                    ends[b] = grows[b] ? to + starts[b] : nullptr;
                }
                partition_many(
                    ListView<Entry>{list_at(remaining[i], scratch, open.depth, open.begin),
                                    open.n, packing_.shift()},
                    scratch.branch_of_row.data(), ends, last);
                for (std::size_t b = 0; lists_everywhere_ && b < n_parts; ++b) {
                    if (grows[b]) {
                        std::copy_n(to + starts[b], sizes[b], whole + starts[b]);
                    }
                }
            } else if (!other.bytes.empty()) {
                move(other.bytes);
                if (!other.fine.empty()) {
                    move(other.fine);
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

    const GrowRequest& request_;
    std::size_t k_;
    Packing packing_;
    bool use_avx512_;
    LogTable log_;
    std::vector<Column> columns_;
    Arena arena_, fine_arena_;  // binary columns never touch the second
    DoubleBuffer<std::uint32_t> rows_;
    DoubleBuffer<std::uint16_t> labels_;
    std::vector<Scratch> scratch_;
    std::size_t small_ = 0;          // up to this many rows, nodes have lists
    bool lists_everywhere_ = false;  // … made once, for the whole table
    std::size_t n_slots_ = 0;
    bool has_fine_codes_ = false;
    // Split information of two branches, by their total rows (at most 64) and the rows of one.
    std::array<std::array<double, max_bitset_rows>, max_bitset_rows + 1> information_{};
};

// Whether every row has weight one and the target is a class. Missing and infinite values are
// only detected while growing.
inline bool can_grow_counted(const GrowRequest& request) {
    return request.y == nullptr && request.weight == nullptr && request.n_sums > 1 &&
           request.n_sums < 65536 && request.n_rows < std::size_t{1} << 31;
}

namespace detail {

template <class Entry>
GrownTree grow_counted(const GrowRequest& request, ThreadPool& pool, const PollCallback& poll) {
    if (request.criterion == CriterionKind::gini) {
        if (request.n_sums == 2) {
            return grow(request, CountedKernel<Entry, BinaryGini>(request), pool, poll);
        }
        return grow(request, CountedKernel<Entry, MulticlassGini>(request), pool, poll);
    }
    return grow(request, CountedKernel<Entry, CountEntropy>(request), pool, poll);
}

}  // namespace detail

// Grow a tree; it has no nodes if a value is missing or infinite.
inline GrownTree grow_counted(const GrowRequest& request, ThreadPool& pool,
                              const PollCallback& poll) {
    return Packing(request.n_sums).fits_short(request.n_rows)
               ? detail::grow_counted<std::uint32_t>(request, pool, poll)
               : detail::grow_counted<std::uint64_t>(request, pool, poll);
}

}  // namespace penjing
