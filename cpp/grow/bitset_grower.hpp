// Grows the subtree below a node of at most 64 rows with bit operations (grow/bitset.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grow/bitset.hpp"
#include "grow/criterion.hpp"
#include "grow/criterion_counts.hpp"
#include "grow/driver.hpp"
#include "grow/level_counts.hpp"
#include "grow/nodes.hpp"

namespace penjing {

// The rows of the whole subtree: columns as the words and lists of grow/bitset.hpp.
struct BitsetTable {
    enum class Kind : std::uint8_t { pair, ordered, nominal };
    struct Column {
        std::uint32_t number = 0;  // index of the column in the request
        Kind kind = Kind::ordered;
        std::uint64_t ones = 0;  // rows with the second value of a binary column
    };
    std::uint32_t n = 0;
    std::vector<Column> columns;
    std::array<std::uint32_t, max_bitset_rows> rows;      // their numbers in the table
    std::array<std::uint64_t, max_bitset_rows> classes;   // rows of each class that occurs
    std::array<std::uint32_t, max_bitset_rows> class_at;  // index of each class
    std::size_t n_classes = 0;
    // Lists for even and odd depths; the entries of a node begin at the same offset in both.
    std::vector<std::uint8_t> ids[2];  // 64 per column
    std::vector<std::uint64_t> differs[2];
    std::vector<std::uint32_t> codes;  // of categorical columns, 64 per column, by row

    void start(std::uint32_t n_rows) {
        n = n_rows;
        columns.clear();
        n_classes = 0;
    }

    std::size_t add(std::uint32_t number, Kind kind) {
        columns.push_back({number, kind, 0});
        const std::size_t size = columns.size();
        for (int side = 0; side < 2; ++side) {
            if (differs[side].size() < size) {
                differs[side].resize(size, 0);
                ids[side].resize(size * max_bitset_rows, 0);
            }
        }
        if (codes.size() < size * max_bitset_rows) {
            codes.resize(size * max_bitset_rows, 0);
        }
        return size - 1;
    }

    // The classes of the rows: `label(i)` is the one of row i.
    template <class Label>
    void set_classes(Label&& label) {
        std::array<std::uint32_t, max_bitset_rows> sorted;
        for (std::uint32_t i = 0; i < n; ++i) {
            sorted[i] = label(i);
        }
        std::sort(sorted.begin(), sorted.begin() + n);
        const auto end = std::unique(sorted.begin(), sorted.begin() + n);
        n_classes = static_cast<std::size_t>(end - sorted.begin());
        std::copy(sorted.begin(), end, class_at.begin());
        std::fill_n(classes.begin(), n_classes, std::uint64_t{0});
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(
                std::lower_bound(sorted.begin(), end, label(i)) - sorted.begin());
            classes[k] |= std::uint64_t{1} << i;
        }
    }

    // Sort the rows by the code of a categorical column, so that categories are contiguous.
    void sort_codes(std::size_t j, std::size_t n_levels) {
        const std::uint32_t* code = codes.data() + j * max_bitset_rows;
        std::uint8_t* to = ids[0].data() + j * max_bitset_rows;
        if (n_levels <= 256) {
            std::array<std::uint8_t, 257> place{};
            std::uint64_t word = 0;
            for (std::uint32_t i = 0; i < n; ++i) {
                ++place[code[i] + 1];
            }
            for (std::size_t level = 1; level <= n_levels; ++level) {
                place[level] = static_cast<std::uint8_t>(place[level] + place[level - 1]);
                word |= place[level] < n ? std::uint64_t{1} << place[level] : 0;
            }
            differs[0][j] = word & ~std::uint64_t{1};
            for (std::uint32_t i = 0; i < n; ++i) {
                to[place[code[i]]++] = static_cast<std::uint8_t>(i);
            }
            return;
        }
        std::array<std::uint64_t, max_bitset_rows> keys;
        for (std::uint32_t i = 0; i < n; ++i) {
            keys[i] = std::uint64_t{code[i]} << 8 | i;
        }
        std::sort(keys.begin(), keys.begin() + n);
        std::uint64_t word = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            to[i] = static_cast<std::uint8_t>(keys[i]);
            if (i > 0 && keys[i] >> 8 != keys[i - 1] >> 8) {
                word |= std::uint64_t{1} << i;
            }
        }
        differs[0][j] = word;
    }
};

