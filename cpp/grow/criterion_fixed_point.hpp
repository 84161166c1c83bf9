// Criteria on fixed-point sums, which are exact in any order, so that the sums of one child are
// those of the parent less those of its sibling. They bound the improvement of columns; the
// choice is then made by exact scoring (grow/exact_scoring.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/simd.hpp"
#include "grow/buckets.hpp"
#include "grow/request.hpp"

namespace penjing {

enum class ImpurityKind : std::uint8_t { variance, gini, entropy };

// Fixed-point scale: x * factor is rounded to an integer. Sums of n numbers stay below 2^62.
struct Scale {
    double factor = 1;
    double unit = 1;

    Scale() = default;
    Scale(double upper_bound, std::size_t n) {
        if (!(upper_bound > 0)) {
            return;
        }
        int exponent = 0;
        std::frexp(upper_bound, &exponent);
        const int rows = static_cast<int>(std::bit_width(n + 1));
        const int power = std::clamp(61 - rows - exponent, -1000, 1000);
        factor = std::ldexp(1.0, power);
        unit = std::ldexp(1.0, -power);
    }
    [[nodiscard]] std::int64_t round(double x) const {
        return static_cast<std::int64_t>(std::nearbyint(x * factor));
    }
    [[nodiscard]] std::int64_t round_up(double x) const {
        return static_cast<std::int64_t>(std::ceil(x * factor));
    }
};

// What one row adds to its cell: weight * y, weight * y^2 rounded up, and weight.
struct RegressionItem {
    std::int64_t y, square;
};
struct RawNumber {  // the target of a row of weight one, before scaling
    double raw;
};
struct WeightedItem {
    std::int64_t y, square, weight, none;
};
struct ClassItem {
    std::int64_t weight;
};

inline constexpr std::size_t regression_cell = 4;  // y, square, weight, padding
inline constexpr std::uint8_t missing_bucket = 255;

namespace detail {

inline void count_numbers(const std::uint8_t* codes, const RegressionItem* items, std::size_t n,
                          std::int64_t* cells) {
    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t* cell = cells + codes[i] * regression_cell;
        cell[0] += items[i].y;
        cell[1] += items[i].square;
        ++cell[2];
    }
}

inline void count_weighted(const std::uint8_t* codes, const WeightedItem* items, std::size_t n,
                           std::int64_t* cells) {
    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t* cell = cells + codes[i] * regression_cell;
        cell[0] += items[i].y;
        cell[1] += items[i].square;
        cell[2] += items[i].weight;
    }
}

#if PENJING_X86
PENJING_AVX512 inline void count_numbers_avx512(const std::uint8_t* codes,
                                                const RegressionItem* items, std::size_t n,
                                                std::int64_t* cells) {
    const __m256i one = _mm256_set_epi64x(0, 1, 0, 0);
    for (std::size_t i = 0; i < n; ++i) {
        auto* cell = reinterpret_cast<__m256i*>(cells + codes[i] * regression_cell);
        const __m256i item = _mm256_inserti128_si256(
            one, _mm_loadu_si128(reinterpret_cast<const __m128i*>(items + i)), 0);
        _mm256_storeu_si256(cell, _mm256_add_epi64(_mm256_loadu_si256(cell), item));
    }
}

PENJING_AVX512 inline void count_weighted_avx512(const std::uint8_t* codes,
                                                 const WeightedItem* items, std::size_t n,
                                                 std::int64_t* cells) {
    for (std::size_t i = 0; i < n; ++i) {
        auto* cell = reinterpret_cast<__m256i*>(cells + codes[i] * regression_cell);
        const __m256i item = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(items + i));
        _mm256_storeu_si256(cell, _mm256_add_epi64(_mm256_loadu_si256(cell), item));
    }
}
#endif

