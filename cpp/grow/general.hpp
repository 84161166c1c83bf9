// The growing kernel for everything: weights, missing values, numbers as targets, any columns.
//
// Rows of a node are kept in the order of the table and every sum is formed in that order,
// level by level, exactly as engines/memory.py does; so the tree has the same bits. Faster
// kernels take over where rows count one each and nothing is missing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/category_order.hpp"
#include "grow/criterion.hpp"
#include "grow/nodes.hpp"

namespace penjing {

// The sums of one column in one node (tally.Counts).
struct Counts {
    std::vector<std::int32_t> codes;
    std::vector<double> cells;
    std::vector<double> missing;
    std::vector<double> known;
    bool any_missing = false;
};

struct NodeRows {
    std::vector<std::uint32_t> ids;
    std::vector<double> weight;  // empty: one each
};

struct RowsView {
    const std::uint32_t* ids;
    const double* weight;  // null: one each
    std::size_t n;
};

class GeneralKernel {
  public:
    explicit GeneralKernel(const Order& order) : order_(order), s_(order.n_sums) {}

    std::vector<Grove> grow(ThreadPool& pool, const PollCallback& poll) {
        NodeRows all;
        all.ids.resize(order_.n_rows);
        std::iota(all.ids.begin(), all.ids.end(), 0U);
        if (order_.weight != nullptr) {
            all.weight.assign(order_.weight, order_.weight + order_.n_rows);
        }
        workers_.clear();
        for (int i = 0; i < pool.size(); ++i) {
            workers_.emplace_back(order_);
        }
        // Big nodes deal their columns to the team; what is left is dealt out as whole
        // subtrees.
        const std::size_t large =
            pool.size() > 1 ? std::max<std::size_t>(order_.n_rows / 32, 2000) : 0;
        std::vector<Grove> groves(1);
        std::vector<Open> later;
        subtree(groves[0], Open{0, 0, std::move(all)}, 0, large, &pool, &later, poll);
        groves.resize(1 + later.size());
        for (std::size_t i = 0; i < later.size(); ++i) {
            groves[0].nodes[later[i].node].link = static_cast<std::int32_t>(i + 1);
        }
        std::vector<std::size_t> by_size(later.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return later[a].rows.ids.size() > later[b].rows.ids.size();
        });
        pool.run(later.size(), [&](std::size_t piece, int worker) {
            const std::size_t i = by_size[piece];
            Open open = std::move(later[i]);
            open.node = 0;
            subtree(groves[i + 1], std::move(open), worker, 0, nullptr, nullptr,
                    worker == 0 ? poll : PollCallback{});
        });
        return groves;
    }

    struct Division {  // the best candidate of one column
        Offer offer;
        std::vector<double> after;                      // branches x S
        std::vector<double> known;                      // S
        std::vector<double> missing;                    // S
        std::vector<std::vector<std::int32_t>> groups;  // of a nominal column
        std::int32_t low = 0, high = 0;                 // codes on both sides of a cut
    };
    struct Worker {
        explicit Worker(const Order& order) : scorer(order.measure, order.n_sums) {}
        Scorer scorer;
        Counts counts;
        std::vector<double> dense, below, scored, weights, spare;
        std::vector<std::uint32_t> seen;
        std::vector<std::uint64_t> keys, keys2;
    };

    // What a column offers the rows of a node (search.offers); it must be coded.
    void look(std::size_t c, const RowsView& rows, Worker& my, Division& found) const {
        count(c, rows, my);
        search(c, my, found);
    }

  private:
    struct Open {
        std::uint32_t node;
        std::int64_t depth;
        NodeRows rows;
    };

