// Sorted lists: the rows of a node in the order of an ordered column, and the search and
// partition of such lists.
//
// An entry is one word: row | class | one bit "the value differs from that of the entry
// before". The value itself is not stored. A stable partition keeps the order, so that lists
// are sorted only once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/simd.hpp"
#include "grow/criterion_counts.hpp"

namespace penjing {

// How row and class are packed into a word.
struct Packing {
    unsigned class_bits = 1;

    explicit Packing(std::size_t n_classes)
        : class_bits(static_cast<unsigned>(std::bit_width(n_classes - 1))) {
        class_bits = class_bits == 0 ? 1 : class_bits;
    }
    [[nodiscard]] unsigned shift() const { return class_bits + 1; }
    [[nodiscard]] bool fits_short(std::size_t n_rows) const {
        return static_cast<unsigned>(std::bit_width(n_rows)) + shift() <= 32;
    }
};

template <class Entry>
struct ListView {
    const Entry* entries;
    std::uint32_t n;
    unsigned shift;           // entry >> shift is the row
    std::uint32_t first = 0;  // rows of the node before the list, if it is one bucket
};

// ---- the best cut of a list; `below` holds the class counts of the rows before the list, and
// is overwritten

namespace detail {

template <class Entry>
struct TwoScan {  // the state of a scan with two classes
    double best = 0;
    std::uint32_t at = 0;
    std::uint32_t p = 0;
};

template <class Entry>
void scan_two(ListView<Entry> list, const NodeStats& f, TwoScan<Entry>& s) {
    const double n = f.n;
    const double total = f.t[1];
    double bar = s.best + f.slack;
    for (std::uint32_t i = 0; i < list.n; ++i) {
        const Entry e = list.entries[i];
        const std::uint32_t at = list.first + i;
        if ((e & 1U) != 0 && at >= f.min_rows && at + f.min_rows <= f.n) {
            const double l = at;
            const double d = s.p * n - l * total;
            const double lr = l * (n - l);
            if (s.at == 0) {
                s.at = at;
            }
            if (d * d > bar * lr) {
                s.best = d * d / lr;
                s.at = at;
                bar = s.best + f.slack;
            }
        }
        s.p += static_cast<std::uint32_t>(e >> 1 & 1U);
    }
}

// Of 16 lanes for the cuts at i … i + 15, keep those in [first, last].
inline std::uint32_t clip_lanes(std::uint32_t lanes, std::uint32_t i, std::uint32_t first,
                                std::uint32_t last) {
    if (i < first) {
        const std::uint32_t skip = first - i;
        lanes = skip >= 16 ? 0 : lanes & (~0U << skip);
    }
    if (i + 15 > last) {
        lanes = i > last ? 0 : lanes & ((2U << (last - i)) - 1);
    }
    return lanes;
}

#if PENJING_X86
PENJING_AVX512 inline void scan_two_avx512(ListView<std::uint32_t> list, const NodeStats& f,
                                           TwoScan<std::uint32_t>& s) {
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i two = _mm512_set1_epi32(2);
    const __m512i lanes =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i before = _mm512_sub_epi32(_mm512_sllv_epi32(one, lanes), one);
    const __m512d n = _mm512_set1_pd(f.n);
    const __m512d total = _mm512_set1_pd(f.t[1]);
    const std::uint32_t last = f.n - f.min_rows;
    __m512d bar = _mm512_set1_pd(s.best + f.slack);
    for (std::uint32_t j = 0; j < list.n; j += 16) {
        const std::uint32_t i = list.first + j;
        const std::uint32_t left = list.n - j;
        const auto valid = static_cast<__mmask16>(left >= 16 ? 0xffffU : (1U << left) - 1);
        const __m512i e = _mm512_maskz_loadu_epi32(valid, list.entries + j);
        const auto classes = static_cast<std::uint32_t>(_mm512_test_epi32_mask(e, two));
        std::uint32_t open = _mm512_test_epi32_mask(e, one);
        open = clip_lanes(open, i, f.min_rows, last);
        if (open != 0) {
            if (s.at == 0) {
                s.at = i + static_cast<std::uint32_t>(std::countr_zero(open));
            }
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
                const auto below =
                    static_cast<std::uint32_t>(std::popcount(classes & ((1U << lane) - 1)));
                const double l_ = i + lane;
                const double d_ = (s.p + below) * static_cast<double>(f.n) - l_ * f.t[1];
                const double lr_ = l_ * (f.n - l_);
                if (d_ * d_ > (s.best + f.slack) * lr_) {
                    s.best = d_ * d_ / lr_;
                    s.at = i + lane;
                    bar = _mm512_set1_pd(s.best + f.slack);
                }
            }
        }
        s.p += static_cast<std::uint32_t>(std::popcount(classes));
    }
}
#endif

}  // namespace detail

