// The nodes that growing kernels return, and their breadth-first numbering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

// Nodes grown by one worker, in any order; children of a node stand side by side.
struct Grove {
    struct Node {
        double cut = not_a_number;
        double low = not_a_number;  // the values of its rows on both sides of the cut
        double high = not_a_number;
        std::int32_t column = -1;
        std::uint32_t first_child = 0;
        std::uint32_t n_children = 0;
        std::uint32_t level_start = 0;  // levels that lead into the node
        std::uint32_t level_count = 0;
        std::int32_t link = -1;       // its subtree was grown in another grove
        std::uint32_t tie_start = 0;  // columns that scored the same
        std::uint32_t tie_count = 0;
    };
    std::vector<Node> nodes;
    std::vector<double> total;          // S a node
    std::vector<std::uint32_t> counts;  // the same, where rows count one each
    std::vector<double> after;          // S a node: of these, the rows whose value was known
    std::vector<double> known;    // S a node: the node's rows that are known in its column
    std::vector<double> missing;  // S a node: those that are not
    std::vector<std::int32_t> levels;
    std::vector<std::int32_t> ties;

    // Keep the columns that scored the same, if there is more than one.
    void set_ties(std::uint32_t node, const std::vector<std::int32_t>& columns) {
        if (columns.size() > 1) {
            nodes[node].tie_start = static_cast<std::uint32_t>(ties.size());
            nodes[node].tie_count = static_cast<std::uint32_t>(columns.size());
            ties.insert(ties.end(), columns.begin(), columns.end());
        }
    }
};

// The tree, numbered breadth first.
struct Grown {
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> column;
    std::vector<double> cut;
    std::vector<double> gap;  // two a node
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

// Number the nodes of all groves breadth first; grove 0 holds the root. What has been taken
// over is given back at once, so that a large tree is not there twice.
inline Grown flatten(std::vector<Grove> groves, std::size_t n_sums, bool has_known) {
    constexpr std::size_t most_ties = 1000;  // trace.TIES
    struct Place {
        std::uint32_t grove, node;
    };
    std::size_t n_nodes = 0;
    std::size_t n_levels = 0;
    for (const Grove& grove : groves) {
        n_nodes += grove.nodes.size();
        n_levels += grove.levels.size();
    }
    Grown out;
    std::vector<Place> entries;  // levels and `after` belong to where the parent was split …
    std::vector<Place> places;   // … the rest to where a node goes on
    entries.reserve(n_nodes);
    places.reserve(has_known ? n_nodes : 0);
    out.parent.reserve(n_nodes);
    out.column.reserve(n_nodes);
    out.cut.reserve(n_nodes);
    out.gap.reserve(2 * n_nodes);
    out.level_start.reserve(n_nodes + 1);
    out.level_codes.reserve(n_levels);
    entries.push_back({0, 0});
    out.parent.push_back(-1);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        Place at = entries[i];
        const Grove* grove = &groves[at.grove];
        const Grove::Node* node = &grove->nodes[at.node];
        const auto level = grove->levels.begin() + node->level_start;
        out.level_codes.insert(out.level_codes.end(), level, level + node->level_count);
        out.level_start.push_back(static_cast<std::int64_t>(out.level_codes.size()));
        if (node->link >= 0) {
            at = {static_cast<std::uint32_t>(node->link), 0};
            grove = &groves[at.grove];
            node = grove->nodes.data();
        }
        if (has_known) {
            places.push_back(at);
        } else {
            entries[i] = at;
        }
        out.column.push_back(node->column);
        out.cut.push_back(node->cut);
        out.gap.push_back(node->low);
        out.gap.push_back(node->high);
        if (node->tie_count > 0 && node->n_children > 0) {  // only of divisions that were made
            ++out.n_ties;
            if (out.tied_nodes.size() < most_ties) {
                out.tied_nodes.push_back(static_cast<std::int32_t>(i));
                const auto tie = grove->ties.begin() + node->tie_start;
                out.tie_columns.insert(out.tie_columns.end(), tie, tie + node->tie_count);
                out.tie_start.push_back(static_cast<std::int64_t>(out.tie_columns.size()));
            }
        }
        for (std::uint32_t child = 0; child < node->n_children; ++child) {
            entries.push_back({at.grove, node->first_child + child});
            out.parent.push_back(static_cast<std::int32_t>(i));
        }
    }
    for (Grove& grove : groves) {
        std::vector<Grove::Node>().swap(grove.nodes);
    }
    const auto copy = [&](std::vector<double>& to, auto Grove::* from,
                          const std::vector<Place>& at_places) {
        to.reserve(at_places.size() * n_sums);
        for (const Place at : at_places) {
            const auto* start = (groves[at.grove].*from).data() + at.node * n_sums;
            to.insert(to.end(), start, start + n_sums);
        }
        for (Grove& grove : groves) {
            std::decay_t<decltype(grove.*from)>().swap(grove.*from);
        }
    };
    if (has_known) {
        copy(out.after, &Grove::after, entries);
    } else {
        std::swap(entries, places);
    }
    std::vector<Place>().swap(entries);
    if (groves[0].counts.empty()) {
        copy(out.total, &Grove::total, places);
    } else {
        copy(out.total, &Grove::counts, places);
    }
    if (has_known) {
        copy(out.known, &Grove::known, places);
        copy(out.missing, &Grove::missing, places);
    }
    return out;
}

}  // namespace penjing
