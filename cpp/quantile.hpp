// Numbers to cells between edges, each with a code of two bytes: the bucket, and the place in
// it.
//
// Cell i holds the numbers from edge i - 1 up to but not including edge i. A start table says
// for each of 65,536 stretches of the range where the search begins; few branch-free steps are
// left.
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

#include "high.hpp"
#include "simd.hpp"

namespace penjing {

class Quantiles {
  public:
    Quantiles(std::vector<double> edges, std::vector<std::uint8_t> high,
              std::vector<std::uint8_t> low)
        : edges_(std::move(edges)), high_(std::move(high)), low_(std::move(low)) {
        if (high_.size() != edges_.size() + 1 || low_.size() != high_.size()) {
            throw std::invalid_argument("one code more than edges");
        }
        if (!std::is_sorted(edges_.begin(), edges_.end())) {
            throw std::invalid_argument("edges must ascend");
        }
        for (std::size_t i = 0; i < high_.size(); ++i) {
            codes_.push_back(high_[i] | static_cast<std::uint32_t>(low_[i]) << 8U);
        }
        std::vector<double> borders;
        for (std::size_t i = 0; i < high_.size(); ++i) {
            const bool is_new = i == 0 || high_[i] != high_[i - 1];
            if (high_[i] != first_.size() - (is_new ? 0 : 1) ||
                low_[i] != (is_new ? 0 : low_[i - 1] + 1)) {
                throw std::invalid_argument("cells are counted, bucket by bucket");
            }
            if (is_new) {
                first_.push_back(i);
                if (i > 0) {
                    borders.push_back(edges_[i - 1]);
                }
            }
        }
        first_.push_back(high_.size());
        highs_ = HighBytes(std::move(borders));
        if (edges_.empty()) {
            return;
        }
        base_ = order_key(edges_.front());
        const std::uint64_t span = order_key(edges_.back()) - base_;
        shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - 16);
        const double width = edges_.back() - edges_.front();
        scale_ = width > 0 && std::isfinite(width) ? (stretches - 1) / width : 0;
        by_key_ = true;
        const std::size_t with_keys = fill();
        by_key_ = false;
        if (scale_ > 0 && fill() <= with_keys) {
            return;
        }
        by_key_ = true;
        fill();
    }

    // How many of the edges are not above a number.
    [[nodiscard]] std::size_t cell(double x) const {
        if (edges_.empty() || x < edges_.front()) {
            return 0;
        }
        std::size_t at = start_[stretch(x)];
        for (std::size_t step = step_; step > 0; step >>= 1) {
            const std::size_t next = at + step;
            at = next <= edges_.size() && edges_[next - 1] <= x ? next : at;
        }
        return at;
    }

    // The buckets of n numbers.
    Odd buckets(const double* x, std::size_t n, std::uint8_t* high) const {
        return highs_.code(x, n, high);
    }

    // The place of a number in its bucket.
    [[nodiscard]] std::uint8_t low(std::uint8_t high, double x) const {
        if (high >= n_buckets()) {  // no number is there
            return 0;
        }
        const double* edge = edges_.data() + first_[high];
        std::size_t at = 0;
        std::size_t n = first_[high + 1U] - first_[high] - 1;  // edges that may be at or below
        while (n > 0) {
            const std::size_t half = (n + 1) / 2;
            at += edge[at + half - 1] <= x ? half : 0;
            n -= half;
        }
        return static_cast<std::uint8_t>(at);
    }

    [[nodiscard]] std::size_t n_buckets() const { return first_.size() - 1; }

    // Codes of n numbers.
    Odd code(const double* x, std::size_t n, std::uint8_t* high, std::uint8_t* low) const {
#if PENJING_X86
        if (has_wide() && !edges_.empty()) {
            return code_wide(x, n, high, low);
        }
#endif
        Odd odd;
        for (std::size_t i = 0; i < n; ++i) {
            const double number = x[i] + 0.0;  // -0.0 is 0.0
            if (std::isnan(number)) {
                high[i] = high_missing;
                low[i] = 0;
                ++odd.n_missing;
                continue;
            }
            odd.is_infinite |= std::isinf(number);
            odd.has_minus_zero |= std::signbit(number) != std::signbit(x[i]);
            const std::size_t at = cell(number);
            high[i] = high_[at];
            low[i] = low_[at];
        }
        return odd;
    }

