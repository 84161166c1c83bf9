// Cross-validation of rpart's complexities (training/cp_validation.py): a tree is grown from
// the rows outside each fold, and predicts the rows inside it at every complexity.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "dialects/rpart.hpp"
#include "dialects/rpart_criterion.hpp"
#include "dialects/rpart_request.hpp"
#include "grow/driver.hpp"
#include "grow/nodes.hpp"

namespace penjing {

// The rows of a request that are outside (or inside) a fold, with arrays of their own.
class RpartSubset {
  public:
    RpartSubset(const RpartRequest& all, const std::vector<std::uint32_t>& rows)
        : request_(all) {
        const std::size_t n = rows.size();
        request_.n_rows = n;
        request_.progress = nullptr;
        request_.lists.clear();
        request_.target = gather(all.target, rows, codes_);
        request_.y = gather(all.y, rows, numbers_);
        request_.raw_y = gather(all.raw_y, rows, numbers_);
        request_.weight = gather(all.weight, rows, numbers_);
        for (std::size_t c = 0; c < all.columns.size(); ++c) {
            request_.columns[c].codes = gather(all.columns[c].codes, rows, codes_);
        }
        if (all.raw_y != nullptr) {
            select_sorted(all, rows);
        }
    }

    [[nodiscard]] RpartRequest& request() { return request_; }

  private:
    template <class T>
    static const T* gather(const T* all, const std::vector<std::uint32_t>& rows,
                           std::vector<std::vector<T>>& arrays) {
        if (all == nullptr) {
            return nullptr;
        }
        std::vector<T> part(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            part[i] = all[rows[i]];
        }
        arrays.push_back(std::move(part));
        return arrays.back().data();  // a vector keeps its memory when it is moved
    }

    // All rows are sorted together, once; a subset keeps their order.
    void select_sorted(const RpartRequest& all, const std::vector<std::uint32_t>& rows) {
        std::vector<std::int32_t> position(all.n_rows, -1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            position[rows[i]] = static_cast<std::int32_t>(i);
        }
        for (std::size_t c = 0; c < all.sorted.size(); ++c) {
            if (all.sorted[c] == nullptr) {
                continue;
            }
            std::vector<std::int32_t> order;
            order.reserve(rows.size());
            for (std::size_t i = 0; i < all.n_rows; ++i) {
                const std::int32_t at = position[static_cast<std::size_t>(all.sorted[c][i])];
                if (at >= 0) {
                    order.push_back(at);
                }
            }
            codes_.push_back(std::move(order));
            request_.sorted[c] = codes_.back().data();
        }
    }

    RpartRequest request_;
    std::vector<std::vector<std::int32_t>> codes_;
    std::vector<std::vector<double>> numbers_;
};

// A grown tree that is pruned to its complexity (dialects/rpart/cp_table.py) and routes rows.
class RpartPrunedTree {
  public:
    // `has_costs`: risks and predictions are by the costs of the request, else by counts.
    RpartPrunedTree(const RpartRequest& request, GrownTree&& tree, bool has_costs)
        : request_(without_costs(request, has_costs)),
          criterion_(request_),
          tree_(std::move(tree)),
          n_(tree_.parent.size()),
          first_child_(n_, 0),
          right_(n_, 1),
          value_(n_),
          risk_(n_),
          complexity_(n_),
          branch_of_code_(n_),
          first_surrogate_(n_ + 1, 0) {
        for (std::size_t i = n_ - 1; i > 0; --i) {
            first_child_[static_cast<std::size_t>(tree_.parent[i])] = i;
        }
        for (std::size_t i = 0; i < n_; ++i) {
            const double* total = total_of(i);
            risk_[i] = criterion_.loss(total);
            value_[i] = criterion_.value(total);
            if (is_leaf(i)) {
                continue;
            }
            const std::size_t left = first_child_[i];
            if (is_cut(i)) {
                right_[i] = mean(left) < mean(left + 1) ? 1 : 0;
            } else {
                branch_of_code_[i] = branches(request_.columns[column_of(i)], levels_into(left),
                                              levels_into(left + 1));
            }
        }
        for (const Surrogate& one : tree_.surrogates) {
            ++first_surrogate_[one.node + 1];
            surrogate_branches_.push_back(
                branches(request_.columns[one.column], one.groups[0], one.groups[1]));
        }
        std::partial_sum(first_surrogate_.begin(), first_surrogate_.end(),
                         first_surrogate_.begin());
        if (request_.raw_y != nullptr) {
            sum_risks_by_row();
        }
        if (!request_.constraints.signs.empty()) {
            clip_values();
        }
    }

