// Sums over the rows of a node: of all of them, and by the codes of a column (tree/counts.py).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grow/code_counts.hpp"
#include "grow/node_rows.hpp"

namespace penjing {

struct TargetView {
    const std::int32_t* classes = nullptr;  // null for numbers
    const double* numbers = nullptr;        // less their centre
    std::size_t n_sums = 0;

    void add(double* cell, std::uint32_t row, double weight) const {
        if (classes != nullptr) {
            cell[classes[row]] += weight;
            return;
        }
        const double wy = weight * numbers[row];
        cell[0] += weight;
        cell[1] += wy;
        cell[2] += wy * numbers[row];
    }
};

struct NodeCounts : CodeCounts {
    std::vector<double> rows;  // as cells, rows of positive weight as one; no weights: empty
};

inline std::vector<double> node_sums(const TargetView& target, const RowsView& rows) {
    std::vector<double> sums(target.n_sums, 0.0);
    for (std::size_t i = 0; i < rows.n; ++i) {
        target.add(sums.data(), rows.ids[i], rows.weight_of(i));
    }
    return sums;
}

inline bool is_one_value(const std::int32_t* codes, const RowsView& rows) {
    return std::all_of(rows.ids, rows.ids + rows.n,
                       [&](std::uint32_t row) { return codes[row] == codes[rows.ids[0]]; });
}

inline NodeCounts count_column(const std::int32_t* codes, std::size_t n_levels,
                               const TargetView& target, const RowsView& rows) {
    NodeCounts counts;
    CodeCountsScratch scratch;
    const auto code_of = [&](std::size_t i) { return codes[rows.ids[i]]; };
    if (rows.weight != nullptr) {
        count_codes(
            rows.n, n_levels, target.n_sums, code_of,
            [&](double* cell, std::size_t i) {
                if (rows.weight[i] > 0) {
                    target.add(cell, rows.ids[i], 1.0);
                }
            },
            counts, scratch);
        counts.rows = std::move(counts.cells);
    }
    count_codes(
        rows.n, n_levels, target.n_sums, code_of,
        [&](double* cell, std::size_t i) { target.add(cell, rows.ids[i], rows.weight_of(i)); },
        counts, scratch);
    return counts;
}

// The same for rows in the order of their codes (with missing values first), equal ones in the
// order of the table.
inline void count_sorted(const std::int32_t* codes, const TargetView& target,
                         const RowsView& rows, NodeCounts& counts) {
    const std::size_t s = target.n_sums;
    counts.codes.clear();
    counts.cells.clear();
    counts.rows.clear();
    counts.missing.assign(s, 0.0);
    counts.n_missing = 0;
    std::size_t at = 0;
    for (; at < rows.n && codes[rows.ids[at]] < 0; ++at) {
        target.add(counts.missing.data(), rows.ids[at], rows.weight_of(at));
        counts.n_missing += 1;
    }
    std::int32_t last = -1;
    for (; at < rows.n; ++at) {
        const std::uint32_t row = rows.ids[at];
        const double weight = rows.weight_of(at);
        if (codes[row] != last) {
            last = codes[row];
            counts.codes.push_back(last);
            counts.cells.resize(counts.cells.size() + s, 0.0);
            counts.rows.resize(rows.weight == nullptr ? 0 : counts.cells.size(), 0.0);
        }
        target.add(counts.cells.data() + counts.cells.size() - s, row, weight);
        if (rows.weight != nullptr && weight > 0) {
            target.add(counts.rows.data() + counts.rows.size() - s, row, 1.0);
        }
    }
}

}  // namespace penjing
