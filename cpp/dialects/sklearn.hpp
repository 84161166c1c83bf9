// The growing kernel of scikit-learn (dialects/sklearn/dialect.py): the same tree to the last
// bit.
//
// Each column of a node is a list of its rows in value order (grow/sorted_lists.hpp), with
// missing values last, in table order. The lists of a node are contiguous and partitioned in
// place: the larger child stays in front, and the smaller one follows it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"
#include "base/thread_pool.hpp"
#include "dialects/sklearn_criterion.hpp"
#include "dialects/sklearn_feature_order.hpp"
#include "dialects/sklearn_request.hpp"
#include "dialects/sklearn_scan.hpp"
#include "grow/driver.hpp"
#include "grow/nodes.hpp"
#include "grow/sorted_lists.hpp"

namespace penjing {

template <class Entry>
class SklearnKernel {
  public:
    explicit SklearnKernel(const SklearnRequest& request)
        : request_(request),
          s_(request.n_sums),
          is_regression_(request.y != nullptr),
          is_counted_(request.y == nullptr && request.weight == nullptr),
          shift_(Packing(is_regression_ ? 2 : request.n_sums).shift()),
          use_avx512_(has_avx512()),
          lists_(request.columns.size()),
          is_sparse_(request.columns.size(), 0),
          is_constant_(request.columns.size(), 1) {}

    using Columns = std::shared_ptr<const std::vector<std::uint32_t>>;
    struct OpenNode {  // a node that may be split: a range of every list
        std::uint32_t node = 0;
        std::uint32_t begin = 0;
        std::uint32_t n = 0;
        std::uint32_t n_constant = 0;  // constant columns, as FeatureOrder counts them
        std::int64_t depth = 0;
        bool is_open = false;
        bool is_local = false;
        Columns columns;                     // those that are not constant
        std::vector<std::uint32_t> missing;  // missing values per column; empty: none
        LimitsPointer limits;

        [[nodiscard]] std::size_t n_rows() const { return n; }
    };
    struct Candidate {
        double gain = not_a_number;
        double proxy_improvement = not_a_number;
        std::uint32_t at = 0;  // entries of the list that go left
        std::int32_t missing_branch = 1;
        std::uint32_t top = 0;  // regression: where the improvement is greatest
        bool is_constant = false;
        bool is_made = false;
        bool is_checked = true;  // whether its values are known to differ by the gap
    };
    struct Split {
        std::uint32_t column = 0;
        Candidate candidate;
        std::vector<double> left;
    };
    struct NearTie {  // a candidate of a scan that treats nearly equal ones as ties
        double proxy_improvement;
        std::uint32_t at;
        bool missing_left;
        double left[3], right[3];
    };
    // Targets and weights by row. In small nodes the rows are renumbered from 0, so that these
    // arrays are compact.
    struct RowData {
        const std::int32_t* target = nullptr;
        const double* y = nullptr;
        const double* weight = nullptr;
        const std::uint32_t* row_of = nullptr;  // the row in the table; null: the same
    };
    struct Local {
        std::vector<std::int32_t> target;
        std::vector<double> y, weight;
        std::vector<std::uint32_t> row_of, number;
    };
    struct Scratch {
        Scratch(const SklearnRequest& request, std::size_t n_rows)
            : criterion(request.n_sums, request.y != nullptr, request.is_entropy,
                        request.class_weight),
              below(request.n_sums),
              known(request.n_sums),
              cell(request.n_sums),
              missing(request.n_sums),
              base(request.n_sums),
              left(request.n_sums),
              right(request.n_sums),
              best_left(request.n_sums),
              best_right(request.n_sums),
              totals(request.n_sums),
              counts(request.n_sums),
              candidates(request.columns.size()),
              left_sums(request.columns.size() * request.n_sums) {
            marks.prepare(n_rows);
        }
        SklearnCriterion criterion;
        RowBits marks;
        std::vector<double> below, known, cell, missing, base, left, right, best_left,
            best_right;
        std::vector<std::uint32_t> totals, counts, moved, ranks;
        NearBest<double> near_gini;
        NearBest<std::int64_t> near_entropy;
        std::vector<NearTie> near;
        PrefixSums sums;
        std::vector<Entry> spare;
        std::vector<std::uint32_t> spare_rows;
        // Of the node that is searched.
        std::vector<Candidate> candidates;
        std::vector<double> left_sums;
        double impurity = 0;
        double weight = 0;
        // Of the task.
        RowData row_data;
        Local local;
        bool localizes = false;  // whether rows of small nodes are renumbered
    };
    using Task = GrowTask<Scratch>;

    // ---- for the driver

    [[nodiscard]] NodeLayout layout() const { return {s_, false, false, true}; }
    [[nodiscard]] bool is_sequential() const { return request_.shuffles; }

    Scratch& scratch(int thread) { return *scratch_[static_cast<std::size_t>(thread)]; }

    std::optional<OpenNode> start(Subtree& subtree, ThreadPool& pool, const PollCallback&) {
        for (int i = 0; i < pool.size(); ++i) {
            scratch_.emplace_back(std::make_unique<Scratch>(
                request_, pool.size() > 1 || i == 0 ? request_.n_rows : 0));
        }
        // Nodes that change their thread keep the row numbers of the table.
        scratch_[0]->localizes =
            request_.max_leaves < 0 && (request_.shuffles || pool.size() == 1);
        return prepare(subtree, pool);
    }

