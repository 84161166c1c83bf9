// The nodes of a tree in the pruned tree (prune/renumber.py): both are walked from the root,
// side by side, as long as their splits and rows are the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace penjing {

// The arrays of a tree; children of a node follow each other.
struct SplitArrays {
    std::size_t n_nodes = 0;
    std::size_t n_sums = 0;
    const std::int32_t* first_child = nullptr;
    const std::int32_t* n_children = nullptr;
    const std::int32_t* parent = nullptr;
    const std::int32_t* column = nullptr;
    const double* cut = nullptr;  // NaN for categories
    const double* total = nullptr;
    const std::int64_t* level_start = nullptr;
    const std::int32_t* level_codes = nullptr;

    [[nodiscard]] std::span<const std::int32_t> levels(std::size_t node) const {
        return {level_codes + level_start[node], level_codes + level_start[node + 1]};
    }
};

struct MappedNodes {
    std::vector<std::int32_t> now;      // the new number of each node, -1 if it is gone
    std::vector<std::int32_t> nearest;  // the new number, or that of the closest ancestor
    std::vector<std::int32_t> cut;      // new numbers of nodes that became leaves
    std::vector<std::int32_t> changed;  // new numbers of nodes with another split
};

inline bool have_same_split(const SplitArrays& before, std::size_t old,
                            const SplitArrays& after, std::size_t now) {
    if (before.column[old] != after.column[now] ||
        before.n_children[old] != after.n_children[now]) {
        return false;
    }
    const double* total = before.total + old * before.n_sums;
    if (!std::equal(total, total + before.n_sums, after.total + now * after.n_sums)) {
        return false;
    }
    const double cut = before.cut[old];
    const double new_cut = after.cut[now];
    if (!std::isnan(cut) || !std::isnan(new_cut)) {
        return cut == new_cut;
    }
    for (std::int32_t i = 0; i < before.n_children[old]; ++i) {
        const auto levels =
            before.levels(static_cast<std::size_t>(before.first_child[old] + i));
        const auto others = after.levels(static_cast<std::size_t>(after.first_child[now] + i));
        if (!std::ranges::equal(levels, others)) {
            return false;
        }
    }
    return true;
}

inline MappedNodes map_nodes(const SplitArrays& before, const SplitArrays& after) {
    MappedNodes result;
    result.now.assign(before.n_nodes, -1);
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, 0}};
    for (std::size_t at = 0; at < open.size(); ++at) {  // grows while it is read
        const auto [old, now] = open[at];
        result.now[old] = static_cast<std::int32_t>(now);
        if (after.n_children[now] == 0) {
            if (before.n_children[old] != 0) {
                result.cut.push_back(static_cast<std::int32_t>(now));
            }
            continue;
        }
        if (!have_same_split(before, old, after, now)) {
            result.changed.push_back(static_cast<std::int32_t>(now));
            continue;
        }
        for (std::int32_t i = 0; i < before.n_children[old]; ++i) {
            open.emplace_back(static_cast<std::size_t>(before.first_child[old] + i),
                              static_cast<std::size_t>(after.first_child[now] + i));
        }
    }
    result.nearest = result.now;
    for (std::size_t node = 1; node < before.n_nodes; ++node) {  // parents come first
        if (result.nearest[node] < 0) {
            result.nearest[node] =
                result.nearest[static_cast<std::size_t>(before.parent[node])];
        }
    }
    return result;
}

}  // namespace penjing
