// The growing kernel for every request: weights, missing values, numeric targets, any columns.
//
// The rows of a node are kept in table order and every sum is formed in that order, category by
// category, as in engines/memory.py, so that the tree is identical to the last bit. Faster
// kernels handle the common cases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/column_search.hpp"
#include "grow/criterion.hpp"
#include "grow/driver.hpp"
#include "grow/node_rows.hpp"
#include "grow/nodes.hpp"

namespace penjing {

class GeneralKernel {
  public:
    explicit GeneralKernel(const GrowRequest& request)
        : request_(request), search_(request), s_(request.n_sums) {}

    using ColumnSplit = ColumnSearch::ColumnSplit;
    struct Scratch : ColumnSearch::Scratch {
        using ColumnSearch::Scratch::Scratch;
        std::vector<ColumnSplit> splits;  // of each column
        std::vector<Candidate> candidates;
        std::vector<double> scores;
        std::vector<std::int32_t> ties;
    };
    using OpenNode = OpenRows;
    using Task = GrowTask<Scratch>;
    struct Split {
        std::size_t column = 0;
        ColumnSplit best;
    };

    // The best split of the rows of a node by one column; it must be encoded.
    void search_column(std::size_t c, const RowsView& rows, ColumnSearch::Scratch& scratch,
                       ColumnSplit& split, const SplitLimits* limits = nullptr) const {
        search_.search_column(c, rows, scratch, split, limits);
    }

    // ---- for the driver

    [[nodiscard]] NodeLayout layout() const { return {s_, false, true, false}; }

    Scratch& scratch(int thread) { return scratch_[static_cast<std::size_t>(thread)]; }

    std::optional<OpenNode> start(Subtree& subtree, ThreadPool& pool, const PollCallback&) {
        for (int i = 0; i < pool.size(); ++i) {
            scratch_.emplace_back(request_);
        }
        OpenNode root{0, 0, all_rows(request_), request_.constraints.root()};
        subtree.add_nodes(1);
        sum_rows(subtree, 0, root.rows);
        return root;
    }

    bool stops(Task& task, const OpenNode& open) const {
        const auto& ids = open.rows.ids;
        const bool is_pure = std::all_of(ids.begin(), ids.end(), [&](std::uint32_t id) {
            return request_.y == nullptr ? request_.target[id] == request_.target[ids[0]]
                                         : request_.raw(id) == request_.raw(ids[0]);
        });
        return is_pure || (request_.max_depth >= 0 && open.depth >= request_.max_depth) ||
               weight(task, open) < request_.min_weight;
    }

    template <class Pool>
    bool search(Task& task, const OpenNode& open, Split& split, Pool&& pool) {
        Scratch& own = task.scratch;
        const RowsView rows = view_of(open.rows);
        own.splits.resize(request_.columns.size());
        own.candidates.resize(own.splits.size());
        pool.run(own.splits.size(), [&](std::size_t c, int thread) {
            search_column(c, rows, thread < 0 ? own : scratch(thread), own.splits[c],
                          open.limits.get());
        });
        for (std::size_t c = 0; c < own.splits.size(); ++c) {
            own.candidates[c] = own.splits[c].candidate;
        }
        const int winner = choose(own.candidates, request_.is_ratio(), own.scores, own.ties);
        if (winner < 0) {
            return false;
        }
        split.column = static_cast<std::size_t>(winner);
        if (!(own.candidates[split.column].gain >= request_.min_gain)) {
            return false;
        }
        std::swap(split.best, own.splits[split.column]);
        task.subtree.set_ties(open.node, own.ties);
        return true;
    }

    [[nodiscard]] double worth(Task& task, const OpenNode& open, const Split& split) const {
        return weight(task, open) * split.best.candidate.gain;
    }
    [[nodiscard]] std::size_t n_branches(const Split& split) const {
        return split.best.after.size() / s_;
    }

    template <class Pool>
    void divide(Task& task, const OpenNode& open, const Split& split, Pool&&,
                std::vector<OpenNode>& open_nodes) const {
        Subtree& subtree = task.subtree;
        const ColumnSplit& best = split.best;
        const GrowColumn& column = request_.columns[split.column];
        const std::size_t n_parts = n_branches(split);
        const std::uint32_t first = subtree.split(open.node, split.column, n_parts);
        subtree.set_known(open.node, best.known, best.missing, best.after);
        std::vector<std::int32_t> branch_of;
        if (column.ordered) {
            subtree.nodes[open.node].cut = cut_between(column, best.low, best.high);
        } else {
            branch_of.assign(static_cast<std::size_t>(column.n_levels), -1);
            for (std::size_t b = 0; b < n_parts; ++b) {
                subtree.set_levels(first + static_cast<std::uint32_t>(b), best.groups[b]);
                for (const std::int32_t code : best.groups[b]) {
                    branch_of[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(b);
                }
            }
        }
        open_children(
            open, first, n_parts, request_.fraction,
            [&](std::uint32_t row) { return branch_of_code(column, row, best.low, branch_of); },
            [&](std::uint32_t child, const NodeRows& rows) { sum_rows(subtree, child, rows); },
            open_nodes);
        if (open.limits != nullptr && n_parts == 2) {
            auto [left, right] =
                request_.constraints.below(open.limits, split.column, subtree.total_of(first),
                                           subtree.total_of(first + 1));
            open_nodes[open_nodes.size() - 1].limits = std::move(left);
            open_nodes[open_nodes.size() - 2].limits = std::move(right);
        }
    }

  private:
    [[nodiscard]] double weight(Task& task, const OpenNode& open) const {
        return task.scratch.scorer.weight(task.subtree.total_of(open.node));
    }

    void sum_rows(Subtree& subtree, std::uint32_t node, const NodeRows& rows) const {
        double* total = subtree.total_of(node);
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            search_.add_row(total, rows.ids[i], rows.weight_at(i));
        }
    }

    const GrowRequest& request_;
    ColumnSearch search_;
    std::size_t s_;
    std::vector<Scratch> scratch_;
};

}  // namespace penjing
