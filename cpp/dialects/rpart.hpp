// The growing kernel for rpart's rules (rules/rpart.py, missing.py): the same tree, bit for
// bit, surrogates included.
//
// An ordered column of a node is a list of its rows in the order of their values, missing ones
// at the end; the rows themselves are kept in the order of the table. Lists lie in one stretch
// per node and are divided in place; rows that nothing sends on drop out.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dialects/rpart_criterion.hpp"
#include "dialects/rpart_nodes.hpp"
#include "dialects/rpart_rows.hpp"

namespace penjing {

class RpKernel {
  public:
    explicit RpKernel(const RpOrder& order)
        : order_(order),
          s_(order.n_sums),
          is_number_(order.y != nullptr),
          lists_(order.columns.size()),
          branch_(order.n_rows, 0),
          found_(order.columns.size()),
          stand_ins_(order.columns.size()) {}

    RpGrown grow(ThreadPool& pool, const PollCallback& poll) {
        for (int i = 0; i < pool.size(); ++i) {
            workers_.push_back(std::make_unique<Worker>(order_));
        }
        RpGrown grown;
        std::vector<Open> stack;
        stack.push_back(prepare(grown, pool));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (poll) {
                poll();
            }
            if (stops(grown, open)) {
                tell(open.n, true);
                continue;
            }
            tell(open.n, false);
            const bool shared = pool.size() > 1 && open.n * order_.columns.size() >= 20000;
            const auto each = [&](const auto& work) {
                if (shared) {
                    pool.run(order_.columns.size(), work);
                } else {
                    for (std::size_t c = 0; c < order_.columns.size(); ++c) {
                        work(c, 0);
                    }
                }
            };
            const double risk = workers_[0]->judge.loss(grown.total.data() + open.node * s_);
            const double scale = order_.cases == nullptr ? risk : case_risk(open);
            each([&](std::size_t c, int worker) {
                search(*workers_[static_cast<std::size_t>(worker)], open, c, scale);
            });
            const int winner = choose(grown.nodes[open.node]);
            if (winner < 0) {
                continue;
            }
            const auto w = static_cast<std::size_t>(winner);
            send(open, w);
            settle(grown.nodes[open.node], open, w, each);
            if (!(grown.nodes[open.node].gain >= order_.min_gain)) {
                grown.nodes[open.node] = bare(grown.nodes[open.node]);
                continue;
            }
            divide(grown, open, w, risk, each, stack);
        }
        return rp_flatten(std::move(grown), s_);
    }

  private:
    struct Open {
        std::uint32_t node = 0;
        std::uint32_t begin = 0;
        std::uint32_t n = 0;
        std::int64_t depth = 0;
        double most = 0;  // what divisions from here on can still pay for
        bool is_pure = false;
        std::vector<std::uint32_t> known;  // rows of each ordered column whose value is known
    };
    struct Found {  // the best division of one column
        double gain = not_a_number;
        double whole = 0;
        double cut = not_a_number;
        std::int32_t last = 0;  // the last code of branch 0
        std::vector<std::int32_t> groups[2];
    };
    struct Worker {
        explicit Worker(const RpOrder& order)
            : judge(order),
              cell(order.n_sums),
              known(order.n_sums),
              below(order.n_sums),
              above(order.n_sums) {}
        RpJudge judge;
        std::vector<double> cell, known, below, above;  // S
        std::vector<std::int32_t> codes;                // levels that occur
        std::vector<double> cells;                      // levels x S
        std::vector<std::uint32_t> counts;              // rows of each level (x branches)
        std::vector<double> gains, along, parts;
        std::vector<std::uint32_t> places;
        std::vector<std::size_t> sorted;
        std::vector<std::uint32_t> dense;
        std::vector<std::uint64_t> keys;
        std::vector<std::uint32_t> sides[2];
    };

    static std::uint32_t row_of(std::uint32_t entry) { return entry >> 1; }

    [[nodiscard]] double weight_of(std::uint32_t row) const {
        return order_.weight == nullptr ? 1.0 : order_.weight[row];
    }

    void tell(std::size_t n, bool is_leaf) const {
        if (order_.pace == nullptr) {
            return;
        }
        if (is_leaf) {
            order_.pace->placed += n;
            ++order_.pace->leaves;
        } else {
            order_.pace->row_levels += n;
        }
    }

    // ---- before the first node

    Open prepare(RpGrown& grown, ThreadPool& pool) {
        const std::size_t n = order_.n_rows;
        Open root;
        root.n = static_cast<std::uint32_t>(n);
        root.known.assign(order_.columns.size(), 0);
        pool.run(order_.columns.size(), [&](std::size_t c, int) {
            if (order_.columns[c].ordered) {
                root.known[c] = sort(c);
            }
        });
        rows_.resize(n);
        std::iota(rows_.begin(), rows_.end(), 0U);
        if (order_.cases != nullptr) {
            cases_ = rows_;
            if (const std::int32_t* sorted = order_.sorted[0]; sorted != nullptr) {
                std::copy(sorted, sorted + n, cases_.begin());
            }
        }
        grown.nodes.resize(1);
        grown.total.resize(s_);
        root.is_pure = weigh(0, root.n, grown.total.data());
        const double risk = workers_[0]->judge.loss(grown.total.data());
        alpha_ = order_.alpha >= 0 ? order_.alpha : order_.cp * risk;
        root.most = risk;
        return root;
    }

