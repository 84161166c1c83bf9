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
#include "dialects/sklearn_scan.hpp"
#include "grow/criterion_counts.hpp"
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
    std::vector<RowKeys> keys;     // of each column: the order of rows by its codes
    // Of each column: a bit for each code whose value lies within the gap of the next one;
    // null: none does.
    std::vector<const std::uint8_t*> is_close;
    Constraints constraints;
    std::vector<SplitLimits> limits;  // of each node; empty: none

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
          right_(s_),
          totals_(s_),
          class_counts_(s_) {
        while (std::size_t{1} << (shift_ - 1) < s_) {
            ++shift_;
        }
        if (request.is_entropy) {
            log_.prepare(request.n_rows);
        }
    }

    struct Node {
        double impurity = 0;
        double weight = 0;
    };
    [[nodiscard]] Node node(const RowsView& rows) {
        const std::vector<double> total = node_sums(request_.target, rows);
        return {criterion_.impurity(total.data()), criterion_.weight(total.data())};
    }

    void search(std::size_t c, const RowsView& rows, const Node& node,
                const SplitLimits* limits, ScoredSplit& split) {
        const GrowColumn& column = request_.columns[c];
        const bool is_limited =
            limits != nullptr && (limits->excludes(c) || request_.constraints.has_direction(c));
        limits_ = is_limited ? limits : nullptr;
        column_ = c;
        const bool is_sorted = request_.keys[c].key != nullptr;
        is_close_ = request_.is_close[c];
        if (is_sorted && rows.weight == nullptr && request_.class_weight == nullptr &&
            rows.n > 0 && column.codes[rows.ids[0]] >= 0 && limits_ == nullptr) {
            search_unit_rows(column, rows, node, split);
            return;
        }
        count(column, rows, is_sorted);
        const std::size_t n = counts_.codes.size();
        split.is_constant = n == 0 || (!has_missing_ &&
                                       !is_far(column, counts_.codes[0], counts_.codes[n - 1]));
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
        if (is_sorted) {
            count_sorted(column.codes, request_.target, rows, counts_);
        } else {
            counts_ = count_column(column.codes, static_cast<std::size_t>(column.n_levels),
                                   request_.target, rows);
        }
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
    [[nodiscard]] static double number(const GrowColumn& column, std::int32_t code) {
        return column.levels == nullptr ? static_cast<double>(code) : column.levels[code];
    }
    [[nodiscard]] bool is_far(const GrowColumn& column, std::int32_t low,
                              std::int32_t high) const {
        if (is_close_ == nullptr ||
            (std::uint32_t{is_close_[low >> 3]} >> (low & 7) & 1U) == 0) {
            return low != high;
        }
        return is_sklearn_gap(number(column, low), number(column, high), request_.gap,
                              request_.compare_as_float);
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
            const bool is_candidate =
                i + 1 < n ? is_far(column, counts_.codes[i], counts_.codes[i + 1])
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
        if (limits_ != nullptr &&
            !request_.constraints.admits_sums(*limits_, column_, left_.data(), right_.data())) {
            return;
        }
        if (criterion_.weight(left_.data()) >= request_.min_weight_leaf &&
            criterion_.weight(right_.data()) >= request_.min_weight_leaf) {
            const double score = criterion_.proxy_improvement(left_.data(), right_.data());
            if (!std::isnan(score)) {
                candidates.allowed.push_back(candidate);
                candidates.scores.push_back(score);
            }
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
        split.cut = std::numeric_limits<double>::infinity();
        if (best.place + 1 < counts_.codes.size()) {
            split.cut = cut_between_codes(column, counts_.codes[best.place],
                                          counts_.codes[best.place + 1]);
        }
    }

    [[nodiscard]] static double cut_between_codes(const GrowColumn& column, std::int32_t low,
                                                  std::int32_t high) {
        return sklearn_cut(number(column, low), number(column, high));
    }

    // ---- rows of weight one without missing values

    void search_unit_rows(const GrowColumn& column, const RowsView& rows, const Node& node,
                          ScoredSplit& split) {
        split.is_constant =
            !is_far(column, column.codes[rows.ids[0]], column.codes[rows.ids[rows.n - 1]]);
        const double min_rows =
            std::ceil(std::max({1.0, request_.min_samples_leaf, request_.min_weight_leaf}));
        if (split.is_constant || !(2 * min_rows <= static_cast<double>(rows.n))) {
            return;
        }
        if (request_.is_regression()) {
            search_numbers(column, rows, static_cast<std::uint32_t>(min_rows), node, split);
        } else {
            search_counted(column, rows, static_cast<std::uint32_t>(min_rows), node, split);
        }
    }

    // As in the growing kernel, thresholds are compared in integers first, and those near the
    // best are scored as scikit-learn does.
    void search_counted(const GrowColumn& column, const RowsView& rows, std::uint32_t min_rows,
                        const Node& node, ScoredSplit& split) {
        const auto n = static_cast<std::uint32_t>(rows.n);
        const std::int64_t n_candidates = set_entries(column, rows);
        const SklearnNode stats{totals_.data(), s_, n, min_rows};
        const ListView<std::uint32_t> list{entries_.data(), n, shift_};
        std::fill(class_counts_.begin(), class_counts_.end(), 0U);
        const double size = n;
        if (request_.is_entropy) {
            const std::int64_t margin = entropy_margin(stats, log_);
            near_entropy_.start(-margin, margin);
            scan_entropy(list, stats, log_, class_counts_.data(), AnyGap{}, near_entropy_);
            pick(near_entropy_.places, rows, column, node, split);
        } else if (s_ == 2) {
            near_gini_.start(-1, gini_margin * size * size);
            scan_gini_of_two(entries_.data(), stats, AnyGap{}, near_gini_, use_avx512_);
            pick(near_gini_.places, rows, column, node, split);
        } else {
            near_gini_.start(-1, gini_margin * size);
            scan_gini_multiclass(list, stats, class_counts_.data(), AnyGap{}, near_gini_);
            pick(near_gini_.places, rows, column, node, split);
        }
        split.n_candidates = std::isnan(split.worth) ? 0 : n_candidates;
    }

    // Set the entries of a list (class << 1 | whether a threshold may lie before the value),
    // and the rows of each class. Returns the number of thresholds.
    std::int64_t set_entries(const GrowColumn& column, const RowsView& rows) {
        entries_.resize(rows.n);
        std::fill(totals_.begin(), totals_.end(), 0U);
        std::int32_t last = column.codes[rows.ids[0]];
        std::int64_t n_thresholds = 0;
        for (std::size_t i = 0; i < rows.n; ++i) {
            const std::int32_t code = column.codes[rows.ids[i]];
            const auto label = static_cast<std::uint32_t>(request_.target.classes[rows.ids[i]]);
            const std::uint32_t has_gap = is_far(column, last, code) ? 1U : 0U;
            last = code;
            entries_[i] = label << 1 | has_gap;
            ++totals_[label];
            n_thresholds += has_gap;
        }
        return n_thresholds;
    }

    // The best of the thresholds near the best; those are in ascending order.
    template <class Places>
    void pick(const Places& places, const RowsView& rows, const GrowColumn& column,
              const Node& node, ScoredSplit& split) {
        FirstLargest best;
        std::fill(below_.begin(), below_.end(), 0.0);
        std::uint32_t counted = 0;
        for (const auto& place : places) {
            for (; counted < place.at; ++counted) {
                below_[entries_[counted] >> 1] += 1;
            }
            set_right();
            best.add(place.at, criterion_.proxy_improvement(below_.data(), right_.data()));
            if (best.at == place.at) {
                left_ = below_;
            }
        }
        if (places.empty()) {
            return;
        }
        below_ = left_;
        set_right();
        split.worth = best.best;
        set_split_at(best.at, rows, column, node, split);
    }

    void set_split_at(std::size_t at, const RowsView& rows, const GrowColumn& column,
                      const Node& node, ScoredSplit& split) {
        split.gain = criterion_.gain(left_.data(), right_.data(), node.impurity, node.weight);
        split.impurity = node.impurity;
        split.missing = at > rows.n - at ? 0 : 1;
        split.cut = cut_between_codes(column, column.codes[rows.ids[at - 1]],
                                      column.codes[rows.ids[at]]);
    }
    void set_right() {
        for (std::size_t k = 0; k < s_; ++k) {
            right_[k] = totals_[k] - below_[k];
        }
    }

    void search_numbers(const GrowColumn& column, const RowsView& rows, std::uint32_t min_rows,
                        const Node& node, ScoredSplit& split) {
        const auto n = static_cast<std::uint32_t>(rows.n);
        std::size_t n_allowed = 0;
        sums_.resize(n);
        std::fill(below_.begin(), below_.end(), 0.0);
        double cell[3] = {0, 0, 0};
        std::int32_t last = column.codes[rows.ids[0]];
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::int32_t code = column.codes[rows.ids[i]];
            if (code != last) {
                add(cell, below_);
                std::fill(cell, cell + 3, 0.0);
                const bool has_gap = is_far(column, last, code);
                split.n_candidates += has_gap ? 1 : 0;
                if (has_gap && i >= min_rows && n - i >= min_rows) {
                    sums_.at[n_allowed] = i;
                    sums_.w[n_allowed] = below_[0];
                    sums_.wy[n_allowed] = below_[1];
                    sums_.wyy[n_allowed] = below_[2];
                    ++n_allowed;
                }
                last = code;
            }
            request_.target.add(cell, rows.ids[i], 1.0);
        }
        add(cell, below_);
        if (n_allowed == 0) {
            split.n_candidates = 0;
            return;
        }
        const double top = proxy_improvements(sums_, n_allowed, below_[0], below_[1],
                                              request_.min_weight_leaf, use_avx512_);
        const double least = request_.ties_by_rounding ? top - tie_share * std::fabs(top) : top;
        std::size_t best = 0;
        while (best + 1 < n_allowed && !(sums_.proxy_improvement[best] >= least)) {
            ++best;
        }
        left_ = {sums_.w[best], sums_.wy[best], sums_.wyy[best]};
        for (std::size_t k = 0; k < s_; ++k) {
            right_[k] = below_[k] - left_[k];
        }
        split.worth = sums_.proxy_improvement[best];
        set_split_at(sums_.at[best], rows, column, node, split);
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
    const std::uint8_t* is_close_ = nullptr;
    const SplitLimits* limits_ = nullptr;  // of the column in the node, if it has any
    std::size_t column_ = 0;
    // for rows of weight one
    unsigned shift_ = 2;
    std::vector<std::uint32_t> entries_, totals_, class_counts_;
    NearBest<double> near_gini_;
    PrefixSums sums_;
    NearBest<std::int64_t> near_entropy_;
    LogTable log_;
    bool use_avx512_ = has_avx512();
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
        .for_each(request.keys, pool, poll,
                  [&](std::size_t node, std::size_t c, const RowsView& rows, int thread) {
                      searches[static_cast<std::size_t>(thread)].search(
                          c, rows, totals[node],
                          request.limits.empty() ? nullptr : &request.limits[node],
                          best.splits[node * n_columns + c]);
                  });
    return best;
}

}  // namespace penjing
