// The growing kernel of rpart (dialects/rpart/dialect.py, grow/surrogates.py): the same tree to
// the last bit, with surrogates.
//
// An ordered column of a node is a list of its rows in value order, with missing values last;
// the rows themselves are kept in table order. The lists of a node are contiguous and
// partitioned in place. Rows without a branch are dropped.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dialects/rpart_criterion.hpp"
#include "dialects/rpart_request.hpp"
#include "dialects/rpart_rows.hpp"
#include "dialects/rpart_scan.hpp"
#include "grow/driver.hpp"
#include "grow/nodes.hpp"

namespace penjing {

class RpartKernel {
  public:
    explicit RpartKernel(const RpartRequest& request)
        : request_(request),
          s_(request.n_sums),
          is_number_(request.y != nullptr),
          lists_(request.columns.size()),
          branch_(request.n_rows, 0) {}

    struct OpenNode {
        std::uint32_t node = 0;
        std::uint32_t begin = 0;
        std::uint32_t n = 0;
        std::int64_t depth = 0;
        double most = 0;  // upper bound of the risk that splits below can remove
        bool is_pure = false;
        std::vector<std::uint32_t> known;  // rows of each ordered column whose value is known
        LimitsPointer limits;

        [[nodiscard]] std::size_t n_rows() const { return n; }
    };
    struct ColumnSplit {  // the best split of one column
        double gain = not_a_number;
        double whole = 0;
        double cut = not_a_number;
        std::int32_t last = 0;  // the last code of branch 0
        std::vector<std::int32_t> groups[2];
    };
    struct Split {
        std::size_t column = 0;
        double score = 0;
        double risk = 0;  // of the node
        std::int32_t missing_branch = -1;
        ColumnSplit best;
        std::vector<Surrogate> surrogates;
    };
    struct Scratch {
        explicit Scratch(const RpartRequest& request)
            : criterion(request),
              cell(request.n_sums),
              known(request.n_sums),
              below(request.n_sums),
              above(request.n_sums),
              splits(request.columns.size()),
              surrogates(request.columns.size()) {}
        RpartCriterion criterion;
        std::vector<double> cell, known, below, above;  // S
        std::vector<std::int32_t> codes;                // levels that occur
        std::vector<double> cells;                      // levels x S
        std::vector<std::uint32_t> counts;              // rows of each level (x branches)
        std::vector<double> gains, along, parts;
        std::vector<std::uint32_t> places;
        std::vector<std::size_t> sorted;
        std::vector<std::uint32_t> dense;
        std::vector<std::uint64_t> keys;
        std::vector<std::int8_t> steps;
        RpartThresholds thresholds;
        RpartClassScan class_scan;
        RpartPartition sides;
        std::vector<ColumnSplit> splits;  // of each column
        std::vector<Surrogate> surrogates;
        std::vector<std::int32_t> ties;
    };
    using Task = GrowTask<Scratch>;

    // ---- for the driver

    [[nodiscard]] NodeLayout layout() const { return {s_, false, false, true}; }

    Scratch& scratch(int thread) { return *scratch_[static_cast<std::size_t>(thread)]; }

    std::optional<OpenNode> start(Subtree& subtree, ThreadPool& pool, const PollCallback&) {
        for (int i = 0; i < pool.size(); ++i) {
            scratch_.push_back(std::make_unique<Scratch>(request_));
        }
        const std::size_t n = request_.n_rows;
        OpenNode root;
        root.n = static_cast<std::uint32_t>(n);
        root.known.assign(request_.columns.size(), 0);
        pool.run(request_.columns.size(), [&](std::size_t c, int) {
            if (request_.columns[c].ordered) {
                root.known[c] = sort(c);
            }
        });
        rows_.resize(n);
        std::iota(rows_.begin(), rows_.end(), 0U);
        if (request_.raw_y != nullptr) {
            sorted_rows_ = rows_;
            if (const std::int32_t* sorted = request_.sorted[0]; sorted != nullptr) {
                std::copy(sorted, sorted + n, sorted_rows_.begin());
            }
        }
        subtree.add_nodes(1);
        root.is_pure = sum_rows(0, root.n, subtree.total_of(0));
        const double risk = scratch_[0]->criterion.loss(subtree.total_of(0));
        alpha_ = request_.alpha >= 0 ? request_.alpha : request_.cp * risk;
        root.most = risk;
        root.limits = request_.constraints.root();
        return root;
    }

    bool stops(Task& task, const OpenNode& open) const {
        if (open.is_pure || (request_.max_depth >= 0 && open.depth >= request_.max_depth) ||
            open.n < request_.min_split) {
            return true;
        }
        const double risk = task.scratch.criterion.loss(task.subtree.total_of(open.node));
        return std::min(risk, open.most) <= alpha_;
    }

    template <class Pool>
    bool search(Task& task, const OpenNode& open, Split& split, Pool&& pool) {
        Scratch& own = task.scratch;
        split.risk = own.criterion.loss(task.subtree.total_of(open.node));
        const double scale = request_.raw_y == nullptr ? split.risk : risk_by_row(open);
        pool.run(request_.columns.size(), [&](std::size_t c, int thread) {
            search_column(scratch_of(thread, own), open, c, scale, own.splits[c]);
        });
        const int winner = choose(own, split);
        if (winner < 0 ||
            !(own.splits[static_cast<std::size_t>(winner)].gain >= request_.min_gain)) {
            return false;
        }
        split.column = static_cast<std::size_t>(winner);
        split.best = std::move(own.splits[split.column]);
        split.missing_branch = -1;
        split.surrogates.clear();
        task.subtree.set_ties(open.node, own.ties);
        route_rows(open, split);
        find_surrogates(own, open, split, pool);
        return true;
    }

    [[nodiscard]] double worth(Task& task, const OpenNode& open, const Split& split) const {
        const double* total = task.subtree.total_of(open.node);
        if (is_number_) {
            return total[0] * split.best.gain;
        }
        std::vector<double> adjusted(total, total + s_);
        for (std::size_t k = 0; request_.loss_factor != nullptr && k < s_; ++k) {
            adjusted[k] *= request_.loss_factor[k];
        }
        return pairwise_sum(adjusted.data(), s_) * split.best.gain;
    }
    [[nodiscard]] static std::size_t n_branches(const Split&) { return 2; }