    void begin(Task& task, const OpenNode& open) const {
        task.scratch.row_data = table_rows();
        task.scratch.localizes = task.scratch.localizes || open.depth > 0;
    }

    static bool stops(const Task&, const OpenNode& open) { return !open.is_open; }

    // Prepare a node; its subtree is never grown whole.
    bool grow_whole(Task& task, OpenNode& open, const PollCallback&) {
        constexpr std::uint32_t close = 1U << 15;  // rows whose data fit the cache
        if (!is_counted_ && !open.is_local) {
            task.scratch.row_data = table_rows();
            if (open.n <= close && task.scratch.localizes) {
                localize(task.scratch, open);
            }
        }
        return false;
    }

    template <class Pool>
    bool search(Task& task, OpenNode& open, Split& split, Pool&& pool) {
        Scratch& own = task.scratch;
        const double* total = task.subtree.total_of(open.node);
        const std::vector<std::uint32_t>& columns = *open.columns;
        own.impurity = own.criterion.impurity(total);
        own.weight = own.criterion.weight(total);
        if (request_.shuffles) {
            std::fill(is_constant_.begin(), is_constant_.end(), std::uint8_t{1});
            for (const std::uint32_t c : columns) {
                is_constant_[c] = is_constant(own.row_data, open, c) ? 1 : 0;
            }
            feature_order_->ranks(is_constant_, open.n_constant, own.ranks);
        }
        pool.run(columns.size(), [&](std::size_t i, int thread) {
            const std::uint32_t c = columns[i];
            Candidate& candidate = own.candidates[c];
            candidate = Candidate{};
            candidate.is_constant =
                request_.shuffles ? is_constant_[c] != 0 : has_one_value(open, c);
            if (open.limits != nullptr && open.limits->excludes(c)) {
                return;
            }
            if (!candidate.is_constant &&
                !(request_.shuffles && own.ranks[c] == FeatureOrder::never)) {
                search_column(thread < 0 ? own : scratch(thread), own, open, c, total, false);
            }
        });
        check_best(own, open, total);
        const bool found = choose(task, open, split);
        if (found && std::any_of(columns.begin(), columns.end(), [&](std::uint32_t c) {
                return own.candidates[c].is_constant;
            })) {
            std::vector<std::uint32_t> remaining;
            for (const std::uint32_t c : columns) {
                if (!own.candidates[c].is_constant) {
                    remaining.push_back(c);
                }
            }
            open.columns =
                std::make_shared<const std::vector<std::uint32_t>>(std::move(remaining));
        }
        return found;
    }

    [[nodiscard]] static double worth(Task& task, const OpenNode& open, const Split& split) {
        return task.scratch.criterion.weight(task.subtree.total_of(open.node)) *
               split.candidate.gain;
    }
    [[nodiscard]] static std::size_t n_branches(const Split&) { return 2; }

    template <class Pool>
    void divide(Task& task, const OpenNode& open, const Split& split, Pool&& pool,
                std::vector<OpenNode>& open_nodes) {
        Scratch& own = task.scratch;
        const std::uint32_t c = split.column;
        const std::uint32_t n_missing = open.missing.empty() ? 0 : open.missing[c];
        const std::uint32_t n_left =
            split.candidate.at + (split.candidate.missing_branch == 0 ? n_missing : 0U);
        const bool left_moves = n_left < open.n - n_left;
        const std::uint32_t n_moved = left_moves ? n_left : open.n - n_left;
        const std::uint32_t first = task.subtree.split(open.node, c, 2);
        set_split(task.subtree, open, split, own.row_data);
        mark_moved(open, split, left_moves, own);
        OpenNode children[2];
        for (std::uint32_t b = 0; b < 2; ++b) {
            OpenNode& child = children[b];
            const bool is_moved = (b == 0) == left_moves;
            child.node = first + b;
            child.n = is_moved ? n_moved : open.n - n_moved;
            child.begin = is_moved ? open.begin + open.n - n_moved : open.begin;
            child.depth = open.depth + 1;
            child.n_constant = open.n_constant;
            child.columns = open.columns;
            child.is_local = open.is_local;
        }
        sum_children(task, open, split, children[0], children[1]);
        if (open.limits != nullptr) {
            std::tie(children[0].limits, children[1].limits) = request_.constraints.below(
                open.limits, c, task.subtree.total_of(first), task.subtree.total_of(first + 1));
        }
        if (children[0].is_open || children[1].is_open) {
            for (OpenNode& child : children) {
                child.missing.assign(open.missing.size(), 0);
            }
            const std::vector<std::uint32_t>& columns = *open.columns;
            pool.run(columns.size(), [&](std::size_t i, int thread) {
                partition_list(thread < 0 ? own : scratch(thread), own.marks, open, columns[i],
                               children[left_moves ? 1 : 0], children[left_moves ? 0 : 1]);
            });
        }
        for (const std::uint32_t row : own.moved) {
            own.marks.clear(row);
        }
        for (const int b : {1, 0}) {
            if (children[b].is_open) {
                open_nodes.push_back(std::move(children[b]));
            } else {
                request_.report_leaf(children[b].n);
            }
        }
    }

  private:
    // ---- before the first node

