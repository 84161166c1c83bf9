// The best split of one column in one node (grow/search.py): counts the rows of the node by
// value and class, and scores every candidate with the operations of NumPy.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "grow/approximate_information.hpp"
#include "grow/category_order.hpp"
#include "grow/code_counts.hpp"
#include "grow/criterion.hpp"
#include "grow/node_rows.hpp"
#include "grow/request.hpp"

namespace penjing {

class ColumnSearch {
  public:
    explicit ColumnSearch(const GrowRequest& request) : request_(request), s_(request.n_sums) {}

    struct ColumnSplit {  // the best candidate of one column
        Candidate candidate;
        std::vector<double> after;                      // branches x S
        std::vector<double> known;                      // S
        std::vector<double> missing;                    // S
        std::vector<std::vector<std::int32_t>> groups;  // of a categorical column
        std::int32_t low = 0, high = 0;                 // codes on both sides of a cut
        std::vector<double> extra;  // S: the branch of missing values, if they have one
        std::int64_t n_candidates = 0;
        bool by_missing = false;  // known values against missing ones, without a threshold
    };
    struct Scratch {
        explicit Scratch(const GrowRequest& request)
            : scorer(request.criterion, request.n_sums) {}
        Scorer scorer;
        CodeCounts counts;
        CodeCountsScratch counting;
        std::vector<double> below, scored, approximate, terms, weights, spare;
        const SplitLimits* limits = nullptr;  // of the column that is searched, if it has any
        std::size_t column = 0;
    };

    // The best split of the rows of a node by one column (search.best_splits); it must be
    // encoded.
    void search_column(std::size_t c, const RowsView& rows, Scratch& scratch,
                       ColumnSplit& split, const SplitLimits* limits = nullptr) const {
        const bool is_limited = limits != nullptr && request_.constraints.has_direction(c);
        scratch.limits = is_limited ? limits : nullptr;
        scratch.column = c;
        if (limits != nullptr && limits->excludes(c)) {
            split = ColumnSplit{};
            return;
        }
        count(c, rows, scratch);
        search(c, scratch, split);
    }

    void add_row(double* cell, std::size_t row, double weight) const {
        if (request_.y == nullptr) {
            cell[request_.target[row]] += weight;
            return;
        }
        const double y = request_.number(row);
        const double wy = weight * y;
        cell[0] += weight;
        cell[1] += wy;
        cell[2] += wy * y;
    }

  private:
    // ---- counting

    void count(std::size_t c, const RowsView& rows, Scratch& scratch) const {
        const GrowColumn& column = request_.columns[c];
        const std::int32_t* codes = column.codes;
        const std::uint32_t* ids = rows.ids;
        const auto count_by = [&](const auto& add) {
            count_codes(
                rows.n, static_cast<std::size_t>(column.n_levels), s_,
                [codes, ids](std::size_t i) { return codes[ids[i]]; }, add, scratch.counts,
                scratch.counting);
        };
        if (request_.y != nullptr) {
            count_by([&](double* cell, std::size_t i) {
                add_row(cell, rows.ids[i], rows.weight_of(i));
            });
        } else if (rows.weight != nullptr) {
            count_by([ids, weight = rows.weight, target = request_.target](
                         double* cell, std::size_t i) { cell[target[ids[i]]] += weight[i]; });
        } else {
            count_by([ids, target = request_.target](double* cell, std::size_t i) {
                cell[target[ids[i]]] += 1.0;
            });
        }
    }

    // ---- the best candidate of one column

    void search(std::size_t c, Scratch& scratch, ColumnSplit& split) const {
        const GrowColumn& column = request_.columns[c];
        const CodeCounts& counts = scratch.counts;
        split.candidate = Candidate{};
        split.n_candidates = 0;
        split.by_missing = false;
        split.groups.clear();
        const bool has_branch = request_.missing_branch && counts.n_missing > 0 &&
                                scratch.scorer.weight(counts.missing.data()) > 0;
        if (counts.codes.size() < 2 && !has_branch) {
            return;
        }
        split.known = counts.known;
        split.missing = counts.missing;
        split.extra.clear();
        if (has_branch) {  // missing values are one more branch, the last one
            split.extra = counts.missing;
            for (std::size_t k = 0; k < s_; ++k) {
                split.known[k] += counts.missing[k];
            }
            split.missing.assign(s_, 0.0);
        }
        const double weight = scratch.scorer.weight(split.known.data());
        split.candidate.impurity = scratch.scorer.impurity(split.known.data());
        const double share = weight / (weight + scratch.scorer.weight(split.missing.data()));
        if (counts.codes.size() < 2) {
            split.after = counts.known;
            split.by_missing = true;
            split.candidate.gain = gain_of(scratch, split, weight, share);
            split.n_candidates = split.candidate.exists() ? 1 : 0;
        } else if (column.ordered) {
            cuts(scratch, split, weight, share);
        } else if (request_.multiway) {
            score_multiway(scratch, split, weight, share);
        } else {
            groupings(scratch, split, weight, share);
        }
        if (split.candidate.exists()) {
            const std::size_t n_parts = split.after.size() / s_;
            scratch.weights.resize(n_parts);
            scratch.spare.resize(n_parts);
            for (std::size_t b = 0; b < n_parts; ++b) {
                scratch.weights[b] = scratch.scorer.weight(split.after.data() + b * s_);
            }
            split.candidate.information =
                entropy_bits(scratch.weights.data(), n_parts, scratch.spare.data());
        }
    }

