// The growing kernel for scikit-learn's rules (rules/sklearn.py): the same tree, bit for bit.
//
// Each column of a node is a list of its rows in the order of their values
// (grow/sorted_lists.hpp), missing ones at the end in the order of the table. Lists lie in one
// stretch per node and are divided in place: the larger child stays in front, the smaller one
// goes behind it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"
#include "base/thread_pool.hpp"
#include "dialects/sklearn_criterion.hpp"
#include "dialects/sklearn_feature_order.hpp"
#include "dialects/sklearn_nodes.hpp"
#include "dialects/sklearn_scan.hpp"
#include "grow/sorted_lists.hpp"

namespace penjing {

template <class Entry>
class SkKernel {
  public:
    explicit SkKernel(const SkOrder& order)
        : order_(order),
          s_(order.n_sums),
          is_number_(order.y != nullptr),
          is_counted_(order.y == nullptr && order.weight == nullptr),
          shift_(Packing(is_number_ ? 2 : order.n_sums).shift()),
          wide_(has_avx512()),
          lists_(order.columns.size()),
          is_sparse_(order.columns.size(), 0),
          offers_(order.columns.size()),
          lefts_(order.columns.size() * order.n_sums),
          is_constant_(order.columns.size(), 1) {}

    std::vector<SkGrove> grow(ThreadPool& pool, const PollCallback& poll) {
        for (int i = 0; i < pool.size(); ++i) {
            workers_.emplace_back(std::make_unique<Worker>(
                order_, pool.size() > 1 || i == 0 ? order_.n_rows : 0));
        }
        std::vector<SkGrove> groves(1);
        Open root = prepare(groves[0], pool);
        if (root.is_open) {
            if (order_.max_leaves >= 0) {
                best_first(groves[0], std::move(root), pool, poll);
            } else if (order_.draws || pool.size() == 1) {
                Job job{groves[0], *workers_[0], &pool,  nullptr,      0,
                        poll,      offers_,      lefts_, whole_frame()};
                depth_first(job, std::move(root));
            } else {
                in_subtrees(groves, std::move(root), pool, poll);
            }
        }
        return groves;
    }

  private:
    using Columns = std::shared_ptr<const std::vector<std::uint32_t>>;
    struct Open {  // a node that may be divided: a stretch of every list
        std::uint32_t node = 0;
        std::uint32_t begin = 0;
        std::uint32_t n = 0;
        std::uint32_t n_constant = 0;  // columns, as the drawing counts them
        std::int64_t depth = 0;
        bool is_open = false;
        bool is_local = false;
        Columns columns;                  // those that are not constant
        std::vector<std::uint32_t> lost;  // missing values of each column; empty: none at all
    };
    struct Offer {
        double gain = not_a_number;
        double worth = not_a_number;
        std::uint32_t at = 0;  // entries of the list that go left
        std::int32_t goes = 1;
        std::uint32_t top = 0;  // of a number: where the worth is greatest
        bool is_constant = false;
        bool is_made = false;
        bool is_checked = true;  // whether its values are known to be far enough apart
    };
    struct Division {
        std::uint32_t column = 0;
        Offer offer;
        std::vector<double> left;
    };
    struct Candidate {  // of a scan in which nearly equal ones are equal
        double worth;
        std::uint32_t at;
        bool lost_left;
        double left[3], right[3];
    };
    struct Worker {
        Worker(const SkOrder& order, std::size_t n_rows)
            : judge(order.n_sums, order.y != nullptr, order.by_bits, order.factor),
              below(order.n_sums),
              known(order.n_sums),
              cell(order.n_sums),
              lost(order.n_sums),
              base(order.n_sums),
              left(order.n_sums),
              right(order.n_sums),
              best_left(order.n_sums),
              best_right(order.n_sums),
              totals(order.n_sums),
              counts(order.n_sums) {
            marks.prepare(n_rows);
        }
        SkJudge judge;
        RowBits marks;
        std::vector<double> below, known, cell, lost, base, left, right, best_left, best_right;
        std::vector<std::uint32_t> totals, counts, moved, ranks;
        SkNear<double> near_two;
        SkNear<std::int64_t> near_bits;
        std::vector<Candidate> near;
        SkSums sums;
        std::vector<Entry> spare;
        std::vector<std::uint32_t> spare_rows;
    };
    // What is known of rows. Below a certain size rows are numbered anew, from 0, so that all
    // of it lies close together.
    struct Frame {
        const std::int32_t* target = nullptr;
        const double* y = nullptr;
        const double* weight = nullptr;
        const std::uint32_t* row_of = nullptr;  // the row in the table; null: the same
    };
    struct Local {
        std::vector<std::int32_t> target;
        std::vector<double> y, weight;
        std::vector<std::uint32_t> row_of, number;
    };
    struct Job {  // who grows what, and with whose help
        SkGrove& grove;
        Worker& my;
        ThreadPool* pool;          // null: on its own
        std::vector<Open>* later;  // nodes below `large` are left to others
        std::size_t large;
        const PollCallback& poll;
        std::vector<Offer>& offers;
        std::vector<double>& lefts;
        Frame frame;
        Local local{};
        double before = 0;  // impurity and weight of the node that is asked
        double weight = 0;
    };

    // ---- before the first node