    template <class Pool>
    void divide(Task& task, const OpenNode& open, Split& split, Pool&& pool,
                std::vector<OpenNode>& open_nodes) {
        Subtree& subtree = task.subtree;
        Scratch& own = task.scratch;
        const std::uint32_t first = subtree.split(open.node, split.column, 2);
        subtree.nodes[open.node].cut = split.best.cut;
        Subtree::Score& score = subtree.scores[open.node];
        score.gain = split.best.gain;
        score.score = split.score;
        score.missing_branch = split.missing_branch;
        if (!request_.columns[split.column].ordered) {
            subtree.set_levels(first, split.best.groups[0]);
            subtree.set_levels(first + 1, split.best.groups[1]);
        }
        route_missing(split, open);
        subtree.set_surrogates(open.node, std::move(split.surrogates));

        OpenNode children[2];
        std::uint32_t begin = open.begin;
        own.sides.start(open.n);
        own.sides.add(rows_.data() + open.begin, open.n, 0, branch_.data());
        for (std::uint32_t b = 0; b < 2; ++b) {
            OpenNode& child = children[b];
            child.node = first + b;
            child.begin = begin;
            child.n = own.sides.size(b);
            own.sides.copy(b, rows_.data() + begin);
            begin += child.n;
            child.depth = open.depth + 1;
            child.most = std::min(split.risk, open.most) - alpha_;
            child.is_pure = sum_rows(child.begin, child.n, subtree.total_of(child.node));
            child.known.assign(request_.columns.size(), 0);
        }
        if (open.limits != nullptr) {
            std::tie(children[0].limits, children[1].limits) =
                request_.constraints.below(open.limits, split.column, subtree.total_of(first),
                                           subtree.total_of(first + 1));
        }
        if (request_.raw_y != nullptr) {
            own.sides.start(open.n);
            own.sides.add(sorted_rows_.data() + open.begin, open.n, 0, branch_.data());
            for (std::uint32_t b = 0; b < 2; ++b) {
                own.sides.copy(b, sorted_rows_.data() + children[b].begin);
            }
        }
        pool.run(request_.columns.size(), [&](std::size_t d, int thread) {
            if (request_.columns[d].ordered) {
                partition_list(d, open, children, scratch_of(thread, own).sides);
            }
        });
        open_nodes.push_back(std::move(children[1]));
        open_nodes.push_back(std::move(children[0]));
    }

  private:
    static constexpr std::size_t few_cells = 1024;
    class CandidateSearch;

    Scratch& scratch_of(int thread, Scratch& own) { return thread < 0 ? own : scratch(thread); }

    void partition_list(std::size_t d, const OpenNode& open, OpenNode (&children)[2],
                        RpartPartition& sides) {
        const std::uint32_t* list = list_of(d) + open.begin;
        sides.start(open.n);
        sides.add(list, open.known[d], 1, branch_.data());
        children[0].known[d] = sides.size(0);
        children[1].known[d] = sides.size(1);
        // Rows without a value have no flags.
        sides.add(list + open.known[d], open.n - open.known[d], 1, branch_.data());
        for (std::uint32_t b = 0; b < 2; ++b) {
            sides.copy(b, list_of(d) + children[b].begin);
        }
    }

    static std::uint32_t row_of(std::uint32_t entry) { return entry >> 1; }

    [[nodiscard]] double weight_of(std::uint32_t row) const {
        return request_.weight == nullptr ? 1.0 : request_.weight[row];
    }

    [[nodiscard]] std::uint32_t* list_of(std::size_t c) {
        return request_.lists.empty() ? lists_[c].data() : request_.lists[c];
    }
    std::uint32_t* make_list(std::size_t c) {
        if (request_.lists.empty()) {
            lists_[c] = Buffer<std::uint32_t>(request_.n_rows);
        }
        return list_of(c);
    }

    // Sort the rows of a column by its codes, equal ones in the order of the table.
    std::uint32_t sort(std::size_t c) {
        if (request_.raw_y != nullptr) {
            return copy_sorted(c);
        }
        const GrowColumn& column = request_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        std::uint32_t* list = make_list(c);
        std::vector<std::uint32_t> next(n_levels + 2, 0);
        const auto slot = [&](std::size_t row) {
            return column.codes[row] < 0 ? n_levels
                                         : static_cast<std::size_t>(column.codes[row]);
        };
        for (std::size_t row = 0; row < request_.n_rows; ++row) {
            ++next[slot(row) + 1];
        }
        const std::uint32_t n_missing = next[n_levels + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t row = 0; row < request_.n_rows; ++row) {
            list[next[slot(row)]++] = static_cast<std::uint32_t>(row) << 1;
        }
        for (std::size_t level = 0; level < n_levels; ++level) {
            const std::uint32_t begin = level == 0 ? 0 : next[level - 1];
            if (begin < next[level]) {
                list[begin] |= 1U;
            }
        }
        return static_cast<std::uint32_t>(request_.n_rows) - n_missing;
    }

    // Copy the order in which rpart has sorted a column.
    std::uint32_t copy_sorted(std::size_t c) {
        const std::int32_t* codes = request_.columns[c].codes;
        const std::int32_t* sorted = request_.sorted[c];
        std::vector<std::uint32_t> missing_entries;
        std::uint32_t* list = make_list(c);
        std::uint32_t n = 0;
        std::int32_t before = -1;
        for (std::size_t i = 0; i < request_.n_rows; ++i) {
            const std::int32_t row = sorted[i];
            const std::uint32_t entry = static_cast<std::uint32_t>(row) << 1;
            if (codes[row] < 0) {
                missing_entries.push_back(entry);
            } else {
                list[n++] = entry | (codes[row] == before ? 0U : 1U);
                before = codes[row];
            }
        }
        std::copy(missing_entries.begin(), missing_entries.end(), list + n);
        return n;
    }

