// The growing kernel for the rules of C4.5 and J48 (rules/quinlan.py): the same numbers in the
// same order, in double precision or rounded to 32 bits wherever C4.5 stores them.
//
// Rows of a node are kept in the order of the table, as in the general kernel. Nominal columns
// have a branch for each level; groups of levels are left to Python.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/general.hpp"
#include "grow/nodes.hpp"

namespace penjing {

struct QuinlanOrder : Order {
    bool single = false;
    bool by_ratio = true;
    bool cut_cost = true;
    bool cut_at_value = true;
    bool lean = false;  // codes are mapped from files: no second copy of them in memory
    double tolerance = 0;
    double gap = 0;
    double side_share = 0;
    double side_most = 0;
    double cut_tolerance = 0;
    double slack = 0;
    double start = 0;                // what a score must exceed
    double tie = 0;                  // by how much
    std::vector<std::uint8_t> mean;  // columns that take part in the average gain
};

// information.py: every result is rounded that the programs would store.
class Arithmetic {
  public:
    Arithmetic(bool single, double least) : single_(single), least_(least) {}

    [[nodiscard]] double round(double x) const {
        return single_ ? static_cast<double>(static_cast<float>(x)) : x;
    }
    [[nodiscard]] double sum(const double* terms, std::size_t n) const {
        double found = 0;
        for (std::size_t i = 0; i < n; ++i) {
            found = round(found + terms[i]);
        }
        return found;
    }
    [[nodiscard]] double n_log_n(double n) const {
        constexpr double ln2 = 0.69314718055994530942;
        return n > least_ ? n * (std::log(n) / ln2) : 0.0;
    }
    // N log N - sum n log n
    [[nodiscard]] double information(const double* counts, std::size_t n) const {
        double spent = 0;
        double whole = 0;
        for (std::size_t i = 0; i < n; ++i) {
            spent = round(spent + n_log_n(counts[i]));
            whole = round(whole + counts[i]);
        }
        return round(n_log_n(whole) - spent);
    }
    // What a division into parts (n x k) gains per case, known or not.
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

// n log2 n, but for an error of some 1e-12 of it: by a table of logarithms and a short series.
class Logarithms {
  public:
    Logarithms() {
        for (std::size_t i = 0; i < size; ++i) {
            const double middle = 1 + (static_cast<double>(i) + 0.5) / size;
            inverse_[i] = 1 / middle;
            log_[i] = std::log2(middle);
        }
    }
    [[nodiscard]] double n_log_n(double n) const {
        constexpr double per_bit = 1.4426950408889634;
        const auto bits = std::bit_cast<std::uint64_t>(n);
        const auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
        if (exponent < -1000) {  // nothing, or next to nothing; rounding may leave a bit less
            return 0;
        }
        const std::size_t i = (bits >> (52 - width)) & (size - 1);
        const double fraction =
            std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
        const double r = fraction * inverse_[i] - 1;
        const double series = r * (1 - r * (1.0 / 2 - r * (1.0 / 3 - r * (1.0 / 4))));
        return n * (static_cast<double>(exponent) + log_[i] + per_bit * series);
    }

  private:
    static constexpr unsigned width = 7;
    static constexpr std::size_t size = std::size_t{1} << width;
    std::array<double, size> inverse_{};
    std::array<double, size> log_{};
};

inline double about_n_log_n(double n) {
    static const Logarithms logarithms;
    return n > 0 ? logarithms.n_log_n(n) : 0.0;
}

class QuinlanKernel {
  public:
    explicit QuinlanKernel(const QuinlanOrder& order)
        : order_(order), math_(order.single, order.tolerance), s_(order.n_sums) {}

