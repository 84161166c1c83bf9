// Sums in fixed point: exact in any order, so that the sums of a child can be taken from those
// of its parent. Kernels use them to see which columns may win; who wins is then decided in the
// arithmetic of the oracle (grow/exact_scoring.hpp).
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

enum class Kind : std::uint8_t { variance, gini, entropy };

// A number times `times` is a whole one; sums of n of them stay below 2^62.
struct Scale {
    double times = 1;
    double unit = 1;

    Scale() = default;
    Scale(double most, std::size_t n) {
        if (!(most > 0)) {
            return;
        }
        int exponent = 0;
        std::frexp(most, &exponent);
        const int rows = static_cast<int>(std::bit_width(n + 1));
        const int power = std::clamp(61 - rows - exponent, -1000, 1000);
        times = std::ldexp(1.0, power);
        unit = std::ldexp(1.0, -power);
    }
    [[nodiscard]] std::int64_t whole(double x) const {
        return static_cast<std::int64_t>(std::nearbyint(x * times));
    }
    [[nodiscard]] std::int64_t above(double x) const {
        return static_cast<std::int64_t>(std::ceil(x * times));
    }
};

// What one row adds to its cell: weight x target, its square (no less than it is), weight.
struct NumberItem {
    std::int64_t y, square;
};
struct PlainNumber {  // what it is made from, where every row weighs one
    double raw;
};
struct WeightedItem {
    std::int64_t y, square, weight, none;
};
struct ClassItem {
    std::int64_t weight;
};

inline constexpr std::size_t number_cell = 4;  // y, square, weight, nothing
inline constexpr std::uint8_t missing_bucket = 255;

namespace detail {

inline void count_numbers(const std::uint8_t* codes, const NumberItem* items, std::size_t n,
                          std::int64_t* cells) {
    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t* cell = cells + codes[i] * number_cell;
        cell[0] += items[i].y;
        cell[1] += items[i].square;
        ++cell[2];
    }
}

inline void count_weighted(const std::uint8_t* codes, const WeightedItem* items, std::size_t n,
                           std::int64_t* cells) {
    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t* cell = cells + codes[i] * number_cell;
        cell[0] += items[i].y;
        cell[1] += items[i].square;
        cell[2] += items[i].weight;
    }
}

#if PENJING_X86
PENJING_AVX512 inline void count_numbers_wide(const std::uint8_t* codes,
                                              const NumberItem* items, std::size_t n,
                                              std::int64_t* cells) {
    const __m256i one = _mm256_set_epi64x(0, 1, 0, 0);
    for (std::size_t i = 0; i < n; ++i) {
        auto* cell = reinterpret_cast<__m256i*>(cells + codes[i] * number_cell);
        const __m256i item = _mm256_inserti128_si256(
            one, _mm_loadu_si128(reinterpret_cast<const __m128i*>(items + i)), 0);
        _mm256_storeu_si256(cell, _mm256_add_epi64(_mm256_loadu_si256(cell), item));
    }
}

PENJING_AVX512 inline void count_weighted_wide(const std::uint8_t* codes,
                                               const WeightedItem* items, std::size_t n,
                                               std::int64_t* cells) {
    for (std::size_t i = 0; i < n; ++i) {
        auto* cell = reinterpret_cast<__m256i*>(cells + codes[i] * number_cell);
        const __m256i item = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(items + i));
        _mm256_storeu_si256(cell, _mm256_add_epi64(_mm256_loadu_si256(cell), item));
    }
}
#endif

