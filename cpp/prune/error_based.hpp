// Error-based pruning as C4.5 and J48 do it (prune/error_based.py): the same decisions in the
// same order, with branches raised and their rows counted anew.
//
// Every level of a nominal column has a branch here, in the order of levels, so that a code is
// the number of its branch. Nodes of one depth are decided together: their rows are found by
// one walk from the root, which keeps the rows of a single path.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/criterion.hpp"
#include "grow/general.hpp"
#include "grow/request.hpp"

namespace penjing {

struct ErrorBound {  // prune/bound.py
    double confidence = 0.25;
    double squared = 0;  // the deviate's square
    double last_errors = 1;
    bool single = false;
    bool table = false;    // C4.5's limits of what is no error, or J48's
    bool nothing = false;  // J48 adds nothing if CF is above a half

    [[nodiscard]] double round(double x) const {
        return single ? static_cast<double>(static_cast<float>(x)) : x;
    }
    [[nodiscard]] double estimate(double n, double errors) const {
        return n > 0 ? round(errors + (nothing ? 0.0 : round(added(n, errors)))) : 0.0;
    }

  private:
    [[nodiscard]] double added(double n, double errors) const {
        const double certain = table ? 0.9999 : 1.0;
        if (errors < certain) {
            double none = n * (1 - std::exp(std::log(confidence) / n));
            if (errors < (table ? 1e-6 : std::numeric_limits<double>::denorm_min())) {
                return none;
            }
            none = round(none);
            return none + errors * (round(of_some(n, 1.0)) - none);
        }
        return of_some(n, errors);
    }
    [[nodiscard]] double of_some(double n, double errors) const {
        if (errors + 0.5 >= n) {
            return std::max(last_errors * (n - errors), 0.0);
        }
        const double e = errors + 0.5;
        const double root = std::sqrt(squared * (e * (1 - e / n) + squared / 4));
        return n * round((e + squared / 2 + root) / (n + squared)) - errors;
    }
};

struct PruneOrder {
    Order rows;  // columns, target, weight, n_sums, fraction
    std::size_t n_nodes = 0;
    const std::int32_t* parent = nullptr;
    const std::int32_t* column = nullptr;  // -1: a leaf
    const double* cut = nullptr;
    const std::int64_t* level_start = nullptr;
    const std::int32_t* level_codes = nullptr;
    const double* total = nullptr;
    const std::int32_t* label = nullptr;
    ErrorBound bound;
    double tolerance = 0;
    double margin = 0;
    bool raises = false;
    bool relabels = false;  // J48: other rows, another class; else only if one is more frequent
};

struct Pruned {
    // the decisions, in the order in which they were made
    std::vector<std::int32_t> node;
    std::vector<std::int8_t> decision;  // 0 keep, 1 cut, 2 raise
    std::vector<double> rows, kept, as_leaf, as_branch, whole;
    // the tree, breadth first
    std::vector<std::int32_t> parent, origin, label;
    std::vector<std::int64_t> level_start{0};
    std::vector<std::int32_t> level_codes;
    std::vector<double> total;
};

class ErrorPruner {
  public:
    explicit ErrorPruner(const PruneOrder& order) : order_(order), s_(order.rows.n_sums) {
        draft();
    }

    Pruned prune(const PollCallback& poll) {
        const std::vector<std::uint32_t> every = below(0);
        for (std::size_t node = 0; node < knots_.size(); ++node) {
            now_.push_back(as_leaf(total_.data() + node * s_));
        }
        for (const std::uint32_t node : every) {
            if (is_leaf(node)) {
                whole_ += now_[node];
            } else {
                open(node);
            }
        }
        while (!open_.empty()) {
            if (open_.back().empty()) {
                open_.pop_back();
                continue;
            }
            if (poll) {
                poll();
            }
            std::vector<std::uint32_t> batch = std::move(open_.back());
            open_.back().clear();
            std::sort(batch.begin(), batch.end());
            settle(batch);
        }
        finish();
        return std::move(out_);
    }

  private:
    static constexpr std::uint32_t nobody = 0xffffffffU;

    struct Knot {
        std::int32_t origin = -1;  // -1: a branch that no row took
        std::int32_t label = 0;
        std::int32_t column = -1;
        std::int32_t low = 0;  // the last code of branch 0 of a cut
        std::uint32_t depth = 0;
        std::uint32_t parent = 0;
        std::uint32_t first = 0, n = 0;  // children
        std::int32_t level = -1;         // that leads here
    };

    [[nodiscard]] bool is_leaf(std::uint32_t node) const { return knots_[node].column < 0; }

    [[nodiscard]] double as_leaf(const double* total) const {
        const double n = pairwise_sum(total, s_);
        return order_.bound.estimate(n, n - *std::max_element(total, total + s_));
    }