    std::vector<Grove> grow(ThreadPool& pool, const PollCallback& poll) {
        NodeRows all;
        all.ids.resize(order_.n_rows);
        std::iota(all.ids.begin(), all.ids.end(), 0U);
        if (order_.weight != nullptr) {
            all.weight.assign(order_.weight, order_.weight + order_.n_rows);
        }
        by_row_.resize(order_.lean ? 0 : order_.n_rows * order_.columns.size());
        for (std::size_t c = 0; c < order_.columns.size() && !order_.lean; ++c) {
            for (std::size_t row = 0; row < order_.n_rows; ++row) {
                by_row_[row * order_.columns.size() + c] = order_.columns[c].codes[row];
            }
        }
        workers_.resize(static_cast<std::size_t>(pool.size()));
        // Big nodes deal their columns to the team; what is left is dealt out as whole
        // subtrees.
        const std::size_t large =
            pool.size() > 1 ? std::max<std::size_t>(order_.n_rows / 32, 2000) : 0;
        std::vector<Grove> groves(1);
        std::vector<Open> later;
        subtree(groves[0], Open{0, 0, std::move(all)}, 0, large, &pool, &later, poll);
        groves.resize(1 + later.size());
        for (std::size_t i = 0; i < later.size(); ++i) {
            groves[0].nodes[later[i].node].link = static_cast<std::int32_t>(i + 1);
        }
        std::vector<std::size_t> by_size(later.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return later[a].rows.ids.size() > later[b].rows.ids.size();
        });
        pool.run(later.size(), [&](std::size_t piece, int worker) {
            const std::size_t i = by_size[piece];
            Open open = std::move(later[i]);
            open.node = 0;
            subtree(groves[i + 1], std::move(open), worker, 0, nullptr, nullptr,
                    worker == 0 ? poll : PollCallback{});
        });
        return groves;
    }

  private:
    struct Open {
        std::uint32_t node;
        std::int64_t depth;
        NodeRows rows;
    };
    struct Found {  // the best division of one column
        double gain = not_a_number;
        double information = 0;
        double cut = not_a_number;
        std::int32_t low = 0;             // the last code of branch 0
        std::vector<std::int32_t> codes;  // the levels of a nominal column
    };
    struct Gathered {  // class and weight of each of a node's rows, and its codes
        std::vector<std::uint32_t> class_;
        std::vector<double> weight;
        std::vector<std::int32_t> codes;  // column after column; empty in a large node
    };
    struct Worker {
        std::vector<std::int32_t> codes;
        std::vector<double> cells, missing, known;  // sums: levels x S, S, S
        std::vector<double> dense, low, high, parts, sizes, gains, class_sums;
        std::vector<double> lows, after, n_log_low, n_log_high;
        std::vector<std::uint32_t> tried, close;
        std::vector<std::uint8_t> seen;
        std::vector<std::uint64_t> keys, spare;
    };

    void subtree(Grove& grove, Open first, int worker, std::size_t large, ThreadPool* pool,
                 std::vector<Open>* later, const PollCallback& poll) {
        std::vector<Found> found(order_.columns.size());
        std::vector<double> scores(order_.columns.size());
        Gathered gathered;
        std::vector<Open> stack;
        add_nodes(grove, 1);
        weigh(grove, 0, first.rows);
        stack.push_back(std::move(first));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (poll) {
                poll();
            }
            const double* total = grove.total.data() + open.node * s_;
            const double weight = math_.sum(total, s_);
            if (stops(total, weight, open.depth)) {
                order_.place(open.rows.ids.size());
                continue;
            }
            if (later != nullptr && open.rows.ids.size() < large) {
                later->push_back(std::move(open));
                continue;
            }
            gather(open.rows, gathered);
            const auto look = [&](std::size_t c, int by) {
                Worker& my = workers_[static_cast<std::size_t>(by)];
                found[c] = Found{};
                count(c, open.rows, gathered, my);
                if (order_.columns[c].ordered) {
                    best_cut(order_.columns[c], weight, my, found[c]);
                } else {
                    all_levels(weight, my, found[c]);
                }
            };
            if (pool != nullptr) {
                pool->run(found.size(), look);
            } else {
                for (std::size_t c = 0; c < found.size(); ++c) {
                    look(c, worker);
                }
            }
            order_.look(open.rows.ids.size());
            const int winner = choose(found, scores);
            if (winner < 0) {
                order_.place(open.rows.ids.size());
                continue;
            }
            const auto w = static_cast<std::size_t>(winner);
            const double gain = std::max(found[w].gain, 0.0);
            if (gain >= order_.min_gain) {
                note_ties(grove, open.node, scores, w);
                grove.known[open.node * s_] = gain;
                grove.known[open.node * s_ + 1] = scores[w];
                divide(grove, open, w, found[w], stack);
            }
        }
    }

