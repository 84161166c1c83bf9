// Divides the rows of a node among the branches of any split: thresholds, groups of categories,
// surrogates, a branch for missing values, fractions of rows (engines/memory.py, _split_rows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/criterion.hpp"
#include "grow/node_rows.hpp"

namespace penjing {

// One rule of a split: by threshold, or by a table with the branch of each code.
struct BranchRule {
    const std::int32_t* codes = nullptr;
    std::int32_t first_above = -1;         // the first code of branch 1; -1: by table
    const std::int32_t* branch = nullptr;  // of each code, -1 for none
    bool is_swapped = false;               // the lower values take branch 1

    [[nodiscard]] std::int32_t branch_of(std::uint32_t row) const {
        const std::int32_t code = codes[row];
        if (code < 0) {
            return -1;
        }
        if (branch != nullptr) {
            return branch[code];
        }
        return (code >= first_above) != is_swapped ? 1 : 0;
    }
};

struct Routing {
    std::vector<BranchRule> rules;     // the split, then its surrogates in order
    std::int32_t missing_branch = -1;  // of rows that no rule routes
    bool known_stay = true;            // a known value without a branch stays at the node
    bool fraction = false;             // missing values take every branch in part
    std::vector<double> shares;        // the parts; empty: by the weight of the rows
    std::size_t n_branches = 2;
};

inline std::int32_t branch_of(const Routing& routing, std::uint32_t row) {
    std::int32_t branch = routing.rules[0].branch_of(row);
    if (branch >= 0 || (routing.known_stay && routing.rules[0].codes[row] >= 0)) {
        return branch;
    }
    for (std::size_t i = 1; i < routing.rules.size() && branch < 0; ++i) {
        branch = routing.rules[i].branch_of(row);
    }
    return branch < 0 ? routing.missing_branch : branch;
}

// The share of each branch among rows whose value is known, as NumPy rounds it.
inline std::vector<double> branch_shares(const RowsView& rows,
                                         const std::vector<std::int32_t>& branches,
                                         std::size_t n_branches) {
    std::vector<double> known(n_branches, 0.0);
    for (std::size_t i = 0; i < rows.n; ++i) {
        if (branches[i] >= 0) {
            known[static_cast<std::size_t>(branches[i])] += rows.weight_of(i);
        }
    }
    const double total = pairwise_sum(known.data(), n_branches);
    if (total > 0) {
        for (double& weight : known) {
            weight /= total;
        }
    }
    return known;
}

inline std::vector<NodeRows> route_rows(const RowsView& rows, const Routing& routing) {
    std::vector<std::int32_t> branches(rows.n);
    std::vector<std::size_t> size(routing.n_branches, 0);
    std::size_t n_split = 0;  // rows that take every branch in part
    for (std::size_t i = 0; i < rows.n; ++i) {
        branches[i] = branch_of(routing, rows.ids[i]);
        if (branches[i] >= 0) {
            ++size[static_cast<std::size_t>(branches[i])];
        } else if (routing.fraction && routing.rules[0].codes[rows.ids[i]] < 0) {
            ++n_split;
        }
    }
    const std::vector<double> shares = n_split == 0 ? std::vector<double>{}
                                       : routing.shares.empty()
                                           ? branch_shares(rows, branches, routing.n_branches)
                                           : routing.shares;
    const bool has_weight = rows.weight != nullptr || n_split > 0;
    std::vector<NodeRows> parts(routing.n_branches);
    for (std::size_t b = 0; b < routing.n_branches; ++b) {
        const bool takes_parts = n_split > 0 && shares[b] > 0;
        const std::size_t n = size[b] + (takes_parts ? n_split : 0);
        parts[b].ids.reserve(n);
        parts[b].weight.reserve(has_weight ? n : 0);
        parts[b].is_weighted = has_weight;
    }
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::uint32_t row = rows.ids[i];
        const auto put = [&](std::size_t b, double weight) {
            parts[b].ids.push_back(row);
            if (has_weight) {
                parts[b].weight.push_back(weight);
            }
        };
        if (branches[i] >= 0) {
            put(static_cast<std::size_t>(branches[i]), rows.weight_of(i));
        } else if (n_split > 0 && routing.rules[0].codes[row] < 0) {
            for (std::size_t b = 0; b < routing.n_branches; ++b) {
                if (shares[b] > 0) {
                    put(b, rows.weight_of(i) * shares[b]);
                }
            }
        }
    }
    return parts;
}

}  // namespace penjing