    // Prune the splits whose complexity is at most alpha; compute that of the others.
    void prune(double alpha) {
        for (const std::size_t node : compute_complexities(alpha)) {
            tree_.column[node] = -1;
        }
        compute_complexities(alpha);
    }

    [[nodiscard]] bool is_leaf(std::size_t node) const { return tree_.column[node] < 0; }
    [[nodiscard]] double complexity(std::size_t node) const { return complexity_[node]; }
    [[nodiscard]] double value(std::size_t node) const { return value_[node]; }

    // The risk of each node that is left, breadth first.
    [[nodiscard]] std::vector<double> risks() const {
        std::vector<double> risks;
        std::vector<std::size_t> queue{0};
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const std::size_t node = queue[i];
            risks.push_back(risk_[node]);
            if (!is_leaf(node)) {
                queue.push_back(first_child_[node]);
                queue.push_back(first_child_[node] + 1);
            }
        }
        return risks;
    }

    // The child of a row: by the split, its surrogates or the majority; 0 if it has none.
    [[nodiscard]] std::size_t child(std::size_t node, const RpartRequest& rows,
                                    std::size_t row) const {
        const auto c = column_of(node);
        const std::int32_t code = rows.columns[c].codes[row];
        std::uint8_t branch = no_branch;
        if (code >= 0) {
            branch = is_cut(node)
                         ? (rows.columns[c].levels[code] > tree_.cut[node] ? std::uint8_t{1}
                                                                           : std::uint8_t{0})
                         : branch_of_code_[node][static_cast<std::size_t>(code)];
        }
        for (std::size_t i = first_surrogate_[node];
             branch == no_branch && request_.use_surrogates > 0 &&
             i < first_surrogate_[node + 1];
             ++i) {
            branch = surrogate_branch(i, rows, row);
        }
        if (branch == no_branch) {
            if (tree_.missing_branch[node] < 0) {
                return 0;
            }
            branch = static_cast<std::uint8_t>(tree_.missing_branch[node]);
        }
        return first_child_[node] + branch;
    }

    // The branch of the higher mean: rpart's right one.
    [[nodiscard]] std::size_t right_child(std::size_t node) const {
        return first_child_[node] + right_[node];
    }

  private:
    static constexpr std::uint8_t no_branch = 2;

    static RpartRequest without_costs(RpartRequest request, bool has_costs) {
        if (!has_costs) {
            request.loss_factor = nullptr;
            request.mean_factor = nullptr;
            request.constraints.class_factor = nullptr;
        }
        return request;
    }

    [[nodiscard]] const double* total_of(std::size_t node) const {
        return tree_.total.data() + node * request_.n_sums;
    }

    // Clip predictions to the bounds of monotonic columns (TreeData.values).
    void clip_values() {
        const Constraints& constraints = request_.constraints;
        std::vector<LimitsPointer> limits(n_);
        limits[0] = constraints.root();
        for (std::size_t i = 0; i < n_; ++i) {
            if (!is_leaf(i)) {
                const std::size_t left = first_child_[i];
                std::tie(limits[left], limits[left + 1]) = constraints.below(
                    limits[i], column_of(i), total_of(left), total_of(left + 1));
            }
            if (constraints.is_regression) {
                value_[i] = std::min(std::max(value_[i], limits[i]->lower + request_.centre),
                                     limits[i]->upper + request_.centre);
                continue;
            }
            const double share = constraints.value(total_of(i));
            const double clipped = limits[i]->clip(share);
            if (clipped != share && request_.n_sums == 2) {
                const double* factor = constraints.class_factor;
                const double total[2] = {
                    factor == nullptr ? clipped : clipped / factor[0],
                    factor == nullptr ? 1.0 - clipped : (1.0 - clipped) / factor[1]};
                value_[i] = criterion_.value(total);
            }
        }
    }
    [[nodiscard]] std::size_t column_of(std::size_t node) const {
        return static_cast<std::size_t>(tree_.column[node]);
    }
    [[nodiscard]] bool is_cut(std::size_t node) const { return !std::isnan(tree_.cut[node]); }
    [[nodiscard]] double mean(std::size_t node) { return criterion_.mean(total_of(node)); }

