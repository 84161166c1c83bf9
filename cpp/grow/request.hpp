// What is to be grown: the columns, the target and the settings that a growing kernel is given.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace penjing {

enum class Measure : std::uint8_t { gini, entropy, ratio, variance };

// One column a tree may ask about: codes 0 … n_levels - 1, -1 missing; or the numbers of a
// column that nobody has coded yet, NaN missing.
struct GrowColumn {
    const std::int32_t* codes = nullptr;
    const double* numbers = nullptr;
    std::size_t stride = 1;          // of numbers
    const double* levels = nullptr;  // the number of each code; null if not numeric
    std::int32_t n_levels = 0;
    bool ordered = false;
};

// How far a growth is; every worker adds to it, the one that asked reads it.
struct Pace {
    std::atomic<std::uint64_t> row_levels{0};  // rows looked at, once a level
    std::atomic<std::uint64_t> placed{0};      // rows that have arrived in a leaf
    std::atomic<std::uint64_t> leaves{0};
};

struct Order {  // "grow me this"
    std::vector<GrowColumn> columns;
    std::size_t n_rows = 0;
    const std::int32_t* target = nullptr;  // code of the class; null for numbers
    const double* y = nullptr;             // the number; null for classes
    const double* weight = nullptr;        // null: one each
    double centre = 0;
    std::size_t n_sums = 0;  // S: classes, or 3 moments
    Measure measure = Measure::gini;
    bool multiway = true;
    bool fraction = false;
    bool whole = false;           // nothing may be missing
    std::int64_t max_depth = -1;  // -1: no limit
    double min_weight = 0;
    double min_branch = 0;
    double min_gain = 0;
    int threads = 1;
    Pace* pace = nullptr;      // null: nobody wants to know
    std::size_t small = 1000;  // nodes of up to so many rows keep sorted lists

    [[nodiscard]] bool is_ratio() const { return measure == Measure::ratio; }
    [[nodiscard]] double raw(std::size_t row) const { return y[row] + 0.0; }  // never -0.0
    [[nodiscard]] double number(std::size_t row) const { return raw(row) - centre; }
    void look(std::size_t rows) const {  // at a node
        if (pace != nullptr) {
            pace->row_levels.fetch_add(rows, std::memory_order_relaxed);
        }
    }
    void place(std::size_t rows) const {  // in a leaf
        if (pace != nullptr) {
            pace->placed.fetch_add(rows, std::memory_order_relaxed);
            pace->leaves.fetch_add(1, std::memory_order_relaxed);
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
        return low;  // an ordered level: its position
    }
    return midpoint(column.levels[low], column.levels[high]);
}

}  // namespace penjing
