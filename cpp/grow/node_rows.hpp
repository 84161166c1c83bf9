// The rows of a node in the order of the table, with their weights, and how they are
// partitioned (engines/memory.py, _divide).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "grow/criterion.hpp"
#include "grow/request.hpp"

namespace penjing {

struct NodeRows {
    std::vector<std::uint32_t> ids;
    std::vector<double> weight;  // empty: one each
    bool is_weighted = false;    // also where there are no rows

    [[nodiscard]] double weight_at(std::size_t i) const {
        return weight.empty() ? 1.0 : weight[i];
    }
};

struct RowsView {
    const std::uint32_t* ids;
    const double* weight;  // null: one each
    std::size_t n;

    [[nodiscard]] double weight_of(std::size_t i) const {
        return weight == nullptr ? 1.0 : weight[i];
    }
};

inline RowsView view_of(const NodeRows& rows) {
    return {rows.ids.data(), rows.weight.empty() ? nullptr : rows.weight.data(),
            rows.ids.size()};
}

inline NodeRows all_rows(const GrowRequest& request) {
    NodeRows rows;
    rows.ids.resize(request.n_rows);
    std::iota(rows.ids.begin(), rows.ids.end(), 0U);
    if (request.weight != nullptr) {
        rows.weight.assign(request.weight, request.weight + request.n_rows);
    }
    return rows;
}

// An open node of the kernels that keep such rows.
struct OpenRows {
    std::uint32_t node = 0;
    std::int64_t depth = 0;
    NodeRows rows;
    LimitsPointer limits = nullptr;

    [[nodiscard]] std::size_t n_rows() const { return rows.ids.size(); }
};

// Partition rows by branch(row), which is -1 for a missing value. Such a row goes to every
// branch with a share of its weight if `fraction`, and to none otherwise. The rows of branches
// that are not wanted are left out.
template <class Branch, class IsWanted>
std::vector<NodeRows> partition_rows(const NodeRows& rows, std::size_t n_parts, bool fraction,
                                     const Branch& branch, const IsWanted& is_wanted) {
    const std::size_t n = rows.ids.size();
    std::vector<std::int32_t> branches(n);
    std::vector<double> shares(n_parts, 0.0);
    std::vector<std::size_t> sizes(n_parts, 0);
    std::size_t n_missing = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t b = branches[i] = branch(rows.ids[i]);
        if (b < 0) {
            ++n_missing;
        } else {
            ++sizes[static_cast<std::size_t>(b)];
            shares[static_cast<std::size_t>(b)] += rows.weight_at(i);
        }
    }
    const bool shared = n_missing > 0 && fraction;
    const bool weighted = shared || !rows.weight.empty();
    const double sum = pairwise_sum(shares.data(), n_parts);
    std::vector<NodeRows> parts(n_parts);
    std::vector<std::uint8_t> wanted(n_parts);
    for (std::size_t b = 0; b < n_parts; ++b) {  // their sizes are exact
        shares[b] = shares[b] / sum;
        wanted[b] = is_wanted(b) ? 1 : 0;
        if (wanted[b] != 0) {
            const std::size_t size = sizes[b] + (shared && shares[b] > 0 ? n_missing : 0U);
            parts[b].ids.resize(size);
            parts[b].weight.resize(weighted ? size : 0);
        }
    }
    std::vector<std::size_t> next(n_parts, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const auto put = [&](std::size_t to, double weight) {
            const std::size_t at = next[to]++;
            parts[to].ids[at] = rows.ids[i];
            if (weighted) {
                parts[to].weight[at] = weight;
            }
        };
        if (branches[i] >= 0) {
            const auto to = static_cast<std::size_t>(branches[i]);
            if (wanted[to] != 0) {
                put(to, rows.weight_at(i));
            }
            continue;
        }
        for (std::size_t to = 0; shared && to < n_parts; ++to) {
            if (wanted[to] != 0 && shares[to] > 0) {
                put(to, rows.weight_at(i) * shares[to]);
            }
        }
    }
    return parts;
}

// The branch of a row: by the last code of the first branch of an ordered column, or by the
// branch of each code; -1 for a missing value.
inline std::int32_t branch_of_code(const GrowColumn& column, std::uint32_t row,
                                   std::int32_t low,
                                   const std::vector<std::int32_t>& branch_of) {
    const std::int32_t code = column.codes[row];
    if (code < 0) {
        return -1;
    }
    return column.ordered ? (code > low ? 1 : 0) : branch_of[static_cast<std::size_t>(code)];
}

// Partition the rows of a node among its new children, call sum_rows(child, rows) for each, and
// open them so that the first one comes next.
template <class Branch, class SumRows>
void open_children(const OpenRows& open, std::uint32_t first, std::size_t n_parts,
                   bool fraction, const Branch& branch, const SumRows& sum_rows,
                   std::vector<OpenRows>& open_nodes) {
    std::vector<NodeRows> parts =
        partition_rows(open.rows, n_parts, fraction, branch, [](std::size_t) { return true; });
    for (std::size_t b = n_parts; b-- > 0;) {
        const auto child = first + static_cast<std::uint32_t>(b);
        sum_rows(child, parts[b]);
        open_nodes.push_back({child, open.depth + 1, std::move(parts[b]), nullptr});
    }
}

}  // namespace penjing
