// Scans of the sorted rows of a column for rpart's splits and surrogates, where every row has
// weight 1: counts are whole numbers, and only sums of the target are rounded.
//
// An entry of a list is row << 1 | whether its value differs from that of the entry before.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "dialects/rpart_request.hpp"

namespace penjing {

// Entries by the branch of their rows; rows without a branch are dropped.
class RpartPartition {
  public:
    // Make room for n entries and remove those of an earlier node.
    void start(std::uint32_t n) {
        for (int b = 0; b < 2; ++b) {
            if (sides_[b].size() < n) {
                sides_[b].resize(n);
            }
            n_[b] = 0;
        }
    }

    // Append entries (row << shift | flag); the flag of a skipped entry moves to the next one.
    void add(const std::uint32_t* entries, std::uint32_t n, unsigned shift,
             const std::uint8_t* branch_of) {
        std::uint32_t* const left = sides_[0].data();
        std::uint32_t* const right = sides_[1].data();
        std::uint32_t n_left = n_[0];
        std::uint32_t n_right = n_[1];
        std::uint32_t flag_left = 0;
        std::uint32_t flag_right = 0;
        for (std::uint32_t i = 0; i < n; ++i) {  // no jumps: they could not be predicted
            const std::uint32_t entry = entries[i];
            const std::uint8_t branch = branch_of[entry >> shift];
            const std::uint32_t flag = shift == 0 ? 0 : entry & 1U;
            const std::uint32_t is_left = branch == 0 ? 1U : 0U;
            const std::uint32_t is_right = branch == 1 ? 1U : 0U;
            flag_left |= flag;
            flag_right |= flag;
            left[n_left] = entry | flag_left;
            right[n_right] = entry | flag_right;
            n_left += is_left;
            n_right += is_right;
            flag_left &= is_left - 1U;
            flag_right &= is_right - 1U;
        }
        n_[0] = n_left;
        n_[1] = n_right;
    }

    [[nodiscard]] std::uint32_t size(std::uint32_t branch) const { return n_[branch]; }
    void copy(std::uint32_t branch, std::uint32_t* to) const {
        std::copy_n(sides_[branch].data(), n_[branch], to);
    }

  private:
    std::vector<std::uint32_t> sides_[2];
    std::uint32_t n_[2] = {0, 0};
};

// The sums of a number below each threshold of a sorted column.
struct RpartThresholds {
    std::vector<double> below;          // the sum of the rows below
    std::vector<std::uint32_t> places;  // their number

    // Equal values are added to each other first, then to the sum.
    void sum(const std::uint32_t* list, std::uint32_t n, const double* y) {
        below.resize(n);
        places.resize(n);
        double sum = 0;
        std::size_t m = 0;
        for (std::uint32_t i = 0; i < n; ++m) {
            double cell = y[list[i++] >> 1];
            while (i < n && (list[i] & 1U) == 0) {
                cell += y[list[i++] >> 1];
            }
            sum += cell;
            below[m] = sum;
            places[m] = i;
        }
        below.resize(m);
        places.resize(m);
    }

    // The decrease of the sum of squares by each threshold with enough rows on both sides;
    // `places` keeps only these.
    void gains(std::uint32_t n, std::uint32_t min_bucket, std::vector<double>& result) {
        const double n_all = n;
        const double centre = below.back() / n_all;
        std::size_t end = places.size() - 1;  // the last run is not below a threshold
        while (end > 0 && n - places[end - 1] < min_bucket) {
            --end;
        }
        const auto at = std::lower_bound(
            places.begin(), places.begin() + static_cast<std::ptrdiff_t>(end), min_bucket);
        const auto begin = static_cast<std::size_t>(at - places.begin());
        result.resize(end - begin);
        const double* const sums = below.data() + begin;
        const std::uint32_t* const n_below = places.data() + begin;
        for (std::size_t i = 0; i < end - begin; ++i) {
            const double left = static_cast<double>(static_cast<std::int32_t>(n_below[i]));
            const double off = sums[i] - centre * left;
            result[i] = off * off / left + off * off / (n_all - left);
        }
        places.erase(places.begin() + static_cast<std::ptrdiff_t>(end), places.end());
        places.erase(places.begin(), at);
    }
};

// The lowest impurity over the thresholds of a sorted column; candidates are scored in blocks,
// class by class, with the same operations as RpartCriterion::weighted_impurity.
class RpartClassScan {
  public:
    double best = std::numeric_limits<double>::infinity();
    std::uint32_t place = 0;

    // `shared`: the altered prior of a row, if weights are added row by row; else negative.
    void scan(const RpartRequest& request, const std::uint32_t* list, std::uint32_t n,
              const double* known, double shared, double all) {
        const std::size_t k = request.n_classes;
        block_ = std::max<std::size_t>(1, std::min<std::size_t>(most, 4096 / k));
        counts_.assign(request.n_sums, 0.0);
        left_.resize(k * block_);
        best = std::numeric_limits<double>::infinity();
        place = 0;
        n_ = 0;
        double w_left = 0;
        double w_right = all;
        for (std::uint32_t i = 0; i < n;) {
            do {
                counts_[static_cast<std::size_t>(request.target[list[i++] >> 1])] += 1.0;
                w_left += shared;
                w_right -= shared;
            } while (i < n && (list[i] & 1U) == 0);
            if (i < request.min_bucket || i >= n || n - i < request.min_bucket) {
                continue;
            }
            for (std::size_t j = 0; j < k; ++j) {
                left_[j * block_ + n_] = counts_[j];
            }
            w_left_[n_] = w_left;
            w_right_[n_] = w_right;
            places_[n_] = i;
            if (++n_ == block_) {
                score(request, known, shared);
            }
        }
        score(request, known, shared);
    }

