// The best split of one column in one node by rpart's rules (best_splits in
// dialects/rpart/dialect.py): the same operations in the same order, also for rows of weight
// zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "dialects/rpart_criterion.hpp"
#include "dialects/rpart_rows.hpp"
#include "grow/node_counts.hpp"
#include "grow/scored_split.hpp"
#include "grow/sorted_node_rows.hpp"

namespace penjing {

// More categories than this raise an error with more than two classes.
inline constexpr std::size_t rpart_max_categories = 26;

class RpartColumnSearch {
  public:
    explicit RpartColumnSearch(const RpartRequest& request)
        : request_(request),
          s_(request.n_sums),
          is_number_(request.y != nullptr),
          target_{is_number_ ? nullptr : request.target, request.y, request.n_sums},
          criterion_(request),
          right_(request.n_sums),
          none_(request.n_sums, 0.0) {}

    // The risk of a node: by its sums, or row by row in the given order.
    [[nodiscard]] double risk(const RowsView& rows) {
        if (request_.raw_y == nullptr) {
            return criterion_.loss(node_sums(target_, rows).data());
        }
        double sum = 0;
        double weight = 0;
        for (std::size_t i = 0; i < rows.n; ++i) {
            sum += request_.raw_y[rows.ids[i]] * rows.weight_of(i);
            weight += rows.weight_of(i);
        }
        const double mean = sum / weight;
        double squares = 0;
        for (std::size_t i = 0; i < rows.n; ++i) {
            const double off = request_.raw_y[rows.ids[i]] - mean;
            squares += off * off * rows.weight_of(i);
        }
        return squares;
    }

    // The rows are in the order of an ordered column (with `raw_y`, in rpart's order), else in
    // that of the table. Returns the number of categories if they are too many, else 0.
    std::size_t search(std::size_t c, const RowsView& rows, bool is_sorted, double risk,
                       const SplitLimits* limits, ScoredSplit& split) {
        const GrowColumn& column = request_.columns[c];
        if (limits != nullptr && limits->excludes(c)) {
            return 0;
        }
        limits_ = request_.constraints.has_direction(c) ? limits : nullptr;
        column_ = c;
        if (request_.raw_y != nullptr && column.ordered) {
            cut_by_row(column, rows, risk, split);
            return 0;
        }
        count(column, rows, is_sorted);
        if (codes_.size() < 2) {
            return 0;
        }
        if (column.ordered) {
            cuts(column, risk, split);
        } else if (request_.raw_y != nullptr) {
            groups_by_row(column, rows, risk, split);
        } else if (request_.n_classes > 2) {
            if (codes_.size() > rpart_max_categories) {
                return codes_.size();
            }
            all_groupings(split);
        } else {
            groupings(risk, split);
        }
        return 0;
    }

  private:
    struct Candidates {  // compared by the sums on their left
        std::int64_t n = 0;
        FirstLargest least_impure;  // of minus the impurity
        std::vector<double> gains;  // of numbers
        std::vector<std::size_t> places;
    };

    // ---- counting

    // The levels that have a row of positive weight, and their sums.
    void count(const GrowColumn& column, const RowsView& rows, bool is_sorted) {
        if (is_sorted) {
            count_sorted(column.codes, target_, rows, counts_);
        } else {
            counts_ = count_column(column.codes, static_cast<std::size_t>(column.n_levels),
                                   target_, rows);
        }
        const NodeCounts& counts = counts_;
        has_weights_ = rows.weight != nullptr;
        const std::vector<double>& unit = has_weights_ ? counts.rows : counts.cells;
        codes_.clear();
        cells_.clear();
        n_rows_.clear();
        for (std::size_t i = 0; i < counts.codes.size(); ++i) {
            const double n = is_number_ ? unit[i * s_] : pairwise_sum(unit.data() + i * s_, s_);
            if (has_weights_ && !(n > 0)) {
                continue;
            }
            codes_.push_back(counts.codes[i]);
            n_rows_.push_back(n);
            const double* cell = counts.cells.data() + i * s_;
            cells_.insert(cells_.end(), cell, cell + s_);
        }
        known_ = sum_cells(cells_, s_);
        n_all_ = std::accumulate(n_rows_.begin(), n_rows_.end(), 0.0);
    }

    void add_cell(std::size_t level, std::vector<double>& sums) const {
        for (std::size_t k = 0; k < s_; ++k) {
            sums[k] += cells_[level * s_ + k];
        }
    }

    // ---- comparing

