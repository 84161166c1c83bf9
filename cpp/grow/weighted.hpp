// The growing kernel for rows that do not count one each: numbers as targets, weights, missing
// values shared out as fractions.
//
// Every node is looked at twice. First fast: ordered columns are counted in buckets
// (grow/buckets.hpp), in fixed point (grow/criterion_fixed_point.hpp), the smaller child only;
// a bound says which buckets may hide a better cut, and with a margin for all rounding that
// leaves the columns which may win, usually one. Those, and only those, are then computed as
// the oracle does (grow/exact_scoring.hpp), so the tree has its bits. Nodes of few rows keep
// sorted lists (grow/weighted_small.hpp).
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
#include "grow/exact_scoring.hpp"
#include "grow/general.hpp"
#include "grow/grow_weighted.hpp"
#include "grow/level_counts.hpp"
#include "grow/nodes.hpp"
#include "grow/weighted_block.hpp"
#include "grow/weighted_node.hpp"
#include "grow/weighted_small.hpp"

namespace penjing {

template <Kind kind, bool weighted>
class MeasuredKernel {
  public:
    static constexpr bool is_number = kind == Kind::variance;
    using Item =
        std::conditional_t<is_number, std::conditional_t<weighted, WeightedItem, PlainNumber>,
                           ClassItem>;
    using Judge =
        std::conditional_t<is_number, NumberJudge,
                           ClassJudge<kind == Kind::entropy ? Kind::entropy : Kind::gini>>;

    MeasuredKernel(const Order& order, bool any_missing)
        : order_(order),
          s_(order.n_sums),
          width_(is_number ? number_cell : order.n_sums),
          small_(order.is_ratio()
                     ? SmallTree<kind, weighted>::most_rows
                     : std::min(order.small, SmallTree<kind, weighted>::most_rows)),
          wide_(has_avx512()),
          general_(order),
          any_missing_(any_missing),
          maths_(order, any_missing),
          columns_(order.columns.size()),
          ground_(weighted, !is_number, 0) {}

    // Empty if a number is infinite; or if a value is missing and is to be shared out, where
    // rows were thought to weigh one each.
    std::vector<Grove> grow(ThreadPool& pool, const PollCallback& poll, Sight& sight) {
        for (int i = 0; i < pool.size(); ++i) {
            workers_.push_back(std::make_unique<Worker>(order_, general_, any_missing_));
        }
        const bool alone = pool.size() == 1;
        // What is more than one worker's share is grown by all of them.
        const auto n_workers = static_cast<std::size_t>(pool.size());
        const std::size_t large = alone ? 0 : std::max(order_.n_rows / n_workers, small_ + 1);
        std::vector<Grove> groves(1);
        std::vector<Open> later;
        std::optional<Open> root = first_node(groves[0], pool, sight, poll);
        if (!root) {
            return {};
        }
        if (!root->stops) {
            subtree(groves[0], std::move(*root), *workers_[0], ground_, large,
                    alone ? nullptr : &pool, alone ? nullptr : &later, poll);
        }
        groves.resize(1 + later.size());
        std::vector<std::size_t> by_size(later.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return later[a].block.n > later[b].block.n;
        });
        for (std::size_t i = 0; i < later.size(); ++i) {
            groves[0].nodes[later[i].node].link = static_cast<std::int32_t>(i + 1);
            add_nodes(groves[i + 1], 1, s_);
            std::copy_n(groves[0].total.data() + later[i].node * s_, s_,
                        groves[i + 1].total.data());
        }
        pool.run(later.size(), [&](std::size_t piece, int worker) {
            const std::size_t i = by_size[piece];
            later[i].node = 0;
            const std::unique_ptr<Ground<Item>> own = std::move(later[i].own);
            subtree(groves[i + 1], std::move(later[i]),
                    *workers_[static_cast<std::size_t>(worker)], own ? *own : ground_, 0,
                    nullptr, nullptr, worker == 0 ? poll : PollCallback{});
        });
        return groves;
    }

  private:
    using Cells = std::unique_ptr<std::int64_t[]>;
    struct Column {
        const GrowColumn* from = nullptr;
        BucketMap map;
        bool has_missing = false;
        bool is_constant = false;
        std::size_t slot = 0;
        std::array<std::uint8_t, n_buckets> many{};  // whether a bucket holds several values
    };
    struct Open {
        std::uint32_t node = 0;
        std::int64_t depth = 0;
        bool stops = false;
        double most = 0;  // |y|
        Block<Item> block;
        std::unique_ptr<Ground<Item>> own;  // where it lies, if not with the others
        Cells cells;                        // slots x buckets x width
        std::vector<std::uint32_t> active;
    };
    struct Found {
        double edges = -1;    // the best worth between two buckets
        double worth = -1;    // the best worth, when buckets have been opened
        double perhaps = -1;  // the same as `edges` with branches that are perhaps too light
        double inside = -1;   // the most that a bucket may hide
        double most = -1;     // no cut is worth more
        bool stays = true;
        Judge judge;
        std::vector<double> known;
        std::array<double, n_buckets> hides;
        Cut cut;
        double low = 0, high = 0;
        std::uint8_t bucket = 0;
        typename GeneralKernel::Division division;
    };
    struct Sorted {  // rows by value; those of one value in the order of the table
        double* value = nullptr;
        double* y = nullptr;
        double* weight = nullptr;
        std::uint16_t* label = nullptr;
        void resize(std::size_t n, GrowableBuffer<std::byte>& room) {
            constexpr std::size_t n_doubles = 1 + (is_number ? 1 : 0) + (weighted ? 1 : 0);
            constexpr std::size_t size = n_doubles * sizeof(double) + sizeof(std::uint16_t);
            value = reinterpret_cast<double*>(room.reset(n * size));
            y = value + n;
            weight = value + (n_doubles - 1) * n;
            label = reinterpret_cast<std::uint16_t*>(value + n_doubles * n);
        }
    };
    struct Worker {
        Worker(const Order& order, const GeneralKernel& general, bool any_missing)
            : small(order, general, any_missing),
              scorer(order.measure, order.n_sums),
              general_worker(order) {}
        SmallTree<kind, weighted> small;
        Scorer scorer;
        typename GeneralKernel::Worker general_worker;
        CanonSpace space;
        RowSort sort;
        Sorted sorted;
        GrowableBuffer<std::uint32_t> room;
        GrowableBuffer<std::byte>
            spare_room;  // rows in order, or a part of those to be divided
        std::vector<double> values, other;
        std::vector<std::uint16_t> labels;
        std::vector<NumberItem> items;
        std::vector<Item> picked;
        std::vector<std::uint32_t> places;
        std::vector<double> below, bucket, left, right;
        std::vector<Found> found;
        std::vector<Offer> offers;
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
        std::vector<Cells> spare;
        std::vector<std::uint32_t> branch, branch_of;
        std::vector<std::uint64_t> masks[2], lost;  // a bit a row
        std::vector<double> shares;
        std::size_t heaviest = 0;
        bool loses_rows = false;
    };

    // ---- the first node

