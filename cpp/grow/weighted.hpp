// The growing kernel for regression, weights, and missing values distributed as fractions.
//
// Every node is searched in two steps. The fast step counts ordered columns in buckets
// (grow/buckets.hpp) with fixed-point sums (grow/criterion_fixed_point.hpp), of the smaller
// child only; bounds, with a margin for rounding, leave the columns that may win, usually one.
// Exact scoring (grow/exact_scoring.hpp) then decides between these, so that the tree is
// identical to that of the reference implementation. Small nodes keep sorted lists
// (grow/weighted_small.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/simd.hpp"
#include "base/thread_pool.hpp"
#include "grow/buckets.hpp"
#include "grow/criterion.hpp"
#include "grow/criterion_fixed_point.hpp"
#include "grow/driver.hpp"
#include "grow/exact_scoring.hpp"
#include "grow/general.hpp"
#include "grow/grow_weighted.hpp"
#include "grow/level_counts.hpp"
#include "grow/nodes.hpp"
#include "grow/weighted_block.hpp"
#include "grow/weighted_node.hpp"
#include "grow/weighted_small.hpp"

namespace penjing {

template <ImpurityKind kind, bool weighted>
class WeightedKernel {
  public:
    static constexpr bool is_regression = kind == ImpurityKind::variance;
    using Item =
        std::conditional_t<is_regression, std::conditional_t<weighted, WeightedItem, RawNumber>,
                           ClassItem>;
    using Criterion =
        std::conditional_t<is_regression, NumberCriterion,
                           ClassCriterion<kind == ImpurityKind::entropy ? ImpurityKind::entropy
                                                                        : ImpurityKind::gini>>;

    WeightedKernel(const GrowRequest& request, bool any_missing, ColumnChecks& checks)
        : request_(request),
          s_(request.n_sums),
          width_(is_regression ? regression_cell : request.n_sums),
          small_(request.is_ratio()
                     ? SmallSubtreeGrower<kind, weighted>::max_rows
                     : std::min(request.small, SmallSubtreeGrower<kind, weighted>::max_rows)),
          use_avx512_(has_avx512()),
          general_(request),
          any_missing_(any_missing),
          node_sums_(request, any_missing),
          columns_(request.columns.size()),
          row_arrays_(weighted, !is_regression, 0),
          checks_(checks) {}

    using Cells = std::unique_ptr<std::int64_t[]>;
    struct Column {
        const GrowColumn* from = nullptr;
        BucketMap map;
        bool has_missing = false;
        bool is_constant = false;
        std::size_t slot = 0;
        std::array<std::uint8_t, n_buckets> many{};  // whether a bucket holds several values
    };
    struct OpenNode {
        std::uint32_t node = 0;
        std::int64_t depth = 0;
        bool stops = false;
        double max_abs_y = 0;
        NodeBlock<Item> block;
        std::unique_ptr<RowArrays<Item>>
            own_arrays;  // its own arrays, if it has been moved out
        Cells cells;     // slots x buckets x width
        std::vector<std::uint32_t> active;

        [[nodiscard]] std::size_t n_rows() const { return block.n; }
    };
    using Split = std::uint32_t;  // the column; its split is in the scratch memory
    struct ColumnSplit {
        double best_edge = -1;          // of the cuts between buckets
        double improvement = -1;        // of all cuts, after exact scoring
        double best_edge_relaxed = -1;  // as best_edge, with branches that may be too light
        double bound_inside = -1;       // of the cuts inside buckets
        double upper_bound = -1;        // of all cuts
        bool can_split_below = true;
        Criterion criterion;
        std::vector<double> known;
        std::array<double, n_buckets> bucket_bound;
        Cut cut;
        double low = 0, high = 0;
        std::uint8_t bucket = 0;
        typename GeneralKernel::ColumnSplit general_split;
    };
    struct SortedRows {  // rows by value, those of one value in row order
        double* value = nullptr;
        double* y = nullptr;
        double* weight = nullptr;
        std::uint16_t* label = nullptr;
        void resize(std::size_t n, GrowableBuffer<std::byte>& room) {
            constexpr std::size_t n_doubles = 1 + (is_regression ? 1 : 0) + (weighted ? 1 : 0);
            constexpr std::size_t size = n_doubles * sizeof(double) + sizeof(std::uint16_t);
            value = reinterpret_cast<double*>(room.reset(n * size));
            y = value + n;
            weight = value + (n_doubles - 1) * n;
            label = reinterpret_cast<std::uint16_t*>(value + n_doubles * n);
        }
    };
    struct Scratch {
        Scratch(const GrowRequest& request, const GeneralKernel& general, bool any_missing)
            : small(request, general, any_missing),
              scorer(request.criterion, request.n_sums),
              general_scratch(request) {}
        SmallSubtreeGrower<kind, weighted> small;
        Scorer scorer;
        typename GeneralKernel::Scratch general_scratch;
        ExactScratch space;
        RowSort sort;
        SortedRows sorted;
        GrowableBuffer<std::uint32_t> room;
        GrowableBuffer<std::byte>
            spare_room;  // sorted rows, or part of the rows that are partitioned
        std::vector<double> values, other;
        std::vector<std::uint16_t> labels;
        std::vector<RegressionItem> items;
        std::vector<Item> picked;
        std::vector<std::uint32_t> places;
        std::vector<double> below, bucket, left, right;
        std::vector<ColumnSplit> splits;
        std::vector<Candidate> candidates;
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
        std::vector<Cells> spare;
        std::vector<std::uint32_t> branch, branch_of;
        std::vector<std::uint64_t> masks[2], missing;  // one bit per row
        std::vector<double> shares;
        std::size_t heaviest = 0;
        RowArrays<Item>* row_arrays = nullptr;  // of the task
        std::unique_ptr<RowArrays<Item>> own_arrays;
        bool drops_missing = false;
    };

    using Task = GrowTask<Scratch>;

    // ---- for the driver

    [[nodiscard]] NodeLayout layout() const { return {s_, false, true, false}; }

    Scratch& scratch(int thread) { return *scratch_[static_cast<std::size_t>(thread)]; }

    // Nodes above the share of one thread are grown by all threads together.
    [[nodiscard]] std::size_t min_shared_rows(int n_threads) const {
        return std::max(request_.n_rows / static_cast<std::size_t>(n_threads), small_ + 1);
    }

    // Returns nothing if a number is infinite, or if a missing value is to be distributed
    // although the kernel is for rows of weight one.
    std::optional<OpenNode> start(Subtree& subtree, ThreadPool& pool,
                                  const PollCallback& poll) {
        for (int i = 0; i < pool.size(); ++i) {
            scratch_.push_back(std::make_unique<Scratch>(request_, general_, any_missing_));
        }
        return first_node(subtree, pool, poll);
    }

    void set_aside(Task& task, OpenNode& open) const {
        if (weighted && request_.fraction) {  // nodes before it may need more room
            const NodeBlock<Item> block =
                task.scratch.row_arrays->block(open.block.begin, open.block.n);
            open.own_arrays = std::make_unique<RowArrays<Item>>(
                task.scratch.row_arrays->extract(block, block.n > small_));
            open.block.begin = 0;
        }
    }

    void begin(Task& task, OpenNode& open) {
        task.scratch.own_arrays = std::move(open.own_arrays);
        task.scratch.row_arrays =
            task.scratch.own_arrays ? task.scratch.own_arrays.get() : &row_arrays_;
    }

    static bool stops(const Task&, const OpenNode& open) { return open.stops; }

    bool grow_whole(Task& task, OpenNode& open, const PollCallback& poll) {
        // The arrays may have moved; the rows of the node are the last ones in them.
        open.block = task.scratch.row_arrays->block(open.block.begin, open.block.n);
        if (open.block.n > small_) {
            return false;
        }
        task.scratch.small.grow(task.subtree, open.node, open.depth, open.block.rows,
                                open.block.weight, open.block.n, open.max_abs_y, open.active,
                                poll);
        return true;
    }

    template <class Pool>
    bool search(Task& task, OpenNode& open, Split& split, Pool&& pool) {
        Scratch& scratch = task.scratch;
        score_columns(task.subtree, open, scratch, pool);
        const int winner = choose(scratch.candidates, false, scratch.scores, scratch.ties);
        if (winner < 0 ||
            !(scratch.candidates[static_cast<std::size_t>(winner)].gain >= request_.min_gain)) {
            recycle(open, scratch);
            return false;
        }
        task.subtree.set_ties(open.node, scratch.ties);
        split = static_cast<Split>(winner);
        return true;
    }

