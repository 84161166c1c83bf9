// Rows down a flat tree.
//
// A tree is a row of nodes; the children of a node stand side by side, after their parent, so
// that a step is "first child + branch" and every walk ends. A row stops in a leaf, or where
// its value leads nowhere (missing or never seen) and the tree says to stop there. A row may
// also be shared out over all children by their weights; then it reaches several nodes, each
// with a part of it. Depth is never a recursion: a chain of a million nodes is only slow.
//
// Two roads give the same answer. The common one follows each row by itself. The quick one is
// for trees of nothing but cuts in numbers: a block of rows is copied side by side and they
// walk in step. Many rows of one matrix need no copy: they walk where they are.
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
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "in_step.hpp"
#include "quick.hpp"
#include "threads.hpp"
#include "view.hpp"

namespace penjing {

inline constexpr std::int32_t leaf = -1;

// What happens to a value that is missing (per node) or never seen (per tree).
namespace mode {
inline constexpr std::int32_t stop = -1;        // here; the node itself answers
inline constexpr std::int32_t share = -2;       // missing: into every child, by weight
inline constexpr std::int32_t as_missing = -2;  // never seen: as if it were missing
inline constexpr std::int32_t report = -3;      // never seen: tell the caller which row
}  // namespace mode

// The arrays of a tree, as the caller keeps them. See Flat for what must hold.
struct TreeView {
    View<std::int32_t> column;        // asked by each node, -1 in a leaf
    View<double> cut;                 // value <= cut takes branch 0; NaN: nominal
    View<std::int32_t> first_child;   // not read in a leaf
    View<std::int32_t> n_children;    // not read in a leaf
    View<std::int64_t> level_start;   // node i is reached by the parent's levels
    View<std::int32_t> level_codes;   //   level_codes[level_start[i] .. level_start[i + 1]]
    View<std::int32_t> missing_mode;  // a branch, or mode::stop, mode::share
    View<double> weight;              // of each node, for sharing out
    std::int32_t unseen_mode = mode::stop;
};

// A row whose value leads nowhere, in a tree that reports it.
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

    // The columns that some node asks about, ascending; no others need be handed in.
    [[nodiscard]] const std::vector<std::int32_t>& asked() const { return asked_; }

    // The node where each row stops; where it would be shared out, the node that would do it.
    std::optional<Unseen> apply(View<ColumnView> columns, Room<std::int32_t> stops,
                                int threads) const;

    // The value of the node where each row stops; whether all of them stop in leaves. Where
    // they do not and only leaves will do, it ends early.
    std::optional<Unseen> answer(View<ColumnView> columns, View<std::int64_t> values,
                                 Room<std::int64_t> answers, int threads, bool only_leaves,
                                 bool& all_in_leaves) const;

    // The values (n_nodes x width) of the nodes that each row reaches, by parts: rows x width.
    // Of some rows only, where `rows` says which.
    std::optional<Unseen> spread(View<ColumnView> columns, View<double> values,
                                 std::size_t width, Room<double> mixed, int threads,
                                 const std::int64_t* rows = nullptr) const;

    // For every cut in numbers the values on both sides of it, of the rows that reach the node:
    // two a node. A row whose value leads nowhere is followed into every branch.
    [[nodiscard]] std::vector<double> gaps(View<ColumnView> columns, std::size_t n_rows) const;

  private:
    struct Node {
        double cut;
        std::int32_t column;
        std::int32_t first;
        std::int32_t n_children;
        std::int32_t missing;
        std::int32_t lookup;  // of a nominal node
    };
    // Level to branch: a table over [low, low + size) if that is not much longer than the
    // number of levels, else the codes in order. Never longer than four times the levels of the
    // node.
    struct Lookup {
        std::size_t start;
        std::int32_t low;
        std::int32_t size;
        bool dense;
    };
    struct Road {                      // how rows go, all by the same
        const double* base = nullptr;  // their asked numbers, where they lie side by side
        std::size_t stride = 0;        // … in rows so far apart
        InStep placed;                 // … with places in such a row
        std::optional<Quick> quick;    // none: each row goes by itself
    };
    struct Part {  // a row, or what is left of it, about to enter a node
        std::int32_t node;
        double fraction;
    };

    static constexpr std::size_t grain = 4096;        // rows a thread takes at a time
    static constexpr std::size_t sparse = 4;          // of so many cells one should be asked
    static constexpr std::size_t most_slots = 64;     // wider: copying rows would cost more
    static constexpr std::size_t block_cells = 4096;  // 32 KB: a block stays in the cache

