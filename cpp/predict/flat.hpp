// A tree as arrays of nodes, and prediction by walking rows down it.
//
// The children of a node are adjacent and come after their parent, so that a step is "first
// child
// + branch" and every walk ends. A row stops in a leaf, or at a node whose split has no branch
// for its value (missing, or not seen in training) if the tree says so. A row may also be
// distributed over all children by their weights; it then reaches several leaves, each with a
// fraction. There is no recursion, so that depth is not limited.
//
// Two implementations give the same result. The general one follows one row at a time. The
// other is for trees with numeric splits only: a block of rows is copied into a small matrix
// and walked in lockstep. Rows that are already in one matrix are not copied.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "base/view.hpp"
#include "predict/lockstep.hpp"
#include "predict/lockstep_dispatch.hpp"

namespace penjing {

inline constexpr std::int32_t leaf = -1;

// What happens to a value that is missing (per node) or not seen in training (per tree).
namespace mode {
inline constexpr std::int32_t stop = -1;        // the node itself gives the prediction
inline constexpr std::int32_t share = -2;       // missing: into every child, by weight
inline constexpr std::int32_t as_missing = -2;  // not seen: treated as missing
inline constexpr std::int32_t report = -3;      // not seen: report the row to the caller
}  // namespace mode

// The arrays of a tree, owned by the caller. Flat::check states what must hold.
struct TreeView {
    View<std::int32_t> column;       // of the split, -1 in a leaf
    View<double> cut;                // value <= cut takes branch 0; NaN: categorical
    View<std::int32_t> first_child;  // not read in a leaf
    View<std::int32_t> n_children;   // not read in a leaf
    View<std::int64_t> level_start;  // node i is reached by the categories
    View<std::int32_t>
        level_codes;  //   level_codes[level_start[i] … level_start[i + 1]) of its parent
    View<std::int32_t> missing_mode;  // a branch, or mode::stop, mode::share
    View<double> weight;              // of each node, for mode::share
    std::int32_t unseen_mode = mode::stop;
};

// A row whose value has no branch, in a tree that reports it.
struct Unseen {
    std::size_t row = std::numeric_limits<std::size_t>::max();
    std::int32_t node = 0;
    std::int32_t column = 0;
    std::int32_t code = 0;
};

class Flat {
  public:
    explicit Flat(const TreeView& tree);

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }

    // The columns that some node splits on, ascending; no others need be given.
    [[nodiscard]] const std::vector<std::int32_t>& used_columns() const {
        return used_columns_;
    }

    // The node where each row stops, or whose children it would be distributed over.
    std::optional<Unseen> apply(View<ColumnView> columns, MutableView<std::int32_t> stops,
                                int threads) const;

    // The value of the node where each row stops, and whether all of them stop in leaves. With
    // `only_leaves` it ends early if one does not.
    std::optional<Unseen> predict(View<ColumnView> columns, View<std::int64_t> values,
                                  MutableView<std::int64_t> values_out, int threads,
                                  bool only_leaves, bool& all_in_leaves) const;

    // The values (n_nodes x width) of the nodes that each row reaches, weighted by its
    // fractions: rows x width. Only of the given rows unless `rows` is null.
    std::optional<Unseen> predict_fractional(View<ColumnView> columns, View<double> values,
                                             std::size_t width, MutableView<double> values_out,
                                             int threads,
                                             const std::int64_t* rows = nullptr) const;

    // For every numeric split the closest values on both sides of the threshold among the rows
    // that reach the node: two per node. A row without a branch goes into every branch.
    [[nodiscard]] std::vector<double> threshold_gaps(View<ColumnView> columns,
                                                     std::size_t n_rows) const;

    // Call visit(node, column, rows) for every split with the rows that reach it, some rows at
    // a time. A row without a branch stops.
    template <class Visit>
    void for_each_split(View<ColumnView> columns, std::size_t n_rows, const Visit& visit) const;

