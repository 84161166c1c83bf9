// Weakest-link pruning (prune/cost_complexity.py): the node whose subtree decreases the cost
// least per leaf becomes a leaf, again and again, until only the root is left.
//
// Costs are summed leaf by leaf up to the root, and updated along the path of each pruned node,
// always in the same order: the order in which equally weak links are pruned depends on
// rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"

namespace penjing {

// The smallest of many numbers that change one by one; the first of equal ones, NaN before all.
class MinimumTree {
  public:
    explicit MinimumTree(std::vector<double>&& values) : values_(std::move(values)) {
        while (n_ < values_.size()) {
            n_ *= 2;
        }
        values_.resize(n_, std::numeric_limits<double>::infinity());
        winner_.resize(2 * n_);
        for (std::size_t i = 0; i < n_; ++i) {
            winner_[n_ + i] = static_cast<std::uint32_t>(i);
        }
        for (std::size_t i = n_ - 1; i > 0; --i) {
            winner_[i] = better(winner_[2 * i], winner_[2 * i + 1]);
        }
    }

    [[nodiscard]] std::size_t minimum() const { return winner_[1]; }
    [[nodiscard]] double value(std::size_t i) const { return values_[i]; }
    void set(std::size_t i, double value) {
        values_[i] = value;
        for (std::size_t at = (n_ + i) / 2; at > 0; at /= 2) {
            winner_[at] = better(winner_[2 * at], winner_[2 * at + 1]);
        }
    }

  private:
    [[nodiscard]] std::uint32_t better(std::uint32_t a, std::uint32_t b) const {
        const bool is_second =
            std::isnan(values_[b]) ? !std::isnan(values_[a]) : values_[b] < values_[a];
        return is_second ? b : a;
    }

    std::size_t n_ = 1;
    std::vector<double> values_;
    std::vector<std::uint32_t> winner_;
};

struct WeakestLinks {
    std::vector<double> alpha;           // the decrease of the cost per leaf
    std::vector<std::int32_t> node;      // in preorder
    std::vector<double> cost;            // of the tree after the step
    std::vector<std::int64_t> n_leaves;  // the same
};

// Prune all links of a tree whose nodes are numbered in preorder; the first step is the full
// tree, with node -1. `own`: the cost of each node as a leaf.
class WeakestLinkPruner {
  public:
    WeakestLinkPruner(std::size_t n, const std::int32_t* parent, const std::uint8_t* is_leaf,
                      const double* own)
        : n_(n), parent_(parent), own_(own), below_(n, 0.0), n_leaves_(n, 0), end_(n) {
        is_inner_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            is_inner_[i] = is_leaf[i] == 0;
            end_[i] = i + 1;
            if (is_leaf[i] != 0) {
                below_[i] = own[i];
                n_leaves_[i] = 1;
                add_above(i, own[i], 1);
            }
        }
        for (std::size_t i = n - 1; i > 0; --i) {
            std::size_t& end = end_[static_cast<std::size_t>(parent[i])];
            end = std::max(end, end_[i]);
        }
    }

    WeakestLinks prune(const PollCallback& poll) {
        WeakestLinks links;
        add_step(links, 0.0, -1);
        std::vector<double> rates(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            rates[i] = rate(i);
        }
        MinimumTree tree(std::move(rates));
        while (is_inner_[0]) {
            if (poll) {
                poll();
            }
            const std::size_t weakest = tree.minimum();
            const double alpha = tree.value(weakest);
            const double added_cost = own_[weakest] - below_[weakest];
            const std::int64_t removed = n_leaves_[weakest] - 1;
            for (std::size_t i = weakest; i < end_[weakest]; ++i) {
                if (is_inner_[i]) {
                    is_inner_[i] = false;
                    tree.set(i, rate(i));
                }
            }
            below_[weakest] = own_[weakest];
            n_leaves_[weakest] = 1;
            add_above(weakest, added_cost, -removed);
            for (std::int32_t i = parent_[weakest]; i >= 0; i = parent_[i]) {
                tree.set(static_cast<std::size_t>(i), rate(static_cast<std::size_t>(i)));
            }
            add_step(links, alpha, static_cast<std::int32_t>(weakest));
        }
        return links;
    }

  private:
    [[nodiscard]] double rate(std::size_t i) const {
        return is_inner_[i] ? (own_[i] - below_[i]) / static_cast<double>(n_leaves_[i] - 1)
                            : std::numeric_limits<double>::infinity();
    }

    void add_above(std::size_t node, double cost, std::int64_t leaves) {
        for (std::int32_t i = parent_[node]; i >= 0; i = parent_[i]) {
            below_[static_cast<std::size_t>(i)] += cost;
            n_leaves_[static_cast<std::size_t>(i)] += leaves;
        }
    }

    void add_step(WeakestLinks& links, double alpha, std::int32_t node) const {
        links.alpha.push_back(alpha);
        links.node.push_back(node);
        links.cost.push_back(below_[0]);
        links.n_leaves.push_back(n_leaves_[0]);
    }

    std::size_t n_;
    const std::int32_t* parent_;
    const double* own_;
    std::vector<double> below_;  // the cost of the leaves of each subtree
    std::vector<std::int64_t> n_leaves_;
    std::vector<std::size_t> end_;  // behind the last descendant
    std::vector<bool> is_inner_;
};

struct CutCosts {  // of each cut: its subtree and the tree, before it
    std::vector<double> cost, tree_cost;
    std::vector<std::int64_t> n_leaves, tree_leaves;
    std::vector<double> final_cost;  // of every subtree after all cuts
    std::vector<std::int64_t> final_leaves;
};

// The costs of subtrees while nodes become leaves one by one; nodes are numbered breadth first.
inline CutCosts cut_costs(std::size_t n, const std::int32_t* parent,
                          const std::uint8_t* is_leaf, const double* own,
                          const std::vector<std::int32_t>& cuts) {
    CutCosts out;
    out.final_cost.assign(n, 0.0);
    out.final_leaves.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        out.final_cost[i] = is_leaf[i] != 0 ? own[i] : 0.0;
        out.final_leaves[i] = is_leaf[i] != 0 ? 1 : 0;
    }
    for (std::size_t i = n - 1; i > 0; --i) {
        out.final_cost[static_cast<std::size_t>(parent[i])] += out.final_cost[i];
        out.final_leaves[static_cast<std::size_t>(parent[i])] += out.final_leaves[i];
    }
    for (const std::int32_t cut : cuts) {
        const auto node = static_cast<std::size_t>(cut);
        out.cost.push_back(out.final_cost[node]);
        out.n_leaves.push_back(out.final_leaves[node]);
        out.tree_cost.push_back(out.final_cost[0]);
        out.tree_leaves.push_back(out.final_leaves[0]);
        const double added_cost = own[node] - out.final_cost[node];
        const std::int64_t removed = out.final_leaves[node] - 1;
        for (std::int32_t i = cut; i >= 0; i = parent[i]) {
            out.final_cost[static_cast<std::size_t>(i)] += added_cost;
            out.final_leaves[static_cast<std::size_t>(i)] -= removed;
        }
    }
    return out;
}

}  // namespace penjing