    void subtree(Grove& grove, Open first, int worker, std::size_t large, ThreadPool* pool,
                 std::vector<Open>* later, const PollCallback& poll) {
        Scorer& scorer = workers_[static_cast<std::size_t>(worker)].scorer;
        std::vector<Division> found(order_.columns.size());
        std::vector<Offer> offers(order_.columns.size());
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
        std::vector<Open> stack;
        add_nodes(grove, 1);
        weigh(grove, 0, first.rows);
        stack.push_back(std::move(first));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (poll) {
                poll();
            }
            if (stops(grove, open, scorer)) {
                order_.place(open.rows.ids.size());
                continue;
            }
            if (later != nullptr && open.rows.ids.size() < large) {
                later->push_back(std::move(open));
                continue;
            }
            const RowsView rows{open.rows.ids.data(),
                                open.rows.weight.empty() ? nullptr : open.rows.weight.data(),
                                open.rows.ids.size()};
            const auto look_at = [&](std::size_t c, int by) {
                look(c, rows, workers_[static_cast<std::size_t>(by)], found[c]);
            };
            if (pool != nullptr) {
                pool->run(found.size(), look_at);
            } else {
                for (std::size_t c = 0; c < found.size(); ++c) {
                    look_at(c, worker);
                }
            }
            for (std::size_t c = 0; c < found.size(); ++c) {
                offers[c] = found[c].offer;
            }
            order_.look(open.rows.ids.size());
            const int winner = choose(offers, order_.is_ratio(), scores, ties);
            if (winner < 0) {
                continue;
            }
            grove.set_ties(open.node, ties);
            const auto w = static_cast<std::size_t>(winner);
            if (found[w].offer.gain >= order_.min_gain) {
                divide(grove, open, w, found[w], stack);
            }
        }
    }

    void add_nodes(Grove& grove, std::size_t n) const {
        grove.nodes.resize(grove.nodes.size() + n);
        const std::size_t size = grove.nodes.size() * s_;
        grove.total.resize(size);
        grove.after.resize(size);
        grove.known.resize(size);
        grove.missing.resize(size);
    }

    void add_row(double* cell, std::size_t row, double weight) const {
        if (order_.y == nullptr) {
            cell[order_.target[row]] += weight;
            return;
        }
        const double y = order_.number(row);
        const double wy = weight * y;
        cell[0] += weight;
        cell[1] += wy;
        cell[2] += wy * y;
    }

    void weigh(Grove& grove, std::uint32_t node, const NodeRows& rows) const {
        double* total = grove.total.data() + node * s_;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            add_row(total, rows.ids[i], rows.weight.empty() ? 1.0 : rows.weight[i]);
        }
    }

    bool stops(const Grove& grove, const Open& open, const Scorer& scorer) const {
        const auto& ids = open.rows.ids;
        const bool is_pure = std::all_of(ids.begin(), ids.end(), [&](std::uint32_t id) {
            return order_.y == nullptr ? order_.target[id] == order_.target[ids[0]]
                                       : order_.raw(id) == order_.raw(ids[0]);
        });
        return is_pure || (order_.max_depth >= 0 && open.depth >= order_.max_depth) ||
               scorer.weight(grove.total.data() + open.node * s_) < order_.min_weight;
    }

    // ---- counting

    void count(std::size_t c, const RowsView& rows, Worker& my) const {
        const GrowColumn& column = order_.columns[c];
        const std::size_t n = rows.n;
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        Counts& counts = my.counts;
        counts.codes.clear();
        counts.cells.clear();
        counts.missing.assign(s_, 0.0);
        counts.any_missing = false;
        const bool dense = n_levels <= 2 * n;
        if (dense) {
            my.dense.assign(n_levels * s_, 0.0);
            my.seen.assign(n_levels, 0);
        } else {
            my.keys.clear();
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t row = rows.ids[i];
            const std::int32_t code = column.codes[row];
            const double weight = rows.weight == nullptr ? 1.0 : rows.weight[i];
            if (code < 0) {
                counts.any_missing = true;
                add_row(counts.missing.data(), row, weight);
            } else if (dense) {
                const auto level = static_cast<std::size_t>(code);
                my.seen[level] = 1;
                add_row(my.dense.data() + level * s_, row, weight);
            } else {
                my.keys.push_back(static_cast<std::uint64_t>(code) << 32 | i);
            }
        }
        if (dense) {
            for (std::size_t level = 0; level < n_levels; ++level) {
                if (my.seen[level] != 0) {
                    counts.codes.push_back(static_cast<std::int32_t>(level));
                    const double* cell = my.dense.data() + level * s_;
                    counts.cells.insert(counts.cells.end(), cell, cell + s_);
                }
            }
        } else {
            std::sort(my.keys.begin(), my.keys.end());
            for (const std::uint64_t key : my.keys) {
                const auto code = static_cast<std::int32_t>(key >> 32);
                const std::size_t i = key & 0xffffffffU;
                if (counts.codes.empty() || counts.codes.back() != code) {
                    counts.codes.push_back(code);
                    counts.cells.resize(counts.cells.size() + s_, 0.0);
                }
                add_row(counts.cells.data() + counts.cells.size() - s_, rows.ids[i],
                        rows.weight == nullptr ? 1.0 : rows.weight[i]);
            }
        }
        counts.known.assign(s_, 0.0);
        for (std::size_t at = 0; at < counts.cells.size(); at += s_) {
            for (std::size_t k = 0; k < s_; ++k) {
                counts.known[k] += counts.cells[at + k];
            }
        }
    }

    // ---- the best candidate of one column

    void search(std::size_t c, Worker& my, Division& found) const {
        const GrowColumn& column = order_.columns[c];
        const Counts& counts = my.counts;
        found.offer = Offer{};
        if (counts.codes.size() < 2) {
            return;
        }
        const double weight = my.scorer.weight(counts.known.data());
        found.offer.impurity = my.scorer.impurity(counts.known.data());
        const double share = weight / (weight + my.scorer.weight(counts.missing.data()));
        found.known = counts.known;
        found.missing = counts.missing;
        found.groups.clear();
        if (column.ordered) {
            cuts(my, found, weight, share);
        } else if (order_.multiway) {
            all_levels(my, found, weight, share);
        } else {
            groupings(my, found, weight, share);
        }
        if (found.offer.made()) {
            const std::size_t n_parts = found.after.size() / s_;
            my.weights.resize(n_parts);
            my.spare.resize(n_parts);
            for (std::size_t b = 0; b < n_parts; ++b) {
                my.weights[b] = my.scorer.weight(found.after.data() + b * s_);
            }
            found.offer.information = bits(my.weights.data(), n_parts, my.spare.data());
        }
    }

    // The gain of dividing into `left` and the rest; NaN where that is not admissible.
    double gain_of_two(Worker& my, Division& found, const double* left, double weight,
                       double share) const {
        found.after.resize(2 * s_);
        for (std::size_t k = 0; k < s_; ++k) {
            found.after[k] = left[k];
            found.after[s_ + k] = found.known[k] - left[k];
        }
        const double a = my.scorer.weight(found.after.data());
        const double b = my.scorer.weight(found.after.data() + s_);
        if (!(a >= order_.min_branch && a > 0 && b >= order_.min_branch && b > 0)) {
            return not_a_number;
        }
        return my.scorer.gain(found.offer.impurity, weight, found.after.data(), 2) * share;
    }

    void cuts(Worker& my, Division& found, double weight, double share) const {
        const Counts& counts = my.counts;
        const std::size_t n = counts.codes.size() - 1;
        my.below.assign(s_, 0.0);
        my.scored.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < s_; ++k) {
                my.below[k] += counts.cells[i * s_ + k];
            }
            my.scored[i] = gain_of_two(my, found, my.below.data(), weight, share);
        }
        const std::size_t best = first_best(my.scored, found.offer.impurity * tie_share);
        if (best == n) {
            return;
        }
        my.below.assign(s_, 0.0);
        for (std::size_t i = 0; i <= best; ++i) {
            for (std::size_t k = 0; k < s_; ++k) {
                my.below[k] += counts.cells[i * s_ + k];
            }
        }
        found.offer.gain = gain_of_two(my, found, my.below.data(), weight, share);
        found.low = counts.codes[best];
        found.high = counts.codes[best + 1];
    }

    void all_levels(Worker& my, Division& found, double weight, double share) const {
        const Counts& counts = my.counts;
        const std::size_t n = counts.codes.size();
        std::size_t heavy = 0;
        for (std::size_t b = 0; b < n; ++b) {
            const double w = my.scorer.weight(counts.cells.data() + b * s_);
            heavy += w >= order_.min_branch && w > 0 ? 1U : 0U;
        }
        if (heavy < 2) {
            return;
        }
        found.after = counts.cells;
        found.offer.gain =
            my.scorer.gain(found.offer.impurity, weight, found.after.data(), n) * share;
        for (const std::int32_t code : counts.codes) {
            found.groups.push_back({code});
        }
    }

    void groupings(Worker& my, Division& found, double weight, double share) const {
        const Counts& counts = my.counts;
        const std::size_t n = counts.codes.size();
        std::vector<std::size_t> rank(n);
        my.scored.clear();
        const bool every = order_.y == nullptr && s_ > 2 && n <= all_subsets;
        std::vector<double> left(s_, 0.0);
        if (every) {
            for (std::uint32_t number = 1; number < 1U << (n - 1); ++number) {
                subset(counts, number, left);
                my.scored.push_back(gain_of_two(my, found, left.data(), weight, share));
            }
        } else {
            const std::vector<std::size_t> by_mean = order_of_levels(counts, my);
            for (std::size_t i = 0; i + 1 < n; ++i) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[by_mean[i] * s_ + k];
                }
                my.scored.push_back(gain_of_two(my, found, left.data(), weight, share));
                rank[by_mean[i]] = i;
            }
            rank[by_mean[n - 1]] = n - 1;
        }
        const std::size_t best = first_best(my.scored, found.offer.impurity * tie_share);
        if (best == my.scored.size()) {
            return;
        }
        found.groups.resize(2);
        found.groups[0].clear();
        found.groups[1].clear();
        for (std::size_t i = 0; i < n; ++i) {
            const bool right = every ? ((best + 1) >> i & 1U) == 0 : rank[i] > best;
            found.groups[right ? 1 : 0].push_back(counts.codes[i]);
        }
        if (every) {
            subset(counts, static_cast<std::uint32_t>(best + 1), left);
        } else {
            const std::vector<std::size_t> by_mean = order_of_levels(counts, my);
            left.assign(s_, 0.0);
            for (std::size_t i = 0; i <= best; ++i) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[by_mean[i] * s_ + k];
                }
            }
        }
        found.offer.gain = gain_of_two(my, found, left.data(), weight, share);
    }

    void subset(const Counts& counts, std::uint32_t number, std::vector<double>& left) const {
        left.assign(s_, 0.0);
        for (std::size_t i = 0; number >> i != 0; ++i) {
            if ((number >> i & 1U) != 0) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[i * s_ + k];
                }
            }
        }
    }

    // Levels by the share of the first class, or by mean, or along the direction in which more
    // classes vary most; equal ones stay in their order.
    std::vector<std::size_t> order_of_levels(const Counts& counts, Worker& my) const {
        const std::size_t n = counts.codes.size();
        std::vector<double> along(n);
        if (order_.y == nullptr && s_ > 2) {
            along = along_principal(counts.cells.data(), n, s_);
        }
        for (std::size_t i = 0; (order_.y != nullptr || s_ == 2) && i < n; ++i) {
            const double* cell = counts.cells.data() + i * s_;
            const double w = my.scorer.weight(cell);
            along[i] =
                order_.y == nullptr ? cell[0] / w : (w > 0 ? cell[1] / w : 0.0) + order_.centre;
        }
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return along[a] < along[b] || (std::isnan(along[b]) && !std::isnan(along[a]));
        });
        return order;
    }

    // ---- dividing

    void divide(Grove& grove, const Open& open, std::size_t c, const Division& found,
                std::vector<Open>& stack) const {
        const GrowColumn& column = order_.columns[c];
        const std::size_t n_parts = found.after.size() / s_;
        const auto first = static_cast<std::uint32_t>(grove.nodes.size());
        add_nodes(grove, n_parts);
        Grove::Node& node = grove.nodes[open.node];
        node.column = static_cast<std::int32_t>(c);
        node.first_child = first;
        node.n_children = static_cast<std::uint32_t>(n_parts);
        std::copy(found.known.begin(), found.known.end(), grove.known.data() + open.node * s_);
        std::copy(found.missing.begin(), found.missing.end(),
                  grove.missing.data() + open.node * s_);
        std::copy(found.after.begin(), found.after.end(), grove.after.data() + first * s_);
        std::vector<std::int32_t> branch_of;
        if (column.ordered) {
            node.cut = cut_between(column, found.low, found.high);
        } else {
            branch_of.assign(static_cast<std::size_t>(column.n_levels), -1);
            for (std::size_t b = 0; b < n_parts; ++b) {
                Grove::Node& child = grove.nodes[first + b];
                child.level_start = static_cast<std::uint32_t>(grove.levels.size());
                child.level_count = static_cast<std::uint32_t>(found.groups[b].size());
                for (const std::int32_t code : found.groups[b]) {
                    grove.levels.push_back(code);
                    branch_of[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(b);
                }
            }
        }
        const auto branch = [&](std::uint32_t row) {
            const std::int32_t code = column.codes[row];
            if (code < 0) {
                return -1;
            }
            return column.ordered ? (code > found.low ? 1 : 0)
                                  : branch_of[static_cast<std::size_t>(code)];
        };
        const NodeRows& rows = open.rows;
        std::vector<double> shares(n_parts, 0.0);
        std::vector<std::size_t> sizes(n_parts, 0);
        std::size_t n_lost = 0;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            const int b = branch(rows.ids[i]);
            if (b < 0) {
                ++n_lost;
            } else {
                ++sizes[static_cast<std::size_t>(b)];
                shares[static_cast<std::size_t>(b)] +=
                    rows.weight.empty() ? 1.0 : rows.weight[i];
            }
        }
        const bool shared = n_lost > 0 && order_.fraction;
        const double sum = pairwise_sum(shares.data(), n_parts);
        std::vector<NodeRows> parts(n_parts);
        const bool weighted = shared || !rows.weight.empty();
        for (std::size_t b = 0; b < n_parts; ++b) {  // not twice as much as they need
            const std::size_t size =
                sizes[b] + (shared && shares[b] / sum > 0 ? n_lost : std::size_t{0});
            parts[b].ids.reserve(size);
            parts[b].weight.reserve(weighted ? size : 0);
        }
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            const int b = branch(rows.ids[i]);
            const double weight = rows.weight.empty() ? 1.0 : rows.weight[i];
            for (std::size_t to = 0; to < n_parts; ++to) {
                const double share = b < 0 ? shares[to] / sum : 1.0;
                if (b < 0 ? shared && share > 0 : to == static_cast<std::size_t>(b)) {
                    parts[to].ids.push_back(rows.ids[i]);
                    if (weighted) {
                        parts[to].weight.push_back(b < 0 ? weight * share : weight);
                    }
                }
            }
        }
        for (std::size_t b = n_parts; b-- > 0;) {
            const auto child = first + static_cast<std::uint32_t>(b);
            weigh(grove, child, parts[b]);
            stack.push_back({child, open.depth + 1, std::move(parts[b])});
        }
    }

    const Order& order_;
    std::size_t s_;
    std::vector<Worker> workers_;
};

}  // namespace penjing