  private:
    static constexpr std::size_t most = 64;

    void score(const RpartRequest& request, const double* known, double shared) {
        const std::size_t k = request.n_classes;
        const std::size_t n = n_;
        n_ = 0;
        if (shared < 0) {
            std::fill_n(w_left_.begin(), n, 0.0);
            std::fill_n(w_right_.begin(), n, 0.0);
            for (std::size_t j = 0; j < k; ++j) {
                const double* left = left_.data() + j * block_;
                const double a = prior(request, j);
                for (std::size_t i = 0; i < n; ++i) {
                    w_left_[i] += left[i] * a;
                    w_right_[i] += (known[j] - left[i]) * a;
                }
            }
        }
        std::fill_n(sum_.begin(), n, 0.0);
        for (std::size_t j = 0; j < k; ++j) {
            const double* left = left_.data() + j * block_;
            if (request.is_entropy) {
                add_entropy(left, known[j], prior(request, j), n);
            } else {
                add_gini(left, known[j], prior(request, j), n);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (sum_[i] < best) {
                best = sum_[i];
                place = places_[i];
            }
        }
    }

    static double prior(const RpartRequest& request, std::size_t j) {
        return request.prior_factor == nullptr ? 1.0 : request.prior_factor[j];
    }

    void add_gini(const double* left, double known, double a, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            const double p = left[i] * a / w_left_[i];
            const double q = (known - left[i]) * a / w_right_[i];
            sum_[i] = (sum_[i] + w_left_[i] * (p * (1.0 - p))) + w_right_[i] * (q * (1.0 - q));
        }
    }

    void add_entropy(const double* left, double known, double a, std::size_t n) {
        const auto impurity = [](double p) { return p > 0 ? -p * std::log(p) : 0.0; };
        for (std::size_t i = 0; i < n; ++i) {
            const double p = left[i] * a / w_left_[i];
            const double q = (known - left[i]) * a / w_right_[i];
            sum_[i] = (sum_[i] + w_left_[i] * impurity(p)) + w_right_[i] * impurity(q);
        }
    }

    std::size_t block_ = most;
    std::size_t n_ = 0;
    std::vector<double> counts_, left_;  // left_: classes x block
    std::array<double, most> w_left_{}, w_right_{}, sum_{};
    std::array<std::uint32_t, most> places_{};
};

// The threshold of a column that agrees best with the branches of the rows.
struct RpartAgreement {
    std::uint32_t n_branch[2] = {0, 0};  // known rows of both branches
    std::uint32_t n_agreeing = 0;
    std::uint32_t place = 0;  // the number of rows below; 0: none
    std::int32_t below = 0;   // the branch of those rows

    // Each side needs `min_side` rows that have a branch. The first of ties wins, branch 0
    // first.
    void scan(const std::uint32_t* list, std::uint32_t n, const std::uint8_t* branch_of,
              std::uint32_t min_side, std::vector<std::int8_t>& steps) {
        // Below a threshold are `more` rows of branch 0 more than of branch 1: the rows that
        // agree are n_branch[1] + more, or n_branch[0] - more with the branches exchanged.
        constexpr std::int8_t step_of[3] = {1, -1, 0};
        steps.resize(n);
        std::int32_t more = 0;
        std::uint32_t n_without = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint8_t branch = branch_of[list[i] >> 1];
            steps[i] = step_of[branch];
            more += step_of[branch];
            n_without += branch >> 1;
        }
        const auto n_both = static_cast<std::int32_t>(n - n_without);
        n_branch[0] = static_cast<std::uint32_t>((n_both + more) / 2);
        n_branch[1] = static_cast<std::uint32_t>((n_both - more) / 2);
        Records records;
        if (n_without == 0) {
            records.find<false>(list, n, steps.data(), min_side, n);
        } else {
            records.find<true>(list, n, steps.data(), min_side, n - n_without);
        }
        if (records.place_most == 0) {
            return;
        }
        const std::int64_t plain = std::int64_t{n_branch[1]} + records.most;
        const std::int64_t turned = std::int64_t{n_branch[0]} - records.least;
        const bool is_plain =
            plain > turned || (plain == turned && records.place_most <= records.place_least);
        n_agreeing = static_cast<std::uint32_t>(is_plain ? plain : turned);
        place = is_plain ? records.place_most : records.place_least;
        below = is_plain ? 0 : 1;
    }

  private:
    struct Records {
        std::int32_t most = std::numeric_limits<std::int32_t>::min();
        std::int32_t least = std::numeric_limits<std::int32_t>::max();
        std::uint32_t place_most = 0;
        std::uint32_t place_least = 0;

        template <bool some_without>
        void find(const std::uint32_t* list, std::uint32_t n, const std::int8_t* steps,
                  std::uint32_t min_side, std::uint32_t n_both) {
            std::int32_t more = 0;
            std::uint32_t n_below = 0;
            for (std::uint32_t i = 0; i + 1 < n; ++i) {
                more += steps[i];
                if constexpr (some_without) {
                    n_below += steps[i] != 0 ? 1U : 0U;
                }
                const bool is_end = (list[i + 1] & 1U) != 0;
                const bool is_record = (more > most) | (more < least);
                if (is_end & is_record) {  // one jump, which is rarely taken
                    const std::uint32_t n_left = some_without ? n_below : i + 1;
                    if (n_left >= min_side && n_both - n_left >= min_side) {
                        update(more, i + 1);
                    }
                }
            }
        }

        void update(std::int32_t more, std::uint32_t at) {
            if (more > most) {
                most = more;
                place_most = at;
            }
            if (more < least) {
                least = more;
                place_least = at;
            }
        }
    };
};

}  // namespace penjing
