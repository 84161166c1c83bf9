// Finds the best cut of a sorted list as scikit-learn does, for rows of weight one.
//
// scikit-learn compares rounded scores and takes the first of equal ones, so that the last bits
// matter. Cuts are therefore compared in integers first; only those within a margin of the
// best, wider than any rounding error, are scored as scikit-learn scores them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/simd.hpp"
#include "dialects/sklearn_criterion.hpp"
#include "grow/criterion_counts.hpp"
#include "grow/sorted_lists.hpp"

namespace penjing {

// What a scan needs to know about a node; a cut leaves at least `first` rows on each side.
struct SklearnNode {
    const std::uint32_t* t = nullptr;
    std::size_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t first = 1;
};

// Accepts every cut: used where values need not be compared.
struct AnyGap {
    bool operator()(std::uint32_t) const { return true; }
};
template <class IsFarEnough>
inline constexpr bool is_any_gap = std::is_same_v<IsFarEnough, AnyGap>;

inline constexpr double gini_margin = 64 * std::numeric_limits<double>::epsilon();

// The cuts within the margin of the greatest value so far.
template <class Value>
class NearBest {
  public:
    void start(Value least, Value margin) {
        top_ = bar = least;
        margin_ = margin;
        places.clear();
    }

    struct Place {
        std::uint32_t at;
        std::uint32_t p;  // with two classes: rows of class 1 before the cut
    };

    void add(std::uint32_t at, std::uint32_t p, Value value) {
        raise(value);
        places.push_back({at, p});
    }
    void raise(Value value) {
        if (value > top_) {
            if (value - margin_ > top_) {
                places.clear();
            }
            top_ = value;
            bar = value - margin_;
        }
    }

    Value bar = 0;  // the smallest value that is accepted
    std::vector<Place> places;

  private:
    Value top_ = 0;
    Value margin_ = 0;
};

// ---- Gini of two classes: d^2 / (L R) with d = p N - L P

template <class Entry, class IsFarEnough>
void scan_gini_binary(const Entry* entries, const SklearnNode& node,
                      const IsFarEnough& is_far_enough, NearBest<double>& near) {
    const std::uint32_t last = node.n - node.first;
    const double n = node.n;
    const double total = node.t[1];
    std::uint32_t p = 0;  // rows of class 1 before the entry
    for (std::uint32_t i = 0; i <= last; ++i) {
        const Entry e = entries[i];
        if ((e & 1U) != 0 && i >= node.first) {
            const double l = i;
            const double d = p * n - l * total;
            const double lr = l * (n - l);
            if (d * d >= near.bar * lr && is_far_enough(i)) {
                near.add(i, p, d * d / lr);
            }
        }
        p += static_cast<std::uint32_t>(e >> 1 & 1U);
    }
}

#if PENJING_X86
template <class IsFarEnough>
PENJING_AVX512 void scan_gini_binary_avx512(const std::uint32_t* entries,
                                            const SklearnNode& node,
                                            const IsFarEnough& is_far_enough,
                                            NearBest<double>& near) {
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i two = _mm512_set1_epi32(2);
    const __m512i lanes =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i before = _mm512_sub_epi32(_mm512_sllv_epi32(one, lanes), one);
    const __m512d n = _mm512_set1_pd(node.n);
    const __m512d total = _mm512_set1_pd(node.t[1]);
    const std::uint32_t last = node.n - node.first;
    __m512d bar = _mm512_set1_pd(near.bar);
    std::uint32_t below = 0;
    for (std::uint32_t i = 0; i <= last; i += 16) {
        const std::uint32_t left = node.n - i;
        const auto valid = static_cast<__mmask16>(left >= 16 ? 0xffffU : (1U << left) - 1);
        const __m512i e = _mm512_maskz_loadu_epi32(valid, entries + i);
        const auto classes = static_cast<std::uint32_t>(_mm512_test_epi32_mask(e, two));
        std::uint32_t open = _mm512_test_epi32_mask(e, one);
        open = detail::clip_lanes(open, i, node.first, last);
        if (open != 0) {
            const __m512i p =
                _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(below)),
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
            const __m512d dd0 = _mm512_mul_pd(d0, d0);
            const __m512d dd1 = _mm512_mul_pd(d1, d1);
            std::uint32_t over = _mm512_cmp_pd_mask(dd0, _mm512_mul_pd(bar, lr0), _CMP_GE_OQ);
            over |= static_cast<std::uint32_t>(
                        _mm512_cmp_pd_mask(dd1, _mm512_mul_pd(bar, lr1), _CMP_GE_OQ))
                    << 8;
            over &= open;
            if (over != 0) {
                alignas(64) double value[16];
                _mm512_store_pd(value, _mm512_div_pd(dd0, lr0));
                _mm512_store_pd(value + 8, _mm512_div_pd(dd1, lr1));
                if constexpr (is_any_gap<IsFarEnough>) {  // raise the bar to the best of the
                                                          // sixteen first
                    std::uint32_t top = static_cast<std::uint32_t>(std::countr_zero(over));
                    for (std::uint32_t rest = over & (over - 1); rest != 0; rest &= rest - 1) {
                        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
                        top = value[lane] > value[top] ? lane : top;
                    }
                    near.raise(value[top]);
                }
                for (; over != 0; over &= over - 1) {
                    const auto lane = static_cast<std::uint32_t>(std::countr_zero(over));
                    if (value[lane] >= near.bar && is_far_enough(i + lane)) {
                        const int ones = std::popcount(classes & ((1U << lane) - 1));
                        near.add(i + lane, below + static_cast<std::uint32_t>(ones),
                                 value[lane]);
                    }
                }
                bar = _mm512_set1_pd(near.bar);
            }
        }
        below += static_cast<std::uint32_t>(std::popcount(classes));
    }
}
#endif