template <class Entry>
BestCut best_cut(ListView<Entry> list, const NodeStats& f, BinaryGini, const LogTable&,
                 std::vector<std::uint32_t>& below, bool use_avx512) {
    detail::TwoScan<Entry> s;
    s.p = below[1];
#if PENJING_X86
    if constexpr (sizeof(Entry) == 4) {
        if (use_avx512) {
            detail::scan_two_avx512(list, f, s);
            return {s.best, s.at};
        }
    }
#endif
    static_cast<void>(use_avx512);
    detail::scan_two(list, f, s);
    return {s.best, s.at};
}

namespace detail {

inline constexpr std::size_t max_avx512_classes = 16;

#if PENJING_X86
PENJING_AVX512 inline __m512i running_sum(__m512i v) {
    const __m512i zero = _mm512_setzero_si512();
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
    return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
}

// Sixteen entries at a time: the rank of an entry within its class gives its contribution to
// the sums of squares, and a prefix sum gives the sums.
PENJING_AVX512 inline void scan_many_avx512(ListView<std::uint32_t> list, const NodeStats& f,
                                            std::uint32_t* below, std::int64_t s1,
                                            std::int64_t s2, BestCut& best) {
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i lanes =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i class_mask =
        _mm512_set1_epi32(static_cast<int>((1U << (list.shift - 1)) - 1));
    const __m512d n = _mm512_set1_pd(f.n);
    const std::uint32_t last = f.n - f.min_rows;
    double bar = f.parent_value + f.slack;
    alignas(64) std::uint32_t so_far[max_avx512_classes] = {};
    alignas(64) std::uint32_t totals[max_avx512_classes] = {};
    for (std::size_t k = 0; k < f.k; ++k) {
        so_far[k] = below[k];
        totals[k] = 2 * f.t[k];
    }
    const __m512i twice_total = _mm512_load_si512(totals);
    for (std::uint32_t j = 0; j < list.n; j += 16) {
        const std::uint32_t i = list.first + j;
        const std::uint32_t left = list.n - j;
        const auto valid = static_cast<__mmask16>(left >= 16 ? 0xffffU : (1U << left) - 1);
        const __m512i e = _mm512_maskz_loadu_epi32(valid, list.entries + j);
        const __m512i classes = _mm512_and_si512(_mm512_srli_epi32(e, 1), class_mask);
        // The rank of an entry within its class: the entries before the block, plus those that
        // conflict detection finds before it in the block.
        const __m512i rank =
            _mm512_add_epi32(_mm512_permutexvar_epi32(classes, _mm512_load_si512(so_far)),
                             _mm512_popcnt_epi32(_mm512_conflict_epi32(classes)));
        const __m512i gain =
            _mm512_maskz_add_epi32(valid, _mm512_add_epi32(rank, rank), one);  // of s1
        const __m512i twice = _mm512_permutexvar_epi32(classes, twice_total);
        for (std::size_t k = 0; k < f.k; ++k) {
            so_far[k] += static_cast<std::uint32_t>(_mm_popcnt_u32(_mm512_mask_cmpeq_epi32_mask(
                valid, classes, _mm512_set1_epi32(static_cast<int>(k)))));
        }
        const __m512i loss = _mm512_maskz_sub_epi32(valid, gain, twice);
        const __m512i sum1 = running_sum(gain);
        const __m512i sum2 = running_sum(loss);
        std::uint32_t open = _mm512_test_epi32_mask(e, one);
        open = clip_lanes(open, i, f.min_rows, last);
        if (open != 0) {
            if (best.at == 0) {
                best = {0, i + static_cast<std::uint32_t>(std::countr_zero(open))};
            }
            // The cut is before its entry: subtract what the entry itself adds.
            const __m512i at1 = _mm512_sub_epi32(sum1, gain);
            const __m512i at2 = _mm512_sub_epi32(sum2, loss);
            const __m512i at = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(i)), lanes);
            const __m512d start1 = _mm512_set1_pd(as_double(s1));
            const __m512d start2 = _mm512_set1_pd(as_double(s2));
            const __m512d least = _mm512_set1_pd(bar * (1 - 1e-14));
            std::uint32_t over = 0;
            for (int half = 0; half < 2; ++half) {
                const __m512d a = _mm512_add_pd(
                    start1, _mm512_cvtepi32_pd(half == 0 ? _mm512_castsi512_si256(at1)
                                                         : _mm512_extracti64x4_epi64(at1, 1)));
                const __m512d b = _mm512_add_pd(
                    start2, _mm512_cvtepi32_pd(half == 0 ? _mm512_castsi512_si256(at2)
                                                         : _mm512_extracti64x4_epi64(at2, 1)));
                const __m512d l = _mm512_cvtepi32_pd(
                    half == 0 ? _mm512_castsi512_si256(at) : _mm512_extracti64x4_epi64(at, 1));
                const __m512d r = _mm512_sub_pd(n, l);
                const std::uint32_t hit =
                    _mm512_cmp_pd_mask(_mm512_add_pd(_mm512_mul_pd(a, r), _mm512_mul_pd(b, l)),
                                       _mm512_mul_pd(least, _mm512_mul_pd(l, r)), _CMP_GT_OQ);
                over |= hit << (8 * half);
            }
            over &= open;
            if (over != 0) {
                alignas(64) std::int32_t add1[16];
                alignas(64) std::int32_t add2[16];
                _mm512_store_si512(add1, at1);
                _mm512_store_si512(add2, at2);
                for (; over != 0; over &= over - 1) {
                    const auto lane = static_cast<std::uint32_t>(std::countr_zero(over));
                    const double l = i + lane;
                    const double value =
                        as_double(s1 + add1[lane]) / l + as_double(s2 + add2[lane]) / (f.n - l);
                    if (value > bar) {
                        best = {value - f.parent_value, i + lane};
                        bar = value + f.slack;
                    }
                }
            }
        }
        const __m128i end1 = _mm512_extracti32x4_epi32(sum1, 3);
        const __m128i end2 = _mm512_extracti32x4_epi32(sum2, 3);
        s1 += _mm_extract_epi32(end1, 3);
        s2 += _mm_extract_epi32(end2, 3);
    }
}
#endif

}  // namespace detail

