// The nodes that growing kernels return, and their breadth-first numbering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

// The nodes that one thread has grown, in any order; the children of a node are adjacent.
struct Subtree {
    struct Node {
        double cut = not_a_number;
        double low = not_a_number;  // the closest values on both sides of the cut
        double high = not_a_number;
        std::int32_t column = -1;
        std::uint32_t first_child = 0;
        std::uint32_t n_children = 0;
        std::uint32_t level_start = 0;  // categories that lead into the node
        std::uint32_t level_count = 0;
        std::int32_t link = -1;       // index of the Subtree that continues it
        std::uint32_t tie_start = 0;  // columns that scored the same
        std::uint32_t tie_count = 0;
    };
    std::vector<Node> nodes;
    std::vector<double> total;          // n_sums per node
    std::vector<std::uint32_t> counts;  // the same, if every row has weight one
    std::vector<double>
        after;  // n_sums per node: the rows that the parent's split sent here by value
    std::vector<double> known;    // n_sums per node: rows with a value in the split's column
    std::vector<double> missing;  // n_sums per node: rows without
    std::vector<std::int32_t> levels;
    std::vector<std::int32_t> ties;

    // Record the columns with equal scores, if there is more than one.
    void set_ties(std::uint32_t node, const std::vector<std::int32_t>& columns) {
        if (columns.size() > 1) {
            nodes[node].tie_start = static_cast<std::uint32_t>(ties.size());
            nodes[node].tie_count = static_cast<std::uint32_t>(columns.size());
            ties.insert(ties.end(), columns.begin(), columns.end());
        }
    }
};

// Append n nodes, with room for n_sums sums each.
inline void add_nodes(Subtree& subtree, std::size_t n, std::size_t n_sums) {
    subtree.nodes.resize(subtree.nodes.size() + n);
    const std::size_t size = subtree.nodes.size() * n_sums;
    for (std::vector<double>* sums :
         {&subtree.total, &subtree.after, &subtree.known, &subtree.missing}) {
        if (sums->capacity() < size) {
            sums->reserve(2 * size);
        }
        sums->resize(size);
    }
}

// A tree with nodes in breadth-first order.
struct GrownTree {
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> column;
    std::vector<double> cut;
    std::vector<double> gap;  // two per node
    std::vector<std::int64_t> level_start{0};
    std::vector<std::int32_t> level_codes;
    std::vector<double> total;
    std::vector<double> after;
    std::vector<double> known;
    std::vector<double> missing;
    std::vector<std::int32_t> tied_nodes;
    std::vector<std::int64_t> tie_start{0};
    std::vector<std::int32_t> tie_columns;
    std::int64_t n_ties = 0;
};

// Number the nodes of all subtrees breadth first; subtree 0 holds the root. Memory is freed as
// soon as it has been copied, so that a large tree is not held twice.
inline GrownTree flatten(std::vector<Subtree> subtrees, std::size_t n_sums, bool has_known) {
    constexpr std::size_t max_ties = 1000;  // trace.TIES
    struct NodeRef {
        std::uint32_t subtree, node;
    };
    std::size_t n_nodes = 0;
    std::size_t n_levels = 0;
    for (const Subtree& subtree : subtrees) {
        n_nodes += subtree.nodes.size();
        n_levels += subtree.levels.size();
    }
    GrownTree out;
    std::vector<NodeRef>
        parent_refs;  // categories and `after` come from the subtree of the parent …
    std::vector<NodeRef> node_refs;  // … the rest from the subtree that continues the node
    parent_refs.reserve(n_nodes);
    node_refs.reserve(has_known ? n_nodes : 0);
    out.parent.reserve(n_nodes);
    out.column.reserve(n_nodes);
    out.cut.reserve(n_nodes);
    out.gap.reserve(2 * n_nodes);
    out.level_start.reserve(n_nodes + 1);
    out.level_codes.reserve(n_levels);
    parent_refs.push_back({0, 0});
    out.parent.push_back(-1);
    for (std::size_t i = 0; i < parent_refs.size(); ++i) {
        NodeRef at = parent_refs[i];
        const Subtree* subtree = &subtrees[at.subtree];
        const Subtree::Node* node = &subtree->nodes[at.node];
        const auto level = subtree->levels.begin() + node->level_start;
        out.level_codes.insert(out.level_codes.end(), level, level + node->level_count);
        out.level_start.push_back(static_cast<std::int64_t>(out.level_codes.size()));
        if (node->link >= 0) {
            at = {static_cast<std::uint32_t>(node->link), 0};
            subtree = &subtrees[at.subtree];
            node = subtree->nodes.data();
        }
        if (has_known) {
            node_refs.push_back(at);
        } else {
            parent_refs[i] = at;
        }
        out.column.push_back(node->column);
        out.cut.push_back(node->cut);
        out.gap.push_back(node->low);
        out.gap.push_back(node->high);
        if (node->tie_count > 0 && node->n_children > 0) {  // only of nodes that were split
            ++out.n_ties;
            if (out.tied_nodes.size() < max_ties) {
                out.tied_nodes.push_back(static_cast<std::int32_t>(i));
                const auto tie = subtree->ties.begin() + node->tie_start;
                out.tie_columns.insert(out.tie_columns.end(), tie, tie + node->tie_count);
                out.tie_start.push_back(static_cast<std::int64_t>(out.tie_columns.size()));
            }
        }
        for (std::uint32_t child = 0; child < node->n_children; ++child) {
            parent_refs.push_back({at.subtree, node->first_child + child});
            out.parent.push_back(static_cast<std::int32_t>(i));
        }
    }
    for (Subtree& subtree : subtrees) {
        std::vector<Subtree::Node>().swap(subtree.nodes);
    }
    const auto copy = [&](std::vector<double>& to, auto Subtree::* from,
                          const std::vector<NodeRef>& refs) {
        to.reserve(refs.size() * n_sums);
        for (const NodeRef at : refs) {
            const auto* start = (subtrees[at.subtree].*from).data() + at.node * n_sums;
            to.insert(to.end(), start, start + n_sums);
        }
        for (Subtree& subtree : subtrees) {
            std::decay_t<decltype(subtree.*from)>().swap(subtree.*from);
        }
    };
    if (has_known) {
        copy(out.after, &Subtree::after, parent_refs);
    } else {
        std::swap(parent_refs, node_refs);
    }
    std::vector<NodeRef>().swap(parent_refs);
    if (subtrees[0].counts.empty()) {
        copy(out.total, &Subtree::total, node_refs);
    } else {
        copy(out.total, &Subtree::counts, node_refs);
    }
    if (has_known) {
        copy(out.known, &Subtree::known, node_refs);
        copy(out.missing, &Subtree::missing, node_refs);
    }
    return out;
}

}  // namespace penjing