    // The gain of a split into `left` and the rest; NaN if it is not admissible.
    double gain_of_two(Scratch& scratch, ColumnSplit& split, const double* left, double weight,
                       double share) const {
        split.after.resize(2 * s_);
        for (std::size_t k = 0; k < s_; ++k) {
            split.after[k] = left[k];
            split.after[s_ + k] = scratch.counts.known[k] - left[k];
        }
        if (scratch.limits != nullptr &&
            !request_.constraints.admits_sums(*scratch.limits, scratch.column,
                                              split.after.data(), split.after.data() + s_)) {
            return not_a_number;
        }
        return gain_of(scratch, split, weight, share);
    }

    // The gain of the branches in `after`, and that of missing values; NaN unless two of them
    // are large enough.
    double gain_of(Scratch& scratch, ColumnSplit& split, double weight, double share) const {
        split.after.insert(split.after.end(), split.extra.begin(), split.extra.end());
        const std::size_t n_parts = split.after.size() / s_;
        std::size_t n_large = 0;
        for (std::size_t b = 0; b < n_parts && n_large < 2; ++b) {
            const double w = scratch.scorer.weight(split.after.data() + b * s_);
            n_large += w >= request_.min_branch && w > 0 ? 1U : 0U;
        }
        if (n_large < 2) {
            return not_a_number;
        }
        return scratch.scorer.gain(split.candidate.impurity, weight, split.after.data(),
                                   n_parts) *
               share;
    }

    void cuts(Scratch& scratch, ColumnSplit& split, double weight, double share) const {
        const CodeCounts& counts = scratch.counts;
        const std::size_t n = counts.codes.size() - 1;
        scratch.scored.assign(n, not_a_number);
        if (request_.y == nullptr && split.extra.empty() && scratch.limits == nullptr) {
            score_near_best(scratch, split, weight, share);
        } else {
            scratch.below.assign(s_, 0.0);
            for (std::size_t i = 0; i < n; ++i) {
                add_cell(counts, i, scratch.below);
                scratch.scored[i] =
                    gain_of_two(scratch, split, scratch.below.data(), weight, share);
                split.n_candidates += std::isnan(scratch.scored[i]) ? 0 : 1;
            }
        }
        const std::size_t best =
            first_best(scratch.scored, split.candidate.impurity * tie_share);
        if (best == n) {
            return;
        }
        scratch.below.assign(s_, 0.0);
        for (std::size_t i = 0; i <= best; ++i) {
            add_cell(counts, i, scratch.below);
        }
        split.candidate.gain = gain_of_two(scratch, split, scratch.below.data(), weight, share);
        split.low = counts.codes[best];
        split.high = counts.codes[best + 1];
    }

    void add_cell(const CodeCounts& counts, std::size_t i, std::vector<double>& below) const {
        for (std::size_t k = 0; k < s_; ++k) {
            below[k] += counts.cells[i * s_ + k];
        }
    }

    // Score the cuts whose approximate impurity is within the error of both computations, and
    // the slack of ties, of the smallest. The others cannot be chosen.
    void score_near_best(Scratch& scratch, ColumnSplit& split, double weight,
                         double share) const {
        const CodeCounts& counts = scratch.counts;
        const std::size_t n = counts.codes.size() - 1;
        ApproximateImpurity approximate(request_.criterion, counts.known, scratch.terms);
        scratch.below.assign(s_, 0.0);
        scratch.approximate.resize(n);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < n; ++i) {
            const double* cell = counts.cells.data() + i * s_;
            for (std::size_t k = 0; k < s_; ++k) {
                if (cell[k] != 0) {
                    scratch.below[k] += cell[k];
                    approximate.move(k, scratch.below[k], counts.known[k] - scratch.below[k]);
                }
            }
            const double size = pairwise_sum(scratch.below.data(), s_);
            scratch.approximate[i] = not_a_number;
            const double size_above = weight_above(scratch);
            if (is_large(size) && is_large(size_above)) {
                ++split.n_candidates;
                scratch.approximate[i] = approximate.after(size, size_above);
                least = std::min(least, scratch.approximate[i]);
            }
        }
        const double last = least + approximate.error(weight) +
                            weight * (split.candidate.impurity * tie_share / share);
        scratch.below.assign(s_, 0.0);
        std::size_t done = 0;  // cells that are in `below`
        for (std::size_t i = 0; i < n; ++i) {
            if (scratch.approximate[i] <= last) {
                for (; done <= i; ++done) {
                    add_cell(counts, done, scratch.below);
                }
                scratch.scored[i] =
                    gain_of_two(scratch, split, scratch.below.data(), weight, share);
            }
        }
    }

