// The split criterion of rpart (dialects/rpart/dialect.py): the same operations in the same
// order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "dialects/rpart_request.hpp"
#include "grow/criterion.hpp"

namespace penjing {

// The threshold c for which value <= c means value < (low + high) / 2 (surrogates.just_below).
inline double rpart_cut(double low, double high) {
    return std::max(
        std::nextafter(midpoint(low, high), -std::numeric_limits<double>::infinity()), low);
}

class RpartCriterion {
  public:
    explicit RpartCriterion(const RpartRequest& request)
        : request_(request),
          left_(request.n_classes),
          right_(request.n_classes),
          spare_(request.n_sums),
          part_(request.n_sums) {}

    // The risk of a node as a leaf.
    [[nodiscard]] double loss(const double* total) {
        const std::size_t s = request_.n_sums;
        if (request_.y != nullptr) {
            const double about = total[0] > 0 ? total[1] * total[1] / total[0] : 0.0;
            return std::max(total[2] - about, 0.0);
        }
        if (request_.loss_factor == nullptr) {
            return pairwise_sum(total, s) - *std::max_element(total, total + s);
        }
        compute_risks(total);
        return *std::min_element(spare_.begin(), spare_.end());
    }

    // The prediction of a node as a leaf: its mean, or the class of the lowest risk.
    [[nodiscard]] double value(const double* total) {
        const std::size_t s = request_.n_sums;
        if (request_.y != nullptr) {
            return mean(total);
        }
        if (request_.loss_factor == nullptr) {
            return static_cast<double>(std::max_element(total, total + s) - total);
        }
        compute_risks(total);
        return static_cast<double>(std::min_element(spare_.begin(), spare_.end()) -
                                   spare_.begin());
    }

    // The mean number, or the mean class index by altered weight.
    [[nodiscard]] double mean(const double* total) {
        const std::size_t s = request_.n_sums;
        if (request_.y != nullptr) {
            return (total[0] > 0 ? total[1] / total[0] : 0.0) + request_.centre;
        }
        for (std::size_t k = 0; k < s; ++k) {
            part_[k] =
                request_.mean_factor == nullptr ? total[k] : total[k] * request_.mean_factor[k];
            spare_[k] = part_[k] * static_cast<double>(k);
        }
        return pairwise_sum(spare_.data(), s) / pairwise_sum(part_.data(), s);
    }

    // The sum of the impurities of both sides, each times its weight, class by class. A
    // negative weight argument stands for the sum of the classes.
    [[nodiscard]] double weighted_impurity(const double* left, const double* right,
                                           double w_left = -1, double w_right = -1) {
        const std::size_t k = request_.n_classes;
        double sum_left = 0;
        double sum_right = 0;
        bool any_left = false;
        bool any_right = false;
        for (std::size_t j = 0; j < k; ++j) {
            const double a = request_.prior_factor == nullptr ? 1.0 : request_.prior_factor[j];
            left_[j] = left[j] * a;
            right_[j] = right[j] * a;
            sum_left += left_[j];
            sum_right += right_[j];
            any_left = any_left || left_[j] != 0;
            any_right = any_right || right_[j] != 0;
        }
        w_left = w_left < 0 ? sum_left : w_left;
        w_right = w_right < 0 ? sum_right : w_right;
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) {
            sum += any_left ? w_left * class_impurity(left_[j] / w_left) : 0.0;
            sum += any_right ? w_right * class_impurity(right_[j] / w_right) : 0.0;
        }
        return sum;
    }

  private:
    // The cost of predicting each class.
    void compute_risks(const double* total) {
        const std::size_t s = request_.n_sums;
        std::fill(spare_.begin(), spare_.end(), 0.0);
        for (std::size_t k = 0; k < s; ++k) {
            for (std::size_t j = 0; j < s; ++j) {
                spare_[j] += total[k] * request_.loss[k * s + j] * request_.loss_factor[k];
            }
        }
    }

    [[nodiscard]] double class_impurity(double p) const {
        if (request_.is_entropy) {
            return p > 0 ? -p * std::log(p) : 0.0;
        }
        return p * (1.0 - p);
    }

    const RpartRequest& request_;
    std::vector<double> left_, right_, spare_, part_;
};

}  // namespace penjing