template <class Entry>
BestCut best_cut(ListView<Entry> list, const NodeStats& f, MulticlassGini, const LogTable&,
                 std::vector<std::uint32_t>& below, bool use_avx512) {
    const Entry mask = (Entry{1} << (list.shift - 1)) - 1;
    std::int64_t s1 = 0;
    std::int64_t s2 = 0;
    for (std::size_t k = 0; k < f.k; ++k) {
        const std::int64_t c = below[k];
        const std::int64_t r = f.t[k] - c;
        s1 += c * c;
        s2 += r * r;
    }
    BestCut best;
#if PENJING_X86
    if constexpr (sizeof(Entry) == 4) {
        if (use_avx512 && f.k <= detail::max_avx512_classes && f.n < 1U << 24) {
            detail::scan_many_avx512(list, f, below.data(), s1, s2, best);
            return best;
        }
    }
#endif
    static_cast<void>(use_avx512);
    double bar = f.parent_value + f.slack;  // s1 / L + s2 / R must exceed it
    for (std::uint32_t j = 0; j < list.n; ++j) {
        const Entry e = list.entries[j];
        const std::uint32_t i = list.first + j;
        if ((e & 1U) != 0 && i >= f.min_rows && i + f.min_rows <= f.n) {
            const double l = i;
            const double r = f.n - l;
            if (best.at == 0) {
                best = {0, i};
            }
            if (as_double(s1) * r + as_double(s2) * l > bar * (l * r) * (1 - 1e-14)) {
                const double value = as_double(s1) / l + as_double(s2) / r;
                if (value > bar) {
                    best = {value - f.parent_value, i};
                    bar = value + f.slack;
                }
            }
        }
        const auto k = static_cast<std::size_t>(e >> 1 & mask);
        const std::int64_t c = below[k]++;
        s1 += 2 * c + 1;
        s2 += 2 * c + 1 - 2 * static_cast<std::int64_t>(f.t[k]);
    }
    return best;
}