  private:
    struct Node {
        double cut;
        std::int32_t column;
        std::int32_t first;
        std::int32_t n_children;
        std::int32_t missing;
        std::int32_t lookup;  // of a categorical split
    };
    // From category to branch: a table over [low, low + size) if that is at most four times the
    // number of the split's categories, else a sorted list of the codes.
    struct Lookup {
        std::size_t start;
        std::int32_t low;
        std::int32_t size;
        bool dense;
    };
    struct WalkPlan {  // how a batch of rows is walked
        const double* base =
            nullptr;             // the matrix that holds the columns; null: values are copied
        std::size_t stride = 0;  // of the matrix, in elements
        Lockstep lockstep;       // with positions in a row of the matrix
        std::optional<LockstepDispatch> dispatch;  // empty: rows are walked one at a time
    };
    struct Fraction {  // a part of a row that is about to enter a node
        std::int32_t node;
        double fraction;
    };

    struct BranchSorter {                 // memory for sorting rows by branch
        std::vector<std::size_t> starts;  // where the rows of each branch begin, and the end
        std::vector<std::int32_t> branches;
        std::vector<std::uint32_t> sorted;
    };

    static constexpr std::size_t rows_per_block = 4096;  // per task of a thread
    static constexpr std::size_t max_cells_per_column =
        4;                                          // of a matrix; with more, a copy reads less
    static constexpr std::size_t max_columns = 64;  // with more, copying rows costs too much
    static constexpr std::size_t block_cells = 4096;  // 32 KB: a block stays in the L1 cache

    void check(const TreeView& tree) const;
    void add_lookup(const TreeView& tree, std::size_t node);
    [[nodiscard]] std::int32_t branch_of(const Lookup& lookup, std::int32_t code) const;
    std::int32_t step(const Node& node, std::int32_t id, View<ColumnView> columns,
                      std::size_t row, Unseen& unseen) const;
    std::int32_t walk(std::int32_t id, View<ColumnView> columns, std::size_t row,
                      Unseen& unseen) const;
    [[nodiscard]] bool has_inner_child(const Node& node) const;
    void sort_by_branch(std::int32_t id, View<ColumnView> columns,
                        MutableView<std::uint32_t> rows, BranchSorter& sorter) const;
    [[nodiscard]] bool can_use_lockstep(View<ColumnView> columns) const;
    void check_columns(View<ColumnView> columns) const;
    void plan_walk(View<ColumnView> columns, std::size_t n_rows, WalkPlan& plan) const;
    [[nodiscard]] std::size_t find_matrix(View<ColumnView> columns, WalkPlan& plan) const;
    template <class Visit, class Fallback>
    void walk_rows(const WalkPlan& plan, View<ColumnView> columns, std::size_t begin,
                   std::size_t end, const Visit& visit, const Fallback& fallback) const;
    template <class Each>
    std::optional<Unseen> for_each_block(View<ColumnView> columns, std::size_t n_rows,
                                         int threads, const Each& each) const;

    std::vector<Node> nodes_;
    std::vector<double> share_;  // of each node in its parent
    std::vector<Lookup> lookups_;
    std::vector<std::int32_t> table_;   // dense: branch by code - low, -1 none
    std::vector<std::int32_t> codes_;   // sorted: the codes …
    std::vector<std::int32_t> branch_;  //         … and their branches
    std::vector<std::int32_t> used_columns_;
    std::vector<bool> needs_codes_;  // by column: some split is categorical
    Lockstep lockstep_;              // empty if some split is categorical
    std::int32_t unseen_mode_;
};

// ------------------------------------------------------------------ construction