    void consider(Candidates& candidates, std::size_t place, const std::vector<double>& left,
                  double n_left, double w_left = -1, double w_right = -1) {
        if (!(n_left >= request_.min_bucket && n_all_ - n_left >= request_.min_bucket)) {
            return;
        }
        for (std::size_t k = 0; k < s_; ++k) {
            right_[k] = known_[k] - left[k];
        }
        if (limits_ != nullptr &&
            !request_.constraints.admits_sums(*limits_, column_, left.data(), right_.data())) {
            return;
        }
        ++candidates.n;
        if (is_number_) {
            const double centre = known_[1] / known_[0];
            const double off = left[1] - centre * left[0];
            const double right = known_[0] - left[0];
            // The weight of a side may be lost in the difference of sums.
            const bool is_lost = !(left[0] > 0 && right > 0);
            candidates.gains.push_back(is_lost ? 0.0 : off * off / left[0] + off * off / right);
            candidates.places.push_back(place);
            return;
        }
        candidates.least_impure.add(
            place, -criterion_.weighted_impurity(left.data(), right_.data(), w_left, w_right));
    }

    // Set the scores of the best candidate; returns its place.
    std::size_t choose(const Candidates& candidates, double risk, double whole,
                       ScoredSplit& split) {
        split.n_candidates = candidates.n;
        if (candidates.n == 0) {
            is_accepted_ = false;
            return 0;
        }
        if (!is_number_) {
            accept(split, whole + candidates.least_impure.best, whole);
            return candidates.least_impure.at;
        }
        const double top = *std::max_element(candidates.gains.begin(), candidates.gains.end());
        std::size_t best = first_best(candidates.gains, tie_share * std::fabs(top));
        best = best < candidates.gains.size() ? best : 0;
        accept(split, risk > 0 ? candidates.gains[best] / risk : 0.0, 1.0);
        return candidates.places[best];
    }

    // A gain below this share of the impurity is rounding.
    void accept(ScoredSplit& split, double gain, double impurity) {
        constexpr double nothing = 1e-10;
        is_accepted_ = !(gain <= impurity * nothing);
        if (!is_accepted_) {
            return;
        }
        split.gain = gain;
        split.impurity = impurity;
    }

    [[nodiscard]] double whole_impurity(double w_left = -1, double w_right = -1) {
        return is_number_
                   ? 1.0
                   : criterion_.weighted_impurity(known_.data(), none_.data(), w_left, w_right);
    }

    void set_cut(const GrowColumn& column, std::int32_t low, std::int32_t high,
                 ScoredSplit& split) const {
        if (!is_accepted_) {
            return;
        }
        const auto number = [&](std::int32_t code) {
            return column.levels == nullptr ? static_cast<double>(code) : column.levels[code];
        };
        split.cut = rpart_cut(number(low), number(high));
    }

    // ---- thresholds

    void cuts(const GrowColumn& column, double risk, ScoredSplit& split) {
        Candidates candidates;
        std::vector<double> left(s_, 0.0);
        // If all classes share a prior, weights are added row by row, to be rounded as in
        // rpart.
        const bool by_row = !is_number_ && request_.common_prior != 1.0 && !has_weights_;
        const double prior = request_.common_prior;
        double w_left = by_row ? 0 : -1;
        double w_right = by_row ? 0 : -1;
        for (double i = 0; by_row && i < n_all_; ++i) {
            w_right += prior;
        }
        const double all = w_right;
        double rest = all;
        for (double i = 0; by_row && i < n_all_; ++i) {
            rest -= prior;
        }
        double n_left = 0;
        for (std::size_t i = 0; i + 1 < codes_.size(); ++i) {
            add_cell(i, left);
            n_left += n_rows_[i];
            for (double j = 0; by_row && j < n_rows_[i]; ++j) {
                w_left += prior;
                w_right -= prior;
            }
            consider(candidates, i, left, n_left, w_left, w_right);
        }
        const std::size_t best = choose(candidates, risk, whole_impurity(all, rest), split);
        set_cut(column, codes_[best], codes_[best + 1], split);
    }

    void cut_by_row(const GrowColumn& column, const RowsView& rows, double risk,
                    ScoredSplit& split) {
        known_ids_.clear();
        known_weight_.clear();
        std::int64_t n_levels = 0;
        for (std::size_t i = 0; i < rows.n; ++i) {
            const std::uint32_t row = rows.ids[i];
            if (column.codes[row] < 0 || !(rows.weight_of(i) > 0)) {
                continue;
            }
            if (known_ids_.empty() || column.codes[known_ids_.back()] != column.codes[row]) {
                ++n_levels;
            }
            known_ids_.push_back(row);
            known_weight_.push_back(rows.weight_of(i));
        }
        if (n_levels < 2) {
            return;
        }
        const std::size_t n = known_ids_.size();
        RpartSides sides([&](const auto& visit) {
            for (std::size_t i = 0; i < n; ++i) {
                visit(request_.raw_y[known_ids_[i]], known_weight_[i]);
            }
        });
        FirstLargest best;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const double weight = known_weight_[i];
            sides.move(sides.off(request_.raw_y[known_ids_[i]], weight), weight);
            const bool is_allowed =
                column.codes[known_ids_[i]] != column.codes[known_ids_[i + 1]] &&
                i + 1 >= request_.min_bucket && n - i - 1 >= request_.min_bucket &&
                (limits_ == nullptr || request_.constraints.admits(
                                           *limits_, column_, sides.left_value(request_.centre),
                                           sides.right_value(request_.centre)));
            best.add(i, is_allowed ? sides.gain() : 0.0);
        }
        split.n_candidates = n_levels - 1;
        accept(split, risk > 0 ? best.best / risk : 0.0, 1.0);
        set_cut(column, column.codes[known_ids_[best.at]],
                column.codes[known_ids_[best.at + 1]], split);
    }

