// Error-based pruning as in C4.5 and J48 (prune/error_based.py): the same decisions in the same
// order, with subtree raising and recounted rows.
//
// Every category of a categorical column has a branch here, so that a code is the index of its
// branch. Where every row lies in one leaf with a whole weight, the rows of the other branches
// are added to the sums of a branch that may be raised. Otherwise nodes of one depth are
// decided together: one walk from the root, which holds the rows of a single path, finds their
// rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/criterion.hpp"
#include "grow/node_rows.hpp"
#include "grow/request.hpp"
#include "prune/leaf_rows.hpp"

namespace penjing {

struct ErrorBound {  // prune/confidence.py
    double confidence = 0.25;
    double squared = 0;  // the squared normal deviate of the confidence
    double last_errors = 1;
    bool round_to_float = false;
    bool is_c45 = false;        // C4.5's tolerances for zero errors; otherwise J48's
    bool adds_nothing = false;  // J48 adds no errors if the confidence is above 0.5

    [[nodiscard]] double round(double x) const {
        return round_to_float ? static_cast<double>(static_cast<float>(x)) : x;
    }
    [[nodiscard]] double estimate(double n, double errors) const {
        return n > 0 ? round(errors + (adds_nothing ? 0.0 : round(added(n, errors)))) : 0.0;
    }

  private:
    [[nodiscard]] double added(double n, double errors) const {
        const double certain = is_c45 ? 0.9999 : 1.0;
        if (errors < certain) {
            double none = n * (1 - std::exp(std::log(confidence) / n));
            if (errors < (is_c45 ? 1e-6 : std::numeric_limits<double>::denorm_min())) {
                return none;
            }
            none = round(none);
            return none + errors * (round(bound_for_errors(n, 1.0)) - none);
        }
        return bound_for_errors(n, errors);
    }
    [[nodiscard]] double bound_for_errors(double n, double errors) const {
        if (errors + 0.5 >= n) {
            return std::max(last_errors * (n - errors), 0.0);
        }
        const double e = errors + 0.5;
        const double root = std::sqrt(squared * (e * (1 - e / n) + squared / 4));
        return n * round((e + squared / 2 + root) / (n + squared)) - errors;
    }
};

struct PruneRequest {
    GrowRequest rows;  // columns, target, weight, n_sums, fraction
    std::size_t n_nodes = 0;
    const std::int32_t* parent = nullptr;
    const std::int32_t* column = nullptr;  // -1: a leaf
    const double* cut = nullptr;
    const std::int64_t* level_start = nullptr;
    const std::int32_t* level_codes = nullptr;
    const double* total = nullptr;
    const std::int32_t* label = nullptr;
    const std::uint8_t* kept = nullptr;  // whether a node's split must stay; null: none must
    ErrorBound bound;
    double tolerance = 0;
    double margin = 0;
    bool raises = false;
    bool relabels =
        false;  // J48 always recomputes the class; C4.5 only if another is more frequent
};

struct PruneResult {
    // Whether a split that must stay would go, for a leaf or for a split on another column.
    // Pruning ends there: the tree and the remaining decisions are not those of a whole run.
    bool removes_kept = false;
    // the decisions, in the order in which they were made
    std::vector<std::int32_t> node;
    std::vector<std::int8_t> decision;  // 0 keep, 1 cut, 2 raise
    std::vector<double> rows, subtree_errors, leaf_errors, branch_errors, total_errors;
    // the tree, breadth first
    std::vector<std::int32_t> parent, origin, label;
    std::vector<std::int64_t> level_start{0};
    std::vector<std::int32_t> level_codes;
    std::vector<double> total;
};

class ErrorPruner {
  public:
    explicit ErrorPruner(const PruneRequest& request)
        : request_(request), s_(request.rows.n_sums) {
        build_nodes();
    }

    PruneResult prune(const PollCallback& poll) {
        const std::vector<std::uint32_t> nodes = below(0);
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            as_leaf_.push_back(leaf_errors(total_.data() + node * s_));
        }
        errors_ = as_leaf_;
        raised_totals_.resize(total_.size());
        if (request_.raises) {
            place_rows();
        }
        for (const std::uint32_t node : nodes) {
            if (is_leaf(node)) {
                total_errors_ += errors_[node];
            } else {
                enqueue(node);
            }
        }
        while (!queue_.empty()) {
            if (queue_.back().empty()) {
                queue_.pop_back();
                continue;
            }
            if (poll) {
                poll();
            }
            std::vector<std::uint32_t> batch = std::move(queue_.back());
            queue_.back().clear();
            std::sort(batch.begin(), batch.end());
            decide_batch(batch);
            if (out_.removes_kept) {
                return std::move(out_);
            }
        }
        finish();
        return std::move(out_);
    }