namespace detail {

struct Flags {                  // of up to 64 entries
    std::uint64_t second = 0;   // is of the second of two classes
    std::uint64_t differs = 0;  // has another value than the entry before
};

template <class Entry>
Flags flags_of(const Entry* entries, std::uint32_t n) {
    Flags flags;
    for (std::uint32_t j = 0; j < n; ++j) {
        flags.second |= static_cast<std::uint64_t>(entries[j] >> 1 & 1U) << j;
        flags.differs |= static_cast<std::uint64_t>(entries[j] & 1U) << j;
    }
    return flags;
}

#if PENJING_X86
PENJING_AVX512 inline Flags flags_of_avx512(const std::uint32_t* entries) {
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i two = _mm512_set1_epi32(2);
    Flags flags;
    for (unsigned part = 0; part < 4; ++part) {
        const __m512i e = _mm512_loadu_si512(entries + 16 * part);
        flags.second |= static_cast<std::uint64_t>(_mm512_test_epi32_mask(e, two)) << 16 * part;
        flags.differs |= static_cast<std::uint64_t>(_mm512_test_epi32_mask(e, one))
                         << 16 * part;
    }
    return flags;
}
#endif

// Up to this many rows the entropy of the table is convex in spite of rounding.
inline constexpr std::uint32_t max_convex_rows = 1U << 22;

// Two classes, a whole node: a cut inside a run of rows of one class is never better than those
// at the ends of the run, so that only these are scored (Fayyad and Irani 1992). Rows that
// share their value with others form no run.
template <class Entry>
BestCut best_entropy_of_two(ListView<Entry> list, const NodeStats& f, const LogTable& log,
                            bool use_avx512) {
    const std::int64_t* phi = log.phi.data();
    const std::uint32_t n = f.n;
    const std::uint32_t last = n - f.min_rows;
    BestCut best;
    std::int64_t bar = f.phi_slack;
    std::uint32_t ones = 0;  // rows of the second class before the block
    std::uint64_t before_single =
        0;  // whether the value of the entry before the block is unique
    std::uint64_t before_second = 0;  // and whether it is of the second class
    for (std::uint32_t start = 0; start < n; start += 64) {
        const std::uint32_t size = std::min(64U, n - start);
        Flags flags;
#if PENJING_X86
        if constexpr (sizeof(Entry) == 4) {
            if (use_avx512 && size == 64) {
                flags = flags_of_avx512(list.entries + start);
            } else {
                flags = flags_of(list.entries + start, size);
            }
        } else {
            flags = flags_of(list.entries + start, size);
        }
#else
        flags = flags_of(list.entries + start, size);
#endif
        const std::uint64_t begins = flags.differs | (start == 0 ? 1U : 0U);
        const std::uint64_t after = start + size == n || (list.entries[start + size] & 1U) != 0;
        const std::uint64_t single = begins & (begins >> 1 | after << (size - 1));
        const std::uint64_t alike = ~(flags.second ^ (flags.second << 1 | before_second));
        std::uint64_t open = flags.differs & ~(alike & single & (single << 1 | before_single));
        // The first and the last admissible cut end a run too.
        for (const std::uint32_t end : {f.min_rows, last}) {
            if (end >= start && end - start < size) {
                open |= flags.differs & std::uint64_t{1} << (end - start);
            }
        }
        if (start < f.min_rows) {
            const std::uint32_t skip = f.min_rows - start;
            open = skip >= 64 ? 0 : open & (~std::uint64_t{0} << skip);
        }
        if (start + 63 > last) {
            open = start > last ? 0 : open & (~std::uint64_t{0} >> (63 - (last - start)));
        }
        for (; open != 0; open &= open - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(open));
            const std::uint64_t passed = (std::uint64_t{1} << lane) - 1;
            const std::uint32_t at = start + lane;
            const std::uint32_t c =
                ones + static_cast<std::uint32_t>(std::popcount(flags.second & passed));
            const std::int64_t sum = phi[c] + phi[at - c] + phi[f.t[1] - c] +
                                     phi[f.t[0] - (at - c)] - phi[at] - phi[n - at] -
                                     f.parent_phi;
            if (best.at == 0) {
                best = {0, at};
            }
            if (sum > bar) {
                best = {as_double(sum), at};
                bar = sum + f.phi_slack;
            }
        }
        ones += static_cast<std::uint32_t>(std::popcount(flags.second));
        before_single = single >> 63;
        before_second = flags.second >> 63;
    }
    return best;
}

}  // namespace detail

