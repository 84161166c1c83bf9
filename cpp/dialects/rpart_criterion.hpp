// How rpart's rules score a division (rules/rpart.py, Judge): the same sums in the same order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dialects/rpart_nodes.hpp"
#include "grow/criterion.hpp"

namespace penjing {

class RpJudge {
  public:
    explicit RpJudge(const RpOrder& order)
        : order_(order),
          one_(order.n_seen),
          other_(order.n_seen),
          spare_(order.n_sums),
          part_(order.n_sums) {}

    // What a node gets wrong as a leaf.
    [[nodiscard]] double loss(const double* total) {
        const std::size_t s = order_.n_sums;
        if (order_.y != nullptr) {
            const double about = total[0] > 0 ? total[1] * total[1] / total[0] : 0.0;
            return std::max(total[2] - about, 0.0);
        }
        if (order_.factor == nullptr) {
            return pairwise_sum(total, s) - *std::max_element(total, total + s);
        }
        std::fill(spare_.begin(), spare_.end(), 0.0);
        for (std::size_t k = 0; k < s; ++k) {
            for (std::size_t j = 0; j < s; ++j) {
                spare_[j] += total[k] * order_.loss[k * s + j] * order_.factor[k];
            }
        }
        return *std::min_element(spare_.begin(), spare_.end());
    }

    // The mean number, or the mean position of the class by its altered weight.
    [[nodiscard]] double mean(const double* total) {
        const std::size_t s = order_.n_sums;
        if (order_.y != nullptr) {
            return (total[0] > 0 ? total[1] / total[0] : 0.0) + order_.centre;
        }
        for (std::size_t k = 0; k < s; ++k) {
            part_[k] = order_.means == nullptr ? total[k] : total[k] * order_.means[k];
            spare_[k] = part_[k] * static_cast<double>(k);
        }
        return pairwise_sum(spare_.data(), s) / pairwise_sum(part_.data(), s);
    }

    // The impurity of both sides, each times its weight, class after class; weights below zero
    // are the sums of their parts.
    [[nodiscard]] double mixed(const double* left, const double* right, double w_left = -1,
                               double w_right = -1) {
        const std::size_t k = order_.n_seen;
        double sum_left = 0;
        double sum_right = 0;
        bool any_left = false;
        bool any_right = false;
        for (std::size_t j = 0; j < k; ++j) {
            const double a = order_.altered == nullptr ? 1.0 : order_.altered[j];
            one_[j] = left[j] * a;
            other_[j] = right[j] * a;
            sum_left += one_[j];
            sum_right += other_[j];
            any_left = any_left || one_[j] != 0;
            any_right = any_right || other_[j] != 0;
        }
        w_left = w_left < 0 ? sum_left : w_left;
        w_right = w_right < 0 ? sum_right : w_right;
        double found = 0;
        for (std::size_t j = 0; j < k; ++j) {
            found += any_left ? w_left * impure(one_[j] / w_left) : 0.0;
            found += any_right ? w_right * impure(other_[j] / w_right) : 0.0;
        }
        return found;
    }

  private:
    [[nodiscard]] double impure(double p) const {
        if (order_.by_bits) {
            return p > 0 ? -p * std::log(p) : 0.0;
        }
        return p * (1.0 - p);
    }

    const RpOrder& order_;
    std::vector<double> one_, other_, spare_, part_;
};

}  // namespace penjing
