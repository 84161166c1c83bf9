// The growing kernel of C4.5 and J48 (dialects/c45/dialect.py): the same operations in the same
// order, in double precision or rounded to single precision wherever C4.5 stores a float.
//
// The rows of a node are kept in table order, as in the general kernel. Categorical columns
// have a branch for each category; grouped categories are left to Python.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/approximate_information.hpp"
#include "grow/code_counts.hpp"
#include "grow/criterion.hpp"
#include "grow/driver.hpp"
#include "grow/node_rows.hpp"
#include "grow/nodes.hpp"

namespace penjing {

struct C45Request : GrowRequest {
    bool single = false;
    bool single_numbers = false;  // numbers are compared in single precision
    bool by_ratio = true;
    bool cut_cost = true;
    bool cut_at_value = true;
    bool low_memory = false;  // codes are memory-mapped: do not copy them
    double tolerance = 0;
    double gap = 0;
    double side_share = 0;
    double side_most = 0;
    double cut_tolerance = 0;
    double slack = 0;
    double start = 0;                      // what a score must exceed
    double tie = 0;                        // by more than this
    std::vector<std::uint8_t> in_average;  // columns that take part in the average gain
};

// The arithmetic of dialects/c45/information.py: results that the programs store are rounded.
class C45Arithmetic {
  public:
    C45Arithmetic(bool single, double least) : single_(single), least_(least) {}

    [[nodiscard]] double round(double x) const {
        return single_ ? static_cast<double>(static_cast<float>(x)) : x;
    }
    [[nodiscard]] double sum(const double* terms, std::size_t n) const {
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            total = round(total + terms[i]);
        }
        return total;
    }
    [[nodiscard]] double n_log_n(double n) const {
        constexpr double ln2 = 0.69314718055994530942;
        return n > least_ ? n * (std::log(n) / ln2) : 0.0;
    }
    // N log N - sum n log n
    [[nodiscard]] double information(const double* counts, std::size_t n) const {
        double sum_n_log_n = 0;
        double whole = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum_n_log_n = round(sum_n_log_n + n_log_n(counts[i]));
            whole = round(whole + counts[i]);
        }
        return round(n_log_n(whole) - sum_n_log_n);
    }
    // The gain per case of a split into n parts of k classes.
    [[nodiscard]] double gain(const double* parts, std::size_t n, std::size_t k, double before,
                              double unknown) const {
        double after = 0;
        double known = 0;
        for (std::size_t b = 0; b < n; ++b) {
            after = round(after + information(parts + b * k, k));
            known = round(known + sum(parts + b * k, k));
        }
        return round(round(1 - unknown) * round(before - round(after / known)));
    }

  private:
    bool single_;
    double least_;
};

// The average gain of the columns that take part in it; NaN if there are none.
template <class ColumnSplit>
double average_gain(const std::vector<ColumnSplit>& splits, const C45Request& request,
                    const C45Arithmetic& math) {
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t c = 0; c < splits.size(); ++c) {
        if (splits[c].gain > -request.slack && request.in_average[c] != 0) {
            sum = math.round(sum + splits[c].gain);
            ++n;
        }
    }
    return n == 0 ? not_a_number : math.round(sum / static_cast<double>(n));
}

class C45Kernel {
  public:
    explicit C45Kernel(const C45Request& request)
        : math_(request.single, request.tolerance),
          numbers_(request.single_numbers, 0.0),
          s_(request.n_sums),
          request_(request) {}

    struct ColumnSplit {  // the best split of one column
        double gain = not_a_number;
        double information = 0;
        double cut = not_a_number;
        std::int32_t low = 0;             // the last code of branch 0
        std::vector<std::int32_t> codes;  // the categories of a categorical column
        std::int64_t n_candidates = 0;
        double cost = not_a_number;  // of encoding the threshold, if it was subtracted
    };
    struct NodeColumns {  // class and weight of each of a node's rows, and its codes
        std::vector<std::uint32_t> class_;
        std::vector<double> weight;
        std::vector<std::int32_t> codes;  // column by column; empty in a large node
    };
    struct Scratch : CodeCounts {  // of the column that is searched
        CodeCountsScratch counting;
        std::vector<double> low, high, parts, sizes, gains, class_sums;
        std::vector<double> lows, after, n_log_low, n_log_high;
        std::vector<std::uint32_t> cuts, near_best;
        NodeColumns columns;              // of the node that is searched
        std::vector<ColumnSplit> splits;  // of each column
        std::vector<double> scores;
    };
    using OpenNode = OpenRows;
    using Task = GrowTask<Scratch>;
    struct Split {
        std::size_t column = 0;
        double score = 0;
        ColumnSplit best;
    };

