// Grows the subtrees of small nodes in the weighted kernel: every ordered column is sorted once
// into a list of rows, and lists are partitioned stably with the node.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/simd.hpp"
#include "base/thread_pool.hpp"
#include "grow/buckets.hpp"
#include "grow/criterion.hpp"
#include "grow/criterion_fixed_point.hpp"
#include "grow/driver.hpp"
#include "grow/exact_scoring.hpp"
#include "grow/general.hpp"
#include "grow/nodes.hpp"
#include "grow/weighted_node.hpp"

namespace penjing {

// The value of a row in an ordered column; NaN if it is missing.
inline double value_at(const GrowColumn& column, std::size_t row) {
    if (column.codes == nullptr) {
        return column.numbers[row * column.stride] + 0.0;
    }
    return column.codes[row] < 0 ? not_a_number : column.codes[row];
}

// Set the cut between two values, and the numbers on both sides if the column is numeric.
inline void set_cut(Subtree::Node& node, const GrowColumn& column, double low, double high) {
    if (column.codes != nullptr) {
        if (column.levels == nullptr) {
            node.cut = low;  // an ordinal category: its position
            return;
        }
        low = column.levels[static_cast<std::size_t>(low)];
        high = column.levels[static_cast<std::size_t>(high)];
    }
    node.cut = midpoint(low, high);
    node.low = low;
    node.high = high;
}

namespace detail {

// Copy the entries whose row has bit 1 in `side` to `left`, and those with bit 2 to `right`; a
// null destination is skipped. The row is the lower 16 bits of an entry.
inline void split_list_scalar(const std::uint32_t* list, std::size_t n,
                              const std::uint8_t* side, std::uint32_t* left,
                              std::uint32_t* right) {
    if (left != nullptr && right != nullptr) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t entry = list[i];
            const std::uint32_t to = side[entry & 0xffffU];
            *left = entry;
            left += to & 1U;
            *right = entry;
            right += to >> 1;
        }
        return;
    }
    std::uint32_t* out = left != nullptr ? left : right;
    const unsigned shift = left != nullptr ? 0 : 1;
    for (std::size_t i = 0; i < n; ++i) {
        *out = list[i];
        out += side[list[i] & 0xffffU] >> shift & 1U;
    }
}

#if PENJING_X86
PENJING_AVX512 inline void split_list_avx512(const std::uint32_t* list, std::size_t n,
                                             const std::uint8_t* side, std::uint32_t* left,
                                             std::uint32_t* right) {
    const __m512i low = _mm512_set1_epi32(0xffff);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i two = _mm512_set1_epi32(2);
    for (std::size_t i = 0; i < n; i += 16) {
        const std::size_t rest = n - i;
        const auto valid = static_cast<__mmask16>(rest >= 16 ? 0xffffU : (1U << rest) - 1);
        const __m512i entries = _mm512_maskz_loadu_epi32(valid, list + i);
        const __m512i to = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), valid,
                                                       _mm512_and_si512(entries, low), side, 1);
        if (left != nullptr) {
            const __mmask16 mine = _mm512_test_epi32_mask(to, one);
            _mm512_storeu_si512(left, _mm512_maskz_compress_epi32(mine, entries));
            left += _mm_popcnt_u32(mine);
        }
        if (right != nullptr) {
            const __mmask16 mine = _mm512_test_epi32_mask(to, two);
            _mm512_storeu_si512(right, _mm512_maskz_compress_epi32(mine, entries));
            right += _mm_popcnt_u32(mine);
        }
    }
}
#endif

}  // namespace detail

inline constexpr std::size_t list_room =
    16;  // entries that a partition may write beyond its end

inline void split_list(const std::uint32_t* list, std::size_t n, const std::uint8_t* side,
                       std::uint32_t* left, std::uint32_t* right, bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        detail::split_list_avx512(list, n, side, left, right);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    detail::split_list_scalar(list, n, side, left, right);
}

template <ImpurityKind kind, bool weighted>
class SmallSubtreeGrower {
  public:
    static constexpr bool is_regression = kind == ImpurityKind::variance;
    static constexpr std::size_t max_rows = 60000;  // row numbers have 16 bits