    // The sum of squares about the mean, row by row; that of the root in table order.
    [[nodiscard]] double risk_by_row(const OpenNode& open) const {
        const std::uint32_t* rows =
            (open.depth == 0 ? rows_.data() : sorted_rows_.data()) + open.begin;
        double sum = 0;
        double weight = 0;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            sum += request_.raw_y[rows[i]] * weight_of(rows[i]);
            weight += weight_of(rows[i]);
        }
        const double mean = sum / weight;
        double squares = 0;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const double off = request_.raw_y[rows[i]] - mean;
            squares += off * off * weight_of(rows[i]);
        }
        return squares;
    }

    // Sum rows in table order; returns whether all targets are equal.
    bool sum_rows(std::uint32_t begin, std::uint32_t n, double* total) const {
        std::fill(total, total + s_, 0.0);
        bool is_pure = true;
        for (std::uint32_t i = begin; i < begin + n; ++i) {
            add_row(rows_[i], total);
            is_pure = is_pure && request_.target[rows_[i]] == request_.target[rows_[begin]];
        }
        return is_pure;
    }

    void add_row(std::uint32_t row, double* sums) const {
        const double weight = weight_of(row);
        if (is_number_) {
            const double wy = weight * request_.y[row];
            sums[0] += weight;
            sums[1] += wy;
            sums[2] += wy * request_.y[row];
        } else {
            sums[request_.target[row]] += weight;
        }
    }

    // ---- the best split of one column

    void search_column(Scratch& scratch, const OpenNode& open, std::size_t c, double risk,
                       ColumnSplit& split) {
        split = ColumnSplit{};
        if (open.limits != nullptr && open.limits->excludes(c)) {
            return;
        }
        if (request_.columns[c].ordered) {
            if (request_.raw_y != nullptr) {
                best_cut_by_row(open, c, risk, split);
            } else {
                best_cut(scratch, open, c, risk, split);
            }
        } else if (request_.raw_y != nullptr) {
            best_groups_by_row(scratch, open, c, risk, split);
        } else {
            count(scratch, open, c, s_,
                  [&](std::uint32_t row, double* sums) { add_row(row, sums); });
            if (scratch.codes.size() >= 2) {
                best_groups(scratch, c, risk, split);
            }
        }
    }

    // Add the run of equal values that begins at `i`; return where it ends.
    std::uint32_t add_run(Scratch& scratch, const std::uint32_t* list, std::uint32_t i,
                          std::uint32_t n, double* below) const {
        if (i + 1 >= n || (list[i + 1] & 1U) != 0) {  // a single row: 0 + x is x
            if (is_number_) {
                std::fill(scratch.cell.begin(), scratch.cell.end(), 0.0);
                add_row(row_of(list[i]), scratch.cell.data());
                add(scratch.cell.data(), below);
            } else {
                add_row(row_of(list[i]), below);
            }
            return i + 1;
        }
        std::fill(scratch.cell.begin(), scratch.cell.end(), 0.0);
        do {
            add_row(row_of(list[i++]), scratch.cell.data());
        } while (i < n && (list[i] & 1U) == 0);
        add(scratch.cell.data(), below);
        return i;
    }

    void add(const double* cell, double* sums) const {
        for (std::size_t k = 0; k < s_; ++k) {
            sums[k] += cell[k];
        }
    }

    void best_cut(Scratch& scratch, const OpenNode& open, std::size_t c, double risk,
                  ColumnSplit& split) {
        const std::uint32_t* list = list_of(c) + open.begin;
        const std::uint32_t n = open.known[c];
        CandidateSearch search_(*this, scratch, n, risk);
        const bool is_found =
            request_.constraints.has_direction(c) ? scan_monotonic(scratch, open, c, search_)
            : request_.weight != nullptr          ? scan_weighted(scratch, list, n, search_)
            : is_number_                          ? scan_numbers(scratch, list, n, search_)
                                                  : scan_classes(scratch, list, n, search_);
        if (!is_found || !search_.accept(split)) {
            return;
        }
        const std::uint32_t at = search_.place;
        const GrowColumn& column = request_.columns[c];
        split.last = column.codes[row_of(list[at - 1])];
        split.cut =
            rpart_cut(column.levels[split.last], column.levels[column.codes[row_of(list[at])]]);
    }

    // Compare the thresholds of a column; false if it has only one value, or none.
    bool scan_weighted(Scratch& scratch, const std::uint32_t* list, std::uint32_t n,
                       CandidateSearch& search_) const {
        std::fill(scratch.known.begin(), scratch.known.end(), 0.0);
        std::uint32_t last_run = 0;
        for (std::uint32_t i = 0; i < n;) {
            last_run = i;
            i = add_run(scratch, list, i, n, scratch.known.data());
        }
        std::fill(scratch.below.begin(), scratch.below.end(), 0.0);
        for (std::uint32_t i = 0; i < n && last_run > 0;) {
            i = add_run(scratch, list, i, n, scratch.below.data());
            if (i < n) {
                search_.consider(i, i);
            }
        }
        return last_run > 0;
    }

    // The same for a column in which values are monotonic: not every threshold is allowed.
    bool scan_monotonic(Scratch& scratch, const OpenNode& open, std::size_t c,
                        CandidateSearch& search_) {
        const std::uint32_t* list = list_of(c) + open.begin;
        const std::uint32_t n = open.known[c];
        std::fill(scratch.known.begin(), scratch.known.end(), 0.0);
        std::uint32_t last_run = 0;
        for (std::uint32_t i = 0; i < n;) {
            last_run = i;
            i = add_run(scratch, list, i, n, scratch.known.data());
        }
        const bool by_row = sums_weights_by_row();
        double w_left = by_row ? 0.0 : -1.0;
        double w_right = by_row ? total_weight(n) : -1.0;
        if (by_row) {
            search_.start(w_right);
        }
        std::fill(scratch.below.begin(), scratch.below.end(), 0.0);
        for (std::uint32_t i = 0; i < n && last_run > 0;) {
            const std::uint32_t begin = i;
            i = add_run(scratch, list, i, n, scratch.below.data());
            for (std::uint32_t row = begin; by_row && row < i; ++row) {
                w_left += request_.common_prior;
                w_right -= request_.common_prior;
            }
            for (std::size_t k = 0; k < s_; ++k) {
                scratch.above[k] = scratch.known[k] - scratch.below[k];
            }
            if (i < n && request_.constraints.admits_sums(*open.limits, c, scratch.below.data(),
                                                          scratch.above.data())) {
                search_.consider(i, i, w_left, w_right);
            }
        }
        return last_run > 0;
    }

    // The same for numbers of rows of weight 1.
    bool scan_numbers(Scratch& scratch, const std::uint32_t* list, std::uint32_t n,
                      CandidateSearch&) const {
        scratch.thresholds.sum(list, n, request_.y);
        if (scratch.thresholds.places.size() < 2) {
            return false;
        }
        scratch.thresholds.gains(n, request_.min_bucket, scratch.gains);
        scratch.places.swap(scratch.thresholds.places);
        return true;
    }

    // The same for classes of rows of weight 1.
    bool scan_classes(Scratch& scratch, const std::uint32_t* list, std::uint32_t n,
                      CandidateSearch& search_) const {
        std::fill(scratch.known.begin(), scratch.known.end(), 0.0);
        bool is_split = false;
        for (std::uint32_t i = 0; i < n; ++i) {
            scratch.known[static_cast<std::size_t>(request_.target[row_of(list[i])])] += 1.0;
            is_split = is_split || (i > 0 && (list[i] & 1U) != 0);
        }
        if (!is_split) {
            return false;
        }
        double all = -1;
        if (sums_weights_by_row()) {
            all = total_weight(n);
            search_.start(all);
        }
        scratch.class_scan.scan(request_, list, n, scratch.known.data(),
                                all < 0 ? -1.0 : request_.common_prior, all);
        search_.best = scratch.class_scan.best;
        search_.place = scratch.class_scan.place;
        return true;
    }

    // The same with rows summed one by one; the first of equal cuts wins, to the last bit.
    void best_cut_by_row(const OpenNode& open, std::size_t c, double risk, ColumnSplit& split) {
        const std::uint32_t* list = list_of(c) + open.begin;
        const std::uint32_t n = open.known[c];
        if (n == 0) {
            return;
        }
        RpartSides sides([&](const auto& visit) {
            for (std::uint32_t i = 0; i < n; ++i) {
                visit(request_.raw_y[row_of(list[i])], weight_of(row_of(list[i])));
            }
        });
        const bool is_monotonic = request_.constraints.has_direction(c);
        double best = 0;
        std::uint32_t at = 0;
        for (std::uint32_t i = 0; i + 1 < n; ++i) {
            const std::uint32_t row = row_of(list[i]);
            sides.move(sides.off(request_.raw_y[row], weight_of(row)), weight_of(row));
            const bool is_admissible =
                i + 1 >= request_.min_bucket && n - i - 1 >= request_.min_bucket &&
                (!is_monotonic ||
                 request_.constraints.admits(*open.limits, c, sides.left_value(request_.centre),
                                             sides.right_value(request_.centre)));
            if (is_admissible && (list[i + 1] & 1U) != 0 && sides.gain() > best) {
                best = sides.gain();
                at = i + 1;
            }
        }
        split.whole = 1.0;
        if (!CandidateSearch::is_worthwhile(split, risk > 0 ? best / risk : 0.0)) {
            return;
        }
        const GrowColumn& column = request_.columns[c];
        split.last = column.codes[row_of(list[at - 1])];
        split.cut =
            rpart_cut(column.levels[split.last], column.levels[column.codes[row_of(list[at])]]);
    }

    // The best grouping of categories in the order of their means, with rows summed one by one.
    void best_groups_by_row(Scratch& scratch, const OpenNode& open, std::size_t c, double risk,
                            ColumnSplit& split) const {
        const std::int32_t* codes = request_.columns[c].codes;
        const std::uint32_t* rows = rows_.data() + open.begin;
        RpartSides sides([&](const auto& visit) {
            for (std::uint32_t i = 0; i < open.n; ++i) {
                if (codes[rows[i]] >= 0) {
                    visit(request_.raw_y[rows[i]], weight_of(rows[i]));
                }
            }
        });
        count(scratch, open, c, 2, [&](std::uint32_t row, double* sums) {
            sums[0] += weight_of(row);
            sums[1] += sides.off(request_.raw_y[row], weight_of(row));
        });
        const std::size_t n = scratch.codes.size();
        if (n < 2) {
            return;
        }
        scratch.along.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            scratch.along[i] = scratch.cells[2 * i + 1] / scratch.cells[2 * i];
        }
        sort_along(scratch);
        const std::uint32_t n_rows =
            std::accumulate(scratch.counts.begin(), scratch.counts.end(), std::uint32_t{0});
        std::uint32_t n_left = 0;
        std::size_t n_best = 0;
        double best = 0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const std::size_t level = scratch.sorted[i];
            sides.move(scratch.cells[2 * level + 1], scratch.cells[2 * level]);
            n_left += scratch.counts[level];
            const bool is_admissible =
                n_left >= request_.min_bucket && n_rows - n_left >= request_.min_bucket;
            if (is_admissible && sides.gain() > best) {
                best = sides.gain();
                n_best = i + 1;
            }
        }
        split.whole = 1.0;
        if (!CandidateSearch::is_worthwhile(split, risk > 0 ? best / risk : 0.0)) {
            return;
        }
        std::vector<std::uint8_t> is_left(n, 0);
        for (std::size_t i = 0; i < n_best; ++i) {
            is_left[scratch.sorted[i]] = 1;
        }
        for (std::size_t i = 0; i < n; ++i) {  // the group of lower means is the left one
            split.groups[is_left[i] != 0 ? 0 : 1].push_back(scratch.codes[i]);
        }
    }

    // Whether weights must be summed row by row to be rounded as in rpart.
    [[nodiscard]] bool sums_weights_by_row() const {
        return !is_number_ && request_.common_prior != 1.0 && request_.weight == nullptr;
    }
    [[nodiscard]] double total_weight(std::uint32_t n) const {
        double sum = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            sum += request_.common_prior;
        }
        return sum;
    }

    // Compares the candidates of one column; `known` and `below` of the scratch memory are the
    // sums.
    class CandidateSearch {
      public:
        CandidateSearch(const RpartKernel& kernel, Scratch& scratch, std::uint32_t n,
                        double risk)
            : kernel_(kernel), scratch_(scratch), n_(n), risk_(risk) {
            scratch.gains.clear();
            scratch.places.clear();
        }

        std::uint32_t place = 0;
        double best = std::numeric_limits<double>::infinity();

        void start(double all) { all_ = all; }
        void consider(std::uint32_t name, std::uint32_t n_left, double w_left = -1,
                      double w_right = -1) {
            const std::uint32_t min_bucket = kernel_.request_.min_bucket;
            if (n_left < min_bucket || n_ - n_left < min_bucket) {
                return;
            }
            const std::vector<double>& left = scratch_.below;
            if (kernel_.is_number_) {
                const double centre = scratch_.known[1] / scratch_.known[0];
                const double off = left[1] - centre * left[0];
                const double right = scratch_.known[0] - left[0];
                // The weight of a side may be lost in the difference of sums.
                const bool is_lost = !(left[0] > 0 && right > 0);
                scratch_.gains.push_back(is_lost ? 0.0
                                                 : off * off / left[0] + off * off / right);
                scratch_.places.push_back(name);
                return;
            }
            for (std::size_t k = 0; k < kernel_.s_; ++k) {
                scratch_.above[k] = scratch_.known[k] - left[k];
            }
            const double weighted_impurity = scratch_.criterion.weighted_impurity(
                left.data(), scratch_.above.data(), w_left, w_right);
            if (weighted_impurity < best) {
                best = weighted_impurity;
                place = name;
            }
        }
        // The gain of the best candidate (classification).
        [[nodiscard]] double gain() { return whole() - best; }
        [[nodiscard]] double whole() {
            std::fill(scratch_.above.begin(), scratch_.above.end(), 0.0);
            double rest = -1;
            if (all_ >= 0) {
                rest = all_;
                for (std::uint32_t i = 0; i < n_; ++i) {
                    rest -= kernel_.request_.common_prior;
                }
            }
            return scratch_.criterion.weighted_impurity(scratch_.known.data(),
                                                        scratch_.above.data(), all_, rest);
        }
        // Whether there is a best candidate with a positive gain.
        bool accept(ColumnSplit& split) {
            double worth = 0;
            if (kernel_.is_number_) {
                split.whole = 1.0;
                if (scratch_.gains.empty()) {
                    return false;
                }
                const double top =
                    *std::max_element(scratch_.gains.begin(), scratch_.gains.end());
                const double bar = top - tie_share * std::fabs(top);
                std::size_t i = 0;
                while (i + 1 < scratch_.gains.size() && !(scratch_.gains[i] >= bar)) {
                    ++i;
                }
                place = scratch_.places[i];
                worth = risk_ > 0 ? scratch_.gains[i] / risk_ : 0.0;
            } else {
                split.whole = whole();
                if (std::isinf(best)) {
                    return false;
                }
                worth = split.whole - best;
            }
            return is_worthwhile(split, worth);
        }
        static bool is_worthwhile(ColumnSplit& split, double worth) {
            constexpr double nothing = 1e-10;
            if (worth <= split.whole * nothing) {
                return false;
            }
            split.gain = worth;
            return true;
        }

      private:
        const RpartKernel& kernel_;
        Scratch& scratch_;
        std::uint32_t n_;
        double risk_;
        double all_ = -1;
    };

    // Sum the rows of a categorical column by category: `size` sums and the number of rows
    // each.
    template <class Add>
    void count(Scratch& scratch, const OpenNode& open, std::size_t c, std::size_t size,
               const Add& add_to) const {
        const GrowColumn& column = request_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        scratch.codes.clear();
        scratch.cells.clear();
        scratch.counts.clear();
        const std::uint32_t* rows = rows_.data() + open.begin;
        if (n_levels * size <= few_cells) {
            count_few(scratch, open, column, size, add_to);
            return;
        }
        if (n_levels <= 4 * static_cast<std::size_t>(open.n) + 16) {
            scratch.dense.assign(n_levels, 0);
            for (std::uint32_t i = 0; i < open.n; ++i) {
                if (column.codes[rows[i]] >= 0) {
                    ++scratch.dense[static_cast<std::size_t>(column.codes[rows[i]])];
                }
            }
            for (std::size_t level = 0; level < n_levels; ++level) {
                if (scratch.dense[level] > 0) {
                    scratch.codes.push_back(static_cast<std::int32_t>(level));
                    scratch.counts.push_back(scratch.dense[level]);
                    scratch.dense[level] = static_cast<std::uint32_t>(scratch.codes.size() - 1);
                }
            }
            scratch.cells.assign(scratch.codes.size() * size, 0.0);
            for (std::uint32_t i = 0; i < open.n; ++i) {
                const std::int32_t code = column.codes[rows[i]];
                if (code >= 0) {
                    add_to(rows[i], scratch.cells.data() +
                                        scratch.dense[static_cast<std::size_t>(code)] * size);
                }
            }
            return;
        }
        scratch.keys.clear();
        for (std::uint32_t i = 0; i < open.n; ++i) {
            if (column.codes[rows[i]] >= 0) {
                scratch.keys.push_back(static_cast<std::uint64_t>(column.codes[rows[i]]) << 32 |
                                       rows[i]);
            }
        }
        std::sort(scratch.keys.begin(), scratch.keys.end());
        for (const std::uint64_t key : scratch.keys) {
            const auto code = static_cast<std::int32_t>(key >> 32);
            if (scratch.codes.empty() || scratch.codes.back() != code) {
                scratch.codes.push_back(code);
                scratch.counts.push_back(0);
                scratch.cells.resize(scratch.cells.size() + size, 0.0);
            }
            ++scratch.counts.back();
            add_to(static_cast<std::uint32_t>(key),
                   scratch.cells.data() + scratch.cells.size() - size);
        }
    }

    // The same in one pass, where the sums of all categories are few.
    template <class Add>
    void count_few(Scratch& scratch, const OpenNode& open, const GrowColumn& column,
                   std::size_t size, const Add& add_to) const {
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        scratch.cells.assign(n_levels * size, 0.0);
        scratch.counts.assign(n_levels, 0);
        const std::uint32_t* rows = rows_.data() + open.begin;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const std::int32_t code = column.codes[rows[i]];
            if (code >= 0) {
                const auto level = static_cast<std::size_t>(code);
                ++scratch.counts[level];
                add_to(rows[i], scratch.cells.data() + level * size);
            }
        }
        for (std::size_t level = 0; level < n_levels; ++level) {
            if (scratch.counts[level] == 0) {
                continue;
            }
            const std::size_t to = scratch.codes.size();
            scratch.codes.push_back(static_cast<std::int32_t>(level));
            scratch.counts[to] = scratch.counts[level];
            std::copy_n(scratch.cells.begin() + static_cast<std::ptrdiff_t>(level * size), size,
                        scratch.cells.begin() + static_cast<std::ptrdiff_t>(to * size));
        }
        scratch.counts.resize(scratch.codes.size());
        scratch.cells.resize(scratch.codes.size() * size);
    }

    void best_groups(Scratch& scratch, std::size_t, double risk, ColumnSplit& split) const {
        const std::size_t n = scratch.codes.size();
        std::fill(scratch.known.begin(), scratch.known.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            add(scratch.cells.data() + i * s_, scratch.known.data());
        }
        const std::uint32_t n_rows =
            std::accumulate(scratch.counts.begin(), scratch.counts.end(), std::uint32_t{0});
        std::vector<std::uint8_t> is_left(n, 0);
        if (!is_number_ && request_.n_classes > 2) {
            if (!best_of_all_groups(scratch, n_rows, risk, is_left, split)) {
                return;
            }
        } else {
            sort_levels(scratch);
            std::fill(scratch.below.begin(), scratch.below.end(), 0.0);
            CandidateSearch search_(*this, scratch, n_rows, risk);
            std::uint32_t n_left = 0;
            for (std::size_t i = 0; i + 1 < n; ++i) {
                add(scratch.cells.data() + scratch.sorted[i] * s_, scratch.below.data());
                n_left += scratch.counts[scratch.sorted[i]];
                search_.consider(static_cast<std::uint32_t>(i), n_left);
            }
            if (!search_.accept(split)) {
                return;
            }
            for (std::size_t i = 0; i <= search_.place; ++i) {
                is_left[scratch.sorted[i]] = 1;
            }
        }
        orient(scratch, is_left);
        for (std::size_t i = 0; i < n; ++i) {
            split.groups[is_left[i] != 0 ? 0 : 1].push_back(scratch.codes[i]);
        }
    }

    // Categories by the share of the first class, or by mean; a stable sort.
    void sort_levels(Scratch& scratch) const {
        const std::size_t n = scratch.codes.size();
        scratch.along.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double* cell = scratch.cells.data() + i * s_;
            if (is_number_) {
                scratch.along[i] = scratch.criterion.mean(cell);
                continue;
            }
            double weight = 0;
            for (std::size_t k = 0; k < request_.n_classes; ++k) {
                weight += request_.prior_factor == nullptr ? cell[k]
                                                           : cell[k] * request_.prior_factor[k];
            }
            scratch.along[i] = cell[0] / weight;
        }
        sort_along(scratch);
    }
    static void sort_along(Scratch& scratch) {
        scratch.sorted.resize(scratch.along.size());
        std::iota(scratch.sorted.begin(), scratch.sorted.end(), std::size_t{0});
        std::stable_sort(
            scratch.sorted.begin(), scratch.sorted.end(),
            [&](std::size_t a, std::size_t b) { return scratch.along[a] < scratch.along[b]; });
    }

    // All groupings in Gray-code order: each differs from the one before by one category.
    // Scored in batches: candidates of a batch are compared by impurity, batches by gain.
    bool best_of_all_groups(Scratch& scratch, std::uint32_t n_rows, double risk,
                            std::vector<std::uint8_t>& is_left, ColumnSplit& split) const {
        constexpr std::uint64_t at_once = 1U << 14;
        const std::size_t n = scratch.codes.size();
        const std::uint64_t end = std::uint64_t{1} << (n - 1);
        std::fill(scratch.below.begin(), scratch.below.end(), 0.0);
        std::uint32_t n_left = 0;
        double best_gain = 0;
        bool any = false;
        std::uint64_t best_step = 0;
        for (std::uint64_t start = 1; start < end; start += at_once) {
            CandidateSearch search_(*this, scratch, n_rows, risk);
            const std::uint64_t stop = std::min(start + at_once, end);
            for (std::uint64_t step = start; step < stop; ++step) {
                const auto level = static_cast<std::size_t>(std::countr_zero(step));
                const bool enters = ((step ^ step >> 1) >> level & 1U) != 0;
                for (std::size_t k = 0; k < s_; ++k) {
                    const double cell = scratch.cells[level * s_ + k];
                    scratch.below[k] =
                        enters ? scratch.below[k] + cell : scratch.below[k] - cell;
                }
                n_left =
                    enters ? n_left + scratch.counts[level] : n_left - scratch.counts[level];
                search_.consider(static_cast<std::uint32_t>(step - start), n_left);
            }
            split.whole = search_.whole();
            const double gain = std::isinf(search_.best) ? 0.0 : split.whole - search_.best;
            if (!any || gain > best_gain) {
                any = true;
                best_gain = gain;
                best_step = start + search_.place;
            }
        }
        const std::uint64_t sides = best_step ^ best_step >> 1;
        for (std::size_t i = 0; i < n; ++i) {
            is_left[i] = (sides >> i & 1U) != 0 ? 1 : 0;
        }
        return CandidateSearch::is_worthwhile(split, best_gain);
    }

    // The group of the lower mean becomes the left one.
    void orient(Scratch& scratch, std::vector<std::uint8_t>& is_left) const {
        std::fill(scratch.below.begin(), scratch.below.end(), 0.0);
        std::fill(scratch.above.begin(), scratch.above.end(), 0.0);
        for (std::size_t i = 0; i < is_left.size(); ++i) {
            add(scratch.cells.data() + i * s_,
                is_left[i] != 0 ? scratch.below.data() : scratch.above.data());
        }
        const double left = scratch.criterion.mean(scratch.below.data());
        const double right = scratch.criterion.mean(scratch.above.data());
        if (is_number_ ? left > right : !(left < right)) {
            for (std::uint8_t& side : is_left) {
                side = side != 0 ? 0 : 1;
            }
        }
    }

    // ---- the choice between columns

    int choose(Scratch& scratch, Split& split) const {
        const std::vector<ColumnSplit>& splits = scratch.splits;
        scratch.ties.clear();
        const std::size_t n = request_.columns.size();
        const auto cost = [&](std::size_t c) {
            return request_.cost == nullptr ? 1.0 : request_.cost[c];
        };
        const auto score = [&](std::size_t c) {
            return request_.cost == nullptr ? splits[c].gain
                                            : splits[c].gain / request_.cost[c];
        };
        int winner = -1;
        double top = not_a_number;
        for (std::size_t c = 0; c < n; ++c) {
            const double one = score(c);
            if (!std::isnan(one) && !(one <= top)) {
                top = one;
                winner = static_cast<int>(c);
            }
        }
        if (winner < 0) {
            return winner;
        }
        for (std::size_t c = 0; c < n; ++c) {
            if (score(c) + tie_share * splits[c].whole / cost(c) >= top) {
                scratch.ties.push_back(static_cast<std::int32_t>(c));
            }
        }
        if (is_number_ && request_.raw_y == nullptr) {
            winner = scratch.ties.front();
        }
        split.score = score(static_cast<std::size_t>(winner));
        return winner;
    }

    // ---- surrogates

    // The branch of each category, 2 if it has none; empty for an ordered column.
    static std::vector<std::uint8_t> branch_by_code(
        const GrowColumn& column, const std::vector<std::int32_t> (&groups)[2]) {
        std::vector<std::uint8_t> by_code;
        if (!column.ordered) {
            by_code.assign(static_cast<std::size_t>(column.n_levels), 2);
            for (std::uint8_t b = 0; b < 2; ++b) {
                for (const std::int32_t code : groups[b]) {
                    by_code[static_cast<std::size_t>(code)] = b;
                }
            }
        }
        return by_code;
    }

    // The branch of each row by the split itself: 0, 1, or 2 if its value is missing.
    void route_rows(const OpenNode& open, const Split& chosen) {
        const GrowColumn& column = request_.columns[chosen.column];
        const ColumnSplit& split = chosen.best;
        const std::vector<std::uint8_t> by_code = branch_by_code(column, split.groups);
        for (std::uint32_t i = open.begin; i < open.begin + open.n; ++i) {
            const std::int32_t code = column.codes[rows_[i]];
            branch_[rows_[i]] = code < 0            ? std::uint8_t{2}
                                : !column.ordered   ? by_code[static_cast<std::size_t>(code)]
                                : code > split.last ? std::uint8_t{1}
                                                    : std::uint8_t{0};
        }
    }

    struct RoutedWeights {
        double weight[2];
        std::size_t left, right;  // which branch is rpart's left one
    };

    template <class Pool>
    void find_surrogates(Scratch& own, const OpenNode& open, Split& split, Pool&& pool) {
        if (request_.max_surrogates == 0 || (!request_.without_surrogates.empty() &&
                                             request_.without_surrogates[split.column])) {
            return;
        }
        const RoutedWeights routed = routed_weights(own, open, split.column);
        pool.run(request_.columns.size(), [&](std::size_t d, int thread) {
            Surrogate& surrogate = own.surrogates[d];
            surrogate.agreement = not_a_number;
            if (d == split.column) {
                return;
            }
            if (request_.columns[d].ordered) {
                surrogate_cut(scratch_of(thread, own), open, d, routed, surrogate);
            } else {
                surrogate_groups(scratch_of(thread, own), open, d, routed, surrogate);
            }
        });
        for (const Surrogate& surrogate : own.surrogates) {
            if (!std::isnan(surrogate.agreement)) {
                split.surrogates.push_back(surrogate);
            }
        }
        std::stable_sort(
            split.surrogates.begin(), split.surrogates.end(),
            [](const Surrogate& a, const Surrogate& b) { return a.agreement > b.agreement; });
        if (split.surrogates.size() > request_.max_surrogates) {
            split.surrogates.resize(request_.max_surrogates);
        }
        if (request_.use_surrogates == 2 && routed.weight[0] != routed.weight[1]) {
            split.missing_branch = routed.weight[1] > routed.weight[0] ? 1 : 0;
        }
    }

    void add_branch(std::uint32_t row, double* sums) const {
        sums[branch_[row]] += weight_of(row);
    }

    // The weights that the split itself sends to each branch, category by category.
    RoutedWeights routed_weights(Scratch& scratch, const OpenNode& open, std::size_t c) {
        RoutedWeights routed{{0, 0}, 0, 1};
        if (!request_.columns[c].ordered) {
            count(scratch, open, c, 3,
                  [&](std::uint32_t row, double* sums) { add_branch(row, sums); });
            for (std::size_t i = 0; i < scratch.codes.size(); ++i) {
                routed.weight[0] += scratch.cells[3 * i];
                routed.weight[1] += scratch.cells[3 * i + 1];
            }
            return routed;
        }
        const std::uint32_t* list = list_of(c) + open.begin;
        const std::uint32_t n = open.known[c];
        std::fill(scratch.below.begin(), scratch.below.end(), 0.0);
        std::fill(scratch.above.begin(), scratch.above.end(), 0.0);
        for (std::uint32_t i = 0; i < n;) {
            const std::uint32_t begin = i;
            const bool is_below = branch_[row_of(list[i])] == 0;
            i = add_run(scratch, list, i, n,
                        is_below ? scratch.below.data() : scratch.above.data());
            double weight = 0;
            for (std::uint32_t j = begin; j < i; ++j) {
                weight += weight_of(row_of(list[j]));
            }
            routed.weight[is_below ? 0 : 1] += weight;
        }
        if (!(scratch.criterion.mean(scratch.below.data()) <
              scratch.criterion.mean(scratch.above.data()))) {
            routed.left = 1;
            routed.right = 0;
        }
        return routed;
    }

    // The cut that agrees best with the split.
    void surrogate_cut(Scratch& scratch, const OpenNode& open, std::size_t d,
                       const RoutedWeights& routed, Surrogate& split) {
        constexpr std::uint32_t each_way = 2;
        const std::uint32_t* list = list_of(d) + open.begin;
        const std::uint32_t n = open.known[d];
        double whole[2] = {0, 0};
        double best = -1;
        std::uint32_t at = 0;
        std::int32_t side = 0;
        if (request_.weight == nullptr) {
            RpartAgreement agreeing;
            agreeing.scan(list, n, branch_.data(), each_way, scratch.steps);
            whole[0] = agreeing.n_branch[0];
            whole[1] = agreeing.n_branch[1];
            best = agreeing.n_agreeing;
            at = agreeing.place;
            side = agreeing.below;
        } else {
            best = weighted_agreement(list, n, each_way, whole, at, side);
        }
        if (at == 0 || !(best > std::max(whole[0], whole[1]))) {
            return;
        }
        if (agreement(best, whole, routed, split)) {
            const GrowColumn& column = request_.columns[d];
            split.column = static_cast<std::uint32_t>(d);
            split.cut = rpart_cut(column.levels[column.codes[row_of(list[at - 1])]],
                                  column.levels[column.codes[row_of(list[at])]]);
            split.below = side;
            split.groups[0].clear();
            split.groups[1].clear();
        }
    }

    // The weight of the rows that the best threshold routes as the split does.
    double weighted_agreement(const std::uint32_t* list, std::uint32_t n,
                              std::uint32_t each_way, double (&whole)[2], std::uint32_t& at,
                              std::int32_t& side) const {
        std::uint32_t n_whole = 0;
        walk_runs(list, n, [&](std::uint32_t, const double* cell, std::uint32_t n_rows) {
            whole[0] += cell[0];
            whole[1] += cell[1];
            n_whole += n_rows;
        });
        double below[2] = {0, 0};
        std::uint32_t n_below = 0;
        double best = -1;
        walk_runs(list, n, [&](std::uint32_t end, const double* cell, std::uint32_t n_rows) {
            below[0] += cell[0];
            below[1] += cell[1];
            n_below += n_rows;
            if (end == n || n_below < each_way || n_whole - n_below < each_way) {
                return;
            }
            const double plain = below[0] + (whole[1] - below[1]);
            const double turned = below[1] + (whole[0] - below[0]);
            if (plain > best) {
                best = plain;
                at = end;
                side = 0;
            }
            if (turned > best) {
                best = turned;
                at = end;
                side = 1;
            }
        });
        return best;
    }

    // Call visit(end, weights of both branches, rows) for every run of equal values.
    template <class Visit>
    void walk_runs(const std::uint32_t* list, std::uint32_t n, const Visit& visit) const {
        for (std::uint32_t i = 0; i < n;) {
            double cell[3] = {0, 0, 0};
            std::uint32_t n_rows = 0;
            do {
                const std::uint32_t row = row_of(list[i++]);
                cell[branch_[row]] += weight_of(row);
                n_rows += branch_[row] < 2 ? 1U : 0U;
            } while (i < n && (list[i] & 1U) == 0);
            visit(i, cell, n_rows);
        }
    }

    // The grouping that agrees best: each category goes to its heavier side.
    void surrogate_groups(Scratch& scratch, const OpenNode& open, std::size_t d,
                          const RoutedWeights& routed, Surrogate& split) {
        constexpr double each_way = 2;
        count(scratch, open, d, 6, [&](std::uint32_t row, double* sums) {
            add_branch(row, sums);
            sums[3 + branch_[row]] += 1.0;  // the same, counting rows
        });
        const std::size_t n = scratch.codes.size();
        if (n == 0) {
            return;
        }
        double whole[2] = {0, 0};
        for (std::size_t i = 0; i < n; ++i) {
            whole[0] += scratch.cells[6 * i];
            whole[1] += scratch.cells[6 * i + 1];
        }
        const bool ties_left = whole[routed.left] > whole[routed.right];
        std::vector<std::int32_t> groups[2];
        scratch.parts.clear();
        double n_agreeing = 0;
        double n_rows = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double* cell = scratch.cells.data() + 6 * i;
            const bool to_right = cell[routed.left] < cell[routed.right] ||
                                  (!ties_left && cell[routed.left] == cell[routed.right]);
            const std::size_t side = to_right ? routed.right : routed.left;
            if (cell[3] + cell[4] > 0) {
                scratch.parts.push_back(cell[side]);
                n_agreeing += cell[3 + side];
                n_rows += cell[3] + cell[4];
                groups[side].push_back(scratch.codes[i]);
            }
        }
        if (n_agreeing < each_way || n_rows - n_agreeing < each_way) {
            return;
        }
        if (agreement(pairwise_sum(scratch.parts.data(), scratch.parts.size()), whole, routed,
                      split)) {
            split.column = static_cast<std::uint32_t>(d);
            split.cut = not_a_number;
            split.below = 0;
            split.groups[0] = std::move(groups[0]);
            split.groups[1] = std::move(groups[1]);
        }
    }

    bool agreement(double agree, const double* whole, const RoutedWeights& routed,
                   Surrogate& split) const {
        constexpr double nothing = 1e-10;
        const double* of = request_.surrogate_style == 0 ? routed.weight : whole;
        const double total = of[0] + of[1];
        const double share = agree / total;
        const double majority = std::max(of[0], of[1]) / total;
        if (majority == 1) {
            return false;
        }
        split.adjusted = (share - majority) / (1.0 - majority);
        split.agreement = split.adjusted > nothing ? share : not_a_number;
        return split.adjusted > nothing;
    }

    // ---- partition

    // Rows without a value follow the surrogates, then the majority.
    void route_missing(const Split& split, const OpenNode& open) {
        for (const Surrogate& one : split.surrogates) {
            if (request_.use_surrogates == 0) {
                break;
            }
            const GrowColumn& column = request_.columns[one.column];
            const std::vector<std::uint8_t> by_code = branch_by_code(column, one.groups);
            for (std::uint32_t i = open.begin; i < open.begin + open.n; ++i) {
                const std::uint32_t row = rows_[i];
                const std::int32_t code = column.codes[row];
                if (branch_[row] != 2 || code < 0) {
                    continue;
                }
                if (!column.ordered) {
                    branch_[row] = by_code[static_cast<std::size_t>(code)];
                } else {
                    const bool above = column.levels[code] > one.cut;
                    branch_[row] = above == (one.below == 0) ? 1 : 0;
                }
            }
        }
        if (split.missing_branch >= 0) {
            for (std::uint32_t i = open.begin; i < open.begin + open.n; ++i) {
                if (branch_[rows_[i]] == 2) {
                    branch_[rows_[i]] = static_cast<std::uint8_t>(split.missing_branch);
                }
            }
        }
    }

    const RpartRequest& request_;
    std::size_t s_;
    bool is_number_;
    double alpha_ = 0;
    std::vector<Buffer<std::uint32_t>>
        lists_;  // row << 1 | whether the value differs from the entry before
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> sorted_rows_;  // the same rows in the order of the first column
    std::vector<std::uint8_t> branch_;
    std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace penjing