    void check(const TreeView& tree) const;
    void add_lookup(const TreeView& tree, std::size_t node);
    [[nodiscard]] std::int32_t branch_of(const Lookup& lookup, std::int32_t code) const;
    std::int32_t step(const Node& node, std::int32_t id, View<ColumnView> columns,
                      std::size_t row, Unseen& unseen) const;
    std::int32_t walk(std::int32_t id, View<ColumnView> columns, std::size_t row,
                      Unseen& unseen) const;
    [[nodiscard]] bool can_be_quick(View<ColumnView> columns) const;
    void check_columns(View<ColumnView> columns) const;
    void find_road(View<ColumnView> columns, std::size_t n_rows, Road& road) const;
    [[nodiscard]] std::size_t find_matrix(View<ColumnView> columns, Road& road) const;
    template <class Visit, class Slow>
    void go(const Road& road, View<ColumnView> columns, std::size_t begin, std::size_t end,
            const Visit& visit, const Slow& slow) const;
    template <class Each>
    std::optional<Unseen> every_row(View<ColumnView> columns, std::size_t n_rows, int threads,
                                    const Each& each) const;

    std::vector<Node> nodes_;
    std::vector<double> share_;  // of each node in its parent
    std::vector<Lookup> lookups_;
    std::vector<std::int32_t> table_;   // dense: branch by code - low, -1 none
    std::vector<std::int32_t> codes_;   // sorted: the codes …
    std::vector<std::int32_t> branch_;  //         … and their branches
    std::vector<std::int32_t> asked_;
    std::vector<bool> needs_codes_;  // by column: some node asks about its levels
    InStep quick_;                   // empty where a node is nominal
    std::int32_t unseen_mode_;
};

// ------------------------------------------------------------------ a tree is made

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
            asked_.push_back(node.column);
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
                node.missing = mode::stop;  // nothing to share by
            }
        }
        nodes_.push_back(node);
    }
    std::sort(asked_.begin(), asked_.end());
    asked_.erase(std::unique(asked_.begin(), asked_.end()), asked_.end());

    if (all_cuts && !asked_.empty() && asked_.size() <= most_slots) {
        for (const Node& node : nodes_) {
            if (node.column == leaf) {
                quick_.add_leaf();
                continue;
            }
            const auto slot =
                std::lower_bound(asked_.begin(), asked_.end(), node.column) - asked_.begin();
            quick_.add_cut(node.cut, static_cast<std::uint32_t>(slot),
                           static_cast<std::uint32_t>(node.first));
        }
        quick_.finish(share_);
    }
}

inline void Flat::add_lookup(const TreeView& tree, std::size_t node) {
    const auto first = static_cast<std::size_t>(tree.first_child[node]);
    const auto n_children = static_cast<std::size_t>(tree.n_children[node]);
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;  // code, branch
    for (std::size_t branch = 0; branch < n_children; ++branch) {
        const auto begin = static_cast<std::size_t>(tree.level_start[first + branch]);
        const auto end = static_cast<std::size_t>(tree.level_start[first + branch + 1]);
        for (std::size_t i = begin; i < end; ++i) {
            pairs.emplace_back(tree.level_codes[i], static_cast<std::int32_t>(branch));
        }
    }
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 1; i < pairs.size(); ++i) {
        if (pairs[i].first == pairs[i - 1].first) {
            throw std::invalid_argument("a level leads into one branch only");
        }
    }
    Lookup lookup{0, 0, 0, true};
    if (!pairs.empty()) {
        const std::int32_t low = pairs.front().first;
        const std::int64_t reach = std::int64_t{pairs.back().first} - low + 1;
        const auto n_pairs = static_cast<std::int64_t>(pairs.size());
        if (reach <= 4 * n_pairs) {
            lookup = {table_.size(), low, static_cast<std::int32_t>(reach), true};
            table_.resize(table_.size() + static_cast<std::size_t>(reach), -1);
            for (const auto& [code, branch] : pairs) {
                table_[lookup.start + static_cast<std::size_t>(code - low)] = branch;
            }
        } else {
            lookup = {codes_.size(), low, static_cast<std::int32_t>(n_pairs), false};
            for (const auto& [code, branch] : pairs) {
                codes_.push_back(code);
                branch_.push_back(branch);
            }
        }
    }
    lookups_.push_back(lookup);
}

// ------------------------------------------------------------------ a row walks

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

// The branch a row takes out of a node that asks something, or mode::stop, or mode::share.
inline std::int32_t Flat::step(const Node& node, std::int32_t id, View<ColumnView> columns,
                               std::size_t row, Unseen& unseen) const {
    const ColumnView& column = columns[static_cast<std::size_t>(node.column)];
    std::int32_t code = missing;
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
    if (code != missing && unseen_mode_ != mode::as_missing) {
        if (unseen_mode_ == mode::report && row < unseen.row) {
            unseen = {row, id, node.column, code};
        }
        return mode::stop;
    }
    return node.missing;
}