    template <class Pool>
    void divide(Task& task, OpenNode& open, Split c, Pool&& pool,
                std::vector<OpenNode>& open_nodes) {
        Subtree& subtree = task.subtree;
        Scratch& scratch = task.scratch;
        const GrowColumn& from = request_.columns[c];
        const ColumnSplit& split = scratch.splits[c];
        const std::vector<double>& after =
            from.ordered ? split.cut.after : split.general_split.after;
        const std::size_t n_parts = after.size() / s_;
        const std::uint32_t first = subtree.split(open.node, c, n_parts);
        subtree.set_known(open.node, from.ordered ? split.cut.known : split.general_split.known,
                          from.ordered ? split.cut.missing : split.general_split.missing,
                          after);
        if (from.ordered) {
            set_cut(subtree.nodes[open.node], from, split.low, split.high);
        } else {
            scratch.branch_of.assign(static_cast<std::size_t>(from.n_levels), no_branch);
            for (std::size_t b = 0; b < n_parts; ++b) {
                subtree.set_levels(first + static_cast<std::uint32_t>(b),
                                   split.general_split.groups[b]);
                for (const std::int32_t code : split.general_split.groups[b]) {
                    scratch.branch_of[static_cast<std::size_t>(code)] =
                        static_cast<std::uint32_t>(b);
                }
            }
        }
        std::vector<OpenNode> parts(n_parts);
        for (std::size_t b = 0; b < n_parts; ++b) {
            parts[b].node = first + static_cast<std::uint32_t>(b);
            parts[b].depth = open.depth + 1;
            for (const std::uint32_t a : open.active) {
                if (!request_.columns[a].ordered || scratch.splits[a].can_split_below) {
                    parts[b].active.push_back(a);
                }
            }
        }
        RowArrays<Item>& row_arrays = *scratch.row_arrays;
        if (n_parts == 2) {
            divide_in_two(subtree, open, c, parts, scratch, row_arrays, pool, open_nodes);
        } else {
            divide_in_many(subtree, open, c, parts, scratch, row_arrays, pool, open_nodes);
        }
        recycle(open, scratch);
    }

  private:
    static void recycle(OpenNode& open, Scratch& scratch) {
        if (open.cells) {
            scratch.spare.push_back(std::move(open.cells));
        }
    }

    // ---- the first node

    std::optional<OpenNode> first_node(Subtree& subtree, ThreadPool& pool,
                                       const PollCallback& poll) {
        ColumnChecks& checks = checks_;
        const std::size_t n = request_.n_rows;
        Scratch& scratch = *scratch_[0];
        OpenNode root;
        subtree.add_nodes(1);
        const TargetRange range = node_sums_.sum_rows(
            [&](auto&& row) {
                for (std::size_t i = 0; i < n; ++i) {
                    if constexpr (is_regression) {
                        row(request_.raw(i), 0, weight_of_row(i));
                    } else {
                        row(0.0, request_.target[i], weight_of_row(i));
                    }
                }
            },
            subtree.total.data());
        root.max_abs_y = range.max_abs_y;
        root.stops = node_sums_.stops(range, subtree.total.data(), 0, scratch.scorer);
        checks.n_missing.assign(columns_.size(), 0);
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            columns_[c].from = &request_.columns[c];
            if (request_.columns[c].ordered) {
                columns_[c].slot = n_slots_++;
            }
        }
        const bool is_small = n <= small_;
        const bool shares_rows =
            weighted && request_.fraction;  // a row may be in several branches
        if (root.stops || is_small) {
            check_columns(checks);
        }
        if (is_refused(checks)) {
            return std::nullopt;
        }
        if (root.stops) {
            return root;
        }
        row_arrays_ = RowArrays<Item>(weighted, !is_regression, is_small ? 0 : n_slots_);
        row_arrays_.reserve(shares_rows ? n + n / 4 : n);
        root.block = row_arrays_.block(0, n);
        std::iota(root.block.rows, root.block.rows + n, 0U);
        if constexpr (weighted) {
            for (std::size_t i = 0; i < n; ++i) {
                root.block.weight[i] = weight_of_row(i);
            }
        }
        if (!is_small) {
            prepare_items(root.block);
            prepare_buckets(root.block, pool, checks, poll);
            if (is_refused(checks)) {
                return std::nullopt;
            }
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            root.active.push_back(static_cast<std::uint32_t>(c));
        }
        if (!is_small) {
            count(root, scratch, pool);
        }
        return root;
    }