template <class Entry, class IsFarEnough>
void scan_gini_of_two(const Entry* entries, const SklearnNode& node,
                      const IsFarEnough& is_far_enough, NearBest<double>& near,
                      bool use_avx512) {
#if PENJING_X86
    if constexpr (sizeof(Entry) == 4) {
        if (use_avx512) {
            scan_gini_binary_avx512(entries, node, is_far_enough, near);
            return;
        }
    }
#endif
    static_cast<void>(use_avx512);
    scan_gini_binary(entries, node, is_far_enough, near);
}

// ---- Gini of many classes: s1 / L + s2 / R, sums of squares

template <class Entry, class IsFarEnough>
void scan_gini_multiclass(ListView<Entry> list, const SklearnNode& node, std::uint32_t* below,
                          const IsFarEnough& is_far_enough, NearBest<double>& near) {
    const Entry mask = (Entry{1} << (list.shift - 1)) - 1;
    const double n = node.n;
    const std::uint32_t last = node.n - node.first;
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
            if (as_double(s1) * r + as_double(s2) * l >= near.bar * (l * r) &&
                is_far_enough(i)) {
                near.add(i, 0, as_double(s1) / l + as_double(s2) / r);
            }
        }
        const auto k = static_cast<std::size_t>(e >> 1 & mask);
        const std::int64_t c = below[k]++;
        s1 += 2 * c + 1;
        s2 += 2 * c + 1 - 2 * static_cast<std::int64_t>(node.t[k]);
    }
}

// ---- entropy: x log x from a table of integers

inline std::int64_t entropy_margin(const SklearnNode& node, const LogTable& log) {
    const auto k = static_cast<double>(node.k);
    return static_cast<std::int64_t>(
        log.scale * node.n * std::numeric_limits<double>::epsilon() * (32 * k + 128) + 8 * k +
        32);
}