inline std::vector<double> Flat::gaps(View<ColumnView> columns, std::size_t n_rows) const {
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
                low = number <= low ? low : number;  // the first time low is not a number
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

// From a node on to where the row stops or is shared out.
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

inline bool Flat::can_be_quick(View<ColumnView> columns) const {
    return !quick_.empty() &&
           std::all_of(asked_.begin(), asked_.end(), [&](std::int32_t column) {
               return columns[static_cast<std::size_t>(column)].codes == nullptr;
           });
}

inline void Flat::check_columns(View<ColumnView> columns) const {
    for (const std::int32_t asked : asked_) {
        const auto column = static_cast<std::size_t>(asked);
        if (column >= columns.size() || columns[column].empty()) {
            throw std::invalid_argument("a column that the tree asks about was not handed in");
        }
        if (needs_codes_[column] && columns[column].codes == nullptr) {
            throw std::invalid_argument("a nominal column must be handed in as int32 codes");
        }
    }
}

inline void Flat::find_road(View<ColumnView> columns, std::size_t n_rows, Road& road) const {
    if (n_rows < InStep::together || !can_be_quick(columns)) {
        return;
    }
    const std::size_t width = n_rows < grain ? 0 : find_matrix(columns, road);
    if (width > 0) {
        road.quick.emplace(road.placed, width, n_rows);
    } else {
        road.quick.emplace(quick_, asked_.size(), n_rows);
    }
}

// How wide rows are where all asked columns are of one matrix, else 0.
inline std::size_t Flat::find_matrix(View<ColumnView> columns, Road& road) const {
    const auto numbers = [&](std::int32_t column) {
        return columns[static_cast<std::size_t>(column)].numbers;
    };
    const std::size_t stride = columns[static_cast<std::size_t>(asked_.front())].stride;
    const double* base = numbers(asked_.front());
    for (const std::int32_t column : asked_) {
        if (columns[static_cast<std::size_t>(column)].stride != stride) {
            return 0;
        }
        base = std::min(base, numbers(column), std::less<>());
    }
    std::size_t width = 0;
    for (const std::int32_t column : asked_) {
        // Columns that overlap in memory are of one array; others may be anywhere.
        if (!std::less<>()(numbers(column), base + stride)) {
            return 0;
        }
        width = std::max(width, static_cast<std::size_t>(numbers(column) - base) + 1);
    }
    if (width > sparse * asked_.size()) {
        return 0;  // a copy of what is asked is less to read
    }
    road.base = base;
    road.stride = stride;
    road.placed = quick_.with_slots([&](std::uint32_t slot) {
        return static_cast<std::uint32_t>(numbers(asked_[slot]) - base);
    });
    return width;
}

// visit(row, node) for rows whose values are all known, slow(row) for others. What stands
// between the asked columns of a matrix is looked at too: a NaN there costs time only.
template <class Visit, class Slow>
void Flat::go(const Road& road, View<ColumnView> columns, std::size_t begin, std::size_t end,
              const Visit& visit, const Slow& slow) const {
    if (!road.quick) {
        for (std::size_t row = begin; row < end; ++row) {
            slow(row);
        }
        return;
    }
    const auto walk_from = [&](const double* first, std::size_t stride, std::size_t start,
                               std::size_t n) {
        road.quick->walk(
            first, stride, n, [&](std::size_t i, std::int32_t node) { visit(start + i, node); },
            [&](std::size_t i) { slow(start + i); });
    };
    if (road.base != nullptr) {
        walk_from(road.base + begin * road.stride, road.stride, begin, end - begin);
        return;
    }
    const std::size_t n_slots = asked_.size();
    const std::size_t n_block =
        std::max<std::size_t>(1, block_cells / n_slots / InStep::together) * InStep::together;
    std::vector<double> cells(n_block * n_slots);
    for (std::size_t start = begin; start < end; start += n_block) {
        const std::size_t n = std::min(n_block, end - start);
        for (std::size_t slot = 0; slot < n_slots; ++slot) {
            const ColumnView& column = columns[static_cast<std::size_t>(asked_[slot])];
            const double* numbers = column.numbers + start * column.stride;
            for (std::size_t i = 0; i < n; ++i) {
                cells[i * n_slots + slot] = numbers[i * column.stride];
            }
        }
        walk_from(cells.data(), n_slots, start, n);
    }
}

// each(begin, end, unseen) over blocks of rows; the lowest unseen row of all.
template <class Each>
std::optional<Unseen> Flat::every_row(View<ColumnView> columns, std::size_t n_rows, int threads,
                                      const Each& each) const {
    if (n_rows > 0) {  // without rows an array may have no memory, which looks like no column
        check_columns(columns);
    }
    Unseen first;
    std::mutex door;
    in_parallel(n_rows, grain, threads, [&](std::size_t begin, std::size_t end) {
        Unseen unseen;
        each(begin, end, unseen);
        const std::scoped_lock lock(door);
        if (unseen.row < first.row) {
            first = unseen;
        }
    });
    if (first.row == Unseen{}.row) {
        return std::nullopt;
    }
    return first;
}

inline std::optional<Unseen> Flat::apply(View<ColumnView> columns, Room<std::int32_t> stops,
                                         int threads) const {
    if (!stops.empty()) {
        check_columns(columns);
    }
    Road road;
    find_road(columns, stops.size(), road);
    return every_row(
        columns, stops.size(), threads,
        [&](std::size_t begin, std::size_t end, Unseen& unseen) {
            go(
                road, columns, begin, end,
                [&](std::size_t row, std::int32_t node) { stops[row] = node; },
                [&](std::size_t row) { stops[row] = walk(0, columns, row, unseen); });
        });
}

inline std::optional<Unseen> Flat::answer(View<ColumnView> columns, View<std::int64_t> values,
                                          Room<std::int64_t> answers, int threads,
                                          bool only_leaves, bool& all_in_leaves) const {
    if (values.size() != size()) {
        throw std::invalid_argument("values needs an entry per node");
    }
    if (!answers.empty()) {
        check_columns(columns);
    }
    Road road;
    find_road(columns, answers.size(), road);
    std::atomic<bool> is_inside = false;
    const auto unseen =
        every_row(columns, answers.size(), threads,
                  [&](std::size_t begin, std::size_t end, Unseen& first_unseen) {
                      const auto whole = [&](std::size_t row, std::int32_t node) {
                          answers[row] = values[static_cast<std::size_t>(node)];
                      };
                      const auto slow = [&](std::size_t row) {
                          const std::int32_t node = walk(0, columns, row, first_unseen);
                          if (nodes_[static_cast<std::size_t>(node)].column != leaf) {
                              is_inside.store(true, std::memory_order_relaxed);
                          }
                          whole(row, node);
                      };
                      for (std::size_t start = begin; start < end; start += grain) {
                          if (only_leaves && is_inside.load(std::memory_order_relaxed)) {
                              return;
                          }
                          go(road, columns, start, std::min(end, start + grain), whole, slow);
                      }
                  });
    all_in_leaves = !is_inside;
    return unseen;
}

inline std::optional<Unseen> Flat::spread(View<ColumnView> columns, View<double> values,
                                          std::size_t width, Room<double> mixed, int threads,
                                          const std::int64_t* rows) const {
    if (width == 0 || values.size() != size() * width || mixed.size() % width != 0) {
        throw std::invalid_argument("values needs a row per node");
    }
    const auto value = [&](std::int32_t node) {
        return values.begin() +
               static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node) * width);
    };
    const auto place = [&](std::size_t i) {
        return mixed.begin() + static_cast<std::ptrdiff_t>(i * width);
    };
    const std::size_t n_rows = mixed.size() / width;
    Road road;
    if (rows == nullptr && n_rows > 0) {
        check_columns(columns);
        find_road(columns, n_rows, road);
    }
    return every_row(
        columns, n_rows, threads, [&](std::size_t begin, std::size_t end, Unseen& unseen) {
            std::vector<Part> waiting;
            const auto whole = [&](std::size_t i, std::int32_t node) {
                std::copy_n(value(node), width, place(i));
            };
            const auto slow = [&](std::size_t i) {
                const std::size_t row = rows == nullptr ? i : static_cast<std::size_t>(rows[i]);
                const auto shares_out = [&](std::int32_t id) {
                    const Node& node = nodes_[static_cast<std::size_t>(id)];
                    return node.column != leaf && node.missing == mode::share &&
                           step(node, id, columns, row, unseen) == mode::share;
                };
                std::int32_t id = walk(0, columns, row, unseen);
                if (!shares_out(id)) {
                    whole(i, id);  // exactly the node's value, not 1.0 times it
                    return;
                }
                const auto out = place(i);
                std::fill_n(out, width, 0.0);
                double fraction = 1.0;
                for (;;) {
                    if (shares_out(id)) {
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
            go(road, columns, begin, end, whole, slow);
        });
}

}  // namespace penjing