template <class Entry>
BestCut best_cut(ListView<Entry> list, const NodeStats& f, CountEntropy, const LogTable& log,
                 std::vector<std::uint32_t>& below, bool use_avx512) {
    if (f.k == 2 && list.n == f.n && f.n < detail::max_convex_rows) {
        return detail::best_entropy_of_two(list, f, log, use_avx512);
    }
    const Entry mask = (Entry{1} << (list.shift - 1)) - 1;
    const std::int64_t* step = log.step.data();
    std::int64_t sum = 0;  // V of the cut before entry i
    if (list.first > 0) {
        sum = -f.parent_phi - log.phi[list.first] - log.phi[f.n - list.first];
        for (std::size_t k = 0; k < f.k; ++k) {
            sum += log.phi[below[k]] + log.phi[f.t[k] - below[k]];
        }
    }
    BestCut best;
    std::int64_t bar = f.phi_slack;
    for (std::uint32_t j = 0; j < list.n; ++j) {
        const Entry e = list.entries[j];
        const std::uint32_t i = list.first + j;
        if ((e & 1U) != 0 && i >= f.min_rows && i + f.min_rows <= f.n) {
            if (best.at == 0) {
                best = {0, i};
            }
            if (sum > bar) {
                best = {as_double(sum), i};
                bar = sum + f.phi_slack;
            }
        }
        const auto k = static_cast<std::size_t>(e >> 1 & mask);
        const std::uint32_t c = below[k]++;
        sum += step[c] - step[f.t[k] - c - 1] - step[i] + step[f.n - i - 1];
    }
    return best;
}

// ---- partition

// The rows that go to the marked branch; all zero between two partitions.
class RowBits {
  public:
    void prepare(std::size_t n_rows) { words_.assign(n_rows / 32 + 2, 0); }
    void set(std::size_t row) { words_[row >> 5] |= 1U << (row & 31); }
    void clear(std::size_t row) { words_[row >> 5] = 0; }
    [[nodiscard]] bool get(std::size_t row) const {
        return (words_[row >> 5] >> (row & 31) & 1U) != 0;
    }
    [[nodiscard]] const std::uint32_t* words() const { return words_.data(); }

  private:
    std::vector<std::uint32_t> words_;
};