    OpenNode prepare(Subtree& subtree, ThreadPool& pool) {
        const std::size_t n = request_.n_rows;
        OpenNode root;
        root.n = static_cast<std::uint32_t>(n);
        std::vector<std::uint32_t> missing(request_.columns.size(), 0);
        pool.run(request_.columns.size(), [&](std::size_t c, int) { missing[c] = sort(c); });
        if (std::any_of(missing.begin(), missing.end(),
                        [](std::uint32_t m) { return m > 0; })) {
            root.missing = std::move(missing);
        }
        std::vector<std::uint32_t> all(request_.columns.size());
        std::iota(all.begin(), all.end(), 0U);
        root.columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(all));
        if (!is_counted_) {
            rows_.resize(n);
            std::iota(rows_.begin(), rows_.end(), 0U);
        }
        if (is_counted_ && request_.is_entropy) {
            log_.prepare(n);
        }
        if (request_.shuffles) {
            feature_order_ =
                std::make_unique<FeatureOrder>(request_.columns.size(), request_.max_features,
                                               request_.state, request_.max_leaves >= 0);
        }
        subtree.add_nodes(1);
        bool is_pure = true;
        if (is_counted_) {
            for (std::size_t row = 0; row < n; ++row) {
                subtree.total[static_cast<std::size_t>(request_.target[row])] += 1.0;
                is_pure = is_pure && request_.target[row] == request_.target[0];
            }
        } else {
            is_pure = sum_rows(table_rows(), 0, root.n, subtree.total.data());
        }
        Scratch& scratch = *scratch_[0];
        total_weight_ = scratch.criterion.weight(subtree.total.data());
        min_weight_ = request_.min_weight_share * total_weight_;
        root.limits = request_.constraints.root();
        root.is_open = !is_pure && !is_leaf(scratch, subtree.total.data(), root.n, 0);
        return root;
    }

    // Sort the rows of a column by its codes, equal ones in the order of the table.
    std::uint32_t sort(std::size_t c) {
        const GrowColumn& column = request_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        const std::size_t n = request_.n_rows;
        lists_[c] = Buffer<Entry>(n);
        Entry* list = lists_[c].data();
        std::vector<std::uint32_t> next(n_levels + 2, 0);  // missing ones come last
        const auto slot = [&](std::size_t row) {
            const std::int32_t code = column.codes[row];
            return code < 0 ? n_levels : static_cast<std::size_t>(code);
        };
        for (std::size_t row = 0; row < n; ++row) {
            ++next[slot(row) + 1];
        }
        const std::uint32_t n_missing = next[n_levels + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t row = 0; row < n; ++row) {
            const auto class_ =
                is_regression_ ? Entry{0} : static_cast<Entry>(request_.target[row]) << 1;
            list[next[slot(row)]++] = static_cast<Entry>(row) << shift_ | class_;
        }
        // Each slot now ends where the next one begins.
        for (std::size_t level = 0; level < n_levels && n > 0; ++level) {
            const std::uint32_t begin = level == 0 ? 0 : next[level - 1];
            if (begin < next[level]) {
                list[begin] |= 1U;
            }
        }
        for (std::size_t level = 0; level + 1 < n_levels && is_sparse_[c] == 0; ++level) {
            is_sparse_[c] = is_gap(column.levels[level], column.levels[level + 1]) ? 0 : 1;
        }
        return n_missing;
    }

    [[nodiscard]] bool is_gap(double low, double high) const {
        return is_sklearn_gap(low, high, request_.gap, request_.compare_as_float);
    }

    [[nodiscard]] RowData table_rows() const {
        return {request_.target, request_.y, request_.weight, nullptr};
    }

    [[nodiscard]] double value(const RowData& row_data, std::size_t c, Entry e) const {
        const GrowColumn& column = request_.columns[c];
        const auto row = static_cast<std::size_t>(e >> shift_);
        return column
            .levels[column.codes[row_data.row_of == nullptr ? row : row_data.row_of[row]]];
    }