  private:
    static constexpr std::uint32_t no_node = 0xffffffffU;

    struct PruneNode {
        std::int32_t origin = -1;  // in the input; -1: a branch without rows
        std::int32_t label = 0;
        std::int32_t column = -1;
        std::int32_t low = 0;  // the last code of branch 0 of a cut
        std::uint32_t depth = 0;
        std::uint32_t parent = 0;
        std::uint32_t first = 0, n = 0;  // children
        std::int32_t level = -1;         // the category that leads here
    };

    [[nodiscard]] bool is_leaf(std::uint32_t node) const { return nodes_[node].column < 0; }

    [[nodiscard]] double leaf_errors(const double* total) const {
        const double n = pairwise_sum(total, s_);
        return request_.bound.estimate(n, n - *std::max_element(total, total + s_));
    }

    [[nodiscard]] double weight(std::uint32_t node) const {
        return pairwise_sum(total_.data() + node * s_, s_);
    }

    void enqueue(std::uint32_t node) {
        const std::uint32_t depth = nodes_[node].depth;
        if (queue_.size() <= depth) {
            queue_.resize(depth + 1);
        }
        queue_[depth].push_back(node);
    }

    // ---- the tree with a branch for each category

    void build_nodes() {
        std::vector<std::uint32_t> first(request_.n_nodes, 0);
        std::vector<std::uint32_t> count(request_.n_nodes, 0);
        for (std::size_t node = request_.n_nodes; node-- > 1;) {
            const auto above = static_cast<std::size_t>(request_.parent[node]);
            first[above] = static_cast<std::uint32_t>(node);
            ++count[above];
        }
        append(0, request_.label[0], 0, 0, -1);
        for (std::size_t at = 0; at < nodes_.size(); ++at) {
            const std::int32_t origin = nodes_[at].origin;
            const auto source = static_cast<std::size_t>(origin);
            if (origin < 0 || request_.column[source] < 0) {
                continue;
            }
            const GrowColumn& column =
                request_.rows.columns[static_cast<std::size_t>(request_.column[source])];
            PruneNode& entry = nodes_[at];
            entry.column = request_.column[source];
            entry.first = static_cast<std::uint32_t>(nodes_.size());
            const auto self = static_cast<std::uint32_t>(at);
            const std::uint32_t depth = entry.depth + 1;
            const std::int32_t label = entry.label;
            if (column.ordered) {
                entry.n = 2;
                entry.low = last_below(column, request_.cut[source]);
                for (std::uint32_t b = 0; b < 2; ++b) {
                    const std::uint32_t child = first[source] + b;
                    append(static_cast<std::int32_t>(child), request_.label[child], self, depth,
                           -1);
                }
                continue;
            }
            entry.n = static_cast<std::uint32_t>(column.n_levels);
            std::vector<std::int32_t> taken(entry.n, -1);
            for (std::uint32_t b = 0; b < count[source]; ++b) {
                const std::uint32_t child = first[source] + b;
                const std::int32_t code = request_.level_codes[request_.level_start[child]];
                taken[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(child);
            }
            for (std::size_t level = 0; level < taken.size(); ++level) {
                const std::int32_t child = taken[level];
                append(child, child < 0 ? label : request_.label[child], self, depth,
                       static_cast<std::int32_t>(level));
            }
        }
    }

    void append(std::int32_t origin, std::int32_t label, std::uint32_t parent,
                std::uint32_t depth, std::int32_t level) {
        PruneNode entry;
        entry.origin = origin;
        entry.label = label;
        entry.parent = parent;
        entry.depth = depth;
        entry.level = level;
        nodes_.push_back(entry);
        if (origin < 0) {
            total_.resize(total_.size() + s_, 0.0);
        } else {
            const double* total = request_.total + static_cast<std::size_t>(origin) * s_;
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
        std::vector<std::uint32_t> nodes{node};
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const PruneNode& entry = nodes_[nodes[i]];
            if (entry.column >= 0) {
                for (std::uint32_t b = 0; b < entry.n; ++b) {
                    nodes.push_back(entry.first + b);
                }
            }
        }
        return nodes;
    }

    [[nodiscard]] const GrowColumn& column_of(const PruneNode& entry) const {
        return request_.rows.columns[static_cast<std::size_t>(entry.column)];
    }

    // The branch of a row; -1 if its value is missing.
    static std::int32_t branch_of(const PruneNode& entry, const GrowColumn& column,
                                  std::uint32_t row) {
        const std::int32_t code = column.codes[row];
        return code < 0 ? -1 : column.ordered ? (code > entry.low ? 1 : 0) : code;
    }

    [[nodiscard]] double row_weight(std::uint32_t row) const {
        return request_.rows.weight == nullptr ? 1.0 : request_.rows.weight[row];
    }

    // The child of the largest weight, the last one of equals.
    [[nodiscard]] std::uint32_t largest(std::uint32_t node) const {
        const PruneNode& entry = nodes_[node];
        double most = -1;
        for (std::uint32_t b = 0; b < entry.n; ++b) {
            most = std::max(most, weight(entry.first + b));
        }
        std::uint32_t last_largest = entry.first;
        for (std::uint32_t b = 0; b < entry.n; ++b) {
            if (weight(entry.first + b) >= most - request_.tolerance) {
                last_largest = entry.first + b;
            }
        }
        return last_largest;
    }

    // ---- decisions

    void decide_batch(const std::vector<std::uint32_t>& batch) {
        std::vector<std::uint32_t> largest_children;
        largest_children.reserve(batch.size());
        bool any = false;
        raised_.resize(nodes_.size(), no_node);
        for (const std::uint32_t node : batch) {
            largest_children.push_back(largest(node));
            if (request_.raises && !is_leaf(largest_children.back())) {
                raised_[node] = largest_children.back();
                any = true;
            }
        }
        if (any && !leaf_rows_) {
            count(batch);
        }
        for (std::size_t i = 0; i < batch.size(); ++i) {
            decide(batch[i], largest_children[i]);
            raised_[batch[i]] = no_node;
        }
    }

    void decide(std::uint32_t node, std::uint32_t branch) {
        const PruneNode& entry = nodes_[node];
        const double leaf = errors_[node];
        double subtree_errors = 0;
        for (std::uint32_t b = 0; b < entry.n; ++b) {
            subtree_errors += errors_[entry.first + b];
        }
        double branch_errors = leaf;
        if (raised_[node] != no_node) {
            if (leaf_rows_) {
                add_other_branches(node, branch);
            }
            branch_errors = 0;
            for (const std::uint32_t each : below(branch)) {
                if (is_leaf(each)) {
                    branch_errors += has_same_rows(each)
                                         ? as_leaf_[each]
                                         : leaf_errors(raised_totals_.data() + each * s_);
                }
            }
        }
        const double allowed = request_.margin + request_.tolerance;
        const double other =
            request_.raises ? branch_errors : std::numeric_limits<double>::infinity();
        int decision = 0;
        if (leaf <= other + allowed && leaf <= subtree_errors + allowed) {
            decision = 1;
        } else if (other <= subtree_errors + allowed) {
            decision = 2;
        }
        if (removes_kept(entry, decision, branch)) {
            out_.removes_kept = true;
            return;
        }
        out_.node.push_back(entry.origin);
        out_.decision.push_back(static_cast<std::int8_t>(decision));
        out_.rows.push_back(weight(node));
        out_.subtree_errors.push_back(subtree_errors);
        out_.leaf_errors.push_back(leaf);
        out_.branch_errors.push_back(branch_errors);
        out_.total_errors.push_back(total_errors_);
        if (decision == 0) {
            errors_[node] = subtree_errors;
        } else if (decision == 1) {
            if (leaf_rows_) {
                for (const std::uint32_t each : below(node)) {
                    leaf_rows_->move(each, node);
                }
            }
            nodes_[node].column = -1;
            nodes_[node].n = 0;
            total_errors_ += leaf - subtree_errors;
        } else {
            raise_branch(node, branch);
            total_errors_ += branch_errors - subtree_errors;
        }
    }

    [[nodiscard]] bool removes_kept(const PruneNode& entry, int decision,
                                    std::uint32_t branch) const {
        return decision != 0 && request_.kept != nullptr && entry.origin >= 0 &&
               request_.kept[entry.origin] != 0 &&
               (decision == 1 || nodes_[branch].column != entry.column);
    }

    // Replace a node by one of its branches; the nodes below it get other rows.
    void raise_branch(std::uint32_t node, std::uint32_t branch) {
        const PruneNode from = nodes_[branch];
        PruneNode& to = nodes_[node];
        to.column = from.column;
        to.low = from.low;
        to.first = from.first;
        to.n = from.n;
        to.label = from.label;
        to.origin = from.origin;
        for (std::uint32_t b = 0; b < from.n; ++b) {
            nodes_[from.first + b].parent = node;
        }
        relabel(node);
        enqueue(node);
        const std::vector<std::uint32_t> nodes = below(node);
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            const std::uint32_t each = nodes[i];
            --nodes_[each].depth;
            if (!has_same_rows(each)) {
                const double* raised_total = raised_totals_.data() + each * s_;
                std::copy(raised_total, raised_total + s_,
                          total_.begin() + static_cast<std::ptrdiff_t>(each * s_));
                as_leaf_[each] = leaf_errors(raised_total);
            }
            relabel(each);
            errors_[each] = as_leaf_[each];
            if (!is_leaf(each)) {
                enqueue(each);
            }
        }
        for (const auto& [row, leaf] : other_rows_) {
            leaf_rows_->add(leaf, row);
        }
    }

