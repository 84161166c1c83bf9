// The sums of all nodes below a node: its rows are divided from the top down, and those of a
// node are dropped as soon as its children have theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grow/node_counts.hpp"
#include "grow/node_rows.hpp"
#include "grow/route_rows.hpp"

namespace penjing {

// A split of the subtree. Nodes are numbered breadth first, 0 is the top; children follow each
// other.
struct SubtreeSplit {
    std::size_t node = 0;
    std::size_t first_child = 0;
    Routing routing;
    std::vector<std::int32_t> branch;  // of each code, for a split by categories

    // The split may have been moved since its rule was made, and its table with it.
    [[nodiscard]] Routing with_table() const {
        Routing result = routing;
        if (!branch.empty()) {
            result.rules[0].branch = branch.data();
        }
        return result;
    }
};

struct SubtreeSums {
    std::vector<double> cells;  // of each node but the top
    std::vector<std::uint8_t> is_pure;
    std::vector<double> n_rows;
};

// `codes` are the classes, or the codes of the numbers, that tell whether a node is pure.
inline SubtreeSums subtree_sums(const TargetView& target, const std::int32_t* codes,
                                const RowsView& top, const std::vector<SubtreeSplit>& splits,
                                std::size_t n_nodes) {
    SubtreeSums sums;
    sums.cells.reserve((n_nodes - 1) * target.n_sums);
    std::vector<NodeRows> rows(n_nodes);
    for (const SubtreeSplit& split : splits) {
        NodeRows own = std::move(rows[split.node]);
        const RowsView view = split.node == 0 ? top : view_of(own);
        std::vector<NodeRows> parts = route_rows(view, split.with_table());
        for (std::size_t b = 0; b < parts.size(); ++b) {
            const RowsView part = view_of(parts[b]);
            const std::vector<double> cells = node_sums(target, part);
            sums.cells.insert(sums.cells.end(), cells.begin(), cells.end());
            sums.is_pure.push_back(is_one_value(codes, part) ? 1 : 0);
            sums.n_rows.push_back(static_cast<double>(part.n));
            rows[split.first_child + b] = std::move(parts[b]);
        }
    }
    return sums;
}

}  // namespace penjing
