// Numbers to high bytes: which of at most 255 buckets holds each, and the cell inside a bucket
// for the few numbers that are asked about.
//
// A table says for each of 8,192 stretches of the range how many borders lie before it; it fits
// the nearest cache, and one comparison is left for most columns.
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

inline constexpr std::uint8_t high_missing = 255;  // the high byte of NaN

// Whole numbers in the order of the doubles.
inline std::uint64_t order_key(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint64_t sign = std::uint64_t{1} << 63U;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

// What is worth knowing of numbers that were coded.
struct Odd {
    std::size_t n_missing = 0;
    bool is_infinite = false;
    bool has_minus_zero = false;
};

class HighBytes {
  public:
    // Borders between buckets, ascending.
    explicit HighBytes(std::vector<double> borders) : borders_(std::move(borders)) {
        if (borders_.size() >= high_missing) {
            throw std::invalid_argument("more buckets than a byte can name");
        }
        const std::size_t n = borders_.size();
        front_ = n > 0 ? borders_.front() : std::numeric_limits<double>::infinity();
        // A search may look beyond the last border: nothing is as high as what it finds.
        borders_.resize(n + 256, std::numeric_limits<double>::quiet_NaN());
        if (n == 0) {
            return;
        }
        base_ = order_key(front_);
        const std::uint64_t span = order_key(borders_[n - 1]) - base_;
        shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - stretch_bits);
        const double width = borders_[n - 1] - front_;
        scale_ = width > 0 && std::isfinite(width) ? (stretches - 1) / width : 0;
        by_key_ = true;
        const std::size_t with_keys = fill(n);
        by_key_ = false;
        if (!(scale_ > 0) || fill(n) > with_keys) {
            by_key_ = true;
            fill(n);
        }
    }

    // How many borders are not above a number that is no NaN.
    [[nodiscard]] std::size_t bucket(double x) const {
        return x >= front_ ? search(before_[stretch(x)], x) : 0;
    }

    // High bytes of n numbers.
    Odd code(const double* x, std::size_t n, std::uint8_t* high) const {
        std::size_t done = 0;
        Odd odd;
#if PENJING_X86
        if (has_avx512()) {
            done = n / 8 * 8;
            odd = by_key_ ? code_wide<true>(x, done, high) : code_wide<false>(x, done, high);
        }
#endif
        for (std::size_t i = done; i < n; ++i) {
            const double number = x[i] + 0.0;  // -0.0 is 0.0
            if (std::isnan(number)) {
                high[i] = high_missing;
                ++odd.n_missing;
                continue;
            }
            odd.is_infinite |= std::isinf(number);
            odd.has_minus_zero |= std::signbit(number) != std::signbit(x[i]);
            high[i] = static_cast<std::uint8_t>(bucket(number));
        }
        return odd;
    }

  private:
    static constexpr int stretch_bits = 13;
    static constexpr std::size_t stretches = std::size_t{1} << stretch_bits;

    [[nodiscard]] std::size_t search(std::size_t at, double x) const {
        for (std::size_t step = step_; step > 0; step >>= 1U) {
            at += borders_[at + step - 1] <= x ? step : 0;
        }
        return at;
    }

    // Ascends with x; x is not below the first border.
    [[nodiscard]] std::size_t stretch(double x) const {
        if (by_key_) {
            return std::min<std::uint64_t>(
                (order_key(x) - base_) >> static_cast<unsigned>(shift_), stretches - 1);
        }
        const double at = (x - front_) * scale_;
        return at < stretches - 1 ? static_cast<std::size_t>(at) : stretches - 1;
    }

    // How many borders come before each stretch; returns the most that one holds.
    std::size_t fill(std::size_t n) {
        std::vector<std::size_t> inside(stretches, 0);
        for (std::size_t i = 0; i < n; ++i) {
            ++inside[stretch(borders_[i])];
        }
        before_.assign(stretches, 0);
        std::size_t so_far = 0;
        std::size_t most = 1;
        for (std::size_t i = 0; i < stretches; ++i) {
            before_[i] = static_cast<std::uint8_t>(so_far);
            so_far += inside[i];
            most = std::max(most, inside[i]);
        }
        step_ = std::bit_floor(most);
        return most;
    }

#if PENJING_X86
    // Stretches of eight numbers at a time; their borders one by one, which is as quick as to
    // gather them.
    template <bool by_key>
    PENJING_AVX512 Odd code_wide(const double* x, std::size_t n, std::uint8_t* high) const {
        const __m512d front = _mm512_set1_pd(front_);
        const __m512d infinity = _mm512_set1_pd(std::numeric_limits<double>::infinity());
        Odd odd;
        unsigned infinite = 0;
        unsigned signs = 0;  // that are lost with + 0.0
        for (std::size_t i = 0; i < n; i += 8) {
            const __m512d given = _mm512_loadu_pd(x + i);
            const __m512d value = _mm512_add_pd(given, _mm512_setzero_pd());
            const __mmask8 gone = _mm512_cmp_pd_mask(value, value, _CMP_UNORD_Q);
            signs |= static_cast<unsigned>(_mm512_movepi64_mask(_mm512_castpd_si512(given))) ^
                     static_cast<unsigned>(_mm512_movepi64_mask(_mm512_castpd_si512(value)));
            infinite |= _mm512_cmp_pd_mask(_mm512_abs_pd(value), infinity, _CMP_EQ_OQ);
            const __mmask8 inside = _mm512_cmp_pd_mask(value, front, _CMP_GE_OQ);
            alignas(64) std::uint64_t at[8];
            alignas(64) double number[8];
            _mm512_store_si512(at, stretch_wide<by_key>(value, inside));
            _mm512_store_pd(number, value);
            std::uint64_t eight = 0;
            for (unsigned j = 0; j < 8; ++j) {
                eight |= static_cast<std::uint64_t>(search(before_[at[j]], number[j]))
                         << (8U * j);
            }
            if (gone != 0) {
                odd.n_missing +=
                    static_cast<std::size_t>(std::popcount(static_cast<unsigned>(gone)));
                eight = static_cast<std::uint64_t>(_mm_cvtsi128_si64(
                    _mm_mask_set1_epi8(_mm_cvtsi64_si128(static_cast<long long>(eight)), gone,
                                       static_cast<char>(high_missing))));
            }
            std::memcpy(high + i, &eight, sizeof eight);
        }
        odd.is_infinite = infinite != 0;
        odd.has_minus_zero = signs != 0;
        return odd;
    }

    template <bool by_key>
    PENJING_AVX512 __m512i stretch_wide(__m512d x, __mmask8 inside) const {
        if constexpr (by_key) {
            const __m512i bits = _mm512_castpd_si512(x);
            const __m512i sign = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::min());
            const __mmask8 below = _mm512_movepi64_mask(bits);
            const __m512i up = _mm512_or_si512(bits, sign);
            const __m512i keys = _mm512_mask_xor_epi64(up, below, bits, _mm512_set1_epi64(-1));
            const __m512i from =
                _mm512_sub_epi64(keys, _mm512_set1_epi64(static_cast<std::int64_t>(base_)));
            const __m512i at = _mm512_srl_epi64(from, _mm_cvtsi32_si128(shift_));
            return _mm512_maskz_min_epu64(inside, at, _mm512_set1_epi64(stretches - 1));
        } else {
            // Step by step as in `stretch`: no multiplication is fused with an addition.
            const __m512d at =
                _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(front_)), _mm512_set1_pd(scale_));
            const __m512d most = _mm512_set1_pd(stretches - 1);
            return _mm512_maskz_cvttpd_epi64(inside, _mm512_min_pd(at, most));
        }
    }
#endif

    std::vector<double> borders_;
    std::vector<std::uint8_t> before_ = std::vector<std::uint8_t>(stretches, 0);
    double front_ = 0;
    double scale_ = 0;
    std::uint64_t base_ = 0;
    std::size_t step_ = 1;
    int shift_ = 0;
    bool by_key_ = true;
};

}  // namespace penjing