inline void Flat::check(const TreeView& tree) const {
    const std::size_t n = tree.column.size();
    const auto need = [](bool held, const char* sentence) {
        if (!held) {
            throw std::invalid_argument(sentence);
        }
    };
    need(n >= 1 && n <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
         "a tree has at least one node, and fewer than 2^31");
    need(tree.cut.size() == n && tree.first_child.size() == n && tree.n_children.size() == n &&
             tree.missing_mode.size() == n && tree.weight.size() == n &&
             tree.level_start.size() == n + 1,
         "every array needs an entry per node, level_start one more");
    need(tree.unseen_mode >= mode::report && tree.unseen_mode <= mode::stop,
         "unseen_mode must be -1 (stop), -2 (as missing) or -3 (report)");
    need(tree.level_start.front() == 0 &&
             static_cast<std::size_t>(tree.level_start.back()) == tree.level_codes.size() &&
             std::is_sorted(tree.level_start.begin(), tree.level_start.end()),
         "level_start must ascend from 0 to the number of level_codes");
    need(std::all_of(tree.level_codes.begin(), tree.level_codes.end(),
                     [](std::int32_t code) { return code >= 0; }),
         "level codes are never negative");
    need(std::all_of(tree.weight.begin(), tree.weight.end(),
                     [](double w) { return w >= 0 && std::isfinite(w); }),
         "weights are finite and never negative");
    for (std::size_t i = 0; i < n; ++i) {
        if (tree.column[i] == leaf) {
            continue;
        }
        const auto first = static_cast<std::int64_t>(tree.first_child[i]);
        const auto children = static_cast<std::int64_t>(tree.n_children[i]);
        need(tree.column[i] >= 0, "a node asks about a column, or about none (-1)");
        need(first > static_cast<std::int64_t>(i) && children >= 1 &&
                 first + children <= static_cast<std::int64_t>(n),
             "children come after their parent, inside the tree");
        need(std::isnan(tree.cut[i]) || children == 2, "a cut has two children");
        need(tree.missing_mode[i] >= mode::share && tree.missing_mode[i] < children,
             "missing_mode must be a branch, -1 (stop) or -2 (share)");
    }
}

inline Flat::Flat(const TreeView& tree) : unseen_mode_(tree.unseen_mode) {
    check(tree);
    const std::size_t n = tree.column.size();
    nodes_.reserve(n);
    share_.assign(n, 0.0);
    bool all_cuts = true;
    for (std::size_t i = 0; i < n; ++i) {
        Node node{tree.cut[i], tree.column[i], 0, 0, mode::stop, -1};
        if (node.column != leaf) {
            const auto column = static_cast<std::size_t>(node.column);
            used_columns_.push_back(node.column);
            if (needs_codes_.size() <= column) {
                needs_codes_.resize(column + 1, false);
            }
            node.first = tree.first_child[i];
            node.n_children = tree.n_children[i];
            node.missing = tree.missing_mode[i];
            if (std::isnan(node.cut)) {
                node.lookup = static_cast<std::int32_t>(lookups_.size());
                needs_codes_[column] = true;
                all_cuts = false;
                add_lookup(tree, i);
            }
            const auto first = static_cast<std::size_t>(node.first);
            const auto children = static_cast<std::size_t>(node.n_children);
            double sum = 0.0;
            for (std::size_t child = first; child < first + children; ++child) {
                sum += tree.weight[child];
            }
            if (sum > 0.0) {
                for (std::size_t child = first; child < first + children; ++child) {
                    share_[child] = tree.weight[child] / sum;
                }
            } else if (node.missing == mode::share) {
                node.missing = mode::stop;  // no weights to share by
            }
        }
        nodes_.push_back(node);
    }
    std::sort(used_columns_.begin(), used_columns_.end());
    used_columns_.erase(std::unique(used_columns_.begin(), used_columns_.end()),
                        used_columns_.end());

    if (all_cuts && !used_columns_.empty() && used_columns_.size() <= max_columns) {
        for (const Node& node : nodes_) {
            if (node.column == leaf) {
                lockstep_.add_leaf();
                continue;
            }
            const auto slot =
                std::lower_bound(used_columns_.begin(), used_columns_.end(), node.column) -
                used_columns_.begin();
            lockstep_.add_cut(node.cut, static_cast<std::uint32_t>(slot),
                              static_cast<std::uint32_t>(node.first));
        }
        lockstep_.finish(share_);
    }
}