    SmallSubtreeGrower(const GrowRequest& request, const GeneralKernel& general,
                       bool any_missing)
        : request_(request),
          general_(general),
          s_(request.n_sums),
          node_sums_(request, any_missing),
          scorer_(request.criterion, request.n_sums),
          general_scratch_(request),
          use_avx512_(has_avx512()) {}

    // Grow the subtree below a node that is not a leaf; `columns` are those that may still
    // split it.
    void grow(Subtree& subtree, std::uint32_t node, std::int64_t depth,
              const std::uint32_t* rows, const double* weights, std::size_t n, double max_abs_y,
              const std::vector<std::uint32_t>& columns, const PollCallback& poll) {
        start_lists(rows, weights, n, columns);
        stack_.clear();
        stack_.push_back({node, static_cast<std::uint32_t>(n),
                          static_cast<std::uint32_t>(heads_.size()), depth, 0, 0, 0,
                          max_abs_y});
        SerialPool alone;
        grow_depth_first(request_, *this, subtree, stack_, alone, poll,
                         [](const OpenNode&) { return true; });
    }

    // ---- for the driver

    using Split = std::uint32_t;  // the number of the column among the lists of the node
    struct OpenNode {
        std::uint32_t node;
        std::uint32_t n;
        std::uint32_t n_heads;
        std::int64_t depth;
        std::size_t data_at, head_at, weight_at;
        double max_abs_y;

        [[nodiscard]] std::size_t n_rows() const { return n; }
    };

    static bool stops(const Subtree&, const OpenNode&) {
        return false;  // leaves are not opened
    }

    template <class Pool>
    bool search(Subtree& subtree, const OpenNode& open, Split& split, const Pool&) {
        score_columns(subtree, open);
        // The average over columns sums them at their positions, as NumPy does.
        const bool by_column = request_.is_ratio();
        const int winner = choose(candidates_, by_column, scores_, ties_);
        if (winner < 0 ||
            !(candidates_[static_cast<std::size_t>(winner)].gain >= request_.min_gain)) {
            pop_node(open);
            return false;
        }
        const ListHead* heads = heads_.data() + open.head_at;
        split = static_cast<std::uint32_t>(winner);
        if (by_column) {
            const std::uint32_t column = split;
            for (split = 0; heads[split].column != column;) {
                ++split;
            }
        } else {
            for (std::int32_t& tied : ties_) {
                tied = static_cast<std::int32_t>(heads[tied].column);
            }
        }
        subtree.set_ties(open.node, ties_);
        return true;
    }

    template <class Pool>
    void divide(Subtree& subtree, const OpenNode& open, Split split, const Pool&,
                std::vector<OpenNode>&) {
        divide(subtree, open, split);
    }

  private:
    struct ListHead {  // a column of a node and the length of its list
        std::uint32_t column;
        std::uint32_t size;
        bool is_list;
    };
    struct Part {
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> data;
        std::vector<ListHead> heads;
        std::vector<double> weights;
        TargetRange range;
        bool stops = true;
        double share = 0;
    };
    struct ColumnSplit {
        double improvement = -1;  // of the best cut, approximately; negative: none
        double upper_bound = -1;  // the same with branches that may be too light
        Cut cut;
        typename GeneralKernel::ColumnSplit general_split;
    };

    // ---- the first node

