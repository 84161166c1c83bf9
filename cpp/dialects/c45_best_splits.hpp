// The best split of every column in given nodes, by the rules of C4.5, J48 or C5.0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "dialects/c45.hpp"
#include "grow/node_rows.hpp"

namespace penjing {

// Node by node, column by column; the categories of all splits lie in one array.
struct C45BestSplits {
    std::vector<double> gain, information, cut, cost;
    std::vector<std::int64_t> n_candidates;
    std::vector<std::int32_t> n_groups;
    std::vector<std::int32_t> group_codes;  // each is a group of its own

    void append(const C45Kernel::ColumnSplit& split, bool is_ordered) {
        const bool exists = !std::isnan(split.gain);
        gain.push_back(split.gain);
        information.push_back(exists ? split.information : not_a_number);
        cut.push_back(exists && is_ordered ? split.cut : not_a_number);
        cost.push_back(split.cost);
        n_candidates.push_back(split.n_candidates);
        const bool has_groups = exists && !is_ordered;
        n_groups.push_back(has_groups ? static_cast<std::int32_t>(split.codes.size()) : 0);
        if (has_groups) {
            group_codes.insert(group_codes.end(), split.codes.begin(), split.codes.end());
        }
    }
};

template <class Kernel, class Request>
C45BestSplits c45_best_splits(const Request& request, std::vector<NodeRows>& nodes,
                              ThreadPool& pool, const PollCallback& poll) {
    Kernel kernel(request);
    kernel.make_scratch(pool.size());
    const std::size_t n_columns = request.columns.size();
    std::vector<C45Kernel::ColumnSplit> splits(nodes.size() * n_columns);
    const auto search = [&](std::size_t i, int thread, auto&& node_pool) {
        C45Kernel::Scratch& own = kernel.scratch(thread);
        std::vector<double> total(request.n_sums, 0.0);
        for (std::size_t row = 0; row < nodes[i].ids.size(); ++row) {
            total[static_cast<std::size_t>(request.target[nodes[i].ids[row]])] +=
                nodes[i].weight_at(row);
        }
        kernel.search_columns(nodes[i], kernel.node_weight(total.data()), own, node_pool);
        std::move(own.splits.begin(), own.splits.end(),
                  splits.begin() + static_cast<std::ptrdiff_t>(i * n_columns));
    };
    // All threads share the columns of large nodes; smaller nodes are whole tasks.
    const std::size_t large = std::max<std::size_t>(request.n_rows / 32, 2000);
    std::vector<std::size_t> small;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].ids.size() < large) {
            small.push_back(i);
            continue;
        }
        poll();
        search(i, 0, pool);
    }
    pool.run(small.size(), [&](std::size_t task, int thread) {
        if (thread == 0) {
            poll();
        }
        search(small[task], thread, SerialPool{});
    });
    C45BestSplits table;
    for (std::size_t i = 0; i < splits.size(); ++i) {
        table.append(splits[i], request.columns[i % n_columns].ordered);
    }
    return table;
}

}  // namespace penjing
