// The growing kernel of C5.0 (dialects/c50/dialect.py): that of C4.5 with other stop rules,
// costs of thresholds, screening of columns and near-ties. Entropies are in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dialects/c45.hpp"

namespace penjing {

struct C50Request : C45Request {
    bool gap_cost = true;
    double least_gain = 0;
    double screen_share = 0;
    double screen_few = 0;
    double screen_many = 0;
    double near_ties = 0;
    double pure_share = 1;
    double per_class = 0;  // the weight of the table per class
};

class C50Kernel : public C45Kernel {
  public:
    explicit C50Kernel(const C50Request& request) : C45Kernel(request), request_(request) {}

    bool stops(Task& task, const OpenNode& open) const {
        const double* total = task.subtree.total_of(open.node);
        const double weight = pairwise_sum(total, s_);
        return *std::max_element(total, total + s_) >= request_.pure_share * weight ||
               (request_.max_depth >= 0 && open.depth >= request_.max_depth) ||
               weight < std::max(2 * request_.min_branch, request_.min_weight);
    }

    template <class Pool>
    bool search(Task& task, const OpenNode& open, Split& split, Pool&& pool) {
        Scratch& own = task.scratch;
        const double weight = node_weight(task.subtree.total_of(open.node));
        search_columns(open.rows, weight, own, pool);
        return accept(task, open, choose(weight, own.splits, own.scores), split,
                      [&](double score) { return request_.near_ties * score; });
    }

    [[nodiscard]] double node_weight(const double* total) const {
        return pairwise_sum(total, s_);
    }

    // The best split of every column; those that gain too little are none.
    template <class Pool>
    void search_columns(const NodeRows& rows, double weight, Scratch& own, Pool&& pool) {
        search_counted(rows, own, pool, [&](std::size_t c, Scratch& counted, ColumnSplit& to) {
            if (request_.columns[c].ordered) {
                best_cut(request_.columns[c], weight, counted, to);
                return;
            }
            score_categories(weight, counted, to);
            if (!(to.gain >= request_.least_gain)) {
                to.gain = not_a_number;
            }
        });
    }

  private:
    void best_cut(const GrowColumn& column, double weight, Scratch& scratch,
                  ColumnSplit& split) const {
        double known = 0;
        for (const double part : scratch.known) {
            known += part;
        }
        split.cost = 0;
        if (scratch.codes.size() < 2 || known < 2 * request_.min_branch) {
            return;
        }
        double least = request_.side_share * known / static_cast<double>(s_);
        least = least <= request_.min_branch ? request_.min_branch
                                             : std::min(least, request_.side_most);
        constexpr double rounding = 1e-9;  // sums of fractions of rows are not exact
        const double slack = rounding * known;
        scan_cuts(
            column, least - slack, known - least + slack, scratch,
            [&](double low, double high) { return high - low > request_.gap; },
            [&](const double* cell) { return pairwise_sum(cell, s_); });
        split.n_candidates = static_cast<std::int64_t>(scratch.cuts.size());
        if (scratch.cuts.empty()) {
            return;
        }
        const double before = math_.information(scratch.known.data(), s_) / known;
        const double unknown = 1 - known / weight;
        double best = 0;
        std::size_t place = scratch.cuts.size();
        find_near_best(known, 1 - unknown, scratch);
        for (const std::uint32_t i : scratch.near_best) {
            const double gain =
                gain_of_two(scratch.lows.data() + i * s_, scratch, before, unknown);
            if (gain - best > request_.tie) {
                best = gain;
                place = i;
            }
        }
        if (place == scratch.cuts.size()) {
            return;
        }
        const std::size_t at = scratch.cuts[place];
        const double cost = cost_of(column, at, weight, scratch);
        if (best - cost < request_.least_gain) {
            return;
        }
        const double below = scratch.sizes[place];
        const double sides[] = {std::max(weight - known, 0.0), std::max(below, 0.0),
                                std::max(known - below, 0.0)};
        split.gain = best - cost;
        split.cost = cost;
        split.information = math_.information(sides, 3) / weight;
        place_cut(column, scratch.codes[at], scratch.codes[at + 1], split);
    }

    double gain_of_two(const double* low, Scratch& scratch, double before,
                       double unknown) const {
        scratch.parts.resize(2 * s_);
        for (std::size_t k = 0; k < s_; ++k) {
            scratch.parts[k] = low[k];
            scratch.parts[s_ + k] = std::max(scratch.known[k] - low[k], 0.0);
        }
        return math_.gain(scratch.parts.data(), 2, s_, before, unknown);
    }