    // `known` begins with gain and score of each node here; one class only makes no division.
    void add_nodes(Grove& grove, std::size_t n) const {
        grove.nodes.resize(grove.nodes.size() + n);
        const std::size_t size = grove.nodes.size() * s_;
        grove.total.resize(size);
        grove.known.resize(size);
        grove.after.resize(size);
        grove.missing.resize(size);
    }

    void weigh(Grove& grove, std::uint32_t node, const NodeRows& rows) const {
        double* total = grove.total.data() + node * s_;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            total[order_.target[rows.ids[i]]] += rows.weight.empty() ? 1.0 : rows.weight[i];
        }
    }

    [[nodiscard]] bool stops(const double* total, double weight, std::int64_t depth) const {
        const double most = *std::max_element(total, total + s_);
        return weight - most <= order_.tolerance ||
               (order_.max_depth >= 0 && depth >= order_.max_depth) ||
               weight < std::max(2 * order_.min_branch, order_.min_weight) - order_.tolerance;
    }

    // ---- counting: levels that occur, ascending, and their sums

    void gather(const NodeRows& rows, Gathered& to) const {
        const std::size_t n = rows.ids.size();
        to.class_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            to.class_[i] = static_cast<std::uint32_t>(order_.target[rows.ids[i]]);
        }
        if (rows.weight.empty()) {
            to.weight.assign(n, 1.0);
        } else {
            to.weight = rows.weight;
        }
        to.codes.clear();
        const std::size_t n_columns = order_.columns.size();
        if (order_.lean ||
            n > order_.n_rows / 4) {  // most of each column is read: in its own order, then
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

    void count(std::size_t c, const NodeRows& rows, const Gathered& of, Worker& my) const {
        const GrowColumn& column = order_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        const std::size_t n = rows.ids.size();
        my.codes.clear();
        my.cells.clear();
        my.missing.assign(s_, 0.0);
        my.known.assign(s_, 0.0);
        const bool dense = n_levels <= 2 * n;
        my.keys.clear();
        if (dense) {
            my.dense.assign(n_levels * s_, 0.0);
            my.seen.assign(n_levels, 0);
        }
        const auto every = [&](auto code_of) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::int32_t code = code_of(i);
                const auto level = static_cast<std::size_t>(code);
                if (code < 0) {
                    my.missing[of.class_[i]] += of.weight[i];
                } else if (dense) {
                    my.seen[level] = 1;
                    my.dense[level * s_ + of.class_[i]] += of.weight[i];
                } else {
                    my.keys.push_back(static_cast<std::uint64_t>(code) << 32 | i);
                }
            }
        };
        if (of.codes.empty()) {
            every([&](std::size_t i) { return column.codes[rows.ids[i]]; });
        } else {
            const std::int32_t* codes = of.codes.data() + c * n;
            every([codes](std::size_t i) { return codes[i]; });
        }
        if (dense) {
            for (std::size_t level = 0; level < n_levels; ++level) {
                if (my.seen[level] != 0) {
                    my.codes.push_back(static_cast<std::int32_t>(level));
                    const double* cell = my.dense.data() + level * s_;
                    my.cells.insert(my.cells.end(), cell, cell + s_);
                }
            }
        } else {
            sort_keys(my, n_levels);
            for (const std::uint64_t key : my.keys) {
                const auto code = static_cast<std::int32_t>(key >> 32);
                const std::size_t i = key & 0xffffffffU;
                if (my.codes.empty() || my.codes.back() != code) {
                    my.codes.push_back(code);
                    my.cells.resize(my.cells.size() + s_, 0.0);
                }
                my.cells[my.cells.size() - s_ + of.class_[i]] += of.weight[i];
            }
        }
        for (std::size_t at = 0; at < my.cells.size(); at += s_) {
            for (std::size_t k = 0; k < s_; ++k) {
                my.known[k] += my.cells[at + k];
            }
        }
    }

    // By code, then by place: digit after digit of the code, places being in order already.
    static void sort_keys(Worker& my, std::size_t n_levels) {
        constexpr std::size_t few = 96;
        constexpr unsigned digit = 9;
        constexpr std::size_t n_digits = std::size_t{1} << digit;
        const std::size_t n = my.keys.size();
        if (n < few) {
            std::sort(my.keys.begin(), my.keys.end());
            return;
        }
        my.spare.resize(n);
        for (unsigned shift = 0; (n_levels - 1) >> shift != 0; shift += digit) {
            std::array<std::uint32_t, n_digits + 1> start{};
            for (const std::uint64_t key : my.keys) {
                ++start[((key >> (32 + shift)) & (n_digits - 1)) + 1];
            }
            for (std::size_t d = 1; d <= n_digits; ++d) {
                start[d] += start[d - 1];
            }
            for (const std::uint64_t key : my.keys) {
                my.spare[start[(key >> (32 + shift)) & (n_digits - 1)]++] = key;
            }
            my.keys.swap(my.spare);
        }
    }

    // ---- the best division of one column

    void best_cut(const GrowColumn& column, double weight, Worker& my, Found& found) const {
        const std::size_t n = my.codes.size();
        const double tolerance = order_.tolerance;
        double known = 0;
        for (const double part : my.known) {
            known += part;
        }
        known = math_.round(known);
        if (n < 2 || known < 2 * order_.min_branch - tolerance) {
            return;
        }
        double least = math_.round(order_.side_share * known / static_cast<double>(s_));
        if (least <= order_.min_branch + tolerance) {
            least = order_.min_branch;
        } else if (least > order_.side_most + tolerance) {
            least = order_.side_most;
        }
        const double most = math_.round(known - least) + tolerance;
        const double before = math_.round(math_.information(my.known.data(), s_) / known);
        const double unknown = math_.round(1 - math_.round(known / weight));
        walk(column, least, most, my);
        if (my.tried.empty()) {
            return;
        }
        const double cost =
            order_.cut_cost ? std::log2(static_cast<double>(my.tried.size())) / weight : 0.0;
        const bool charged = tolerance == 0;  // J48 charges only the best cut
        double best = 0;
        std::size_t place = my.tried.size();
        find_close(known, 1 - unknown, my);
        for (const std::uint32_t i : my.close) {
            const double exact = gain_of_two(my.lows.data() + i * s_, my, before, unknown);
            const double gain = charged ? math_.round(exact - math_.round(cost)) : exact;
            if (gain - best > order_.tie) {
                best = gain;
                place = i;
            }
        }
        const double worth = best - (charged ? 0.0 : cost);
        if (place == my.tried.size() || worth <= tolerance) {
            return;
        }
        const double sides[] = {weight - known, my.sizes[place],
                                math_.round(known - my.sizes[place])};
        const std::size_t at = my.tried[place];
        found.gain = worth;
        found.information = math_.round(math_.information(sides, 3) / weight);
        put_cut(column, my.codes[at], my.codes[at + 1], found);
    }

    // All cuts that may be tried: the sums below each, and about how many bits are left.
    void walk(const GrowColumn& column, double least, double most, Worker& my) const {
        const std::size_t n = my.codes.size();
        const double tolerance = order_.tolerance;
        my.low.assign(s_, 0.0);
        my.high = my.known;
        my.n_log_low.assign(s_, 0.0);
        my.n_log_high.resize(s_);
        double spent_low = 0;
        double spent_high = 0;
        double all = 0;
        for (std::size_t k = 0; k < s_; ++k) {
            my.n_log_high[k] = about_n_log_n(my.high[k]);
            spent_high += my.n_log_high[k];
            all += my.high[k];
        }
        my.tried.clear();
        my.sizes.clear();
        my.lows.clear();
        my.after.clear();
        double below = 0;
        double here = number(column, my.codes[0]);
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const double* cell = my.cells.data() + i * s_;
            for (std::size_t k = 0; k < s_; ++k) {
                if (cell[k] != 0) {
                    my.low[k] = math_.round(my.low[k] + math_.round(cell[k]));
                    my.high[k] = math_.round(my.known[k] - my.low[k]);
                    const double low = about_n_log_n(my.low[k]);
                    const double high = about_n_log_n(my.high[k]);
                    spent_low += low - my.n_log_low[k];
                    spent_high += high - my.n_log_high[k];
                    my.n_log_low[k] = low;
                    my.n_log_high[k] = high;
                }
            }
            below = math_.round(below + math_.sum(cell, s_));
            const double next = number(column, my.codes[i + 1]);
            const bool apart = here < next - order_.gap;
            here = next;
            if (below < least - tolerance || below > most || !apart) {
                continue;
            }
            my.tried.push_back(static_cast<std::uint32_t>(i));
            my.sizes.push_back(below);
            my.lows.insert(my.lows.end(), my.low.begin(), my.low.end());
            my.after.push_back(about_n_log_n(below) - spent_low + about_n_log_n(all - below) -
                               spent_high);
        }
    }

    // Cuts that may turn out to be the best: all whose bits are as few as the fewest but for
    // the errors of both ways to reckon, and for what scores must differ by. Below these there
    // is a gap wider than that, so that no other cut could have stood in the way of one of
    // them.
    void find_close(double known, double share, Worker& my) const {
        const double classes = static_cast<double>(s_);
        const double scale = known * (std::log2(known + 2) + 4);
        const double error = scale * (order_.single ? (2 * classes + 8) * 0x1p-24 : 1e-10);
        const double apart =
            2 * error + (share > 0 ? 1.01 * order_.tie * known / share : known);
        double last = *std::min_element(my.after.begin(), my.after.end()) + apart;
        bool grows = order_.tie > 0;
        while (grows) {
            grows = false;
            double further = last;
            for (const double bits : my.after) {
                if (bits > last && bits <= last + apart) {
                    further = std::max(further, bits);
                    grows = true;
                }
            }
            last = further;
        }
        my.close.clear();
        for (std::size_t i = 0; i < my.after.size(); ++i) {
            if (!(my.after[i] > last)) {
                my.close.push_back(static_cast<std::uint32_t>(i));
            }
        }
    }

    [[nodiscard]] double number(const GrowColumn& column, std::int32_t code) const {
        return column.levels == nullptr ? code : math_.round(column.levels[code]);
    }

    double gain_of_two(const double* low, Worker& my, double before, double unknown) const {
        my.parts.resize(2 * s_);
        for (std::size_t k = 0; k < s_; ++k) {
            my.parts[k] = low[k];
            my.parts[s_ + k] = math_.round(my.known[k] - low[k]);
        }
        return settled(math_.gain(my.parts.data(), 2, s_, before, unknown), my.parts.data(), 2);
    }

    // J48: a gain that is nothing, all cases together, is nothing.
    double settled(double gain, const double* parts, std::size_t n) const {
        if (order_.tolerance == 0) {
            return gain;
        }
        double known = 0;
        for (std::size_t i = 0; i < n * s_; ++i) {
            known += parts[i];
        }
        return std::fabs(gain * known) <= order_.tolerance ? 0.0 : gain;
    }

    // Where the cut goes (quinlan.placed), and which codes are below it.
    void put_cut(const GrowColumn& column, std::int32_t low, std::int32_t high,
                 Found& found) const {
        found.low = low;
        if (column.levels == nullptr) {
            found.cut = low;
            return;
        }
        const double a = number(column, low);
        const double b = number(column, high);
        double middle = math_.round(midpoint(a, b));
        if (!(a <= middle && middle < b)) {
            middle = a;
        }
        if (!order_.cut_at_value) {
            // Numbers that 32 bits hold as one more or less than they are stay on their side.
            const bool between = column.levels[low] <= middle && middle < column.levels[high];
            found.cut = between ? middle : column.levels[low];
        }
        // The last level that is not above: of the whole column, not only of this node.
        const double limit = order_.cut_at_value ? middle + order_.cut_tolerance : found.cut;
        std::int32_t first = low;
        std::int32_t last = column.n_levels;
        while (last - first > 1) {
            const std::int32_t half = first + (last - first) / 2;
            const double value =
                order_.cut_at_value ? number(column, half) : column.levels[half];
            (value <= limit ? first : last) = half;
        }
        found.low = first;
        if (order_.cut_at_value) {
            found.cut = column.levels[first];
        }
    }

    void all_levels(double weight, Worker& my, Found& found) const {
        const std::size_t n = my.codes.size();
        const double missing = math_.sum(my.missing.data(), s_);
        if (n == 0 || weight - missing <= order_.tolerance) {
            return;
        }
        my.sizes.assign(1, missing);
        std::size_t heavy = 0;
        for (std::size_t b = 0; b < n; ++b) {
            my.sizes.push_back(math_.sum(my.cells.data() + b * s_, s_));
            heavy += my.sizes.back() >= order_.min_branch - order_.tolerance ? 1U : 0U;
        }
        if (heavy < 2) {
            return;
        }
        my.class_sums.assign(s_, 0.0);
        for (std::size_t at = 0; at < my.cells.size(); at += s_) {
            for (std::size_t k = 0; k < s_; ++k) {
                double& sum = my.class_sums[k];
                sum = math_.round(sum + my.cells[at + k]);
            }
        }
        double spent = 0;
        double known = 0;
        for (const double sum : my.class_sums) {
            spent = math_.round(spent + math_.n_log_n(sum));
            known = math_.round(known + sum);
        }
        const double before = math_.round((math_.n_log_n(known) - spent) / known);
        const double unknown = math_.round(missing / weight);
        found.gain =
            settled(math_.gain(my.cells.data(), n, s_, before, unknown), my.cells.data(), n);
        found.information = math_.round(math_.information(my.sizes.data(), n + 1) / weight);
        found.codes = my.codes;
    }

    // ---- between columns

    int choose(const std::vector<Found>& found, std::vector<double>& scores) const {
        double sum = 0;
        std::size_t possible = 0;
        for (std::size_t c = 0; c < found.size(); ++c) {
            if (found[c].gain > -order_.slack && order_.mean[c] != 0) {
                sum = math_.round(sum + found[c].gain);
                ++possible;
            }
        }
        const double average =
            possible == 0 ? not_a_number : math_.round(sum / static_cast<double>(possible));
        const double least = order_.tolerance > 0 ? 0.0 : order_.slack;
        double best = order_.start;
        int winner = -1;
        for (std::size_t c = 0; c < found.size(); ++c) {
            const Found& mine = found[c];
            scores[c] = not_a_number;
            if (!(mine.gain > -order_.slack)) {
                continue;
            }
            if (!order_.by_ratio) {
                scores[c] = mine.information > 0 ? mine.gain : not_a_number;
            } else if (mine.gain >= average - order_.slack && mine.information > least) {
                scores[c] = math_.round(mine.gain / mine.information);
            }
            if (scores[c] - best > order_.tie) {
                best = scores[c];
                winner = static_cast<int>(c);
            }
        }
        return winner;
    }

    void note_ties(Grove& grove, std::uint32_t node, const std::vector<double>& scores,
                   std::size_t winner) const {
        const double score = scores[winner];
        const double slack =
            std::max(order_.tolerance, tie_share * std::max(std::fabs(score), 1.0));
        const auto start = static_cast<std::uint32_t>(grove.ties.size());
        for (std::size_t c = 0; c < scores.size(); ++c) {
            if (std::fabs(scores[c] - score) <= slack) {
                grove.ties.push_back(static_cast<std::int32_t>(c));
            }
        }
        if (grove.ties.size() < start + 2) {
            grove.ties.resize(start);
            return;
        }
        grove.nodes[node].tie_start = start;
        grove.nodes[node].tie_count = static_cast<std::uint32_t>(grove.ties.size() - start);
    }

    // ---- dividing

    void divide(Grove& grove, const Open& open, std::size_t c, const Found& found,
                std::vector<Open>& stack) const {
        const GrowColumn& column = order_.columns[c];
        const std::size_t n_parts = column.ordered ? 2 : found.codes.size();
        const auto first = static_cast<std::uint32_t>(grove.nodes.size());
        add_nodes(grove, n_parts);
        Grove::Node& node = grove.nodes[open.node];
        node.column = static_cast<std::int32_t>(c);
        node.first_child = first;
        node.n_children = static_cast<std::uint32_t>(n_parts);
        std::vector<std::int32_t> branch_of;
        if (column.ordered) {
            node.cut = found.cut;
        } else {
            branch_of.assign(static_cast<std::size_t>(column.n_levels), -1);
            for (std::size_t b = 0; b < n_parts; ++b) {
                Grove::Node& child = grove.nodes[first + b];
                child.level_start = static_cast<std::uint32_t>(grove.levels.size());
                child.level_count = 1;
                grove.levels.push_back(found.codes[b]);
                branch_of[static_cast<std::size_t>(found.codes[b])] =
                    static_cast<std::int32_t>(b);
            }
        }
        const auto branch = [&](std::uint32_t row) {
            const std::int32_t code = column.codes[row];
            if (code < 0) {
                return -1;
            }
            return column.ordered ? (code > found.low ? 1 : 0)
                                  : branch_of[static_cast<std::size_t>(code)];
        };
        const NodeRows& rows = open.rows;
        std::vector<double> shares(n_parts, 0.0);
        std::vector<std::size_t> n_rows(n_parts, 0);
        std::size_t n_lost = 0;
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            const int b = branch(rows.ids[i]);
            if (b < 0) {
                ++n_lost;
            } else {
                shares[static_cast<std::size_t>(b)] +=
                    rows.weight.empty() ? 1.0 : rows.weight[i];
                ++n_rows[static_cast<std::size_t>(b)];
            }
        }
        const double sum = pairwise_sum(shares.data(), n_parts);
        std::vector<NodeRows> parts(n_parts);
        const bool shared = n_lost > 0 && order_.fraction;
        const bool weighted = shared || !rows.weight.empty();
        for (std::size_t to = 0; to < n_parts; ++to) {
            parts[to].ids.reserve(n_rows[to] + (shared ? n_lost : 0));
            if (weighted) {
                parts[to].weight.reserve(n_rows[to] + (shared ? n_lost : 0));
            }
        }
        for (std::size_t i = 0; i < rows.ids.size(); ++i) {
            const int b = branch(rows.ids[i]);
            const double weight = rows.weight.empty() ? 1.0 : rows.weight[i];
            const auto put = [&](std::size_t to, double part) {
                parts[to].ids.push_back(rows.ids[i]);
                if (weighted) {
                    parts[to].weight.push_back(part);
                }
            };
            if (b >= 0) {
                put(static_cast<std::size_t>(b), weight);
            } else if (shared) {
                for (std::size_t to = 0; to < n_parts; ++to) {
                    const double share = shares[to] / sum;
                    if (share > 0) {
                        put(to, weight * share);
                    }
                }
            }
        }
        for (std::size_t b = n_parts; b-- > 0;) {
            const auto child = first + static_cast<std::uint32_t>(b);
            weigh(grove, child, parts[b]);
            stack.push_back({child, open.depth + 1, std::move(parts[b])});
        }
    }

    const QuinlanOrder& order_;
    Arithmetic math_;
    std::size_t s_;
    std::vector<std::int32_t> by_row_;  // all codes, row after row
    std::vector<Worker> workers_;
};

}  // namespace penjing