inline void Flat::add_lookup(const TreeView& tree, std::size_t node) {
    const auto first = static_cast<std::size_t>(tree.first_child[node]);
    const auto n_children = static_cast<std::size_t>(tree.n_children[node]);
    std::vector<std::pair<std::int32_t, std::int32_t>> pair_counter;  // code, branch
    for (std::size_t branch = 0; branch < n_children; ++branch) {
        const auto begin = static_cast<std::size_t>(tree.level_start[first + branch]);
        const auto end = static_cast<std::size_t>(tree.level_start[first + branch + 1]);
        for (std::size_t i = begin; i < end; ++i) {
            pair_counter.emplace_back(tree.level_codes[i], static_cast<std::int32_t>(branch));
        }
    }
    std::sort(pair_counter.begin(), pair_counter.end());
    for (std::size_t i = 1; i < pair_counter.size(); ++i) {
        if (pair_counter[i].first == pair_counter[i - 1].first) {
            throw std::invalid_argument("a level leads into one branch only");
        }
    }
    Lookup lookup{0, 0, 0, true};
    if (!pair_counter.empty()) {
        const std::int32_t low = pair_counter.front().first;
        const std::int64_t reach = std::int64_t{pair_counter.back().first} - low + 1;
        const auto n_pairs = static_cast<std::int64_t>(pair_counter.size());
        if (reach <= 4 * n_pairs) {
            lookup = {table_.size(), low, static_cast<std::int32_t>(reach), true};
            table_.resize(table_.size() + static_cast<std::size_t>(reach), -1);
            for (const auto& [code, branch] : pair_counter) {
                table_[lookup.start + static_cast<std::size_t>(code - low)] = branch;
            }
        } else {
            lookup = {codes_.size(), low, static_cast<std::int32_t>(n_pairs), false};
            for (const auto& [code, branch] : pair_counter) {
                codes_.push_back(code);
                branch_.push_back(branch);
            }
        }
    }
    lookups_.push_back(lookup);
}

// ------------------------------------------------------------------ walking

inline std::int32_t Flat::branch_of(const Lookup& lookup, std::int32_t code) const {
    if (lookup.dense) {
        const std::int64_t place = std::int64_t{code} - lookup.low;
        return place < 0 || place >= lookup.size
                   ? -1
                   : table_[lookup.start + static_cast<std::size_t>(place)];
    }
    const auto begin = codes_.begin() + static_cast<std::ptrdiff_t>(lookup.start);
    const auto end = begin + lookup.size;
    const auto found = std::lower_bound(begin, end, code);
    return found == end || *found != code
               ? -1
               : branch_[static_cast<std::size_t>(found - codes_.begin())];
}

// The branch that a row takes at a split, or mode::stop, or mode::share.
inline std::int32_t Flat::step(const Node& node, std::int32_t id, View<ColumnView> columns,
                               std::size_t row, Unseen& unseen) const {
    const ColumnView& column = columns[static_cast<std::size_t>(node.column)];
    std::int32_t code = missing_code;
    if (column.codes == nullptr) {
        const double number = column.numbers[row * column.stride];
        if (!std::isnan(number)) {
            return number <= node.cut ? 0 : 1;
        }
    } else {
        code = column.codes[row];
        if (code >= 0) {
            if (node.lookup < 0) {
                return code <= node.cut ? 0 : 1;
            }
            const std::int32_t branch =
                branch_of(lookups_[static_cast<std::size_t>(node.lookup)], code);
            if (branch >= 0) {
                return branch;
            }
        }
    }
    if (code != missing_code && unseen_mode_ != mode::as_missing) {
        if (unseen_mode_ == mode::report && row < unseen.row) {
            unseen = {row, id, node.column, code};
        }
        return mode::stop;
    }
    return node.missing;
}