    // ---- for the driver

    [[nodiscard]] NodeLayout layout() const { return {s_, false, false, true}; }

    Scratch& scratch(int thread) { return scratch_[static_cast<std::size_t>(thread)]; }

    std::optional<OpenNode> start(Subtree& subtree, ThreadPool& pool, const PollCallback&) {
        by_row_.resize(request_.low_memory ? 0 : request_.n_rows * request_.columns.size());
        for (std::size_t c = 0; c < request_.columns.size() && !request_.low_memory; ++c) {
            for (std::size_t row = 0; row < request_.n_rows; ++row) {
                by_row_[row * request_.columns.size() + c] = request_.columns[c].codes[row];
            }
        }
        scratch_.resize(static_cast<std::size_t>(pool.size()));
        OpenNode root{0, 0, all_rows(request_)};
        subtree.add_nodes(1);
        sum_rows(subtree, 0, root.rows);
        return root;
    }

    bool stops(Task& task, const OpenNode& open) const {
        const double* total = task.subtree.total_of(open.node);
        const double weight = math_.sum(total, s_);
        const double most = *std::max_element(total, total + s_);
        return weight - most <= request_.tolerance ||
               (request_.max_depth >= 0 && open.depth >= request_.max_depth) ||
               weight <
                   std::max(2 * request_.min_branch, request_.min_weight) - request_.tolerance;
    }

    template <class Pool>
    bool search(Task& task, const OpenNode& open, Split& split, Pool&& pool) {
        Scratch& own = task.scratch;
        const double weight = math_.sum(task.subtree.total_of(open.node), s_);
        search_columns(open.rows, weight, own, pool);
        return accept(task, open, choose(own.splits, own.scores), split, [&](double score) {
            return std::max(request_.tolerance, tie_share * std::max(std::fabs(score), 1.0));
        });
    }

    // Take the split of the column that was chosen, if it gains enough; slack_of(score) is the
    // distance within which another column ties with it.
    template <class SlackOf>
    bool accept(Task& task, const OpenNode& open, int winner, Split& split,
                const SlackOf& slack_of) const {
        Scratch& own = task.scratch;
        if (winner < 0) {
            return false;
        }
        split.column = static_cast<std::size_t>(winner);
        split.score = own.scores[split.column];
        split.best = std::move(own.splits[split.column]);
        split.best.gain = std::max(split.best.gain, 0.0);
        if (!(split.best.gain >= request_.min_gain)) {
            return false;
        }
        record_ties(task.subtree, open.node, own.scores, split.column, slack_of(split.score));
        return true;
    }

    void make_scratch(int n_threads) { scratch_.resize(static_cast<std::size_t>(n_threads)); }

    // The best split of every column, into the scratch memory of the caller.
    template <class Pool>
    void search_columns(const NodeRows& rows, double weight, Scratch& own, Pool&& pool) {
        search_counted(rows, own, pool, [&](std::size_t c, Scratch& counted, ColumnSplit& to) {
            if (request_.columns[c].ordered) {
                best_cut(request_.columns[c], weight, counted, to);
            } else {
                score_categories(weight, counted, to);
            }
        });
    }

    // Count every column, and call search(column, its counts, its split).
    template <class Pool, class Search>
    void search_counted(const NodeRows& rows, Scratch& own, Pool&& pool, const Search& search) {
        own.splits.resize(request_.columns.size());
        own.scores.resize(own.splits.size());
        gather(rows, own.columns);
        pool.run(own.splits.size(), [&](std::size_t c, int thread) {
            Scratch& of_thread = thread < 0 ? own : scratch(thread);
            own.splits[c] = ColumnSplit{};
            count(c, rows, own.columns, of_thread);
            search(c, of_thread, own.splits[c]);
        });
    }

