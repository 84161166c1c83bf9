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
#include "grow/column_search.hpp"
#include "grow/criterion.hpp"
#include "grow/node_rows.hpp"
#include "grow/nodes.hpp"

namespace penjing {

class GeneralKernel {
  public:
    explicit GeneralKernel(const GrowRequest& request)
        : request_(request), search_(request), s_(request.n_sums) {}

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

    using ColumnSplit = ColumnSearch::ColumnSplit;
    using Scratch = ColumnSearch::Scratch;

    // The best split of the rows of a node by one column; it must be encoded.
    void search_column(std::size_t c, const RowsView& rows, Scratch& scratch,
                       ColumnSplit& split) const {
        search_.search_column(c, rows, scratch, split);
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

    void sum_rows(Subtree& subtree, std::uint32_t node, const NodeRows& rows) const {
        double* total = subtree.total.data() + node * s_;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            search_.add_row(total, rows.ids[i], rows.weight.empty() ? 1.0 : rows.weight[i]);
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
    ColumnSearch search_;
    std::size_t s_;
    std::vector<Scratch> scratch_;
};

}  // namespace penjing