    // Renumber the rows of a node, in table order.
    void localize(Scratch& scratch, OpenNode& open) {
        Local& local = scratch.local;
        std::uint32_t* rows = rows_.data() + open.begin;
        local.number.resize(request_.n_rows);
        local.row_of.assign(rows, rows + open.n);
        local.target.resize(open.n);
        local.y.resize(is_regression_ ? open.n : 0);
        local.weight.resize(request_.weight == nullptr ? 0 : open.n);
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const std::uint32_t row = rows[i];
            local.number[row] = i;
            local.target[i] = request_.target[row];
            if (is_regression_) {
                local.y[i] = request_.y[row];
            }
            if (request_.weight != nullptr) {
                local.weight[i] = request_.weight[row];
            }
            rows[i] = i;
        }
        const Entry mask = (Entry{1} << shift_) - 1;
        for (const std::uint32_t c : *open.columns) {
            Entry* list = lists_[c].data() + open.begin;
            for (std::uint32_t i = 0; i < open.n; ++i) {
                const auto row = static_cast<std::size_t>(list[i] >> shift_);
                list[i] = static_cast<Entry>(local.number[row]) << shift_ | (list[i] & mask);
            }
        }
        scratch.row_data = {local.target.data(), is_regression_ ? local.y.data() : nullptr,
                            request_.weight == nullptr ? nullptr : local.weight.data(),
                            local.row_of.data()};
        open.is_local = true;
    }

    // Sum rows in table order; returns whether all targets are equal.
    bool sum_rows(const RowData& row_data, std::uint32_t begin, std::uint32_t n,
                  double* total) const {
        std::fill(total, total + s_, 0.0);
        bool is_pure = true;
        for (std::uint32_t i = begin; i < begin + n; ++i) {
            const std::uint32_t row = rows_[i];
            const double weight = row_data.weight == nullptr ? 1.0 : row_data.weight[row];
            is_pure = is_pure && row_data.target[row] == row_data.target[rows_[begin]];
            if (is_regression_) {
                const double wy = weight * row_data.y[row];
                total[0] += weight;
                total[1] += wy;
                total[2] += wy * row_data.y[row];
            } else {
                total[row_data.target[row]] += weight;
            }
        }
        return is_pure;
    }

    [[nodiscard]] bool is_leaf(Scratch& scratch, const double* total, std::uint32_t n,
                               std::int64_t depth) const {
        return (request_.max_depth >= 0 && depth >= request_.max_depth) ||
               n < request_.min_samples_split ||
               scratch.criterion.weight(total) < 2 * min_weight_ ||
               scratch.criterion.impurity(total) <= std::numeric_limits<double>::epsilon();
    }

    // ---- search: the best cut of every column, and the choice between them

    // The best cut of a column goes to the candidates of `own`.
    void search_column(Scratch& scratch, Scratch& own, const OpenNode& open, std::uint32_t c,
                       const double* total, bool check_gaps) {
        Candidate& candidate = own.candidates[c];
        search_list(scratch, own.row_data, open, c, total, check_gaps, candidate);
        if (candidate.is_made) {
            double* left = own.left_sums.data() + c * s_;
            std::copy(scratch.best_left.begin(), scratch.best_left.end(), left);
            candidate.gain = scratch.criterion.gain(left, scratch.best_right.data(),
                                                    own.impurity, own.weight);
        }
    }

    // Columns are searched as if all their values differed by the gap, since looking values up
    // is expensive. Candidates that may win are checked: if the cut stands, it is also the best
    // of the cuts that stand; otherwise the column is searched again.
    void check_best(Scratch& own, const OpenNode& open, const double* total) {
        for (bool again = true; again;) {
            again = false;
            double top = not_a_number;
            for (const std::uint32_t c : *open.columns) {
                const double gain = own.candidates[c].gain;
                top = !std::isnan(gain) && !(gain <= top) ? gain : top;
            }
            for (const std::uint32_t c : *open.columns) {
                Candidate& candidate = own.candidates[c];
                if (candidate.is_checked ||
                    !(candidate.gain + 2 * tie_share * own.impurity >= top)) {
                    continue;
                }
                const Entry* entries = lists_[c].data() + open.begin;
                if (is_far(own.row_data, c, entries, candidate.at) &&
                    is_far(own.row_data, c, entries, candidate.top)) {
                    candidate.is_checked = true;
                } else {
                    candidate = Candidate{};
                    search_column(own, own, open, c, total, true);
                    again = true;
                }
            }
        }
    }

    [[nodiscard]] bool is_far(const RowData& row_data, std::uint32_t c, const Entry* entries,
                              std::uint32_t at) const {
        return is_gap(value(row_data, c, entries[at - 1]), value(row_data, c, entries[at]));
    }

    bool choose(Task& task, const OpenNode& open, Split& split) {
        Scratch& own = task.scratch;
        double top = not_a_number;
        for (const std::uint32_t c : *open.columns) {
            const double gain = own.candidates[c].gain;
            if (!std::isnan(gain) && !(gain <= top)) {
                top = gain;
            }
        }
        if (std::isnan(top) ||
            (request_.min_decrease > 0 &&
             top * own.weight / total_weight_ + std::numeric_limits<double>::epsilon() <
                 request_.min_decrease)) {
            return false;
        }
        Subtree& subtree = task.subtree;
        const std::size_t start = subtree.ties.size();
        double proxy_improvement = -std::numeric_limits<double>::infinity();
        for (const std::uint32_t c : *open.columns) {
            if (own.candidates[c].gain + tie_share * own.impurity >= top) {
                subtree.ties.push_back(static_cast<std::int32_t>(c));
                proxy_improvement =
                    std::max(proxy_improvement, own.candidates[c].proxy_improvement);
            }
        }
        auto winner = static_cast<std::uint32_t>(subtree.ties[start]);
        if (request_.shuffles) {
            std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
            for (std::size_t i = start; i < subtree.ties.size(); ++i) {
                const auto c = static_cast<std::uint32_t>(subtree.ties[i]);
                if (own.candidates[c].proxy_improvement == proxy_improvement &&
                    own.ranks[c] < first) {
                    first = own.ranks[c];
                    winner = c;
                }
            }
        }
        split.column = winner;
        split.candidate = own.candidates[winner];
        split.candidate.gain = std::max(split.candidate.gain, 0.0);
        split.left.assign(
            own.left_sums.begin() + static_cast<std::ptrdiff_t>(winner * s_),
            own.left_sums.begin() + static_cast<std::ptrdiff_t>((winner + 1) * s_));
        const std::size_t n_tied = subtree.ties.size() - start;
        if (!(split.candidate.gain >= request_.min_gain)) {
            subtree.ties.resize(start);
            return false;
        }
        if (n_tied > 1) {
            subtree.nodes[open.node].tie_start = static_cast<std::uint32_t>(start);
            subtree.nodes[open.node].tie_count = static_cast<std::uint32_t>(n_tied);
        } else {
            subtree.ties.resize(start);
        }
        return true;
    }

    // Whether a column has one value only, in this node and hence below.
    [[nodiscard]] bool has_one_value(const OpenNode& open, std::uint32_t c) {
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_missing = open.missing.empty() ? 0 : open.missing[c];
        if (n_missing > 0) {
            return n_missing == open.n;
        }
        std::uint32_t i = 1;
        while (i < open.n && (entries[i] & 1U) == 0) {
            ++i;
        }
        return i >= open.n;
    }

    // The same for FeatureOrder: values within the gap are equal.
    [[nodiscard]] bool is_constant(const RowData& row_data, const OpenNode& open,
                                   std::uint32_t c) {
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_missing = open.missing.empty() ? 0 : open.missing[c];
        return n_missing == open.n ||
               (n_missing == 0 && !is_gap(value(row_data, c, entries[0]),
                                          value(row_data, c, entries[open.n - 1])));
    }

    void search_list(Scratch& scratch, const RowData& row_data, const OpenNode& open,
                     std::uint32_t c, const double* total, bool check_gaps,
                     Candidate& candidate) {
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_missing = open.missing.empty() ? 0 : open.missing[c];
        candidate.is_checked = check_gaps || is_sparse_[c] == 0;
        if (request_.constraints.has_direction(c)) {
            candidate.is_checked = true;
            search_any(scratch, row_data, open, c, entries, n_missing, candidate);
        } else if (is_counted_ && request_.class_weight == nullptr && n_missing == 0) {
            if (check_gaps) {
                const auto is_far_enough = [&](std::uint32_t at) {
                    return is_far(row_data, c, entries, at);
                };
                search_counted(scratch, open, entries, total, is_far_enough, candidate);
            } else {
                search_counted(scratch, open, entries, total, AnyGap{}, candidate);
            }
        } else if (is_regression_ && n_missing == 0 && !check_gaps) {
            search_numbers(scratch, row_data, open, entries, candidate);
        } else {
            candidate.is_checked = true;
            search_any(scratch, row_data, open, c, entries, n_missing, candidate);
        }
    }

    // ---- classification with rows of weight one

    template <class IsFarEnough>
    void search_counted(Scratch& scratch, const OpenNode& open, const Entry* entries,
                        const double* total, const IsFarEnough& is_far_enough,
                        Candidate& candidate) {
        const double min_rows =
            std::ceil(std::max({1.0, request_.min_samples_leaf, min_weight_}));
        if (!(2 * min_rows <= open.n)) {
            return;
        }
        for (std::size_t k = 0; k < s_; ++k) {
            scratch.totals[k] = static_cast<std::uint32_t>(total[k]);
        }
        const SklearnNode node{scratch.totals.data(), s_, open.n,
                               static_cast<std::uint32_t>(min_rows)};
        const ListView<Entry> list{entries, open.n, shift_};
        const double n = open.n;
        std::fill(scratch.counts.begin(), scratch.counts.end(), 0U);
        if (request_.is_entropy) {
            const std::int64_t margin = entropy_margin(node, log_);
            scratch.near_entropy.start(-margin, margin);
            scan_entropy(list, node, log_, scratch.counts.data(), is_far_enough,
                         scratch.near_entropy);
            pick_by_counts(scratch, list, scratch.near_entropy.places, candidate);
        } else if (s_ == 2) {
            scratch.near_gini.start(-1, gini_margin * n * n);
            scan_gini_of_two(entries, node, is_far_enough, scratch.near_gini, use_avx512_);
            pick_binary(scratch, open.n, scratch.near_gini.places, candidate);
        } else {
            scratch.near_gini.start(-1, gini_margin * n);
            scan_gini_multiclass(list, node, scratch.counts.data(), is_far_enough,
                                 scratch.near_gini);
            pick_by_counts(scratch, list, scratch.near_gini.places, candidate);
        }
        if (candidate.is_made) {
            for (std::size_t k = 0; k < s_; ++k) {
                scratch.best_right[k] = scratch.totals[k] - scratch.best_left[k];
            }
            candidate.top = candidate.at;
            candidate.missing_branch = candidate.at > open.n - candidate.at ? 0 : 1;
        }
    }

    // Score the cuts that may be best as scikit-learn does; the first of the best wins.

    template <class Places>
    void pick_binary(Scratch& scratch, double n, const Places& places,
                     Candidate& candidate) const {
        const double total = scratch.totals[1];
        double best = -std::numeric_limits<double>::infinity();
        for (const auto& place : places) {
            const double l = place.at;
            const double r = n - l;
            const double l1 = place.p;
            const double l0 = l - l1;
            const double r1 = total - l1;
            const double r0 = r - r1;
            const double one = 1.0 - (l0 * l0 + l1 * l1) / (l * l);
            const double other = 1.0 - (r0 * r0 + r1 * r1) / (r * r);
            const double proxy_improvement = -r * other - l * one;
            if (proxy_improvement > best) {
                best = candidate.proxy_improvement = proxy_improvement;
                candidate.at = place.at;
                candidate.is_made = true;
                scratch.best_left[0] = l0;
                scratch.best_left[1] = l1;
            }
        }
    }

    template <class Places>
    void pick_by_counts(Scratch& scratch, ListView<Entry> list, const Places& places,
                        Candidate& candidate) const {
        const Entry mask = (Entry{1} << (shift_ - 1)) - 1;
        double best = -std::numeric_limits<double>::infinity();
        std::fill(scratch.counts.begin(), scratch.counts.end(), 0U);
        std::uint32_t i = 0;
        for (const auto& place : places) {
            for (; i < place.at; ++i) {
                ++scratch.counts[static_cast<std::size_t>(list.entries[i] >> 1 & mask)];
            }
            for (std::size_t k = 0; k < s_; ++k) {
                scratch.left[k] = scratch.counts[k];
                scratch.right[k] = scratch.totals[k] - scratch.counts[k];
            }
            const double proxy_improvement =
                scratch.criterion.proxy_improvement(scratch.left.data(), scratch.right.data());
            if (proxy_improvement > best) {
                best = candidate.proxy_improvement = proxy_improvement;
                candidate.at = place.at;
                candidate.is_made = true;
                scratch.best_left = scratch.left;
            }
        }
    }

    // ---- regression without missing values

    void search_numbers(Scratch& scratch, const RowData& row_data, const OpenNode& open,
                        const Entry* entries, Candidate& candidate) const {
        PrefixSums& sums = scratch.sums;
        sums.resize(open.n);
        const double least = std::max(1.0, request_.min_samples_leaf);
        double below[3] = {0, 0, 0};
        std::size_t n = 0;
        for (std::uint32_t i = 0; i < open.n;) {
            double cell[3] = {0, 0, 0};
            do {
                add_number(row_data, entries[i++], cell);
            } while (i < open.n && (entries[i] & 1U) == 0);
            below[0] += cell[0];
            below[1] += cell[1];
            below[2] += cell[2];
            sums.at[n] = i;
            sums.w[n] = below[0];
            sums.wy[n] = below[1];
            sums.wyy[n] = below[2];
            n += i >= least && open.n - i >= least ? 1U : 0U;
        }
        if (n == 0) {
            return;
        }
        const double top =
            proxy_improvements(sums, n, below[0], below[1], min_weight_, use_avx512_);
        if (!(top >= 0)) {
            return;
        }
        const double bar = request_.shuffles ? top : top - tie_share * std::fabs(top);
        std::size_t first = 0;
        while (first + 1 < n && !(sums.proxy_improvement[first] >= bar)) {
            ++first;
        }
        std::size_t best = first;
        while (best + 1 < n && !(sums.proxy_improvement[best] >= top)) {
            ++best;
        }
        candidate.is_made = true;
        candidate.proxy_improvement = sums.proxy_improvement[first];
        candidate.at = sums.at[first];
        candidate.top = sums.at[best];
        candidate.missing_branch = candidate.at > open.n - candidate.at ? 0 : 1;
        const double left[3] = {sums.w[first], sums.wy[first], sums.wyy[first]};
        for (std::size_t k = 0; k < 3; ++k) {
            scratch.best_left[k] = left[k];
            scratch.best_right[k] = below[k] - left[k];
        }
    }

    // ---- everything else: weights, class weights, missing values, monotonic columns

    // Add the run of equal values that begins at `i` to the sums; return where it ends.
    std::uint32_t add_run(Scratch& scratch, const RowData& row_data, const Entry* entries,
                          std::uint32_t i, std::uint32_t n, double* below) const {
        std::uint32_t end = i + 1;
        while (end < n && (entries[end] & 1U) == 0) {
            ++end;
        }
        if (is_regression_) {
            double cell[3] = {0, 0, 0};
            for (; i < end; ++i) {
                add_number(row_data, entries[i], cell);
            }
            below[0] += cell[0];
            below[1] += cell[1];
            below[2] += cell[2];
            return end;
        }
        const Entry mask = (Entry{1} << (shift_ - 1)) - 1;
        const auto class_of = [&](Entry e) { return static_cast<std::size_t>(e >> 1 & mask); };
        if (request_.weight == nullptr) {
            for (; i < end; ++i) {
                below[class_of(entries[i])] += 1.0;
            }
        } else if (end == i + 1) {
            below[class_of(entries[i])] += weight_of(row_data, entries[i]);
        } else {
            for (std::uint32_t j = i; j < end; ++j) {
                scratch.cell[class_of(entries[j])] += weight_of(row_data, entries[j]);
            }
            for (std::uint32_t j = i; j < end; ++j) {
                const std::size_t k = class_of(entries[j]);
                below[k] += scratch.cell[k];
                scratch.cell[k] = 0.0;
            }
        }
        return end;
    }

    [[nodiscard]] double weight_of(const RowData& row_data, Entry e) const {
        return row_data.weight[static_cast<std::size_t>(e >> shift_)];
    }

    void add_number(const RowData& row_data, Entry e, double* cell) const {
        const auto row = static_cast<std::size_t>(e >> shift_);
        const double weight = row_data.weight == nullptr ? 1.0 : row_data.weight[row];
        const double wy = weight * row_data.y[row];
        cell[0] += weight;
        cell[1] += wy;
        cell[2] += wy * row_data.y[row];
    }

    void search_any(Scratch& scratch, const RowData& row_data, const OpenNode& open,
                    std::uint32_t c, const Entry* entries, std::uint32_t n_missing,
                    Candidate& candidate) {
        const std::uint32_t n = open.n - n_missing;
        std::fill(scratch.known.begin(), scratch.known.end(), 0.0);
        for (std::uint32_t i = 0; i < n;) {
            i = add_run(scratch, row_data, entries, i, n, scratch.known.data());
        }
        std::fill(scratch.missing.begin(), scratch.missing.end(), 0.0);
        add_missing(scratch, row_data, entries + n, n_missing);
        for (std::size_t k = 0; k < s_; ++k) {
            scratch.base[k] =
                n_missing > 0 ? scratch.known[k] + scratch.missing[k] : scratch.known[k];
        }
        scratch.near.clear();
        double top = -std::numeric_limits<double>::infinity();
        for (const bool missing_left : {false, true}) {
            if (missing_left && n_missing == 0) {
                break;
            }
            std::fill(scratch.below.begin(), scratch.below.end(), 0.0);
            for (std::uint32_t i = 0; i < n;) {
                i = add_run(scratch, row_data, entries, i, n, scratch.below.data());
                if (i < n || (n_missing > 0 && !missing_left)) {
                    consider(scratch, row_data, open, c, entries,
                             {i, n, n_missing, missing_left}, top, candidate);
                }
            }
        }
        if (!scratch.near.empty()) {
            pick_first(scratch, top, candidate);
        }
        candidate.top = candidate.at;
        if (candidate.is_made && n_missing == 0) {
            candidate.missing_branch = candidate.at > open.n - candidate.at ? 0 : 1;
        }
    }

    void add_missing(Scratch& scratch, const RowData& row_data, const Entry* entries,
                     std::uint32_t n) const {
        const Entry mask = (Entry{1} << (shift_ - 1)) - 1;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (is_regression_) {
                add_number(row_data, entries[i], scratch.missing.data());
            } else {
                scratch.missing[static_cast<std::size_t>(entries[i] >> 1 & mask)] +=
                    request_.weight == nullptr ? 1.0 : weight_of(row_data, entries[i]);
            }
        }
    }

    struct Place {
        std::uint32_t at, n, n_missing;
        bool missing_left;
    };

    void consider(Scratch& scratch, const RowData& row_data, const OpenNode& open,
                  std::uint32_t c, const Entry* entries, const Place& place, double& top,
                  Candidate& candidate) const {
        const double n_left = place.at + (place.missing_left ? place.n_missing : 0U);
        if (!(n_left >= request_.min_samples_leaf &&
              open.n - n_left >= request_.min_samples_leaf)) {
            return;
        }
        for (std::size_t k = 0; k < s_; ++k) {
            scratch.left[k] =
                place.missing_left ? scratch.below[k] + scratch.missing[k] : scratch.below[k];
            scratch.right[k] = scratch.base[k] - scratch.left[k];
        }
        if (min_weight_ > 0 &&
            !(scratch.criterion.weight(scratch.left.data()) >= min_weight_ &&
              scratch.criterion.weight(scratch.right.data()) >= min_weight_)) {
            return;
        }
        if (open.limits != nullptr &&
            !request_.constraints.admits_sums(*open.limits, c, scratch.left.data(),
                                              scratch.right.data())) {
            return;
        }
        const double proxy_improvement =
            scratch.criterion.proxy_improvement(scratch.left.data(), scratch.right.data());
        const bool near_is_equal = is_regression_ && !request_.shuffles;
        if (near_is_equal ? !(proxy_improvement >= top - tie_share * std::fabs(top))
                          : !(proxy_improvement > top)) {
            return;
        }
        if (is_sparse_[c] != 0 && place.at < place.n &&
            !is_far(row_data, c, entries, place.at)) {
            return;
        }
        if (near_is_equal) {
            scratch.near.push_back({proxy_improvement,
                                    place.at,
                                    place.missing_left,
                                    {scratch.left[0], scratch.left[1], scratch.left[2]},
                                    {scratch.right[0], scratch.right[1], scratch.right[2]}});
            if (proxy_improvement > top) {
                top = proxy_improvement;
                if (scratch.near.size() > 64) {
                    std::erase_if(scratch.near, [&](const NearTie& one) {
                        return !(one.proxy_improvement >= top - tie_share * std::fabs(top));
                    });
                }
            }
            return;
        }
        top = proxy_improvement;
        scratch.best_left = scratch.left;
        scratch.best_right = scratch.right;
        candidate.is_made = true;
        candidate.proxy_improvement = proxy_improvement;
        candidate.at = place.at;
        candidate.missing_branch = place.missing_left ? 0 : 1;
    }

    // Take the first of the candidates that are as good as the best (search.first_best).
    void pick_first(Scratch& scratch, double top, Candidate& candidate) const {
        const double least = top - tie_share * std::fabs(top);
        const auto first =
            std::find_if(scratch.near.begin(), scratch.near.end(),
                         [&](const NearTie& one) { return one.proxy_improvement >= least; });
        if (first == scratch.near.end()) {
            return;
        }
        candidate.is_made = true;
        candidate.proxy_improvement = first->proxy_improvement;
        candidate.at = first->at;
        candidate.missing_branch = first->missing_left ? 0 : 1;
        scratch.best_left.assign(first->left, first->left + 3);
        scratch.best_right.assign(first->right, first->right + 3);
    }

    // ---- partition

    // Mark the rows of the smaller child, which is moved.
    void mark_moved(const OpenNode& open, const Split& split, bool left_moves, Scratch& own) {
        const Candidate& candidate = split.candidate;
        const Entry* entries = lists_[split.column].data() + open.begin;
        const std::uint32_t n_missing = open.missing.empty() ? 0 : open.missing[split.column];
        const std::uint32_t n_known = open.n - n_missing;
        own.moved.clear();
        const auto mark = [&](std::uint32_t from, std::uint32_t to) {
            for (std::uint32_t i = from; i < to; ++i) {
                const auto row = static_cast<std::uint32_t>(entries[i] >> shift_);
                own.marks.set(row);
                own.moved.push_back(row);
            }
        };
        mark(left_moves ? 0 : candidate.at, left_moves ? candidate.at : n_known);
        if (left_moves == (candidate.missing_branch == 0)) {
            mark(n_known, open.n);
        }
    }

    void set_split(Subtree& subtree, const OpenNode& open, const Split& split,
                   const RowData& row_data) {
        const Candidate& candidate = split.candidate;
        const std::uint32_t c = split.column;
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_known = open.n - (open.missing.empty() ? 0 : open.missing[c]);
        subtree.scores[open.node].gain = candidate.gain;
        subtree.scores[open.node].missing_branch = candidate.missing_branch;
        Subtree::Node& node = subtree.nodes[open.node];
        node.low = value(row_data, c, entries[candidate.at - 1]);
        node.cut = std::numeric_limits<double>::infinity();
        if (candidate.at < n_known) {
            node.high = value(row_data, c, entries[candidate.at]);
            node.cut = sklearn_cut(node.low, node.high);
        }
    }

    void sum_children(Task& task, const OpenNode& open, const Split& split, OpenNode& left,
                      OpenNode& right) {
        double* total = task.subtree.total.data();
        bool pure[2] = {true, true};
        if (is_counted_) {
            for (std::size_t k = 0; k < s_; ++k) {
                total[left.node * s_ + k] = split.left[k];
                total[right.node * s_ + k] = total[open.node * s_ + k] - split.left[k];
            }
            pure[0] = has_one_class(total + left.node * s_);
            pure[1] = has_one_class(total + right.node * s_);
        } else {
            Scratch& scratch = task.scratch;
            std::uint32_t* rows = rows_.data() + open.begin;
            scratch.spare_rows.clear();
            std::uint32_t remaining = 0;
            for (std::uint32_t i = 0; i < open.n; ++i) {
                if (scratch.marks.get(rows[i])) {
                    scratch.spare_rows.push_back(rows[i]);
                } else {
                    rows[remaining++] = rows[i];
                }
            }
            std::copy(scratch.spare_rows.begin(), scratch.spare_rows.end(), rows + remaining);
            pure[0] =
                sum_rows(task.scratch.row_data, left.begin, left.n, total + left.node * s_);
            pure[1] =
                sum_rows(task.scratch.row_data, right.begin, right.n, total + right.node * s_);
        }
        left.is_open =
            !pure[0] && !is_leaf(task.scratch, total + left.node * s_, left.n, left.depth);
        right.is_open =
            !pure[1] && !is_leaf(task.scratch, total + right.node * s_, right.n, right.depth);
    }

    [[nodiscard]] bool has_one_class(const double* total) const {
        return std::count_if(total, total + s_, [](double rows) { return rows > 0; }) < 2;
    }

    // Partition one list in place; leaves need no list.
    void partition_list(Scratch& own, const RowBits& marks, const OpenNode& open,
                        std::uint32_t c, OpenNode& kept_child, OpenNode& moved_child) {
        Entry* list = lists_[c].data() + open.begin;
        const std::uint32_t n_missing = open.missing.empty() ? 0 : open.missing[c];
        const std::uint32_t n_known = open.n - n_missing;
        own.spare.resize(std::max<std::size_t>(own.spare.size(), moved_child.n));
        Entry* kept = kept_child.is_open ? list : nullptr;
        Entry* moved = moved_child.is_open ? own.spare.data() : nullptr;
        partition_two<Entry>({list, n_known, shift_}, marks, kept, moved, use_avx512_);
        if (n_missing > 0) {
            std::uint32_t n_moved_missing = 0;
            for (std::uint32_t i = n_known; i < open.n; ++i) {
                n_moved_missing +=
                    marks.get(static_cast<std::size_t>(list[i] >> shift_)) ? 1U : 0U;
            }
            kept_child.missing[c] = n_missing - n_moved_missing;
            moved_child.missing[c] = n_moved_missing;
            kept = kept == nullptr ? nullptr : kept + (kept_child.n - kept_child.missing[c]);
            moved =
                moved == nullptr ? nullptr : moved + (moved_child.n - moved_child.missing[c]);
            partition_two<Entry>({list + n_known, n_missing, shift_}, marks, kept, moved,
                                 use_avx512_);
        }
        if (moved_child.is_open) {
            std::memcpy(list + kept_child.n, own.spare.data(), moved_child.n * sizeof(Entry));
        }
    }

    const SklearnRequest& request_;
    std::size_t s_;
    bool is_regression_;
    bool is_counted_;
    unsigned shift_;
    bool use_avx512_;
    std::vector<Buffer<Entry>> lists_;
    std::vector<std::uint8_t> is_sparse_;  // whether some values are too close for a cut
    std::vector<std::uint32_t> rows_;      // in table order, if sums depend on it
    LogTable log_;
    double total_weight_ = 0;  // of all rows
    double min_weight_ = 0;    // of a child
    std::unique_ptr<FeatureOrder> feature_order_;
    std::vector<std::unique_ptr<Scratch>> scratch_;
    std::vector<std::uint8_t> is_constant_;
};

}  // namespace penjing