    // The weight of a node as its columns are scored by it.
    [[nodiscard]] double node_weight(const double* total) const { return math_.sum(total, s_); }

    [[nodiscard]] double worth(Task& task, const OpenNode& open, const Split& split) const {
        const double* total = task.subtree.total_of(open.node);
        return pairwise_sum(total, s_) * split.best.gain;
    }
    [[nodiscard]] std::size_t n_branches(const Split& split) const {
        return request_.columns[split.column].ordered ? 2 : split.best.codes.size();
    }

    template <class Pool>
    void divide(Task& task, const OpenNode& open, const Split& split, Pool&&,
                std::vector<OpenNode>& open_nodes) const {
        Subtree& subtree = task.subtree;
        const ColumnSplit& best = split.best;
        const GrowColumn& column = request_.columns[split.column];
        const std::size_t n_parts = n_branches(split);
        const std::uint32_t first = subtree.split(open.node, split.column, n_parts);
        subtree.scores[open.node].gain = best.gain;
        subtree.scores[open.node].score = split.score;
        std::vector<std::int32_t> branch_of;
        if (column.ordered) {
            subtree.nodes[open.node].cut = best.cut;
        } else {
            branch_of.assign(static_cast<std::size_t>(column.n_levels), -1);
            for (std::size_t b = 0; b < n_parts; ++b) {
                const std::array<std::int32_t, 1> level{best.codes[b]};
                subtree.set_levels(first + static_cast<std::uint32_t>(b), level);
                branch_of[static_cast<std::size_t>(level[0])] = static_cast<std::int32_t>(b);
            }
        }
        open_children(
            open, first, n_parts, request_.fraction,
            [&](std::uint32_t row) { return branch_of_code(column, row, best.low, branch_of); },
            [&](std::uint32_t child, const NodeRows& rows) { sum_rows(subtree, child, rows); },
            open_nodes);
    }

