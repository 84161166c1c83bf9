// The input of the growing kernels: columns, target and settings.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "grow/constraints.hpp"

namespace penjing {

enum class CriterionKind : std::uint8_t { gini, entropy, ratio, variance };

// One column: codes 0 … n_levels - 1 with -1 for missing, or the numbers of a column that is
// not encoded, with NaN for missing.
struct GrowColumn {
    const std::int32_t* codes = nullptr;
    const double* numbers = nullptr;
    std::size_t stride = 1;          // of numbers, in elements
    const double* levels = nullptr;  // the number of each code; null if not numeric
    std::int32_t n_levels = 0;
    bool ordered = false;
};

// Counters that every thread adds to and the calling thread reads.
struct Progress {
    std::atomic<std::uint64_t> rows_scanned{0};  // summed over the levels of the tree
    std::atomic<std::uint64_t> rows_in_leaves{0};
    std::atomic<std::uint64_t> n_leaves{0};
};

struct GrowRequest {
    std::vector<GrowColumn> columns;
    std::size_t n_rows = 0;
    const std::int32_t* target = nullptr;  // code of the class; null for numbers
    const double* y = nullptr;             // the number; null for classes
    const double* weight = nullptr;        // null: one each
    double centre = 0;
    std::size_t n_sums = 0;  // S: classes, or 3 moments
    CriterionKind criterion = CriterionKind::gini;
    bool multiway = true;
    bool fraction = false;
    bool whole = false;            // missing values are not allowed
    bool missing_branch = false;   // missing values have a branch of their own
    std::int64_t max_depth = -1;   // -1: no limit
    std::int64_t max_leaves = -1;  // -1: no limit; otherwise the best node is split first
    double min_weight = 0;
    double min_branch = 0;
    double min_gain = 0;
    int threads = 1;
    Progress* progress = nullptr;  // may be null
    std::size_t small = 1000;      // up to this many rows, a node keeps sorted lists
    Constraints constraints;

    [[nodiscard]] bool is_ratio() const { return criterion == CriterionKind::ratio; }
    [[nodiscard]] double raw(std::size_t row) const { return y[row] + 0.0; }  // never -0.0
    [[nodiscard]] double number(std::size_t row) const { return raw(row) - centre; }
    void report_scan(std::size_t rows) const {
        if (progress != nullptr) {
            progress->rows_scanned.fetch_add(rows, std::memory_order_relaxed);
        }
    }
    void report_leaf(std::size_t rows) const {
        if (progress != nullptr) {
            progress->rows_in_leaves.fetch_add(rows, std::memory_order_relaxed);
            progress->n_leaves.fetch_add(1, std::memory_order_relaxed);
        }
    }
};

inline constexpr double tie_share = 1e-12;  // criteria.TIE
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A number c with low <= c < high (split.midpoint).
inline double midpoint(double low, double high) {
    constexpr double large = 1e300;
    const double middle = std::fabs(low) > large || std::fabs(high) > large ? low / 2 + high / 2
                                                                            : (low + high) / 2;
    return low <= middle && middle < high ? middle : low;
}

inline double cut_between(const GrowColumn& column, std::int32_t low, std::int32_t high) {
    if (column.levels == nullptr) {
        return low;  // an ordinal category: its position
    }
    return midpoint(column.levels[low], column.levels[high]);
}

}  // namespace penjing