    void check_columns(ColumnChecks& checks) const {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const GrowColumn& from = request_.columns[c];
            if (from.codes != nullptr) {
                checks.n_missing[c] = std::count_if(from.codes, from.codes + request_.n_rows,
                                                    [](std::int32_t code) { return code < 0; });
                continue;
            }
            for (std::size_t i = 0; i < request_.n_rows; ++i) {
                const double value = from.numbers[i * from.stride];
                checks.is_unsupported = checks.is_unsupported || std::isinf(value);
                checks.n_missing[c] += std::isnan(value) ? 1 : 0;
            }
        }
    }

    [[nodiscard]] bool is_refused(ColumnChecks& checks) const {
        const bool missing = std::any_of(checks.n_missing.begin(), checks.n_missing.end(),
                                         [](std::int64_t n) { return n > 0; });
        checks.is_unsupported = checks.is_unsupported || (missing && request_.whole);
        return checks.is_unsupported || (missing && request_.fraction && !weighted);
    }

    [[nodiscard]] double weight_of_row(std::size_t row) const {
        return weighted && request_.weight != nullptr ? request_.weight[row] : 1.0;
    }

    void prepare_items(NodeBlock<Item>& block) {
        const std::size_t n = block.n;
        double most_w = 0;
        double most_y = 0;
        double most_square = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double w = weight_of_row(i);
            most_w = std::max(most_w, w);
            if constexpr (is_regression) {
                const double y = std::fabs(request_.number(i));
                most_y = std::max(most_y, w * y);
                most_square = std::max(most_square, w * y * y);
            }
        }
        weights_ = Scale(most_w, n);
        numbers_ = Scale(most_y, n);
        squares_ = Scale(most_square, 2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double w = weight_of_row(i);
            if constexpr (!is_regression) {
                block.items[i].weight = weights_.round(w);
                block.labels[i] = static_cast<std::uint16_t>(request_.target[i]);
            } else if constexpr (weighted) {
                const double wy = w * request_.number(i);
                block.items[i].y = numbers_.round(wy);
                block.items[i].square = squares_.round_up(wy * request_.number(i));
                block.items[i].weight = weights_.round(w);
                block.items[i].none = 0;
            } else {
                block.items[i].raw = request_.raw(i);
            }
        }
    }

    // Encode all ordered columns, a few thousand rows at a time, so that a row-major matrix is
    // read from memory once.
    void prepare_buckets(NodeBlock<Item>& block, ThreadPool& pool, ColumnChecks& checks,
                         const PollCallback& poll) {
        constexpr std::size_t piece_size = 2048;
        const std::size_t n = block.n;
        pool.run(columns_.size(), [&](std::size_t c, int) {
            const GrowColumn& from = request_.columns[c];
            if (from.ordered) {
                columns_[c].map.prepare({from.numbers, from.stride, from.codes}, n);
            }
        });
        std::vector<std::vector<BucketMap>> maps(scratch_.size());
        for (auto& thread_maps : maps) {
            for (const Column& column : columns_) {
                thread_maps.push_back(column.map);
            }
        }
        std::vector<std::atomic<std::int64_t>> missing(columns_.size());
        std::atomic<bool> infinite{false};
        pool.run((n + piece_size - 1) / piece_size, [&](std::size_t task, int thread) {
            if (thread == 0 && poll) {
                poll();
            }
            auto& thread_maps = maps[static_cast<std::size_t>(thread)];
            const std::size_t begin = task * piece_size;
            const std::size_t end = std::min(n, begin + piece_size);
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                const GrowColumn& from = request_.columns[c];
                if (!from.ordered) {
                    continue;
                }
                std::uint8_t* codes = block.codes_of(columns_[c].slot);
                const bool whole =
                    thread_maps[c].code({from.numbers, from.stride, from.codes}, begin, end,
                                        codes) &&
                    (from.codes == nullptr ||
                     *std::min_element(from.codes + begin, from.codes + end) >= 0);
                if (whole) {
                    continue;
                }
                std::int64_t n_missing = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    const double value = value_at(from, i);
                    if (std::isinf(value)) {
                        infinite = true;
                    }
                    n_missing += std::isnan(value) ? 1 : 0;
                    codes[i] =
                        std::isnan(value) ? missing_bucket : std::min(codes[i], last_code);
                }
                missing[c].fetch_add(n_missing, std::memory_order_relaxed);
            }
        });
        checks.is_unsupported = infinite;
        pool.run(columns_.size(), [&](std::size_t c, int) {
            Column& column = columns_[c];
            const GrowColumn& coded = request_.columns[c];
            if (!coded.ordered) {
                checks.n_missing[c] = std::count_if(coded.codes, coded.codes + n,
                                                    [](std::int32_t code) { return code < 0; });
                return;
            }
            for (const auto& thread_maps : maps) {
                column.map.merge(thread_maps[c]);
            }
            for (std::size_t b = 0; b < n_buckets; ++b) {
                column.many[b] = column.map.has_several_values(b) ? 1 : 0;
            }
            column.has_missing = missing[c].load() > 0;
            checks.n_missing[c] = missing[c].load();
            if (column.has_missing) {  // the last two buckets are merged: one code is for
                                       // missing values
                column.many[last_code] = 1;
                std::uint8_t* codes = block.codes_of(column.slot);
                for (std::size_t i = 0; i < n; i += piece_size) {
                    merge_last(request_.columns[c], codes, i, std::min(n, i + piece_size));
                }
            }
        });
    }

    static void merge_last(const GrowColumn& from, std::uint8_t* codes, std::size_t begin,
                           std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (codes[i] == missing_bucket && !std::isnan(value_at(from, i))) {
                codes[i] = last_code;
            }
        }
    }

    Cells fresh(Scratch& scratch) const {
        if (!scratch.spare.empty()) {
            Cells cells = std::move(scratch.spare.back());
            scratch.spare.pop_back();
            return cells;
        }
        return Cells(new std::int64_t[n_slots_ * n_buckets * width_]);
    }

    // Count the ordered columns of a node, some thousand rows at a time, so that the items are
    // computed once for all columns and stay in the cache.
    template <class Pool>
    void count(OpenNode& open, Scratch& scratch, Pool&& pool) {
        open.cells = fresh(scratch);
        const NodeBlock<Item>& block = open.block;
        for_column_groups(
            open.active.size(), pool, [&](std::size_t first, std::size_t last, int thread) {
                for (std::size_t begin = 0; begin < block.n; begin += chunk_rows) {
                    const std::size_t n = std::min(chunk_rows, block.n - begin);
                    const auto* items = items_of(block, begin, n, scratch_of(thread, scratch));
                    const std::uint16_t* labels =
                        is_regression ? nullptr : block.labels + begin;
                    for (std::size_t i = first; i < last; ++i) {
                        const std::uint32_t c = open.active[i];
                        if (!request_.columns[c].ordered) {
                            continue;
                        }
                        const std::size_t slot = columns_[c].slot;
                        std::int64_t* cells = open.cells.get() + slot * n_buckets * width_;
                        if (begin == 0) {
                            std::fill(cells, cells + n_buckets * width_, std::int64_t{0});
                        }
                        count_items(block.codes_of(slot) + begin, items, labels, n, s_, cells,
                                    use_avx512_);
                    }
                }
            });
    }

    static constexpr std::size_t chunk_rows = 4096;

    // Call work(first, last, thread) for ranges of the n columns.
    template <class Pool, class Work>
    static void for_column_groups(std::size_t n, Pool&& pool, Work&& work) {
        const auto size = static_cast<std::size_t>(pool.size());
        const std::size_t n_groups = size == 1 ? 1 : std::min(n, 4 * size);
        pool.run(n_groups, [&](std::size_t group, int thread) {
            work(group * n / n_groups, (group + 1) * n / n_groups, thread);
        });
    }

    auto items_of(const NodeBlock<Item>& block, std::size_t begin, std::size_t n,
                  Scratch& scratch) const {
        if constexpr (is_regression && !weighted) {
            scratch.items.resize(std::max(scratch.items.size(), n));
            regression_items(block.items + begin, n, request_.centre, numbers_, squares_,
                             scratch.items.data(), use_avx512_);
            return static_cast<const RegressionItem*>(scratch.items.data());
        } else {
            static_cast<void>(n);
            static_cast<void>(scratch);
            return static_cast<const Item*>(block.items + begin);
        }
    }

    // ---- nodes

    Scratch& scratch_of(int thread, Scratch& scratch) {
        return thread < 0 ? scratch : *scratch_[static_cast<std::size_t>(thread)];
    }

    [[nodiscard]] NodeLimits limits(const Subtree& subtree, const OpenNode& open,
                                    const Scorer& scorer) const {
        const auto steps =
            static_cast<double>(open.depth + 1);  // each level may lose half a unit
        const double unit_y = (weighted ? steps : 1) * numbers_.unit;
        return node_sums_.limits(subtree.total.data() + open.node * s_, open.block.n,
                                 open.max_abs_y, unit_y, steps * weights_.unit, scorer);
    }

    // The best split of each column; those that can neither win nor tie are left out.
    template <class Pool>
    void score_columns(const Subtree& subtree, const OpenNode& open, Scratch& scratch,
                       Pool&& pool) {
        const NodeLimits node = limits(subtree, open, scratch.scorer);
        if (scratch.splits.size() < columns_.size()) {
            scratch.splits.resize(columns_.size());
        }
        // The fast step.
        pool.run(open.active.size(), [&](std::size_t i, int thread) {
            const std::uint32_t c = open.active[i];
            if (request_.columns[c].ordered) {
                scan_buckets(c, open, node, scratch_of(thread, scratch), scratch.splits[c]);
            } else {
                search_categories(c, open, node, scratch_of(thread, scratch),
                                  scratch.splits[c]);
            }
        });
        double best = 0;
        std::uint32_t leader = no_column;
        for (const std::uint32_t c : open.active) {
            const ColumnSplit& split = scratch.splits[c];
            if (split.best_edge > best || (leader == no_column && split.best_edge >= best)) {
                best = split.best_edge;
                leader = c;
            }
        }
        scratch.candidates.assign(columns_.size(), Candidate{});
        // Score the likely winner exactly: this gives the improvement that others must reach.
        if (leader != no_column && request_.columns[leader].ordered) {
            score_exactly(leader, open, node, best, scratch, pool, scratch.splits[leader]);
            ColumnSplit& split = scratch.splits[leader];
            split.upper_bound = split.improvement =
                split.cut.candidate.exists() ? split.cut.candidate.gain * node.weight : -1;
            best = std::max(best, split.improvement);
            scratch.candidates[leader] = split.cut.candidate;
        }
        std::atomic<double> so_far{best};
        pool.run(open.active.size(), [&](std::size_t i, int thread) {
            const std::uint32_t c = open.active[i];
            if (c != leader && request_.columns[c].ordered) {
                open_column(c, open, node, scratch_of(thread, scratch), scratch.splits[c],
                            so_far);
            }
        });
        best = so_far.load();
        for (const std::uint32_t c : open.active) {
            ColumnSplit& split = scratch.splits[c];
            if (!request_.columns[c].ordered) {
                scratch.candidates[c] = split.general_split.candidate;
            } else if (c != leader &&
                       (split.upper_bound >= best - node.margin || best <= node.margin)) {
                score_exactly(c, open, node, best, scratch, pool, split);
                scratch.candidates[c] = split.cut.candidate;
            }
        }
    }

    // ---- the fast step

    void search_categories(std::uint32_t c, const OpenNode& open, const NodeLimits& node,
                           Scratch& scratch, ColumnSplit& split) const {
        general_.search_column(c, {open.block.rows, open.block.weight, open.block.n},
                               scratch.general_scratch, split.general_split);
        const Candidate& candidate = split.general_split.candidate;
        split.best_edge = split.improvement = split.upper_bound =
            candidate.exists() ? candidate.gain * node.weight : -1;
        split.can_split_below = true;
    }

    // The improvements of the cuts between buckets, and bounds for those inside.
    void scan_buckets(std::uint32_t c, const OpenNode& open, const NodeLimits& node,
                      Scratch& scratch, ColumnSplit& split) const {
        const Column& column = columns_[c];
        const std::int64_t* cells = open.cells.get() + column.slot * n_buckets * width_;
        split.best_edge = split.best_edge_relaxed = split.bound_inside = split.improvement = -1;
        const std::size_t n_used = column.has_missing ? n_buckets - 1 : n_buckets;
        if constexpr (is_regression) {
            scan_numbers(column, cells, n_used, node, split);
        } else {
            scan_classes(column, cells, n_used, node, scratch, split);
        }
        split.upper_bound = std::max(split.best_edge_relaxed, split.bound_inside);
    }

    void scan_numbers(const Column& column, const std::int64_t* cells, std::size_t n_used,
                      const NodeLimits& node, ColumnSplit& split) const {
        std::int64_t sum_w = 0;
        std::int64_t sum_y = 0;
        for (std::size_t b = 0; b < n_used; ++b) {
            sum_y += cells[b * regression_cell];
            sum_w += cells[b * regression_cell + 2];
        }
        const double unit_w = weighted ? weights_.unit : 1;
        split.criterion.start(static_cast<double>(sum_w) * unit_w,
                              static_cast<double>(sum_y) * numbers_.unit);
        const double weight = split.criterion.weight();
        // Squares were rounded up, but fractions of them may have lost a little.
        const double room = weighted ? static_cast<double>(node.n) * squares_.unit * 1000 : 0;
        std::int64_t below_w = 0;
        std::int64_t below_y = 0;
        double wl = 0;
        double sl = 0;
        std::size_t n_seen = 0;
        bool many = false;
        for (std::size_t b = 0; b < n_used; ++b) {
            const std::int64_t* cell = cells + b * regression_cell;
            split.bucket_bound[b] = -1;
            if (cell[2] == 0 && cell[0] == 0 && cell[1] == 0) {
                continue;
            }
            ++n_seen;
            below_w += cell[2];
            below_y += cell[0];
            const double wl_next = static_cast<double>(below_w) * unit_w;
            const double sl_next = static_cast<double>(below_y) * numbers_.unit;
            if (column.many[b] != 0 && node.may_be_heavy(wl_next) &&
                node.may_be_heavy(weight - wl)) {
                many = true;
                split.bucket_bound[b] = split.criterion.bound_inside(
                    wl, sl, static_cast<double>(cell[2]) * unit_w,
                    static_cast<double>(cell[0]) * numbers_.unit,
                    static_cast<double>(cell[1]) * squares_.unit + room);
                split.bound_inside = std::max(split.bound_inside, split.bucket_bound[b]);
            }
            many = many || column.many[b] != 0;
            wl = wl_next;
            sl = sl_next;
            update_edge(split.criterion.improvement(wl, sl), wl, weight - wl, node, split);
        }
        split.can_split_below =
            weighted || n_seen > 1 || many;  // small weights may be rounded to zero
    }

    void scan_classes(const Column& column, const std::int64_t* cells, std::size_t n_used,
                      const NodeLimits& node, Scratch& scratch, ColumnSplit& split) const {
        if constexpr (!is_regression) {
            scratch.left.assign(s_, 0.0);
            split.known.assign(s_, 0.0);
            for (std::size_t b = 0; b < n_used; ++b) {
                for (std::size_t k = 0; k < s_; ++k) {
                    split.known[k] += static_cast<double>(cells[b * s_ + k]) * weights_.unit;
                }
            }
            split.criterion.start(split.known.data(), s_);
            const double weight = split.criterion.weight();
            scratch.below.assign(s_, 0.0);
            scratch.bucket.resize(s_);
            scratch.right.resize(s_);
            double wl = 0;
            std::size_t n_seen = 0;
            bool many = false;
            for (std::size_t b = 0; b < n_used; ++b) {
                double m = 0;
                for (std::size_t k = 0; k < s_; ++k) {
                    scratch.bucket[k] = static_cast<double>(cells[b * s_ + k]) * weights_.unit;
                    m += scratch.bucket[k];
                }
                split.bucket_bound[b] = -1;
                if (m == 0) {
                    continue;
                }
                ++n_seen;
                many = many || column.many[b] != 0;
                if (column.many[b] != 0 && node.may_be_heavy(wl + m) &&
                    node.may_be_heavy(weight - wl)) {
                    split.bucket_bound[b] = split.criterion.bound_inside(
                        scratch.below.data(), scratch.bucket.data(), scratch.left.data(),
                        scratch.right.data());
                    split.bound_inside = std::max(split.bound_inside, split.bucket_bound[b]);
                }
                for (std::size_t k = 0; k < s_; ++k) {
                    scratch.below[k] += scratch.bucket[k];
                }
                wl += m;
                if (wl < weight) {
                    update_edge(split.criterion.improvement(scratch.below.data(), wl,
                                                            scratch.right.data()),
                                wl, weight - wl, node, split);
                }
            }
            split.can_split_below =
                weighted || n_seen > 1 || many;  // small weights may be rounded to zero
        }
    }

    static void update_edge(double improvement, double wl, double wr, const NodeLimits& node,
                            ColumnSplit& split) {
        if (!node.may_be_heavy(wl) || !node.may_be_heavy(wr)) {
            return;
        }
        split.best_edge_relaxed = std::max(split.best_edge_relaxed, improvement);
        if (improvement > split.best_edge && node.is_heavy(wl) && node.is_heavy(wr)) {
            split.best_edge = improvement;
        }
    }

    // ---- examining buckets

    // Fetch a row of a node to position `at`.
    void fetch(const NodeBlock<Item>& block, std::uint32_t c, std::uint32_t position,
               std::size_t at, SortedRows& to) const {
        const std::uint32_t row = block.rows[position];
        to.value[at] = value_at(request_.columns[c], row);
        if constexpr (!is_regression) {
            to.label[at] = block.labels[position];
        } else if constexpr (weighted) {
            to.y[at] = request_.number(row);
        } else {
            to.y[at] = block.items[position].raw - request_.centre;
        }
        if constexpr (weighted) {
            to.weight[at] = block.weight[position];
        }
    }

    // Sort rows [begin, end) by value.
    static void sort_rows(SortedRows& rows, std::size_t begin, std::size_t end,
                          Scratch& scratch) {
        const std::size_t n = end - begin;
        RowSort& sort = scratch.sort;
        sort.start(n, static_cast<unsigned>(std::bit_width(n)));
        std::copy_n(rows.value + begin, n, sort.values());
        std::iota(sort.tags(), sort.tags() + n, 0U);
        sort.sort();
        const auto put = [&](auto* at, auto& spare) {
            spare.assign(at, at + n);
            for (std::size_t i = 0; i < n; ++i) {
                at[i] = spare[sort.tag(i)];
            }
        };
        for (std::size_t i = 0; i < n; ++i) {
            rows.value[begin + i] = sort.values()[sort.tag(i)];
        }
        if constexpr (is_regression) {
            put(rows.y + begin, scratch.other);
        } else {
            put(rows.label + begin, scratch.labels);
        }
        if constexpr (weighted) {
            put(rows.weight + begin, scratch.other);
        }
    }

    // The rows of a column that have a value, in value order. In a large node only some buckets
    // are sorted at a time, to limit memory.
    template <class Pool>
    class SortedRowReader {
      public:
        SortedRowReader(WeightedKernel& kernel, std::uint32_t c, const OpenNode& open,
                        Scratch& scratch, Pool& pool)
            : kernel_(kernel),
              column_(kernel.columns_[c]),
              c_(c),
              block_(open.block),
              scratch_(scratch),
              pool_(pool),
              most_(256 * kernel.request_.small) {
            const std::uint8_t* codes = block_.codes_of(column_.slot);
            std::array<std::array<std::uint32_t, n_buckets>, 4>
                counts{};  // four counters per bucket, so that equal codes do not wait for each
                           // other
            for (std::size_t i = 0; i < block_.n; ++i) {
                ++counts[i % 4][codes[i]];
            }
            start_[0] = 0;
            for (std::size_t b = 0; b < n_buckets; ++b) {
                start_[b + 1] =
                    start_[b] + counts[0][b] + counts[1][b] + counts[2][b] + counts[3][b];
            }
            n_ = column_.has_missing ? start_[missing_bucket] : start_[n_buckets];
        }
        [[nodiscard]] std::size_t n() const { return n_; }

        // To be called for one row after the other.
        [[nodiscard]] bool differs(std::size_t i) {
            const double* value = scratch_.sorted.value;
            if (i < end_) {
                return value[i - begin_] != value[i - begin_ - 1];
            }
            const double last = value[i - begin_ - 1];
            next();
            return scratch_.sorted.value[0] != last;
        }
        void add(std::size_t i, double* cell) {
            if (i >= end_) {
                next();
            }
            const std::size_t at = i - begin_;
            const double weight = weighted ? scratch_.sorted.weight[at] : 1.0;
            if constexpr (is_regression) {
                const double y = scratch_.sorted.y[at];
                const double wy = weight * y;
                cell[0] += weight;
                cell[1] += wy;
                cell[2] += wy * y;
            } else {
                cell[scratch_.sorted.label[at]] += weight;
            }
        }

        // The i-th value, and the bucket that it is in.
        [[nodiscard]] std::size_t bucket(std::size_t i) const {
            const auto after = std::upper_bound(start_.begin(), start_.end(), i);
            return static_cast<std::size_t>(after - start_.begin() - 1);
        }
        [[nodiscard]] double value(std::size_t i) {
            if (begin_ <= i && i < end_) {
                return scratch_.sorted.value[i - begin_];
            }
            const std::size_t b = bucket(i);
            const std::uint32_t* at = rows_of(b, b);
            scratch_.values.resize(start_[b + 1] - start_[b]);
            for (double& value : scratch_.values) {
                value = value_at(kernel_.request_.columns[c_], block_.rows[*at++]);
            }
            const auto nth =
                scratch_.values.begin() + static_cast<std::ptrdiff_t>(i - start_[b]);
            std::nth_element(scratch_.values.begin(), nth, scratch_.values.end());
            return *nth;
        }

      private:
        // Positions of the rows in some buckets.
        const std::uint32_t* rows_of(std::size_t first, std::size_t last) {
            std::uint32_t* room = scratch_.room.reset(start_[last + 1] - start_[first]);
            rows_in_run(block_.codes_of(column_.slot), block_.n,
                        static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last), room,
                        kernel_.use_avx512_);
            return room;
        }

        void next() {
            const std::size_t n_used = column_.has_missing ? missing_bucket : n_buckets;
            const std::size_t first = bucket(end_);
            std::size_t last = first;
            const bool at_once = block_.n <= most_;
            while (last + 1 < n_used &&
                   (at_once || start_[last + 2] - start_[first] <= most_)) {
                ++last;
            }
            begin_ = start_[first];
            end_ = start_[last + 1];
            SortedRows& sorted = scratch_.sorted;
            sorted.resize(at_once ? block_.n : end_ - begin_, scratch_.spare_room);
            const std::uint8_t* codes = block_.codes_of(column_.slot);
            std::array<std::uint32_t, n_buckets> at;
            for (std::size_t b = 0; b < n_buckets; ++b) {
                at[b] = start_[b] - static_cast<std::uint32_t>(begin_);
            }
            if (at_once) {  // rows without a value come last
                for (std::uint32_t i = 0; i < block_.n; ++i) {
                    kernel_.fetch(block_, c_, i, at[codes[i]]++, sorted);
                }
            } else {
                const std::uint32_t* rows = rows_of(first, last);
                for (std::size_t i = 0; i < end_ - begin_; ++i) {
                    kernel_.fetch(block_, c_, rows[i], at[codes[rows[i]]]++, sorted);
                }
            }
            constexpr std::size_t chunk = 8;
            pool_.run((last - first) / chunk + 1, [&](std::size_t task, int thread) {
                for (std::size_t b = first + task * chunk;
                     b <= std::min(last, first + task * chunk + chunk - 1); ++b) {
                    if (column_.many[b] != 0 && start_[b + 1] - start_[b] > 1) {
                        sort_rows(sorted, start_[b] - begin_, start_[b + 1] - begin_,
                                  kernel_.scratch_of(thread, scratch_));
                    }
                }
            });
        }

        WeightedKernel& kernel_;
        const Column& column_;
        std::uint32_t c_;
        const NodeBlock<Item>& block_;
        Scratch& scratch_;
        Pool& pool_;
        std::size_t most_;  // rows sorted at a time
        std::size_t n_ = 0;
        std::array<std::uint32_t, n_buckets + 1> start_;
        std::size_t begin_ = 0;  // range of the rows that are sorted now
        std::size_t end_ = 0;
    };

    // Score a column exactly.
    template <class Pool>
    void score_exactly(std::uint32_t c, const OpenNode& open, const NodeLimits& node,
                       double best, Scratch& scratch, Pool&& pool, ColumnSplit& split) {
        const Column& column = columns_[c];
        const NodeBlock<Item>& block = open.block;
        Cut& cut = split.cut;
        cut.candidate = Candidate{};
        cut.missing.assign(s_, 0.0);
        scratch.below.assign(s_, 0.0);
        // Small weights may have been lost in fixed point.
        if (column.has_missing || weighted) {
            const std::uint8_t* codes = block.codes_of(column.slot);
            const unsigned missing = column.has_missing ? missing_bucket : 256U;
            double* sums[2] = {scratch.below.data(), cut.missing.data()};
            for (std::size_t i = 0; i < block.n; ++i) {
                double* cell = sums[codes[i] == missing ? 1 : 0];
                const double weight = weighted ? block.weight[i] : 1.0;
                if constexpr (is_regression) {
                    const double y = number_at(block, i);
                    cell[0] += weight;
                    cell[1] += weight * y;
                    cell[2] += weight * y * y;
                } else {
                    cell[block.labels[i]] += weight;
                }
            }
        }
        SortedRowReader<std::remove_reference_t<Pool>> sorted(*this, c, open, scratch, pool);
        if (sorted.n() < 2) {
            return;
        }
        if constexpr (weighted) {
            if constexpr (is_regression) {
                split.criterion.start(scratch.below[0], scratch.below[1]);
            } else {
                split.known = scratch.below;
                split.criterion.start(split.known.data(), s_);
            }
        }
        ExactScorer<kind> exact_scorer(request_, scratch.scorer, scratch.space);
        exact_scorer.best_cut(
            sorted.n(), [&](std::size_t i) { return sorted.differs(i); },
            [&](std::size_t i, double* cell) { sorted.add(i, cell); }, split.criterion, node,
            best, cut);
        if (cut.candidate.exists()) {
            split.low = sorted.value(cut.at - 1);
            split.high = sorted.value(cut.at);
            split.bucket = static_cast<std::uint8_t>(sorted.bucket(cut.at - 1));
        }
    }

    [[nodiscard]] double number_at(const NodeBlock<Item>& block, std::size_t i) const {
        if constexpr (weighted) {
            return request_.number(block.rows[i]);
        } else {
            return block.items[i].raw - request_.centre;
        }
    }

    // Examine the buckets that may contain the best cut of the node, or a tie.
    void open_column(std::uint32_t c, const OpenNode& open, const NodeLimits& node,
                     Scratch& scratch, ColumnSplit& split, std::atomic<double>& so_far) const {
        const Column& column = columns_[c];
        const auto bar = [&] { return so_far.load(std::memory_order_relaxed) - node.margin; };
        if (split.upper_bound < bar()) {
            return;
        }
        double upper_bound = split.best_edge_relaxed;
        const std::uint8_t* codes = open.block.codes_of(column.slot);
        const std::int64_t* cells = open.cells.get() + column.slot * n_buckets * width_;
        const std::size_t n_used = column.has_missing ? n_buckets - 1 : n_buckets;
        scratch.below.assign(width_, 0.0);
        for (std::size_t b = 0; b < n_used; ++b) {
            if (split.bucket_bound[b] >= bar()) {
                const auto bucket = static_cast<std::uint8_t>(b);
                std::uint32_t* hits = scratch.room.reset(open.block.n);
                const auto n = static_cast<std::size_t>(
                    rows_in_run(codes, open.block.n, bucket, bucket, hits, use_avx512_) - hits);
                scratch.sorted.resize(n, scratch.spare_room);
                for (std::size_t i = 0; i < n; ++i) {
                    fetch(open.block, c, hits[i], i, scratch.sorted);
                }
                sort_rows(scratch.sorted, 0, n, scratch);
                scan_opened(n, scratch, split, node, so_far, upper_bound);
            }
            for (std::size_t k = 0; k < width_; ++k) {
                scratch.below[k] += static_cast<double>(cells[b * width_ + k]);
            }
        }
        split.upper_bound = upper_bound;
    }

    void scan_opened(std::size_t n, Scratch& scratch, ColumnSplit& split,
                     const NodeLimits& node, std::atomic<double>& so_far,
                     double& upper_bound) const {
        const double* value = scratch.sorted.value;
        const double* weights = scratch.sorted.weight;
        const double weight = split.criterion.weight();
        double best = -1;
        const auto update_best = [&](double improvement, double wl) {
            if (improvement > upper_bound && node.may_be_heavy(wl) &&
                node.may_be_heavy(weight - wl)) {
                upper_bound = improvement;
            }
            if (improvement > best && node.is_heavy(wl) && node.is_heavy(weight - wl)) {
                best = improvement;
            }
        };
        if constexpr (is_regression) {
            double sl = scratch.below[0] * numbers_.unit;
            double wl = scratch.below[2] * (weighted ? weights_.unit : 1);
            for (std::size_t i = 1; i < n; ++i) {
                const double w = weighted ? weights[i - 1] : 1.0;
                wl += w;
                sl += w * scratch.sorted.y[i - 1];
                if (value[i] != value[i - 1]) {
                    update_best(split.criterion.improvement(wl, sl), wl);
                }
            }
        } else {
            scratch.left.resize(s_);
            scratch.right.resize(s_);
            double wl = 0;
            for (std::size_t k = 0; k < s_; ++k) {
                scratch.left[k] = scratch.below[k] * weights_.unit;
                wl += scratch.left[k];
            }
            for (std::size_t i = 1; i < n; ++i) {
                scratch.left[scratch.sorted.label[i - 1]] += weights[i - 1];
                wl += weights[i - 1];
                if (value[i] != value[i - 1] &&
                    split.criterion.upper_bound(scratch.left.data(), wl) > best) {
                    update_best(split.criterion.improvement(scratch.left.data(), wl,
                                                            scratch.right.data()),
                                wl);
                }
            }
        }
        double now = so_far.load();
        while (best > now && !so_far.compare_exchange_weak(now, best)) {
        }
    }

    // ---- partition

    void push(OpenNode& part, std::vector<OpenNode>& stack) const {
        if (part.stops) {
            request_.report_leaf(part.block.n);
        } else {
            stack.push_back(std::move(part));
        }
    }

    // ---- two branches: bit masks of rows, and columns are partitioned in place

    // Call f(i, is_missing) for the rows of a branch in order.
    template <class F>
    static void each_row(const Scratch& scratch, std::size_t b, F&& f) {
        for (std::size_t w = 0; w < scratch.missing.size(); ++w) {
            const std::uint64_t missing = scratch.missing[w];
            for (std::uint64_t word = scratch.masks[b][w]; word != 0; word &= word - 1) {
                const auto bit = static_cast<unsigned>(std::countr_zero(word));
                f(w * 64 + bit, (missing >> bit & 1U) != 0);
            }
        }
    }

    template <class Pool>
    void divide_in_two(Subtree& subtree, OpenNode& open, std::uint32_t c,
                       std::vector<OpenNode>& parts, Scratch& scratch,
                       RowArrays<Item>& row_arrays, Pool&& pool, std::vector<OpenNode>& stack) {
        if (request_.columns[c].ordered) {
            side_by_value(c, open.block, scratch.splits[c], scratch);
        } else {
            side_by_level(c, open.block, scratch);
        }
        distribute_missing(open.block, parts, scratch);
        for (std::size_t b = 0; b < 2; ++b) {
            sum_rows(
                subtree, parts[b], scratch,
                [&](auto&& row) {
                    const double share = scratch.shares[b];
                    each_row(scratch, b, [&](std::size_t i, bool is_missing) {
                        row(i, is_missing ? share : 1.0);
                    });
                },
                open.block);
        }
        const std::size_t largest = parts[1].block.n > parts[0].block.n ? 1 : 0;
        const std::size_t other = 1 - largest;
        const bool is_less = is_large(parts[largest]) && !scratch.drops_missing &&
                             parts[other].block.n < parts[largest].block.n;
        if (is_less && !is_large(parts[other])) {
            // The other branch has no codes of its own: subtract its rows one by one.
            parts[largest].cells = std::move(open.cells);
            subtract_rows(open.block, parts[largest], other, scratch, pool);
        }
        const std::size_t bottom = parts[largest].stops ? other : largest;
        if (!parts[bottom].stops) {
            move_rows(open.block, parts, bottom, scratch, row_arrays, pool);
        }
        if (is_less && is_large(parts[other])) {
            count(parts[other], scratch, pool);
            parts[largest].cells = std::move(open.cells);
            subtract(parts[largest], parts[other], pool);
        }
        for (OpenNode& part : parts) {
            if (is_large(part) && !part.cells) {
                count(part, scratch, pool);
            }
        }
        push(parts[bottom], stack);  // the branch at the end of the arrays is grown first
        push(parts[1 - bottom], stack);
    }

    // Compare the codes of up to 64 rows with one code, one bit per row.
    static void compare_codes(const std::uint8_t* codes, std::size_t n, std::uint8_t code,
                              std::uint64_t& below, std::uint64_t& equal) {
        below = equal = 0;
        for (std::size_t i = 0; i < n; ++i) {
            below |= static_cast<std::uint64_t>(codes[i] < code ? 1 : 0) << i;
            equal |= static_cast<std::uint64_t>(codes[i] == code ? 1 : 0) << i;
        }
    }
