// Assigns numbers to at most 255 buckets by their sorted borders.
//
// A table gives, for each of 8,192 segments of the value range, the number of borders before
// it. It fits the L1 cache and leaves one comparison for most columns.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/simd.hpp"

namespace penjing {

inline constexpr std::uint8_t nan_bucket = 255;  // the bucket of NaN

// Integers in the same order as the doubles.
inline std::uint64_t order_key(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint64_t sign = std::uint64_t{1} << 63U;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

// Which special values were among the encoded numbers.
struct SpecialValues {
    std::size_t n_missing = 0;
    bool is_infinite = false;
    bool has_minus_zero = false;
};

class Bucketizer {
  public:
    // Borders between buckets, ascending.
    explicit Bucketizer(std::vector<double> borders) : borders_(std::move(borders)) {
        if (borders_.size() >= nan_bucket) {
            throw std::invalid_argument("more buckets than a byte can name");
        }
        const std::size_t n = borders_.size();
        first_border_ = n > 0 ? borders_.front() : std::numeric_limits<double>::infinity();
        // Padding: a search may read beyond the last border, and no number is >= NaN.
        borders_.resize(n + 256, std::numeric_limits<double>::quiet_NaN());
        if (n == 0) {
            return;
        }
        base_ = order_key(first_border_);
        const std::uint64_t span = order_key(borders_[n - 1]) - base_;
        shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - segment_bits);
        const double width = borders_[n - 1] - first_border_;
        scale_ = width > 0 && std::isfinite(width) ? (n_segments - 1) / width : 0;
        by_key_ = true;
        const std::size_t max_with_keys = build_table(n);
        by_key_ = false;
        if (!(scale_ > 0) || build_table(n) > max_with_keys) {
            by_key_ = true;
            build_table(n);
        }
    }

    // The number of borders that are <= x, which must not be NaN.
    [[nodiscard]] std::size_t bucket(double x) const {
        return x >= first_border_ ? search(borders_before_[segment(x)], x) : 0;
    }

    // The buckets of n numbers.
    SpecialValues code(const double* x, std::size_t n, std::uint8_t* high) const {
        std::size_t done = 0;
        SpecialValues special;
#if PENJING_X86
        if (has_avx512()) {
            done = n / 8 * 8;
            special =
                by_key_ ? code_avx512<true>(x, done, high) : code_avx512<false>(x, done, high);
        }
#endif
        for (std::size_t i = done; i < n; ++i) {
            const double number = x[i] + 0.0;  // turns -0.0 into 0.0
            if (std::isnan(number)) {
                high[i] = nan_bucket;
                ++special.n_missing;
                continue;
            }
            special.is_infinite |= std::isinf(number);
            special.has_minus_zero |= std::signbit(number) != std::signbit(x[i]);
            high[i] = static_cast<std::uint8_t>(bucket(number));
        }
        return special;
    }

  private:
    static constexpr int segment_bits = 13;
    static constexpr std::size_t n_segments = std::size_t{1} << segment_bits;

    [[nodiscard]] std::size_t search(std::size_t at, double x) const {
        for (std::size_t step = step_; step > 0; step >>= 1U) {
            at += borders_[at + step - 1] <= x ? step : 0;
        }
        return at;
    }

    // Monotonic in x, which must not be below the first border.
    [[nodiscard]] std::size_t segment(double x) const {
        if (by_key_) {
            return std::min<std::uint64_t>(
                (order_key(x) - base_) >> static_cast<unsigned>(shift_), n_segments - 1);
        }
        const double at = (x - first_border_) * scale_;
        return at < n_segments - 1 ? static_cast<std::size_t>(at) : n_segments - 1;
    }

    // Counts the borders before each segment; returns the largest number inside one segment.
    std::size_t build_table(std::size_t n) {
        std::vector<std::size_t> inside(n_segments, 0);
        for (std::size_t i = 0; i < n; ++i) {
            ++inside[segment(borders_[i])];
        }
        borders_before_.assign(n_segments, 0);
        std::size_t n_before = 0;
        std::size_t max_inside = 1;
        for (std::size_t i = 0; i < n_segments; ++i) {
            borders_before_[i] = static_cast<std::uint8_t>(n_before);
            n_before += inside[i];
            max_inside = std::max(max_inside, inside[i]);
        }
        step_ = std::bit_floor(max_inside);
        return max_inside;
    }

#if PENJING_X86
    // The segments of eight numbers at a time. The borders are compared one number at a time,
    // which is as fast as gathering them.
    template <bool by_key>
    PENJING_AVX512 SpecialValues code_avx512(const double* x, std::size_t n,
                                             std::uint8_t* high) const {
        const __m512d first_border = _mm512_set1_pd(first_border_);
        const __m512d infinity = _mm512_set1_pd(std::numeric_limits<double>::infinity());
        SpecialValues special;
        unsigned infinite = 0;
        unsigned lost_signs = 0;  // signs that + 0.0 removed: the number was -0.0
        for (std::size_t i = 0; i < n; i += 8) {
            const __m512d given = _mm512_loadu_pd(x + i);
            const __m512d value = _mm512_add_pd(given, _mm512_setzero_pd());
            const __mmask8 is_nan = _mm512_cmp_pd_mask(value, value, _CMP_UNORD_Q);
            lost_signs |=
                static_cast<unsigned>(_mm512_movepi64_mask(_mm512_castpd_si512(given))) ^
                static_cast<unsigned>(_mm512_movepi64_mask(_mm512_castpd_si512(value)));
            infinite |= _mm512_cmp_pd_mask(_mm512_abs_pd(value), infinity, _CMP_EQ_OQ);
            const __mmask8 inside = _mm512_cmp_pd_mask(value, first_border, _CMP_GE_OQ);
            alignas(64) std::uint64_t at[8];
            alignas(64) double number[8];
            _mm512_store_si512(at, segment_avx512<by_key>(value, inside));
            _mm512_store_pd(number, value);
            std::uint64_t eight_codes = 0;
            for (unsigned j = 0; j < 8; ++j) {
                eight_codes |=
                    static_cast<std::uint64_t>(search(borders_before_[at[j]], number[j]))
                    << (8U * j);
            }
            if (is_nan != 0) {
                special.n_missing +=
                    static_cast<std::size_t>(std::popcount(static_cast<unsigned>(is_nan)));
                eight_codes = static_cast<std::uint64_t>(_mm_cvtsi128_si64(
                    _mm_mask_set1_epi8(_mm_cvtsi64_si128(static_cast<long long>(eight_codes)),
                                       is_nan, static_cast<char>(nan_bucket))));
            }
            std::memcpy(high + i, &eight_codes, sizeof eight_codes);
        }
        special.is_infinite = infinite != 0;
        special.has_minus_zero = lost_signs != 0;
        return special;
    }

    template <bool by_key>
    PENJING_AVX512 __m512i segment_avx512(__m512d x, __mmask8 inside) const {
        if constexpr (by_key) {
            const __m512i bits = _mm512_castpd_si512(x);
            const __m512i sign = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::min());
            const __mmask8 below = _mm512_movepi64_mask(bits);
            const __m512i up = _mm512_or_si512(bits, sign);
            const __m512i keys = _mm512_mask_xor_epi64(up, below, bits, _mm512_set1_epi64(-1));
            const __m512i from =
                _mm512_sub_epi64(keys, _mm512_set1_epi64(static_cast<std::int64_t>(base_)));
            const __m512i at = _mm512_srl_epi64(from, _mm_cvtsi32_si128(shift_));
            return _mm512_maskz_min_epu64(inside, at, _mm512_set1_epi64(n_segments - 1));
        } else {
            // The same operations as in `segment`: no multiplication is fused with an addition.
            const __m512d at = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(first_border_)),
                                             _mm512_set1_pd(scale_));
            const __m512d max_inside = _mm512_set1_pd(n_segments - 1);
            return _mm512_maskz_cvttpd_epi64(inside, _mm512_min_pd(at, max_inside));
        }
    }
#endif

    std::vector<double> borders_;
    std::vector<std::uint8_t> borders_before_ = std::vector<std::uint8_t>(n_segments, 0);
    double first_border_ = 0;
    double scale_ = 0;
    std::uint64_t base_ = 0;
    std::size_t step_ = 1;
    int shift_ = 0;
    bool by_key_ = true;
};

}  // namespace penjing
