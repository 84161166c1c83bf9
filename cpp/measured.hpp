// The growing kernel for rows that do not count one each: numbers as targets, weights, missing
// values shared out as fractions.
//
// Every node is looked at twice. First fast: ordered columns are counted in buckets
// (buckets.hpp), in fixed point (fixed.hpp), the smaller child only; a bound says which buckets
// may hide a better cut, and with a margin for all rounding that leaves the columns which may
// win, usually one. Those, and only those, are then computed as the oracle does (canon.hpp), so
// the tree has its bits. Nodes of few rows keep sorted lists (measured_small.hpp).
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

#include "block.hpp"
#include "buckets.hpp"
#include "canon.hpp"
#include "fixed.hpp"
#include "general.hpp"
#include "grow_measured.hpp"
#include "grown.hpp"
#include "measured_block.hpp"
#include "measured_node.hpp"
#include "measured_small.hpp"
#include "score.hpp"
#include "simd.hpp"
#include "team.hpp"

namespace penjing {

template <Kind kind, bool weighted>
class MeasuredKernel {
  public:
    static constexpr bool is_number = kind == Kind::variance;
    using Item =
        std::conditional_t<is_number, std::conditional_t<weighted, WeightedItem, NumberItem>,
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
          wide_(has_wide()),
          general_(order),
          any_missing_(any_missing),
          maths_(order, any_missing),
          columns_(order.columns.size()) {}