#if PENJING_X86
    PENJING_AVX512 static void compare_codes_avx512(const std::uint8_t* codes,
                                                    std::uint8_t code, std::uint64_t& below,
                                                    std::uint64_t& equal) {
        const __m512i bytes = _mm512_loadu_si512(codes);
        const __m512i here = _mm512_set1_epi8(static_cast<char>(code));
        below = _mm512_cmplt_epu8_mask(bytes, here);
        equal = _mm512_cmpeq_epi8_mask(bytes, here);
    }
#endif

    void side_by_value(std::uint32_t c, const NodeBlock<Item>& block, const ColumnSplit& split,
                       Scratch& scratch) const {
        const Column& column = columns_[c];
        const std::uint8_t* codes = block.codes_of(column.slot);
        start_masks(block.n, scratch);
        for (std::size_t w = 0; w < scratch.missing.size(); ++w) {
            const std::size_t n = std::min<std::size_t>(64, block.n - w * 64);
            const auto compare = [&](std::uint8_t code, std::uint64_t& below,
                                     std::uint64_t& equal) {
#if PENJING_X86
                if (use_avx512_ && n == 64) {
                    compare_codes_avx512(codes + w * 64, code, below, equal);
                    return;
                }
#endif
                compare_codes(codes + w * 64, n, code, below, equal);
            };
            std::uint64_t left = 0;
            std::uint64_t same = 0;
            compare(split.bucket, left, same);
            for (; same != 0; same &= same - 1) {
                const auto bit = static_cast<unsigned>(std::countr_zero(same));
                const double value = value_at(request_.columns[c], block.rows[w * 64 + bit]);
                left |= std::uint64_t{value <= split.low ? 1U : 0U} << bit;
            }
            std::uint64_t known = ~std::uint64_t{0};
            std::uint64_t missing = 0;
            if (column.has_missing) {
                compare(missing_bucket, known, missing);
            }
            scratch.masks[0][w] = left;
            scratch.masks[1][w] = ~left & ~missing & (~std::uint64_t{0} >> (64 - n));
            scratch.missing[w] = missing;
        }
    }

    void side_by_level(std::uint32_t c, const NodeBlock<Item>& block, Scratch& scratch) const {
        start_masks(block.n, scratch);
        for (std::size_t i = 0; i < block.n; ++i) {
            const std::int32_t code = request_.columns[c].codes[block.rows[i]];
            const std::uint32_t b =
                code < 0 ? no_branch : scratch.branch_of[static_cast<std::size_t>(code)];
            auto& mask = b == no_branch ? scratch.missing : scratch.masks[b];
            mask[i / 64] |= std::uint64_t{1} << (i % 64);
        }
    }

    static void start_masks(std::size_t n, Scratch& scratch) {
        for (auto* mask : {&scratch.masks[0], &scratch.masks[1], &scratch.missing}) {
            mask->assign((n + 63) / 64, 0);
        }
    }

    // The number of rows of each branch, and the share of rows without a value that it gets
    // (engines/memory.py, _divide).
    void distribute_missing(const NodeBlock<Item>& block, std::vector<OpenNode>& parts,
                            Scratch& scratch) const {
        std::size_t n_missing = block.n;
        scratch.shares.assign(2, 0.0);
        for (std::size_t b = 0; b < 2; ++b) {
            std::size_t n = 0;
            for (const std::uint64_t word : scratch.masks[b]) {
                n += static_cast<std::size_t>(std::popcount(word));
            }
            if constexpr (weighted) {
                double sum = 0;
                each_row(scratch, b, [&](std::size_t i, bool) { sum += block.weight[i]; });
                scratch.shares[b] = sum;
            } else {
                scratch.shares[b] = static_cast<double>(n);
            }
            parts[b].block.n = n;
            n_missing -= n;
        }
        normalize_shares(n_missing, scratch);
        for (std::size_t b = 0; b < 2; ++b) {
            if (scratch.shares[b] > 0) {
                parts[b].block.n += n_missing;
                for (std::size_t w = 0; w < scratch.missing.size(); ++w) {
                    scratch.masks[b][w] |= scratch.missing[w];
                }
            }
        }
    }

    // Turn the weights of branches into shares; all 0 if nothing is distributed.
    void normalize_shares(std::size_t n_missing, Scratch& scratch) const {
        const bool shared = request_.fraction && n_missing > 0;
        const double sum = pairwise_sum(scratch.shares.data(), scratch.shares.size());
        scratch.heaviest = 0;
        for (std::size_t b = 0; b < scratch.shares.size(); ++b) {
            scratch.shares[b] = shared ? scratch.shares[b] / sum : 0.0;
            scratch.heaviest =
                scratch.shares[b] > scratch.shares[scratch.heaviest] ? b : scratch.heaviest;
        }
        scratch.drops_missing = n_missing > 0 && !shared;
    }

    // Sum the rows of a branch; `walk(row)` calls row(i, share) for each.
    template <class Walk>
    void sum_rows(Subtree& subtree, OpenNode& part, Scratch& scratch, const Walk& walk,
                  const NodeBlock<Item>& block) const {
        double* total = subtree.total.data() + part.node * s_;
        const TargetRange range = node_sums_.sum_rows(
            [&](auto&& row) {
                walk([&](std::size_t i, double share) {
                    const double weight = weighted ? block.weight[i] * share : 1.0;
                    if constexpr (!is_regression) {
                        row(0.0, block.labels[i], weight);
                    } else if constexpr (weighted) {
                        row(request_.raw(block.rows[i]), 0, weight);
                    } else {
                        row(block.items[i].raw, 0, weight);
                    }
                });
            },
            total);
        part.max_abs_y = range.max_abs_y;
        part.stops = node_sums_.stops(range, total, part.depth, scratch.scorer);
    }

    // The item of a row without a value in one branch. The heaviest branch gets the remainder
    // of the rounded parts, so that the branches add up to the node.
    static Item item_of_branch(const Item& item, std::size_t b, const Scratch& scratch) {
        if (b != scratch.heaviest) {
            return fraction_of(item, scratch.shares[b]);
        }
        Item rest = item;
        for (std::size_t to = 0; to < scratch.shares.size(); ++to) {
            if (to != b && scratch.shares[to] > 0) {
                subtract(rest, fraction_of(item, scratch.shares[to]));
            }
        }
        return rest;
    }

    static Item fraction_of(const Item& item, double share) {
        Item part = item;
        if constexpr (weighted) {
            const auto times = [share](std::int64_t x) {
                return static_cast<std::int64_t>(
                    std::nearbyint(static_cast<double>(x) * share));
            };
            if constexpr (is_regression) {
                part.y = times(item.y);
                part.square = times(item.square);
            }
            part.weight = times(item.weight);
        }
        static_cast<void>(share);
        return part;
    }
    static void subtract(Item& from, const Item& item) {
        if constexpr (weighted) {
            if constexpr (is_regression) {
                from.y -= item.y;
                from.square -= item.square;
            }
            from.weight -= item.weight;
        }
        static_cast<void>(from);
        static_cast<void>(item);
    }

    // The rows of `bottom` stay at the start of the node, and those of the other branch follow
    // them.
    template <class Pool>
    void move_rows(NodeBlock<Item>& block, std::vector<OpenNode>& parts, std::size_t bottom,
                   Scratch& scratch, RowArrays<Item>& row_arrays, Pool&& pool) {
        const std::size_t n = block.n;
        const std::size_t top = 1 - bottom;
        const std::size_t n_bottom = parts[bottom].block.n;
        const std::size_t n_top = parts[top].stops ? 0 : parts[top].block.n;
        row_arrays.reserve(block.begin + n_bottom + n_top);
        block = row_arrays.block(block.begin, n);
        const std::uint64_t* stay = scratch.masks[bottom].data();
        const std::uint64_t* go = scratch.masks[top].data();
        const bool is_whole = n_bottom + n_top == n;  // every row goes to one branch
        const auto move = [&](auto* from, GrowableBuffer<std::byte>& room, bool has_top) {
            using T = std::remove_pointer_t<decltype(from)>;
            const std::size_t size = has_top ? n_top : 0;
            auto* spare = reinterpret_cast<T*>(room.reset(size * sizeof(T)));
            if (size > 0 && is_whole) {
                split_by_mask(from, go, n, from, spare, use_avx512_);
            } else {
                if (size > 0) {
                    split_by_mask(from, go, n, static_cast<T*>(nullptr), spare, use_avx512_);
                }
                split_by_mask(from, stay, n, static_cast<T*>(nullptr), from, use_avx512_);
            }
            std::copy_n(spare, size, from + n_bottom);
        };
        // The same, for values of which a row without a branch has a part in each.
        const auto share = [&](auto* from, const auto& part) {
            using T = std::remove_pointer_t<decltype(from)>;
            auto* spare = reinterpret_cast<T*>(scratch.spare_room.reset(n_top * sizeof(T)));
            T* to = spare;
            if (n_top > 0) {
                each_row(scratch, top, [&](std::size_t i, bool is_missing) {
                    *to++ = is_missing ? part(from[i], top) : from[i];
                });
            }
            to = from;
            each_row(scratch, bottom, [&](std::size_t i, bool is_missing) {
                *to++ = is_missing ? part(from[i], bottom) : from[i];
            });
            std::copy_n(spare, n_top, to);
        };
        move(block.rows, scratch.spare_room, n_top > 0);
        if constexpr (weighted) {
            share(block.weight,
                  [&](double weight, std::size_t b) { return weight * scratch.shares[b]; });
        }
        for (const std::size_t b : {bottom, top}) {
            parts[b].block.begin = block.begin + (b == bottom ? 0 : n_bottom);
            parts[b].block = row_arrays.block(parts[b].block.begin, parts[b].block.n);
        }
        if (!is_large(parts[bottom])) {  // hence neither is the other
            return;
        }
        share(block.items, [&](const Item& item, std::size_t b) {
            return item_of_branch(item, b, scratch);
        });
        const bool both = is_large(parts[top]);
        if constexpr (!is_regression) {
            move(block.labels, scratch.spare_room, both);
        }
        const std::vector<std::uint32_t>& slots = parts[0].active;
        pool.run(slots.size(), [&](std::size_t i, int thread) {
            if (request_.columns[slots[i]].ordered) {
                move(block.codes_of(columns_[slots[i]].slot),
                     scratch_of(thread, scratch).spare_room, both);
            }
        });
    }

    [[nodiscard]] bool is_large(const OpenNode& part) const {
        return !part.stops && part.block.n > small_;
    }

    // Subtract the counts of one branch from those of the node.
    template <class Pool>
    void subtract(OpenNode& rest, const OpenNode& part, Pool&& pool) const {
        pool.run(rest.active.size(), [&](std::size_t i, int) {
            const std::uint32_t c = rest.active[i];
            if (request_.columns[c].ordered) {
                const std::size_t size = n_buckets * width_;
                std::int64_t* whole = rest.cells.get() + columns_[c].slot * size;
                const std::int64_t* cells = part.cells.get() + columns_[c].slot * size;
                for (std::size_t k = 0; k < size; ++k) {
                    whole[k] -= cells[k];
                }
            }
        });
    }

    // The same for a branch that is not counted, row by row.
    template <class Pool>
    void subtract_rows(const NodeBlock<Item>& block, OpenNode& rest, std::size_t other,
                       Scratch& scratch, Pool&& pool) {
        for_column_groups(
            rest.active.size(), pool, [&](std::size_t first, std::size_t last, int thread) {
                Scratch& own = scratch_of(thread, scratch);
                const auto flush = [&] {
                    const std::size_t n = own.picked.size();
                    const NodeBlock<Item> few{0,       n, nullptr, nullptr, own.picked.data(),
                                              nullptr, {}};
                    const auto* items = items_of(few, 0, n, own);
                    for (std::size_t a = first; a < last; ++a) {
                        const std::uint32_t c = rest.active[a];
                        if (request_.columns[c].ordered) {
                            const std::size_t slot = columns_[c].slot;
                            std::int64_t* cells = rest.cells.get() + slot * n_buckets * width_;
                            for (std::size_t j = 0; j < n; ++j) {
                                const std::uint32_t i = own.places[j];
                                subtract_from_cell(cells, block.codes_of(slot)[i], items[j],
                                                   is_regression ? 0 : block.labels[i]);
                            }
                        }
                    }
                    own.picked.clear();
                    own.places.clear();
                };
                each_row(scratch, other, [&](std::size_t i, bool is_missing) {
                    own.places.push_back(static_cast<std::uint32_t>(i));
                    own.picked.push_back(is_missing
                                             ? item_of_branch(block.items[i], other, scratch)
                                             : block.items[i]);
                    if (own.picked.size() == chunk_rows) {
                        flush();
                    }
                });
                flush();
            });
    }

    template <class Whole>
    void subtract_from_cell(std::int64_t* cells, std::uint8_t code, const Whole& item,
                            std::uint16_t label) const {
        if constexpr (is_regression) {
            std::int64_t* cell = cells + code * regression_cell;
            cell[0] -= item.y;
            cell[1] -= item.square;
            if constexpr (weighted) {
                cell[2] -= item.weight;
            } else {
                --cell[2];
            }
        } else {
            cells[code * s_ + label] -= item.weight;
        }
    }

    // ---- many branches

    template <class Pool>
    void divide_in_many(Subtree& subtree, OpenNode& open, std::uint32_t c,
                        std::vector<OpenNode>& parts, Scratch& scratch,
                        RowArrays<Item>& row_arrays, Pool&& pool,
                        std::vector<OpenNode>& stack) {
        NodeBlock<Item>& block = open.block;
        const std::size_t n = block.n;
        const std::size_t n_parts = parts.size();
        std::size_t n_missing = 0;
        scratch.branch.resize(n);
        scratch.shares.assign(n_parts, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t code = request_.columns[c].codes[block.rows[i]];
            const std::uint32_t b =
                code < 0 ? no_branch : scratch.branch_of[static_cast<std::size_t>(code)];
            scratch.branch[i] = b;
            if (b == no_branch) {
                ++n_missing;
            } else {
                scratch.shares[b] += weighted ? block.weight[i] : 1.0;
                ++parts[b].block.n;
            }
        }
        normalize_shares(n_missing, scratch);
        // The rows of each branch, for their sums.
        std::vector<std::size_t> start(n_parts + 1, 0);
        for (std::size_t b = 0; b < n_parts; ++b) {
            parts[b].block.n += scratch.shares[b] > 0 ? n_missing : 0;
            start[b + 1] = start[b] + parts[b].block.n;
        }
        std::uint32_t* at = scratch.room.reset(start[n_parts]);
        for_each_placed_row(n, start, scratch,
                            [&](std::size_t place, std::size_t i, std::size_t) {
                                at[place] = static_cast<std::uint32_t>(i);
                            });
        for (std::size_t b = 0; b < n_parts; ++b) {
            sum_rows(
                subtree, parts[b], scratch,
                [&](auto&& row) {
                    for (std::size_t place = start[b]; place < start[b + 1]; ++place) {
                        const std::uint32_t i = at[place];
                        row(i, scratch.branch[i] == no_branch ? scratch.shares[b] : 1.0);
                    }
                },
                block);
        }
        // Leaves are not stored; the other branches are stored last to first.
        std::size_t kept = 0;
        for (std::size_t b = n_parts; b-- > 0;) {
            start[b] = kept;
            kept += parts[b].stops ? 0 : parts[b].block.n;
        }
        row_arrays.reserve(block.begin + kept);
        block = row_arrays.block(block.begin, n);
        const auto move = [&](auto* from, GrowableBuffer<std::byte>& room, bool all,
                              const auto& part) {
            using T = std::remove_pointer_t<decltype(from)>;
            auto* spare = reinterpret_cast<T*>(room.reset(kept * sizeof(T)));
            for_each_placed_row(
                n, start, scratch, [&](std::size_t place, std::size_t i, std::size_t b) {
                    if (all ? !parts[b].stops : is_large(parts[b])) {
                        spare[place] =
                            scratch.branch[i] == no_branch ? part(from[i], b) : from[i];
                    }
                });
            for (std::size_t b = 0; b < n_parts; ++b) {
                if (all ? !parts[b].stops : is_large(parts[b])) {
                    std::copy_n(spare + start[b], parts[b].block.n, from + start[b]);
                }
            }
        };
        const auto same = [](const auto& value, std::size_t) { return value; };
        move(block.rows, scratch.spare_room, true, same);
        if constexpr (weighted) {
            move(block.weight, scratch.spare_room, true,
                 [&](double weight, std::size_t b) { return weight * scratch.shares[b]; });
        }
        move(block.items, scratch.spare_room, false,
             [&](const Item& item, std::size_t b) { return item_of_branch(item, b, scratch); });
        if constexpr (!is_regression) {
            move(block.labels, scratch.spare_room, false, same);
        }
        const std::vector<std::uint32_t>& slots = parts[0].active;
        pool.run(slots.size(), [&](std::size_t i, int thread) {
            if (request_.columns[slots[i]].ordered) {
                move(block.codes_of(columns_[slots[i]].slot),
                     scratch_of(thread, scratch).spare_room, false, same);
            }
        });
        for (std::size_t b = 0; b < n_parts; ++b) {
            parts[b].block = row_arrays.block(block.begin + start[b], parts[b].block.n);
        }
        count_children(open, parts, scratch, pool);
        for (std::size_t b = n_parts; b-- > 0;) {
            push(parts[b], stack);
        }
    }

    // Call f(place, row, branch) for every row of every branch; branches begin at `start`.
    template <class F>
    static void for_each_placed_row(std::size_t n, const std::vector<std::size_t>& start,
                                    const Scratch& scratch, F&& f) {
        std::vector<std::size_t> at = start;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t b = scratch.branch[i];
            if (b != no_branch) {
                f(at[b]++, i, b);
                continue;
            }
            for (std::size_t to = 0; to < scratch.shares.size(); ++to) {
                if (scratch.shares[to] > 0) {
                    f(at[to]++, i, to);
                }
            }
        }
    }

    // Count the large children: all but the largest, which is the rest of the node.
    template <class Pool>
    void count_children(OpenNode& open, std::vector<OpenNode>& parts, Scratch& scratch,
                        Pool&& pool) {
        std::size_t largest = 0;
        std::size_t others = 0;
        bool countable = !scratch.drops_missing;
        for (std::size_t b = 0; b < parts.size(); ++b) {
            largest = parts[b].block.n > parts[largest].block.n ? b : largest;
        }
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (b != largest) {
                others += parts[b].block.n;
                // A child can be subtracted only if it has codes.
                countable = countable && is_large(parts[b]);
            }
        }
        const bool remains =
            is_large(parts[largest]) && countable && others < parts[largest].block.n;
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (is_large(parts[b]) && !(b == largest && remains)) {
                count(parts[b], scratch, pool);
            }
        }
        if (remains) {
            parts[largest].cells = std::move(open.cells);
            for (std::size_t b = 0; b < parts.size(); ++b) {
                if (b != largest) {
                    subtract(parts[largest], parts[b], pool);
                }
            }
        }
    }

    static constexpr std::uint32_t no_column = 0xffffffffU;
    static constexpr std::uint32_t no_branch = 0xffffffffU;
    static constexpr std::uint8_t last_code = missing_bucket - 1;

    const GrowRequest& request_;
    std::size_t s_;
    std::size_t width_;
    std::size_t small_;
    bool use_avx512_;
    GeneralKernel general_;
    bool any_missing_;
    NodeSums<kind, weighted> node_sums_;
    std::vector<Column> columns_;
    RowArrays<Item> row_arrays_;  // of all nodes without arrays of their own
    ColumnChecks& checks_;
    std::vector<std::unique_ptr<Scratch>> scratch_;
    std::size_t n_slots_ = 0;
    Scale weights_, numbers_, squares_;
};

}  // namespace penjing