    // The bits per row that encode which threshold it is.
    double cost_of(const GrowColumn& column, std::size_t at, double weight,
                   const Scratch& scratch) const {
        if (!request_.cut_cost) {
            return 0;
        }
        double choices = static_cast<double>(scratch.cuts.size());
        if (request_.gap_cost) {
            const double range =
                number(column, scratch.codes.back()) - number(column, scratch.codes.front());
            const double gap =
                number(column, scratch.codes[at + 1]) - number(column, scratch.codes[at]);
            choices = std::min(choices, range / gap);
        }
        return std::log2(choices) / weight;
    }

    // The required gain: the average with few rows per class, less with many.
    [[nodiscard]] double min_gain(double average, std::size_t n, double weight) const {
        if (request_.per_class <= request_.screen_few) {
            return average;
        }
        const double description = 0.9 * std::log2(static_cast<double>(n)) / weight;
        if (request_.per_class >= request_.screen_many) {
            return description;
        }
        const double share = (request_.per_class - request_.screen_few) /
                             (request_.screen_many - request_.screen_few);
        return (1 - share) * average + share * description;
    }

    void score(double weight, const std::vector<ColumnSplit>& splits,
               std::vector<double>& scores) const {
        std::vector<double> gains;
        for (std::size_t c = 0; c < splits.size(); ++c) {
            scores[c] = not_a_number;
            if (!std::isnan(splits[c].gain) && request_.in_average[c] != 0) {
                gains.push_back(splits[c].gain);
            }
        }
        if (gains.empty()) {
            return;
        }
        const double average =
            pairwise_sum(gains.data(), gains.size()) / static_cast<double>(gains.size());
        const double least = request_.screen_share * min_gain(average, gains.size(), weight);
        for (std::size_t c = 0; c < splits.size(); ++c) {
            const ColumnSplit& split = splits[c];
            if (std::isnan(split.gain) || request_.in_average[c] == 0 ||
                !(split.information > 0)) {
                continue;
            }
            if (!request_.by_ratio) {
                scores[c] = split.gain;
            } else if (split.gain >= least) {
                scores[c] = split.gain / split.information;
            }
        }
    }

    // The best column; of near-ties the one with fewer branches, then of larger gain.
    int choose(double weight, const std::vector<ColumnSplit>& splits,
               std::vector<double>& scores) const {
        score(weight, splits, scores);
        int best = -1;
        for (std::size_t c = 0; c < splits.size(); ++c) {
            if (!(scores[c] > 0)) {
                continue;
            }
            const auto b = static_cast<std::size_t>(std::max(best, 0));
            if (best < 0 || scores[c] > scores[b] * (1 + request_.near_ties)) {
                best = static_cast<int>(c);
            } else if (scores[c] > scores[b] * (1 - request_.near_ties)) {
                const std::int32_t fewer = n_values(c) - n_values(b);
                const double more = splits[c].gain - splits[b].gain;
                if (fewer < 0 || (fewer == 0 && more > request_.tie)) {
                    best = static_cast<int>(c);
                }
            }
        }
        return best;
    }

    [[nodiscard]] std::int32_t n_values(std::size_t c) const {
        return request_.columns[c].ordered ? 2 : request_.columns[c].n_levels;
    }

    const C50Request& request_;
};

// A node whose split is given: its rows, the number of splits above it, and the split.
struct C50GivenNode {
    NodeRows rows;
    std::int64_t depth = 0;
    std::size_t column = 0;
    double cut = 0;
    std::int32_t low = 0;  // the last code of branch 0 of a cut
};

// Grows the subtree of such a node (regrow_subtree in dialects/c50/dialect.py). A categorical
// column has a branch for each category of the rows; without any, the node is a leaf.
class C50SubtreeKernel : public C50Kernel {
  public:
    C50SubtreeKernel(const C50Request& request, const C50GivenNode& given)
        : C50Kernel(request), request_(request), given_(given) {}

    std::optional<OpenNode> start(Subtree& subtree, ThreadPool& pool, const PollCallback&) {
        make_scratch(pool.size());
        OpenNode root{0, given_.depth, given_.rows};
        subtree.add_nodes(1);
        sum_rows(subtree, 0, root.rows);
        return root;
    }

    bool stops(Task& task, const OpenNode& open) const {
        return open.depth > given_.depth && C50Kernel::stops(task, open);
    }

    template <class Pool>
    bool search(Task& task, const OpenNode& open, Split& split, Pool&& pool) {
        if (open.depth > given_.depth) {
            return C50Kernel::search(task, open, split, pool);
        }
        split = Split{};
        split.column = given_.column;
        split.best.gain = 0;
        if (request_.columns[given_.column].ordered) {
            split.best.cut = given_.cut;
            split.best.low = given_.low;
            return true;
        }
        gather(open.rows, task.scratch.columns);
        count(given_.column, open.rows, task.scratch.columns, task.scratch);
        split.best.codes = task.scratch.codes;
        return !split.best.codes.empty();
    }

  private:
    const C50Request& request_;
    const C50GivenNode& given_;
};

}  // namespace penjing