    static std::vector<std::uint8_t> branches(const GrowColumn& column,
                                              const std::vector<std::int32_t>& left,
                                              const std::vector<std::int32_t>& right) {
        if (column.ordered) {
            return {};
        }
        std::vector<std::uint8_t> branch(static_cast<std::size_t>(column.n_levels), no_branch);
        for (const std::int32_t code : left) {
            branch[static_cast<std::size_t>(code)] = 0;
        }
        for (const std::int32_t code : right) {
            branch[static_cast<std::size_t>(code)] = 1;
        }
        return branch;
    }

    [[nodiscard]] std::vector<std::int32_t> levels_into(std::size_t node) const {
        const auto codes = tree_.level_codes.begin();
        return {codes + tree_.level_start[node], codes + tree_.level_start[node + 1]};
    }

    [[nodiscard]] std::uint8_t surrogate_branch(std::size_t i, const RpartRequest& rows,
                                                std::size_t row) const {
        const Surrogate& one = tree_.surrogates[i];
        const GrowColumn& column = rows.columns[one.column];
        const std::int32_t code = column.codes[row];
        if (code < 0) {
            return no_branch;
        }
        if (!column.ordered) {
            return surrogate_branches_[i][static_cast<std::size_t>(code)];
        }
        const bool is_above = column.levels[code] > one.cut;
        return is_above == (one.below == 0) ? 1 : 0;
    }

    // The sums of squares about the means, row by row in the order of the first column; those
    // of the root in table order.
    void sum_risks_by_row() {
        const std::size_t n_rows = request_.n_rows;
        std::vector<double> sum(n_, 0.0);
        std::vector<double> weight(n_, 0.0);
        const auto each = [&](const auto& visit) {
            for (std::size_t row = 0; row < n_rows; ++row) {
                visit(std::size_t{0}, row);
            }
            const std::int32_t* sorted = request_.sorted[0];
            for (std::size_t i = 0; i < n_rows; ++i) {
                const auto row = sorted == nullptr ? i : static_cast<std::size_t>(sorted[i]);
                std::size_t node = 0;
                while (!is_leaf(node) && (node = child(node, request_, row)) != 0) {
                    visit(node, row);
                }
            }
        };
        const auto weight_of = [&](std::size_t row) {
            return request_.weight == nullptr ? 1.0 : request_.weight[row];
        };
        each([&](std::size_t node, std::size_t row) {
            sum[node] += request_.raw_y[row] * weight_of(row);
            weight[node] += weight_of(row);
        });
        for (std::size_t i = 0; i < n_; ++i) {
            sum[i] /= weight[i];
        }
        std::fill(risk_.begin(), risk_.end(), 0.0);
        each([&](std::size_t node, std::size_t row) {
            const double off = request_.raw_y[row] - sum[node];
            risk_[node] += off * off * weight_of(row);
        });
    }

    struct Below {  // of a subtree
        double risk = 0;
        std::size_t n_splits = 0;
    };