inline std::vector<double> Flat::threshold_gaps(View<ColumnView> columns,
                                                std::size_t n_rows) const {
    check_columns(columns);
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> gap(2 * nodes_.size(), unknown);
    std::vector<std::int32_t> stack;
    Unseen unseen;
    for (std::size_t row = 0; row < n_rows; ++row) {
        stack.assign(1, 0);
        while (!stack.empty()) {
            const std::int32_t id = stack.back();
            const Node& node = nodes_[static_cast<std::size_t>(id)];
            stack.pop_back();
            if (node.column == leaf) {
                continue;
            }
            const ColumnView& column = columns[static_cast<std::size_t>(node.column)];
            const double number =
                column.numbers == nullptr ? unknown : column.numbers[row * column.stride] + 0.0;
            if (number <= node.cut) {
                double& low = gap[2 * static_cast<std::size_t>(id)];
                low = number <= low ? low : number;  // low is NaN at first
            } else if (number > node.cut) {
                double& high = gap[2 * static_cast<std::size_t>(id) + 1];
                high = number >= high ? high : number;
            }
            const std::int32_t branch = step(node, id, columns, row, unseen);
            if (branch >= 0) {
                stack.push_back(node.first + branch);
                continue;
            }
            for (std::int32_t b = 0; b < node.n_children; ++b) {
                stack.push_back(node.first + b);
            }
        }
    }
    return gap;
}

template <class Visit>
void Flat::for_each_split(View<ColumnView> columns, std::size_t n_rows,
                          const Visit& visit) const {
    if (n_rows > 0) {
        check_columns(columns);
    }
    if (n_rows > std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("a block has fewer than 2^32 rows");
    }
    struct Part {  // the rows of a node: a part of the list
        std::int32_t node;
        std::size_t begin;
        std::size_t end;
    };
    BranchSorter sorter;
    std::vector<std::uint32_t> rows;
    std::vector<Part> waiting;
    for (std::size_t start = 0; start < n_rows; start += rows_per_block) {
        rows.resize(std::min(rows_per_block, n_rows - start));
        std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(start));
        waiting.push_back({0, 0, rows.size()});
        while (!waiting.empty()) {
            const Part part = waiting.back();
            waiting.pop_back();
            const Node& node = nodes_[static_cast<std::size_t>(part.node)];
            if (node.column == leaf || part.begin == part.end) {
                continue;
            }
            const MutableView<std::uint32_t> here =
                MutableView<std::uint32_t>(rows).subspan(part.begin, part.end - part.begin);
            visit(part.node, columns[static_cast<std::size_t>(node.column)],
                  View<std::uint32_t>(here));
            if (!has_inner_child(node)) {
                continue;
            }
            sort_by_branch(part.node, columns, here, sorter);
            for (std::int32_t b = 0; b < node.n_children; ++b) {
                const auto branch = static_cast<std::size_t>(b);
                waiting.push_back({node.first + b, part.begin + sorter.starts[branch],
                                   part.begin + sorter.starts[branch + 1]});
            }
        }
    }
}

inline bool Flat::has_inner_child(const Node& node) const {
    const auto first = nodes_.begin() + node.first;
    return std::any_of(first, first + node.n_children,
                       [](const Node& child) { return child.column != leaf; });
}