#if PENJING_X86
PENJING_AVX512 inline void whole_items_wide(const PlainNumber* from, std::size_t n,
                                            double centre, const Scale& numbers,
                                            const Scale& squares, NumberItem* out) {
    const __m512d middle = _mm512_set1_pd(centre);
    const __m512d times = _mm512_set1_pd(numbers.times);
    const __m512d square_times = _mm512_set1_pd(squares.times);
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    for (std::size_t i = 0; i < n; i += 8) {
        const auto valid = static_cast<__mmask8>(n - i >= 8 ? 0xffU : (1U << (n - i)) - 1);
        const __m512d y = _mm512_sub_pd(_mm512_maskz_loadu_pd(valid, &from[i].raw), middle);
        const __m512i whole = _mm512_cvt_roundpd_epi64(
            _mm512_mul_pd(y, times), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
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

// What rows of weight one add to their cells.
inline void whole_items(const PlainNumber* from, std::size_t n, double centre,
                        const Scale& numbers, const Scale& squares, NumberItem* out,
                        bool wide) {
#if PENJING_X86
    if (wide) {
        detail::whole_items_wide(from, n, centre, numbers, squares, out);
        return;
    }
#endif
    static_cast<void>(wide);
    for (std::size_t i = 0; i < n; ++i) {
        const double y = from[i].raw - centre;
        out[i] = {numbers.whole(y), squares.above(y * y)};
    }
}

inline void count_items(const std::uint8_t* codes, const NumberItem* items,
                        const std::uint16_t*, std::size_t n, std::size_t, std::int64_t* cells,
                        bool wide) {
#if PENJING_X86
    if (wide) {
        detail::count_numbers_wide(codes, items, n, cells);
        return;
    }
#endif
    static_cast<void>(wide);
    detail::count_numbers(codes, items, n, cells);
}

inline void count_items(const std::uint8_t* codes, const WeightedItem* items,
                        const std::uint16_t*, std::size_t n, std::size_t, std::int64_t* cells,
                        bool wide) {
#if PENJING_X86
    if (wide) {
        detail::count_weighted_wide(codes, items, n, cells);
        return;
    }
#endif
    static_cast<void>(wide);
    detail::count_weighted(codes, items, n, cells);
}

inline void count_items(const std::uint8_t* codes, const ClassItem* items,
                        const std::uint16_t* labels, std::size_t n, std::size_t k,
                        std::int64_t* cells, bool) {
    for (std::size_t i = 0; i < n; ++i) {
        cells[codes[i] * k + labels[i]] += items[i].weight;
    }
}

// ---- what a cut is worth: the fall of (impurity x weight), over the rows that are known

inline double phi(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// Weight times impurity of a part, negative: convex in the sums, and never above 0.
template <Kind kind>
double purity(const double* sums, std::size_t k, double weight) {
    if (!(weight > 0)) {
        return 0;
    }
    double sum = 0;
    if constexpr (kind == Kind::gini) {
        for (std::size_t i = 0; i < k; ++i) {
            sum += sums[i] * sums[i];
        }
        return std::min(0.0, sum / weight - weight);
    } else {
        for (std::size_t i = 0; i < k; ++i) {
            sum += phi(sums[i]);
        }
        return std::min(0.0, sum - phi(weight));
    }
}

// The classes of the rows that are known in one column, as a cut is judged by.
template <Kind kind>
class ClassJudge {
  public:
    void start(const double* total, std::size_t k) {
        k_ = k;
        total_ = total;
        weight_ = 0;
        for (std::size_t i = 0; i < k; ++i) {
            weight_ += total[i];
        }
        own_ = kind == Kind::entropy ? purity<kind>(total, k, weight_) : 0;
    }
    [[nodiscard]] double weight() const { return weight_; }

    // No less than what the cut is worth, without a logarithm; exact for Gini.
    [[nodiscard]] double most(const double* left, double wl) const {
        const double wr = weight_ - wl;
        const double lr = wl * wr;
        if (!(lr > 0)) {
            return 0;
        }
        const double share = wl / weight_;
        double sum = 0;
        if constexpr (kind == Kind::gini) {
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

    [[nodiscard]] double worth(const double* left, double wl, double* right) const {
        if constexpr (kind == Kind::gini) {
            return most(left, wl);
        } else {
            for (std::size_t i = 0; i < k_; ++i) {
                right[i] = std::max(0.0, total_[i] - left[i]);
            }
            return std::max(
                0.0, purity<kind>(left, k_, wl) + purity<kind>(right, k_, weight_ - wl) - own_);
        }
    }

    // No cut inside a bucket is worth more; `below` lies left of it.
    double inside(const double* below, const double* bucket, double* left,
                  double* right) const {
        constexpr std::size_t few = 4;
        if (k_ <=
            few) {  // convex: the most is in a corner, some classes whole, others not at all
            double most = 0;
            for (unsigned corner = 0; corner < 1U << k_; ++corner) {
                double wl = 0;
                for (std::size_t i = 0; i < k_; ++i) {
                    left[i] = below[i] + ((corner >> i & 1U) != 0 ? bucket[i] : 0.0);
                    wl += left[i];
                }
                most = std::max(most, worth(left, wl, right));
            }
            return most;
        }
        double wl = 0;
        double wr = 0;
        for (std::size_t i = 0; i < k_; ++i) {
            wl += below[i];
            right[i] = std::max(0.0, total_[i] - below[i] - bucket[i]);
            wr += right[i];
        }
        // Convex and homogeneous, hence sublinear: parts of the bucket add nothing above 0.
        return purity<kind>(below, k_, wl) + purity<kind>(right, k_, wr) -
               purity<kind>(total_, k_, weight_);
    }

  private:
    std::size_t k_ = 0;
    const double* total_ = nullptr;
    double weight_ = 0;
    double own_ = 0;
};

// The same for a number: with d = S_L - mean W_L a cut is worth d^2 W / (W_L W_R).
class NumberJudge {
  public:
    void start(double weight, double sum) {
        weight_ = weight;
        mean_ = weight > 0 ? sum / weight : 0;
    }
    [[nodiscard]] double weight() const { return weight_; }
    [[nodiscard]] double mean() const { return mean_; }

    [[nodiscard]] double worth(double wl, double sl) const {
        const double lr = wl * (weight_ - wl);
        const double d = sl - mean_ * wl;
        return lr > 0 ? d * d * weight_ / lr : 0;
    }
    // The same as worth(…) >= bar, without a division.
    [[nodiscard]] bool reaches(double wl, double sl, double bar) const {
        const double d = sl - mean_ * wl;
        return d * d * weight_ >= bar * (wl * (weight_ - wl));
    }

    // No cut inside a bucket of weight m, sum s and sum of squares q is worth more.
    [[nodiscard]] double inside(double wl, double sl, double m, double s, double q) const {
        const double d0 = sl - mean_ * wl;
        const double d = s - mean_ * m;
        const double about = std::max(0.0, q - 2 * mean_ * s + mean_ * mean_ * m);
        const double w1 = weight_ - wl - m;
        // Left of the bucket, right of it, and each of its rows a part of its own.
        const double apart =
            (wl > 0 ? d0 * d0 / wl : 0) + (w1 > 0 ? (d0 + d) * (d0 + d) / w1 : 0) + about;
        // What is above the mean is half of (all distances + their sum); Cauchy and Schwarz.
        const double far = std::sqrt(m * about);
        const double high =
            std::max(std::fabs(d0 + (far + d) / 2), std::fabs(d0 - (far - d) / 2));
        const double lr = std::min(wl * (weight_ - wl), (wl + m) * w1);
        return lr > 0 ? std::min(apart, high * high * weight_ / lr) : apart;
    }

  private:
    double weight_ = 0;
    double mean_ = 0;
};

}  // namespace penjing
