// Scores the cuts of one ordered column with the operations of the reference implementation
// (search.candidates): rows are summed per value in row order, and values from the smallest up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/criterion.hpp"
#include "grow/criterion_fixed_point.hpp"
#include "grow/request.hpp"

namespace penjing {

// Tolerances and limits for the splits of one node.
struct NodeLimits {
    std::size_t n = 0;     // rows
    double weight = 0;     // of all rows
    double margin = 0;     // improvements that differ by more differ in exact scoring too
    double tolerance = 0;  // of weights
    double least = 0;      // weight of a branch

    // Whether a branch of this weight is allowed for certain; and whether it may be.
    [[nodiscard]] bool is_heavy(double weight_of) const {
        return weight_of > 0 && weight_of >= least + tolerance;
    }
    [[nodiscard]] bool may_be_heavy(double weight_of) const {
        return weight_of >= least - tolerance;
    }
};

// The best cut of one column in one node.
struct Cut {
    Candidate candidate;
    std::vector<double> known, missing;  // S
    std::vector<double> after;           // 2 S
    std::uint32_t at = 0;                // rows on the left, in order of value
};

struct ExactScratch {  // of one thread
    std::vector<double> below, cell, sums, gains, right;
    std::vector<std::uint32_t> at;
};

template <ImpurityKind kind>
class ExactScorer {
  public:
    static constexpr bool is_regression = kind == ImpurityKind::variance;

    ExactScorer(const GrowRequest& request, Scorer& scorer, ExactScratch& space)
        : request_(request), scorer_(scorer), space_(space), s_(request.n_sums) {}

    // `differs(i)` says whether the i-th row has another value than the row before; `add(i,
    // cell)` adds the row to a cell; `cut.missing` must be set. Cuts whose improvement is below
    // `best` by more than the margin are skipped.
    template <class Criterion, class Differs, class Add>
    void best_cut(std::size_t n, const Differs& differs, const Add& add,
                  const Criterion& criterion, const NodeLimits& node, double best, Cut& cut) {
        cut.candidate = Candidate{};
        space_.sums.clear();
        space_.at.clear();
        if constexpr (is_regression) {
            scan_numbers(n, differs, add, criterion, node, best, cut);
        } else {
            scan_classes(n, differs, add, criterion, node, best, cut);
        }
        if (space_.at.empty()) {
            return;
        }
        const double weight = scorer_.weight(cut.known.data());
        cut.candidate.impurity = scorer_.impurity(cut.known.data());
        const double share = weight / (weight + scorer_.weight(cut.missing.data()));
        cut.after.resize(2 * s_);
        space_.gains.resize(space_.at.size());
        for (std::size_t j = 0; j < space_.at.size(); ++j) {
            space_.gains[j] = gain_of(j, weight, share, cut);
        }
        const std::size_t first = first_best(space_.gains, cut.candidate.impurity * tie_share);
        if (first == space_.gains.size()) {
            return;
        }
        cut.candidate.gain = gain_of(first, weight, share, cut);
        cut.at = space_.at[first];
        if (request_.is_ratio()) {
            const double weights[2] = {scorer_.weight(cut.after.data()),
                                       scorer_.weight(cut.after.data() + s_)};
            double spare[2];
            cut.candidate.information = entropy_bits(weights, 2, spare);
        }
    }

  private:
    double gain_of(std::size_t j, double weight, double share, Cut& cut) {
        const double* left = space_.sums.data() + j * s_;
        double* after = cut.after.data();
        for (std::size_t k = 0; k < s_; ++k) {
            after[k] = left[k];
            after[s_ + k] = cut.known[k] - left[k];
        }
        const double a = scorer_.weight(after);
        const double b = scorer_.weight(after + s_);
        if (!(a >= request_.min_branch && a > 0 && b >= request_.min_branch && b > 0)) {
            return not_a_number;
        }
        return scorer_.gain(cut.candidate.impurity, weight, after, 2) * share;
    }

    template <class Criterion, class Differs, class Add>
    void scan_numbers(std::size_t n, const Differs& differs, const Add& add,
                      const Criterion& criterion, const NodeLimits& node, double best,
                      Cut& cut) {
        double below[3] = {0, 0, 0};
        double cell[3] = {0, 0, 0};
        double bar = best - node.margin;
        add(0, cell);
        for (std::size_t i = 1; i < n; ++i) {
            if (differs(i)) {
                for (std::size_t k = 0; k < 3; ++k) {
                    below[k] += cell[k];
                    cell[k] = 0;
                }
                if (criterion.reaches(below[0], below[1], bar)) {
                    space_.at.push_back(static_cast<std::uint32_t>(i));
                    space_.sums.insert(space_.sums.end(), below, below + 3);
                    if (node.is_heavy(below[0]) &&
                        node.is_heavy(criterion.weight() - below[0])) {
                        bar = std::max(bar,
                                       criterion.improvement(below[0], below[1]) - node.margin);
                    }
                }
            }
            add(i, cell);
        }
        for (std::size_t k = 0; k < 3; ++k) {
            below[k] += cell[k];
        }
        cut.known.assign(below, below + 3);
    }

    template <class Criterion, class Differs, class Add>
    void scan_classes(std::size_t n, const Differs& differs, const Add& add,
                      const Criterion& criterion, const NodeLimits& node, double best,
                      Cut& cut) {
        space_.below.assign(s_, 0.0);
        space_.cell.assign(s_, 0.0);
        space_.right.resize(s_);
        double* below = space_.below.data();
        double* cell = space_.cell.data();
        double bar = best - node.margin;
        add(0, cell);
        for (std::size_t i = 1; i < n; ++i) {
            if (differs(i)) {
                double wl = 0;
                for (std::size_t k = 0; k < s_; ++k) {
                    below[k] += cell[k];
                    cell[k] = 0;
                    wl += below[k];
                }
                if (criterion.upper_bound(below, wl) >= bar) {
                    const double improvement =
                        criterion.improvement(below, wl, space_.right.data());
                    if (improvement >= bar) {
                        space_.at.push_back(static_cast<std::uint32_t>(i));
                        space_.sums.insert(space_.sums.end(), below, below + s_);
                        if (node.is_heavy(wl) && node.is_heavy(criterion.weight() - wl)) {
                            bar = std::max(bar, improvement - node.margin);
                        }
                    }
                }
            }
            add(i, cell);
        }
        for (std::size_t k = 0; k < s_; ++k) {
            below[k] += cell[k];
        }
        cut.known.assign(below, below + s_);
    }

    const GrowRequest& request_;
    Scorer& scorer_;
    ExactScratch& space_;
    std::size_t s_;
};

}  // namespace penjing
