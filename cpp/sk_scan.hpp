// The best cut of a sorted list by scikit-learn's rules, for rows that count one each.
//
// What a cut is worth to scikit-learn is a rounded number, and of cuts worth the same the first
// wins, so the last bits matter. Every cut is therefore compared by whole numbers first, and
// only those within a margin of the best, wider than any rounding, are scored as it scores
// them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lists.hpp"
#include "measure.hpp"
#include "simd.hpp"
#include "sk_judge.hpp"

namespace penjing {

// The best cut so far: before entry `at`, which is 0 if there is none.
struct SkBest {
    double worth = -std::numeric_limits<double>::infinity();
    std::uint32_t at = 0;
};

// A node, as a scan sees it; a cut leaves at least `first` rows on each side.
struct SkNode {
    const std::uint32_t* t = nullptr;
    std::size_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t first = 1;
};

inline constexpr double sk_rounding = 64 * std::numeric_limits<double>::epsilon();

// ---- Gini of two classes: d^2 / (L R) with d = p N - L P

template <class Far>
class SkTwo {
  public:
    SkTwo(const SkNode& node, const Far& far)
        : n(node.n), total(node.t[1]), margin_(sk_rounding * n * n), far_(far) {}

    double n;
    double total;
    double bar = -1;
    std::uint32_t p = 0;  // rows of class 1 before the entry
    SkBest best;
    std::uint32_t best_p = 0;

    void consider(std::uint32_t at, std::uint32_t below) {
        const double l = at;
        const double r = n - l;
        const double d = below * n - l * total;
        const double value = d * d / (l * r);
        if (!(value > bar) || !far_(at)) {
            return;
        }
        const double l1 = below;
        const double l0 = l - l1;
        const double r1 = total - l1;
        const double r0 = r - r1;
        const double one = 1.0 - (l0 * l0 + l1 * l1) / (l * l);
        const double other = 1.0 - (r0 * r0 + r1 * r1) / (r * r);
        const double worth = -r * other - l * one;
        if (worth > best.worth) {
            best = {worth, at};
            best_p = below;
        }
        bar = std::max(bar, value - margin_);
    }

  private:
    double margin_;
    const Far& far_;
};

template <class Entry, class Far>
void sk_scan_two(const Entry* entries, const SkNode& node, SkTwo<Far>& s) {
    const std::uint32_t last = node.n - node.first;
    for (std::uint32_t i = 0; i <= last; ++i) {
        const Entry e = entries[i];
        if ((e & 1U) != 0 && i >= node.first) {
            const double l = i;
            const double d = s.p * s.n - l * s.total;
            if (d * d > s.bar * (l * (s.n - l))) {
                s.consider(i, s.p);
            }
        }
        s.p += static_cast<std::uint32_t>(e >> 1 & 1U);
    }
}

#if PENJING_X86
template <class Far>
PENJING_WIDE void sk_scan_two_wide(const std::uint32_t* entries, const SkNode& node,
                                   SkTwo<Far>& s) {
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i two = _mm512_set1_epi32(2);
    const __m512i lanes =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i before = _mm512_sub_epi32(_mm512_sllv_epi32(one, lanes), one);
    const __m512d n = _mm512_set1_pd(s.n);
    const __m512d total = _mm512_set1_pd(s.total);
    const std::uint32_t last = node.n - node.first;
    for (std::uint32_t i = 0; i <= last; i += 16) {
        const std::uint32_t left = node.n - i;
        const auto valid = static_cast<__mmask16>(left >= 16 ? 0xffffU : (1U << left) - 1);
        const __m512i e = _mm512_maskz_loadu_epi32(valid, entries + i);
        const auto classes = static_cast<std::uint32_t>(_mm512_test_epi32_mask(e, two));
        std::uint32_t open = _mm512_test_epi32_mask(e, one);
        if (i < node.first) {
            const std::uint32_t skip = node.first - i;
            open = skip >= 16 ? 0 : open & (~0U << skip);
        }
        if (i + 15 > last) {
            open &= (2U << (last - i)) - 1;
        }
        if (open != 0) {
            const __m512d bar = _mm512_set1_pd(s.bar);
            const __m512i p =
                _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(s.p)),
                                 _mm512_popcnt_epi32(_mm512_and_si512(
                                     _mm512_set1_epi32(static_cast<int>(classes)), before)));
            const __m512i l = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(i)), lanes);
            const __m512d p0 = _mm512_cvtepi32_pd(_mm512_castsi512_si256(p));
            const __m512d p1 = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(p, 1));
            const __m512d l0 = _mm512_cvtepi32_pd(_mm512_castsi512_si256(l));
            const __m512d l1 = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(l, 1));
            const __m512d d0 = _mm512_sub_pd(_mm512_mul_pd(p0, n), _mm512_mul_pd(l0, total));
            const __m512d d1 = _mm512_sub_pd(_mm512_mul_pd(p1, n), _mm512_mul_pd(l1, total));
            const __m512d lr0 = _mm512_mul_pd(l0, _mm512_sub_pd(n, l0));
            const __m512d lr1 = _mm512_mul_pd(l1, _mm512_sub_pd(n, l1));
            const std::uint32_t over0 =
                _mm512_cmp_pd_mask(_mm512_mul_pd(d0, d0), _mm512_mul_pd(bar, lr0), _CMP_GT_OQ);
            const std::uint32_t over1 =
                _mm512_cmp_pd_mask(_mm512_mul_pd(d1, d1), _mm512_mul_pd(bar, lr1), _CMP_GT_OQ);
            std::uint32_t over = (over0 | over1 << 8) & open;
            while (over != 0) {
                const auto lane = static_cast<std::uint32_t>(std::countr_zero(over));
                over &= over - 1;
                s.consider(i + lane, s.p + static_cast<std::uint32_t>(
                                               std::popcount(classes & ((1U << lane) - 1))));
            }
        }
        s.p += static_cast<std::uint32_t>(std::popcount(classes));
    }
}
#endif

