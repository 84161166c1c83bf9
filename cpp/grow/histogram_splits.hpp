// The best division of a column from its counts alone, and what its units may still hide: asked
// for every node and column of a generation by whoever grows from counts that others made.
//
// Units are levels, or buckets of numbers in their order; `counts` holds k classes a unit,
// whole rows. What a division is worth is computed again by criteria/*.py once it is chosen.
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

class Judge {
  public:
    Judge(Measure measure, const double* counts, std::size_t n, std::size_t k)
        : scorer_(measure, k), counts_(counts), n_(n), k_(k), known_(k, 0.0), parts_(2 * k) {
        for (std::size_t u = 0; u < n; ++u) {
            for (std::size_t c = 0; c < k; ++c) {
                known_[c] += counts[u * k + c];
            }
        }
        whole_ = scorer_.impurity(known_.data());
        weight_ = scorer_.weight(known_.data());
    }

    [[nodiscard]] double slack() const { return tie_share * std::fabs(whole_); }

    // What each cut between two units is worth; NaN where a side has too few rows.
    std::vector<double> cuts(double min_branch) {
        std::vector<double> gain(n_ > 0 ? n_ - 1 : 0);
        std::vector<double> below(k_, 0.0);
        for (std::size_t u = 0; u + 1 < n_; ++u) {
            add(below, u);
            gain[u] = of_two(below, min_branch);
        }
        return gain;
    }

    // Which units may hold a cut that reaches the bar, or stand beside one that does. Units
    // that are `single` hold one number only.
    std::vector<std::uint8_t> open(const double* gain, const std::uint8_t* single, double bar) {
        std::vector<std::uint8_t> is_open(n_, 0);
        std::vector<double> below(k_, 0.0);
        for (std::size_t u = 0; u < n_; ++u) {
            if (single[u] == 0 && may_hide(below, u, bar)) {
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

    // The best grouping of the units in two: the side of each; empty where there is none
    // (choosing.candidates and choosing.first_best).
    std::vector<std::int8_t> grouped(double min_branch) {
        if (n_ < 2) {
            return {};
        }
        return k_ > 2 && n_ <= all_subsets ? by_subsets(min_branch) : by_order(min_branch);
    }

  private:
    static constexpr std::size_t few_classes = 4;  // up to so many, all corners are tried

    void add(std::vector<double>& sum, std::size_t u) const {
        for (std::size_t c = 0; c < k_; ++c) {
            sum[c] += counts_[u * k_ + c];
        }
    }

    double of_two(const std::vector<double>& left, double min_branch) {
        for (std::size_t c = 0; c < k_; ++c) {
            parts_[c] = left[c];
            parts_[k_ + c] = known_[c] - left[c];
        }
        const double least =
            std::min(scorer_.weight(parts_.data()), scorer_.weight(parts_.data() + k_));
        if (!(least >= min_branch && least > 0)) {
            return not_a_number;
        }
        return scorer_.gain(whole_, weight_, parts_.data(), 2);
    }

    // No cut inside a unit is worth more than the unit's classes as parts of their own; nor
    // than the best corner of what may be on its left: some classes wholly there, the others
    // not at all (engines/bound.py).
    bool may_hide(const std::vector<double>& below, std::size_t u, double bar) {
        const double* mine = counts_ + u * k_;
        if (!(scorer_.weight(mine) > 1)) {
            return false;
        }
        for (std::size_t c = 0; c < k_; ++c) {
            parts_[c] = below[c];
            parts_[k_ + c] = known_[c] - below[c] - mine[c];
        }
        if (!(scorer_.gain(whole_, weight_, parts_.data(), 2) >= bar)) {
            return false;
        }
        if (k_ > few_classes) {
            return true;
        }
        for (std::size_t corner = 0; corner < (std::size_t{1} << k_); ++corner) {
            for (std::size_t c = 0; c < k_; ++c) {
                const double left = below[c] + ((corner >> c & 1) != 0 ? mine[c] : 0.0);
                parts_[c] = left;
                parts_[k_ + c] = known_[c] - left;
            }
            if (scorer_.gain(whole_, weight_, parts_.data(), 2) >= bar) {
                return true;
            }
        }
        return false;
    }

    std::vector<std::int8_t> by_subsets(double min_branch) {
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
            gain[g] = of_two(left, min_branch);
        }
        const std::size_t best = first_best(gain, slack());
        std::vector<std::int8_t> side;
        for (std::size_t u = 0; best < gain.size() && u < n_; ++u) {
            side.push_back(((best + 1) >> u & 1) != 0 ? 0 : 1);
        }
        return side;
    }

    std::vector<std::int8_t> by_order(double min_branch) {
        const std::vector<std::uint32_t> order =
            k_ > 2 ? order_along(counts_, n_, k_) : by_share();
        std::vector<double> gain(n_ - 1);
        std::vector<double> left(k_, 0.0);
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            add(left, order[i]);
            gain[i] = of_two(left, min_branch);
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

    std::vector<std::uint32_t> by_share() {
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
    double whole_ = 0;
    double weight_ = 0;
};

}  // namespace penjing