    void start_lists(const std::uint32_t* rows, const double* weights, std::size_t n,
                     const std::vector<std::uint32_t>& columns) {
        global_.assign(rows, rows + n);
        if constexpr (!is_regression) {
            label_.resize(n);
            for (std::size_t i = 0; i < n; ++i) {
                label_[i] = request_.target[rows[i]];
            }
        }
        start_numbers(n);
        if constexpr (weighted) {
            weights_.assign(weights, weights + n);
            weight_of_.resize(n);
        }
        static_cast<void>(weights);
        side_.assign(n + 4, 0);
        data_.resize(n);
        std::iota(data_.begin(), data_.end(), 0U);
        heads_.clear();
        const auto tag_bits = static_cast<unsigned>(std::bit_width(n));
        for (const std::uint32_t c : columns) {
            const GrowColumn& column = request_.columns[c];
            if (!column.ordered) {
                heads_.push_back({c, 0, false});
                continue;
            }
            sort_.start(n, tag_bits);
            double* values = sort_.values();
            for (std::size_t i = 0; i < n; ++i) {
                values[i] = value_at(column, rows[i]);
            }
            std::size_t size = 0;
            std::uint32_t* tags = sort_.tags();
            for (std::size_t i = 0; i < n; ++i) {
                const double value = values[i];
                values[size] = value;
                tags[size] = static_cast<std::uint32_t>(i);
                size += std::isnan(value) ? 0U : 1U;
            }
            if (size < 2) {
                continue;
            }
            sort_.start(size, tag_bits);
            sort_.sort();
            std::uint32_t rank = 0;
            const std::size_t at = data_.size();
            data_.resize(at + size);
            for (std::size_t i = 0; i < size; ++i) {
                rank += sort_.differs(i) ? 1U : 0U;
                data_[at + i] = rank << 16 | sort_.tag(i);
            }
            if (rank == 0) {
                data_.resize(at);
            } else {
                heads_.push_back({c, static_cast<std::uint32_t>(size), true});
            }
        }
    }

    void start_numbers(std::size_t n) {
        if constexpr (is_regression) {
            raw_.resize(n);
            y_.resize(n);
            near_.resize(n);
            double mean = 0;
            for (std::size_t i = 0; i < n; ++i) {
                raw_[i] = request_.raw(global_[i]);
                y_[i] = raw_[i] - request_.centre;
                mean += y_[i];
            }
            mean /= static_cast<double>(n);
            double upper_bound = 0;
            for (std::size_t i = 0; i < n; ++i) {
                near_[i] = y_[i] - mean;
                upper_bound = std::max(upper_bound, std::fabs(near_[i]));
            }
            if constexpr (!weighted) {
                scale_ = Scale(upper_bound, n);
                whole_.resize(n);
                shifted_.resize(n);
                for (std::size_t i = 0; i < n; ++i) {
                    whole_[i] = scale_.round(near_[i]);
                }
                while (reciprocal_.size() <= n) {
                    reciprocal_.push_back(
                        reciprocal_.empty() ? 0 : 1 / static_cast<double>(reciprocal_.size()));
                }
            }
        }
    }

    // ---- one node

    // The best split of each column; those that can neither win nor tie are left out.
    void score_columns(const Subtree& subtree, const OpenNode& open) {
        const std::uint32_t* rows = data_.data() + open.data_at;
        const double* total = subtree.total.data() + open.node * s_;
        double unit = 0;
        if constexpr (is_regression && !weighted) {
            unit = scale_.unit + std::numeric_limits<double>::epsilon() * open.max_abs_y;
        }
        const NodeLimits node =
            node_sums_.limits(total, open.n, open.max_abs_y, unit, 0, scorer_);
        prepare_rows(open, rows);
        if (splits_.size() < open.n_heads) {
            splits_.resize(open.n_heads);
        }
        double best = 0;
        const std::uint32_t* list = rows + open.n;
        for (std::uint32_t h = 0; h < open.n_heads; ++h) {
            const ListHead head = heads_[open.head_at + h];
            ColumnSplit& split = splits_[h];
            if (head.is_list) {
                split.improvement = split.upper_bound = -1;
                scan(list, head.size, open.n, node, split);
                list += head.size;
            } else {
                search_categories(head.column, open, rows, split);
                split.improvement = split.general_split.candidate.exists()
                                        ? split.general_split.candidate.gain * node.weight
                                        : -1;
            }
            best = std::max(best, split.improvement);
        }
        const bool by_column = request_.is_ratio();
        candidates_.assign(by_column ? request_.columns.size() : open.n_heads, Candidate{});
        list = rows + open.n;
        for (std::uint32_t h = 0; h < open.n_heads; ++h) {
            const ListHead head = heads_[open.head_at + h];
            ColumnSplit& split = splits_[h];
            Candidate& candidate = candidates_[by_column ? head.column : h];
            if (!head.is_list) {
                candidate = split.general_split.candidate;
                continue;
            }
            const double own_arrays =
                request_.is_ratio() ? std::max(split.improvement, 0.0) : best;
            if (request_.is_ratio() || split.upper_bound >= best - node.margin) {
                score_exactly(list, head.size, open, rows, node, own_arrays, split);
                candidate = split.cut.candidate;
            }
            list += head.size;
        }
    }

