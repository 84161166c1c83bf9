// The sums of the rows of a node by the codes of one column (tree/counts.py, Counts).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/criterion.hpp"
#include "grow/sort_codes.hpp"

namespace penjing {

struct CodeCounts {
    std::vector<std::int32_t> codes;  // that occur, ascending
    std::vector<double> cells;        // codes x S
    std::vector<double> missing;      // S
    std::vector<double> known;        // S: all cells together
    double n_missing = 0;             // rows without a value
};

struct CodeCountsScratch {
    std::vector<double> dense;
    std::vector<std::uint8_t> seen;
    std::vector<std::uint64_t> keys, spare;
};

// The sums of all cells, as NumPy adds rows of an array: a single column pairwise.
inline void sum_cells(const std::vector<double>& cells, std::size_t n_sums,
                      std::vector<double>& sums) {
    sums.assign(n_sums, 0.0);
    if (n_sums == 1) {
        sums[0] = pairwise_sum(cells.data(), cells.size());
        return;
    }
    for (std::size_t at = 0; at < cells.size(); at += n_sums) {
        for (std::size_t k = 0; k < n_sums; ++k) {
            sums[k] += cells[at + k];
        }
    }
}
inline std::vector<double> sum_cells(const std::vector<double>& cells, std::size_t n_sums) {
    std::vector<double> sums;
    sum_cells(cells, n_sums, sums);
    return sums;
}

// Count n rows: code_of(i) is the code of row i, -1 if its value is missing, and add(cell, i)
// adds the row to the sums of its code. Rows are added in their order. Few rows of a column
// with many levels are sorted, others counted in a table of all levels.
template <class CodeOf, class Add>
void count_codes(std::size_t n, std::size_t n_levels, std::size_t n_sums, const CodeOf& code_of,
                 const Add& add, CodeCounts& counts, CodeCountsScratch& scratch) {
    counts.codes.clear();
    counts.cells.clear();
    counts.missing.assign(n_sums, 0.0);
    counts.n_missing = 0;
    const bool is_dense = n_levels <= 2 * n;
    scratch.keys.clear();
    if (is_dense) {
        scratch.dense.assign(n_levels * n_sums, 0.0);
        scratch.seen.assign(n_levels, 0);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t code = code_of(i);
        const auto level = static_cast<std::size_t>(code);
        if (code < 0) {
            counts.n_missing += 1;
            add(counts.missing.data(), i);
        } else if (is_dense) {
            scratch.seen[level] = 1;
            add(scratch.dense.data() + level * n_sums, i);
        } else {
            scratch.keys.push_back(static_cast<std::uint64_t>(code) << 32 | i);
        }
    }
    if (is_dense) {
        for (std::size_t level = 0; level < n_levels; ++level) {
            if (scratch.seen[level] != 0) {
                counts.codes.push_back(static_cast<std::int32_t>(level));
                const double* cell = scratch.dense.data() + level * n_sums;
                counts.cells.insert(counts.cells.end(), cell, cell + n_sums);
            }
        }
    } else {
        sort_codes(scratch.keys, scratch.spare, n_levels);
        for (const std::uint64_t key : scratch.keys) {
            const auto code = static_cast<std::int32_t>(key >> 32);
            if (counts.codes.empty() || counts.codes.back() != code) {
                counts.codes.push_back(code);
                counts.cells.resize(counts.cells.size() + n_sums, 0.0);
            }
            add(counts.cells.data() + counts.cells.size() - n_sums, key & 0xffffffffU);
        }
    }
    sum_cells(counts.cells, n_sums, counts.known);
}

}  // namespace penjing