template <class Kernel>
class BitsetGrower {
    using M = typename Kernel::Criterion;
    using Kind = BitsetTable::Kind;

  public:
    BitsetTable table;

    // Grow the subtree below node `root`; the table must be filled.
    template <class Scratch>
    void grow(Kernel& kernel, Subtree& subtree, std::uint32_t root, std::int64_t depth,
              Scratch& scratch) {
        stack_.clear();
        active_.clear();
        for (std::uint32_t j = 0; j < table.columns.size(); ++j) {
            active_.push_back(j);
        }
        splits_.resize(table.columns.size());
        stack_.push_back({root, 0, lowest_bits(table.n), depth, 0, 0, active_.size()});
        Task<Scratch> task{kernel, subtree, scratch};
        SerialPool alone;
        grow_depth_first(kernel.request_, *this, task, stack_, alone, PollCallback{},
                         [](const OpenNode&) { return true; });
    }

    // ---- for the driver

    using Split = std::size_t;  // the column
    template <class Scratch>
    struct Task {
        Kernel& kernel;
        Subtree& subtree;
        Scratch& scratch;
    };
    struct OpenNode {
        std::uint32_t node = 0;
        std::uint32_t begin = 0;
        std::uint64_t rows = 0;
        std::int64_t depth = 0;
        unsigned side = 0;
        std::size_t active = 0, n_active = 0;  // range of its columns in active_

        [[nodiscard]] std::size_t n_rows() const { return popcount(rows); }
    };

    template <class Task>
    static bool stops(const Task&, const OpenNode&) {
        return false;  // leaves are not opened
    }

