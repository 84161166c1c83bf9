// The input and the nodes of the scikit-learn kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

struct SklearnRequest {
    std::vector<GrowColumn> columns;  // all ordered, all with levels
    std::size_t n_rows = 0;
    const std::int32_t* target = nullptr;  // code of the class, or of the number
    const double* y = nullptr;             // the number; null for classes
    const double* weight = nullptr;        // above zero; null: one each
    const double* class_weight = nullptr;  // of each class; null: one
    std::size_t n_sums = 0;
    bool is_entropy = false;       // entropy, not Gini
    bool compare_as_float = true;  // values are compared in single precision
    double gap = 0;                // a cut needs values that differ by more
    double min_samples_split = 2;
    double min_samples_leaf = 1;
    double min_weight_share = 0;
    double min_decrease = 0;
    double min_gain = 0;
    std::int64_t max_depth = -1;   // -1: no limit
    std::int64_t max_leaves = -1;  // -1: no limit; otherwise best first
    bool shuffles = false;         // columns are visited in random order
    std::size_t max_features = 0;  // columns visited per node
    std::uint32_t state = 0;       // of the random number generator
    int threads = 1;
};

// The nodes that one thread has grown; the children of a node are adjacent.
struct SklearnSubtree {
    struct Node {
        double cut = not_a_number;
        double gap[2] = {not_a_number, not_a_number};  // the values on both sides of the cut
        double gain = 0;
        std::int32_t column = -1;
        std::uint32_t first_child = 0;
        std::int32_t missing = -1;    // the branch of a missing value
        std::int32_t link = -1;       // index of the subtree that continues it
        std::uint32_t tie_start = 0;  // columns that scored the same
        std::uint32_t tie_count = 0;
    };
    std::vector<Node> nodes;
    std::vector<double> total;  // n_sums per node
    std::vector<std::int32_t> ties;
    std::vector<std::uint32_t>
        tied_nodes_in_order;  // nodes with ties, in the order in which they were asked
};

struct SklearnTree {
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> column;
    std::vector<double> cut;
    std::vector<double> gap;  // two per node
    std::vector<double> gain;
    std::vector<std::int32_t> missing;
    std::vector<double> total;
    std::vector<std::int32_t> tied_nodes;
    std::vector<std::int64_t> tie_start{0};
    std::vector<std::int32_t> tie_columns;
    std::int64_t n_ties = 0;
};

// Number the nodes of all subtrees breadth first; subtree 0 holds the root. Ties are listed in
// the order of node numbers, or in the order in which nodes were searched.
inline SklearnTree sklearn_flatten(const std::vector<SklearnSubtree>& subtrees,
                                   std::size_t n_sums, bool in_search_order) {
    constexpr std::size_t max_ties = 1000;  // trace.TIES
    struct Place {
        std::uint32_t subtree, node;
        std::int32_t parent;
    };
    std::size_t n_nodes = 0;
    for (const SklearnSubtree& subtree : subtrees) {
        n_nodes += subtree.nodes.size();
    }
    SklearnTree out;
    out.parent.reserve(n_nodes);
    out.column.reserve(n_nodes);
    out.cut.reserve(n_nodes);
    out.gap.reserve(2 * n_nodes);
    out.gain.reserve(n_nodes);
    out.missing.reserve(n_nodes);
    out.total.reserve(n_nodes * n_sums);
    std::vector<Place> queue;
    queue.reserve(n_nodes);
    queue.push_back({0, 0, -1});
    std::vector<std::int32_t> number(in_search_order ? subtrees[0].nodes.size() : 0);
    const auto add_tie = [&](const SklearnSubtree& subtree, const SklearnSubtree::Node& node,
                             std::int32_t number_of_node) {
        out.tied_nodes.push_back(number_of_node);
        const auto tie = subtree.ties.begin() + node.tie_start;
        out.tie_columns.insert(out.tie_columns.end(), tie, tie + node.tie_count);
        out.tie_start.push_back(static_cast<std::int64_t>(out.tie_columns.size()));
    };
    for (std::size_t i = 0; i < queue.size(); ++i) {
        Place at = queue[i];
        const SklearnSubtree* subtree = &subtrees[at.subtree];
        const SklearnSubtree::Node* node = &subtree->nodes[at.node];
        if (node->link >= 0) {
            at.subtree = static_cast<std::uint32_t>(node->link);
            at.node = 0;
            subtree = &subtrees[at.subtree];
            node = subtree->nodes.data();
        }
        const auto number_of_node = static_cast<std::int32_t>(i);
        out.parent.push_back(at.parent);
        out.column.push_back(node->column);
        out.cut.push_back(node->cut);
        out.gap.insert(out.gap.end(), node->gap, node->gap + 2);
        out.gain.push_back(node->gain);
        out.missing.push_back(node->missing);
        const double* total = subtree->total.data() + at.node * n_sums;
        out.total.insert(out.total.end(), total, total + n_sums);
        if (in_search_order) {
            number[at.node] = number_of_node;
        } else if (node->tie_count > 0) {
            ++out.n_ties;
            if (out.tied_nodes.size() < max_ties) {
                add_tie(*subtree, *node, number_of_node);
            }
        }
        if (node->column >= 0) {
            queue.push_back({at.subtree, node->first_child, number_of_node});
            queue.push_back({at.subtree, node->first_child + 1, number_of_node});
        }
    }
    if (in_search_order) {
        const SklearnSubtree& subtree = subtrees[0];
        out.n_ties = static_cast<std::int64_t>(subtree.tied_nodes_in_order.size());
        for (std::size_t i = 0; i < subtree.tied_nodes_in_order.size() && i < max_ties; ++i) {
            const SklearnSubtree::Node& node = subtree.nodes[subtree.tied_nodes_in_order[i]];
            if (node.column >= 0) {  // best first: only of nodes that were split
                add_tie(subtree, node, number[subtree.tied_nodes_in_order[i]]);
            }
        }
    }
    return out;
}

}  // namespace penjing