    void relabel(std::uint32_t node) {
        const double* total = total_.data() + node * s_;
        std::int32_t& label = nodes_[node].label;
        if (request_.relabels) {
            label = 0;
            for (std::size_t k = 1; k < s_; ++k) {
                if (total[k] - total[label] > request_.tolerance) {
                    label = static_cast<std::int32_t>(k);
                }
            }
        } else if (total[label] < *std::max_element(total, total + s_)) {
            label = static_cast<std::int32_t>(std::max_element(total, total + s_) - total);
        }
    }

    // ---- the sums below branches, if they replaced their parents: rows of one leaf each

    // Place all rows in leaves, if each row lies in one leaf with a whole weight, and the sums
    // of the tree are those of these rows.
    void place_rows() {
        if (!has_whole_weights(request_.rows) || any_missing()) {
            return;
        }
        LeafRows placed(nodes_.size(), request_.rows.n_rows);
        std::vector<double> sums(total_.size(), 0.0);
        for (std::uint32_t row = 0; row < request_.rows.n_rows; ++row) {
            std::uint32_t at = 0;
            while (!is_leaf(at)) {
                const PruneNode& entry = nodes_[at];
                at = entry.first +
                     static_cast<std::uint32_t>(branch_of(entry, column_of(entry), row));
            }
            placed.add(at, row);
            sums[at * s_ + static_cast<std::size_t>(request_.rows.target[row])] +=
                row_weight(row);
        }
        for (std::size_t node = nodes_.size(); node-- > 1;) {  // children come later
            for (std::size_t k = 0; k < s_; ++k) {
                sums[nodes_[node].parent * s_ + k] += sums[node * s_ + k];
            }
        }
        if (sums != total_) {
            return;
        }
        leaf_rows_ = std::move(placed);
        counted_.assign(nodes_.size(), 0);
    }

