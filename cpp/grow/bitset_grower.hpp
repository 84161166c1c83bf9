// The subtree below a node of at most 64 rows, grown on words of bits (grow/bitset.hpp).
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
#include "grow/level_counts.hpp"
#include "grow/nodes.hpp"

namespace penjing {

// What the rows of the whole subtree have: columns by the words and lists of grow/bitset.hpp.
struct TinyTable {
    enum class Kind : std::uint8_t { pair, ordered, nominal };
    struct Column {
        std::uint32_t number = 0;  // in the table that is grown from
        Kind kind = Kind::ordered;
        std::uint64_t ones = 0;  // a pair's rows of the second value
    };
    std::uint32_t n = 0;
    std::vector<Column> columns;
    std::array<std::uint32_t, most_tiny> rows;      // by their number in the whole table
    std::array<std::uint64_t, most_tiny> classes;   // rows of each class that occurs
    std::array<std::uint32_t, most_tiny> class_at;  // its number
    std::size_t n_classes = 0;
    // Lists by depth, even and odd: a node's entries begin at its own place in both.
    std::vector<std::uint8_t> ids[2];  // 64 a column
    std::vector<std::uint64_t> differs[2];
    std::vector<std::uint32_t> codes;  // of nominal columns, 64 a column, by row

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
                ids[side].resize(size * most_tiny, 0);
            }
        }
        if (codes.size() < size * most_tiny) {
            codes.resize(size * most_tiny, 0);
        }
        return size - 1;
    }

    // The classes of the rows: `label(i)` is the one of row i.
    template <class Label>
    void set_classes(Label&& label) {
        std::array<std::uint32_t, most_tiny> sorted;
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

    // Rows sorted by the code of a nominal column: levels stand side by side.
    void sort_codes(std::size_t j, std::size_t n_levels) {
        const std::uint32_t* code = codes.data() + j * most_tiny;
        std::uint8_t* to = ids[0].data() + j * most_tiny;
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
        std::array<std::uint64_t, most_tiny> keys;
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
class TinyGrower {
    using M = typename Kernel::TheMeasure;
    using Kind = TinyTable::Kind;

  public:
    TinyTable table;

    // Grow what lies below node `root` of the grove; the table has been filled.
    template <class Worker>
    void grow(Kernel& kernel, Grove& grove, std::uint32_t root, std::int64_t depth,
              Worker& my) {
        stack_.clear();
        active_.clear();
        for (std::uint32_t j = 0; j < table.columns.size(); ++j) {
            active_.push_back(j);
        }
        found_.resize(table.columns.size());
        stack_.push_back({root, 0, lowest_bits(table.n), depth, 0, 0, active_.size()});
        while (!stack_.empty()) {
            const Waiting at = stack_.back();
            stack_.pop_back();
            active_.resize(at.active + at.n_active);  // of nodes that are done
            grow_node(kernel, grove, at, my);
        }
    }

  private:
    struct Waiting {
        std::uint32_t node = 0;
        std::uint32_t begin = 0;
        std::uint64_t rows = 0;
        std::int64_t depth = 0;
        unsigned side = 0;
        std::size_t active = 0, n_active = 0;  // where its columns stand in active_
    };
    struct Found {
        double value = -1;  // V; below 0: no offer
        double information = 0;
        std::uint32_t at = 0;
        bool stays = false;
    };
    struct Branch {
        std::uint64_t rows = 0;
        std::uint32_t n = 0;
        bool lives = false;
    };

    void look_at(const Kernel& kernel, const Waiting& at) {
        std::size_t k = 0;
        for (std::size_t i = 0; i < table.n_classes; ++i) {
            const std::uint64_t rows = table.classes[i] & at.rows;
            if (rows != 0) {
                node_.classes[k] = rows;
                node_.counts[k++] = ones_in(rows);
            }
        }
        NodeFacts& f = node_.facts;
        f.t = node_.counts.data();
        f.k = k;
        f.n = ones_in(at.rows);
        f.least = kernel.least_of(f.n);
        M::facts(f, kernel.log_);
    }

    [[nodiscard]] TinyList list_of(std::size_t j, const Waiting& at) const {
        return {table.ids[at.side].data() + j * most_tiny + at.begin,
                table.differs[at.side][j] >> at.begin & lowest_bits(node_.facts.n),
                node_.facts.n};
    }

    template <class Worker>
    void grow_node(Kernel& kernel, Grove& grove, const Waiting& at, Worker& my) {
        look_at(kernel, at);
        kernel.order_.look(node_.facts.n);
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            search(kernel, active_[i], at, my);
        }
        const int winner = choose_column(kernel, at, my);
        if (winner < 0) {
            kernel.order_.place(node_.facts.n);
            return;
        }
        grove.set_ties(at.node, my.ties);
        divide(kernel, grove, at, static_cast<std::size_t>(winner), my);
    }

    template <class Worker>
    void search(Kernel& kernel, std::size_t j, const Waiting& at, Worker& my) {
        const TinyTable::Column& column = table.columns[j];
        const NodeFacts& f = node_.facts;
        Found& found = found_[j];
        found.value = -1;
        if (column.kind == Kind::pair) {
            const std::uint64_t zeros = at.rows & ~column.ones;
            found.stays = zeros != 0 && zeros != at.rows;
            if (found.stays) {
                found.at = ones_in(zeros);
                found.value = worth_of_pair(M{}, node_, zeros, kernel.log_);
            }
        } else if (column.kind == Kind::ordered) {
            const BestCut best =
                best_tiny_cut(M{}, list_of(j, at), node_, kernel.log_, kernel.wide_);
            found.stays = best.at > 0;
            found.at = best.at;
            found.value = best.at > 0 ? best.value : -1;
        } else {
            count_levels_of(j, at, my.levels);
            typename Kernel::Found& by_levels = my.found[column.number];
            by_levels.made = false;
            kernel.weigh_levels(my.levels, f, my, by_levels);
            found.stays = by_levels.stays;
            // What is worth nothing may come out below it, by a rounding.
            found.value = by_levels.made ? std::max(0.0, by_levels.value) : -1;
            found.information = by_levels.information;
            return;
        }
        if (kernel.order_.is_ratio() && found.value >= 0) {
            found.information = kernel.information_of_few(found.at, f.n);
        }
    }

    // The levels of a nominal column in the node: its list holds each as a run.
    void count_levels_of(std::size_t j, const Waiting& at, LevelCounts& out) const {
        const TinyList list = list_of(j, at);
        const NodeFacts& f = node_.facts;
        out.clear();
        std::array<std::uint64_t, most_tiny> in_list;
        for (std::size_t k = 0; k < f.k; ++k) {
            in_list[k] = in_order(list, node_.classes[k], wide_);
        }
        const std::uint32_t* codes = table.codes.data() + j * most_tiny;
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
                out.cells.push_back(ones_in(in_list[k] & run));
            }
        }
    }

    template <class Worker>
    int choose_column(const Kernel& kernel, const Waiting& at, Worker& my) {
        const NodeFacts& f = node_.facts;
        my.ties.clear();
        if (kernel.order_.is_ratio()) {
            my.offers.assign(kernel.columns_.size(), Offer{});
            for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
                const Found& found = found_[active_[i]];
                if (found.value >= 0) {
                    const double value = found.value <= f.slack ? 0 : found.value;
                    my.offers[table.columns[active_[i]].number] = {
                        value * f.unit, found.information, f.impurity};
                }
            }
            const int winner = choose(my.offers, true, my.scores, my.ties);
            for (std::uint32_t j = 0; winner >= 0 && j < table.columns.size(); ++j) {
                if (table.columns[j].number == static_cast<std::uint32_t>(winner)) {
                    return static_cast<int>(j);
                }
            }
            return -1;
        }
        double best = -1;
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            Found& found = found_[active_[i]];
            if (found.value >= 0) {
                found.value = found.value <= f.slack ? 0 : found.value;
                best = std::max(best, found.value);
            }
        }
        if (best < 0) {
            return -1;
        }
        int winner = -1;
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            const Found& found = found_[active_[i]];
            if (found.value >= 0 && found.value + f.slack >= best) {
                my.ties.push_back(static_cast<std::int32_t>(table.columns[active_[i]].number));
                winner = winner < 0 ? static_cast<int>(active_[i]) : winner;
            }
        }
        return winner;
    }

    // The rows of the first `n` entries of a list.
    static std::uint64_t first_rows(const TinyList& list, std::uint32_t n) {
        std::uint64_t rows = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            rows |= std::uint64_t{1} << list.ids[i];
        }
        return rows;
    }

    template <class Worker>
    void divide(Kernel& kernel, Grove& grove, const Waiting& at, std::size_t j, Worker& my) {
        const TinyTable::Column& column = table.columns[j];
        const std::uint32_t c = column.number;
        const GrowColumn& source = kernel.order_.columns[c];
        branches_.clear();
        levels_.clear();
        typename Kernel::Cut cut;
        if (column.kind == Kind::ordered) {
            const TinyList list = list_of(j, at);
            const std::uint32_t left = found_[j].at;
            const bool few_left = 2 * left <= list.n;
            const std::uint64_t few = few_left
                                          ? first_rows(list, left)
                                          : first_rows({list.ids + left, 0, 0}, list.n - left);
            const std::uint64_t rows = few_left ? few : at.rows & ~few;
            cut = kernel.cut_of(c, key_of(kernel, c, list.ids[left - 1]),
                                key_of(kernel, c, list.ids[left]));
            branches_ = {{rows, left, false}, {at.rows & ~rows, list.n - left, false}};
        } else {
            branch_levels(kernel, j, at, my);
            if (source.ordered) {
                cut = kernel.cut_of(c, kernel.columns_[c].low, kernel.columns_[c].high);
            }
        }
        const std::size_t n_parts = branches_.size();
        counts_.assign(n_parts * kernel.k_, 0);
        for (std::size_t b = 0; b < n_parts; ++b) {
            for (std::size_t k = 0; k < table.n_classes; ++k) {
                counts_[b * kernel.k_ + table.class_at[k]] =
                    ones_in(table.classes[k] & branches_[b].rows);
            }
        }
        if (kernel.order_.min_gain > 0) {
            std::vector<std::uint32_t> whole(kernel.k_, 0);
            for (std::size_t i = 0; i < counts_.size(); ++i) {
                whole[i % kernel.k_] += counts_[i];
            }
            if (kernel.gain_of(whole, node_.facts.n, counts_, n_parts) <
                kernel.order_.min_gain) {
                kernel.order_.place(node_.facts.n);
                return;
            }
        }
        const auto first = static_cast<std::uint32_t>(grove.nodes.size());
        kernel.set_split(grove, at.node, c, cut, first, n_parts);
        const std::size_t still = active_.size();
        const bool spent = column.kind == Kind::pair ||
                           (column.kind == Kind::nominal && kernel.order_.multiway);
        for (std::size_t i = at.active; i < at.active + at.n_active; ++i) {
            if (found_[active_[i]].stays && !(spent && active_[i] == j)) {
                active_.push_back(active_[i]);
            }
        }
        const std::size_t n_still = active_.size() - still;
        for (std::size_t b = 0; b < n_parts; ++b) {
            const std::uint32_t* counts = counts_.data() + b * kernel.k_;
            kernel.add_node(grove, counts);
            if (!source.ordered) {
                kernel.set_levels(grove, levels_[b]);
            }
            branches_[b].lives =
                n_still > 0 && !kernel.is_leaf(counts, branches_[b].n, at.depth + 1);
            if (!branches_[b].lives) {
                kernel.order_.place(branches_[b].n);
            }
        }
        std::uint32_t begin = at.begin;
        for (std::size_t b = 0; b < n_parts; ++b) {
            if (branches_[b].lives) {
                move_lists(at, branches_[b].rows, begin, still, n_still);
                stack_.push_back({first + static_cast<std::uint32_t>(b), begin,
                                  branches_[b].rows, at.depth + 1, 1 - at.side, still,
                                  n_still});
            }
            begin += branches_[b].n;
        }
    }

    // The branches of a column of levels: rows, and the levels that lead to each.
    template <class Worker>
    void branch_levels(Kernel& kernel, std::size_t j, const Waiting& at, Worker& my) {
        const TinyTable::Column& column = table.columns[j];
        const bool is_ordered = kernel.order_.columns[column.number].ordered;
        if (column.kind == Kind::pair) {
            const std::uint64_t zeros = at.rows & ~column.ones;
            const std::uint64_t ones = at.rows & column.ones;
            bool swapped = false;
            if (!kernel.order_.multiway && !is_ordered && kernel.k_ == 2) {
                const auto share = [&](std::uint64_t rows) {  // of the first class
                    return static_cast<double>(ones_in(rows & node_.classes[0])) /
                           ones_in(rows);
                };
                swapped = share(ones) < share(zeros);
            }
            branches_ = {{zeros, ones_in(zeros), false}, {ones, ones_in(ones), false}};
            if (swapped) {
                std::swap(branches_[0], branches_[1]);
            }
            if (!is_ordered) {
                levels_ = {{swapped ? 1U : 0U}, {swapped ? 0U : 1U}};
            }
            return;
        }
        const TinyList list = list_of(j, at);
        const std::uint32_t* codes = table.codes.data() + j * most_tiny;
        if (kernel.order_.multiway) {
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
        const auto& groups = my.found[column.number].groups;
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

    void move_lists(const Waiting& at, std::uint64_t rows, std::uint32_t begin,
                    std::size_t still, std::size_t n_still) {
        const unsigned side = 1 - at.side;
        for (std::size_t i = still; i < still + n_still; ++i) {
            const std::size_t j = active_[i];
            if (table.columns[j].kind != Kind::pair) {
                keep_entries(list_of(j, at), rows,
                             {table.ids[side].data() + j * most_tiny + begin,
                              table.differs[side].data() + j, begin},
                             wide_);
            }
        }
    }

    [[nodiscard]] double key_of(const Kernel& kernel, std::size_t c, std::uint8_t id) const {
        return kernel.columns_[c].keys.at(table.rows[id]);
    }

    TinyNode node_;
    std::vector<Waiting> stack_;
    std::vector<std::uint32_t> active_;
    std::vector<Found> found_;
    std::vector<Branch> branches_;
    std::vector<std::vector<std::uint32_t>> levels_;
    std::vector<std::uint32_t> counts_;
    bool wide_ = has_avx512();
};

}  // namespace penjing
