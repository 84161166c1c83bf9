// Sums over the rows of a node: of all of them, and by the codes of a column (tree/counts.py).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/criterion.hpp"
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

// The sums of one column in one node (tree/counts.py, Counts).
struct NodeCounts {
    std::vector<std::int32_t> codes;  // that occur, ascending
    std::vector<double> cells;        // codes x S
    std::vector<double> missing;      // S
    std::vector<double> rows;  // as cells, rows of positive weight as one; no weights: empty
    double n_missing = 0;
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
    const std::size_t s = target.n_sums;
    NodeCounts counts;
    counts.missing.assign(s, 0.0);
    // The slot of each row: rows are added in their order, whatever the order of codes.
    std::vector<std::int32_t> slot(rows.n, -1);
    if (n_levels <= 2 * rows.n) {
        std::vector<std::int32_t> slot_of(n_levels, -1);
        for (std::size_t i = 0; i < rows.n; ++i) {
            if (const std::int32_t code = codes[rows.ids[i]]; code >= 0) {
                slot_of[static_cast<std::size_t>(code)] = 0;
            }
        }
        for (std::size_t level = 0; level < n_levels; ++level) {
            if (slot_of[level] == 0) {
                slot_of[level] = static_cast<std::int32_t>(counts.codes.size());
                counts.codes.push_back(static_cast<std::int32_t>(level));
            }
        }
        for (std::size_t i = 0; i < rows.n; ++i) {
            const std::int32_t code = codes[rows.ids[i]];
            slot[i] = code < 0 ? -1 : slot_of[static_cast<std::size_t>(code)];
        }
    } else {  // few rows, many levels
        std::vector<std::uint64_t> keys;
        for (std::size_t i = 0; i < rows.n; ++i) {
            if (const std::int32_t code = codes[rows.ids[i]]; code >= 0) {
                keys.push_back(static_cast<std::uint64_t>(code) << 32 | i);
            }
        }
        std::sort(keys.begin(), keys.end());
        for (const std::uint64_t key : keys) {
            const auto code = static_cast<std::int32_t>(key >> 32);
            if (counts.codes.empty() || counts.codes.back() != code) {
                counts.codes.push_back(code);
            }
            slot[key & 0xffffffffU] = static_cast<std::int32_t>(counts.codes.size()) - 1;
        }
    }
    counts.cells.assign(counts.codes.size() * s, 0.0);
    counts.rows.assign(rows.weight == nullptr ? 0 : counts.cells.size(), 0.0);
    for (std::size_t i = 0; i < rows.n; ++i) {
        const double weight = rows.weight_of(i);
        if (slot[i] < 0) {
            target.add(counts.missing.data(), rows.ids[i], weight);
            counts.n_missing += 1;
            continue;
        }
        const std::size_t at = static_cast<std::size_t>(slot[i]) * s;
        target.add(counts.cells.data() + at, rows.ids[i], weight);
        if (rows.weight != nullptr && weight > 0) {
            target.add(counts.rows.data() + at, rows.ids[i], 1.0);
        }
    }
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

// The sums of all cells, as NumPy adds rows of an array: a single column pairwise.
inline std::vector<double> sum_cells(const std::vector<double>& cells, std::size_t n_sums) {
    if (n_sums == 1) {
        return {pairwise_sum(cells.data(), cells.size())};
    }
    std::vector<double> sums(n_sums, 0.0);
    for (std::size_t at = 0; at < cells.size(); at += n_sums) {
        for (std::size_t k = 0; k < n_sums; ++k) {
            sums[k] += cells[at + k];
        }
    }
    return sums;
}

}  // namespace penjing