namespace detail {

template <class Entry>
void part_two(ListView<Entry> list, const RowBits& marked, Entry* plain, Entry* special) {
    Entry skipped_by_plain = 0;
    Entry skipped_by_special = 0;
    for (std::uint32_t i = 0; i < list.n; ++i) {
        const Entry e = list.entries[i];
        const Entry flag = e & 1U;
        if (marked.get(static_cast<std::size_t>(e >> list.shift))) {
            if (special != nullptr) {
                *special++ = e | skipped_by_special;
            }
            skipped_by_special = 0;
            skipped_by_plain |= flag;
        } else {
            if (plain != nullptr) {
                *plain++ = e | skipped_by_plain;
            }
            skipped_by_plain = 0;
            skipped_by_special |= flag;
        }
    }
}

#if PENJING_X86
// The "value differs" flags of the selected ones of 16 entries: the flag of a skipped entry
// moves to the next selected one, by the carry of an addition.
PENJING_AVX512 inline std::uint32_t moved_flags(std::uint32_t flags, std::uint32_t kept,
                                                std::uint32_t valid, std::uint32_t& carry) {
    const std::uint32_t skipped = valid & ~kept;
    const std::uint32_t sum = (flags & skipped) + skipped + carry;
    carry = sum >> 16;
    return kept & (sum | flags);
}

PENJING_AVX512 inline void part_two_avx512(ListView<std::uint32_t> list, const RowBits& marked,
                                           std::uint32_t* plain, std::uint32_t* special) {
    const __m512i one = _mm512_set1_epi32(1);
    const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(list.shift));
    const std::uint32_t* words = marked.words();
    std::uint32_t plain_carry = 0;
    std::uint32_t special_carry = 0;
    for (std::uint32_t i = 0; i < list.n; i += 16) {
        const std::uint32_t left = list.n - i;
        const std::uint32_t valid = left >= 16 ? 0xffffU : (1U << left) - 1;
        const __m512i e =
            _mm512_maskz_loadu_epi32(static_cast<__mmask16>(valid), list.entries + i);
        const __m512i row = _mm512_srl_epi32(e, shift);
        const __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(row, 5), words, 4);
        const std::uint32_t to_special =
            valid &
            _mm512_test_epi32_mask(
                word, _mm512_sllv_epi32(one, _mm512_and_si512(row, _mm512_set1_epi32(31))));
        const std::uint32_t to_plain = valid & ~to_special;
        const std::uint32_t flags = _mm512_test_epi32_mask(e, one);
        const __m512i bare = _mm512_andnot_si512(one, e);
        if (plain != nullptr) {
            const std::uint32_t f = moved_flags(flags, to_plain, valid, plain_carry);
            const auto n = static_cast<std::uint32_t>(_mm_popcnt_u32(to_plain));
            const __m512i put =
                _mm512_mask_or_epi32(bare, static_cast<__mmask16>(f), bare, one);
            _mm512_mask_storeu_epi32(
                plain, static_cast<__mmask16>((1U << n) - 1),
                _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_plain), put));
            plain += n;
        }
        if (special != nullptr) {
            const std::uint32_t f = moved_flags(flags, to_special, valid, special_carry);
            const auto n = static_cast<std::uint32_t>(_mm_popcnt_u32(to_special));
            const __m512i put =
                _mm512_mask_or_epi32(bare, static_cast<__mmask16>(f), bare, one);
            _mm512_mask_storeu_epi32(
                special, static_cast<__mmask16>((1U << n) - 1),
                _mm512_maskz_compress_epi32(static_cast<__mmask16>(to_special), put));
            special += n;
        }
    }
}
#endif

}  // namespace detail

// Partition a list by the marked rows; a null destination drops its part.
template <class Entry>
void partition_two(ListView<Entry> list, const RowBits& marked, Entry* plain, Entry* special,
                   bool use_avx512) {
#if PENJING_X86
    if constexpr (sizeof(Entry) == 4) {
        if (use_avx512) {
            detail::part_two_avx512(list, marked, plain, special);
            return;
        }
    }
#endif
    static_cast<void>(use_avx512);
    detail::part_two(list, marked, plain, special);
}

// Partition a list into many branches; ends[b] is the destination of a branch, or null.
template <class Entry>
void partition_many(ListView<Entry> list, const std::uint32_t* branch_of_row,
                    std::vector<Entry*>& ends, std::vector<std::uint32_t>& last_value) {
    last_value.assign(ends.size(), 0);
    std::uint32_t value = 1;
    for (std::uint32_t i = 0; i < list.n; ++i) {
        const Entry e = list.entries[i];
        value += static_cast<std::uint32_t>(e & 1U);
        const std::uint32_t b = branch_of_row[static_cast<std::size_t>(e >> list.shift)];
        if (ends[b] != nullptr) {
            *ends[b]++ = (e & ~Entry{1}) | (last_value[b] != value ? 1U : 0U);
            last_value[b] = value;
        }
    }
}

}  // namespace penjing