    void sum_rows(Subtree& subtree, std::uint32_t node, const NodeRows& rows) const {
        double* total = subtree.total.data() + node * s_;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            total[request_.target[rows.ids[i]]] += rows.weight.empty() ? 1.0 : rows.weight[i];
        }
    }

    // ---- counting: levels that occur, ascending, and their sums

    void gather(const NodeRows& rows, NodeColumns& to) const {
        const std::size_t n = rows.ids.size();
        to.class_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            to.class_[i] = static_cast<std::uint32_t>(request_.target[rows.ids[i]]);
        }
        if (rows.weight.empty()) {
            to.weight.assign(n, 1.0);
        } else {
            to.weight = rows.weight;
        }
        to.codes.clear();
        const std::size_t n_columns = request_.columns.size();
        if (request_.low_memory ||
            n > request_.n_rows / 4) {  // most of each column is read anyway: read it in place
            return;
        }
        to.codes.resize(n * n_columns);
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t* row = by_row_.data() + rows.ids[i] * n_columns;
            for (std::size_t c = 0; c < n_columns; ++c) {
                to.codes[c * n + i] = row[c];
            }
        }
    }

    void count(std::size_t c, const NodeRows& rows, const NodeColumns& of,
               Scratch& scratch) const {
        const GrowColumn& column = request_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        const std::size_t n = rows.ids.size();
        const auto add = [&](double* cell, std::size_t i) {
            cell[of.class_[i]] += of.weight[i];
        };
        if (of.codes.empty()) {
            count_codes(
                n, n_levels, s_, [&](std::size_t i) { return column.codes[rows.ids[i]]; }, add,
                scratch, scratch.counting);
        } else {
            const std::int32_t* codes = of.codes.data() + c * n;
            count_codes(
                n, n_levels, s_, [codes](std::size_t i) { return codes[i]; }, add, scratch,
                scratch.counting);
        }
    }

    // ---- the best split of one column

    void best_cut(const GrowColumn& column, double weight, Scratch& scratch,
                  ColumnSplit& split) const {
        const std::size_t n = scratch.codes.size();
        const double tolerance = request_.tolerance;
        double known = 0;
        for (const double part : scratch.known) {
            known += part;
        }
        known = math_.round(known);
        if (n < 2 || known < 2 * request_.min_branch - tolerance) {
            return;
        }
        double least = math_.round(request_.side_share * known / static_cast<double>(s_));
        if (least <= request_.min_branch + tolerance) {
            least = request_.min_branch;
        } else if (least > request_.side_most + tolerance) {
            least = request_.side_most;
        }
        const double most = math_.round(known - least) + tolerance;
        const double before = math_.round(math_.information(scratch.known.data(), s_) / known);
        const double unknown = math_.round(1 - math_.round(known / weight));
        scan_cuts(
            column, least - tolerance, most, scratch,
            [&](double low, double high) { return low < high - request_.gap; },
            [&](const double* cell) { return math_.sum(cell, s_); });
        split.n_candidates = static_cast<std::int64_t>(scratch.cuts.size());
        if (scratch.cuts.empty()) {
            return;
        }
        const double cost = request_.cut_cost
                                ? std::log2(static_cast<double>(scratch.cuts.size())) / weight
                                : 0.0;
        const bool charged = tolerance == 0;  // J48 subtracts the cost from the best cut only
        double best = 0;
        std::size_t place = scratch.cuts.size();
        find_near_best(known, 1 - unknown, scratch);
        for (const std::uint32_t i : scratch.near_best) {
            const double exact =
                gain_of_two(scratch.lows.data() + i * s_, scratch, before, unknown);
            const double gain = charged ? math_.round(exact - math_.round(cost)) : exact;
            if (gain - best > request_.tie) {
                best = gain;
                place = i;
            }
        }
        const double net_gain = best - (charged ? 0.0 : cost);
        if (place == scratch.cuts.size() || net_gain <= tolerance) {
            return;
        }
        const double sides[] = {weight - known, scratch.sizes[place],
                                math_.round(known - scratch.sizes[place])};
        const std::size_t at = scratch.cuts[place];
        split.gain = net_gain;
        split.information = math_.round(math_.information(sides, 3) / weight);
        split.cost =
            std::log2(static_cast<double>(scratch.cuts.size())) /
            (pairwise_sum(scratch.known.data(), s_) + pairwise_sum(scratch.missing.data(), s_));
        place_cut(column, scratch.codes[at], scratch.codes[at + 1], split);
    }

    // All admissible cuts: the sums below each, and its approximate information.
    template <class AreApart, class SizeOf>
    void scan_cuts(const GrowColumn& column, double least, double most, Scratch& scratch,
                   const AreApart& are_apart, const SizeOf& size_of) const {
        const std::size_t n = scratch.codes.size();
        scratch.low.assign(s_, 0.0);
        scratch.high = scratch.known;
        scratch.n_log_low.assign(s_, 0.0);
        scratch.n_log_high.resize(s_);
        double sum_low = 0;
        double sum_high = 0;
        double all = 0;
        for (std::size_t k = 0; k < s_; ++k) {
            scratch.n_log_high[k] = approx_n_log_n(scratch.high[k]);
            sum_high += scratch.n_log_high[k];
            all += scratch.high[k];
        }
        scratch.cuts.resize(n - 1);
        scratch.sizes.resize(n - 1);
        scratch.after.resize(n - 1);
        scratch.lows.resize((n - 1) * s_);
        std::size_t n_cuts = 0;
        double below = 0;
        double here = number(column, scratch.codes[0]);
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const double* cell = scratch.cells.data() + i * s_;
            for (std::size_t k = 0; k < s_; ++k) {
                if (cell[k] != 0) {
                    scratch.low[k] = math_.round(scratch.low[k] + math_.round(cell[k]));
                    scratch.high[k] = math_.round(scratch.known[k] - scratch.low[k]);
                    const double low = approx_n_log_n(scratch.low[k]);
                    const double high = approx_n_log_n(scratch.high[k]);
                    sum_low += low - scratch.n_log_low[k];
                    sum_high += high - scratch.n_log_high[k];
                    scratch.n_log_low[k] = low;
                    scratch.n_log_high[k] = high;
                }
            }
            below = math_.round(below + size_of(cell));
            const double next = number(column, scratch.codes[i + 1]);
            const bool apart = are_apart(here, next);
            here = next;
            if (below < least || below > most || !apart) {
                continue;
            }
            scratch.cuts[n_cuts] = static_cast<std::uint32_t>(i);
            scratch.sizes[n_cuts] = below;
            scratch.after[n_cuts] =
                approx_n_log_n(below) - sum_low + approx_n_log_n(all - below) - sum_high;
            std::copy_n(scratch.low.data(), s_, scratch.lows.data() + n_cuts * s_);
            ++n_cuts;
        }
        scratch.cuts.resize(n_cuts);
        scratch.sizes.resize(n_cuts);
        scratch.after.resize(n_cuts);
        scratch.lows.resize(n_cuts * s_);
    }

    // The cuts that may be best: all whose approximate information is within the error of both
    // computations, and the tie threshold, of the smallest. The gap below these cuts is wider
    // than that, so that no other cut can affect the choice.
    void find_near_best(double known, double share, Scratch& scratch) const {
        const double classes = static_cast<double>(s_);
        const double scale = known * (std::log2(known + 2) + 4);
        const double error = scale * (request_.single ? (2 * classes + 8) * 0x1p-24 : 1e-10);
        const double apart =
            2 * error + (share > 0 ? 1.01 * request_.tie * known / share : known);
        double last = *std::min_element(scratch.after.begin(), scratch.after.end()) + apart;
        bool grows = request_.tie > 0;
        while (grows) {
            grows = false;
            double further = last;
            for (const double bits : scratch.after) {
                if (bits > last && bits <= last + apart) {
                    further = std::max(further, bits);
                    grows = true;
                }
            }
            last = further;
        }
        scratch.near_best.clear();
        for (std::size_t i = 0; i < scratch.after.size(); ++i) {
            if (!(scratch.after[i] > last)) {
                scratch.near_best.push_back(static_cast<std::uint32_t>(i));
            }
        }
    }

    [[nodiscard]] double number(const GrowColumn& column, std::int32_t code) const {
        return column.levels == nullptr ? code : numbers_.round(column.levels[code]);
    }

    double gain_of_two(const double* low, Scratch& scratch, double before,
                       double unknown) const {
        scratch.parts.resize(2 * s_);
        for (std::size_t k = 0; k < s_; ++k) {
            scratch.parts[k] = low[k];
            scratch.parts[s_ + k] = math_.round(scratch.known[k] - low[k]);
        }
        return zero_if_tiny(math_.gain(scratch.parts.data(), 2, s_, before, unknown),
                            scratch.parts.data(), 2);
    }

    // J48: a gain that is negligible over all cases is zero.
    double zero_if_tiny(double gain, const double* parts, std::size_t n) const {
        if (request_.tolerance == 0) {
            return gain;
        }
        double known = 0;
        for (std::size_t i = 0; i < n * s_; ++i) {
            known += parts[i];
        }
        return std::fabs(gain * known) <= request_.tolerance ? 0.0 : gain;
    }

    // The threshold (quinlan.placed), and the last code below it.
    void place_cut(const GrowColumn& column, std::int32_t low, std::int32_t high,
                   ColumnSplit& split) const {
        split.low = low;
        if (column.levels == nullptr) {
            split.cut = low;
            return;
        }
        const double a = number(column, low);
        const double b = number(column, high);
        double middle = numbers_.round(midpoint(a, b));
        if (!(a <= middle && middle < b)) {
            middle = a;
        }
        if (!request_.cut_at_value) {
            // Numbers that single precision rounds across the threshold stay on their side.
            const bool between = column.levels[low] <= middle && middle < column.levels[high];
            split.cut = between ? middle : column.levels[low];
        }
        // The last value that is not above, of the whole column and not only of this node.
        const double limit =
            request_.cut_at_value ? middle + request_.cut_tolerance : split.cut;
        std::int32_t first = low;
        std::int32_t last = column.n_levels;
        while (last - first > 1) {
            const std::int32_t half = first + (last - first) / 2;
            const double value =
                request_.cut_at_value ? number(column, half) : column.levels[half];
            (value <= limit ? first : last) = half;
        }
        split.low = first;
        if (request_.cut_at_value) {
            split.cut = column.levels[first];
        }
    }

    void score_categories(double weight, Scratch& scratch, ColumnSplit& split) const {
        const std::size_t n = scratch.codes.size();
        const double missing = math_.sum(scratch.missing.data(), s_);
        if (n == 0 || weight - missing <= request_.tolerance) {
            return;
        }
        scratch.sizes.assign(1, missing);
        std::size_t heavy = 0;
        for (std::size_t b = 0; b < n; ++b) {
            scratch.sizes.push_back(math_.sum(scratch.cells.data() + b * s_, s_));
            heavy += scratch.sizes.back() >= request_.min_branch - request_.tolerance ? 1U : 0U;
        }
        if (heavy < 2) {
            return;
        }
        scratch.class_sums.assign(s_, 0.0);
        for (std::size_t at = 0; at < scratch.cells.size(); at += s_) {
            for (std::size_t k = 0; k < s_; ++k) {
                double& sum = scratch.class_sums[k];
                sum = math_.round(sum + scratch.cells[at + k]);
            }
        }
        double sum_n_log_n = 0;
        double known = 0;
        for (const double sum : scratch.class_sums) {
            sum_n_log_n = math_.round(sum_n_log_n + math_.n_log_n(sum));
            known = math_.round(known + sum);
        }
        const double before = math_.round((math_.n_log_n(known) - sum_n_log_n) / known);
        const double unknown = math_.round(missing / weight);
        split.gain = zero_if_tiny(math_.gain(scratch.cells.data(), n, s_, before, unknown),
                                  scratch.cells.data(), n);
        split.information =
            math_.round(math_.information(scratch.sizes.data(), n + 1) / weight);
        split.codes = scratch.codes;
        split.n_candidates = 1;
    }

  protected:
    static void record_ties(Subtree& subtree, std::uint32_t node,
                            const std::vector<double>& scores, std::size_t winner,
                            double slack) {
        const double score = scores[winner];
        const auto start = static_cast<std::uint32_t>(subtree.ties.size());
        for (std::size_t c = 0; c < scores.size(); ++c) {
            if (std::fabs(scores[c] - score) <= slack) {
                subtree.ties.push_back(static_cast<std::int32_t>(c));
            }
        }
        if (subtree.ties.size() < start + 2) {
            subtree.ties.resize(start);
            return;
        }
        subtree.nodes[node].tie_start = start;
        subtree.nodes[node].tie_count = static_cast<std::uint32_t>(subtree.ties.size() - start);
    }

    C45Arithmetic math_;
    C45Arithmetic numbers_;  // rounds numbers of the table
    std::size_t s_;

  private:
    // ---- the choice between columns

    int choose(const std::vector<ColumnSplit>& splits, std::vector<double>& scores) const {
        const double average = average_gain(splits, request_, math_);
        const double least = request_.tolerance > 0 ? 0.0 : request_.slack;
        double best = request_.start;
        int winner = -1;
        for (std::size_t c = 0; c < splits.size(); ++c) {
            const ColumnSplit& candidate = splits[c];
            scores[c] = not_a_number;
            if (!(candidate.gain > -request_.slack)) {
                continue;
            }
            if (!request_.by_ratio) {
                scores[c] = candidate.information > 0 ? candidate.gain : not_a_number;
            } else if (candidate.gain >= average - request_.slack &&
                       candidate.information > least) {
                scores[c] = math_.round(candidate.gain / candidate.information);
            }
            if (scores[c] - best > request_.tie) {
                best = scores[c];
                winner = static_cast<int>(c);
            }
        }
        return winner;
    }

    const C45Request& request_;
    std::vector<std::int32_t> by_row_;  // all codes in row-major order
    std::vector<Scratch> scratch_;
};

}  // namespace penjing