    void pop_node(const OpenNode& open) {
        data_.resize(open.data_at);
        heads_.resize(open.head_at);
        if constexpr (weighted) {
            weights_.resize(open.weight_at);
        }
    }

    // Set up the arrays by row that scans of the current node read.
    void prepare_rows(const OpenNode& open, const std::uint32_t* rows) {
        if constexpr (weighted) {
            for (std::uint32_t i = 0; i < open.n; ++i) {
                weight_of_[rows[i]] = weights_[open.weight_at + i];
            }
        } else if constexpr (is_regression) {
            std::int64_t sum = 0;
            for (std::uint32_t i = 0; i < open.n; ++i) {
                sum += whole_[rows[i]];
            }
            const std::int64_t mean =
                std::llround(static_cast<double>(sum) / static_cast<double>(open.n));
            for (std::uint32_t i = 0; i < open.n; ++i) {
                shifted_[rows[i]] = whole_[rows[i]] - mean;
            }
        }
    }

    // Categorical columns are scored exactly at once.
    void search_categories(std::uint32_t c, const OpenNode& open, const std::uint32_t* rows,
                           ColumnSplit& split) {
        table_rows_.resize(open.n);
        for (std::uint32_t i = 0; i < open.n; ++i) {
            table_rows_[i] = global_[rows[i]];
        }
        const double* weight = weighted ? weights_.data() + open.weight_at : nullptr;
        general_.search_column(c, {table_rows_.data(), weight, open.n}, general_scratch_,
                               split.general_split);
    }

    // The approximate improvement of the best cut of a list.
    void scan(const std::uint32_t* list, std::uint32_t size, std::uint32_t n,
              const NodeLimits& node, ColumnSplit& split) {
        if constexpr (!is_regression) {
            scan_classes(list, size, node, split);
        } else if constexpr (weighted) {
            scan_weighted(list, size, node, split);
        } else {
            scan_plain(list, size, n, split);
        }
    }

    void scan_plain(const std::uint32_t* list, std::uint32_t size, std::uint32_t n,
                    ColumnSplit& split) {
        const std::int64_t* y = shifted_.data();
        std::int64_t sum = 0;
        double mean = 0;
        if (size < n) {
            for (std::uint32_t i = 0; i < size; ++i) {
                sum += y[list[i] & 0xffffU];
            }
            mean = static_cast<double>(sum) / size;
        }
        const auto least = static_cast<std::uint32_t>(
            std::clamp(std::ceil(request_.min_branch), 1.0, static_cast<double>(size)));
        if (2 * least > size) {
            return;
        }
        sum = 0;
        for (std::uint32_t i = 0; i + 1 < least; ++i) {
            sum += y[list[i] & 0xffffU];
        }
        double best = -1;
        const double* part = reciprocal_.data();
        for (std::uint32_t i = least; i <= size - least; ++i) {
            sum += y[list[i - 1] & 0xffffU];
            if ((list[i] ^ list[i - 1]) >> 16 != 0) {
                const double d = static_cast<double>(sum) - mean * i;
                best = std::max(best, d * d * (part[i] + part[size - i]));
            }
        }
        if (best >= 0) {
            split.improvement = split.upper_bound = best * scale_.unit * scale_.unit;
        }
    }