#if PENJING_X86
PENJING_AVX512 inline void regression_items_avx512(const RawNumber* from, std::size_t n,
                                                   double centre, const Scale& numbers,
                                                   const Scale& squares, RegressionItem* out) {
    const __m512d middle = _mm512_set1_pd(centre);
    const __m512d factor = _mm512_set1_pd(numbers.factor);
    const __m512d square_times = _mm512_set1_pd(squares.factor);
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    for (std::size_t i = 0; i < n; i += 8) {
        const auto valid = static_cast<__mmask8>(n - i >= 8 ? 0xffU : (1U << (n - i)) - 1);
        const __m512d y = _mm512_sub_pd(_mm512_maskz_loadu_pd(valid, &from[i].raw), middle);
        const __m512i whole = _mm512_cvt_roundpd_epi64(
            _mm512_mul_pd(y, factor), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        const __m512i above =
            _mm512_cvt_roundpd_epi64(_mm512_mul_pd(_mm512_mul_pd(y, y), square_times),
                                     _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
        auto* to = reinterpret_cast<std::int64_t*>(out + i);
        const auto first = _pdep_u32(valid, 0x5555U) * 3U;
        _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(first),
                                 _mm512_permutex2var_epi64(whole, low, above));
        _mm512_mask_storeu_epi64(to + 8, static_cast<__mmask8>(first >> 8),
                                 _mm512_permutex2var_epi64(whole, high, above));
    }
}
#endif

}  // namespace detail

// The items of rows of weight one.
inline void regression_items(const RawNumber* from, std::size_t n, double centre,
                             const Scale& numbers, const Scale& squares, RegressionItem* out,
                             bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        detail::regression_items_avx512(from, n, centre, numbers, squares, out);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    for (std::size_t i = 0; i < n; ++i) {
        const double y = from[i].raw - centre;
        out[i] = {numbers.round(y), squares.round_up(y * y)};
    }
}

inline void count_items(const std::uint8_t* codes, const RegressionItem* items,
                        const std::uint16_t*, std::size_t n, std::size_t, std::int64_t* cells,
                        bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        detail::count_numbers_avx512(codes, items, n, cells);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    detail::count_numbers(codes, items, n, cells);
}

inline void count_items(const std::uint8_t* codes, const WeightedItem* items,
                        const std::uint16_t*, std::size_t n, std::size_t, std::int64_t* cells,
                        bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        detail::count_weighted_avx512(codes, items, n, cells);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    detail::count_weighted(codes, items, n, cells);
}

inline void count_items(const std::uint8_t* codes, const ClassItem* items,
                        const std::uint16_t* labels, std::size_t n, std::size_t k,
                        std::int64_t* cells, bool) {
    for (std::size_t i = 0; i < n; ++i) {
        cells[codes[i] * k + labels[i]] += items[i].weight;
    }
}

// ---- the improvement of a cut: the decrease of impurity * weight over the rows with known
// values