    // Empty if a number is infinite; or if a value is missing and is to be shared out, where
    // rows were thought to weigh one each.
    std::vector<Grove> grow(Team& team, const Poll& poll, Sight& sight) {
        for (int i = 0; i < team.size(); ++i) {
            workers_.push_back(std::make_unique<Worker>(order_, general_, any_missing_));
        }
        const bool alone = team.size() == 1;
        // What is more than one worker's share is grown by all of them.
        const auto n_workers = static_cast<std::size_t>(team.size());
        const std::size_t large = alone ? 0 : std::max(order_.n_rows / n_workers, small_ + 1);
        std::vector<Grove> groves(1);
        std::vector<Open> later;
        std::optional<Open> root = first_node(groves[0], team, sight, poll);
        if (!root) {
            return {};
        }
        if (!root->stops) {
            subtree(groves[0], std::move(*root), *workers_[0], large, alone ? nullptr : &team,
                    alone ? nullptr : &later, poll);
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
        team.run(later.size(), [&](std::size_t piece, int worker) {
            const std::size_t i = by_size[piece];
            later[i].node = 0;
            subtree(groves[i + 1], std::move(later[i]),
                    *workers_[static_cast<std::size_t>(worker)], 0, nullptr, nullptr,
                    worker == 0 ? poll : Poll{});
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
        Cells cells;  // slots x buckets x width
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
        std::vector<double> value, y, weight;
        std::vector<std::uint32_t> label;
        std::vector<std::uint32_t> start;  // of each bucket
        void resize(std::size_t n) {
            value.resize(n);
            if constexpr (is_number) {
                y.resize(n);
            } else {
                label.resize(n);
            }
            if constexpr (weighted) {
                weight.resize(n);
            }
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
        Sorted dealt, sorted;
        std::vector<std::uint32_t> hits, room;
        std::vector<double> below, bucket, left, right;
        std::vector<Found> found;
        std::vector<Offer> offers;
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
        std::vector<Cells> spare;
        BlockPool pool;
        std::vector<std::uint32_t> branch, branch_of, at;
        std::vector<std::uint64_t> masks[2];
        std::vector<double> shares;
        bool loses_rows = false;
    };

    // ---- the first node

    std::optional<Open> first_node(Grove& grove, Team& team, Sight& sight, const Poll& poll) {
        const std::size_t n = order_.n_rows;
        Worker& my = *workers_[0];
        Open root;
        add_nodes(grove, 1, s_);
        const Seen seen = maths_.weigh(
            n, [&](std::size_t i) { return order_.y[i]; },
            [&](std::size_t i) { return order_.target[i]; },
            [&](std::size_t i) { return weight_of_row(i); }, grove.total.data());
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
        if (root.stops || is_small) {
            look_for_odd(sight);
        }
        if (must_not_grow(sight)) {
            return std::nullopt;
        }
        if (root.stops) {
            return root;
        }
        root.block = Block<Item>(my.pool, n, weighted, !is_number && !is_small,
                                 is_small ? 0 : n_slots_, !is_small);
        std::iota(root.block.rows, root.block.rows + n, 0U);
        if constexpr (weighted) {
            for (std::size_t i = 0; i < n; ++i) {
                root.block.weight[i] = weight_of_row(i);
            }
        }
        if (!is_small) {
            prepare_items(root.block);
            prepare_buckets(root.block, team, sight, poll);
            if (must_not_grow(sight)) {
                return std::nullopt;
            }
            root.cells = fresh(my);
            team.run(columns_.size(), [&](std::size_t c, int) {
                if (order_.columns[c].ordered) {
                    count(columns_[c], root.block, root.cells.get());
                }
            });
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            root.active.push_back(static_cast<std::uint32_t>(c));
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
                const double wy = w * std::fabs(order_.y[i]);
                most_y = std::max(most_y, wy);
                most_square = std::max(most_square, wy * std::fabs(order_.y[i]));
            }
        }
        weights_ = Scale(most_w, n);
        numbers_ = Scale(most_y, n);
        squares_ = Scale(most_square, 2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double w = weight_of_row(i);
            if constexpr (is_number) {
                const double wy = w * order_.y[i];
                block.items[i].y = numbers_.whole(wy);
                block.items[i].square = squares_.above(wy * order_.y[i]);
                if constexpr (weighted) {
                    block.items[i].weight = weights_.whole(w);
                    block.items[i].none = 0;
                }
            } else {
                block.items[i].weight = weights_.whole(w);
                block.labels[i] = static_cast<std::uint16_t>(order_.target[i]);
            }
        }
    }

    // Code all ordered columns, a few thousand rows at a time: numbers that lie row by row are
    // read from memory once.
    void prepare_buckets(Block<Item>& block, Team& team, Sight& sight, const Poll& poll) {
        constexpr std::size_t piece_size = 2048;
        const std::size_t n = block.n;
        team.run(columns_.size(), [&](std::size_t c, int) {
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
        team.run((n + piece_size - 1) / piece_size, [&](std::size_t piece, int worker) {
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
                    codes[i] = std::isnan(value) ? missing_code : std::min(codes[i], last_code);
                }
                lost[c].fetch_add(n_lost, std::memory_order_relaxed);
            }
        });
        sight.is_odd = infinite;
        team.run(columns_.size(), [&](std::size_t c, int) {
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
            if (codes[i] == missing_code && !std::isnan(value_at(from, i))) {
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

    void count(const Column& column, const Block<Item>& block, std::int64_t* all) const {
        std::int64_t* cells = all + column.slot * n_buckets * width_;
        std::fill(cells, cells + n_buckets * width_, std::int64_t{0});
        count_items(block.codes_of(column.slot), block.items, block.labels, block.n, s_, cells,
                    wide_);
    }

    // ---- nodes

    void subtree(Grove& grove, Open first, Worker& my, std::size_t large, Team* team,
                 std::vector<Open>* later, const Poll& poll) {
        std::vector<Open> stack;
        stack.push_back(std::move(first));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (poll) {
                poll();
            }
            if (later != nullptr && open.block.n < large) {
                later->push_back(std::move(open));
                continue;
            }
            if (open.block.n <= small_) {
                my.small.grow(grove, open.node, open.depth, open.block.rows, open.block.weight,
                              open.block.n, open.most, open.active, poll);
                my.pool.take_back(std::move(open.block.memory));
                continue;
            }
            if (team != nullptr) {
                grow_node(grove, open, my, *team, stack);
            } else {
                grow_node(grove, open, my, Nobody{}, stack);
            }
            my.pool.take_back(std::move(open.block.memory));
            if (open.cells) {
                my.spare.push_back(std::move(open.cells));
            }
        }
    }

    struct Nobody {  // a team of one, without its price
        template <class F>
        void run(std::size_t n, F&& work) const {
            for (std::size_t i = 0; i < n; ++i) {
                work(i, -1);
            }
        }
    };
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

    template <class Helpers>
    void grow_node(Grove& grove, Open& open, Worker& my, Helpers&& team,
                   std::vector<Open>& stack) {
        const NodeFrame node = frame(grove, open, my.scorer);
        if (my.found.size() < columns_.size()) {
            my.found.resize(columns_.size());
        }
        // First look.
        team.run(open.active.size(), [&](std::size_t i, int by) {
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
            sort_column(leader, open, my, team);
            canon(leader, open, node, best, my, my.found[leader]);
            Found& found = my.found[leader];
            found.most = found.worth =
                found.cut.offer.made() ? found.cut.offer.gain * node.weight : -1;
            best = std::max(best, found.worth);
            my.offers[leader] = found.cut.offer;
        }
        std::atomic<double> so_far{best};
        team.run(open.active.size(), [&](std::size_t i, int by) {
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
                sort_column(c, open, my, team);
                canon(c, open, node, best, my, found);
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
            divide(grove, open, w, my, team, stack);
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

    // Fetch rows of a node into `to`, from place `at` on.
    void fetch(const Block<Item>& block, std::uint32_t c, std::uint32_t position,
               std::size_t at, Sorted& to) const {
        const std::uint32_t row = block.rows[position];
        to.value[at] = value_at(order_.columns[c], row);
        if constexpr (is_number) {
            to.y[at] = order_.y[row];
        } else {
            to.label[at] = block.labels[position];
        }
        if constexpr (weighted) {
            to.weight[at] = block.weight[position];
        }
    }

    // Put rows [begin, end) of `from` in order, at the same place of `to`.
    static void sort_rows(const Sorted& from, std::size_t begin, std::size_t end, RowSort& sort,
                          Sorted& to) {
        const std::size_t n = end - begin;
        sort.start(n, static_cast<unsigned>(std::bit_width(n)));
        std::copy_n(from.value.begin() + static_cast<std::ptrdiff_t>(begin), n, sort.values());
        std::iota(sort.tags(), sort.tags() + n, 0U);
        sort.sort();
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t old = begin + sort.tag(i);
            to.value[begin + i] = from.value[old];
            if constexpr (is_number) {
                to.y[begin + i] = from.y[old];
            } else {
                to.label[begin + i] = from.label[old];
            }
            if constexpr (weighted) {
                to.weight[begin + i] = from.weight[old];
            }
        }
    }

    // All known rows of a column by value, into my.sorted.
    template <class Helpers>
    void sort_column(std::uint32_t c, const Open& open, Worker& my, Helpers&& team) {
        const Column& column = columns_[c];
        const Block<Item>& block = open.block;
        const std::uint8_t* codes = block.codes_of(column.slot);
        std::vector<std::uint32_t>& start = my.dealt.start;
        start.assign(n_buckets + 1, 0);
        for (std::size_t i = 0; i < block.n; ++i) {
            ++start[codes[i] + 1U];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        my.sorted.start = start;
        my.dealt.resize(block.n);
        my.sorted.resize(block.n);
        my.at.assign(start.begin(), start.end() - 1);
        for (std::size_t i = 0; i < block.n; ++i) {
            fetch(block, c, static_cast<std::uint32_t>(i), my.at[codes[i]]++, my.dealt);
        }
        constexpr std::size_t chunk = 8;
        team.run(n_buckets / chunk, [&](std::size_t piece, int by) {
            Worker& mine = worker(by, my);
            for (std::size_t b = piece * chunk; b < (piece + 1) * chunk; ++b) {
                const std::size_t begin = my.dealt.start[b];
                const std::size_t end = my.dealt.start[b + 1];
                if (begin < end) {
                    put_in_order(column, b, begin, end, my.dealt, mine.sort, my.sorted);
                }
            }
        });
    }

    void put_in_order(const Column& column, std::size_t b, std::size_t begin, std::size_t end,
                      const Sorted& from, RowSort& sort, Sorted& to) const {
        const bool is_lost = column.has_missing && b == missing_code;
        if (!is_lost && column.many[b] != 0 && end - begin > 1) {
            sort_rows(from, begin, end, sort, to);
            return;
        }
        for (std::size_t i = begin; i < end; ++i) {
            to.value[i] = from.value[i];
            if constexpr (is_number) {
                to.y[i] = from.y[i];
            } else {
                to.label[i] = from.label[i];
            }
            if constexpr (weighted) {
                to.weight[i] = from.weight[i];
            }
        }
    }

    // The offer of the column in my.sorted, in the oracle's arithmetic.
    void canon(std::uint32_t c, const Open& open, const NodeFrame& node, double best,
               Worker& my, Found& found) const {
        const Sorted& sorted = my.sorted;
        const Column& column = columns_[c];
        const std::size_t n = column.has_missing ? sorted.start[missing_code] : open.block.n;
        const auto add = [&](std::size_t i, double* cell) {
            const double weight = weighted ? sorted.weight[i] : 1.0;
            if constexpr (is_number) {
                const double wy = weight * sorted.y[i];
                cell[0] += weight;
                cell[1] += wy;
                cell[2] += wy * sorted.y[i];
            } else {
                cell[sorted.label[i]] += weight;
            }
        };
        Cut& cut = found.cut;
        cut.offer = Offer{};
        cut.missing.assign(s_, 0.0);
        for (std::size_t i = n; i < open.block.n; ++i) {
            add(i, cut.missing.data());
        }
        if (n < 2) {
            return;
        }
        if constexpr (weighted) {  // in fixed point, small weights may have been lost
            my.below.assign(s_, 0.0);
            for (std::size_t i = 0; i < n; ++i) {
                add(i, my.below.data());
            }
            if constexpr (is_number) {
                found.judge.start(my.below[0], my.below[1]);
            } else {
                found.known = my.below;
                found.judge.start(found.known.data(), s_);
            }
        }
        const double* value = sorted.value.data();
        Canon<kind> canonical(order_, my.scorer, my.space);
        canonical.offer(
            n, [&](std::size_t i) { return value[i] != value[i - 1]; }, add, found.judge, node,
            best, cut);
        if (cut.offer.made()) {
            found.low = value[cut.at - 1];
            found.high = value[cut.at];
            const auto after =
                std::upper_bound(sorted.start.begin(), sorted.start.end(), cut.at - 1);
            found.bucket = static_cast<std::uint8_t>(after - sorted.start.begin() - 1);
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
                my.room.resize(std::max<std::size_t>(my.room.size(), open.block.n));
                my.hits.assign(my.room.data(), rows_in_run(codes, open.block.n, bucket, bucket,
                                                           my.room.data(), wide_));
                my.dealt.resize(std::max(my.dealt.value.size(), my.hits.size()));
                my.sorted.resize(std::max(my.sorted.value.size(), my.hits.size()));
                for (std::size_t i = 0; i < my.hits.size(); ++i) {
                    fetch(open.block, c, my.hits[i], i, my.dealt);
                }
                sort_rows(my.dealt, 0, my.hits.size(), my.sort, my.sorted);
                scan_opened(my, found, node, so_far, most);
            }
            for (std::size_t k = 0; k < width_; ++k) {
                my.below[k] += static_cast<double>(cells[b * width_ + k]);
            }
        }
        found.most = most;
    }

    void scan_opened(Worker& my, Found& found, const NodeFrame& node,
                     std::atomic<double>& so_far, double& most) const {
        const Sorted& sorted = my.sorted;
        const std::size_t n = my.hits.size();
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
                const double w = weighted ? sorted.weight[i - 1] : 1.0;
                wl += w;
                sl += w * sorted.y[i - 1];
                if (sorted.value[i] != sorted.value[i - 1]) {
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
                my.left[sorted.label[i - 1]] += sorted.weight[i - 1];
                wl += sorted.weight[i - 1];
                if (sorted.value[i] != sorted.value[i - 1] &&
                    found.judge.most(my.left.data(), wl) > best) {
                    take(found.judge.worth(my.left.data(), wl, my.right.data()), wl);
                }
            }
        }
        double now = so_far.load();
        while (best > now && !so_far.compare_exchange_weak(now, best)) {
        }
    }

    // ---- dividing

    template <class Helpers>
    void divide(Grove& grove, Open& open, std::uint32_t c, Worker& my, Helpers&& team,
                std::vector<Open>& stack) {
        const GrowColumn& from = order_.columns[c];
        const Found& found = my.found[c];
        const Block<Item>& block = open.block;
        const std::size_t n = block.n;
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
        my.branch.resize(n);
        if (from.ordered) {
            set_cut(node, from, found.low, found.high);
            side_by_value(c, block, found, my);
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
            for (std::size_t i = 0; i < n; ++i) {
                const std::int32_t code = from.codes[block.rows[i]];
                my.branch[i] =
                    code < 0 ? no_branch : my.branch_of[static_cast<std::size_t>(code)];
            }
        }
        std::vector<Open> parts = share_out(open, n_parts, my);
        // Children that stop need nothing more.
        for (std::size_t b = 0; b < n_parts; ++b) {
            Open& part = parts[b];
            part.node = first + static_cast<std::uint32_t>(b);
            part.depth = open.depth + 1;
            double* total = grove.total.data() + part.node * s_;
            const Seen seen = maths_.weigh(
                part.block.n, [&](std::size_t i) { return order_.y[part.block.rows[i]]; },
                [&](std::size_t i) { return order_.target[part.block.rows[i]]; },
                [&](std::size_t i) {
                    if constexpr (weighted) {
                        return part.block.weight[i];
                    } else {
                        static_cast<void>(i);
                        return 1.0;
                    }
                },
                total);
            part.most = seen.most;
            part.stops = maths_.stops(seen, total, part.depth, my.scorer);
        }
        for (const std::uint32_t a : open.active) {
            if (!order_.columns[a].ordered || my.found[a].stays) {
                for (Open& part : parts) {
                    part.active.push_back(a);
                }
            }
        }
        move_codes(open, parts, my, team);
        count_children(open, parts, my, team);
        for (std::size_t b = n_parts; b-- > 0;) {
            if (parts[b].stops) {
                order_.place(parts[b].block.n);
                my.pool.take_back(std::move(parts[b].block.memory));
            } else {
                stack.push_back(std::move(parts[b]));
            }
        }
    }

    void side_by_value(std::uint32_t c, const Block<Item>& block, const Found& found,
                       Worker& my) const {
        const Column& column = columns_[c];
        const std::uint8_t* codes = block.codes_of(column.slot);
        const unsigned lost = column.has_missing ? missing_code : 256U;
        for (std::size_t i = 0; i < block.n; ++i) {
            const unsigned code = codes[i];
            my.branch[i] = code == lost ? no_branch : code > found.bucket ? 1U : 0U;
            if (code == found.bucket) {
                my.branch[i] =
                    value_at(order_.columns[c], block.rows[i]) <= found.low ? 0U : 1U;
            }
        }
    }

    // The rows of each branch, their weights and items (engines/memory.py, _divide).
    std::vector<Open> share_out(const Open& open, std::size_t n_parts, Worker& my) {
        const Block<Item>& block = open.block;
        my.shares.assign(n_parts, 0.0);
        std::vector<std::size_t> sizes(n_parts, 0);
        std::size_t n_lost = 0;
        for (std::size_t i = 0; i < block.n; ++i) {
            const std::uint32_t b = my.branch[i];
            if (b == no_branch) {
                ++n_lost;
            } else {
                my.shares[b] += weighted ? block.weight[i] : 1.0;
                ++sizes[b];
            }
        }
        const bool shared = order_.fraction && n_lost > 0;
        const double sum = pairwise_sum(my.shares.data(), n_parts);
        std::size_t heaviest = 0;
        for (std::size_t b = 0; b < n_parts; ++b) {
            my.shares[b] = shared ? my.shares[b] / sum : 0.0;
            sizes[b] += my.shares[b] > 0 ? n_lost : 0;
            heaviest = my.shares[b] > my.shares[heaviest] ? b : heaviest;
        }
        std::vector<Open> parts(n_parts);
        std::vector<std::size_t> at(n_parts, 0);
        for (std::size_t b = 0; b < n_parts; ++b) {
            const bool is_small = sizes[b] <= small_;
            parts[b].block = Block<Item>(my.pool, sizes[b], weighted, !is_number && !is_small,
                                         is_small ? 0 : n_slots_, !is_small || n_parts == 2);
        }
        my.loses_rows = n_lost > 0 && !shared;
        const auto put = [&](std::size_t b, std::size_t i, double weight, const Item& item) {
            Block<Item>& to = parts[b].block;
            const std::size_t place = at[b]++;
            to.rows[place] = block.rows[i];
            if constexpr (weighted) {
                to.weight[place] = weight;
            }
            if (to.items != nullptr) {
                to.items[place] = item;
            }
            if (to.labels != nullptr) {
                to.labels[place] = block.labels[i];
            }
        };
        for (std::size_t i = 0; i < block.n; ++i) {
            const std::uint32_t b = my.branch[i];
            const double weight = weighted ? block.weight[i] : 1.0;
            if (b != no_branch) {
                put(b, i, weight, block.items[i]);
            } else if (shared) {
                // Whole parts of what is whole: the heaviest branch gets the rest, so that the
                // branches together have what the node had.
                Item rest = block.items[i];
                for (std::size_t to = 0; to < n_parts; ++to) {
                    if (to != heaviest && my.shares[to] > 0) {
                        const Item item = part_of(block.items[i], my.shares[to]);
                        take_away(rest, item);
                        put(to, i, weight * my.shares[to], item);
                    }
                }
                if (my.shares[heaviest] > 0) {
                    put(heaviest, i, weight * my.shares[heaviest], rest);
                }
            }
        }
        return parts;
    }

    static Item part_of(const Item& item, double share) {
        const auto times = [share](std::int64_t x) {
            return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(x) * share));
        };
        Item part = item;
        if constexpr (is_number) {
            part.y = times(item.y);
            part.square = times(item.square);
        }
        if constexpr (weighted) {
            part.weight = times(item.weight);
        }
        return part;
    }
    static void take_away(Item& from, const Item& item) {
        if constexpr (is_number) {
            from.y -= item.y;
            from.square -= item.square;
        }
        if constexpr (weighted) {
            from.weight -= item.weight;
        }
    }

    // Children of many rows get their codes, in the same order.
    template <class Helpers>
    void move_codes(const Open& open, std::vector<Open>& parts, Worker& my, Helpers&& team) {
        const Block<Item>& block = open.block;
        bool any = false;
        for (const Open& part : parts) {
            any = any || is_large(part);
        }
        if (!any) {
            return;
        }
        const bool by_mask = parts.size() == 2;
        if (by_mask) {
            make_masks(block, my);
        } else {
            my.at.clear();
        }
        const std::vector<std::uint32_t>& slots = parts[0].active;
        team.run(slots.size(), [&](std::size_t i, int) {
            const Column& column = columns_[slots[i]];
            if (!order_.columns[slots[i]].ordered) {
                return;
            }
            const std::uint8_t* codes = block.codes_of(column.slot);
            if (by_mask) {
                for (std::size_t b = 0; b < 2; ++b) {
                    if (is_large(parts[b])) {
                        std::uint8_t* to = parts[b].block.codes_of(column.slot);
                        split_by_mask(codes, my.masks[b].data(), block.n,
                                      static_cast<std::uint8_t*>(nullptr), to, wide_);
                    }
                }
                return;
            }
            std::vector<std::uint8_t*> to(parts.size(), nullptr);
            for (std::size_t b = 0; b < parts.size(); ++b) {
                to[b] = is_large(parts[b]) ? parts[b].block.codes_of(column.slot) : nullptr;
            }
            for (std::size_t r = 0; r < block.n; ++r) {
                const std::uint32_t b = my.branch[r];
                if (b != no_branch) {
                    if (to[b] != nullptr) {
                        *to[b]++ = codes[r];
                    }
                    continue;
                }
                for (std::size_t p = 0; p < parts.size(); ++p) {
                    if (my.shares[p] > 0 && to[p] != nullptr) {
                        *to[p]++ = codes[r];
                    }
                }
            }
        });
    }

    void make_masks(const Block<Item>& block, Worker& my) const {
        const std::size_t n_words = (block.n + 63) / 64;
        my.masks[0].assign(n_words, 0);
        my.masks[1].assign(n_words, 0);
        const std::uint64_t lost[2] = {my.shares[0] > 0 ? 1U : 0U, my.shares[1] > 0 ? 1U : 0U};
        for (std::size_t i = 0; i < block.n; ++i) {
            const std::uint32_t b = my.branch[i];
            const std::uint64_t in_0 = b == no_branch ? lost[0] : (b == 0 ? 1U : 0U);
            const std::uint64_t in_1 = b == no_branch ? lost[1] : (b == 1 ? 1U : 0U);
            my.masks[0][i / 64] |= in_0 << (i % 64);
            my.masks[1][i / 64] |= in_1 << (i % 64);
        }
    }

    [[nodiscard]] bool is_large(const Open& part) const {
        return !part.stops && part.block.n > small_;
    }

    // Count the children of many rows: all but the largest, which is what remains.
    template <class Helpers>
    void count_children(Open& open, std::vector<Open>& parts, Worker& my, Helpers&& team) {
        std::size_t largest = 0;
        std::size_t others = 0;
        bool countable = !my.loses_rows;
        for (std::size_t b = 0; b < parts.size(); ++b) {
            largest = parts[b].block.n > parts[largest].block.n ? b : largest;
        }
        if (!is_large(parts[largest])) {
            largest = parts.size();
        }
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (b != largest) {
                others += parts[b].block.n;
                // What the largest is to be spared of must have codes to be counted by.
                countable = countable && is_large(parts[b]);
            }
        }
        const bool take_away_others =
            largest < parts.size() && countable && others < parts[largest].block.n;
        const bool by_parent = largest < parts.size() && !take_away_others && !my.loses_rows &&
                               parts.size() == 2 && others < parts[largest].block.n;
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (is_large(parts[b]) && !(b == largest && (take_away_others || by_parent))) {
                parts[b].cells = fresh(my);
                team.run(parts[b].active.size(), [&](std::size_t i, int) {
                    const std::uint32_t c = parts[b].active[i];
                    if (order_.columns[c].ordered) {
                        count(columns_[c], parts[b].block, parts[b].cells.get());
                    }
                });
            }
        }
        if (take_away_others) {
            Cells cells = std::move(open.cells);
            team.run(parts[largest].active.size(), [&](std::size_t i, int) {
                const std::uint32_t c = parts[largest].active[i];
                if (!order_.columns[c].ordered) {
                    return;
                }
                const std::size_t size = n_buckets * width_;
                std::int64_t* whole = cells.get() + columns_[c].slot * size;
                for (std::size_t b = 0; b < parts.size(); ++b) {
                    if (b != largest) {
                        const std::int64_t* part =
                            parts[b].cells.get() + columns_[c].slot * size;
                        for (std::size_t k = 0; k < size; ++k) {
                            whole[k] -= part[k];
                        }
                    }
                }
            });
            parts[largest].cells = std::move(cells);
        } else if (by_parent) {
            // The small child has no codes of its own: its rows are taken out one by one.
            Cells cells = std::move(open.cells);
            const std::size_t small_part = 1 - largest;
            my.at.clear();
            const std::vector<std::uint64_t>& mask = my.masks[small_part];
            for (std::size_t w = 0; w < mask.size(); ++w) {
                for (std::uint64_t word = mask[w]; word != 0; word &= word - 1) {
                    my.at.push_back(static_cast<std::uint32_t>(
                        w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
                }
            }
            const Block<Item>& part = parts[small_part].block;
            team.run(parts[largest].active.size(), [&](std::size_t i, int) {
                const std::uint32_t c = parts[largest].active[i];
                if (!order_.columns[c].ordered) {
                    return;
                }
                const std::uint8_t* codes = open.block.codes_of(columns_[c].slot);
                std::int64_t* whole = cells.get() + columns_[c].slot * n_buckets * width_;
                for (std::size_t j = 0; j < my.at.size(); ++j) {
                    take_from_cell(whole, codes[my.at[j]], part.items[j],
                                   is_number ? 0 : open.block.labels[my.at[j]]);
                }
            });
            parts[largest].cells = std::move(cells);
        }
    }

    void take_from_cell(std::int64_t* cells, std::uint8_t code, const Item& item,
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

    static constexpr std::uint32_t no_column = 0xffffffffU;
    static constexpr std::uint32_t no_branch = 0xffffffffU;
    static constexpr std::uint8_t last_code = missing_code - 1;

    const Order& order_;
    std::size_t s_;
    std::size_t width_;
    std::size_t small_;
    bool wide_;
    GeneralKernel general_;
    bool any_missing_;
    NodeMaths<kind, weighted> maths_;
    std::vector<Column> columns_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::size_t n_slots_ = 0;
    Scale weights_, numbers_, squares_;
};

}  // namespace penjing
