// The best split of one column in one node with its final scores (tree/split.py, BestSplits).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

struct ScoredSplit {
    double gain = not_a_number;  // NaN: no split
    double impurity = 0;
    double worth = not_a_number;
    double cut = not_a_number;
    std::int64_t n_candidates = 0;
    std::int32_t missing = 1;  // branch of missing values
    bool is_constant = false;
    std::uint32_t n_first = 0;         // of a categorical column: codes of the first branch
    std::vector<std::int32_t> groups;  // the codes of the first branch, then of the second
};

// The first of the largest scores. As in NumPy, a NaN is larger than any number.
class FirstLargest {
  public:
    void add(std::size_t candidate, double score) {
        if (!has_any_ || score > best || (std::isnan(score) && !std::isnan(best))) {
            has_any_ = true;
            best = score;
            at = candidate;
        }
    }

    double best = -std::numeric_limits<double>::infinity();
    std::size_t at = 0;

  private:
    bool has_any_ = false;
};

}  // namespace penjing