// Sort the rows of a node by branch, in their order; those that stop come first, or last.
inline void Flat::sort_by_branch(std::int32_t id, View<ColumnView> columns,
                                 MutableView<std::uint32_t> rows, BranchSorter& sorter) const {
    const Node& node = nodes_[static_cast<std::size_t>(id)];
    Unseen unseen;
    auto& [starts, branches, sorted] = sorter;
    sorted.resize(std::max(sorted.size(), rows.size()));
    starts.assign(static_cast<std::size_t>(node.n_children) + 2, 0);
    if (node.n_children == 2) {  // without a jump that depends on the values
        std::size_t n_left = 0;
        std::size_t n_right = 0;
        for (const std::uint32_t row : rows) {
            const std::int32_t branch = step(node, id, columns, row, unseen);
            rows[n_left] = row;  // at or before the place that is read
            n_left += static_cast<std::size_t>(branch == 0);
            sorted[n_right] = row;
            n_right += static_cast<std::size_t>(branch == 1);
        }
        std::copy_n(sorted.begin(), n_right,
                    rows.begin() + static_cast<std::ptrdiff_t>(n_left));
        starts[1] = n_left;
        starts[2] = n_left + n_right;
        return;
    }
    branches.resize(std::max(branches.size(), rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        branches[i] = std::max(step(node, id, columns, rows[i], unseen), mode::stop);
        ++starts[static_cast<std::size_t>(branches[i] + 1)];
    }
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), std::size_t{0});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        sorted[starts[static_cast<std::size_t>(branches[i] + 1)]++] = rows[i];
    }
    std::copy_n(sorted.begin(), rows.size(),
                rows.begin());  // starts[b] is now where branch b begins
}

// From a node to where the row stops or is distributed.
inline std::int32_t Flat::walk(std::int32_t id, View<ColumnView> columns, std::size_t row,
                               Unseen& unseen) const {
    for (;;) {
        const Node& node = nodes_[static_cast<std::size_t>(id)];
        if (node.column == leaf) {
            return id;
        }
        const std::int32_t branch = step(node, id, columns, row, unseen);
        if (branch < 0) {
            return id;
        }
        id = node.first + branch;
    }
}

inline bool Flat::can_use_lockstep(View<ColumnView> columns) const {
    return !lockstep_.empty() &&
           std::all_of(used_columns_.begin(), used_columns_.end(), [&](std::int32_t column) {
               return columns[static_cast<std::size_t>(column)].codes == nullptr;
           });
}

inline void Flat::check_columns(View<ColumnView> columns) const {
    for (const std::int32_t used_columns : used_columns_) {
        const auto column = static_cast<std::size_t>(used_columns);
        if (column >= columns.size() || columns[column].empty()) {
            throw std::invalid_argument("a column that the tree asks about was not handed in");
        }
        if (needs_codes_[column] && columns[column].codes == nullptr) {
            throw std::invalid_argument("a nominal column must be handed in as int32 codes");
        }
    }
}

inline void Flat::plan_walk(View<ColumnView> columns, std::size_t n_rows,
                            WalkPlan& plan) const {
    if (n_rows < Lockstep::batch_size || !can_use_lockstep(columns)) {
        return;
    }
    const std::size_t width = n_rows < rows_per_block ? 0 : find_matrix(columns, plan);
    if (width > 0) {
        plan.dispatch.emplace(plan.lockstep, width, n_rows);
    } else {
        plan.dispatch.emplace(lockstep_, used_columns_.size(), n_rows);
    }
}

// The width of the matrix that holds all used columns, 0 if there is none.
inline std::size_t Flat::find_matrix(View<ColumnView> columns, WalkPlan& plan) const {
    const auto numbers = [&](std::int32_t column) {
        return columns[static_cast<std::size_t>(column)].numbers;
    };
    const std::size_t stride = columns[static_cast<std::size_t>(used_columns_.front())].stride;
    const double* base = numbers(used_columns_.front());
    for (const std::int32_t column : used_columns_) {
        if (columns[static_cast<std::size_t>(column)].stride != stride) {
            return 0;
        }
        base = std::min(base, numbers(column), std::less<>());
    }
    std::size_t width = 0;
    for (const std::int32_t column : used_columns_) {
        // Columns within one stride of each other belong to one matrix.
        if (!std::less<>()(numbers(column), base + stride)) {
            return 0;
        }
        width = std::max(width, static_cast<std::size_t>(numbers(column) - base) + 1);
    }
    if (width > max_cells_per_column * used_columns_.size()) {
        return 0;  // copying the used columns reads less
    }
    plan.base = base;
    plan.stride = stride;
    plan.lockstep = lockstep_.with_slots([&](std::uint32_t slot) {
        return static_cast<std::uint32_t>(numbers(used_columns_[slot]) - base);
    });
    return width;
}