    void scan_weighted(const std::uint32_t* list, std::uint32_t size, const NodeLimits& node,
                       ColumnSplit& split) {
        double weight = 0;
        double sum = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t id = list[i] & 0xffffU;
            weight += weight_of_[id];
            sum += weight_of_[id] * near_[id];
        }
        NumberCriterion criterion;
        criterion.start(weight, sum);
        double wl = 0;
        double sl = 0;
        for (std::uint32_t i = 1; i < size; ++i) {
            const std::uint32_t id = list[i - 1] & 0xffffU;
            wl += weight_of_[id];
            sl += weight_of_[id] * near_[id];
            if ((list[i] ^ list[i - 1]) >> 16 != 0 && node.may_be_heavy(wl) &&
                node.may_be_heavy(weight - wl)) {
                update_best(criterion.improvement(wl, sl), node, wl, weight - wl, split);
            }
        }
    }

    static void update_best(double improvement, const NodeLimits& node, double wl, double wr,
                            ColumnSplit& split) {
        split.upper_bound = std::max(split.upper_bound, improvement);
        if (improvement > split.improvement && node.is_heavy(wl) && node.is_heavy(wr)) {
            split.improvement = improvement;
        }
    }

    void scan_classes(const std::uint32_t* list, std::uint32_t size, const NodeLimits& node,
                      ColumnSplit& split) {
        known_.assign(s_, 0.0);
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t id = list[i] & 0xffffU;
            known_[static_cast<std::size_t>(label_[id])] += weight_of_[id];
        }
        class_criterion_.start(known_.data(), s_);
        below_.assign(s_, 0.0);
        right_.resize(s_);
        const double weight = class_criterion_.weight();
        double wl = 0;
        for (std::uint32_t i = 1; i < size; ++i) {
            const std::uint32_t id = list[i - 1] & 0xffffU;
            wl += weight_of_[id];
            below_[static_cast<std::size_t>(label_[id])] += weight_of_[id];
            if ((list[i] ^ list[i - 1]) >> 16 != 0 && node.may_be_heavy(wl) &&
                node.may_be_heavy(weight - wl) &&
                class_criterion_.upper_bound(below_.data(), wl) > split.improvement) {
                update_best(class_criterion_.improvement(below_.data(), wl, right_.data()),
                            node, wl, weight - wl, split);
            }
        }
    }

    // Score a list exactly.
    void score_exactly(const std::uint32_t* list, std::uint32_t size, const OpenNode& open,
                       const std::uint32_t* rows, const NodeLimits& node, double best,
                       ColumnSplit& split) {
        Cut& cut = split.cut;
        cut.missing.assign(s_, 0.0);
        const auto add_row = [&](std::uint32_t id, double* cell) {
            const double weight = weighted ? weight_of_[id] : 1.0;
            if constexpr (is_regression) {
                const double wy = weight * y_[id];
                cell[0] += weight;
                cell[1] += wy;
                cell[2] += wy * y_[id];
            } else {
                cell[label_[id]] += weight;
            }
        };
        if (size < open.n) {
            for (std::uint32_t i = 0; i < size; ++i) {
                side_[list[i] & 0xffffU] = 1;
            }
            for (std::uint32_t i = 0; i < open.n; ++i) {
                if (side_[rows[i]] == 0) {
                    add_row(rows[i], cut.missing.data());
                }
                side_[rows[i]] = 0;
            }
        }
        const auto differs = [&](std::size_t i) { return (list[i] ^ list[i - 1]) >> 16 != 0; };
        const auto add = [&](std::size_t i, double* cell) { add_row(list[i] & 0xffffU, cell); };
        ExactScorer<kind> exact_scorer(request_, scorer_, space_);
        if constexpr (is_regression) {
            double weight = 0;
            double sum = 0;
            for (std::uint32_t i = 0; i < size; ++i) {
                const std::uint32_t id = list[i] & 0xffffU;
                const double w = weighted ? weight_of_[id] : 1.0;
                weight += w;
                sum += w * y_[id];
            }
            NumberCriterion criterion;
            criterion.start(weight, sum);
            exact_scorer.best_cut(size, differs, add, criterion, node, best, cut);
        } else {
            known_.assign(s_, 0.0);
            for (std::uint32_t i = 0; i < size; ++i) {
                const std::uint32_t id = list[i] & 0xffffU;
                known_[static_cast<std::size_t>(label_[id])] += weight_of_[id];
            }
            class_criterion_.start(known_.data(), s_);
            exact_scorer.best_cut(size, differs, add, class_criterion_, node, best, cut);
        }
    }

    // ---- partition

    void divide(Subtree& subtree, const OpenNode& open, std::uint32_t h) {
        const ListHead head = heads_[open.head_at + h];
        const ColumnSplit& split = splits_[h];
        const GrowColumn& column = request_.columns[head.column];
        const std::vector<double>& after =
            head.is_list ? split.cut.after : split.general_split.after;
        const std::size_t n_parts = after.size() / s_;
        const std::uint32_t first = subtree.split(open.node, head.column, n_parts);
        subtree.set_known(open.node, head.is_list ? split.cut.known : split.general_split.known,
                          head.is_list ? split.cut.missing : split.general_split.missing,
                          after);
        const std::uint32_t* rows = data_.data() + open.data_at;
        if (parts_.size() < n_parts) {
            parts_.resize(n_parts);
        }
        for (std::uint32_t i = 0; i < open.n; ++i) {
            side_[rows[i]] = 3;
        }
        if (head.is_list) {
            const std::uint32_t* list = rows + open.n;
            for (std::uint32_t before = 0; before < h; ++before) {
                list += heads_[open.head_at + before].size;
            }
            const std::uint32_t at = split.cut.at;
            for (std::uint32_t i = 0; i < head.size; ++i) {
                side_[list[i] & 0xffffU] = i < at ? 1 : 2;
            }
            set_cut(subtree.nodes[open.node], column,
                    value_at(column, global_[list[at - 1] & 0xffffU]),
                    value_at(column, global_[list[at] & 0xffffU]));
        } else {
            branch_of_.assign(static_cast<std::size_t>(column.n_levels), no_branch);
            for (std::size_t b = 0; b < n_parts; ++b) {
                subtree.set_levels(first + static_cast<std::uint32_t>(b),
                                   split.general_split.groups[b]);
                for (const std::int32_t code : split.general_split.groups[b]) {
                    branch_of_[static_cast<std::size_t>(code)] = static_cast<std::uint32_t>(b);
                }
            }
            branch_.resize(global_.size());
            for (std::uint32_t i = 0; i < open.n; ++i) {
                const std::int32_t code = column.codes[global_[rows[i]]];
                branch_[rows[i]] =
                    code < 0 ? no_branch : branch_of_[static_cast<std::size_t>(code)];
                side_[rows[i]] = branch_[rows[i]] == 0 ? 1 : branch_[rows[i]] == 1 ? 2 : 3;
            }
        }
        const bool by_side = n_parts == 2;
        const auto branch = [&](std::uint32_t id) -> std::uint32_t {
            if (by_side) {
                return side_[id] == 3 ? no_branch : side_[id] - 1U;
            }
            return branch_[id];
        };
        distribute_missing(open, rows, n_parts, branch);
        for (std::size_t b = 0; b < n_parts; ++b) {
            sum_rows(subtree, first + static_cast<std::uint32_t>(b), open.depth + 1, parts_[b]);
        }
        if (by_side) {
            divide_in_two(open, rows);
        } else {
            divide_in_many(open, rows, n_parts);
        }
        for (std::uint32_t i = 0; i < open.n; ++i) {
            side_[rows[i]] = 0;
        }
        pop_node(open);
        for (std::size_t b = n_parts; b-- > 0;) {
            push(first + static_cast<std::uint32_t>(b), open.depth + 1, parts_[b]);
        }
    }

    // The rows of each branch, and their weights (engines/memory.py, _divide).
    template <class Branch>
    void distribute_missing(const OpenNode& open, const std::uint32_t* rows,
                            std::size_t n_parts, const Branch& branch) {
        shares_.assign(n_parts, 0.0);
        bool shared = false;
        const double* weight = weighted ? weights_.data() + open.weight_at : nullptr;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const std::uint32_t b = branch(rows[i]);
            if (b == no_branch) {
                shared = request_.fraction;
            } else {
                shares_[b] += weighted ? weight[i] : 1.0;
            }
        }
        const double sum = pairwise_sum(shares_.data(), n_parts);
        for (std::size_t b = 0; b < n_parts; ++b) {
            parts_[b].rows.clear();
            parts_[b].weights.clear();
            parts_[b].share = shared ? shares_[b] / sum : 0.0;
        }
        shared_ = shared;
        for (std::uint32_t i = 0; i < open.n; ++i) {
            const std::uint32_t b = branch(rows[i]);
            if (b != no_branch) {
                parts_[b].rows.push_back(rows[i]);
                if constexpr (weighted) {
                    parts_[b].weights.push_back(weight[i]);
                }
            } else if (shared) {
                for (std::size_t to = 0; to < n_parts; ++to) {
                    if (parts_[to].share > 0) {
                        parts_[to].rows.push_back(rows[i]);
                        if constexpr (weighted) {
                            parts_[to].weights.push_back(weight[i] * parts_[to].share);
                        }
                    }
                }
            }
        }
    }

    void sum_rows(Subtree& subtree, std::uint32_t child, std::int64_t depth, Part& part) {
        double* total = subtree.total.data() + child * s_;
        part.range = node_sums_.sum_rows(
            [&](auto&& row) {
                for (std::size_t i = 0; i < part.rows.size(); ++i) {
                    const std::uint32_t id = part.rows[i];
                    const double weight = weighted ? part.weights[i] : 1.0;
                    if constexpr (is_regression) {
                        row(raw_[id], 0, weight);
                    } else {
                        row(0.0, label_[id], weight);
                    }
                }
            },
            total);
        part.stops = node_sums_.stops(part.range, total, depth, scorer_);
        part.data.clear();
        part.heads.clear();
    }

    void divide_in_two(const OpenNode& open, const std::uint32_t* rows) {
        if (parts_[0].stops && parts_[1].stops) {
            return;
        }
        const bool gets[2] = {shared_ && parts_[0].share > 0, shared_ && parts_[1].share > 0};
        const auto missing = static_cast<std::uint8_t>((gets[0] ? 1 : 0) | (gets[1] ? 2 : 0));
        if (missing != 3) {
            for (std::uint32_t i = 0; i < open.n; ++i) {
                side_[rows[i]] = side_[rows[i]] == 3 ? missing : side_[rows[i]];
            }
        }
        const std::uint32_t* list = rows + open.n;
        for (std::uint32_t j = 0; j < open.n_heads; ++j) {
            const ListHead head = heads_[open.head_at + j];
            if (!head.is_list) {
                for (std::size_t b = 0; b < 2; ++b) {
                    parts_[b].heads.push_back(head);
                }
                continue;
            }
            std::uint32_t* to[2] = {nullptr, nullptr};
            std::size_t at[2] = {0, 0};
            for (std::size_t b = 0; b < 2; ++b) {
                if (!parts_[b].stops) {
                    at[b] = parts_[b].data.size();
                    parts_[b].data.resize(at[b] + head.size + list_room);
                    to[b] = parts_[b].data.data() + at[b];
                }
            }
            std::uint32_t n_left = 0;
            std::uint32_t n_right = 0;
            count_sides(list, head.size, n_left, n_right);
            split_list(list, head.size, side_.data(), to[0], to[1], use_avx512_);
            const std::uint32_t sizes[2] = {n_left, n_right};
            for (std::size_t b = 0; b < 2; ++b) {
                if (!parts_[b].stops) {
                    finish_list(parts_[b], head.column, at[b], sizes[b]);
                }
            }
            list += head.size;
        }
    }

    void count_sides(const std::uint32_t* list, std::uint32_t n, std::uint32_t& left,
                     std::uint32_t& right) const {
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t to = side_[list[i] & 0xffffU];
            left += to & 1U;
            right += to >> 1;
        }
    }

    // Complete a list that was just written; drop it if it has one value only.
    static void finish_list(Part& part, std::uint32_t column, std::size_t at,
                            std::uint32_t size) {
        const std::uint32_t* list = part.data.data() + at;
        if (size < 2 || (list[0] ^ list[size - 1]) >> 16 == 0) {
            part.data.resize(at);
            return;
        }
        part.data.resize(at + size);
        part.heads.push_back({column, size, true});
    }

    void divide_in_many(const OpenNode& open, const std::uint32_t* rows, std::size_t n_parts) {
        starts_.resize(n_parts);
        const std::uint32_t* list = rows + open.n;
        for (std::uint32_t j = 0; j < open.n_heads; ++j) {
            const ListHead head = heads_[open.head_at + j];
            for (std::size_t b = 0; b < n_parts; ++b) {
                starts_[b] = parts_[b].data.size();
                if (!head.is_list && !parts_[b].stops) {
                    parts_[b].heads.push_back(head);
                }
            }
            if (!head.is_list) {
                continue;
            }
            for (std::uint32_t i = 0; i < head.size; ++i) {
                const std::uint32_t b = branch_[list[i] & 0xffffU];
                if (b != no_branch) {
                    parts_[b].data.push_back(list[i]);
                    continue;
                }
                for (std::size_t to = 0; to < n_parts && shared_; ++to) {
                    if (parts_[to].share > 0) {
                        parts_[to].data.push_back(list[i]);
                    }
                }
            }
            for (std::size_t b = 0; b < n_parts; ++b) {
                if (!parts_[b].stops) {
                    finish_list(parts_[b], head.column, starts_[b],
                                static_cast<std::uint32_t>(parts_[b].data.size() - starts_[b]));
                }
            }
            list += head.size;
        }
    }

    void push(std::uint32_t child, std::int64_t depth, const Part& part) {
        if (part.stops) {
            request_.report_leaf(part.rows.size());
            return;
        }
        stack_.push_back({child, static_cast<std::uint32_t>(part.rows.size()),
                          static_cast<std::uint32_t>(part.heads.size()), depth, data_.size(),
                          heads_.size(), weighted ? weights_.size() : 0, part.range.max_abs_y});
        data_.insert(data_.end(), part.rows.begin(), part.rows.end());
        data_.insert(data_.end(), part.data.begin(), part.data.end());
        heads_.insert(heads_.end(), part.heads.begin(), part.heads.end());
        if constexpr (weighted) {
            weights_.insert(weights_.end(), part.weights.begin(), part.weights.end());
        }
    }

    static constexpr std::uint32_t no_branch = 0xffffffffU;

    const GrowRequest& request_;
    const GeneralKernel& general_;
    std::size_t s_;
    NodeSums<kind, weighted> node_sums_;
    Scorer scorer_;
    typename GeneralKernel::Scratch general_scratch_;
    bool use_avx512_;
    ExactScratch space_;
    RowSort sort_;
    ClassCriterion<kind == ImpurityKind::entropy ? ImpurityKind::entropy : ImpurityKind::gini>
        class_criterion_;

    // Indexed by the number of a row in the first node.
    std::vector<std::uint32_t> global_;
    std::vector<std::int32_t> label_;
    std::vector<double> raw_, y_, near_, weight_of_;
    std::vector<std::int64_t> whole_, shifted_;
    std::vector<std::uint8_t> side_;  // all zero between two steps
    std::vector<std::uint32_t> branch_;
    Scale scale_;
    std::vector<double> reciprocal_;  // 1 / i

    // Stacks; the current node is on top.
    std::vector<OpenNode> stack_;
    std::vector<std::uint32_t> data_;  // rows, then the lists one after the other
    std::vector<ListHead> heads_;
    std::vector<double> weights_;

    std::vector<ColumnSplit> splits_;
    std::vector<Candidate> candidates_;
    std::vector<double> scores_, known_, below_, right_, shares_;
    std::vector<std::int32_t> ties_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> branch_of_, table_rows_;
    std::vector<std::size_t> starts_;
    bool shared_ = false;
};

}  // namespace penjing
