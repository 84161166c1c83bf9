// The best split of one column in one node by scikit-learn's rules (best_splits in
// dialects/sklearn/dialect.py): the same operations in the same order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "dialects/sklearn_criterion.hpp"
#include "grow/node_counts.hpp"
#include "grow/scored_split.hpp"
#include "grow/sorted_node_rows.hpp"

namespace penjing {

struct SklearnSearchRequest {
    std::vector<GrowColumn> columns;
    std::size_t n_rows = 0;
    TargetView target;
    const double* class_weight = nullptr;  // of each class; null: one
    bool is_entropy = false;
    bool compare_as_float = true;
    double gap = 1e-7;
    double min_samples_leaf = 1;
    double min_weight_leaf = 0;
    bool ties_by_rounding = true;  // of numbers: scores that differ by rounding are equal
    int threads = 1;

    [[nodiscard]] bool is_regression() const { return target.classes == nullptr; }
};

class SklearnColumnSearch {
  public:
    explicit SklearnColumnSearch(const SklearnSearchRequest& request)
        : request_(request),
          s_(request.target.n_sums),
          criterion_(s_, request.is_regression(), request.is_entropy, request.class_weight),
          below_(s_),
          left_(s_),
          right_(s_) {}

    struct Node {
        double impurity = 0;
        double weight = 0;
    };
    [[nodiscard]] Node node(const RowsView& rows) {
        const std::vector<double> total = node_sums(request_.target, rows);
        return {criterion_.impurity(total.data()), criterion_.weight(total.data())};
    }

    void search(std::size_t c, const RowsView& rows, bool is_sorted, const Node& node,
                ScoredSplit& split) {
        const GrowColumn& column = request_.columns[c];
        count(column, rows, is_sorted);
        const std::size_t n = counts_.codes.size();
        split.is_constant =
            n == 0 || (!has_missing_ && !is_far(number(column, 0), number(column, n - 1)));
        Candidates candidates;
        scan(column, false, candidates);
        if (has_missing_) {
            scan(column, true, candidates);
        }
        if (candidates.scores.empty()) {
            return;
        }
        const std::size_t best = choose(candidates.scores);
        split.n_candidates = candidates.n;
        split.worth = candidates.scores[best];
        set_split(column, candidates.allowed[best], node, split);
    }

  private:
    struct Candidate {
        std::size_t place = 0;  // the last value on the left
        bool missing_left = false;
        double n_left = 0;
        double n_right = 0;
    };
    struct Candidates {
        std::int64_t n = 0;
        std::vector<Candidate> allowed;
        std::vector<double> scores;
    };

    void count(const GrowColumn& column, const RowsView& rows, bool is_sorted) {
        counts_ = is_sorted
                      ? count_sorted(column.codes, request_.target, rows)
                      : count_column(column.codes, static_cast<std::size_t>(column.n_levels),
                                     request_.target, rows);
        const bool is_weighted = rows.weight != nullptr;
        const double* unit = is_weighted ? counts_.rows.data() : counts_.cells.data();
        n_rows_.resize(counts_.codes.size());
        n_known_ = 0;
        for (std::size_t i = 0; i < n_rows_.size(); ++i) {
            n_rows_[i] = plain_weight(unit + i * s_);
            n_known_ += n_rows_[i];
        }
        has_missing_ = std::any_of(counts_.missing.begin(), counts_.missing.end(),
                                   [](double sum) { return sum != 0; });
        all_ = sum_cells(counts_.cells, s_);
        n_missing_ = 0;
        if (has_missing_) {
            n_missing_ = is_weighted ? counts_.n_missing : plain_weight(counts_.missing.data());
            add(counts_.missing.data(), all_);
        }
    }

    // The weight of sums without class weights.
    [[nodiscard]] double plain_weight(const double* cell) const {
        return request_.is_regression() ? cell[0] : pairwise_sum(cell, s_);
    }
    void add(const double* cell, std::vector<double>& sums) const {
        for (std::size_t k = 0; k < s_; ++k) {
            sums[k] += cell[k];
        }
    }
    [[nodiscard]] double number(const GrowColumn& column, std::size_t i) const {
        const std::int32_t code = counts_.codes[i];
        return column.levels == nullptr ? static_cast<double>(code) : column.levels[code];
    }
    [[nodiscard]] bool is_far(double low, double high) const {
        return is_sklearn_gap(low, high, request_.gap, request_.compare_as_float);
    }