    [[nodiscard]] double weight(std::uint32_t node) const {
        return pairwise_sum(total_.data() + node * s_, s_);
    }

    void open(std::uint32_t node) {
        const std::uint32_t depth = knots_[node].depth;
        if (open_.size() <= depth) {
            open_.resize(depth + 1);
        }
        open_[depth].push_back(node);
    }

    // ---- the tree with a branch for each level

    void draft() {
        std::vector<std::uint32_t> first(order_.n_nodes, 0);
        std::vector<std::uint32_t> count(order_.n_nodes, 0);
        for (std::size_t node = order_.n_nodes; node-- > 1;) {
            const auto above = static_cast<std::size_t>(order_.parent[node]);
            first[above] = static_cast<std::uint32_t>(node);
            ++count[above];
        }
        append(0, order_.label[0], 0, 0, -1);
        for (std::size_t at = 0; at < knots_.size(); ++at) {
            const std::int32_t origin = knots_[at].origin;
            const auto source = static_cast<std::size_t>(origin);
            if (origin < 0 || order_.column[source] < 0) {
                continue;
            }
            const GrowColumn& column =
                order_.rows.columns[static_cast<std::size_t>(order_.column[source])];
            Knot& knot = knots_[at];
            knot.column = order_.column[source];
            knot.first = static_cast<std::uint32_t>(knots_.size());
            const auto self = static_cast<std::uint32_t>(at);
            const std::uint32_t depth = knot.depth + 1;
            const std::int32_t label = knot.label;
            if (column.ordered) {
                knot.n = 2;
                knot.low = last_below(column, order_.cut[source]);
                for (std::uint32_t b = 0; b < 2; ++b) {
                    const std::uint32_t child = first[source] + b;
                    append(static_cast<std::int32_t>(child), order_.label[child], self, depth,
                           -1);
                }
                continue;
            }
            knot.n = static_cast<std::uint32_t>(column.n_levels);
            std::vector<std::int32_t> taken(knot.n, -1);
            for (std::uint32_t b = 0; b < count[source]; ++b) {
                const std::uint32_t child = first[source] + b;
                const std::int32_t code = order_.level_codes[order_.level_start[child]];
                taken[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(child);
            }
            for (std::size_t level = 0; level < taken.size(); ++level) {
                const std::int32_t child = taken[level];
                append(child, child < 0 ? label : order_.label[child], self, depth,
                       static_cast<std::int32_t>(level));
            }
        }
    }

    void append(std::int32_t origin, std::int32_t label, std::uint32_t parent,
                std::uint32_t depth, std::int32_t level) {
        Knot knot;
        knot.origin = origin;
        knot.label = label;
        knot.parent = parent;
        knot.depth = depth;
        knot.level = level;
        knots_.push_back(knot);
        if (origin < 0) {
            total_.resize(total_.size() + s_, 0.0);
        } else {
            const double* total = order_.total + static_cast<std::size_t>(origin) * s_;
            total_.insert(total_.end(), total, total + s_);
        }
    }

    static std::int32_t last_below(const GrowColumn& column, double cut) {
        if (column.levels == nullptr) {
            return static_cast<std::int32_t>(cut);
        }
        const double* end = column.levels + column.n_levels;
        return static_cast<std::int32_t>(std::upper_bound(column.levels, end, cut) -
                                         column.levels) -
               1;
    }

    [[nodiscard]] std::vector<std::uint32_t> below(std::uint32_t node) const {
        std::vector<std::uint32_t> found{node};
        for (std::size_t i = 0; i < found.size(); ++i) {
            const Knot& knot = knots_[found[i]];
            if (knot.column >= 0) {
                for (std::uint32_t b = 0; b < knot.n; ++b) {
                    found.push_back(knot.first + b);
                }
            }
        }
        return found;
    }

    // The child of most weight, the last one of equals.
    [[nodiscard]] std::uint32_t largest(std::uint32_t node) const {
        const Knot& knot = knots_[node];
        double most = -1;
        for (std::uint32_t b = 0; b < knot.n; ++b) {
            most = std::max(most, weight(knot.first + b));
        }
        std::uint32_t found = knot.first;
        for (std::uint32_t b = 0; b < knot.n; ++b) {
            if (weight(knot.first + b) >= most - order_.tolerance) {
                found = knot.first + b;
            }
        }
        return found;
    }

    // ---- deciding

    void settle(const std::vector<std::uint32_t>& batch) {
        std::vector<std::uint32_t> biggest;
        biggest.reserve(batch.size());
        bool any = false;
        raised_.resize(knots_.size(), nobody);
        for (const std::uint32_t node : batch) {
            biggest.push_back(largest(node));
            if (order_.raises && !is_leaf(biggest.back())) {
                raised_[node] = biggest.back();
                any = true;
            }
        }
        if (any) {
            count(batch);
        }
        for (std::size_t i = 0; i < batch.size(); ++i) {
            decide(batch[i], biggest[i]);
            raised_[batch[i]] = nobody;
        }
    }

    void decide(std::uint32_t node, std::uint32_t branch) {
        const Knot& knot = knots_[node];
        const double leaf = now_[node];
        double kept = 0;
        for (std::uint32_t b = 0; b < knot.n; ++b) {
            kept += now_[knot.first + b];
        }
        double as_branch = leaf;
        if (raised_[node] != nobody) {
            as_branch = 0;
            for (const std::uint32_t each : below(branch)) {
                if (is_leaf(each)) {
                    as_branch += as_leaf(hypothetical_.data() + each * s_);
                }
            }
        }
        const double allowed = order_.margin + order_.tolerance;
        const double other =
            order_.raises ? as_branch : std::numeric_limits<double>::infinity();
        int decision = 0;
        if (leaf <= other + allowed && leaf <= kept + allowed) {
            decision = 1;
        } else if (other <= kept + allowed) {
            decision = 2;
        }
        out_.node.push_back(knot.origin);
        out_.decision.push_back(static_cast<std::int8_t>(decision));
        out_.rows.push_back(weight(node));
        out_.kept.push_back(kept);
        out_.as_leaf.push_back(leaf);
        out_.as_branch.push_back(as_branch);
        out_.whole.push_back(whole_);
        if (decision == 0) {
            now_[node] = kept;
        } else if (decision == 1) {
            knots_[node].column = -1;
            knots_[node].n = 0;
            whole_ += leaf - kept;
        } else {
            lift(node, branch);
            whole_ += as_branch - kept;
        }
    }

    // A branch takes its parent's place; what stands below it has other rows now.
    void lift(std::uint32_t node, std::uint32_t branch) {
        const Knot from = knots_[branch];
        Knot& to = knots_[node];
        to.column = from.column;
        to.low = from.low;
        to.first = from.first;
        to.n = from.n;
        to.label = from.label;
        to.origin = from.origin;
        for (std::uint32_t b = 0; b < from.n; ++b) {
            knots_[from.first + b].parent = node;
        }
        relabel(node);
        open(node);
        const std::vector<std::uint32_t> every = below(node);
        for (std::size_t i = 1; i < every.size(); ++i) {
            const std::uint32_t each = every[i];
            --knots_[each].depth;
            const double* counted = hypothetical_.data() + each * s_;
            std::copy(counted, counted + s_,
                      total_.begin() + static_cast<std::ptrdiff_t>(each * s_));
            relabel(each);
            now_[each] = as_leaf(counted);
            if (!is_leaf(each)) {
                open(each);
            }
        }
    }

    void relabel(std::uint32_t node) {
        const double* total = total_.data() + node * s_;
        std::int32_t& label = knots_[node].label;
        if (order_.relabels) {
            label = 0;
            for (std::size_t k = 1; k < s_; ++k) {
                if (total[k] - total[label] > order_.tolerance) {
                    label = static_cast<std::int32_t>(k);
                }
            }
        } else if (total[label] < *std::max_element(total, total + s_)) {
            label = static_cast<std::int32_t>(std::max_element(total, total + s_) - total);
        }
    }

    // ---- the sums below branches, had they taken their parents' places

    struct Stop {
        std::uint32_t node;
        std::uint32_t asks;  // whose question divides the rows: its own, or that of a branch
        bool counts;
        NodeRows rows;
    };

    void count(const std::vector<std::uint32_t>& batch) {
        hypothetical_.resize(total_.size());
        on_the_way_.assign(knots_.size(), 0);
        for (const std::uint32_t node : batch) {
            if (raised_[node] != nobody) {
                for (std::uint32_t at = node; on_the_way_[at] == 0; at = knots_[at].parent) {
                    on_the_way_[at] = 1;
                }
            }
        }
        Stop root{0, 0, false, {}};
        root.rows.ids.resize(order_.rows.n_rows);
        std::iota(root.rows.ids.begin(), root.rows.ids.end(), 0U);
        if (order_.rows.weight != nullptr) {
            root.rows.weight.assign(order_.rows.weight,
                                    order_.rows.weight + order_.rows.n_rows);
        }
        std::vector<Stop> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Stop stop = std::move(stack.back());
            stack.pop_back();
            if (!stop.counts && raised_[stop.node] != nobody) {
                stop.asks = raised_[stop.node];
                stop.counts = true;
            }
            divide(stop, stack);
        }
    }