    [[nodiscard]] bool is_large(double weight) const {
        return weight >= request_.min_branch && weight > 0;
    }

    // The weight of the rows above a cut, added as in the exact score.
    double weight_above(Scratch& scratch) const {
        scratch.weights.resize(s_);
        for (std::size_t k = 0; k < s_; ++k) {
            scratch.weights[k] = scratch.counts.known[k] - scratch.below[k];
        }
        return pairwise_sum(scratch.weights.data(), s_);
    }

    void score_multiway(Scratch& scratch, ColumnSplit& split, double weight,
                        double share) const {
        const CodeCounts& counts = scratch.counts;
        split.after = counts.cells;
        split.candidate.gain = gain_of(scratch, split, weight, share);
        if (!split.candidate.exists()) {
            return;
        }
        split.n_candidates = 1;
        for (const std::int32_t code : counts.codes) {
            split.groups.push_back({code});
        }
    }

    void groupings(Scratch& scratch, ColumnSplit& split, double weight, double share) const {
        const CodeCounts& counts = scratch.counts;
        const std::size_t n = counts.codes.size();
        std::vector<std::size_t> rank(n);
        scratch.scored.clear();
        const bool every = request_.y == nullptr && s_ > 2 && n <= max_exhaustive_categories;
        std::vector<double> left(s_, 0.0);
        if (every) {
            for (std::uint32_t number = 1; number < 1U << (n - 1); ++number) {
                subset(counts, number, left);
                scratch.scored.push_back(
                    gain_of_two(scratch, split, left.data(), weight, share));
            }
        } else {
            const std::vector<std::size_t> by_mean = order_of_levels(counts, scratch);
            for (std::size_t i = 0; i + 1 < n; ++i) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[by_mean[i] * s_ + k];
                }
                scratch.scored.push_back(
                    gain_of_two(scratch, split, left.data(), weight, share));
                rank[by_mean[i]] = i;
            }
            rank[by_mean[n - 1]] = n - 1;
        }
        split.n_candidates = std::count_if(scratch.scored.begin(), scratch.scored.end(),
                                           [](double score) { return !std::isnan(score); });
        const std::size_t best =
            first_best(scratch.scored, split.candidate.impurity * tie_share);
        if (best == scratch.scored.size()) {
            return;
        }
        split.groups.resize(2);
        split.groups[0].clear();
        split.groups[1].clear();
        for (std::size_t i = 0; i < n; ++i) {
            const bool right = every ? ((best + 1) >> i & 1U) == 0 : rank[i] > best;
            split.groups[right ? 1 : 0].push_back(counts.codes[i]);
        }
        if (every) {
            subset(counts, static_cast<std::uint32_t>(best + 1), left);
        } else {
            const std::vector<std::size_t> by_mean = order_of_levels(counts, scratch);
            left.assign(s_, 0.0);
            for (std::size_t i = 0; i <= best; ++i) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[by_mean[i] * s_ + k];
                }
            }
        }
        split.candidate.gain = gain_of_two(scratch, split, left.data(), weight, share);
    }

    void subset(const CodeCounts& counts, std::uint32_t number,
                std::vector<double>& left) const {
        left.assign(s_, 0.0);
        for (std::size_t i = 0; number >> i != 0; ++i) {
            if ((number >> i & 1U) != 0) {
                for (std::size_t k = 0; k < s_; ++k) {
                    left[k] += counts.cells[i * s_ + k];
                }
            }
        }
    }

    // Categories by the share of the first class, by mean, or along the principal component of
    // the class shares; a stable sort.
    std::vector<std::size_t> order_of_levels(const CodeCounts& counts, Scratch& scratch) const {
        const std::size_t n = counts.codes.size();
        std::vector<double> along(n);
        if (request_.y == nullptr && s_ > 2) {
            along = principal_coordinates(counts.cells.data(), n, s_);
        }
        for (std::size_t i = 0; (request_.y != nullptr || s_ == 2) && i < n; ++i) {
            const double* cell = counts.cells.data() + i * s_;
            const double w = scratch.scorer.weight(cell);
            along[i] = request_.y == nullptr ? cell[0] / w
                                             : (w > 0 ? cell[1] / w : 0.0) + request_.centre;
        }
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return along[a] < along[b] || (std::isnan(along[b]) && !std::isnan(along[a]));
        });
        return order;
    }

    const GrowRequest& request_;
    std::size_t s_;
};

}  // namespace penjing