    // Consider every threshold with missing values on one side. If there are any, infinity is
    // one more threshold: it separates them from all known values.
    void scan(const GrowColumn& column, bool missing_left, Candidates& candidates) {
        const std::size_t n = counts_.codes.size();
        std::fill(below_.begin(), below_.end(), 0.0);
        Candidate candidate{0, missing_left, 0, 0};
        double n_below = 0;
        for (std::size_t i = 0; i < n; ++i) {
            add(counts_.cells.data() + i * s_, below_);
            n_below += n_rows_[i];
            const bool is_candidate = i + 1 < n
                                          ? is_far(number(column, i), number(column, i + 1))
                                          : has_missing_ && !missing_left;
            if (!is_candidate) {
                continue;
            }
            candidate.place = i;
            candidate.n_left = missing_left ? n_below + n_missing_ : n_below;
            candidate.n_right = n_known_ + n_missing_ - candidate.n_left;
            consider(candidate, candidates);
        }
    }

    // The sums of both sides of a candidate whose known values on the left sum to `below_`.
    void set_sides(bool missing_left) {
        left_ = below_;
        if (missing_left) {
            add(counts_.missing.data(), left_);
        }
        for (std::size_t k = 0; k < s_; ++k) {
            right_[k] = all_[k] - left_[k];
        }
    }

    void consider(const Candidate& candidate, Candidates& candidates) {
        ++candidates.n;
        if (!(candidate.n_left >= request_.min_samples_leaf &&
              candidate.n_right >= request_.min_samples_leaf)) {
            return;
        }
        set_sides(candidate.missing_left);
        if (criterion_.weight(left_.data()) >= request_.min_weight_leaf &&
            criterion_.weight(right_.data()) >= request_.min_weight_leaf) {
            candidates.allowed.push_back(candidate);
            candidates.scores.push_back(
                criterion_.proxy_improvement(left_.data(), right_.data()));
        }
    }

    [[nodiscard]] std::size_t choose(const std::vector<double>& scores) const {
        FirstLargest largest;
        for (std::size_t i = 0; i < scores.size(); ++i) {
            largest.add(i, scores[i]);
        }
        if (!request_.is_regression() || !request_.ties_by_rounding) {
            return largest.at;
        }
        const std::size_t first = first_best(scores, tie_share * std::fabs(largest.best));
        return first < scores.size() ? first : largest.at;
    }

    void set_split(const GrowColumn& column, const Candidate& best, const Node& node,
                   ScoredSplit& split) {
        std::fill(below_.begin(), below_.end(), 0.0);
        for (std::size_t i = 0; i <= best.place; ++i) {
            add(counts_.cells.data() + i * s_, below_);
        }
        set_sides(best.missing_left);
        split.gain = criterion_.gain(left_.data(), right_.data(), node.impurity, node.weight);
        split.impurity = node.impurity;
        split.missing =
            has_missing_ ? (best.missing_left ? 0 : 1) : (best.n_left > best.n_right ? 0 : 1);
        split.cut =
            best.place + 1 < counts_.codes.size()
                ? sklearn_cut(number(column, best.place), number(column, best.place + 1))
                : std::numeric_limits<double>::infinity();
    }

    const SklearnSearchRequest& request_;
    std::size_t s_;
    SklearnCriterion criterion_;
    std::vector<double> below_, left_, right_;  // S
    // of the column and the node that are searched
    NodeCounts counts_;
    std::vector<double> all_;     // S: missing values included
    std::vector<double> n_rows_;  // of each code
    double n_known_ = 0;
    double n_missing_ = 0;
    bool has_missing_ = false;
};

struct SklearnBestSplits {
    std::vector<ScoredSplit> splits;  // nodes x columns
    std::vector<double> weight;       // of each node, class weights included
};

// The best split of every column in each node.
inline SklearnBestSplits sklearn_best_splits(const SklearnSearchRequest& request,
                                             const std::vector<RowsView>& nodes,
                                             ThreadPool& pool, const PollCallback& poll) {
    const std::size_t n_columns = request.columns.size();
    std::vector<RowKeys> keys(n_columns);
    for (std::size_t c = 0; c < n_columns; ++c) {
        keys[c] = keys_of_codes(request.columns[c]);
    }
    std::vector<SklearnColumnSearch> searches;
    for (int thread = 0; thread < pool.size(); ++thread) {
        searches.emplace_back(request);
    }
    SklearnBestSplits best{std::vector<ScoredSplit>(nodes.size() * n_columns),
                           std::vector<double>(nodes.size())};
    std::vector<SklearnColumnSearch::Node> totals;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        totals.push_back(searches[0].node(nodes[node]));
        best.weight[node] = totals[node].weight;
    }
    SortedNodeRows(nodes, request.n_rows)
        .for_each(keys, pool, poll,
                  [&](std::size_t node, std::size_t c, const RowsView& rows, int thread) {
                      searches[static_cast<std::size_t>(thread)].search(
                          c, rows, keys[c].key != nullptr, totals[node],
                          best.splits[node * n_columns + c]);
                  });
    return best;
}

}  // namespace penjing