    void divide(const Stop& stop, std::vector<Stop>& stack) {
        const Knot& knot = knots_[stop.asks];
        const GrowColumn& column = order_.rows.columns[static_cast<std::size_t>(knot.column)];
        const std::size_t n_parts = knot.n;
        const NodeRows& rows = stop.rows;
        const std::size_t n = rows.ids.size();
        branch_.resize(n);
        shares_.assign(n_parts, 0.0);
        sizes_.assign(n_parts, 0);
        std::size_t n_lost = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t code = column.codes[rows.ids[i]];
            const std::int32_t b = code < 0 ? -1 : column.ordered ? (code > knot.low) : code;
            branch_[i] = b;
            if (b < 0) {
                ++n_lost;
            } else {
                shares_[static_cast<std::size_t>(b)] +=
                    rows.weight.empty() ? 1.0 : rows.weight[i];
                ++sizes_[static_cast<std::size_t>(b)];
            }
        }
        const double sum = pairwise_sum(shares_.data(), n_parts);
        const bool shared = n_lost > 0 && order_.rows.fraction;
        const bool weighted = shared || !rows.weight.empty();
        std::vector<NodeRows> parts(n_parts);
        wanted_.assign(n_parts, 0);
        for (std::size_t b = 0; b < n_parts; ++b) {
            const std::uint32_t child = knot.first + static_cast<std::uint32_t>(b);
            wanted_[b] = stop.counts || on_the_way_[child] != 0 ? 1 : 0;
            shares_[b] = shares_[b] / sum;
            if (wanted_[b] != 0) {
                const std::size_t size = sizes_[b] + (shared ? n_lost : 0);
                parts[b].ids.reserve(size);
                if (weighted) {
                    parts[b].weight.reserve(size);
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double weight = rows.weight.empty() ? 1.0 : rows.weight[i];
            const auto put = [&](std::size_t to, double part) {
                parts[to].ids.push_back(rows.ids[i]);
                if (weighted) {
                    parts[to].weight.push_back(part);
                }
            };
            if (branch_[i] >= 0) {
                const auto to = static_cast<std::size_t>(branch_[i]);
                if (wanted_[to] != 0) {
                    put(to, weight);
                }
            } else if (shared) {
                for (std::size_t to = 0; to < n_parts; ++to) {
                    if (wanted_[to] != 0 && shares_[to] > 0) {
                        put(to, weight * shares_[to]);
                    }
                }
            }
        }
        for (std::size_t b = 0; b < n_parts; ++b) {
            if (wanted_[b] == 0) {
                continue;
            }
            const std::uint32_t child = knot.first + static_cast<std::uint32_t>(b);
            if (stop.counts) {
                weigh(child, parts[b]);
            }
            if (!is_leaf(child)) {
                stack.push_back({child, child, stop.counts, std::move(parts[b])});
            }
        }
    }

    void weigh(std::uint32_t node, const NodeRows& rows) {
        double* total = hypothetical_.data() + node * s_;
        std::fill(total, total + s_, 0.0);
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            total[order_.rows.target[rows.ids[i]]] +=
                rows.weight.empty() ? 1.0 : rows.weight[i];
        }
    }

