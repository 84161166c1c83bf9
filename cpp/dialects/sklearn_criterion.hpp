// How scikit-learn's rules score a division (rules/sklearn.py, Judge): the same sums in the
// same order, so that both see the same bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "grow/criterion.hpp"

namespace penjing {

class SkJudge {
  public:
    SkJudge(std::size_t n_sums, bool is_number, bool by_bits, const double* factor)
        : s_(n_sums),
          is_number_(is_number),
          by_bits_(by_bits),
          factor_(factor),
          part_(n_sums) {}

    [[nodiscard]] double weight(const double* total) {
        return is_number_ ? total[0] : pairwise_sum(weighted(total), s_);
    }

    [[nodiscard]] double impurity(const double* total) {
        if (is_number_) {
            const double mean = total[1] / total[0];
            return total[2] / total[0] - mean * mean;
        }
        const double* part = weighted(total);
        double weight = 0;
        for (std::size_t k = 0; k < s_; ++k) {
            weight += part[k];
        }
        double found = 0;
        if (!by_bits_) {
            for (std::size_t k = 0; k < s_; ++k) {
                found += part[k] * part[k];
            }
            return 1.0 - found / (weight * weight);
        }
        constexpr double ln2 = 0.69314718055994530942;
        for (std::size_t k = 0; k < s_; ++k) {
            const double p = part[k] / weight;
            if (p > 0) {
                found -= p * (std::log(p) / ln2);
            }
        }
        return found;
    }

    // By what divisions are compared.
    [[nodiscard]] double worth(const double* left, const double* right) {
        if (is_number_) {
            return left[1] * left[1] / left[0] + right[1] * right[1] / right[0];
        }
        const double one = impurity(left);
        const double a = weight(left);
        const double other = impurity(right);
        const double b = weight(right);
        return -b * other - a * one;
    }

    // By how much a division lessens the impurity of its node.
    [[nodiscard]] double gain(const double* left, const double* right, double before,
                              double whole) {
        const double one = impurity(left);
        const double a = weight(left);
        const double other = impurity(right);
        const double b = weight(right);
        return before - b / whole * other - a / whole * one;
    }

  private:
    [[nodiscard]] const double* weighted(const double* total) {
        if (factor_ == nullptr) {
            return total;
        }
        for (std::size_t k = 0; k < s_; ++k) {
            part_[k] = total[k] * factor_[k];
        }
        return part_.data();
    }

    std::size_t s_;
    bool is_number_;
    bool by_bits_;
    const double* factor_;
    std::vector<double> part_;
};

}  // namespace penjing