  private:
    static constexpr std::size_t stretches = 1U << 16U;

#if PENJING_X86
    // The same, eight numbers at a time. A search ends with the stretch: later edges are above.
    PENJING_WIDE Odd code_wide(const double* x, std::size_t n, std::uint8_t* high,
                               std::uint8_t* low) const {
        const __m512d front = _mm512_set1_pd(edges_.front());
        const __m512d infinity = _mm512_set1_pd(std::numeric_limits<double>::infinity());
        const __m512i one = _mm512_set1_epi64(1);
        Odd odd;
        std::uint32_t infinite = 0;
        std::uint32_t signs = 0;  // that are lost with + 0.0
        for (std::size_t i = 0; i < n; i += 8) {
            const auto valid = static_cast<__mmask8>(n - i >= 8 ? 0xffU : (1U << (n - i)) - 1);
            const __m512d given = _mm512_maskz_loadu_pd(valid, x + i);
            const __m512d value = _mm512_add_pd(given, _mm512_setzero_pd());
            const __mmask8 gone = _mm512_mask_cmp_pd_mask(valid, value, value, _CMP_UNORD_Q);
            odd.n_missing +=
                static_cast<std::size_t>(std::popcount(static_cast<unsigned>(gone)));
            signs |=
                static_cast<std::uint32_t>(_mm512_movepi64_mask(_mm512_castpd_si512(given)) ^
                                           _mm512_movepi64_mask(_mm512_castpd_si512(value)));
            infinite |=
                _mm512_mask_cmp_pd_mask(valid, _mm512_abs_pd(value), infinity, _CMP_EQ_OQ);
            const __mmask8 inside = _mm512_mask_cmp_pd_mask(valid, value, front, _CMP_GE_OQ);
            // Two neighbours of `start_` at once: where the stretch begins and ends.
            const __m512i both = _mm512_mask_i64gather_epi64(
                _mm512_setzero_si512(), inside, stretch_wide(value, inside), start_.data(), 4);
            const __m512i end = _mm512_srli_epi64(both, 32);
            __m512i at = _mm512_and_si512(both, _mm512_set1_epi64(0xffffffff));
            for (std::size_t step = step_; step > 0; step >>= 1) {
                const __m512i next =
                    _mm512_add_epi64(at, _mm512_set1_epi64(static_cast<std::int64_t>(step)));
                const __mmask8 asked = _mm512_mask_cmple_epu64_mask(inside, next, end);
                if (asked == 0) {
                    continue;
                }
                const __m512d edge = _mm512_mask_i64gather_pd(
                    front, asked, _mm512_sub_epi64(next, one), edges_.data(), 8);
                const __mmask8 further =
                    _mm512_mask_cmp_pd_mask(asked, edge, value, _CMP_LE_OQ);
                at = _mm512_mask_mov_epi64(at, further, next);
            }
            __m512i code = _mm512_cvtepu32_epi64(_mm512_mask_i64gather_epi32(
                _mm256_setzero_si256(), valid, at, codes_.data(), 4));
            code = _mm512_mask_mov_epi64(code, gone, _mm512_set1_epi64(high_missing));
            _mm512_mask_cvtepi64_storeu_epi8(high + i, valid, code);
            _mm512_mask_cvtepi64_storeu_epi8(low + i, valid, _mm512_srli_epi64(code, 8));
        }
        odd.is_infinite = infinite != 0;
        odd.has_minus_zero = signs != 0;
        return odd;
    }

    PENJING_WIDE __m512i stretch_wide(__m512d x, __mmask8 inside) const {
        const __m512i last = _mm512_set1_epi64(stretches - 1);
        if (by_key_) {
            const __m512i bits = _mm512_castpd_si512(x);
            const __m512i sign = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::min());
            const __mmask8 below = _mm512_movepi64_mask(bits);
            const __m512i up = _mm512_or_si512(bits, sign);
            const __m512i keys = _mm512_mask_xor_epi64(up, below, bits, _mm512_set1_epi64(-1));
            const __m512i from =
                _mm512_sub_epi64(keys, _mm512_set1_epi64(static_cast<std::int64_t>(base_)));
            const __m512i at = _mm512_srl_epi64(from, _mm_cvtsi32_si128(shift_));
            return _mm512_maskz_min_epu64(inside, at, last);
        }
        // Step by step as in `stretch`: no multiplication is fused with an addition.
        const __m512d at = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(edges_.front())),
                                         _mm512_set1_pd(scale_));
        const __m512d most = _mm512_set1_pd(stretches - 1);
        return _mm512_maskz_cvttpd_epi64(inside, _mm512_min_pd(at, most));
    }
#endif

    // Ascends with x; x is not below the first edge.
    [[nodiscard]] std::size_t stretch(double x) const {
        if (by_key_) {
            return std::min<std::uint64_t>(
                (order_key(x) - base_) >> static_cast<unsigned>(shift_), stretches - 1);
        }
        const double at = (x - edges_.front()) * scale_;
        return at < stretches - 1 ? static_cast<std::size_t>(at) : stretches - 1;
    }

    // The start of each stretch; returns the most edges that one holds.
    std::size_t fill() {
        std::vector<std::uint32_t> inside(stretches, 0);
        for (const double edge : edges_) {
            ++inside[stretch(edge)];
        }
        start_.assign(stretches + 1, 0);
        std::uint32_t before = 0;
        std::uint32_t most = 0;
        for (std::size_t i = 0; i < stretches; ++i) {
            start_[i] = before;
            before += inside[i];
            most = std::max(most, inside[i]);
        }
        start_[stretches] = before;
        step_ = std::bit_floor(static_cast<std::size_t>(std::max(most, 1U)));
        return most;
    }

    std::vector<double> edges_;
    std::vector<std::uint8_t> high_, low_;
    std::vector<std::uint32_t> codes_;  // both bytes
    std::vector<std::size_t> first_;    // cell of each bucket, and the end
    HighBytes highs_{{}};
    std::vector<std::uint32_t> start_;
    std::uint64_t base_ = 0;
    std::size_t step_ = 1;
    int shift_ = 0;
    double scale_ = 0;
    bool by_key_ = true;
};

}  // namespace penjing