    Open prepare(SkGrove& grove, ThreadPool& pool) {
        const std::size_t n = order_.n_rows;
        Open root;
        root.n = static_cast<std::uint32_t>(n);
        std::vector<std::uint32_t> lost(order_.columns.size(), 0);
        pool.run(order_.columns.size(), [&](std::size_t c, int) { lost[c] = sort(c); });
        if (std::any_of(lost.begin(), lost.end(), [](std::uint32_t m) { return m > 0; })) {
            root.lost = std::move(lost);
        }
        std::vector<std::uint32_t> all(order_.columns.size());
        std::iota(all.begin(), all.end(), 0U);
        root.columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(all));
        if (!is_counted_) {
            rows_.resize(n);
            std::iota(rows_.begin(), rows_.end(), 0U);
        }
        if (is_counted_ && order_.by_bits) {
            log_.prepare(n);
        }
        if (order_.draws) {
            drawing_ = std::make_unique<Drawing>(order_.columns.size(), order_.n_looked_at,
                                                 order_.state, order_.max_leaves >= 0);
        }
        grove.nodes.resize(1);
        grove.total.assign(s_, 0.0);
        bool is_pure = true;
        if (is_counted_) {
            for (std::size_t row = 0; row < n; ++row) {
                grove.total[static_cast<std::size_t>(order_.target[row])] += 1.0;
                is_pure = is_pure && order_.target[row] == order_.target[0];
            }
        } else {
            is_pure = weigh(whole_frame(), 0, root.n, grove.total.data());
        }
        Worker& my = *workers_[0];
        whole_ = my.judge.weight(grove.total.data());
        least_ = order_.min_weight_share * whole_;
        root.is_open = !is_pure && !stops(my, grove.total.data(), root.n, 0);
        return root;
    }

    // Sort the rows of a column by its codes, equal ones in the order of the table.
    std::uint32_t sort(std::size_t c) {
        const GrowColumn& column = order_.columns[c];
        const auto n_levels = static_cast<std::size_t>(column.n_levels);
        const std::size_t n = order_.n_rows;
        lists_[c] = Buffer<Entry>(n);
        Entry* list = lists_[c].data();
        std::vector<std::uint32_t> next(n_levels + 2, 0);  // missing ones come last
        const auto slot = [&](std::size_t row) {
            const std::int32_t code = column.codes[row];
            return code < 0 ? n_levels : static_cast<std::size_t>(code);
        };
        for (std::size_t row = 0; row < n; ++row) {
            ++next[slot(row) + 1];
        }
        const std::uint32_t n_lost = next[n_levels + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t row = 0; row < n; ++row) {
            const auto class_ =
                is_number_ ? Entry{0} : static_cast<Entry>(order_.target[row]) << 1;
            list[next[slot(row)]++] = static_cast<Entry>(row) << shift_ | class_;
        }
        // Each slot now ends where the next one begins.
        for (std::size_t level = 0; level < n_levels && n > 0; ++level) {
            const std::uint32_t begin = level == 0 ? 0 : next[level - 1];
            if (begin < next[level]) {
                list[begin] |= 1U;
            }
        }
        for (std::size_t level = 0; level + 1 < n_levels && is_sparse_[c] == 0; ++level) {
            is_sparse_[c] = apart(column.levels[level], column.levels[level + 1]) ? 0 : 1;
        }
        return n_lost;
    }

    [[nodiscard]] bool apart(double low, double high) const {
        if (order_.single) {
            const float from = static_cast<float>(low) + static_cast<float>(order_.gap);
            return static_cast<float>(high) > from;
        }
        return high > low + order_.gap;
    }

    [[nodiscard]] Frame whole_frame() const {
        return {order_.target, order_.y, order_.weight, nullptr};
    }

    [[nodiscard]] double value(const Frame& frame, std::size_t c, Entry e) const {
        const GrowColumn& column = order_.columns[c];
        const auto row = static_cast<std::size_t>(e >> shift_);
        return column.levels[column.codes[frame.row_of == nullptr ? row : frame.row_of[row]]];
    }