    [[nodiscard]] std::uint32_t* list_of(std::size_t c) {
        return order_.lists.empty() ? lists_[c].data() : order_.lists[c];
    }
    std::uint32_t* make_list(std::size_t c) {
        if (order_.lists.empty()) {
            lists_[c] = Buffer<std::uint32_t>(order_.n_rows);
        }
        return list_of(c);
    }

    // Sort the rows of a column by its codes, equal ones in the order of the table.
    std::uint32_t sort(std::size_t c) {
        if (order_.cases != nullptr) {
            return take_sorted(c);
        }
        const GrowColumn& column = order_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        std::uint32_t* list = make_list(c);
        std::vector<std::uint32_t> next(n_levels + 2, 0);
        const auto slot = [&](std::size_t row) {
            return column.codes[row] < 0 ? n_levels
                                         : static_cast<std::size_t>(column.codes[row]);
        };
        for (std::size_t row = 0; row < order_.n_rows; ++row) {
            ++next[slot(row) + 1];
        }
        const std::uint32_t n_lost = next[n_levels + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t row = 0; row < order_.n_rows; ++row) {
            list[next[slot(row)]++] = static_cast<std::uint32_t>(row) << 1;
        }
        for (std::size_t level = 0; level < n_levels; ++level) {
            const std::uint32_t begin = level == 0 ? 0 : next[level - 1];
            if (begin < next[level]) {
                list[begin] |= 1U;
            }
        }
        return static_cast<std::uint32_t>(order_.n_rows) - n_lost;
    }

    // Take over the order in which rpart has sorted a column.
    std::uint32_t take_sorted(std::size_t c) {
        const std::int32_t* codes = order_.columns[c].codes;
        const std::int32_t* sorted = order_.sorted[c];
        std::vector<std::uint32_t> lost;
        std::uint32_t* list = make_list(c);
        std::uint32_t n = 0;
        std::int32_t before = -1;
        for (std::size_t i = 0; i < order_.n_rows; ++i) {
            const std::int32_t row = sorted[i];
            const std::uint32_t entry = static_cast<std::uint32_t>(row) << 1;
            if (codes[row] < 0) {
                lost.push_back(entry);
            } else {
                list[n++] = entry | (codes[row] == before ? 0U : 1U);
                before = codes[row];
            }
        }
        std::copy(lost.begin(), lost.end(), list + n);
        return n;
    }