// Call visit(row, node) for rows without missing values and fallback(row) for others. Unused
// columns of a matrix are checked for NaN too: one there only costs time.
template <class Visit, class Fallback>
void Flat::walk_rows(const WalkPlan& plan, View<ColumnView> columns, std::size_t begin,
                     std::size_t end, const Visit& visit, const Fallback& fallback) const {
    if (!plan.dispatch) {
        for (std::size_t row = begin; row < end; ++row) {
            fallback(row);
        }
        return;
    }
    const auto walk_from = [&](const double* first, std::size_t stride, std::size_t start,
                               std::size_t n) {
        plan.dispatch->walk(
            first, stride, n, [&](std::size_t i, std::int32_t node) { visit(start + i, node); },
            [&](std::size_t i) { fallback(start + i); });
    };
    if (plan.base != nullptr) {
        walk_from(plan.base + begin * plan.stride, plan.stride, begin, end - begin);
        return;
    }
    const std::size_t n_slots = used_columns_.size();
    const std::size_t n_block =
        std::max<std::size_t>(1, block_cells / n_slots / Lockstep::batch_size) *
        Lockstep::batch_size;
    std::vector<double> cells(n_block * n_slots);
    for (std::size_t start = begin; start < end; start += n_block) {
        const std::size_t n = std::min(n_block, end - start);
        for (std::size_t slot = 0; slot < n_slots; ++slot) {
            const ColumnView& column = columns[static_cast<std::size_t>(used_columns_[slot])];
            const double* numbers = column.numbers + start * column.stride;
            for (std::size_t i = 0; i < n; ++i) {
                cells[i * n_slots + slot] = numbers[i * column.stride];
            }
        }
        walk_from(cells.data(), n_slots, start, n);
    }
}

// Call each(begin, end, unseen) for blocks of rows; returns the first unseen row.
template <class Each>
std::optional<Unseen> Flat::for_each_block(View<ColumnView> columns, std::size_t n_rows,
                                           int threads, const Each& each) const {
    if (n_rows > 0) {  // an array without rows may have no memory, as if not given
        check_columns(columns);
    }
    Unseen first;
    std::mutex mutex;
    parallel_for(n_rows, rows_per_block, threads, [&](std::size_t begin, std::size_t end) {
        Unseen unseen;
        each(begin, end, unseen);
        const std::scoped_lock lock(mutex);
        if (unseen.row < first.row) {
            first = unseen;
        }
    });
    if (first.row == Unseen{}.row) {
        return std::nullopt;
    }
    return first;
}

inline std::optional<Unseen> Flat::apply(View<ColumnView> columns,
                                         MutableView<std::int32_t> stops, int threads) const {
    if (!stops.empty()) {
        check_columns(columns);
    }
    WalkPlan plan;
    plan_walk(columns, stops.size(), plan);
    return for_each_block(
        columns, stops.size(), threads,
        [&](std::size_t begin, std::size_t end, Unseen& unseen) {
            walk_rows(
                plan, columns, begin, end,
                [&](std::size_t row, std::int32_t node) { stops[row] = node; },
                [&](std::size_t row) { stops[row] = walk(0, columns, row, unseen); });
        });
}