    // Depth first as in rpart; returns the nodes to prune.
    std::vector<std::size_t> compute_complexities(double alpha) {
        std::vector<Below> below(n_);
        std::vector<std::size_t> cut;
        std::fill(complexity_.begin(), complexity_.end(), alpha);
        complexity_[0] = risk_[0];
        std::vector<std::pair<std::size_t, int>> stack{{0, 0}};
        while (!stack.empty()) {
            const auto [node, stage] = stack.back();
            stack.pop_back();
            const std::size_t right = right_child(node);
            const std::size_t left = first_child_[node] + 1 - right_[node];
            if (stage == 0) {
                const double bound = std::min(risk_[node], complexity_[node]);
                if (is_leaf(node) || bound <= alpha) {
                    if (!is_leaf(node)) {
                        cut.push_back(node);
                    }
                    complexity_[node] = alpha;
                    below[node] = {risk_[node], 0};
                    continue;
                }
                complexity_[left] = bound - alpha;
                stack.emplace_back(node, 1);
                stack.emplace_back(left, 0);
            } else if (stage == 1) {
                const double bound = std::max((risk_[node] - below[left].risk) /
                                                  static_cast<double>(below[left].n_splits + 1),
                                              risk_[node] - risk_[left]);
                complexity_[right] = std::min(bound, complexity_[node]) - alpha;
                stack.emplace_back(node, 2);
                stack.emplace_back(right, 0);
            } else {
                complexity_[node] = rate(node, left, right, below);
                if (complexity_[node] <= alpha) {
                    cut.push_back(node);
                    below[node] = {risk_[node], 0};
                }
            }
        }
        for (std::size_t i = 1; i < n_; ++i) {
            complexity_[i] = std::min(complexity_[i],
                                      complexity_[static_cast<std::size_t>(tree_.parent[i])]);
        }
        return cut;
    }

    // The decrease of risk for each split; a child that would be pruned earlier is a leaf.
    double rate(std::size_t node, std::size_t left, std::size_t right,
                std::vector<Below>& below) const {
        Below parts[2] = {below[left], below[right]};
        const auto decrease = [&] {
            return (risk_[node] - (parts[0].risk + parts[1].risk)) /
                   static_cast<double>(parts[0].n_splits + parts[1].n_splits + 1);
        };
        const std::size_t children[2] = {left, right};
        const std::size_t first = complexity_[right] > complexity_[left] ? 0 : 1;
        if (decrease() > complexity_[children[first]]) {
            parts[first] = {risk_[children[first]], 0};
            const std::size_t second = 1 - first;
            if (decrease() > complexity_[children[second]]) {
                parts[second] = {risk_[children[second]], 0};
            }
        }
        below[node] = {parts[0].risk + parts[1].risk,
                       parts[0].n_splits + parts[1].n_splits + 1};
        return decrease();
    }

    RpartRequest request_;
    RpartCriterion criterion_;
    GrownTree tree_;
    std::size_t n_;
    std::vector<std::size_t> first_child_, right_;
    std::vector<double> value_, risk_, complexity_;
    std::vector<std::vector<std::uint8_t>> branch_of_code_, surrogate_branches_;
    std::vector<std::size_t> first_surrogate_;
};

struct RpartFolds {
    const std::int32_t* fold = nullptr;  // of each row
    std::size_t n_folds = 0;
    const double* alpha = nullptr;         // of each fold
    const double* complexities = nullptr;  // folds x n_complexities, descending
    std::size_t n_complexities = 0;
    const double* number = nullptr;  // the target of each row; null for classes
    bool has_costs = false;
    bool loss_transposed = true;
    bool stuck_repeats = true;
};

struct RpartErrors {  // of each complexity: the sum of the losses and of their squares
    std::vector<double> sum, squares;
};

class RpartCrossValidation {
  public:
    RpartCrossValidation(const RpartRequest& request, const RpartFolds& folds)
        : request_(request), folds_(folds) {
        // A category that a fold lacks has no branch, a number always has one.
        for (const GrowColumn& column : request.columns) {
            without_surrogates_.push_back(
                column.ordered && std::all_of(column.codes, column.codes + request.n_rows,
                                              [](std::int32_t code) { return code >= 0; }));
        }
    }

    // Folds are dealt to threads; losses are added fold by fold, in the order of the table.
    RpartErrors run(ThreadPool& pool, const PollCallback& poll) {
        const std::size_t k = folds_.n_complexities;
        RpartErrors errors{std::vector<double>(k, 0.0), std::vector<double>(k, 0.0)};
        std::vector<double> last(k, 0.0);
        const auto at_once = static_cast<std::size_t>(pool.size());
        std::vector<FoldLosses> losses(at_once);
        for (std::size_t first = 0; first < folds_.n_folds; first += at_once) {
            const std::size_t n = std::min(at_once, folds_.n_folds - first);
            pool.run(n, [&](std::size_t i, int thread) {
                losses[i] = fold_losses(first + i, thread == 0 ? poll : PollCallback());
            });
            for (std::size_t i = 0; i < n; ++i) {
                add(losses[i], last, errors);
            }
        }
        return errors;
    }