    // Whether a row lacks the value of a column that the tree splits on: raising a branch may
    // bring any row to any split.
    [[nodiscard]] bool any_missing() const {
        std::vector<std::uint8_t> is_used(request_.rows.columns.size(), 0);
        for (const PruneNode& entry : nodes_) {
            if (entry.column >= 0) {
                is_used[static_cast<std::size_t>(entry.column)] = 1;
            }
        }
        for (std::size_t c = 0; c < is_used.size(); ++c) {
            const std::int32_t* codes = request_.rows.columns[c].codes;
            if (is_used[c] != 0 && std::any_of(codes, codes + request_.rows.n_rows,
                                               [](std::int32_t code) { return code < 0; })) {
                return true;
            }
        }
        return false;
    }

    // Whether a node below the branch that was counted last would keep its rows.
    [[nodiscard]] bool has_same_rows(std::uint32_t node) const {
        return leaf_rows_ && counted_[node] != n_counted_;
    }

    // Add the rows of the other branches of a node to the sums below one branch.
    void add_other_branches(std::uint32_t node, std::uint32_t branch) {
        other_rows_.clear();
        ++n_counted_;
        const PruneNode& entry = nodes_[node];
        for (std::uint32_t b = 0; b < entry.n; ++b) {
            if (entry.first + b == branch) {
                continue;
            }
            for (const std::uint32_t each : below(entry.first + b)) {
                for (std::uint32_t row = leaf_rows_->first(each); row != LeafRows::none;
                     row = leaf_rows_->next(row)) {
                    add_row(row, branch);
                }
            }
        }
    }

    void add_row(std::uint32_t row, std::uint32_t branch) {
        const auto k = static_cast<std::size_t>(request_.rows.target[row]);
        std::uint32_t at = branch;
        while (!is_leaf(at)) {
            const PruneNode& entry = nodes_[at];
            at = entry.first +
                 static_cast<std::uint32_t>(branch_of(entry, column_of(entry), row));
            double* total = raised_totals_.data() + at * s_;
            if (counted_[at] != n_counted_) {
                counted_[at] = n_counted_;
                const double* before = total_.data() + at * s_;
                std::copy(before, before + s_, total);
            }
            total[k] += row_weight(row);
        }
        other_rows_.emplace_back(row, at);
    }