inline std::optional<Unseen> Flat::predict(View<ColumnView> columns, View<std::int64_t> values,
                                           MutableView<std::int64_t> values_out, int threads,
                                           bool only_leaves, bool& all_in_leaves) const {
    if (values.size() != size()) {
        throw std::invalid_argument("values needs an entry per node");
    }
    if (!values_out.empty()) {
        check_columns(columns);
    }
    WalkPlan plan;
    plan_walk(columns, values_out.size(), plan);
    std::atomic<bool> is_inside = false;
    const auto unseen = for_each_block(
        columns, values_out.size(), threads,
        [&](std::size_t begin, std::size_t end, Unseen& first_unseen) {
            const auto whole = [&](std::size_t row, std::int32_t node) {
                values_out[row] = values[static_cast<std::size_t>(node)];
            };
            const auto fallback = [&](std::size_t row) {
                const std::int32_t node = walk(0, columns, row, first_unseen);
                if (nodes_[static_cast<std::size_t>(node)].column != leaf) {
                    is_inside.store(true, std::memory_order_relaxed);
                }
                whole(row, node);
            };
            for (std::size_t start = begin; start < end; start += rows_per_block) {
                if (only_leaves && is_inside.load(std::memory_order_relaxed)) {
                    return;
                }
                walk_rows(plan, columns, start, std::min(end, start + rows_per_block), whole,
                          fallback);
            }
        });
    all_in_leaves = !is_inside;
    return unseen;
}

inline std::optional<Unseen> Flat::predict_fractional(View<ColumnView> columns,
                                                      View<double> values, std::size_t width,
                                                      MutableView<double> values_out,
                                                      int threads,
                                                      const std::int64_t* rows) const {
    if (width == 0 || values.size() != size() * width || values_out.size() % width != 0) {
        throw std::invalid_argument("values needs a row per node");
    }
    const auto value = [&](std::int32_t node) {
        return values.begin() +
               static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node) * width);
    };
    const auto place = [&](std::size_t i) {
        return values_out.begin() + static_cast<std::ptrdiff_t>(i * width);
    };
    const std::size_t n_rows = values_out.size() / width;
    WalkPlan plan;
    if (rows == nullptr && n_rows > 0) {
        check_columns(columns);
        plan_walk(columns, n_rows, plan);
    }
    return for_each_block(
        columns, n_rows, threads, [&](std::size_t begin, std::size_t end, Unseen& unseen) {
            std::vector<Fraction> waiting;
            const auto whole = [&](std::size_t i, std::int32_t node) {
                std::copy_n(value(node), width, place(i));
            };
            const auto fallback = [&](std::size_t i) {
                const std::size_t row = rows == nullptr ? i : static_cast<std::size_t>(rows[i]);
                const auto is_fractional = [&](std::int32_t id) {
                    const Node& node = nodes_[static_cast<std::size_t>(id)];
                    return node.column != leaf && node.missing == mode::share &&
                           step(node, id, columns, row, unseen) == mode::share;
                };
                std::int32_t id = walk(0, columns, row, unseen);
                if (!is_fractional(id)) {
                    whole(i, id);  // the exact value of the node, not 1.0 times it
                    return;
                }
                const auto out = place(i);
                std::fill_n(out, width, 0.0);
                double fraction = 1.0;
                for (;;) {
                    if (is_fractional(id)) {
                        const Node& node = nodes_[static_cast<std::size_t>(id)];
                        for (std::int32_t child = node.first + node.n_children;
                             child-- > node.first;) {
                            const double share = share_[static_cast<std::size_t>(child)];
                            if (share > 0.0) {
                                waiting.push_back({child, fraction * share});
                            }
                        }
                    } else {
                        const auto from = value(id);
                        for (std::size_t s = 0; s < width; ++s) {
                            out[static_cast<std::ptrdiff_t>(s)] +=
                                fraction * from[static_cast<std::ptrdiff_t>(s)];
                        }
                    }
                    if (waiting.empty()) {
                        return;
                    }
                    fraction = waiting.back().fraction;
                    id = walk(waiting.back().node, columns, row, unseen);
                    waiting.pop_back();
                }
            };
            walk_rows(plan, columns, begin, end, whole, fallback);
        });
}

}  // namespace penjing