    template <class Task, class Pool>
    bool search(Task& task, const OpenNode& at, Split& split, const Pool&) {
        active_.resize(at.active + at.n_active);  // drops the columns of finished nodes
        prepare_node(task.kernel, at);
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            search_column(task.kernel, active_[i], at, task.scratch);
        }
        const int winner = choose_column(task.kernel, at, task.scratch);
        if (winner < 0) {
            return false;
        }
        split = static_cast<std::size_t>(winner);
        task.subtree.set_ties(at.node, task.scratch.ties);
        return true;
    }

    template <class Task, class Pool>
    void divide(Task& task, const OpenNode& at, Split split, const Pool&,
                std::vector<OpenNode>&) {
        divide(task.kernel, task.subtree, at, split, task.scratch);
    }

  private:
    struct ColumnSplit {
        double value = -1;  // V; negative: no admissible split
        double information = 0;
        std::uint32_t at = 0;
        bool can_split_below = false;
    };
    struct Branch {
        std::uint64_t rows = 0;
        std::uint32_t n = 0;
        bool grows = false;
    };

    void prepare_node(const Kernel& kernel, const OpenNode& at) {
        std::size_t k = 0;
        for (std::size_t i = 0; i < table.n_classes; ++i) {
            const std::uint64_t rows = table.classes[i] & at.rows;
            if (rows != 0) {
                node_.classes[k] = rows;
                node_.counts[k++] = popcount(rows);
            }
        }
        NodeStats& f = node_.stats;
        f.t = node_.counts.data();
        f.k = k;
        f.n = popcount(at.rows);
        f.min_rows = kernel.min_branch_rows(f.n);
        M::prepare(f, kernel.log_);
    }

    [[nodiscard]] BitsetList list_of(std::size_t j, const OpenNode& at) const {
        return {table.ids[at.side].data() + j * max_bitset_rows + at.begin,
                table.differs[at.side][j] >> at.begin & lowest_bits(node_.stats.n),
                node_.stats.n};
    }

    template <class Scratch>
    void search_column(Kernel& kernel, std::size_t j, const OpenNode& at, Scratch& scratch) {
        const BitsetTable::Column& column = table.columns[j];
        const NodeStats& f = node_.stats;
        ColumnSplit& split = splits_[j];
        split.value = -1;
        if (column.kind == Kind::pair) {
            const std::uint64_t zeros = at.rows & ~column.ones;
            split.can_split_below = zeros != 0 && zeros != at.rows;
            if (split.can_split_below) {
                split.at = popcount(zeros);
                split.value = binary_value(M{}, node_, zeros, kernel.log_);
            }
        } else if (column.kind == Kind::ordered) {
            const BestCut best =
                best_bitset_cut(M{}, list_of(j, at), node_, kernel.log_, kernel.use_avx512_);
            split.can_split_below = best.at > 0;
            split.at = best.at;
            split.value = best.at > 0 ? best.value : -1;
        } else {
            count_levels_of(j, at, scratch.levels);
            typename Kernel::ColumnSplit& by_levels = scratch.splits[column.number];
            by_levels.exists = false;
            kernel.score_categories(scratch.levels, f, scratch, by_levels);
            split.can_split_below = by_levels.can_split_below;
            // Rounding may make a value of zero negative.
            split.value = by_levels.exists ? std::max(0.0, by_levels.value) : -1;
            split.information = by_levels.information;
            return;
        }
        if (kernel.request_.is_ratio() && split.value >= 0) {
            split.information = kernel.small_split_information(split.at, f.n);
        }
    }

    // Count the categories of a column in the node: each is a run in its list.
    void count_levels_of(std::size_t j, const OpenNode& at, LevelCounts& out) const {
        const BitsetList list = list_of(j, at);
        const NodeStats& f = node_.stats;
        out.clear();
        std::array<std::uint64_t, max_bitset_rows> class_bits;
        for (std::size_t k = 0; k < f.k; ++k) {
            class_bits[k] = to_list_order(list, node_.classes[k], use_avx512_);
        }
        const std::uint32_t* codes = table.codes.data() + j * max_bitset_rows;
        std::uint64_t begins = (list.differs | 1U) & lowest_bits(list.n);
        while (begins != 0) {
            const auto first = static_cast<std::uint32_t>(std::countr_zero(begins));
            begins &= begins - 1;
            const std::uint32_t end =
                begins == 0 ? list.n : static_cast<std::uint32_t>(std::countr_zero(begins));
            const std::uint64_t run = lowest_bits(end) & ~lowest_bits(first);
            out.codes.push_back(codes[list.ids[first]]);
            out.sizes.push_back(end - first);
            for (std::size_t k = 0; k < f.k; ++k) {
                out.cells.push_back(popcount(class_bits[k] & run));
            }
        }
    }

    template <class Scratch>
    int choose_column(const Kernel& kernel, const OpenNode& at, Scratch& scratch) {
        const NodeStats& f = node_.stats;
        scratch.ties.clear();
        if (kernel.request_.is_ratio()) {
            scratch.candidates.assign(kernel.columns_.size(), Candidate{});
            for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
                const ColumnSplit& split = splits_[active_[i]];
                if (split.value >= 0) {
                    const double value = split.value <= f.slack ? 0 : split.value;
                    scratch.candidates[table.columns[active_[i]].number] = {
                        value * f.unit, split.information, f.impurity};
                }
            }
            const int winner = choose(scratch.candidates, true, scratch.scores, scratch.ties);
            for (std::uint32_t j = 0; winner >= 0 && j < table.columns.size(); ++j) {
                if (table.columns[j].number == static_cast<std::uint32_t>(winner)) {
                    return static_cast<int>(j);
                }
            }
            return -1;
        }
        double best = -1;
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            ColumnSplit& split = splits_[active_[i]];
            if (split.value >= 0) {
                split.value = split.value <= f.slack ? 0 : split.value;
                best = std::max(best, split.value);
            }
        }
        if (best < 0) {
            return -1;
        }
        int winner = -1;
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            const ColumnSplit& split = splits_[active_[i]];
            if (split.value >= 0 && split.value + f.slack >= best) {
                scratch.ties.push_back(
                    static_cast<std::int32_t>(table.columns[active_[i]].number));
                winner = winner < 0 ? static_cast<int>(active_[i]) : winner;
            }
        }
        return winner;
    }

    // The rows of the first `n` entries of a list.
    static std::uint64_t first_rows(const BitsetList& list, std::uint32_t n) {
        std::uint64_t rows = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            rows |= std::uint64_t{1} << list.ids[i];
        }
        return rows;
    }

    template <class Scratch>
    void divide(Kernel& kernel, Subtree& subtree, const OpenNode& at, std::size_t j,
                Scratch& scratch) {
        const BitsetTable::Column& column = table.columns[j];
        const std::uint32_t c = column.number;
        const GrowColumn& source = kernel.request_.columns[c];
        branches_.clear();
        levels_.clear();
        typename Kernel::Cut cut;
        if (column.kind == Kind::ordered) {
            const BitsetList list = list_of(j, at);
            const std::uint32_t left = splits_[j].at;
            const bool few_left = 2 * left <= list.n;
            const std::uint64_t few = few_left
                                          ? first_rows(list, left)
                                          : first_rows({list.ids + left, 0, 0}, list.n - left);
            const std::uint64_t rows = few_left ? few : at.rows & ~few;
            cut = kernel.cut_of(c, key_of(kernel, c, list.ids[left - 1]),
                                key_of(kernel, c, list.ids[left]));
            branches_ = {{rows, left, false}, {at.rows & ~rows, list.n - left, false}};
        } else {
            branch_levels(kernel, j, at, scratch);
            if (source.ordered) {
                cut = kernel.cut_of(c, kernel.columns_[c].low, kernel.columns_[c].high);
            }
        }
        const std::size_t n_parts = branches_.size();
        counts_.assign(n_parts * kernel.k_, 0);
        for (std::size_t b = 0; b < n_parts; ++b) {
            for (std::size_t k = 0; k < table.n_classes; ++k) {
                counts_[b * kernel.k_ + table.class_at[k]] =
                    popcount(table.classes[k] & branches_[b].rows);
            }
        }
        if (kernel.request_.min_gain > 0) {
            std::vector<std::uint32_t> whole(kernel.k_, 0);
            for (std::size_t i = 0; i < counts_.size(); ++i) {
                whole[i % kernel.k_] += counts_[i];
            }
            if (kernel.gain_of(whole, node_.stats.n, counts_, n_parts) <
                kernel.request_.min_gain) {
                kernel.request_.report_leaf(node_.stats.n);
                return;
            }
        }
        const auto first = static_cast<std::uint32_t>(subtree.nodes.size());
        kernel.set_split(subtree, at.node, c, cut, first, n_parts);
        const std::size_t remaining = active_.size();
        const bool used_up = column.kind == Kind::pair ||
                             (column.kind == Kind::nominal && kernel.request_.multiway);
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            if (splits_[active_[i]].can_split_below && !(used_up && active_[i] == j)) {
                active_.push_back(active_[i]);
            }
        }
        const std::size_t n_remaining = active_.size() - remaining;
        for (std::size_t b = 0; b < n_parts; ++b) {
            const std::uint32_t* counts = counts_.data() + b * kernel.k_;
            kernel.add_node(subtree, counts);
            if (!source.ordered) {
                subtree.set_levels(static_cast<std::uint32_t>(subtree.nodes.size() - 1),
                                   levels_[b]);
            }
            branches_[b].grows =
                n_remaining > 0 && !kernel.is_leaf(counts, branches_[b].n, at.depth + 1);
            if (!branches_[b].grows) {
                kernel.request_.report_leaf(branches_[b].n);
            }
        }
        std::uint32_t begin = at.begin;
        for (std::size_t b = 0; b < n_parts; ++b) {
            if (branches_[b].grows) {
                move_lists(at, branches_[b].rows, begin, remaining, n_remaining);
                stack_.push_back({first + static_cast<std::uint32_t>(b), begin,
                                  branches_[b].rows, at.depth + 1, 1 - at.side, remaining,
                                  n_remaining});
            }
            begin += branches_[b].n;
        }
    }

    // The branches of a categorical column: their rows, and the categories that lead to each.
    template <class Scratch>
    void branch_levels(Kernel& kernel, std::size_t j, const OpenNode& at, Scratch& scratch) {
        const BitsetTable::Column& column = table.columns[j];
        const bool is_ordered = kernel.request_.columns[column.number].ordered;
        if (column.kind == Kind::pair) {
            const std::uint64_t zeros = at.rows & ~column.ones;
            const std::uint64_t ones = at.rows & column.ones;
            bool swapped = false;
            if (!kernel.request_.multiway && !is_ordered && kernel.k_ == 2) {
                const auto share = [&](std::uint64_t rows) {  // of the first class
                    return static_cast<double>(popcount(rows & node_.classes[0])) /
                           popcount(rows);
                };
                swapped = share(ones) < share(zeros);
            }
            branches_ = {{zeros, popcount(zeros), false}, {ones, popcount(ones), false}};
            if (swapped) {
                std::swap(branches_[0], branches_[1]);
            }
            if (!is_ordered) {
                levels_ = {{swapped ? 1U : 0U}, {swapped ? 0U : 1U}};
            }
            return;
        }
        const BitsetList list = list_of(j, at);
        const std::uint32_t* codes = table.codes.data() + j * max_bitset_rows;
        if (kernel.request_.multiway) {
            for (std::uint32_t i = 0; i < list.n; ++i) {
                if (i == 0 || (list.differs >> i & 1U) != 0) {
                    branches_.push_back({});
                    levels_.push_back({codes[list.ids[i]]});
                }
                branches_.back().rows |= std::uint64_t{1} << list.ids[i];
                ++branches_.back().n;
            }
            return;
        }
        const auto& groups = scratch.splits[column.number].groups;
        levels_ = {groups[0], groups[1]};
        branches_.resize(2);
        for (std::uint32_t i = 0; i < list.n; ++i) {
            const bool in_first =
                std::binary_search(groups[0].begin(), groups[0].end(), codes[list.ids[i]]);
            Branch& branch = branches_[in_first ? 0 : 1];
            branch.rows |= std::uint64_t{1} << list.ids[i];
            ++branch.n;
        }
    }

    void move_lists(const OpenNode& at, std::uint64_t rows, std::uint32_t begin,
                    std::size_t remaining, std::size_t n_remaining) {
        const unsigned side = 1 - at.side;
        for (std::size_t i = remaining; i < remaining + n_remaining; ++i) {
            const std::size_t j = active_[i];
            if (table.columns[j].kind != Kind::pair) {
                keep_entries(list_of(j, at), rows,
                             {table.ids[side].data() + j * max_bitset_rows + begin,
                              table.differs[side].data() + j, begin},
                             use_avx512_);
            }
        }
    }

    [[nodiscard]] double key_of(const Kernel& kernel, std::size_t c, std::uint8_t id) const {
        return kernel.columns_[c].keys.at(table.rows[id]);
    }

    BitsetNode node_;
    std::vector<OpenNode> stack_;
    std::vector<std::uint32_t> active_;
    std::vector<ColumnSplit> splits_;
    std::vector<Branch> branches_;
    std::vector<std::vector<std::uint32_t>> levels_;
    std::vector<std::uint32_t> counts_;
    bool use_avx512_ = has_avx512();
};

}  // namespace penjing