// ---- Gini of many classes: s1 / L + s2 / R, sums of squares

template <class Entry, class Score>
void sk_scan_many(ListView<Entry> list, const SkNode& node, std::uint32_t* below,
                  const Score& score) {
    const Entry mask = (Entry{1} << (list.shift - 1)) - 1;
    const double n = node.n;
    const double margin = sk_rounding * n;
    const std::uint32_t last = node.n - node.first;
    double bar = -1;
    std::int64_t s1 = 0;
    std::int64_t s2 = 0;
    for (std::size_t k = 0; k < node.k; ++k) {
        s2 += static_cast<std::int64_t>(node.t[k]) * node.t[k];
    }
    for (std::uint32_t i = 0; i <= last; ++i) {
        const Entry e = list.entries[i];
        if ((e & 1U) != 0 && i >= node.first) {
            const double l = i;
            const double r = n - l;
            if (as_double(s1) * r + as_double(s2) * l > bar * (l * r) && score(i)) {
                bar = std::max(bar, as_double(s1) / l + as_double(s2) / r - margin);
            }
        }
        const auto k = static_cast<std::size_t>(e >> 1 & mask);
        const std::int64_t c = below[k]++;
        s1 += 2 * c + 1;
        s2 += 2 * c + 1 - 2 * static_cast<std::int64_t>(node.t[k]);
    }
}

// ---- entropy: x log x from a table of whole numbers

template <class Entry, class Score>
void sk_scan_bits(ListView<Entry> list, const SkNode& node, const LogTable& log,
                  std::uint32_t* below, const Score& score) {
    const Entry mask = (Entry{1} << (list.shift - 1)) - 1;
    const std::int64_t* step = log.step.data();
    const std::uint32_t last = node.n - node.first;
    const auto k_classes = static_cast<double>(node.k);
    const auto margin = static_cast<std::int64_t>(
        log.scale * node.n * std::numeric_limits<double>::epsilon() * (16 * k_classes + 64) +
        4 * k_classes + 16);
    std::int64_t bar = -margin;
    std::int64_t sum = 0;  // what the cut before entry i gains
    for (std::uint32_t i = 0; i <= last; ++i) {
        const Entry e = list.entries[i];
        if ((e & 1U) != 0 && i >= node.first && sum >= bar && score(i)) {
            bar = std::max(bar, sum - margin);
        }
        const auto k = static_cast<std::size_t>(e >> 1 & mask);
        const std::uint32_t c = below[k]++;
        sum += step[c] - step[node.t[k] - c - 1] - step[i] + step[node.n - i - 1];
    }
}

}  // namespace penjing
