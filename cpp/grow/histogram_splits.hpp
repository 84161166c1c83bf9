// The best split of a column from its histogram alone, and a bound on the cuts inside its bins.
// Engines that count elsewhere (on disk, in a database) call it for every node and column.
//
// A unit is a category, or a bucket of numbers in their order; `counts` holds the rows of k
// classes for each unit. criteria/*.py computes the gain of the chosen split again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "grow/category_order.hpp"
#include "grow/criterion.hpp"

namespace penjing {

class HistogramSplits {
  public:
    HistogramSplits(CriterionKind criterion, const double* counts, std::size_t n, std::size_t k)
        : scorer_(criterion, k), counts_(counts), n_(n), k_(k), known_(k, 0.0), parts_(2 * k) {
        for (std::size_t u = 0; u < n; ++u) {
            for (std::size_t c = 0; c < k; ++c) {
                known_[c] += counts[u * k + c];
            }
        }
        impurity_ = scorer_.impurity(known_.data());
        weight_ = scorer_.weight(known_.data());
    }

    [[nodiscard]] double slack() const { return tie_share * std::fabs(impurity_); }

    // The gain of each cut between two units; NaN if a side has too few rows.
    std::vector<double> cut_gains(double min_branch) {
        std::vector<double> gain(n_ > 0 ? n_ - 1 : 0);
        std::vector<double> below(k_, 0.0);
        for (std::size_t u = 0; u + 1 < n_; ++u) {
            add(below, u);
            gain[u] = gain_of_two(below, min_branch);
        }
        return gain;
    }

    // Which units may contain a cut whose gain reaches the bar, or are next to one. Units that
    // are `single` hold one distinct number.
    std::vector<std::uint8_t> open_units(const double* gain, const std::uint8_t* single,
                                         double bar) {
        std::vector<std::uint8_t> is_open(n_, 0);
        std::vector<double> below(k_, 0.0);
        for (std::size_t u = 0; u < n_; ++u) {
            if (single[u] == 0 && may_contain_cut(below, u, bar)) {
                is_open[u] = 1;
            }
            add(below, u);
        }
        for (std::size_t u = 0; u + 1 < n_; ++u) {
            if (gain[u] >= bar) {
                is_open[u] = single[u] == 0 ? 1 : 0;
                is_open[u + 1] = single[u + 1] == 0 ? 1 : 0;
            }
        }
        return is_open;
    }

    // The side of each unit in the best binary grouping; empty if there is none
    // (choosing.candidates and choosing.first_best).
    std::vector<std::int8_t> best_grouping(double min_branch) {
        if (n_ < 2) {
            return {};
        }
        return k_ > 2 && n_ <= max_exhaustive_categories ? group_by_subsets(min_branch)
                                                         : group_by_order(min_branch);
    }

  private:
    static constexpr std::size_t max_corner_classes =
        4;  // up to so many, all corners are tried

    void add(std::vector<double>& sum, std::size_t u) const {
        for (std::size_t c = 0; c < k_; ++c) {
            sum[c] += counts_[u * k_ + c];
        }
    }

    double gain_of_two(const std::vector<double>& left, double min_branch) {
        for (std::size_t c = 0; c < k_; ++c) {
            parts_[c] = left[c];
            parts_[k_ + c] = known_[c] - left[c];
        }
        const double least =
            std::min(scorer_.weight(parts_.data()), scorer_.weight(parts_.data() + k_));
        if (!(least >= min_branch && least > 0)) {
            return not_a_number;
        }
        return scorer_.gain(impurity_, weight_, parts_.data(), 2);
    }

    // The gain of a cut inside a unit is at most that of the multiway split whose parts are
    // left, right and the unit's classes one by one; and at most that of the best corner, where
    // each class of the unit is on one side (engines/out_of_core/bucket_bound.py).
    bool may_contain_cut(const std::vector<double>& below, std::size_t u, double bar) {
        const double* unit = counts_ + u * k_;
        if (!(scorer_.weight(unit) > 1)) {
            return false;
        }
        for (std::size_t c = 0; c < k_; ++c) {
            parts_[c] = below[c];
            parts_[k_ + c] = known_[c] - below[c] - unit[c];
        }
        if (!(scorer_.gain(impurity_, weight_, parts_.data(), 2) >= bar)) {
            return false;
        }
        if (k_ > max_corner_classes) {
            return true;
        }
        for (std::size_t corner = 0; corner < (std::size_t{1} << k_); ++corner) {
            for (std::size_t c = 0; c < k_; ++c) {
                const double left = below[c] + ((corner >> c & 1) != 0 ? unit[c] : 0.0);
                parts_[c] = left;
                parts_[k_ + c] = known_[c] - left;
            }
            if (scorer_.gain(impurity_, weight_, parts_.data(), 2) >= bar) {
                return true;
            }
        }
        return false;
    }

    std::vector<std::int8_t> group_by_subsets(double min_branch) {
        const std::size_t n_groupings = (std::size_t{1} << (n_ - 1)) - 1;
        std::vector<double> gain(n_groupings);
        std::vector<double> left(k_);
        for (std::size_t g = 0; g < n_groupings; ++g) {
            std::fill(left.begin(), left.end(), 0.0);
            for (std::size_t u = 0; u < n_; ++u) {
                if (((g + 1) >> u & 1) != 0) {
                    add(left, u);
                }
            }
            gain[g] = gain_of_two(left, min_branch);
        }
        const std::size_t best = first_best(gain, slack());
        std::vector<std::int8_t> side;
        for (std::size_t u = 0; best < gain.size() && u < n_; ++u) {
            side.push_back(((best + 1) >> u & 1) != 0 ? 0 : 1);
        }
        return side;
    }

    std::vector<std::int8_t> group_by_order(double min_branch) {
        const std::vector<std::uint32_t> order =
            k_ > 2 ? principal_order(counts_, n_, k_) : order_by_share();
        std::vector<double> gain(n_ - 1);
        std::vector<double> left(k_, 0.0);
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            add(left, order[i]);
            gain[i] = gain_of_two(left, min_branch);
        }
        const std::size_t best = first_best(gain, slack());
        if (best == gain.size()) {
            return {};
        }
        std::vector<std::int8_t> side(n_, 1);
        for (std::size_t i = 0; i <= best; ++i) {
            side[order[i]] = 0;
        }
        return side;
    }

    std::vector<std::uint32_t> order_by_share() {
        std::vector<double> share(n_);
        std::vector<std::uint32_t> order(n_);
        std::iota(order.begin(), order.end(), 0U);
        for (std::size_t u = 0; u < n_; ++u) {
            share[u] = counts_[u * k_] / scorer_.weight(counts_ + u * k_);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return share[a] < share[b]; });
        return order;
    }

    Scorer scorer_;
    const double* counts_;
    std::size_t n_;
    std::size_t k_;
    std::vector<double> known_;
    std::vector<double> parts_;
    double impurity_ = 0;
    double weight_ = 0;
};

}  // namespace penjing