    // ---- groups of categories

    // Categories along a key: a stable sort with NaN last.
    void sort_levels(const std::vector<double>& key) {
        order_.resize(key.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return key[a] < key[b] || (std::isnan(key[b]) && !std::isnan(key[a]));
        });
    }

    void groupings(double risk, ScoredSplit& split) {
        std::vector<double> key(codes_.size());
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            const double* cell = cells_.data() + i * s_;
            key[i] = is_number_ ? criterion_.mean(cell) : cell[0] / prior_weight(cell);
        }
        sort_levels(key);
        Candidates candidates;
        std::vector<double> left(s_, 0.0);
        double n_left = 0;
        for (std::size_t i = 0; i + 1 < codes_.size(); ++i) {
            add_cell(order_[i], left);
            n_left += n_rows_[order_[i]];
            consider(candidates, i, left, n_left);
        }
        set_groups_in_order(choose(candidates, risk, whole_impurity(), split), split);
    }

    [[nodiscard]] double prior_weight(const double* cell) const {
        double sum = 0;
        for (std::size_t k = 0; k < request_.n_classes; ++k) {
            sum +=
                cell[k] * (request_.prior_factor == nullptr ? 1.0 : request_.prior_factor[k]);
        }
        return sum;
    }

    // All groupings in Gray-code order, in which neighbours differ by one category.
    void all_groupings(ScoredSplit& split) {
        constexpr std::uint32_t batch = 1U << 14;  // as in Python: the first of equal gains
        const std::uint32_t end = 1U << (codes_.size() - 1);
        const double whole = whole_impurity();
        std::vector<double> left(s_);
        double gain = 0;
        std::uint32_t best = 0;
        for (std::uint32_t start = 1; start < end; start += batch) {
            Candidates candidates;
            for (std::uint32_t step = start; step < std::min(start + batch, end); ++step) {
                const std::uint32_t sides = step ^ step >> 1;
                std::fill(left.begin(), left.end(), 0.0);
                double n_left = 0;
                for (std::size_t level = 0; sides >> level != 0; ++level) {
                    if ((sides >> level & 1U) != 0) {
                        add_cell(level, left);
                        n_left += n_rows_[level];
                    }
                }
                consider(candidates, step, left, n_left);
            }
            split.n_candidates += candidates.n;
            const double of_batch =
                candidates.n == 0 ? 0.0 : whole + candidates.least_impure.best;
            if (best == 0 || of_batch > gain) {
                gain = of_batch;
                best = candidates.n == 0
                           ? start
                           : static_cast<std::uint32_t>(candidates.least_impure.at);
            }
        }
        accept(split, gain, whole);
        is_left_.assign(codes_.size(), 0);
        for (std::size_t level = 0; level < codes_.size(); ++level) {
            is_left_[level] = (best ^ best >> 1) >> level & 1U ? 1 : 0;
        }
        set_groups(split);
    }

    void groups_by_row(const GrowColumn& column, const RowsView& rows, double risk,
                       ScoredSplit& split) {
        const auto is_known = [&](std::size_t i) {
            return column.codes[rows.ids[i]] >= 0 && rows.weight_of(i) > 0;
        };
        RpartSides sides([&](const auto& visit) {
            for (std::size_t i = 0; i < rows.n; ++i) {
                if (is_known(i)) {
                    visit(request_.raw_y[rows.ids[i]], rows.weight_of(i));
                }
            }
        });
        std::vector<double> off(codes_.size(), 0.0);
        std::vector<double> weight(codes_.size(), 0.0);
        for (std::size_t i = 0; i < rows.n; ++i) {
            if (is_known(i)) {
                const auto code =
                    std::lower_bound(codes_.begin(), codes_.end(), column.codes[rows.ids[i]]);
                const auto level = static_cast<std::size_t>(code - codes_.begin());
                off[level] += sides.off(request_.raw_y[rows.ids[i]], rows.weight_of(i));
                weight[level] += rows.weight_of(i);
            }
        }
        std::vector<double> key(codes_.size());
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            key[i] = off[i] / weight[i];
        }
        sort_levels(key);
        FirstLargest best;
        double n_left = 0;
        for (std::size_t i = 0; i + 1 < codes_.size(); ++i) {
            sides.move(off[order_[i]], weight[order_[i]]);
            n_left += n_rows_[order_[i]];
            const bool is_allowed =
                n_left >= request_.min_bucket && n_all_ - n_left >= request_.min_bucket;
            best.add(i, is_allowed ? sides.gain() : 0.0);
        }
        split.n_candidates = static_cast<std::int64_t>(codes_.size()) - 1;
        accept(split, risk > 0 ? best.best / risk : 0.0, 1.0);
        set_groups_in_order(best.at, split);
    }

    void set_groups_in_order(std::size_t last, ScoredSplit& split) {
        is_left_.assign(codes_.size(), 0);
        for (std::size_t i = 0; i <= last; ++i) {
            is_left_[order_[i]] = 1;
        }
        set_groups(split);
    }

    // The group of the lower mean is the first one.
    void set_groups(ScoredSplit& split) {
        if (!is_accepted_) {
            return;
        }
        std::vector<double> cells[2];
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            const double* cell = cells_.data() + i * s_;
            std::vector<double>& side = cells[is_left_[i] != 0 ? 0 : 1];
            side.insert(side.end(), cell, cell + s_);
        }
        const double left = criterion_.mean(sum_cells(cells[0], s_).data());
        const double right = criterion_.mean(sum_cells(cells[1], s_).data());
        const bool is_left = is_number_ ? !(left > right) : left < right;
        for (const bool in_first : {true, false}) {
            for (std::size_t i = 0; i < codes_.size(); ++i) {
                if (((is_left_[i] != 0) == is_left) == in_first) {
                    split.groups.push_back(codes_[i]);
                    split.n_first += in_first ? 1U : 0U;
                }
            }
        }
    }

    const RpartRequest& request_;
    std::size_t s_;
    bool is_number_;
    TargetView target_;
    RpartCriterion criterion_;
    std::vector<double> right_, none_;  // S
    // of the column and the node that are searched
    NodeCounts counts_;
    std::vector<std::int32_t> codes_;
    std::vector<double> cells_, known_, n_rows_;
    double n_all_ = 0;
    bool has_weights_ = false;
    bool is_accepted_ = false;             // whether the best candidate gains anything
    const SplitLimits* limits_ = nullptr;  // of the column in the node, if it has a direction
    std::size_t column_ = 0;
    std::vector<std::size_t> order_;
    std::vector<std::uint8_t> is_left_;
    std::vector<std::uint32_t> known_ids_;
    std::vector<double> known_weight_;
};