  private:
    struct FoldLosses {
        std::vector<std::uint32_t> rows;
        std::vector<double> loss;  // rows x complexities; NaN from where a row is stuck
    };

    FoldLosses fold_losses(std::size_t fold, const PollCallback& poll) const {
        FoldLosses result;
        std::vector<std::uint32_t> training;
        training.reserve(request_.n_rows);
        for (std::size_t row = 0; row < request_.n_rows; ++row) {
            const bool is_held_out = static_cast<std::size_t>(folds_.fold[row]) == fold;
            (is_held_out ? result.rows : training).push_back(static_cast<std::uint32_t>(row));
        }
        RpartSubset subset(request_, training);
        RpartRequest& request = subset.request();
        request.alpha = folds_.alpha[fold];
        request.without_surrogates = without_surrogates_;
        ThreadPool alone(1);
        RpartPrunedTree tree(request, grow(request, RpartKernel(request), alone, poll),
                             folds_.has_costs);
        tree.prune(request.alpha);
        predict(tree, folds_.complexities + fold * folds_.n_complexities, result);
        return result;
    }

    // Walk each row down once, as the complexities descend.
    void predict(const RpartPrunedTree& tree, const double* complexities,
                 FoldLosses& result) const {
        const std::size_t k = folds_.n_complexities;
        result.loss.assign(result.rows.size() * k, not_a_number);
        for (std::size_t i = 0; i < result.rows.size(); ++i) {
            const std::size_t row = result.rows[i];
            std::size_t node = 0;
            for (std::size_t j = 0; j < k; ++j) {
                bool is_stuck = false;
                while (!is_stuck && tree.complexity(node) > complexities[j] &&
                       !tree.is_leaf(node)) {
                    std::size_t next = tree.child(node, request_, row);
                    if (next == 0 && request_.use_surrogates == 2) {
                        next = tree.right_child(node);  // no majority among the known rows
                    }
                    is_stuck = next == 0;
                    node = is_stuck ? node : next;
                }
                if (is_stuck) {
                    break;
                }
                result.loss[i * k + j] = loss(row, tree.value(node));
            }
        }
    }

    [[nodiscard]] double loss(std::size_t row, double value) const {
        if (folds_.number != nullptr) {
            const double off = folds_.number[row] - value;
            return off * off;
        }
        const auto actual = static_cast<std::size_t>(request_.target[row]);
        const auto predicted = static_cast<std::size_t>(value);
        if (!folds_.has_costs) {
            return actual == predicted ? 0.0 : 1.0;
        }
        const std::size_t s = request_.n_sums;
        const double cost = folds_.loss_transposed ? request_.loss[predicted * s + actual]
                                                   : request_.loss[actual * s + predicted];
        return request_.loss_factor[actual] * cost;
    }

    // A stuck row gets the losses of the row before it (as in rpart), or its own last one.
    void add(const FoldLosses& losses, std::vector<double>& last, RpartErrors& errors) const {
        const std::size_t k = folds_.n_complexities;
        for (std::size_t i = 0; i < losses.rows.size(); ++i) {
            const double weight =
                request_.weight == nullptr ? 1.0 : request_.weight[losses.rows[i]];
            double own = 0;
            for (std::size_t j = 0; j < k; ++j) {
                const double loss = losses.loss[i * k + j];
                if (!std::isnan(loss)) {
                    own = last[j] = loss;
                } else if (!folds_.stuck_repeats) {
                    last[j] = own;
                }
                errors.sum[j] += last[j] * weight;
                errors.squares[j] += last[j] * last[j] * weight;
            }
        }
    }

    const RpartRequest& request_;
    const RpartFolds& folds_;
    std::vector<bool> without_surrogates_;
};

}  // namespace penjing