    // Number the rows of a node anew, in the order of the table.
    void localize(Job& job, Open& open) {
        Local& local = job.local;
        std::uint32_t* rows = rows_.data() + open.begin;
        local.number.resize(order_.n_rows);
        local.row_of.assign(rows, rows + open.n);
        local.target.resize(open.n);
        local.y.resize(is_number_ ? open.n : 0);
        local.weight.resize(order_.weight == nullptr ? 0 : open.n);
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const std::uint32_t row = rows[i];
            local.number[row] = i;
            local.target[i] = order_.target[row];
            if (is_number_) {
                local.y[i] = order_.y[row];
            }
            if (order_.weight != nullptr) {
                local.weight[i] = order_.weight[row];
            }
            rows[i] = i;
        }
        const Entry mask = (Entry{1} << shift_) - 1;
        for (const std::uint32_t c : *open.columns) {
            Entry* list = lists_[c].data() + open.begin;
            for (std::uint32_t i = 0; i < open.n; ++i) {
                const auto row = static_cast<std::size_t>(list[i] >> shift_);
                list[i] = static_cast<Entry>(local.number[row]) << shift_ | (list[i] & mask);
            }
        }
        job.frame = {local.target.data(), is_number_ ? local.y.data() : nullptr,
                     order_.weight == nullptr ? nullptr : local.weight.data(),
                     local.row_of.data()};
        open.is_local = true;
    }

    // Sum the rows of a stretch in the order of the table; whether they are all alike.
    bool weigh(const Frame& frame, std::uint32_t begin, std::uint32_t n, double* total) const {
        std::fill(total, total + s_, 0.0);
        bool is_pure = true;
        for (std::uint32_t i = begin; i < begin + n; ++i) {
            const std::uint32_t row = rows_[i];
            const double weight = frame.weight == nullptr ? 1.0 : frame.weight[row];
            is_pure = is_pure && frame.target[row] == frame.target[rows_[begin]];
            if (is_number_) {
                const double wy = weight * frame.y[row];
                total[0] += weight;
                total[1] += wy;
                total[2] += wy * frame.y[row];
            } else {
                total[frame.target[row]] += weight;
            }
        }
        return is_pure;
    }

    [[nodiscard]] bool stops(Worker& my, const double* total, std::uint32_t n,
                             std::int64_t depth) const {
        return (order_.max_depth >= 0 && depth >= order_.max_depth) ||
               n < order_.min_samples_split || my.judge.weight(total) < 2 * least_ ||
               my.judge.impurity(total) <= std::numeric_limits<double>::epsilon();
    }

    // ---- in which order nodes are divided

    void depth_first(Job& job, Open first) {
        std::vector<Open> stack;
        stack.push_back(std::move(first));
        Division division;
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (job.poll) {
                job.poll();
            }
            if (job.later != nullptr && open.n < job.large) {
                job.later->push_back(std::move(open));
                continue;
            }
            if (!is_counted_ && !open.is_local) {
                constexpr std::uint32_t close = 1U << 15;  // rows whose numbers a cache holds
                job.frame = whole_frame();
                if (open.n <= close && job.later == nullptr) {  // others know no new numbers
                    localize(job, open);
                }
            }
            if (!ask(job, open, division)) {
                continue;
            }
            Open left;
            Open right;
            divide(job, open, division, left, right);
            if (right.is_open) {
                stack.push_back(std::move(right));
            }
            if (left.is_open) {
                stack.push_back(std::move(left));
            }
        }
    }

    // Big nodes deal their columns to the team; what is left is dealt out as whole subtrees.
    void in_subtrees(std::vector<SkGrove>& groves, Open root, ThreadPool& pool,
                     const PollCallback& poll) {
        std::vector<Open> later;
        {
            const std::size_t large = std::max<std::size_t>(order_.n_rows / 32, 2000);
            Job job{groves[0], *workers_[0], &pool,  &later,       large,
                    poll,      offers_,      lefts_, whole_frame()};
            depth_first(job, std::move(root));
        }
        groves.resize(1 + later.size());
        for (std::size_t i = 0; i < later.size(); ++i) {
            SkGrove& grove = groves[i + 1];
            const std::uint32_t node = later[i].node;
            groves[0].nodes[node].link = static_cast<std::int32_t>(i + 1);
            grove.nodes.resize(1);
            grove.total.assign(
                groves[0].total.begin() + static_cast<std::ptrdiff_t>(node * s_),
                groves[0].total.begin() + static_cast<std::ptrdiff_t>((node + 1) * s_));
            later[i].node = 0;
        }
        std::vector<std::size_t> by_size(later.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(),
                         [&](std::size_t a, std::size_t b) { return later[a].n > later[b].n; });
        pool.run(later.size(), [&](std::size_t piece, int worker) {
            const std::size_t i = by_size[piece];
            std::vector<Offer> offers(order_.columns.size());
            std::vector<double> lefts(order_.columns.size() * s_);
            const PollCallback polls = worker == 0 ? poll : PollCallback{};
            Job job{groves[i + 1],
                    *workers_[static_cast<std::size_t>(worker)],
                    nullptr,
                    nullptr,
                    0,
                    polls,
                    offers,
                    lefts,
                    whole_frame()};
            depth_first(job, std::move(later[i]));
        });
    }

    // While leaves are limited, the node of greatest weighted gain is divided next.
    void best_first(SkGrove& grove, Open root, ThreadPool& pool, const PollCallback& poll) {
        struct Waiting {
            double worth;
            Open open;
            Division division;
        };
        std::vector<Waiting> waiting;
        const auto after = [&](const Waiting& a, const Waiting& b) {
            return a.worth < b.worth || (a.worth == b.worth && a.open.node > b.open.node);
        };
        Job job{grove, *workers_[0], &pool, nullptr, 0, poll, offers_, lefts_, whole_frame()};
        const auto wait = [&](Open open) {
            Division division;
            if (open.is_open && ask(job, open, division)) {
                const double mass = job.my.judge.weight(grove.total.data() + open.node * s_);
                waiting.push_back(
                    {mass * division.offer.gain, std::move(open), std::move(division)});
                std::push_heap(waiting.begin(), waiting.end(), after);
            }
        };
        wait(std::move(root));
        for (std::int64_t n_leaves = 1; !waiting.empty() && n_leaves < order_.max_leaves;
             ++n_leaves) {
            if (poll) {
                poll();
            }
            std::pop_heap(waiting.begin(), waiting.end(), after);
            const Waiting next = std::move(waiting.back());
            waiting.pop_back();
            Open left;
            Open right;
            divide(job, next.open, next.division, left, right);
            wait(std::move(left));
            wait(std::move(right));
        }
    }

    // ---- asking: the best cut of every column, and the choice between them

    bool ask(Job& job, Open& open, Division& division) {
        const double* total = job.grove.total.data() + open.node * s_;
        const std::vector<std::uint32_t>& columns = *open.columns;
        const double before = job.before = job.my.judge.impurity(total);
        const double weight = job.weight = job.my.judge.weight(total);
        if (order_.draws) {
            std::fill(is_constant_.begin(), is_constant_.end(), std::uint8_t{1});
            for (const std::uint32_t c : columns) {
                is_constant_[c] = is_constant(job.frame, open, c) ? 1 : 0;
            }
            drawing_->ranks(is_constant_, open.n_constant, job.my.ranks);
        }
        const auto look = [&](std::size_t i, int worker) {
            Worker& my =
                job.pool == nullptr ? job.my : *workers_[static_cast<std::size_t>(worker)];
            const std::uint32_t c = columns[i];
            Offer& offer = job.offers[c];
            offer = Offer{};
            offer.is_constant = order_.draws ? is_constant_[c] != 0 : has_one_value(open, c);
            if (!offer.is_constant && !(order_.draws && job.my.ranks[c] == Drawing::never)) {
                look_at(my, job, open, c, false);
            }
        };
        if (is_shared(job, open)) {
            job.pool->run(columns.size(), look);
        } else {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                look(i, 0);
            }
        }
        check_best(job, open);
        const bool found = choose(job, open, before, weight, division);
        if (found && std::any_of(columns.begin(), columns.end(),
                                 [&](std::uint32_t c) { return job.offers[c].is_constant; })) {
            std::vector<std::uint32_t> kept;
            for (const std::uint32_t c : columns) {
                if (!job.offers[c].is_constant) {
                    kept.push_back(c);
                }
            }
            open.columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
        }
        return found;
    }

    void look_at(Worker& my, Job& job, const Open& open, std::uint32_t c, bool checks) {
        Offer& offer = job.offers[c];
        search(my, job.frame, open, c, job.grove.total.data() + open.node * s_, checks, offer);
        if (offer.is_made) {
            double* left = job.lefts.data() + c * s_;
            std::copy(my.best_left.begin(), my.best_left.end(), left);
            offer.gain = my.judge.gain(left, my.best_right.data(), job.before, job.weight);
        }
    }

    // Columns are searched as if all their values were far enough apart, since looking a value
    // up is dear. Whoever may win is looked at more closely: if a cut that was found stands, it
    // is the best of those that may stand, too; otherwise the column is searched again.
    void check_best(Job& job, const Open& open) {
        for (bool again = true; again;) {
            again = false;
            double top = not_a_number;
            for (const std::uint32_t c : *open.columns) {
                const double gain = job.offers[c].gain;
                top = !std::isnan(gain) && !(gain <= top) ? gain : top;
            }
            for (const std::uint32_t c : *open.columns) {
                Offer& offer = job.offers[c];
                if (offer.is_checked || !(offer.gain + 2 * tie_share * job.before >= top)) {
                    continue;
                }
                const Entry* entries = lists_[c].data() + open.begin;
                if (is_far(job.frame, c, entries, offer.at) &&
                    is_far(job.frame, c, entries, offer.top)) {
                    offer.is_checked = true;
                } else {
                    offer = Offer{};
                    look_at(job.my, job, open, c, true);
                    again = true;
                }
            }
        }
    }

    [[nodiscard]] bool is_far(const Frame& frame, std::uint32_t c, const Entry* entries,
                              std::uint32_t at) const {
        return apart(value(frame, c, entries[at - 1]), value(frame, c, entries[at]));
    }

    // Whether a node is worth waking the others for.
    [[nodiscard]] bool is_shared(const Job& job, const Open& open) const {
        constexpr std::size_t many = 20000;
        return job.pool != nullptr && job.pool->size() > 1 &&
               open.n * open.columns->size() >= many;
    }

    bool choose(Job& job, const Open& open, double before, double weight, Division& division) {
        double top = not_a_number;
        for (const std::uint32_t c : *open.columns) {
            const double gain = job.offers[c].gain;
            if (!std::isnan(gain) && !(gain <= top)) {
                top = gain;
            }
        }
        if (std::isnan(top) || (order_.min_decrease > 0 &&
                                top * weight / whole_ + std::numeric_limits<double>::epsilon() <
                                    order_.min_decrease)) {
            return false;
        }
        SkGrove& grove = job.grove;
        const std::size_t start = grove.ties.size();
        double worth = -std::numeric_limits<double>::infinity();
        for (const std::uint32_t c : *open.columns) {
            if (job.offers[c].gain + tie_share * before >= top) {
                grove.ties.push_back(static_cast<std::int32_t>(c));
                worth = std::max(worth, job.offers[c].worth);
            }
        }
        auto winner = static_cast<std::uint32_t>(grove.ties[start]);
        if (order_.draws) {
            std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
            for (std::size_t i = start; i < grove.ties.size(); ++i) {
                const auto c = static_cast<std::uint32_t>(grove.ties[i]);
                if (job.offers[c].worth == worth && job.my.ranks[c] < first) {
                    first = job.my.ranks[c];
                    winner = c;
                }
            }
        }
        division.column = winner;
        division.offer = job.offers[winner];
        division.offer.gain = std::max(division.offer.gain, 0.0);
        division.left.assign(
            job.lefts.begin() + static_cast<std::ptrdiff_t>(winner * s_),
            job.lefts.begin() + static_cast<std::ptrdiff_t>((winner + 1) * s_));
        const std::size_t n_tied = grove.ties.size() - start;
        if (!(division.offer.gain >= order_.min_gain)) {
            grove.ties.resize(start);
            return false;
        }
        if (n_tied > 1) {
            grove.nodes[open.node].tie_start = static_cast<std::uint32_t>(start);
            grove.nodes[open.node].tie_count = static_cast<std::uint32_t>(n_tied);
            grove.tied.push_back(open.node);
        } else {
            grove.ties.resize(start);
        }
        return true;
    }

    // Whether a column has one value only, here and hence below.
    [[nodiscard]] bool has_one_value(const Open& open, std::uint32_t c) {
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_lost = open.lost.empty() ? 0 : open.lost[c];
        if (n_lost > 0) {
            return n_lost == open.n;
        }
        std::uint32_t i = 1;
        while (i < open.n && (entries[i] & 1U) == 0) {
            ++i;
        }
        return i >= open.n;
    }

    // The same for the drawing: values too close together are one.
    [[nodiscard]] bool is_constant(const Frame& frame, const Open& open, std::uint32_t c) {
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_lost = open.lost.empty() ? 0 : open.lost[c];
        return n_lost == open.n ||
               (n_lost == 0 &&
                !apart(value(frame, c, entries[0]), value(frame, c, entries[open.n - 1])));
    }

    void search(Worker& my, const Frame& frame, const Open& open, std::uint32_t c,
                const double* total, bool checks, Offer& offer) {
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_lost = open.lost.empty() ? 0 : open.lost[c];
        offer.is_checked = checks || is_sparse_[c] == 0;
        if (is_counted_ && order_.factor == nullptr && n_lost == 0) {
            if (checks) {
                const auto far = [&](std::uint32_t at) {
                    return is_far(frame, c, entries, at);
                };
                counted(my, open, entries, total, far, offer);
            } else {
                counted(my, open, entries, total, SkAnywhere{}, offer);
            }
        } else if (is_number_ && n_lost == 0 && !checks) {
            numbers(my, frame, open, entries, offer);
        } else {
            offer.is_checked = true;
            direct(my, frame, open, c, entries, n_lost, offer);
        }
    }

    // ---- rows that count one each

    template <class Far>
    void counted(Worker& my, const Open& open, const Entry* entries, const double* total,
                 const Far& far, Offer& offer) {
        const double most = std::ceil(std::max({1.0, order_.min_samples_leaf, least_}));
        if (!(2 * most <= open.n)) {
            return;
        }
        for (std::size_t k = 0; k < s_; ++k) {
            my.totals[k] = static_cast<std::uint32_t>(total[k]);
        }
        const SkNode node{my.totals.data(), s_, open.n, static_cast<std::uint32_t>(most)};
        const ListView<Entry> list{entries, open.n, shift_};
        const double n = open.n;
        std::fill(my.counts.begin(), my.counts.end(), 0U);
        if (order_.by_bits) {
            const std::int64_t margin = sk_bits_margin(node, log_);
            my.near_bits.start(-margin, margin);
            sk_scan_bits(list, node, log_, my.counts.data(), far, my.near_bits);
            settle_counts(my, list, my.near_bits.places, offer);
        } else if (s_ == 2) {
            my.near_two.start(-1, sk_rounding * n * n);
            scan_two(entries, node, far, my.near_two);
            settle_two(my, open.n, my.near_two.places, offer);
        } else {
            my.near_two.start(-1, sk_rounding * n);
            sk_scan_many(list, node, my.counts.data(), far, my.near_two);
            settle_counts(my, list, my.near_two.places, offer);
        }
        if (offer.is_made) {
            for (std::size_t k = 0; k < s_; ++k) {
                my.best_right[k] = my.totals[k] - my.best_left[k];
            }
            offer.top = offer.at;
            offer.goes = offer.at > open.n - offer.at ? 0 : 1;
        }
    }

    template <class Far>
    void scan_two(const Entry* entries, const SkNode& node, const Far& far,
                  SkNear<double>& near) const {
#if PENJING_X86
        if constexpr (sizeof(Entry) == 4) {
            if (wide_) {
                sk_scan_two_wide(entries, node, far, near);
                return;
            }
        }
#endif
        sk_scan_two(entries, node, far, near);
    }

    // Score the cuts that may be the best as scikit-learn does; the first of the best wins.
    template <class Places>
    void settle_two(Worker& my, double n, const Places& places, Offer& offer) const {
        const double total = my.totals[1];
        double best = -std::numeric_limits<double>::infinity();
        for (const auto& place : places) {
            const double l = place.at;
            const double r = n - l;
            const double l1 = place.p;
            const double l0 = l - l1;
            const double r1 = total - l1;
            const double r0 = r - r1;
            const double one = 1.0 - (l0 * l0 + l1 * l1) / (l * l);
            const double other = 1.0 - (r0 * r0 + r1 * r1) / (r * r);
            const double worth = -r * other - l * one;
            if (worth > best) {
                best = offer.worth = worth;
                offer.at = place.at;
                offer.is_made = true;
                my.best_left[0] = l0;
                my.best_left[1] = l1;
            }
        }
    }

    template <class Places>
    void settle_counts(Worker& my, ListView<Entry> list, const Places& places,
                       Offer& offer) const {
        const Entry mask = (Entry{1} << (shift_ - 1)) - 1;
        double best = -std::numeric_limits<double>::infinity();
        std::fill(my.counts.begin(), my.counts.end(), 0U);
        std::uint32_t i = 0;
        for (const auto& place : places) {
            for (; i < place.at; ++i) {
                ++my.counts[static_cast<std::size_t>(list.entries[i] >> 1 & mask)];
            }
            for (std::size_t k = 0; k < s_; ++k) {
                my.left[k] = my.counts[k];
                my.right[k] = my.totals[k] - my.counts[k];
            }
            const double worth = my.judge.worth(my.left.data(), my.right.data());
            if (worth > best) {
                best = offer.worth = worth;
                offer.at = place.at;
                offer.is_made = true;
                my.best_left = my.left;
            }
        }
    }

    // ---- numbers, none of them missing

    void numbers(Worker& my, const Frame& frame, const Open& open, const Entry* entries,
                 Offer& offer) const {
        SkSums& sums = my.sums;
        sums.make_room(open.n);
        const double least = std::max(1.0, order_.min_samples_leaf);
        double below[3] = {0, 0, 0};
        std::size_t n = 0;
        for (std::uint32_t i = 0; i < open.n;) {
            double cell[3] = {0, 0, 0};
            do {
                add_number(frame, entries[i++], cell);
            } while (i < open.n && (entries[i] & 1U) == 0);
            below[0] += cell[0];
            below[1] += cell[1];
            below[2] += cell[2];
            sums.at[n] = i;
            sums.w[n] = below[0];
            sums.wy[n] = below[1];
            sums.wyy[n] = below[2];
            n += i >= least && open.n - i >= least ? 1U : 0U;
        }
        if (n == 0) {
            return;
        }
        const double top = sk_worths(sums, n, below[0], below[1], least_, wide_);
        if (!(top >= 0)) {
            return;
        }
        const double bar = order_.draws ? top : top - tie_share * std::fabs(top);
        std::size_t first = 0;
        while (!(sums.worth[first] >= bar)) {
            ++first;
        }
        std::size_t best = first;
        while (!(sums.worth[best] >= top)) {
            ++best;
        }
        offer.is_made = true;
        offer.worth = sums.worth[first];
        offer.at = sums.at[first];
        offer.top = sums.at[best];
        offer.goes = offer.at > open.n - offer.at ? 0 : 1;
        const double left[3] = {sums.w[first], sums.wy[first], sums.wyy[first]};
        for (std::size_t k = 0; k < 3; ++k) {
            my.best_left[k] = left[k];
            my.best_right[k] = below[k] - left[k];
        }
    }

    // ---- any rows: weights, class weights, numbers, missing values

    // Add the run of equal values that begins at `i` to the sums; return where it ends.
    std::uint32_t add_run(Worker& my, const Frame& frame, const Entry* entries, std::uint32_t i,
                          std::uint32_t n, double* below) const {
        std::uint32_t end = i + 1;
        while (end < n && (entries[end] & 1U) == 0) {
            ++end;
        }
        if (is_number_) {
            double cell[3] = {0, 0, 0};
            for (; i < end; ++i) {
                add_number(frame, entries[i], cell);
            }
            below[0] += cell[0];
            below[1] += cell[1];
            below[2] += cell[2];
            return end;
        }
        const Entry mask = (Entry{1} << (shift_ - 1)) - 1;
        const auto class_of = [&](Entry e) { return static_cast<std::size_t>(e >> 1 & mask); };
        if (order_.weight == nullptr) {
            for (; i < end; ++i) {
                below[class_of(entries[i])] += 1.0;
            }
        } else if (end == i + 1) {
            below[class_of(entries[i])] += weight_of(frame, entries[i]);
        } else {
            for (std::uint32_t j = i; j < end; ++j) {
                my.cell[class_of(entries[j])] += weight_of(frame, entries[j]);
            }
            for (std::uint32_t j = i; j < end; ++j) {
                const std::size_t k = class_of(entries[j]);
                below[k] += my.cell[k];
                my.cell[k] = 0.0;
            }
        }
        return end;
    }

    [[nodiscard]] double weight_of(const Frame& frame, Entry e) const {
        return frame.weight[static_cast<std::size_t>(e >> shift_)];
    }

    void add_number(const Frame& frame, Entry e, double* cell) const {
        const auto row = static_cast<std::size_t>(e >> shift_);
        const double weight = frame.weight == nullptr ? 1.0 : frame.weight[row];
        const double wy = weight * frame.y[row];
        cell[0] += weight;
        cell[1] += wy;
        cell[2] += wy * frame.y[row];
    }

    void direct(Worker& my, const Frame& frame, const Open& open, std::uint32_t c,
                const Entry* entries, std::uint32_t n_lost, Offer& offer) {
        const std::uint32_t n = open.n - n_lost;
        std::fill(my.known.begin(), my.known.end(), 0.0);
        for (std::uint32_t i = 0; i < n;) {
            i = add_run(my, frame, entries, i, n, my.known.data());
        }
        std::fill(my.lost.begin(), my.lost.end(), 0.0);
        add_lost(my, frame, entries + n, n_lost);
        for (std::size_t k = 0; k < s_; ++k) {
            my.base[k] = n_lost > 0 ? my.known[k] + my.lost[k] : my.known[k];
        }
        my.near.clear();
        double top = -std::numeric_limits<double>::infinity();
        for (const bool lost_left : {false, true}) {
            if (lost_left && n_lost == 0) {
                break;
            }
            std::fill(my.below.begin(), my.below.end(), 0.0);
            for (std::uint32_t i = 0; i < n;) {
                i = add_run(my, frame, entries, i, n, my.below.data());
                if (i < n || (n_lost > 0 && !lost_left)) {
                    consider(my, frame, open, c, entries, {i, n, n_lost, lost_left}, top,
                             offer);
                }
            }
        }
        if (!my.near.empty()) {
            settle(my, top, offer);
        }
        offer.top = offer.at;
        if (offer.is_made && n_lost == 0) {
            offer.goes = offer.at > open.n - offer.at ? 0 : 1;
        }
    }

    void add_lost(Worker& my, const Frame& frame, const Entry* entries, std::uint32_t n) const {
        const Entry mask = (Entry{1} << (shift_ - 1)) - 1;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (is_number_) {
                add_number(frame, entries[i], my.lost.data());
            } else {
                my.lost[static_cast<std::size_t>(entries[i] >> 1 & mask)] +=
                    order_.weight == nullptr ? 1.0 : weight_of(frame, entries[i]);
            }
        }
    }

    struct Place {
        std::uint32_t at, n, n_lost;
        bool lost_left;
    };

    void consider(Worker& my, const Frame& frame, const Open& open, std::uint32_t c,
                  const Entry* entries, const Place& place, double& top, Offer& offer) const {
        const double n_left = place.at + (place.lost_left ? place.n_lost : 0U);
        if (!(n_left >= order_.min_samples_leaf &&
              open.n - n_left >= order_.min_samples_leaf)) {
            return;
        }
        for (std::size_t k = 0; k < s_; ++k) {
            my.left[k] = place.lost_left ? my.below[k] + my.lost[k] : my.below[k];
            my.right[k] = my.base[k] - my.left[k];
        }
        if (least_ > 0 && !(my.judge.weight(my.left.data()) >= least_ &&
                            my.judge.weight(my.right.data()) >= least_)) {
            return;
        }
        const double worth = my.judge.worth(my.left.data(), my.right.data());
        const bool near_is_equal = is_number_ && !order_.draws;
        if (near_is_equal ? !(worth >= top - tie_share * std::fabs(top)) : !(worth > top)) {
            return;
        }
        if (is_sparse_[c] != 0 && place.at < place.n && !is_far(frame, c, entries, place.at)) {
            return;
        }
        if (near_is_equal) {
            my.near.push_back({worth,
                               place.at,
                               place.lost_left,
                               {my.left[0], my.left[1], my.left[2]},
                               {my.right[0], my.right[1], my.right[2]}});
            if (worth > top) {
                top = worth;
                if (my.near.size() > 64) {
                    std::erase_if(my.near, [&](const Candidate& one) {
                        return !(one.worth >= top - tie_share * std::fabs(top));
                    });
                }
            }
            return;
        }
        top = worth;
        my.best_left = my.left;
        my.best_right = my.right;
        offer.is_made = true;
        offer.worth = worth;
        offer.at = place.at;
        offer.goes = place.lost_left ? 0 : 1;
    }

    // Take the first of the candidates that are as good as the best (search.first_best).
    void settle(Worker& my, double top, Offer& offer) const {
        const double least = top - tie_share * std::fabs(top);
        const auto first =
            std::find_if(my.near.begin(), my.near.end(),
                         [&](const Candidate& one) { return one.worth >= least; });
        offer.is_made = true;
        offer.worth = first->worth;
        offer.at = first->at;
        offer.goes = first->lost_left ? 0 : 1;
        my.best_left.assign(first->left, first->left + 3);
        my.best_right.assign(first->right, first->right + 3);
    }

    // ---- dividing

    void divide(Job& job, const Open& open, const Division& division, Open& left, Open& right) {
        SkGrove& grove = job.grove;
        Worker& my = job.my;
        const std::uint32_t c = division.column;
        const Offer& offer = division.offer;
        const Entry* entries = lists_[c].data() + open.begin;
        const std::uint32_t n_lost = open.lost.empty() ? 0 : open.lost[c];
        const std::uint32_t n_known = open.n - n_lost;
        const std::uint32_t n_left = offer.at + (offer.goes == 0 ? n_lost : 0U);

        const auto first = static_cast<std::uint32_t>(grove.nodes.size());
        grove.nodes.resize(first + 2);
        grove.total.resize(grove.nodes.size() * s_);
        SkGrove::Node& node = grove.nodes[open.node];
        node.column = static_cast<std::int32_t>(c);
        node.first_child = first;
        node.gain = offer.gain;
        node.missing = offer.goes;
        const double low = value(job.frame, c, entries[offer.at - 1]);
        node.cut = std::numeric_limits<double>::infinity();
        node.gap[0] = low;
        if (offer.at < n_known) {
            const double high = value(job.frame, c, entries[offer.at]);
            node.cut = low / 2.0 + high / 2.0;
            node.cut = node.cut == high ? low : node.cut;
            node.gap[1] = high;
        }

        // The smaller child is marked, and moves.
        const bool left_moves = n_left < open.n - n_left;
        const std::uint32_t n_moved = left_moves ? n_left : open.n - n_left;
        my.moved.clear();
        const auto mark = [&](std::uint32_t from, std::uint32_t to) {
            for (std::uint32_t i = from; i < to; ++i) {
                const auto row = static_cast<std::uint32_t>(entries[i] >> shift_);
                my.marks.set(row);
                my.moved.push_back(row);
            }
        };
        mark(left_moves ? 0 : offer.at, left_moves ? offer.at : n_known);
        if (left_moves == (offer.goes == 0)) {
            mark(n_known, open.n);
        }

        for (Open* child : {&left, &right}) {
            const bool moves = (child == &left) == left_moves;
            child->node = child == &left ? first : first + 1;
            child->n = moves ? n_moved : open.n - n_moved;
            child->begin = moves ? open.begin + open.n - n_moved : open.begin;
            child->depth = open.depth + 1;
            child->n_constant = open.n_constant;
            child->columns = open.columns;
            child->is_local = open.is_local;
        }
        weigh_children(job, open, division, left, right);
        if (left.is_open || right.is_open) {
            Open& stays = left_moves ? right : left;
            Open& moves = left_moves ? left : right;
            if (!open.lost.empty()) {
                stays.lost.assign(open.lost.size(), 0);
                moves.lost.assign(open.lost.size(), 0);
            }
            const std::vector<std::uint32_t>& columns = *open.columns;
            const auto part = [&](std::size_t i, int worker) {
                Worker& by =
                    job.pool == nullptr ? my : *workers_[static_cast<std::size_t>(worker)];
                part_list(by, my.marks, open, columns[i], stays, moves);
            };
            if (is_shared(job, open)) {
                job.pool->run(columns.size(), part);
            } else {
                for (std::size_t i = 0; i < columns.size(); ++i) {
                    part(i, 0);
                }
            }
        }
        for (const std::uint32_t row : my.moved) {
            my.marks.clear(row);
        }
    }

    void weigh_children(Job& job, const Open& open, const Division& division, Open& left,
                        Open& right) {
        double* total = job.grove.total.data();
        bool pure[2] = {true, true};
        if (is_counted_) {
            for (std::size_t k = 0; k < s_; ++k) {
                total[left.node * s_ + k] = division.left[k];
                total[right.node * s_ + k] = total[open.node * s_ + k] - division.left[k];
            }
            pure[0] = is_of_one(total + left.node * s_);
            pure[1] = is_of_one(total + right.node * s_);
        } else {
            Worker& my = job.my;
            std::uint32_t* rows = rows_.data() + open.begin;
            my.spare_rows.clear();
            std::uint32_t kept = 0;
            for (std::uint32_t i = 0; i < open.n; ++i) {
                if (my.marks.get(rows[i])) {
                    my.spare_rows.push_back(rows[i]);
                } else {
                    rows[kept++] = rows[i];
                }
            }
            std::copy(my.spare_rows.begin(), my.spare_rows.end(), rows + kept);
            pure[0] = weigh(job.frame, left.begin, left.n, total + left.node * s_);
            pure[1] = weigh(job.frame, right.begin, right.n, total + right.node * s_);
        }
        left.is_open = !pure[0] && !stops(job.my, total + left.node * s_, left.n, left.depth);
        right.is_open =
            !pure[1] && !stops(job.my, total + right.node * s_, right.n, right.depth);
    }

    [[nodiscard]] bool is_of_one(const double* total) const {
        return std::count_if(total, total + s_, [](double rows) { return rows > 0; }) < 2;
    }

    // Divide one list in place; leaves need no list.
    void part_list(Worker& by, const RowBits& marks, const Open& open, std::uint32_t c,
                   Open& stays, Open& moves) {
        Entry* list = lists_[c].data() + open.begin;
        const std::uint32_t n_lost = open.lost.empty() ? 0 : open.lost[c];
        const std::uint32_t n_known = open.n - n_lost;
        by.spare.resize(std::max<std::size_t>(by.spare.size(), moves.n));
        Entry* plain = stays.is_open ? list : nullptr;
        Entry* special = moves.is_open ? by.spare.data() : nullptr;
        partition_two<Entry>({list, n_known, shift_}, marks, plain, special, wide_);
        if (n_lost > 0) {
            std::uint32_t lost_moves = 0;
            for (std::uint32_t i = n_known; i < open.n; ++i) {
                lost_moves += marks.get(static_cast<std::size_t>(list[i] >> shift_)) ? 1U : 0U;
            }
            stays.lost[c] = n_lost - lost_moves;
            moves.lost[c] = lost_moves;
            plain = plain == nullptr ? nullptr : plain + (stays.n - stays.lost[c]);
            special = special == nullptr ? nullptr : special + (moves.n - moves.lost[c]);
            partition_two<Entry>({list + n_known, n_lost, shift_}, marks, plain, special,
                                 wide_);
        }
        if (moves.is_open) {
            std::memcpy(list + stays.n, by.spare.data(), moves.n * sizeof(Entry));
        }
    }

    const SkOrder& order_;
    std::size_t s_;
    bool is_number_;
    bool is_counted_;
    unsigned shift_;
    bool wide_;
    std::vector<Buffer<Entry>> lists_;
    std::vector<std::uint8_t> is_sparse_;  // has values too close together for a cut
    std::vector<std::uint32_t> rows_;      // in the order of the table, where sums depend on it
    LogTable log_;
    double whole_ = 0;  // what all rows weigh
    double least_ = 0;  // what a child must weigh
    std::unique_ptr<Drawing> drawing_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Offer> offers_;
    std::vector<double> lefts_;
    std::vector<std::uint8_t> is_constant_;
};

}  // namespace penjing