    // ---- what is left; a branch without rows is left to the node that asks, if it can be

    void finish() {
        std::vector<std::uint32_t> queue{0};
        out_.parent.push_back(-1);
        out_.level_start.push_back(0);
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const Knot& knot = knots_[queue[i]];
            out_.origin.push_back(knot.column < 0 ? -1 : knot.origin);
            out_.label.push_back(knot.label);
            const double* total = total_.data() + queue[i] * s_;
            out_.total.insert(out_.total.end(), total, total + s_);
            if (knot.column < 0) {
                continue;
            }
            const bool ordered =
                order_.rows.columns[static_cast<std::size_t>(knot.column)].ordered;
            for (std::uint32_t b = 0; b < knot.n; ++b) {
                const std::uint32_t child = knot.first + b;
                if (!ordered && weight(child) <= 0 &&
                    (order_.relabels || knots_[child].label == knot.label)) {
                    continue;
                }
                queue.push_back(child);
                out_.parent.push_back(static_cast<std::int32_t>(i));
                if (!ordered) {
                    out_.level_codes.push_back(knots_[child].level);
                }
                out_.level_start.push_back(static_cast<std::int64_t>(out_.level_codes.size()));
            }
        }
    }

    const PruneOrder& order_;
    std::size_t s_;
    std::vector<Knot> knots_;
    std::vector<double> total_, hypothetical_, now_;
    std::vector<std::vector<std::uint32_t>> open_;  // by depth
    std::vector<std::uint32_t> raised_;             // the branch in question of each node
    std::vector<std::uint8_t> on_the_way_;
    double whole_ = 0;
    Pruned out_;
    std::vector<std::int32_t> branch_;
    std::vector<double> shares_;
    std::vector<std::size_t> sizes_;
    std::vector<std::uint8_t> wanted_;
};

}  // namespace penjing