    // ---- the same sums, where a row may lie in several leaves

    struct Visit {
        std::uint32_t node;
        std::uint32_t
            split_node;  // whose split partitions the rows: its own, or that of a raised branch
        bool counts;
        NodeRows rows;
    };

    void count(const std::vector<std::uint32_t>& batch) {
        on_path_.assign(nodes_.size(), 0);
        for (const std::uint32_t node : batch) {
            if (raised_[node] != no_node) {
                for (std::uint32_t at = node; on_path_[at] == 0; at = nodes_[at].parent) {
                    on_path_[at] = 1;
                }
            }
        }
        Visit root{0, 0, false, all_rows(request_.rows)};
        std::vector<Visit> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Visit visit = std::move(stack.back());
            stack.pop_back();
            if (!visit.counts && raised_[visit.node] != no_node) {
                visit.split_node = raised_[visit.node];
                visit.counts = true;
            }
            divide(visit, stack);
        }
    }

    void divide(const Visit& visit, std::vector<Visit>& stack) {
        const PruneNode& entry = nodes_[visit.split_node];
        const GrowColumn& column = column_of(entry);
        const std::size_t n_parts = entry.n;
        const auto is_wanted = [&](std::size_t b) {
            return visit.counts || on_path_[entry.first + b] != 0;
        };
        const auto branch = [&](std::uint32_t row) { return branch_of(entry, column, row); };
        std::vector<NodeRows> parts =
            partition_rows(visit.rows, n_parts, request_.rows.fraction, branch, is_wanted);
        for (std::size_t b = 0; b < n_parts; ++b) {
            if (!is_wanted(b)) {
                continue;
            }
            const std::uint32_t child = entry.first + static_cast<std::uint32_t>(b);
            if (visit.counts) {
                sum_rows(child, parts[b]);
            }
            if (!is_leaf(child)) {
                stack.push_back({child, child, visit.counts, std::move(parts[b])});
            }
        }
    }

    void sum_rows(std::uint32_t node, const NodeRows& rows) {
        double* total = raised_totals_.data() + node * s_;
        std::fill(total, total + s_, 0.0);
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            total[request_.rows.target[rows.ids[i]]] +=
                rows.weight.empty() ? 1.0 : rows.weight[i];
        }
    }

    // ---- the result; a branch without rows is omitted if the split node predicts the same

    void finish() {
        std::vector<std::uint32_t> queue{0};
        out_.parent.push_back(-1);
        out_.level_start.push_back(0);
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const PruneNode& entry = nodes_[queue[i]];
            out_.origin.push_back(entry.column < 0 ? -1 : entry.origin);
            out_.label.push_back(entry.label);
            const double* total = total_.data() + queue[i] * s_;
            out_.total.insert(out_.total.end(), total, total + s_);
            if (entry.column < 0) {
                continue;
            }
            const bool ordered = column_of(entry).ordered;
            for (std::uint32_t b = 0; b < entry.n; ++b) {
                const std::uint32_t child = entry.first + b;
                if (!ordered && weight(child) <= 0 &&
                    (request_.relabels || nodes_[child].label == entry.label)) {
                    continue;
                }
                queue.push_back(child);
                out_.parent.push_back(static_cast<std::int32_t>(i));
                if (!ordered) {
                    out_.level_codes.push_back(nodes_[child].level);
                }
                out_.level_start.push_back(static_cast<std::int64_t>(out_.level_codes.size()));
            }
        }
    }

    const PruneRequest& request_;
    std::size_t s_;
    std::vector<PruneNode> nodes_;
    std::vector<double> total_, raised_totals_;
    std::vector<double> as_leaf_;                    // the estimate of each node as a leaf
    std::vector<double> errors_;                     // that of its subtree, once it is decided
    std::vector<std::vector<std::uint32_t>> queue_;  // by depth
    std::vector<std::uint32_t> raised_;              // the candidate branch of each node
    std::vector<std::uint8_t> on_path_;
    std::optional<LeafRows> leaf_rows_;  // if every row lies in one leaf
    std::vector<std::pair<std::uint32_t, std::uint32_t>> other_rows_;  // of add_other_branches
    std::vector<std::uint32_t> counted_;  // when a node was counted last
    std::uint32_t n_counted_ = 0;
    double total_errors_ = 0;
    PruneResult out_;
};

}  // namespace penjing
