// The offer of one ordered column in the arithmetic of the oracle: level by level, each the sum
// of its rows in the order of the table, levels added up from below (search.candidates).
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

// What a node is judged by.
struct NodeFrame {
    std::size_t n = 0;     // rows
    double weight = 0;     // of all rows
    double margin = 0;     // worths that differ by more differ for the oracle as well
    double tolerance = 0;  // of weights
    double least = 0;      // weight that a branch must have

    // Whether a branch of such weight is allowed for certain; or perhaps.
    [[nodiscard]] bool is_heavy(double weight_of) const {
        return weight_of > 0 && weight_of >= least + tolerance;
    }
    [[nodiscard]] bool may_be_heavy(double weight_of) const {
        return weight_of >= least - tolerance;
    }
};

// The best cut of one column in one node.
struct Cut {
    Offer offer;
    std::vector<double> known, missing;  // S
    std::vector<double> after;           // 2 S
    std::uint32_t at = 0;                // rows on the left, in order of value
};

struct CanonSpace {  // scratch of one worker
    std::vector<double> below, cell, sums, gains, right;
    std::vector<std::uint32_t> at;
};

template <Kind kind>
class Canon {
  public:
    static constexpr bool is_number = kind == Kind::variance;

    Canon(const Order& order, Scorer& scorer, CanonSpace& space)
        : order_(order), scorer_(scorer), space_(space), s_(order.n_sums) {}

    // `differs(i)`: whether the i-th row has another value than the one before; `add(i, cell)`
    // adds the row to a cell; `missing` in `cut` is already there. Cuts that are worth less
    // than `best` by more than the margin are passed over.
    template <class Judge, class Differs, class Add>
    void offer(std::size_t n, const Differs& differs, const Add& add, const Judge& judge,
               const NodeFrame& node, double best, Cut& cut) {
        cut.offer = Offer{};
        space_.sums.clear();
        space_.at.clear();
        if constexpr (is_number) {
            scan_numbers(n, differs, add, judge, node, best, cut);
        } else {
            scan_classes(n, differs, add, judge, node, best, cut);
        }
        if (space_.at.empty()) {
            return;
        }
        const double weight = scorer_.weight(cut.known.data());
        cut.offer.impurity = scorer_.impurity(cut.known.data());
        const double share = weight / (weight + scorer_.weight(cut.missing.data()));
        cut.after.resize(2 * s_);
        space_.gains.resize(space_.at.size());
        double top = not_a_number;
        for (std::size_t j = 0; j < space_.at.size(); ++j) {
            const double gain = gain_of(j, weight, share, cut);
            space_.gains[j] = gain;
            if (!std::isnan(gain) && !(gain <= top)) {
                top = gain;
            }
        }
        std::size_t first = 0;
        while (first < space_.gains.size() &&
               !(space_.gains[first] >= top - cut.offer.impurity * tie_share)) {
            ++first;
        }
        if (first == space_.gains.size()) {
            return;
        }
        cut.offer.gain = gain_of(first, weight, share, cut);
        cut.at = space_.at[first];
        if (order_.is_ratio()) {
            const double weights[2] = {scorer_.weight(cut.after.data()),
                                       scorer_.weight(cut.after.data() + s_)};
            double spare[2];
            cut.offer.information = bits(weights, 2, spare);
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
        if (!(a >= order_.min_branch && a > 0 && b >= order_.min_branch && b > 0)) {
            return not_a_number;
        }
        return scorer_.gain(cut.offer.impurity, weight, after, 2) * share;
    }

    template <class Judge, class Differs, class Add>
    void scan_numbers(std::size_t n, const Differs& differs, const Add& add, const Judge& judge,
                      const NodeFrame& node, double best, Cut& cut) {
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
                if (judge.reaches(below[0], below[1], bar)) {
                    space_.at.push_back(static_cast<std::uint32_t>(i));
                    space_.sums.insert(space_.sums.end(), below, below + 3);
                    if (node.is_heavy(below[0]) && node.is_heavy(judge.weight() - below[0])) {
                        bar = std::max(bar, judge.worth(below[0], below[1]) - node.margin);
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

    template <class Judge, class Differs, class Add>
    void scan_classes(std::size_t n, const Differs& differs, const Add& add, const Judge& judge,
                      const NodeFrame& node, double best, Cut& cut) {
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
                if (judge.most(below, wl) >= bar) {
                    const double worth = judge.worth(below, wl, space_.right.data());
                    if (worth >= bar) {
                        space_.at.push_back(static_cast<std::uint32_t>(i));
                        space_.sums.insert(space_.sums.end(), below, below + s_);
                        if (node.is_heavy(wl) && node.is_heavy(judge.weight() - wl)) {
                            bar = std::max(bar, worth - node.margin);
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

    const Order& order_;
    Scorer& scorer_;
    CanonSpace& space_;
    std::size_t s_;
};

}  // namespace penjing
