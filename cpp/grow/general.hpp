// The growing kernel for every request: weights, missing values, numeric targets, any columns.
//
// The rows of a node are kept in table order and every sum is formed in that order, category by
// category, as in engines/memory.py, so that the tree is identical to the last bit. Faster
// kernels handle the common cases.
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
    explicit GeneralKernel(const GrowRequest& request)
        : request_(request), s_(request.n_sums) {}

    std::vector<Subtree> grow(ThreadPool& pool, const PollCallback& poll) {
        NodeRows all;
        all.ids.resize(request_.n_rows);
        std::iota(all.ids.begin(), all.ids.end(), 0U);
        if (request_.weight != nullptr) {
            all.weight.assign(request_.weight, request_.weight + request_.n_rows);
        }
        scratch_.clear();
        for (int i = 0; i < pool.size(); ++i) {
            scratch_.emplace_back(request_);
        }
        // All threads share the columns of large nodes; smaller nodes are whole tasks.
        const std::size_t large =
            pool.size() > 1 ? std::max<std::size_t>(request_.n_rows / 32, 2000) : 0;
        std::vector<Subtree> subtrees(1);
        std::vector<OpenNode> deferred;
        grow_subtree(subtrees[0], OpenNode{0, 0, std::move(all)}, 0, large, &pool, &deferred,
                     poll);
        subtrees.resize(1 + deferred.size());
        for (std::size_t i = 0; i < deferred.size(); ++i) {
            subtrees[0].nodes[deferred[i].node].link = static_cast<std::int32_t>(i + 1);
        }
        std::vector<std::size_t> by_size(deferred.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return deferred[a].rows.ids.size() > deferred[b].rows.ids.size();
        });
        pool.run(deferred.size(), [&](std::size_t task, int thread) {
            const std::size_t i = by_size[task];
            OpenNode open = std::move(deferred[i]);
            open.node = 0;
            grow_subtree(subtrees[i + 1], std::move(open), thread, 0, nullptr, nullptr,
                         thread == 0 ? poll : PollCallback{});
        });
        return subtrees;
    }

    struct ColumnSplit {  // the best candidate of one column
        Candidate candidate;
        std::vector<double> after;                      // branches x S
        std::vector<double> known;                      // S
        std::vector<double> missing;                    // S
        std::vector<std::vector<std::int32_t>> groups;  // of a categorical column
        std::int32_t low = 0, high = 0;                 // codes on both sides of a cut
    };
    struct Scratch {
        explicit Scratch(const GrowRequest& request)
            : scorer(request.criterion, request.n_sums) {}
        Scorer scorer;
        Counts counts;
        std::vector<double> dense, below, scored, weights, spare;
        std::vector<std::uint32_t> seen;
        std::vector<std::uint64_t> keys, keys2;
    };

    // The best split of the rows of a node by one column (search.offers); it must be encoded.
    void search_column(std::size_t c, const RowsView& rows, Scratch& scratch,
                       ColumnSplit& split) const {
        count(c, rows, scratch);
        search(c, scratch, split);
    }

  private:
    struct OpenNode {
        std::uint32_t node;
        std::int64_t depth;
        NodeRows rows;
    };

    void grow_subtree(Subtree& subtree, OpenNode first, int thread, std::size_t large,
                      ThreadPool* pool, std::vector<OpenNode>* deferred,
                      const PollCallback& poll) {
        Scorer& scorer = scratch_[static_cast<std::size_t>(thread)].scorer;
        std::vector<ColumnSplit> splits(request_.columns.size());
        std::vector<Candidate> candidates(request_.columns.size());
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
        std::vector<OpenNode> stack;
        add_nodes(subtree, 1, s_);
        sum_rows(subtree, 0, first.rows);
        stack.push_back(std::move(first));
        while (!stack.empty()) {
            OpenNode open = std::move(stack.back());
            stack.pop_back();
            if (poll) {
                poll();
            }
            if (stops(subtree, open, scorer)) {
                request_.report_leaf(open.rows.ids.size());
                continue;
            }
            if (deferred != nullptr && open.rows.ids.size() < large) {
                deferred->push_back(std::move(open));
                continue;
            }
            const RowsView rows{open.rows.ids.data(),
                                open.rows.weight.empty() ? nullptr : open.rows.weight.data(),
                                open.rows.ids.size()};
            const auto search_task = [&](std::size_t c, int task_thread) {
                search_column(c, rows, scratch_[static_cast<std::size_t>(task_thread)],
                              splits[c]);
            };
            if (pool != nullptr) {
                pool->run(splits.size(), search_task);
            } else {
                for (std::size_t c = 0; c < splits.size(); ++c) {
                    search_task(c, thread);
                }
            }
            for (std::size_t c = 0; c < splits.size(); ++c) {
                candidates[c] = splits[c].candidate;
            }
            request_.report_scan(open.rows.ids.size());
            const int winner = choose(candidates, request_.is_ratio(), scores, ties);
            if (winner < 0) {
                continue;
            }
            subtree.set_ties(open.node, ties);
            const auto w = static_cast<std::size_t>(winner);
            if (splits[w].candidate.gain >= request_.min_gain) {
                divide(subtree, open, w, splits[w], stack);
            }
        }
    }

    void add_row(double* cell, std::size_t row, double weight) const {
        if (request_.y == nullptr) {
            cell[request_.target[row]] += weight;
            return;
        }
        const double y = request_.number(row);
        const double wy = weight * y;
        cell[0] += weight;
        cell[1] += wy;
        cell[2] += wy * y;
    }

    void sum_rows(Subtree& subtree, std::uint32_t node, const NodeRows& rows) const {
        double* total = subtree.total.data() + node * s_;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            add_row(total, rows.ids[i], rows.weight.empty() ? 1.0 : rows.weight[i]);
        }
    }

    bool stops(const Subtree& subtree, const OpenNode& open, const Scorer& scorer) const {
        const auto& ids = open.rows.ids;
        const bool is_pure = std::all_of(ids.begin(), ids.end(), [&](std::uint32_t id) {
            return request_.y == nullptr ? request_.target[id] == request_.target[ids[0]]
                                         : request_.raw(id) == request_.raw(ids[0]);
        });
        return is_pure || (request_.max_depth >= 0 && open.depth >= request_.max_depth) ||
               scorer.weight(subtree.total.data() + open.node * s_) < request_.min_weight;
    }

    // ---- counting

    void count(std::size_t c, const RowsView& rows, Scratch& scratch) const {
        const GrowColumn& column = request_.columns[c];
        const std::size_t n = rows.n;
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        Counts& counts = scratch.counts;
        counts.codes.clear();
        counts.cells.clear();
        counts.missing.assign(s_, 0.0);
        counts.any_missing = false;
        const bool dense = n_levels <= 2 * n;
        if (dense) {
            scratch.dense.assign(n_levels * s_, 0.0);
            scratch.seen.assign(n_levels, 0);
        } else {
            scratch.keys.clear();
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
                scratch.seen[level] = 1;
                add_row(scratch.dense.data() + level * s_, row, weight);
            } else {
                scratch.keys.push_back(static_cast<std::uint64_t>(code) << 32 | i);
            }
        }
        if (dense) {
            for (std::size_t level = 0; level < n_levels; ++level) {
                if (scratch.seen[level] != 0) {
                    counts.codes.push_back(static_cast<std::int32_t>(level));
                    const double* cell = scratch.dense.data() + level * s_;
                    counts.cells.insert(counts.cells.end(), cell, cell + s_);
                }
            }
        } else {
            std::sort(scratch.keys.begin(), scratch.keys.end());
            for (const std::uint64_t key : scratch.keys) {
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

    void search(std::size_t c, Scratch& scratch, ColumnSplit& split) const {
        const GrowColumn& column = request_.columns[c];
        const Counts& counts = scratch.counts;
        split.candidate = Candidate{};
        if (counts.codes.size() < 2) {
            return;
        }
        const double weight = scratch.scorer.weight(counts.known.data());
        split.candidate.impurity = scratch.scorer.impurity(counts.known.data());
        const double share = weight / (weight + scratch.scorer.weight(counts.missing.data()));
        split.known = counts.known;
        split.missing = counts.missing;
        split.groups.clear();
        if (column.ordered) {
            cuts(scratch, split, weight, share);
        } else if (request_.multiway) {
            score_multiway(scratch, split, weight, share);
        } else {
            groupings(scratch, split, weight, share);
        }
        if (split.candidate.exists()) {
            const std::size_t n_parts = split.after.size() / s_;
            scratch.weights.resize(n_parts);
            scratch.spare.resize(n_parts);
            for (std::size_t b = 0; b < n_parts; ++b) {
                scratch.weights[b] = scratch.scorer.weight(split.after.data() + b * s_);
            }
            split.candidate.information =
                entropy_bits(scratch.weights.data(), n_parts, scratch.spare.data());
        }
    }

    // The gain of a split into `left` and the rest; NaN if it is not admissible.
    double gain_of_two(Scratch& scratch, ColumnSplit& split, const double* left, double weight,
                       double share) const {
        split.after.resize(2 * s_);
        for (std::size_t k = 0; k < s_; ++k) {
            split.after[k] = left[k];
            split.after[s_ + k] = split.known[k] - left[k];
        }
        const double a = scratch.scorer.weight(split.after.data());
        const double b = scratch.scorer.weight(split.after.data() + s_);
        if (!(a >= request_.min_branch && a > 0 && b >= request_.min_branch && b > 0)) {
            return not_a_number;
        }
        return scratch.scorer.gain(split.candidate.impurity, weight, split.after.data(), 2) *
               share;
    }

    void cuts(Scratch& scratch, ColumnSplit& split, double weight, double share) const {
        const Counts& counts = scratch.counts;
        const std::size_t n = counts.codes.size() - 1;
        scratch.below.assign(s_, 0.0);
        scratch.scored.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < s_; ++k) {
                scratch.below[k] += counts.cells[i * s_ + k];
            }
            scratch.scored[i] =
                gain_of_two(scratch, split, scratch.below.data(), weight, share);
        }
        const std::size_t best =
            first_best(scratch.scored, split.candidate.impurity * tie_share);
        if (best == n) {
            return;
        }
        scratch.below.assign(s_, 0.0);
        for (std::size_t i = 0; i <= best; ++i) {
            for (std::size_t k = 0; k < s_; ++k) {
                scratch.below[k] += counts.cells[i * s_ + k];
            }
        }
        split.candidate.gain = gain_of_two(scratch, split, scratch.below.data(), weight, share);
        split.low = counts.codes[best];
        split.high = counts.codes[best + 1];
    }

    void score_multiway(Scratch& scratch, ColumnSplit& split, double weight,
                        double share) const {
        const Counts& counts = scratch.counts;
        const std::size_t n = counts.codes.size();
        std::size_t heavy = 0;
        for (std::size_t b = 0; b < n; ++b) {
            const double w = scratch.scorer.weight(counts.cells.data() + b * s_);
            heavy += w >= request_.min_branch && w > 0 ? 1U : 0U;
        }
        if (heavy < 2) {
            return;
        }
        split.after = counts.cells;
        split.candidate.gain =
            scratch.scorer.gain(split.candidate.impurity, weight, split.after.data(), n) *
            share;
        for (const std::int32_t code : counts.codes) {
            split.groups.push_back({code});
        }
    }

    void groupings(Scratch& scratch, ColumnSplit& split, double weight, double share) const {
        const Counts& counts = scratch.counts;
        const std::size_t n = counts.codes.size();
        std::vector<std::size_t> rank(n);
        scratch.scored.clear();
        const bool every = request_.y == nullptr && s_ > 2 && n <= max_exhaustive_categories;
        std::vector<double> left(s_, 0.0);
        if (every) {
            for (std::uint32_t number = 1; number < 1U << (n - 1); ++number) {
                subset(counts, number, left);
                scratch.scored.push_back(
                    gain_of_two(scratch, split, left.data(), weight, share));
            }
        } else {
            const std::vector<std::size_t> by_mean = order_of_levels(counts, scratch);
            for (std::size_t i = 0; i + 1 < n; ++i) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[by_mean[i] * s_ + k];
                }
                scratch.scored.push_back(
                    gain_of_two(scratch, split, left.data(), weight, share));
                rank[by_mean[i]] = i;
            }
            rank[by_mean[n - 1]] = n - 1;
        }
        const std::size_t best =
            first_best(scratch.scored, split.candidate.impurity * tie_share);
        if (best == scratch.scored.size()) {
            return;
        }
        split.groups.resize(2);
        split.groups[0].clear();
        split.groups[1].clear();
        for (std::size_t i = 0; i < n; ++i) {
            const bool right = every ? ((best + 1) >> i & 1U) == 0 : rank[i] > best;
            split.groups[right ? 1 : 0].push_back(counts.codes[i]);
        }
        if (every) {
            subset(counts, static_cast<std::uint32_t>(best + 1), left);
        } else {
            const std::vector<std::size_t> by_mean = order_of_levels(counts, scratch);
            left.assign(s_, 0.0);
            for (std::size_t i = 0; i <= best; ++i) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[by_mean[i] * s_ + k];
                }
            }
        }
        split.candidate.gain = gain_of_two(scratch, split, left.data(), weight, share);
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

    // Categories by the share of the first class, by mean, or along the principal component of
    // the class shares; a stable sort.
    std::vector<std::size_t> order_of_levels(const Counts& counts, Scratch& scratch) const {
        const std::size_t n = counts.codes.size();
        std::vector<double> along(n);
        if (request_.y == nullptr && s_ > 2) {
            along = principal_coordinates(counts.cells.data(), n, s_);
        }
        for (std::size_t i = 0; (request_.y != nullptr || s_ == 2) && i < n; ++i) {
            const double* cell = counts.cells.data() + i * s_;
            const double w = scratch.scorer.weight(cell);
            along[i] = request_.y == nullptr ? cell[0] / w
                                             : (w > 0 ? cell[1] / w : 0.0) + request_.centre;
        }
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return along[a] < along[b] || (std::isnan(along[b]) && !std::isnan(along[a]));
        });
        return order;
    }

    // ---- partition

    void divide(Subtree& subtree, const OpenNode& open, std::size_t c, const ColumnSplit& split,
                std::vector<OpenNode>& stack) const {
        const GrowColumn& column = request_.columns[c];
        const std::size_t n_parts = split.after.size() / s_;
        const auto first = static_cast<std::uint32_t>(subtree.nodes.size());
        add_nodes(subtree, n_parts, s_);
        Subtree::Node& node = subtree.nodes[open.node];
        node.column = static_cast<std::int32_t>(c);
        node.first_child = first;
        node.n_children = static_cast<std::uint32_t>(n_parts);
        std::copy(split.known.begin(), split.known.end(),
                  subtree.known.data() + open.node * s_);
        std::copy(split.missing.begin(), split.missing.end(),
                  subtree.missing.data() + open.node * s_);
        std::copy(split.after.begin(), split.after.end(), subtree.after.data() + first * s_);
        std::vector<std::int32_t> branch_of;
        if (column.ordered) {
            node.cut = cut_between(column, split.low, split.high);
        } else {
            branch_of.assign(static_cast<std::size_t>(column.n_levels), -1);
            for (std::size_t b = 0; b < n_parts; ++b) {
                Subtree::Node& child = subtree.nodes[first + b];
                child.level_start = static_cast<std::uint32_t>(subtree.levels.size());
                child.level_count = static_cast<std::uint32_t>(split.groups[b].size());
                for (const std::int32_t code : split.groups[b]) {
                    subtree.levels.push_back(code);
                    branch_of[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(b);
                }
            }
        }
        const auto branch = [&](std::uint32_t row) {
            const std::int32_t code = column.codes[row];
            if (code < 0) {
                return -1;
            }
            return column.ordered ? (code > split.low ? 1 : 0)
                                  : branch_of[static_cast<std::size_t>(code)];
        };
        const NodeRows& rows = open.rows;
        std::vector<double> shares(n_parts, 0.0);
        std::vector<std::size_t> sizes(n_parts, 0);
        std::size_t n_missing = 0;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            const int b = branch(rows.ids[i]);
            if (b < 0) {
                ++n_missing;
            } else {
                ++sizes[static_cast<std::size_t>(b)];
                shares[static_cast<std::size_t>(b)] +=
                    rows.weight.empty() ? 1.0 : rows.weight[i];
            }
        }
        const bool shared = n_missing > 0 && request_.fraction;
        const double sum = pairwise_sum(shares.data(), n_parts);
        std::vector<NodeRows> parts(n_parts);
        const bool weighted = shared || !rows.weight.empty();
        for (std::size_t b = 0; b < n_parts;
             ++b) {  // exact, so that vectors do not overallocate
            const std::size_t size =
                sizes[b] + (shared && shares[b] / sum > 0 ? n_missing : std::size_t{0});
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
            sum_rows(subtree, child, parts[b]);
            stack.push_back({child, open.depth + 1, std::move(parts[b])});
        }
    }

    const GrowRequest& request_;
    std::size_t s_;
    std::vector<Scratch> scratch_;
};

}  // namespace penjing