template <class Entry, class IsFarEnough>
void scan_entropy(ListView<Entry> list, const SklearnNode& node, const LogTable& log,
                  std::uint32_t* below, const IsFarEnough& is_far_enough,
                  NearBest<std::int64_t>& near) {
    const Entry mask = (Entry{1} << (list.shift - 1)) - 1;
    const std::int64_t* step = log.step.data();
    const std::uint32_t last = node.n - node.first;
    std::int64_t sum = 0;  // the value of the cut before entry i
    for (std::uint32_t i = 0; i <= last; ++i) {
        const Entry e = list.entries[i];
        if ((e & 1U) != 0 && i >= node.first && sum >= near.bar && is_far_enough(i)) {
            near.add(i, 0, sum);
        }
        const auto k = static_cast<std::size_t>(e >> 1 & mask);
        const std::uint32_t c = below[k]++;
        sum += step[c] - step[node.t[k] - c - 1] - step[i] + step[node.n - i - 1];
    }
}

// ---- regression: the sums before each cut

struct PrefixSums {
    std::vector<std::uint32_t> at;
    std::vector<double> w, wy, wyy, proxy_improvement;

    void resize(std::size_t n) {
        if (at.size() < n + 8) {
            at.resize(n + 8);
            w.resize(n + 8);
            wy.resize(n + 8);
            wyy.resize(n + 8);
            proxy_improvement.resize(n + 8);
        }
    }
};

namespace detail {

#if PENJING_X86
PENJING_AVX512 inline double proxy_improvements_avx512(PrefixSums& sums, std::size_t n,
                                                       double whole, double mean,
                                                       double least) {
    const __m512d all0 = _mm512_set1_pd(whole);
    const __m512d all1 = _mm512_set1_pd(mean);
    const __m512d bar = _mm512_set1_pd(least);
    const __m512d nothing = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
    __m512d top = nothing;
    for (std::size_t i = 0; i < n; i += 8) {
        const auto valid = static_cast<__mmask8>(n - i >= 8 ? 0xffU : (1U << (n - i)) - 1);
        const __m512d l0 = _mm512_loadu_pd(sums.w.data() + i);
        const __m512d l1 = _mm512_loadu_pd(sums.wy.data() + i);
        const __m512d r0 = _mm512_sub_pd(all0, l0);
        const __m512d r1 = _mm512_sub_pd(all1, l1);
        __m512d proxy_improvement = _mm512_add_pd(_mm512_div_pd(_mm512_mul_pd(l1, l1), l0),
                                                  _mm512_div_pd(_mm512_mul_pd(r1, r1), r0));
        const __mmask8 is_admissible = valid & _mm512_cmp_pd_mask(l0, bar, _CMP_GE_OQ) &
                                       _mm512_cmp_pd_mask(r0, bar, _CMP_GE_OQ);
        proxy_improvement = _mm512_mask_mov_pd(nothing, is_admissible, proxy_improvement);
        _mm512_storeu_pd(sums.proxy_improvement.data() + i, proxy_improvement);
        top = _mm512_max_pd(top, proxy_improvement);
    }
    return _mm512_reduce_max_pd(top);
}
#endif

}  // namespace detail

// The proxy improvement of each cut, minus infinity if a side is too light. Returns the
// greatest.
inline double proxy_improvements(PrefixSums& sums, std::size_t n, double whole, double mean,
                                 double least, bool use_avx512) {
#if PENJING_X86
    if (use_avx512 && n >= 8) {
        return detail::proxy_improvements_avx512(sums, n, whole, mean, least);
    }
#endif
    static_cast<void>(use_avx512);
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        const double l0 = sums.w[i];
        const double l1 = sums.wy[i];
        const double r0 = whole - l0;
        const double r1 = mean - l1;
        sums.proxy_improvement[i] = l0 >= least && r0 >= least
                                        ? l1 * l1 / l0 + r1 * r1 / r0
                                        : -std::numeric_limits<double>::infinity();
        top = std::max(top, sums.proxy_improvement[i]);
    }
    return top;
}

}  // namespace penjing