inline double n_log_n(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// Minus the impurity of a part times its weight: convex in the sums and never above 0.
template <ImpurityKind kind>
double negative_impurity(const double* sums, std::size_t k, double weight) {
    if (!(weight > 0)) {
        return 0;
    }
    double sum = 0;
    if constexpr (kind == ImpurityKind::gini) {
        for (std::size_t i = 0; i < k; ++i) {
            sum += sums[i] * sums[i];
        }
        return std::min(0.0, sum / weight - weight);
    } else {
        for (std::size_t i = 0; i < k; ++i) {
            sum += n_log_n(sums[i]);
        }
        return std::min(0.0, sum - n_log_n(weight));
    }
}

// Scores cuts by the class weights of the rows that have a value in one column.
template <ImpurityKind kind>
class ClassCriterion {
  public:
    void start(const double* total, std::size_t k) {
        k_ = k;
        total_ = total;
        weight_ = 0;
        for (std::size_t i = 0; i < k; ++i) {
            weight_ += total[i];
        }
        own_ = kind == ImpurityKind::entropy ? negative_impurity<kind>(total, k, weight_) : 0;
    }
    [[nodiscard]] double weight() const { return weight_; }

    // An upper bound of the improvement without a logarithm; exact for Gini.
    [[nodiscard]] double upper_bound(const double* left, double wl) const {
        const double wr = weight_ - wl;
        const double lr = wl * wr;
        if (!(lr > 0)) {
            return 0;
        }
        const double share = wl / weight_;
        double sum = 0;
        if constexpr (kind == ImpurityKind::gini) {
            if (k_ == 2) {
                const double d = left[1] - share * total_[1];
                return 2 * d * d * weight_ / lr;
            }
            for (std::size_t i = 0; i < k_; ++i) {
                const double d = left[i] - share * total_[i];
                sum += d * d;
            }
            return sum * weight_ / lr;
        } else {
            // W KL(p, q) <= W chi^2(p, q), and the latter needs no logarithm.
            for (std::size_t i = 0; i < k_; ++i) {
                const double d = left[i] - share * total_[i];
                sum += total_[i] > 0 ? d * d / total_[i] : 0;
            }
            constexpr double log2_e = 1.4426950408889634;
            return sum * weight_ * (weight_ / lr) * log2_e;
        }
    }

    [[nodiscard]] double improvement(const double* left, double wl, double* right) const {
        if constexpr (kind == ImpurityKind::gini) {
            return upper_bound(left, wl);
        } else {
            for (std::size_t i = 0; i < k_; ++i) {
                right[i] = std::max(0.0, total_[i] - left[i]);
            }
            return std::max(0.0, negative_impurity<kind>(left, k_, wl) +
                                     negative_impurity<kind>(right, k_, weight_ - wl) - own_);
        }
    }

    // An upper bound of the improvement of any cut inside a bucket; `below` is to its left.
    double bound_inside(const double* below, const double* bucket, double* left,
                        double* right) const {
        constexpr std::size_t few = 4;
        if (k_ <= few) {  // convex: largest at a corner, where each class is on one side
            double upper_bound = 0;
            for (unsigned corner = 0; corner < 1U << k_; ++corner) {
                double wl = 0;
                for (std::size_t i = 0; i < k_; ++i) {
                    left[i] = below[i] + ((corner >> i & 1U) != 0 ? bucket[i] : 0.0);
                    wl += left[i];
                }
                upper_bound = std::max(upper_bound, improvement(left, wl, right));
            }
            return upper_bound;
        }
        double wl = 0;
        double wr = 0;
        for (std::size_t i = 0; i < k_; ++i) {
            wl += below[i];
            right[i] = std::max(0.0, total_[i] - below[i] - bucket[i]);
            wr += right[i];
        }
        // Convex and homogeneous, hence sublinear: splitting the bucket adds nothing above 0.
        return negative_impurity<kind>(below, k_, wl) + negative_impurity<kind>(right, k_, wr) -
               negative_impurity<kind>(total_, k_, weight_);
    }

  private:
    std::size_t k_ = 0;
    const double* total_ = nullptr;
    double weight_ = 0;
    double own_ = 0;
};

// The same for a numeric target: with d = S_L - mean * W_L the improvement is d^2 W / (W_L
// W_R).
class NumberCriterion {
  public:
    void start(double weight, double sum) {
        weight_ = weight;
        mean_ = weight > 0 ? sum / weight : 0;
    }
    [[nodiscard]] double weight() const { return weight_; }
    [[nodiscard]] double mean() const { return mean_; }

    [[nodiscard]] double improvement(double wl, double sl) const {
        const double lr = wl * (weight_ - wl);
        const double d = sl - mean_ * wl;
        return lr > 0 ? d * d * weight_ / lr : 0;
    }
    // The same as improvement(…) >= bar, without a division.
    [[nodiscard]] bool reaches(double wl, double sl, double bar) const {
        const double d = sl - mean_ * wl;
        return d * d * weight_ >= bar * (wl * (weight_ - wl));
    }

    // An upper bound of the improvement of any cut inside a bucket of weight m, sum s and sum
    // of squares q.
    [[nodiscard]] double bound_inside(double wl, double sl, double m, double s,
                                      double q) const {
        const double d0 = sl - mean_ * wl;
        const double d = s - mean_ * m;
        const double about = std::max(0.0, q - 2 * mean_ * s + mean_ * mean_ * m);
        const double w1 = weight_ - wl - m;
        // The bound of a multiway split: left of the bucket, right of it, and each of its rows
        // alone.
        const double extract =
            (wl > 0 ? d0 * d0 / wl : 0) + (w1 > 0 ? (d0 + d) * (d0 + d) / w1 : 0) + about;
        // The deviations above the mean sum to half of (sum of |deviations| + their sum), and
        // Cauchy-Schwarz bounds the former.
        const double far = std::sqrt(m * about);
        const double high =
            std::max(std::fabs(d0 + (far + d) / 2), std::fabs(d0 - (far - d) / 2));
        const double lr = std::min(wl * (weight_ - wl), (wl + m) * w1);
        return lr > 0 ? std::min(extract, high * high * weight_ / lr) : extract;
    }

  private:
    double weight_ = 0;
    double mean_ = 0;
};

}  // namespace penjing