struct RpartBestSplits {
    std::vector<ScoredSplit> splits;        // nodes x columns
    std::vector<std::size_t> n_categories;  // nodes x columns: if they are too many, else 0
};

// The best split of every column in each node; `limits` are those of each, or nothing. If
// numbers are summed row by row, `keys` are the
// places of rows in rpart's order of each column; the risk of the root is summed in the order
// of the table, that of other nodes in the order of the first column.
inline RpartBestSplits rpart_best_splits(const RpartRequest& request,
                                         const std::vector<RowsView>& nodes,
                                         const std::vector<SplitLimits>& limits,
                                         const std::vector<std::uint8_t>& is_root,
                                         const std::vector<RowKeys>& keys, ThreadPool& pool,
                                         const PollCallback& poll) {
    const std::size_t n_columns = request.columns.size();
    std::vector<RpartColumnSearch> searches;
    for (int thread = 0; thread < pool.size(); ++thread) {
        searches.emplace_back(request);
    }
    const auto search_of = [&](int thread) -> RpartColumnSearch& {
        return searches[static_cast<std::size_t>(thread)];
    };
    SortedNodeRows sorted(nodes, request.n_rows);
    std::vector<double> risk(nodes.size());
    const std::vector<RowKeys> first(1, request.raw_y == nullptr ? RowKeys{} : keys[0]);
    sorted.for_each(first, pool, poll,
                    [&](std::size_t node, std::size_t, const RowsView& rows, int thread) {
                        risk[node] =
                            search_of(thread).risk(is_root[node] != 0 ? nodes[node] : rows);
                    });
    RpartBestSplits best{std::vector<ScoredSplit>(nodes.size() * n_columns),
                         std::vector<std::size_t>(nodes.size() * n_columns)};
    sorted.for_each(keys, pool, poll,
                    [&](std::size_t node, std::size_t c, const RowsView& rows, int thread) {
                        const std::size_t at = node * n_columns + c;
                        best.n_categories[at] = search_of(thread).search(
                            c, rows, keys[c].key != nullptr, risk[node],
                            limits.empty() ? nullptr : &limits[node], best.splits[at]);
                    });
    return best;
}

}  // namespace penjing
