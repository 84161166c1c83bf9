// The sums of the rows of a node by the codes of one column (tree/counts.py, Counts).
#pragma once

#include <algorithm>
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

// The sums of every level in a table; the levels that occur move to its beginning.
template <class CodeOf, class Add>
void count_in_table(std::size_t n, std::size_t n_levels, std::size_t n_sums,
                    const CodeOf& code_of, const Add& add, CodeCounts& counts,
                    CodeCountsScratch& scratch) {
    scratch.dense.assign(n_levels * n_sums, 0.0);
    scratch.seen.assign(n_levels, 0);
    double* const table = scratch.dense.data();
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t code = code_of(i);
        if (code < 0) {
            counts.n_missing += 1;
            add(counts.missing.data(), i);
        } else {
            const auto level = static_cast<std::size_t>(code);
            scratch.seen[level] = 1;
            add(table + level * n_sums, i);
        }
    }
    counts.codes.resize(n_levels);
    std::size_t n_codes = 0;
    for (std::size_t level = 0; level < n_levels; ++level) {
        if (scratch.seen[level] == 0) {
            continue;
        }
        if (n_codes != level) {
            std::copy_n(table + level * n_sums, n_sums, table + n_codes * n_sums);
        }
        counts.codes[n_codes++] = static_cast<std::int32_t>(level);
    }
    counts.codes.resize(n_codes);
    scratch.dense.resize(n_codes * n_sums);
    counts.cells.swap(scratch.dense);
}

// The sums of the levels that occur, by sorting the rows.
template <class CodeOf, class Add>
void count_sorted(std::size_t n, std::size_t n_levels, std::size_t n_sums,
                  const CodeOf& code_of, const Add& add, CodeCounts& counts,
                  CodeCountsScratch& scratch) {
    scratch.keys.resize(n);
    std::size_t n_known = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t code = code_of(i);
        if (code < 0) {
            counts.n_missing += 1;
            add(counts.missing.data(), i);
        } else {
            scratch.keys[n_known++] = static_cast<std::uint64_t>(code) << 32 | i;
        }
    }
    scratch.keys.resize(n_known);
    sort_codes(scratch.keys, scratch.spare, n_levels);
    counts.codes.resize(n_known);
    counts.cells.assign(n_known * n_sums, 0.0);
    std::size_t n_codes = 0;
    std::int32_t last = -1;
    for (const std::uint64_t key : scratch.keys) {
        const auto code = static_cast<std::int32_t>(key >> 32);
        if (code != last) {
            counts.codes[n_codes++] = last = code;
        }
        add(counts.cells.data() + (n_codes - 1) * n_sums, key & 0xffffffffU);
    }
    counts.codes.resize(n_codes);
    counts.cells.resize(n_codes * n_sums);
}

// Count n rows: code_of(i) is the code of row i, -1 if its value is missing, and add(cell, i)
// adds the row to the sums of its code. Rows are added in their order. Few rows of a column
// with many levels are sorted, others counted in a table of all levels.
template <class CodeOf, class Add>
void count_codes(std::size_t n, std::size_t n_levels, std::size_t n_sums, const CodeOf& code_of,
                 const Add& add, CodeCounts& counts, CodeCountsScratch& scratch) {
    counts.missing.assign(n_sums, 0.0);
    counts.n_missing = 0;
    if (n_levels <= 2 * n) {
        count_in_table(n, n_levels, n_sums, code_of, add, counts, scratch);
    } else {
        count_sorted(n, n_levels, n_sums, code_of, add, counts, scratch);
    }
    sum_cells(counts.cells, n_sums, counts.known);
}

}  // namespace penjing