    // The sum of squares about the mean, row after row; those of the root in the table's order.
    [[nodiscard]] double case_risk(const Open& open) const {
        const std::uint32_t* rows =
            (open.node == 0 ? rows_.data() : cases_.data()) + open.begin;
        double sum = 0;
        double weight = 0;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            sum += order_.cases[rows[i]] * weight_of(rows[i]);
            weight += weight_of(rows[i]);
        }
        const double mean = sum / weight;
        double squares = 0;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const double off = order_.cases[rows[i]] - mean;
            squares += off * off * weight_of(rows[i]);
        }
        return squares;
    }

    // Sum the rows of a stretch in the order of the table; whether they are all alike.
    bool weigh(std::uint32_t begin, std::uint32_t n, double* total) const {
        std::fill(total, total + s_, 0.0);
        bool is_pure = true;
        for (std::uint32_t i = begin; i < begin + n; ++i) {
            add_row(rows_[i], total);
            is_pure = is_pure && order_.target[rows_[i]] == order_.target[rows_[begin]];
        }
        return is_pure;
    }

    void add_row(std::uint32_t row, double* sums) const {
        const double weight = weight_of(row);
        if (is_number_) {
            const double wy = weight * order_.y[row];
            sums[0] += weight;
            sums[1] += wy;
            sums[2] += wy * order_.y[row];
        } else {
            sums[order_.target[row]] += weight;
        }
    }

    [[nodiscard]] bool stops(const RpGrown& grown, const Open& open) {
        if (open.is_pure || (order_.max_depth >= 0 && open.depth >= order_.max_depth) ||
            open.n < order_.min_split) {
            return true;
        }
        const double risk = workers_[0]->judge.loss(grown.total.data() + open.node * s_);
        return std::min(risk, open.most) <= alpha_;
    }

    // ---- the best division of one column

    void search(Worker& my, const Open& open, std::size_t c, double risk) {
        Found& found = found_[c];
        found = Found{};
        if (order_.columns[c].ordered) {
            if (order_.cases != nullptr) {
                best_case(open, c, risk, found);
            } else {
                best_cut(my, open, c, risk, found);
            }
        } else if (order_.cases != nullptr) {
            best_levels(my, open, c, risk, found);
        } else {
            count(my, open, c, s_,
                  [&](std::uint32_t row, double* sums) { add_row(row, sums); });
            if (my.codes.size() >= 2) {
                best_groups(my, c, risk, found);
            }
        }
    }

    // Add the run of equal values that begins at `i`; return where it ends.
    std::uint32_t add_run(Worker& my, const std::uint32_t* list, std::uint32_t i,
                          std::uint32_t n, double* below) const {
        if (i + 1 >= n || (list[i + 1] & 1U) != 0) {  // nothing plus a number is that number
            if (is_number_) {
                std::fill(my.cell.begin(), my.cell.end(), 0.0);
                add_row(row_of(list[i]), my.cell.data());
                add(my.cell.data(), below);
            } else {
                add_row(row_of(list[i]), below);
            }
            return i + 1;
        }
        std::fill(my.cell.begin(), my.cell.end(), 0.0);
        do {
            add_row(row_of(list[i++]), my.cell.data());
        } while (i < n && (list[i] & 1U) == 0);
        add(my.cell.data(), below);
        return i;
    }

    void add(const double* cell, double* sums) const {
        for (std::size_t k = 0; k < s_; ++k) {
            sums[k] += cell[k];
        }
    }

    void best_cut(Worker& my, const Open& open, std::size_t c, double risk, Found& found) {
        const std::uint32_t* list = list_of(c) + open.begin;
        const std::uint32_t n = open.known[c];
        std::fill(my.known.begin(), my.known.end(), 0.0);
        std::uint32_t last_run = 0;
        for (std::uint32_t i = 0; i < n;) {
            last_run = i;
            i = add_run(my, list, i, n, my.known.data());
        }
        if (last_run == 0) {  // one value, or none
            return;
        }
        std::fill(my.below.begin(), my.below.end(), 0.0);
        Choice choice(*this, my, n, risk);
        const bool off = is_off();
        if (off) {
            choice.start(total_weight(n));
        }
        for (std::uint32_t i = 0; i < n;) {
            const std::uint32_t begin = i;
            i = add_run(my, list, i, n, my.below.data());
            if (off) {
                choice.move(i - begin);
            }
            if (i < n) {
                choice.consider(i, i);
            }
        }
        if (!choice.settle(found)) {
            return;
        }
        const std::uint32_t at = choice.place;
        const GrowColumn& column = order_.columns[c];
        found.last = column.codes[row_of(list[at - 1])];
        found.cut = just_below(column.levels[found.last],
                               column.levels[column.codes[row_of(list[at])]]);
    }

    // The same, rows added up one after the other; of equal cuts the lowest, to the last bit.
    void best_case(const Open& open, std::size_t c, double risk, Found& found) {
        const std::uint32_t* list = list_of(c) + open.begin;
        const std::uint32_t n = open.known[c];
        if (n == 0) {
            return;
        }
        RpSides sides([&](const auto& see) {
            for (std::uint32_t i = 0; i < n; ++i) {
                see(order_.cases[row_of(list[i])], weight_of(row_of(list[i])));
            }
        });
        double best = 0;
        std::uint32_t at = 0;
        for (std::uint32_t i = 0; i + 1 < n; ++i) {
            const std::uint32_t row = row_of(list[i]);
            sides.move(sides.off(order_.cases[row], weight_of(row)), weight_of(row));
            const bool fair = i + 1 >= order_.least && n - i - 1 >= order_.least;
            if (fair && (list[i + 1] & 1U) != 0 && sides.gain() > best) {
                best = sides.gain();
                at = i + 1;
            }
        }
        found.whole = 1.0;
        if (!Choice::offered(found, risk > 0 ? best / risk : 0.0)) {
            return;
        }
        const GrowColumn& column = order_.columns[c];
        found.last = column.codes[row_of(list[at - 1])];
        found.cut = just_below(column.levels[found.last],
                               column.levels[column.codes[row_of(list[at])]]);
    }

    // The best division of levels put in the order of their means, rows added up likewise.
    void best_levels(Worker& my, const Open& open, std::size_t c, double risk,
                     Found& found) const {
        const std::int32_t* codes = order_.columns[c].codes;
        const std::uint32_t* rows = rows_.data() + open.begin;
        RpSides sides([&](const auto& see) {
            for (std::uint32_t i = 0; i < open.n; ++i) {
                if (codes[rows[i]] >= 0) {
                    see(order_.cases[rows[i]], weight_of(rows[i]));
                }
            }
        });
        count(my, open, c, 2, [&](std::uint32_t row, double* sums) {
            sums[0] += weight_of(row);
            sums[1] += sides.off(order_.cases[row], weight_of(row));
        });
        const std::size_t n = my.codes.size();
        if (n < 2) {
            return;
        }
        my.along.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            my.along[i] = my.cells[2 * i + 1] / my.cells[2 * i];
        }
        sort_along(my);
        const std::uint32_t n_rows =
            std::accumulate(my.counts.begin(), my.counts.end(), std::uint32_t{0});
        std::uint32_t n_left = 0;
        std::size_t n_best = 0;
        double best = 0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const std::size_t level = my.sorted[i];
            sides.move(my.cells[2 * level + 1], my.cells[2 * level]);
            n_left += my.counts[level];
            const bool fair = n_left >= order_.least && n_rows - n_left >= order_.least;
            if (fair && sides.gain() > best) {
                best = sides.gain();
                n_best = i + 1;
            }
        }
        found.whole = 1.0;
        if (!Choice::offered(found, risk > 0 ? best / risk : 0.0)) {
            return;
        }
        std::vector<std::uint8_t> is_left(n, 0);
        for (std::size_t i = 0; i < n_best; ++i) {
            is_left[my.sorted[i]] = 1;
        }
        for (std::size_t i = 0; i < n; ++i) {  // the lower means come first
            found.groups[is_left[i] != 0 ? 0 : 1].push_back(my.codes[i]);
        }
    }

    // Whether weights have to be added up row by row, to be rounded as rpart's are.
    [[nodiscard]] bool is_off() const {
        return !is_number_ && order_.alike != 1.0 && order_.weight == nullptr;
    }
    [[nodiscard]] double total_weight(std::uint32_t n) const {
        double sum = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            sum += order_.alike;
        }
        return sum;
    }

    [[nodiscard]] static double just_below(double low, double high) {
        const double below =
            std::nextafter(midpoint(low, high), -std::numeric_limits<double>::infinity());
        return std::max(below, low);
    }

    // Compares the candidates of one column: `known` and `below` of the worker are the sums.
    class Choice {
      public:
        Choice(const RpKernel& kernel, Worker& my, std::uint32_t n, double risk)
            : kernel_(kernel), my_(my), n_(n), risk_(risk) {
            my.gains.clear();
            my.places.clear();
        }

        std::uint32_t place = 0;
        double best = std::numeric_limits<double>::infinity();

        void start(double all) {
            all_ = right_ = all;
            left_ = 0;
        }
        void move(std::uint32_t n_rows) {
            for (std::uint32_t i = 0; i < n_rows; ++i) {
                left_ += kernel_.order_.alike;
                right_ -= kernel_.order_.alike;
            }
        }
        void consider(std::uint32_t name, std::uint32_t n_left) {
            const std::uint32_t least = kernel_.order_.least;
            if (n_left < least || n_ - n_left < least) {
                return;
            }
            const std::vector<double>& left = my_.below;
            if (kernel_.is_number_) {
                const double centre = my_.known[1] / my_.known[0];
                const double off = left[1] - centre * left[0];
                my_.gains.push_back(off * off / left[0] + off * off / (my_.known[0] - left[0]));
                my_.places.push_back(name);
                return;
            }
            for (std::size_t k = 0; k < kernel_.s_; ++k) {
                my_.above[k] = my_.known[k] - left[k];
            }
            const double mixed = my_.judge.mixed(left.data(), my_.above.data(), left_, right_);
            if (mixed < best) {
                best = mixed;
                place = name;
            }
        }
        // What the best candidate of classes gains.
        [[nodiscard]] double gain() { return whole() - best; }
        [[nodiscard]] double whole() {
            std::fill(my_.above.begin(), my_.above.end(), 0.0);
            double rest = -1;
            if (all_ >= 0) {
                rest = all_;
                for (std::uint32_t i = 0; i < n_; ++i) {
                    rest -= kernel_.order_.alike;
                }
            }
            return my_.judge.mixed(my_.known.data(), my_.above.data(), all_, rest);
        }
        // Whether there is a best candidate that is worth anything.
        bool settle(Found& found) {
            double worth = 0;
            if (kernel_.is_number_) {
                found.whole = 1.0;
                if (my_.gains.empty()) {
                    return false;
                }
                const double top = *std::max_element(my_.gains.begin(), my_.gains.end());
                const double bar = top - tie_share * std::fabs(top);
                std::size_t i = 0;
                while (!(my_.gains[i] >= bar)) {
                    ++i;
                }
                place = my_.places[i];
                worth = risk_ > 0 ? my_.gains[i] / risk_ : 0.0;
            } else {
                found.whole = whole();
                if (std::isinf(best)) {
                    return false;
                }
                worth = found.whole - best;
            }
            return offered(found, worth);
        }
        static bool offered(Found& found, double worth) {
            constexpr double nothing = 1e-10;
            if (worth <= found.whole * nothing) {
                return false;
            }
            found.gain = worth;
            return true;
        }

      private:
        const RpKernel& kernel_;
        Worker& my_;
        std::uint32_t n_;
        double risk_;
        double left_ = -1;
        double right_ = -1;
        double all_ = -1;
    };

    // Sum the rows of a nominal column, level by level: `size` sums each, and how many rows.
    template <class Add>
    void count(Worker& my, const Open& open, std::size_t c, std::size_t size,
               const Add& add_to) const {
        const GrowColumn& column = order_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        my.codes.clear();
        my.cells.clear();
        my.counts.clear();
        const std::uint32_t* rows = rows_.data() + open.begin;
        if (n_levels <= 4 * static_cast<std::size_t>(open.n) + 16) {
            my.dense.assign(n_levels, 0);
            for (std::uint32_t i = 0; i < open.n; ++i) {
                if (column.codes[rows[i]] >= 0) {
                    ++my.dense[static_cast<std::size_t>(column.codes[rows[i]])];
                }
            }
            for (std::size_t level = 0; level < n_levels; ++level) {
                if (my.dense[level] > 0) {
                    my.codes.push_back(static_cast<std::int32_t>(level));
                    my.counts.push_back(my.dense[level]);
                    my.dense[level] = static_cast<std::uint32_t>(my.codes.size() - 1);
                }
            }
            my.cells.assign(my.codes.size() * size, 0.0);
            for (std::uint32_t i = 0; i < open.n; ++i) {
                const std::int32_t code = column.codes[rows[i]];
                if (code >= 0) {
                    add_to(rows[i],
                           my.cells.data() + my.dense[static_cast<std::size_t>(code)] * size);
                }
            }
            return;
        }
        my.keys.clear();
        for (std::uint32_t i = 0; i < open.n; ++i) {
            if (column.codes[rows[i]] >= 0) {
                my.keys.push_back(static_cast<std::uint64_t>(column.codes[rows[i]]) << 32 |
                                  rows[i]);
            }
        }
        std::sort(my.keys.begin(), my.keys.end());
        for (const std::uint64_t key : my.keys) {
            const auto code = static_cast<std::int32_t>(key >> 32);
            if (my.codes.empty() || my.codes.back() != code) {
                my.codes.push_back(code);
                my.counts.push_back(0);
                my.cells.resize(my.cells.size() + size, 0.0);
            }
            ++my.counts.back();
            add_to(static_cast<std::uint32_t>(key), my.cells.data() + my.cells.size() - size);
        }
    }

    void best_groups(Worker& my, std::size_t, double risk, Found& found) const {
        const std::size_t n = my.codes.size();
        std::fill(my.known.begin(), my.known.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            add(my.cells.data() + i * s_, my.known.data());
        }
        const std::uint32_t n_rows =
            std::accumulate(my.counts.begin(), my.counts.end(), std::uint32_t{0});
        std::vector<std::uint8_t> is_left(n, 0);
        if (!is_number_ && order_.n_seen > 2) {
            if (!any_groups(my, n_rows, risk, is_left, found)) {
                return;
            }
        } else {
            sort_levels(my);
            std::fill(my.below.begin(), my.below.end(), 0.0);
            Choice choice(*this, my, n_rows, risk);
            std::uint32_t n_left = 0;
            for (std::size_t i = 0; i + 1 < n; ++i) {
                add(my.cells.data() + my.sorted[i] * s_, my.below.data());
                n_left += my.counts[my.sorted[i]];
                choice.consider(static_cast<std::uint32_t>(i), n_left);
            }
            if (!choice.settle(found)) {
                return;
            }
            for (std::size_t i = 0; i <= choice.place; ++i) {
                is_left[my.sorted[i]] = 1;
            }
        }
        orient(my, is_left);
        for (std::size_t i = 0; i < n; ++i) {
            found.groups[is_left[i] != 0 ? 0 : 1].push_back(my.codes[i]);
        }
    }

    // Levels by the share of the first class, or by mean; equal ones stay in their order.
    void sort_levels(Worker& my) const {
        const std::size_t n = my.codes.size();
        my.along.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double* cell = my.cells.data() + i * s_;
            if (is_number_) {
                my.along[i] = my.judge.mean(cell);
                continue;
            }
            double weight = 0;
            for (std::size_t k = 0; k < order_.n_seen; ++k) {
                weight += order_.altered == nullptr ? cell[k] : cell[k] * order_.altered[k];
            }
            my.along[i] = cell[0] / weight;
        }
        sort_along(my);
    }
    static void sort_along(Worker& my) {
        my.sorted.resize(my.along.size());
        std::iota(my.sorted.begin(), my.sorted.end(), std::size_t{0});
        std::stable_sort(my.sorted.begin(), my.sorted.end(), [&](std::size_t a, std::size_t b) {
            return my.along[a] < my.along[b];
        });
    }

    // All groupings, each differing from the one before by one level; scored in batches, since
    // batches are compared by their gains and the candidates of one by what is left of them.
    bool any_groups(Worker& my, std::uint32_t n_rows, double risk,
                    std::vector<std::uint8_t>& is_left, Found& found) const {
        constexpr std::uint64_t at_once = 1U << 14;
        const std::size_t n = my.codes.size();
        const std::uint64_t end = std::uint64_t{1} << (n - 1);
        std::fill(my.below.begin(), my.below.end(), 0.0);
        std::uint32_t n_left = 0;
        double kept = 0;
        bool any = false;
        std::uint64_t best_step = 0;
        for (std::uint64_t start = 1; start < end; start += at_once) {
            Choice choice(*this, my, n_rows, risk);
            const std::uint64_t stop = std::min(start + at_once, end);
            for (std::uint64_t step = start; step < stop; ++step) {
                const auto level = static_cast<std::size_t>(std::countr_zero(step));
                const bool enters = ((step ^ step >> 1) >> level & 1U) != 0;
                for (std::size_t k = 0; k < s_; ++k) {
                    const double cell = my.cells[level * s_ + k];
                    my.below[k] = enters ? my.below[k] + cell : my.below[k] - cell;
                }
                n_left = enters ? n_left + my.counts[level] : n_left - my.counts[level];
                choice.consider(static_cast<std::uint32_t>(step - start), n_left);
            }
            found.whole = choice.whole();
            const double gain = std::isinf(choice.best) ? 0.0 : found.whole - choice.best;
            if (!any || gain > kept) {
                any = true;
                kept = gain;
                best_step = start + choice.place;
            }
        }
        const std::uint64_t sides = best_step ^ best_step >> 1;
        for (std::size_t i = 0; i < n; ++i) {
            is_left[i] = (sides >> i & 1U) != 0 ? 1 : 0;
        }
        return Choice::offered(found, kept);
    }

    // The group of the lower mean becomes the left one.
    void orient(Worker& my, std::vector<std::uint8_t>& is_left) const {
        std::fill(my.below.begin(), my.below.end(), 0.0);
        std::fill(my.above.begin(), my.above.end(), 0.0);
        for (std::size_t i = 0; i < is_left.size(); ++i) {
            add(my.cells.data() + i * s_, is_left[i] != 0 ? my.below.data() : my.above.data());
        }
        const double left = my.judge.mean(my.below.data());
        const double right = my.judge.mean(my.above.data());
        if (is_number_ ? left > right : !(left < right)) {
            for (std::uint8_t& side : is_left) {
                side = side != 0 ? 0 : 1;
            }
        }
    }

    // ---- the choice between columns

    int choose(RpNode& node) const {
        const std::size_t n = order_.columns.size();
        const auto cost = [&](std::size_t c) {
            return order_.cost == nullptr ? 1.0 : order_.cost[c];
        };
        const auto score = [&](std::size_t c) {
            return order_.cost == nullptr ? found_[c].gain : found_[c].gain / order_.cost[c];
        };
        int winner = -1;
        double top = not_a_number;
        for (std::size_t c = 0; c < n; ++c) {
            const double one = score(c);
            if (!std::isnan(one) && !(one <= top)) {
                top = one;
                winner = static_cast<int>(c);
            }
        }
        if (winner < 0) {
            return winner;
        }
        for (std::size_t c = 0; c < n; ++c) {
            if (score(c) + tie_share * found_[c].whole / cost(c) >= top) {
                node.ties.push_back(static_cast<std::int32_t>(c));
            }
        }
        if (is_number_ && order_.cases == nullptr) {
            winner = node.ties.front();
        }
        if (node.ties.size() < 2) {
            node.ties.clear();
        }
        node.gain = found_[static_cast<std::size_t>(winner)].gain;
        node.score = score(static_cast<std::size_t>(winner));
        return winner;
    }

    static RpNode bare(const RpNode& node) {
        RpNode leaf;
        leaf.levels = node.levels;
        return leaf;
    }

    // ---- surrogates

    // The branch of each row by the question itself: 0, 1, or 2 where its value is missing.
    void send(const Open& open, std::size_t c) {
        const GrowColumn& column = order_.columns[c];
        const Found& found = found_[c];
        std::vector<std::uint8_t> by_code;
        if (!column.ordered) {
            by_code.assign(static_cast<std::size_t>(column.n_levels), 2);
            for (std::uint8_t b = 0; b < 2; ++b) {
                for (const std::int32_t code : found.groups[b]) {
                    by_code[static_cast<std::size_t>(code)] = b;
                }
            }
        }
        for (std::uint32_t i = open.begin; i < open.begin + open.n; ++i) {
            const std::int32_t code = column.codes[rows_[i]];
            branch_[rows_[i]] = code < 0            ? std::uint8_t{2}
                                : !column.ordered   ? by_code[static_cast<std::size_t>(code)]
                                : code > found.last ? std::uint8_t{1}
                                                    : std::uint8_t{0};
        }
    }

    struct Sent {
        double weight[2];
        std::size_t left, right;  // which branch is rpart's left one
    };

    template <class Each>
    void settle(RpNode& node, const Open& open, std::size_t c, const Each& each) {
        if (order_.max_surrogates == 0) {
            return;
        }
        const Sent sent = sent_by(open, c);
        each([&](std::size_t d, int worker) {
            stand_ins_[d].agreement = not_a_number;
            if (d == c) {
                return;
            }
            Worker& my = *workers_[static_cast<std::size_t>(worker)];
            if (order_.columns[d].ordered) {
                by_cut(my, open, d, sent);
            } else {
                by_groups(my, open, d, sent);
            }
        });
        for (std::size_t d = 0; d < stand_ins_.size(); ++d) {
            if (!std::isnan(stand_ins_[d].agreement)) {
                node.surrogates.push_back(stand_ins_[d]);
            }
        }
        std::stable_sort(node.surrogates.begin(), node.surrogates.end(),
                         [](const RpSurrogate& a, const RpSurrogate& b) {
                             return a.agreement > b.agreement;
                         });
        if (node.surrogates.size() > order_.max_surrogates) {
            node.surrogates.resize(order_.max_surrogates);
        }
        if (order_.use_surrogates == 2 && sent.weight[0] != sent.weight[1]) {
            node.missing = sent.weight[1] > sent.weight[0] ? 1 : 0;
        }
    }

    void add_branch(std::uint32_t row, double* sums) const {
        sums[branch_[row]] += weight_of(row);
    }

    // What the question itself sends each way, level by level.
    Sent sent_by(const Open& open, std::size_t c) {
        Worker& my = *workers_[0];
        Sent sent{{0, 0}, 0, 1};
        if (!order_.columns[c].ordered) {
            count(my, open, c, 3,
                  [&](std::uint32_t row, double* sums) { add_branch(row, sums); });
            for (std::size_t i = 0; i < my.codes.size(); ++i) {
                sent.weight[0] += my.cells[3 * i];
                sent.weight[1] += my.cells[3 * i + 1];
            }
            return sent;
        }
        const std::uint32_t* list = list_of(c) + open.begin;
        const std::uint32_t n = open.known[c];
        std::fill(my.below.begin(), my.below.end(), 0.0);
        std::fill(my.above.begin(), my.above.end(), 0.0);
        for (std::uint32_t i = 0; i < n;) {
            const std::uint32_t begin = i;
            const bool is_below = branch_[row_of(list[i])] == 0;
            i = add_run(my, list, i, n, is_below ? my.below.data() : my.above.data());
            double weight = 0;
            for (std::uint32_t j = begin; j < i; ++j) {
                weight += weight_of(row_of(list[j]));
            }
            sent.weight[is_below ? 0 : 1] += weight;
        }
        if (!(my.judge.mean(my.below.data()) < my.judge.mean(my.above.data()))) {
            sent.left = 1;
            sent.right = 0;
        }
        return sent;
    }

    // The cut that agrees best with the question.
    void by_cut(Worker& my, const Open& open, std::size_t d, const Sent& sent) {
        constexpr std::uint32_t each_way = 2;
        const std::uint32_t* list = list_of(d) + open.begin;
        const std::uint32_t n = open.known[d];
        double whole[2] = {0, 0};
        std::uint32_t n_whole = 0;
        walk_runs(list, n, [&](std::uint32_t, const double* cell, std::uint32_t n_rows) {
            whole[0] += cell[0];
            whole[1] += cell[1];
            n_whole += n_rows;
        });
        double below[2] = {0, 0};
        std::uint32_t n_below = 0;
        double best = -1;
        std::uint32_t at = 0;
        std::int32_t side = 0;
        walk_runs(list, n, [&](std::uint32_t end, const double* cell, std::uint32_t n_rows) {
            below[0] += cell[0];
            below[1] += cell[1];
            n_below += n_rows;
            if (end == n || n_below < each_way || n_whole - n_below < each_way) {
                return;
            }
            const double plain = below[0] + (whole[1] - below[1]);
            const double turned = below[1] + (whole[0] - below[0]);
            if (plain > best) {
                best = plain;
                at = end;
                side = 0;
            }
            if (turned > best) {
                best = turned;
                at = end;
                side = 1;
            }
        });
        if (at == 0 || !(best > std::max(whole[0], whole[1]))) {
            return;
        }
        RpSurrogate& found = stand_ins_[d];
        if (agreement(best, whole, sent, found)) {
            const GrowColumn& column = order_.columns[d];
            found.column = static_cast<std::uint32_t>(d);
            found.cut = just_below(column.levels[column.codes[row_of(list[at - 1])]],
                                   column.levels[column.codes[row_of(list[at])]]);
            found.below = side;
            found.groups[0].clear();
            found.groups[1].clear();
        }
        static_cast<void>(my);
    }

    // Call see(end, weights sent each way, rows sent each way) for every run of equal values.
    template <class See>
    void walk_runs(const std::uint32_t* list, std::uint32_t n, const See& see) const {
        for (std::uint32_t i = 0; i < n;) {
            double cell[3] = {0, 0, 0};
            std::uint32_t n_rows = 0;
            do {
                const std::uint32_t row = row_of(list[i++]);
                cell[branch_[row]] += weight_of(row);
                n_rows += branch_[row] < 2 ? 1U : 0U;
            } while (i < n && (list[i] & 1U) == 0);
            see(i, cell, n_rows);
        }
    }

    // The grouping of levels that agrees best: each level to its larger side.
    void by_groups(Worker& my, const Open& open, std::size_t d, const Sent& sent) {
        constexpr double each_way = 2;
        count(my, open, d, 6, [&](std::uint32_t row, double* sums) {
            add_branch(row, sums);
            sums[3 + branch_[row]] += 1.0;  // the same with every row weighing one
        });
        const std::size_t n = my.codes.size();
        if (n == 0) {
            return;
        }
        double whole[2] = {0, 0};
        for (std::size_t i = 0; i < n; ++i) {
            whole[0] += my.cells[6 * i];
            whole[1] += my.cells[6 * i + 1];
        }
        const bool ties_left = whole[sent.left] > whole[sent.right];
        std::vector<std::int32_t> groups[2];
        my.parts.clear();
        double rightly = 0;
        double n_rows = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double* cell = my.cells.data() + 6 * i;
            const bool to_right = cell[sent.left] < cell[sent.right] ||
                                  (!ties_left && cell[sent.left] == cell[sent.right]);
            const std::size_t side = to_right ? sent.right : sent.left;
            if (cell[3] + cell[4] > 0) {
                my.parts.push_back(cell[side]);
                rightly += cell[3 + side];
                n_rows += cell[3] + cell[4];
                groups[side].push_back(my.codes[i]);
            }
        }
        if (rightly < each_way || n_rows - rightly < each_way) {
            return;
        }
        RpSurrogate& found = stand_ins_[d];
        if (agreement(pairwise_sum(my.parts.data(), my.parts.size()), whole, sent, found)) {
            found.column = static_cast<std::uint32_t>(d);
            found.cut = not_a_number;
            found.below = 0;
            found.groups[0] = std::move(groups[0]);
            found.groups[1] = std::move(groups[1]);
        }
    }

    bool agreement(double agree, const double* whole, const Sent& sent,
                   RpSurrogate& found) const {
        constexpr double nothing = 1e-10;
        const double* of = order_.surrogate_style == 0 ? sent.weight : whole;
        const double total = of[0] + of[1];
        const double share = agree / total;
        const double majority = std::max(of[0], of[1]) / total;
        if (majority == 1) {
            return false;
        }
        found.adjusted = (share - majority) / (1.0 - majority);
        found.agreement = found.adjusted > nothing ? share : not_a_number;
        return found.adjusted > nothing;
    }

    // ---- dividing

    template <class Each>
    void divide(RpGrown& grown, const Open& open, std::size_t c, double risk, const Each& each,
                std::vector<Open>& stack) {
        const auto first = static_cast<std::uint32_t>(grown.nodes.size());
        grown.nodes.resize(first + 2);
        grown.total.resize(grown.nodes.size() * s_);
        RpNode& node = grown.nodes[open.node];
        Found& found = found_[c];
        node.column = static_cast<std::int32_t>(c);
        node.cut = found.cut;
        node.first_child = first;
        if (!order_.columns[c].ordered) {
            grown.nodes[first].levels = found.groups[0];
            grown.nodes[first + 1].levels = found.groups[1];
        }
        send_on(node, open);

        Open children[2];
        std::uint32_t begin = open.begin;
        part(rows_.data() + open.begin, open.n, 0, *workers_[0]);
        for (std::uint32_t b = 0; b < 2; ++b) {
            Open& child = children[b];
            child.node = first + b;
            child.begin = begin;
            child.n = static_cast<std::uint32_t>(workers_[0]->sides[b].size());
            std::copy(workers_[0]->sides[b].begin(), workers_[0]->sides[b].end(),
                      rows_.begin() + begin);
            begin += child.n;
            child.depth = open.depth + 1;
            child.most = std::min(risk, open.most) - alpha_;
            child.is_pure = weigh(child.begin, child.n, grown.total.data() + child.node * s_);
            child.known.assign(order_.columns.size(), 0);
        }
        if (order_.cases != nullptr) {
            part(cases_.data() + open.begin, open.n, 0, *workers_[0]);
            for (std::uint32_t b = 0; b < 2; ++b) {
                std::copy(workers_[0]->sides[b].begin(), workers_[0]->sides[b].end(),
                          cases_.begin() + children[b].begin);
            }
        }
        each([&](std::size_t d, int worker) {
            if (!order_.columns[d].ordered) {
                return;
            }
            Worker& my = *workers_[static_cast<std::size_t>(worker)];
            std::uint32_t* list = list_of(d) + open.begin;
            part(list, open.known[d], 1, my);
            children[0].known[d] = static_cast<std::uint32_t>(my.sides[0].size());
            children[1].known[d] = static_cast<std::uint32_t>(my.sides[1].size());
            part_lost(list + open.known[d], open.n - open.known[d], my);
            for (std::uint32_t b = 0; b < 2; ++b) {
                std::copy(my.sides[b].begin(), my.sides[b].end(),
                          list_of(d) + children[b].begin);
            }
        });
        stack.push_back(std::move(children[1]));
        stack.push_back(std::move(children[0]));
    }

    // Rows that the question does not know go by the surrogates, then with the majority.
    void send_on(const RpNode& node, const Open& open) {
        for (const RpSurrogate& one : node.surrogates) {
            if (order_.use_surrogates == 0) {
                break;
            }
            const GrowColumn& column = order_.columns[one.column];
            std::vector<std::uint8_t> by_code;
            if (!column.ordered) {
                by_code.assign(static_cast<std::size_t>(column.n_levels), 2);
                for (std::uint8_t b = 0; b < 2; ++b) {
                    for (const std::int32_t code : one.groups[b]) {
                        by_code[static_cast<std::size_t>(code)] = b;
                    }
                }
            }
            for (std::uint32_t i = open.begin; i < open.begin + open.n; ++i) {
                const std::uint32_t row = rows_[i];
                const std::int32_t code = column.codes[row];
                if (branch_[row] != 2 || code < 0) {
                    continue;
                }
                if (!column.ordered) {
                    branch_[row] = by_code[static_cast<std::size_t>(code)];
                } else {
                    const bool above = column.levels[code] > one.cut;
                    branch_[row] = above == (one.below == 0) ? 1 : 0;
                }
            }
        }
        if (node.missing >= 0) {
            for (std::uint32_t i = open.begin; i < open.begin + open.n; ++i) {
                if (branch_[rows_[i]] == 2) {
                    branch_[rows_[i]] = static_cast<std::uint8_t>(node.missing);
                }
            }
        }
    }

    // Divide entries (row << shift | flag); a flag that is left behind moves on to the next
    // one.
    void part(const std::uint32_t* entries, std::uint32_t n, unsigned shift, Worker& my) const {
        my.sides[0].clear();
        my.sides[1].clear();
        std::uint32_t flags[3] = {0, 0, 0};
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t entry = entries[i];
            const std::uint8_t b = branch_[entry >> shift];
            const std::uint32_t flag = shift == 0 ? 0 : entry & 1U;
            flags[0] |= flag;
            flags[1] |= flag;
            if (b < 2) {
                my.sides[b].push_back(entry | flags[b]);
                flags[b] = 0;
            }
        }
    }
    void part_lost(const std::uint32_t* entries, std::uint32_t n, Worker& my) const {
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint8_t b = branch_[row_of(entries[i])];
            if (b < 2) {
                my.sides[b].push_back(entries[i]);
            }
        }
    }

    const RpOrder& order_;
    std::size_t s_;
    bool is_number_;
    double alpha_ = 0;
    std::vector<Buffer<std::uint32_t>> lists_;  // row << 1 | whether the value is a new one
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> cases_;  // the same in the order of the first column
    std::vector<std::uint8_t> branch_;
    std::vector<Found> found_;
    std::vector<RpSurrogate> stand_ins_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace penjing
