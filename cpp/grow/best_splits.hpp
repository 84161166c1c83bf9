// The best split of every column in each of some nodes: what a trace, an explanation and the
// loop in Python ask for. A search knows one column of one node; this file deals them to
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/column_search.hpp"
#include "grow/node_rows.hpp"

namespace penjing {

// Call search(node, column, thread) for every column of every node, and poll between nodes.
template <class Search>
void for_each_column(std::size_t n_nodes, std::size_t n_columns, ThreadPool& pool,
                     const PollCallback& poll, const Search& search) {
    pool.run(n_nodes * n_columns, [&](std::size_t task, int thread) {
        if (thread == 0 && task % n_columns == 0 && poll) {
            poll();
        }
        search(task / n_columns, task % n_columns, thread);
    });
}

// The answer for all nodes and columns, node by node; what has no fixed size lies in one array.
struct BestSplitsTable {
    std::vector<double> cut;  // NaN: categorical, or no split; infinity: known
                              // values against missing ones
    std::vector<std::int64_t> n_candidates;
    std::vector<std::int32_t> n_branches;  // 0: no split
    std::vector<double> known, missing;    // S each
    std::vector<double> after;             // the sums of each branch
    std::vector<std::int32_t>
        n_groups;  // of a categorical column; its branches without that of missing values
    std::vector<std::int64_t> group_sizes;  // of each branch of a categorical column
    std::vector<std::int32_t> group_codes;
};

inline void append(BestSplitsTable& table, const ColumnSearch::ColumnSplit& split,
                   const GrowColumn& column, std::size_t n_sums) {
    const bool exists = split.candidate.exists();
    const bool is_cut = column.ordered || split.by_missing;
    table.n_candidates.push_back(split.n_candidates);
    table.n_branches.push_back(exists ? static_cast<std::int32_t>(split.after.size() / n_sums)
                                      : 0);
    double cut = not_a_number;
    if (exists && is_cut) {
        cut = split.by_missing ? std::numeric_limits<double>::infinity()
                               : cut_between(column, split.low, split.high);
    }
    table.cut.push_back(cut);
    const std::vector<double> none(exists ? 0 : n_sums, 0.0);
    const std::vector<double>& known = exists ? split.known : none;
    const std::vector<double>& missing = exists ? split.missing : none;
    table.known.insert(table.known.end(), known.begin(), known.end());
    table.missing.insert(table.missing.end(), missing.begin(), missing.end());
    table.n_groups.push_back(exists && !is_cut ? static_cast<std::int32_t>(split.groups.size())
                                               : 0);
    if (!exists) {
        return;
    }
    table.after.insert(table.after.end(), split.after.begin(), split.after.end());
    if (!is_cut) {
        for (const std::vector<std::int32_t>& group : split.groups) {
            table.group_sizes.push_back(static_cast<std::int64_t>(group.size()));
            table.group_codes.insert(table.group_codes.end(), group.begin(), group.end());
        }
    }
}

// By the textbook's criteria; `limits` are those of each node, or nothing.
inline BestSplitsTable best_splits(const GrowRequest& request,
                                   const std::vector<RowsView>& nodes,
                                   const std::vector<SplitLimits>& limits, ThreadPool& pool,
                                   const PollCallback& poll) {
    const ColumnSearch search(request);
    const std::size_t n_columns = request.columns.size();
    std::vector<ColumnSearch::Scratch> scratch;
    for (int thread = 0; thread < pool.size(); ++thread) {
        scratch.emplace_back(request);
    }
    std::vector<ColumnSearch::ColumnSplit> splits(nodes.size() * n_columns);
    for_each_column(
        nodes.size(), n_columns, pool, poll, [&](std::size_t node, std::size_t c, int thread) {
            search.search_column(c, nodes[node], scratch[static_cast<std::size_t>(thread)],
                                 splits[node * n_columns + c],
                                 limits.empty() ? nullptr : &limits[node]);
        });
    BestSplitsTable table;
    for (std::size_t i = 0; i < splits.size(); ++i) {
        append(table, splits[i], request.columns[i % n_columns], request.n_sums);
    }
    return table;
}

}  // namespace penjing