    std::optional<Open> first_node(Grove& grove, ThreadPool& pool, Sight& sight,
                                   const PollCallback& poll) {
        const std::size_t n = order_.n_rows;
        Worker& my = *workers_[0];
        Open root;
        add_nodes(grove, 1, s_);
        const Seen seen = maths_.weigh(
            [&](auto&& row) {
                for (std::size_t i = 0; i < n; ++i) {
                    if constexpr (is_number) {
                        row(order_.raw(i), 0, weight_of_row(i));
                    } else {
                        row(0.0, order_.target[i], weight_of_row(i));
                    }
                }
            },
            grove.total.data());
        root.most = seen.most;
        root.stops = maths_.stops(seen, grove.total.data(), 0, my.scorer);
        sight.n_missing.assign(columns_.size(), 0);
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            columns_[c].from = &order_.columns[c];
            if (order_.columns[c].ordered) {
                columns_[c].slot = n_slots_++;
            }
        }
        const bool is_small = n <= small_;
        const bool shares_rows = weighted && order_.fraction;  // into several branches
        if (root.stops || is_small) {
            look_for_odd(sight);
        }
        if (must_not_grow(sight)) {
            return std::nullopt;
        }
        if (root.stops) {
            return root;
        }
        ground_ = Ground<Item>(weighted, !is_number, is_small ? 0 : n_slots_);
        ground_.reserve(shares_rows ? n + n / 4 : n);
        root.block = ground_.block(0, n);
        std::iota(root.block.rows, root.block.rows + n, 0U);
        if constexpr (weighted) {
            for (std::size_t i = 0; i < n; ++i) {
                root.block.weight[i] = weight_of_row(i);
            }
        }
        if (!is_small) {
            prepare_items(root.block);
            prepare_buckets(root.block, pool, sight, poll);
            if (must_not_grow(sight)) {
                return std::nullopt;
            }
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            root.active.push_back(static_cast<std::uint32_t>(c));
        }
        if (!is_small) {
            count(root, my, pool);
        }
        return root;
    }

    void look_for_odd(Sight& sight) const {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const GrowColumn& from = order_.columns[c];
            if (from.codes != nullptr) {
                sight.n_missing[c] = std::count_if(from.codes, from.codes + order_.n_rows,
                                                   [](std::int32_t code) { return code < 0; });
                continue;
            }
            for (std::size_t i = 0; i < order_.n_rows; ++i) {
                const double value = from.numbers[i * from.stride];
                sight.is_odd = sight.is_odd || std::isinf(value);
                sight.n_missing[c] += std::isnan(value) ? 1 : 0;
            }
        }
    }

    [[nodiscard]] bool must_not_grow(Sight& sight) const {
        const bool lost = std::any_of(sight.n_missing.begin(), sight.n_missing.end(),
                                      [](std::int64_t n) { return n > 0; });
        sight.is_odd = sight.is_odd || (lost && order_.whole);
        return sight.is_odd || (lost && order_.fraction && !weighted);
    }

    [[nodiscard]] double weight_of_row(std::size_t row) const {
        return weighted && order_.weight != nullptr ? order_.weight[row] : 1.0;
    }

    void prepare_items(Block<Item>& block) {
        const std::size_t n = block.n;
        double most_w = 0;
        double most_y = 0;
        double most_square = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double w = weight_of_row(i);
            most_w = std::max(most_w, w);
            if constexpr (is_number) {
                const double y = std::fabs(order_.number(i));
                most_y = std::max(most_y, w * y);
                most_square = std::max(most_square, w * y * y);
            }
        }
        weights_ = Scale(most_w, n);
        numbers_ = Scale(most_y, n);
        squares_ = Scale(most_square, 2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double w = weight_of_row(i);
            if constexpr (!is_number) {
                block.items[i].weight = weights_.whole(w);
                block.labels[i] = static_cast<std::uint16_t>(order_.target[i]);
            } else if constexpr (weighted) {
                const double wy = w * order_.number(i);
                block.items[i].y = numbers_.whole(wy);
                block.items[i].square = squares_.above(wy * order_.number(i));
                block.items[i].weight = weights_.whole(w);
                block.items[i].none = 0;
            } else {
                block.items[i].raw = order_.raw(i);
            }
        }
    }

    // Code all ordered columns, a few thousand rows at a time: numbers that lie row by row are
    // read from memory once.
    void prepare_buckets(Block<Item>& block, ThreadPool& pool, Sight& sight,
                         const PollCallback& poll) {
        constexpr std::size_t piece_size = 2048;
        const std::size_t n = block.n;
        pool.run(columns_.size(), [&](std::size_t c, int) {
            const GrowColumn& from = order_.columns[c];
            if (from.ordered) {
                columns_[c].map.prepare({from.numbers, from.stride, from.codes}, n);
            }
        });
        std::vector<std::vector<BucketMap>> maps(workers_.size());
        for (auto& mine : maps) {
            for (const Column& column : columns_) {
                mine.push_back(column.map);
            }
        }
        std::vector<std::atomic<std::int64_t>> lost(columns_.size());
        std::atomic<bool> infinite{false};
        pool.run((n + piece_size - 1) / piece_size, [&](std::size_t piece, int worker) {
            if (worker == 0 && poll) {
                poll();
            }
            auto& mine = maps[static_cast<std::size_t>(worker)];
            const std::size_t begin = piece * piece_size;
            const std::size_t end = std::min(n, begin + piece_size);
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                const GrowColumn& from = order_.columns[c];
                if (!from.ordered) {
                    continue;
                }
                std::uint8_t* codes = block.codes_of(columns_[c].slot);
                const bool whole =
                    mine[c].code({from.numbers, from.stride, from.codes}, begin, end, codes) &&
                    (from.codes == nullptr ||
                     *std::min_element(from.codes + begin, from.codes + end) >= 0);
                if (whole) {
                    continue;
                }
                std::int64_t n_lost = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    const double value = value_at(from, i);
                    if (std::isinf(value)) {
                        infinite = true;
                    }
                    n_lost += std::isnan(value) ? 1 : 0;
                    codes[i] =
                        std::isnan(value) ? missing_bucket : std::min(codes[i], last_code);
                }
                lost[c].fetch_add(n_lost, std::memory_order_relaxed);
            }
        });
        sight.is_odd = infinite;
        pool.run(columns_.size(), [&](std::size_t c, int) {
            Column& column = columns_[c];
            const GrowColumn& coded = order_.columns[c];
            if (!coded.ordered) {
                sight.n_missing[c] = std::count_if(coded.codes, coded.codes + n,
                                                   [](std::int32_t code) { return code < 0; });
                return;
            }
            for (const auto& mine : maps) {
                column.map.merge(mine[c]);
            }
            for (std::size_t b = 0; b < n_buckets; ++b) {
                column.many[b] = column.map.is_many(b) ? 1 : 0;
            }
            column.has_missing = lost[c].load() > 0;
            sight.n_missing[c] = lost[c].load();
            if (column.has_missing) {  // its last two buckets become one
                column.many[last_code] = 1;
                std::uint8_t* codes = block.codes_of(column.slot);
                for (std::size_t i = 0; i < n; i += piece_size) {
                    merge_last(order_.columns[c], codes, i, std::min(n, i + piece_size));
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

    Cells fresh(Worker& my) const {
        if (!my.spare.empty()) {
            Cells cells = std::move(my.spare.back());
            my.spare.pop_back();
            return cells;
        }
        return Cells(new std::int64_t[n_slots_ * n_buckets * width_]);
    }

    // Count the ordered columns of a node, some thousand rows at a time: their items are made
    // once for all columns, and stay in the cache.
    template <class Pool>
    void count(Open& open, Worker& my, Pool&& pool) {
        open.cells = fresh(my);
        const Block<Item>& block = open.block;
        in_groups(open.active.size(), pool, [&](std::size_t first, std::size_t last, int by) {
            for (std::size_t begin = 0; begin < block.n; begin += at_a_time) {
                const std::size_t n = std::min(at_a_time, block.n - begin);
                const auto* items = items_of(block, begin, n, worker(by, my));
                const std::uint16_t* labels = is_number ? nullptr : block.labels + begin;
                for (std::size_t i = first; i < last; ++i) {
                    const std::uint32_t c = open.active[i];
                    if (!order_.columns[c].ordered) {
                        continue;
                    }
                    const std::size_t slot = columns_[c].slot;
                    std::int64_t* cells = open.cells.get() + slot * n_buckets * width_;
                    if (begin == 0) {
                        std::fill(cells, cells + n_buckets * width_, std::int64_t{0});
                    }
                    count_items(block.codes_of(slot) + begin, items, labels, n, s_, cells,
                                wide_);
                }
            }
        });
    }

    static constexpr std::size_t at_a_time = 4096;

    // Call work(first, last, worker) for columns [first, last) of n.
    template <class Pool, class Work>
    static void in_groups(std::size_t n, Pool&& pool, Work&& work) {
        const auto size = static_cast<std::size_t>(pool.size());
        const std::size_t n_groups = size == 1 ? 1 : std::min(n, 4 * size);
        pool.run(n_groups, [&](std::size_t group, int by) {
            work(group * n / n_groups, (group + 1) * n / n_groups, by);
        });
    }

    auto items_of(const Block<Item>& block, std::size_t begin, std::size_t n,
                  Worker& my) const {
        if constexpr (is_number && !weighted) {
            my.items.resize(std::max(my.items.size(), n));
            whole_items(block.items + begin, n, order_.centre, numbers_, squares_,
                        my.items.data(), wide_);
            return static_cast<const NumberItem*>(my.items.data());
        } else {
            static_cast<void>(n);
            static_cast<void>(my);
            return static_cast<const Item*>(block.items + begin);
        }
    }

    // ---- nodes

    void subtree(Grove& grove, Open first, Worker& my, Ground<Item>& ground, std::size_t large,
                 ThreadPool* pool, std::vector<Open>* later, const PollCallback& poll) {
        std::vector<Open> stack;
        stack.push_back(std::move(first));
        while (!stack.empty()) {
            Open open = std::move(stack.back());  // nothing lies behind it
            stack.pop_back();
            open.block = ground.block(open.block.begin, open.block.n);
            if (poll) {
                poll();
            }
            if (later != nullptr && open.block.n < large) {
                if (weighted && order_.fraction) {  // those before it may need more room
                    open.own = std::make_unique<Ground<Item>>(
                        ground.apart(open.block, open.block.n > small_));
                    open.block.begin = 0;
                }
                later->push_back(std::move(open));
                continue;
            }
            if (open.block.n <= small_) {
                my.small.grow(grove, open.node, open.depth, open.block.rows, open.block.weight,
                              open.block.n, open.most, open.active, poll);
                continue;
            }
            if (pool != nullptr) {
                grow_node(grove, open, my, ground, *pool, stack);
            } else {
                grow_node(grove, open, my, ground, SerialPool{}, stack);
            }
            if (open.cells) {
                my.spare.push_back(std::move(open.cells));
            }
        }
    }

    Worker& worker(int by, Worker& my) {
        return by < 0 ? my : *workers_[static_cast<std::size_t>(by)];
    }

    [[nodiscard]] NodeFrame frame(const Grove& grove, const Open& open,
                                  const Scorer& scorer) const {
        const auto steps = static_cast<double>(open.depth + 1);  // each may lose half a unit
        const double unit_y = (weighted ? steps : 1) * numbers_.unit;
        return maths_.frame(grove.total.data() + open.node * s_, open.block.n, open.most,
                            unit_y, steps * weights_.unit, scorer);
    }

    template <class Pool>
    void grow_node(Grove& grove, Open& open, Worker& my, Ground<Item>& ground, Pool&& pool,
                   std::vector<Open>& stack) {
        const NodeFrame node = frame(grove, open, my.scorer);
        if (my.found.size() < columns_.size()) {
            my.found.resize(columns_.size());
        }
        // First look.
        pool.run(open.active.size(), [&](std::size_t i, int by) {
            const std::uint32_t c = open.active[i];
            if (order_.columns[c].ordered) {
                scan_buckets(c, open, node, worker(by, my), my.found[c]);
            } else {
                look_at_levels(c, open, node, worker(by, my), my.found[c]);
            }
        });
        double best = 0;
        std::uint32_t leader = no_column;
        for (const std::uint32_t c : open.active) {
            const Found& found = my.found[c];
            if (found.edges > best || (leader == no_column && found.edges >= best)) {
                best = found.edges;
                leader = c;
            }
        }
        my.offers.assign(columns_.size(), Offer{});
        // The likely winner is sorted whole: that shows its best cut, and what must be beaten.
        if (leader != no_column && order_.columns[leader].ordered) {
            canon(leader, open, node, best, my, pool, my.found[leader]);
            Found& found = my.found[leader];
            found.most = found.worth =
                found.cut.offer.made() ? found.cut.offer.gain * node.weight : -1;
            best = std::max(best, found.worth);
            my.offers[leader] = found.cut.offer;
        }
        std::atomic<double> so_far{best};
        pool.run(open.active.size(), [&](std::size_t i, int by) {
            const std::uint32_t c = open.active[i];
            if (c != leader && order_.columns[c].ordered) {
                open_column(c, open, node, worker(by, my), my.found[c], so_far);
            }
        });
        best = so_far.load();
        for (const std::uint32_t c : open.active) {
            Found& found = my.found[c];
            if (!order_.columns[c].ordered) {
                my.offers[c] = found.division.offer;
            } else if (c != leader &&
                       (found.most >= best - node.margin || best <= node.margin)) {
                canon(c, open, node, best, my, pool, found);
                my.offers[c] = found.cut.offer;
            }
        }
        order_.look(open.block.n);
        const int winner = choose(my.offers, false, my.scores, my.ties);
        if (winner < 0) {
            order_.place(open.block.n);
            return;
        }
        grove.set_ties(open.node, my.ties);
        const auto w = static_cast<std::uint32_t>(winner);
        if (my.offers[w].gain >= order_.min_gain) {
            divide(grove, open, w, my, ground, pool, stack);
        } else {
            order_.place(open.block.n);
        }
    }

    // ---- the first look

    void look_at_levels(std::uint32_t c, const Open& open, const NodeFrame& node, Worker& my,
                        Found& found) const {
        general_.look(c, {open.block.rows, open.block.weight, open.block.n}, my.general_worker,
                      found.division);
        const Offer& offer = found.division.offer;
        found.edges = found.worth = found.most = offer.made() ? offer.gain * node.weight : -1;
        found.stays = true;
    }

    // What lies between buckets, and what each may hide.
    void scan_buckets(std::uint32_t c, const Open& open, const NodeFrame& node, Worker& my,
                      Found& found) const {
        const Column& column = columns_[c];
        const std::int64_t* cells = open.cells.get() + column.slot * n_buckets * width_;
        found.edges = found.perhaps = found.inside = found.worth = -1;
        const std::size_t n_used = column.has_missing ? n_buckets - 1 : n_buckets;
        if constexpr (is_number) {
            scan_numbers(column, cells, n_used, node, found);
        } else {
            scan_classes(column, cells, n_used, node, my, found);
        }
        found.most = std::max(found.perhaps, found.inside);
    }

    void scan_numbers(const Column& column, const std::int64_t* cells, std::size_t n_used,
                      const NodeFrame& node, Found& found) const {
        std::int64_t sum_w = 0;
        std::int64_t sum_y = 0;
        for (std::size_t b = 0; b < n_used; ++b) {
            sum_y += cells[b * number_cell];
            sum_w += cells[b * number_cell + 2];
        }
        const double unit_w = weighted ? weights_.unit : 1;
        found.judge.start(static_cast<double>(sum_w) * unit_w,
                          static_cast<double>(sum_y) * numbers_.unit);
        const double weight = found.judge.weight();
        // Squares were rounded up, but shares of them may have lost a little.
        const double room = weighted ? static_cast<double>(node.n) * squares_.unit * 1000 : 0;
        std::int64_t below_w = 0;
        std::int64_t below_y = 0;
        double wl = 0;
        double sl = 0;
        std::size_t seen = 0;
        bool many = false;
        for (std::size_t b = 0; b < n_used; ++b) {
            const std::int64_t* cell = cells + b * number_cell;
            found.hides[b] = -1;
            if (cell[2] == 0 && cell[0] == 0 && cell[1] == 0) {
                continue;
            }
            ++seen;
            below_w += cell[2];
            below_y += cell[0];
            const double wl_next = static_cast<double>(below_w) * unit_w;
            const double sl_next = static_cast<double>(below_y) * numbers_.unit;
            if (column.many[b] != 0 && node.may_be_heavy(wl_next) &&
                node.may_be_heavy(weight - wl)) {
                many = true;
                found.hides[b] =
                    found.judge.inside(wl, sl, static_cast<double>(cell[2]) * unit_w,
                                       static_cast<double>(cell[0]) * numbers_.unit,
                                       static_cast<double>(cell[1]) * squares_.unit + room);
                found.inside = std::max(found.inside, found.hides[b]);
            }
            many = many || column.many[b] != 0;
            wl = wl_next;
            sl = sl_next;
            take_edge(found.judge.worth(wl, sl), wl, weight - wl, node, found);
        }
        found.stays = weighted || seen > 1 || many;  // small weights may count as none
    }

    void scan_classes(const Column& column, const std::int64_t* cells, std::size_t n_used,
                      const NodeFrame& node, Worker& my, Found& found) const {
        if constexpr (!is_number) {
            my.left.assign(s_, 0.0);
            found.known.assign(s_, 0.0);
            for (std::size_t b = 0; b < n_used; ++b) {
                for (std::size_t k = 0; k < s_; ++k) {
                    found.known[k] += static_cast<double>(cells[b * s_ + k]) * weights_.unit;
                }
            }
            found.judge.start(found.known.data(), s_);
            const double weight = found.judge.weight();
            my.below.assign(s_, 0.0);
            my.bucket.resize(s_);
            my.right.resize(s_);
            double wl = 0;
            std::size_t seen = 0;
            bool many = false;
            for (std::size_t b = 0; b < n_used; ++b) {
                double m = 0;
                for (std::size_t k = 0; k < s_; ++k) {
                    my.bucket[k] = static_cast<double>(cells[b * s_ + k]) * weights_.unit;
                    m += my.bucket[k];
                }
                found.hides[b] = -1;
                if (m == 0) {
                    continue;
                }
                ++seen;
                many = many || column.many[b] != 0;
                if (column.many[b] != 0 && node.may_be_heavy(wl + m) &&
                    node.may_be_heavy(weight - wl)) {
                    found.hides[b] = found.judge.inside(my.below.data(), my.bucket.data(),
                                                        my.left.data(), my.right.data());
                    found.inside = std::max(found.inside, found.hides[b]);
                }
                for (std::size_t k = 0; k < s_; ++k) {
                    my.below[k] += my.bucket[k];
                }
                wl += m;
                if (wl < weight) {
                    take_edge(found.judge.worth(my.below.data(), wl, my.right.data()), wl,
                              weight - wl, node, found);
                }
            }
            found.stays = weighted || seen > 1 || many;  // small weights may count as none
        }
    }

    static void take_edge(double worth, double wl, double wr, const NodeFrame& node,
                          Found& found) {
        if (!node.may_be_heavy(wl) || !node.may_be_heavy(wr)) {
            return;
        }
        found.perhaps = std::max(found.perhaps, worth);
        if (worth > found.edges && node.is_heavy(wl) && node.is_heavy(wr)) {
            found.edges = worth;
        }
    }

    // ---- opening buckets

    // Fetch a row of a node into `to`, at place `at`.
    void fetch(const Block<Item>& block, std::uint32_t c, std::uint32_t position,
               std::size_t at, Sorted& to) const {
        const std::uint32_t row = block.rows[position];
        to.value[at] = value_at(order_.columns[c], row);
        if constexpr (!is_number) {
            to.label[at] = block.labels[position];
        } else if constexpr (weighted) {
            to.y[at] = order_.number(row);
        } else {
            to.y[at] = block.items[position].raw - order_.centre;
        }
        if constexpr (weighted) {
            to.weight[at] = block.weight[position];
        }
    }

    // Put rows [begin, end) in order.
    static void sort_rows(Sorted& rows, std::size_t begin, std::size_t end, Worker& my) {
        const std::size_t n = end - begin;
        RowSort& sort = my.sort;
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
        if constexpr (is_number) {
            put(rows.y + begin, my.other);
        } else {
            put(rows.label + begin, my.labels);
        }
        if constexpr (weighted) {
            put(rows.weight + begin, my.other);
        }
    }

    // The known rows of a column by value, one after the other. Of a large node only some
    // buckets are sorted at a time, so that this takes no room as large as the table.
    template <class Pool>
    class ByValue {
      public:
        ByValue(MeasuredKernel& kernel, std::uint32_t c, const Open& open, Worker& my,
                Pool& pool)
            : kernel_(kernel),
              column_(kernel.columns_[c]),
              c_(c),
              block_(open.block),
              my_(my),
              pool_(pool),
              most_(256 * kernel.order_.small) {
            const std::uint8_t* codes = block_.codes_of(column_.slot);
            std::array<std::array<std::uint32_t, n_buckets>, 4> counts{};  // none waits
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

        // Both are asked for one row after the other.
        [[nodiscard]] bool differs(std::size_t i) {
            const double* value = my_.sorted.value;
            if (i < end_) {
                return value[i - begin_] != value[i - begin_ - 1];
            }
            const double last = value[i - begin_ - 1];
            next();
            return my_.sorted.value[0] != last;
        }
        void add(std::size_t i, double* cell) {
            if (i >= end_) {
                next();
            }
            const std::size_t at = i - begin_;
            const double weight = weighted ? my_.sorted.weight[at] : 1.0;
            if constexpr (is_number) {
                const double y = my_.sorted.y[at];
                const double wy = weight * y;
                cell[0] += weight;
                cell[1] += wy;
                cell[2] += wy * y;
            } else {
                cell[my_.sorted.label[at]] += weight;
            }
        }

        // The i-th value, and the bucket that it is in.
        [[nodiscard]] std::size_t bucket(std::size_t i) const {
            const auto after = std::upper_bound(start_.begin(), start_.end(), i);
            return static_cast<std::size_t>(after - start_.begin() - 1);
        }
        [[nodiscard]] double value(std::size_t i) {
            if (begin_ <= i && i < end_) {
                return my_.sorted.value[i - begin_];
            }
            const std::size_t b = bucket(i);
            const std::uint32_t* at = rows_of(b, b);
            my_.values.resize(start_[b + 1] - start_[b]);
            for (double& value : my_.values) {
                value = value_at(kernel_.order_.columns[c_], block_.rows[*at++]);
            }
            const auto nth = my_.values.begin() + static_cast<std::ptrdiff_t>(i - start_[b]);
            std::nth_element(my_.values.begin(), nth, my_.values.end());
            return *nth;
        }

      private:
        // Positions of the rows in some buckets.
        const std::uint32_t* rows_of(std::size_t first, std::size_t last) {
            std::uint32_t* room = my_.room.reset(start_[last + 1] - start_[first]);
            rows_in_run(block_.codes_of(column_.slot), block_.n,
                        static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last), room,
                        kernel_.wide_);
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
            Sorted& sorted = my_.sorted;
            sorted.resize(at_once ? block_.n : end_ - begin_, my_.spare_room);
            const std::uint8_t* codes = block_.codes_of(column_.slot);
            std::array<std::uint32_t, n_buckets> at;
            for (std::size_t b = 0; b < n_buckets; ++b) {
                at[b] = start_[b] - static_cast<std::uint32_t>(begin_);
            }
            if (at_once) {  // those that are not known too, behind
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
            pool_.run((last - first) / chunk + 1, [&](std::size_t piece, int by) {
                for (std::size_t b = first + piece * chunk;
                     b <= std::min(last, first + piece * chunk + chunk - 1); ++b) {
                    if (column_.many[b] != 0 && start_[b + 1] - start_[b] > 1) {
                        sort_rows(sorted, start_[b] - begin_, start_[b + 1] - begin_,
                                  kernel_.worker(by, my_));
                    }
                }
            });
        }

        MeasuredKernel& kernel_;
        const Column& column_;
        std::uint32_t c_;
        const Block<Item>& block_;
        Worker& my_;
        Pool& pool_;
        std::size_t most_;  // rows that are sorted at a time
        std::size_t n_ = 0;
        std::array<std::uint32_t, n_buckets + 1> start_;
        std::size_t begin_ = 0;  // which of them are at hand
        std::size_t end_ = 0;
    };

    // The offer of a column in the oracle's arithmetic.
    template <class Pool>
    void canon(std::uint32_t c, const Open& open, const NodeFrame& node, double best,
               Worker& my, Pool&& pool, Found& found) {
        const Column& column = columns_[c];
        const Block<Item>& block = open.block;
        Cut& cut = found.cut;
        cut.offer = Offer{};
        cut.missing.assign(s_, 0.0);
        my.below.assign(s_, 0.0);
        // In fixed point, small weights may have been lost.
        if (column.has_missing || weighted) {
            const std::uint8_t* codes = block.codes_of(column.slot);
            const unsigned lost = column.has_missing ? missing_bucket : 256U;
            double* sums[2] = {my.below.data(), cut.missing.data()};
            for (std::size_t i = 0; i < block.n; ++i) {
                double* cell = sums[codes[i] == lost ? 1 : 0];
                const double weight = weighted ? block.weight[i] : 1.0;
                if constexpr (is_number) {
                    const double y = number_at(block, i);
                    cell[0] += weight;
                    cell[1] += weight * y;
                    cell[2] += weight * y * y;
                } else {
                    cell[block.labels[i]] += weight;
                }
            }
        }
        ByValue<std::remove_reference_t<Pool>> sorted(*this, c, open, my, pool);
        if (sorted.n() < 2) {
            return;
        }
        if constexpr (weighted) {
            if constexpr (is_number) {
                found.judge.start(my.below[0], my.below[1]);
            } else {
                found.known = my.below;
                found.judge.start(found.known.data(), s_);
            }
        }
        Canon<kind> canonical(order_, my.scorer, my.space);
        canonical.offer(
            sorted.n(), [&](std::size_t i) { return sorted.differs(i); },
            [&](std::size_t i, double* cell) { sorted.add(i, cell); }, found.judge, node, best,
            cut);
        if (cut.offer.made()) {
            found.low = sorted.value(cut.at - 1);
            found.high = sorted.value(cut.at);
            found.bucket = static_cast<std::uint8_t>(sorted.bucket(cut.at - 1));
        }
    }

    [[nodiscard]] double number_at(const Block<Item>& block, std::size_t i) const {
        if constexpr (weighted) {
            return order_.number(block.rows[i]);
        } else {
            return block.items[i].raw - order_.centre;
        }
    }

    // Look into the buckets that may still hide the best cut of the node, or one as good.
    void open_column(std::uint32_t c, const Open& open, const NodeFrame& node, Worker& my,
                     Found& found, std::atomic<double>& so_far) const {
        const Column& column = columns_[c];
        const auto bar = [&] { return so_far.load(std::memory_order_relaxed) - node.margin; };
        if (found.most < bar()) {
            return;
        }
        double most = found.perhaps;
        const std::uint8_t* codes = open.block.codes_of(column.slot);
        const std::int64_t* cells = open.cells.get() + column.slot * n_buckets * width_;
        const std::size_t n_used = column.has_missing ? n_buckets - 1 : n_buckets;
        my.below.assign(width_, 0.0);
        for (std::size_t b = 0; b < n_used; ++b) {
            if (found.hides[b] >= bar()) {
                const auto bucket = static_cast<std::uint8_t>(b);
                std::uint32_t* hits = my.room.reset(open.block.n);
                const auto n = static_cast<std::size_t>(
                    rows_in_run(codes, open.block.n, bucket, bucket, hits, wide_) - hits);
                my.sorted.resize(n, my.spare_room);
                for (std::size_t i = 0; i < n; ++i) {
                    fetch(open.block, c, hits[i], i, my.sorted);
                }
                sort_rows(my.sorted, 0, n, my);
                scan_opened(n, my, found, node, so_far, most);
            }
            for (std::size_t k = 0; k < width_; ++k) {
                my.below[k] += static_cast<double>(cells[b * width_ + k]);
            }
        }
        found.most = most;
    }

    void scan_opened(std::size_t n, Worker& my, Found& found, const NodeFrame& node,
                     std::atomic<double>& so_far, double& most) const {
        const double* value = my.sorted.value;
        const double* weights = my.sorted.weight;
        const double weight = found.judge.weight();
        double best = -1;
        const auto take = [&](double worth, double wl) {
            if (worth > most && node.may_be_heavy(wl) && node.may_be_heavy(weight - wl)) {
                most = worth;
            }
            if (worth > best && node.is_heavy(wl) && node.is_heavy(weight - wl)) {
                best = worth;
            }
        };
        if constexpr (is_number) {
            double sl = my.below[0] * numbers_.unit;
            double wl = my.below[2] * (weighted ? weights_.unit : 1);
            for (std::size_t i = 1; i < n; ++i) {
                const double w = weighted ? weights[i - 1] : 1.0;
                wl += w;
                sl += w * my.sorted.y[i - 1];
                if (value[i] != value[i - 1]) {
                    take(found.judge.worth(wl, sl), wl);
                }
            }
        } else {
            my.left.resize(s_);
            my.right.resize(s_);
            double wl = 0;
            for (std::size_t k = 0; k < s_; ++k) {
                my.left[k] = my.below[k] * weights_.unit;
                wl += my.left[k];
            }
            for (std::size_t i = 1; i < n; ++i) {
                my.left[my.sorted.label[i - 1]] += weights[i - 1];
                wl += weights[i - 1];
                if (value[i] != value[i - 1] && found.judge.most(my.left.data(), wl) > best) {
                    take(found.judge.worth(my.left.data(), wl, my.right.data()), wl);
                }
            }
        }
        double now = so_far.load();
        while (best > now && !so_far.compare_exchange_weak(now, best)) {
        }
    }

    // ---- dividing

    template <class Pool>
    void divide(Grove& grove, Open& open, std::uint32_t c, Worker& my, Ground<Item>& ground,
                Pool&& pool, std::vector<Open>& stack) {
        const GrowColumn& from = order_.columns[c];
        const Found& found = my.found[c];
        const std::vector<double>& after =
            from.ordered ? found.cut.after : found.division.after;
        const std::size_t n_parts = after.size() / s_;
        const auto first = static_cast<std::uint32_t>(grove.nodes.size());
        add_nodes(grove, n_parts, s_);
        Grove::Node& node = grove.nodes[open.node];
        node.column = static_cast<std::int32_t>(c);
        node.first_child = first;
        node.n_children = static_cast<std::uint32_t>(n_parts);
        const std::vector<double>& known =
            from.ordered ? found.cut.known : found.division.known;
        const std::vector<double>& lost =
            from.ordered ? found.cut.missing : found.division.missing;
        std::copy(known.begin(), known.end(), grove.known.data() + open.node * s_);
        std::copy(lost.begin(), lost.end(), grove.missing.data() + open.node * s_);
        std::copy(after.begin(), after.end(), grove.after.data() + first * s_);
        if (from.ordered) {
            set_cut(node, from, found.low, found.high);
        } else {
            my.branch_of.assign(static_cast<std::size_t>(from.n_levels), no_branch);
            for (std::size_t b = 0; b < n_parts; ++b) {
                Grove::Node& child = grove.nodes[first + b];
                child.level_start = static_cast<std::uint32_t>(grove.levels.size());
                child.level_count = static_cast<std::uint32_t>(found.division.groups[b].size());
                for (const std::int32_t code : found.division.groups[b]) {
                    grove.levels.push_back(code);
                    my.branch_of[static_cast<std::size_t>(code)] =
                        static_cast<std::uint32_t>(b);
                }
            }
        }
        std::vector<Open> parts(n_parts);
        for (std::size_t b = 0; b < n_parts; ++b) {
            parts[b].node = first + static_cast<std::uint32_t>(b);
            parts[b].depth = open.depth + 1;
            for (const std::uint32_t a : open.active) {
                if (!order_.columns[a].ordered || my.found[a].stays) {
                    parts[b].active.push_back(a);
                }
            }
        }
        if (n_parts == 2) {
            divide_in_two(grove, open, c, parts, my, ground, pool, stack);
        } else {
            divide_in_many(grove, open, c, parts, my, ground, pool, stack);
        }
    }

    void push(Open& part, std::vector<Open>& stack) const {
        if (part.stops) {
            order_.place(part.block.n);
        } else {
            stack.push_back(std::move(part));
        }
    }

    // ---- two branches: a bit a row says who goes where, and columns are divided in place

    // Call f(i, is_lost) for the rows of a branch, in their order.
    template <class F>
    static void each_row(const Worker& my, std::size_t b, F&& f) {
        for (std::size_t w = 0; w < my.lost.size(); ++w) {
            const std::uint64_t lost = my.lost[w];
            for (std::uint64_t word = my.masks[b][w]; word != 0; word &= word - 1) {
                const auto bit = static_cast<unsigned>(std::countr_zero(word));
                f(w * 64 + bit, (lost >> bit & 1U) != 0);
            }
        }
    }

    template <class Pool>
    void divide_in_two(Grove& grove, Open& open, std::uint32_t c, std::vector<Open>& parts,
                       Worker& my, Ground<Item>& ground, Pool&& pool,
                       std::vector<Open>& stack) {
        if (order_.columns[c].ordered) {
            side_by_value(c, open.block, my.found[c], my);
        } else {
            side_by_level(c, open.block, my);
        }
        share_out(open.block, parts, my);
        for (std::size_t b = 0; b < 2; ++b) {
            weigh(
                grove, parts[b], my,
                [&](auto&& row) {
                    const double share = my.shares[b];
                    each_row(my, b, [&](std::size_t i, bool is_lost) {
                        row(i, is_lost ? share : 1.0);
                    });
                },
                open.block);
        }
        const std::size_t largest = parts[1].block.n > parts[0].block.n ? 1 : 0;
        const std::size_t other = 1 - largest;
        const bool is_less = is_large(parts[largest]) && !my.loses_rows &&
                             parts[other].block.n < parts[largest].block.n;
        if (is_less && !is_large(parts[other])) {
            // The other has no codes of its own: its rows are taken out one by one.
            parts[largest].cells = std::move(open.cells);
            take_out(open.block, parts[largest], other, my, pool);
        }
        const std::size_t bottom = parts[largest].stops ? other : largest;
        if (!parts[bottom].stops) {
            move_rows(open.block, parts, bottom, my, ground, pool);
        }
        if (is_less && is_large(parts[other])) {
            count(parts[other], my, pool);
            parts[largest].cells = std::move(open.cells);
            take_away(parts[largest], parts[other], pool);
        }
        for (Open& part : parts) {
            if (is_large(part) && !part.cells) {
                count(part, my, pool);
            }
        }
        push(parts[bottom], stack);  // what lies behind comes first
        push(parts[1 - bottom], stack);
    }

    // Whether each row has a code below, equal to or above one; a bit a row.
    static void compare_codes(const std::uint8_t* codes, std::size_t n, std::uint8_t code,
                              std::uint64_t& below, std::uint64_t& equal) {
        below = equal = 0;
        for (std::size_t i = 0; i < n; ++i) {
            below |= static_cast<std::uint64_t>(codes[i] < code ? 1 : 0) << i;
            equal |= static_cast<std::uint64_t>(codes[i] == code ? 1 : 0) << i;
        }
    }
#if PENJING_X86
    PENJING_AVX512 static void compare_codes_wide(const std::uint8_t* codes, std::uint8_t code,
                                                  std::uint64_t& below, std::uint64_t& equal) {
        const __m512i bytes = _mm512_loadu_si512(codes);
        const __m512i here = _mm512_set1_epi8(static_cast<char>(code));
        below = _mm512_cmplt_epu8_mask(bytes, here);
        equal = _mm512_cmpeq_epi8_mask(bytes, here);
    }
#endif

    void side_by_value(std::uint32_t c, const Block<Item>& block, const Found& found,
                       Worker& my) const {
        const Column& column = columns_[c];
        const std::uint8_t* codes = block.codes_of(column.slot);
        start_masks(block.n, my);
        for (std::size_t w = 0; w < my.lost.size(); ++w) {
            const std::size_t n = std::min<std::size_t>(64, block.n - w * 64);
            const auto compare = [&](std::uint8_t code, std::uint64_t& below,
                                     std::uint64_t& equal) {
#if PENJING_X86
                if (wide_ && n == 64) {
                    compare_codes_wide(codes + w * 64, code, below, equal);
                    return;
                }
#endif
                compare_codes(codes + w * 64, n, code, below, equal);
            };
            std::uint64_t left = 0;
            std::uint64_t same = 0;
            compare(found.bucket, left, same);
            for (; same != 0; same &= same - 1) {
                const auto bit = static_cast<unsigned>(std::countr_zero(same));
                const double value = value_at(order_.columns[c], block.rows[w * 64 + bit]);
                left |= std::uint64_t{value <= found.low ? 1U : 0U} << bit;
            }
            std::uint64_t known = ~std::uint64_t{0};
            std::uint64_t lost = 0;
            if (column.has_missing) {
                compare(missing_bucket, known, lost);
            }
            my.masks[0][w] = left;
            my.masks[1][w] = ~left & ~lost & (~std::uint64_t{0} >> (64 - n));
            my.lost[w] = lost;
        }
    }

    void side_by_level(std::uint32_t c, const Block<Item>& block, Worker& my) const {
        start_masks(block.n, my);
        for (std::size_t i = 0; i < block.n; ++i) {
            const std::int32_t code = order_.columns[c].codes[block.rows[i]];
            const std::uint32_t b =
                code < 0 ? no_branch : my.branch_of[static_cast<std::size_t>(code)];
            auto& mask = b == no_branch ? my.lost : my.masks[b];
            mask[i / 64] |= std::uint64_t{1} << (i % 64);
        }
    }

    static void start_masks(std::size_t n, Worker& my) {
        for (auto* mask : {&my.masks[0], &my.masks[1], &my.lost}) {
            mask->assign((n + 63) / 64, 0);
        }
    }

    // How many rows each branch gets, and which share of those whose branch is not known
    // (engines/memory.py, _divide).
    void share_out(const Block<Item>& block, std::vector<Open>& parts, Worker& my) const {
        std::size_t n_lost = block.n;
        my.shares.assign(2, 0.0);
        for (std::size_t b = 0; b < 2; ++b) {
            std::size_t n = 0;
            for (const std::uint64_t word : my.masks[b]) {
                n += static_cast<std::size_t>(std::popcount(word));
            }
            if constexpr (weighted) {
                double sum = 0;
                each_row(my, b, [&](std::size_t i, bool) { sum += block.weight[i]; });
                my.shares[b] = sum;
            } else {
                my.shares[b] = static_cast<double>(n);
            }
            parts[b].block.n = n;
            n_lost -= n;
        }
        to_shares(n_lost, my);
        for (std::size_t b = 0; b < 2; ++b) {
            if (my.shares[b] > 0) {
                parts[b].block.n += n_lost;
                for (std::size_t w = 0; w < my.lost.size(); ++w) {
                    my.masks[b][w] |= my.lost[w];
                }
            }
        }
    }

    // Weights of the branches become shares; all 0 where nothing is shared out.
    void to_shares(std::size_t n_lost, Worker& my) const {
        const bool shared = order_.fraction && n_lost > 0;
        const double sum = pairwise_sum(my.shares.data(), my.shares.size());
        my.heaviest = 0;
        for (std::size_t b = 0; b < my.shares.size(); ++b) {
            my.shares[b] = shared ? my.shares[b] / sum : 0.0;
            my.heaviest = my.shares[b] > my.shares[my.heaviest] ? b : my.heaviest;
        }
        my.loses_rows = n_lost > 0 && !shared;
    }

    // Add up a branch; `walk(row)` calls row(i, share) for its rows in the node.
    template <class Walk>
    void weigh(Grove& grove, Open& part, Worker& my, const Walk& walk,
               const Block<Item>& block) const {
        double* total = grove.total.data() + part.node * s_;
        const Seen seen = maths_.weigh(
            [&](auto&& row) {
                walk([&](std::size_t i, double share) {
                    const double weight = weighted ? block.weight[i] * share : 1.0;
                    if constexpr (!is_number) {
                        row(0.0, block.labels[i], weight);
                    } else if constexpr (weighted) {
                        row(order_.raw(block.rows[i]), 0, weight);
                    } else {
                        row(block.items[i].raw, 0, weight);
                    }
                });
            },
            total);
        part.most = seen.most;
        part.stops = maths_.stops(seen, total, part.depth, my.scorer);
    }

    // What a row whose branch is not known adds there. Whole parts of what is whole: the
    // heaviest branch gets the rest, so that the branches together have what the node had.
    static Item item_for(const Item& item, std::size_t b, const Worker& my) {
        if (b != my.heaviest) {
            return part_of(item, my.shares[b]);
        }
        Item rest = item;
        for (std::size_t to = 0; to < my.shares.size(); ++to) {
            if (to != b && my.shares[to] > 0) {
                take_away(rest, part_of(item, my.shares[to]));
            }
        }
        return rest;
    }

    static Item part_of(const Item& item, double share) {
        Item part = item;
        if constexpr (weighted) {
            const auto times = [share](std::int64_t x) {
                return static_cast<std::int64_t>(
                    std::nearbyint(static_cast<double>(x) * share));
            };
            if constexpr (is_number) {
                part.y = times(item.y);
                part.square = times(item.square);
            }
            part.weight = times(item.weight);
        }
        static_cast<void>(share);
        return part;
    }
    static void take_away(Item& from, const Item& item) {
        if constexpr (weighted) {
            if constexpr (is_number) {
                from.y -= item.y;
                from.square -= item.square;
            }
            from.weight -= item.weight;
        }
        static_cast<void>(from);
        static_cast<void>(item);
    }

    // The rows of `bottom` stay where the node is, those of the other follow them.
    template <class Pool>
    void move_rows(Block<Item>& block, std::vector<Open>& parts, std::size_t bottom, Worker& my,
                   Ground<Item>& ground, Pool&& pool) {
        const std::size_t n = block.n;
        const std::size_t top = 1 - bottom;
        const std::size_t n_bottom = parts[bottom].block.n;
        const std::size_t n_top = parts[top].stops ? 0 : parts[top].block.n;
        ground.reserve(block.begin + n_bottom + n_top);
        block = ground.block(block.begin, n);
        const std::uint64_t* stay = my.masks[bottom].data();
        const std::uint64_t* go = my.masks[top].data();
        const bool is_whole = n_bottom + n_top == n;  // every row goes to one branch
        const auto move = [&](auto* from, GrowableBuffer<std::byte>& room, bool has_top) {
            using T = std::remove_pointer_t<decltype(from)>;
            const std::size_t size = has_top ? n_top : 0;
            auto* spare = reinterpret_cast<T*>(room.reset(size * sizeof(T)));
            if (size > 0 && is_whole) {
                split_by_mask(from, go, n, from, spare, wide_);
            } else {
                if (size > 0) {
                    split_by_mask(from, go, n, static_cast<T*>(nullptr), spare, wide_);
                }
                split_by_mask(from, stay, n, static_cast<T*>(nullptr), from, wide_);
            }
            std::copy_n(spare, size, from + n_bottom);
        };
        // The same, for what a row whose branch is not known has a part of in each.
        const auto share = [&](auto* from, const auto& part) {
            using T = std::remove_pointer_t<decltype(from)>;
            auto* spare = reinterpret_cast<T*>(my.spare_room.reset(n_top * sizeof(T)));
            T* to = spare;
            if (n_top > 0) {
                each_row(my, top, [&](std::size_t i, bool is_lost) {
                    *to++ = is_lost ? part(from[i], top) : from[i];
                });
            }
            to = from;
            each_row(my, bottom, [&](std::size_t i, bool is_lost) {
                *to++ = is_lost ? part(from[i], bottom) : from[i];
            });
            std::copy_n(spare, n_top, to);
        };
        move(block.rows, my.spare_room, n_top > 0);
        if constexpr (weighted) {
            share(block.weight,
                  [&](double weight, std::size_t b) { return weight * my.shares[b]; });
        }
        for (const std::size_t b : {bottom, top}) {
            parts[b].block.begin = block.begin + (b == bottom ? 0 : n_bottom);
            parts[b].block = ground.block(parts[b].block.begin, parts[b].block.n);
        }
        if (!is_large(parts[bottom])) {  // hence neither is the other
            return;
        }
        share(block.items,
              [&](const Item& item, std::size_t b) { return item_for(item, b, my); });
        const bool both = is_large(parts[top]);
        if constexpr (!is_number) {
            move(block.labels, my.spare_room, both);
        }
        const std::vector<std::uint32_t>& slots = parts[0].active;
        pool.run(slots.size(), [&](std::size_t i, int by) {
            if (order_.columns[slots[i]].ordered) {
                move(block.codes_of(columns_[slots[i]].slot), worker(by, my).spare_room, both);
            }
        });
    }

    [[nodiscard]] bool is_large(const Open& part) const {
        return !part.stops && part.block.n > small_;
    }

    // Take the counts of one branch out of those of the node.
    template <class Pool>
    void take_away(Open& rest, const Open& part, Pool&& pool) const {
        pool.run(rest.active.size(), [&](std::size_t i, int) {
            const std::uint32_t c = rest.active[i];
            if (order_.columns[c].ordered) {
                const std::size_t size = n_buckets * width_;
                std::int64_t* whole = rest.cells.get() + columns_[c].slot * size;
                const std::int64_t* cells = part.cells.get() + columns_[c].slot * size;
                for (std::size_t k = 0; k < size; ++k) {
                    whole[k] -= cells[k];
                }
            }
        });
    }

    // The same where that branch is not counted, row by row.
    template <class Pool>
    void take_out(const Block<Item>& block, Open& rest, std::size_t other, Worker& my,
                  Pool&& pool) {
        in_groups(rest.active.size(), pool, [&](std::size_t first, std::size_t last, int by) {
            Worker& mine = worker(by, my);
            const auto flush = [&] {
                const std::size_t n = mine.picked.size();
                const Block<Item> few{0, n, nullptr, nullptr, mine.picked.data(), nullptr, {}};
                const auto* items = items_of(few, 0, n, mine);
                for (std::size_t a = first; a < last; ++a) {
                    const std::uint32_t c = rest.active[a];
                    if (order_.columns[c].ordered) {
                        const std::size_t slot = columns_[c].slot;
                        std::int64_t* cells = rest.cells.get() + slot * n_buckets * width_;
                        for (std::size_t j = 0; j < n; ++j) {
                            const std::uint32_t i = mine.places[j];
                            take_from_cell(cells, block.codes_of(slot)[i], items[j],
                                           is_number ? 0 : block.labels[i]);
                        }
                    }
                }
                mine.picked.clear();
                mine.places.clear();
            };
            each_row(my, other, [&](std::size_t i, bool is_lost) {
                mine.places.push_back(static_cast<std::uint32_t>(i));
                mine.picked.push_back(is_lost ? item_for(block.items[i], other, my)
                                              : block.items[i]);
                if (mine.picked.size() == at_a_time) {
                    flush();
                }
            });
            flush();
        });
    }

    template <class Whole>
    void take_from_cell(std::int64_t* cells, std::uint8_t code, const Whole& item,
                        std::uint16_t label) const {
        if constexpr (is_number) {
            std::int64_t* cell = cells + code * number_cell;
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
    void divide_in_many(Grove& grove, Open& open, std::uint32_t c, std::vector<Open>& parts,
                        Worker& my, Ground<Item>& ground, Pool&& pool,
                        std::vector<Open>& stack) {
        Block<Item>& block = open.block;
        const std::size_t n = block.n;
        const std::size_t n_parts = parts.size();
        std::size_t n_lost = 0;
        my.branch.resize(n);
        my.shares.assign(n_parts, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t code = order_.columns[c].codes[block.rows[i]];
            const std::uint32_t b =
                code < 0 ? no_branch : my.branch_of[static_cast<std::size_t>(code)];
            my.branch[i] = b;
            if (b == no_branch) {
                ++n_lost;
            } else {
                my.shares[b] += weighted ? block.weight[i] : 1.0;
                ++parts[b].block.n;
            }
        }
        to_shares(n_lost, my);
        // Rows by branch, for their sums.
        std::vector<std::size_t> start(n_parts + 1, 0);
        for (std::size_t b = 0; b < n_parts; ++b) {
            parts[b].block.n += my.shares[b] > 0 ? n_lost : 0;
            start[b + 1] = start[b] + parts[b].block.n;
        }
        std::uint32_t* at = my.room.reset(start[n_parts]);
        deal(n, start, my, [&](std::size_t place, std::size_t i, std::size_t) {
            at[place] = static_cast<std::uint32_t>(i);
        });
        for (std::size_t b = 0; b < n_parts; ++b) {
            weigh(
                grove, parts[b], my,
                [&](auto&& row) {
                    for (std::size_t place = start[b]; place < start[b + 1]; ++place) {
                        const std::uint32_t i = at[place];
                        row(i, my.branch[i] == no_branch ? my.shares[b] : 1.0);
                    }
                },
                block);
        }
        // Those that stop are not kept; the last of the others lies first.
        std::size_t kept = 0;
        for (std::size_t b = n_parts; b-- > 0;) {
            start[b] = kept;
            kept += parts[b].stops ? 0 : parts[b].block.n;
        }
        ground.reserve(block.begin + kept);
        block = ground.block(block.begin, n);
        const auto move = [&](auto* from, GrowableBuffer<std::byte>& room, bool all,
                              const auto& part) {
            using T = std::remove_pointer_t<decltype(from)>;
            auto* spare = reinterpret_cast<T*>(room.reset(kept * sizeof(T)));
            deal(n, start, my, [&](std::size_t place, std::size_t i, std::size_t b) {
                if (all ? !parts[b].stops : is_large(parts[b])) {
                    spare[place] = my.branch[i] == no_branch ? part(from[i], b) : from[i];
                }
            });
            for (std::size_t b = 0; b < n_parts; ++b) {
                if (all ? !parts[b].stops : is_large(parts[b])) {
                    std::copy_n(spare + start[b], parts[b].block.n, from + start[b]);
                }
            }
        };
        const auto same = [](const auto& value, std::size_t) { return value; };
        move(block.rows, my.spare_room, true, same);
        if constexpr (weighted) {
            move(block.weight, my.spare_room, true,
                 [&](double weight, std::size_t b) { return weight * my.shares[b]; });
        }
        move(block.items, my.spare_room, false,
             [&](const Item& item, std::size_t b) { return item_for(item, b, my); });
        if constexpr (!is_number) {
            move(block.labels, my.spare_room, false, same);
        }
        const std::vector<std::uint32_t>& slots = parts[0].active;
        pool.run(slots.size(), [&](std::size_t i, int by) {
            if (order_.columns[slots[i]].ordered) {
                move(block.codes_of(columns_[slots[i]].slot), worker(by, my).spare_room, false,
                     same);
            }
        });
        for (std::size_t b = 0; b < n_parts; ++b) {
            parts[b].block = ground.block(block.begin + start[b], parts[b].block.n);
        }
        count_children(open, parts, my, pool);
        for (std::size_t b = n_parts; b-- > 0;) {
            push(parts[b], stack);
        }
    }

    // Call f(place, row, branch) for every row of every branch; branches begin at `start`.
    template <class F>
    static void deal(std::size_t n, const std::vector<std::size_t>& start, const Worker& my,
                     F&& f) {
        std::vector<std::size_t> at = start;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t b = my.branch[i];
            if (b != no_branch) {
                f(at[b]++, i, b);
                continue;
            }
            for (std::size_t to = 0; to < my.shares.size(); ++to) {
                if (my.shares[to] > 0) {
                    f(at[to]++, i, to);
                }
            }
        }
    }

    // Count the children of many rows: all but the largest, which is what remains.
    template <class Pool>
    void count_children(Open& open, std::vector<Open>& parts, Worker& my, Pool&& pool) {
        std::size_t largest = 0;
        std::size_t others = 0;
        bool countable = !my.loses_rows;
        for (std::size_t b = 0; b < parts.size(); ++b) {
            largest = parts[b].block.n > parts[largest].block.n ? b : largest;
        }
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (b != largest) {
                others += parts[b].block.n;
                // What the largest is to be spared of must have codes to be counted by.
                countable = countable && is_large(parts[b]);
            }
        }
        const bool remains =
            is_large(parts[largest]) && countable && others < parts[largest].block.n;
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (is_large(parts[b]) && !(b == largest && remains)) {
                count(parts[b], my, pool);
            }
        }
        if (remains) {
            parts[largest].cells = std::move(open.cells);
            for (std::size_t b = 0; b < parts.size(); ++b) {
                if (b != largest) {
                    take_away(parts[largest], parts[b], pool);
                }
            }
        }
    }

    static constexpr std::uint32_t no_column = 0xffffffffU;
    static constexpr std::uint32_t no_branch = 0xffffffffU;
    static constexpr std::uint8_t last_code = missing_bucket - 1;

    const Order& order_;
    std::size_t s_;
    std::size_t width_;
    std::size_t small_;
    bool wide_;
    GeneralKernel general_;
    bool any_missing_;
    NodeMaths<kind, weighted> maths_;
    std::vector<Column> columns_;
    Ground<Item> ground_;  // of all nodes that do not lie by themselves
    std::vector<std::unique_ptr<Worker>> workers_;
    std::size_t n_slots_ = 0;
    Scale weights_, numbers_, squares_;
};

}  // namespace penjing
