// The split criterion of scikit-learn (dialects/sklearn/dialect.py): the same operations in the
// same order, so that both give the same bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "grow/criterion.hpp"

namespace penjing {

// Whether a threshold may lie between two values (dialects/sklearn/dialect.py, far_apart).
inline bool is_sklearn_gap(double low, double high, double gap, bool compare_as_float) {
    if (compare_as_float) {
        return static_cast<float>(high) > static_cast<float>(low) + static_cast<float>(gap);
    }
    return high > low + gap;
}

inline double sklearn_cut(double low, double high) {
    const double middle = low / 2.0 + high / 2.0;
    return middle == high ? low : middle;
}

class SklearnCriterion {
  public:
    SklearnCriterion(std::size_t n_sums, bool is_regression, bool is_entropy,
                     const double* class_weight)
        : s_(n_sums),
          is_regression_(is_regression),
          is_entropy_(is_entropy),
          class_weight_(class_weight),
          part_(n_sums) {}

    [[nodiscard]] double weight(const double* total) {
        return is_regression_ ? total[0] : pairwise_sum(weighted(total), s_);
    }

    [[nodiscard]] double impurity(const double* total) {
        if (is_regression_) {
            const double mean = total[1] / total[0];
            return total[2] / total[0] - mean * mean;
        }
        const double* part = weighted(total);
        double weight = 0;
        for (std::size_t k = 0; k < s_; ++k) {
            weight += part[k];
        }
        double result = 0;
        if (!is_entropy_) {
            for (std::size_t k = 0; k < s_; ++k) {
                result += part[k] * part[k];
            }
            return 1.0 - result / (weight * weight);
        }
        constexpr double ln2 = 0.69314718055994530942;
        for (std::size_t k = 0; k < s_; ++k) {
            const double p = part[k] / weight;
            if (p > 0) {
                result -= p * (std::log(p) / ln2);
            }
        }
        return result;
    }

    // What splits are compared by (proxy_impurity_improvement in sklearn/tree/_criterion.pyx).
    // NaN if the weight of a side is lost in the difference of sums: then it is no candidate.
    [[nodiscard]] double proxy_improvement(const double* left, const double* right) {
        if (is_regression_) {
            if (!(left[0] > 0 && right[0] > 0)) {
                return not_a_number;
            }
            return left[1] * left[1] / left[0] + right[1] * right[1] / right[0];
        }
        const double one = impurity(left);
        const double a = weight(left);
        const double other = impurity(right);
        const double b = weight(right);
        return -b * other - a * one;
    }

    // The decrease of the impurity of a node by a split.
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
        if (class_weight_ == nullptr) {
            return total;
        }
        for (std::size_t k = 0; k < s_; ++k) {
            part_[k] = total[k] * class_weight_[k];
        }
        return part_.data();
    }

    std::size_t s_;
    bool is_regression_;
    bool is_entropy_;
    const double* class_weight_;
    std::vector<double> part_;
};

}  // namespace penjing
