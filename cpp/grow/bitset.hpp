// Split search for nodes of at most 64 rows: a node, a class and a binary column are each one
// 64-bit word with a bit per row; an ordered column is the list of its rows in value order, one
// byte each. Counts are so small that fractions are compared exactly in integers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/simd.hpp"
#include "grow/criterion_counts.hpp"

namespace penjing {

inline constexpr std::uint32_t max_bitset_rows = 64;

inline std::uint64_t lowest_bits(std::uint32_t n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

inline std::uint32_t popcount(std::uint64_t word) {
    return static_cast<std::uint32_t>(std::popcount(word));
}

// The rows of a node in the order of a column; bit i of `differs` says whether entry i has
// another value than the entry before.
struct BitsetList {
    const std::uint8_t* ids;
    std::uint64_t differs;
    std::uint32_t n;
};

// ---- from bits by row to bits by list entry

namespace detail {

inline std::uint64_t to_list_order_scalar(const BitsetList& list, std::uint64_t rows) {
    std::uint64_t word = 0;
    for (std::uint32_t i = 0; i < list.n; ++i) {
        word |= (rows >> list.ids[i] & 1U) << i;
    }
    return word;
}

#if PENJING_X86
PENJING_AVX512 inline std::uint64_t to_list_order_avx512(const BitsetList& list,
                                                         std::uint64_t rows) {
    const std::uint64_t valid = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(list.n));
    const __m512i ids = _mm512_maskz_loadu_epi8(valid, list.ids);
    return valid & _mm512_movepi8_mask(_mm512_permutexvar_epi8(ids, _mm512_movm_epi8(rows)));
}
#endif

}  // namespace detail

// Bit i: whether entry i of the list is one of `rows`.
inline std::uint64_t to_list_order(const BitsetList& list, std::uint64_t rows,
                                   bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        return detail::to_list_order_avx512(list, rows);
    }
#endif
    static_cast<void>(use_avx512);
    return detail::to_list_order_scalar(list, rows);
}

// ---- partition

struct BitsetTarget {  // destination of a branch; ids null: the branch is dropped
    std::uint8_t* ids = nullptr;
    std::uint64_t* differs = nullptr;  // a word shared with other nodes …
    std::uint32_t begin = 0;           // … which has the branch's bits from here on
};

namespace detail {

inline void put_bits(std::uint64_t* word, std::uint32_t begin, std::uint32_t n,
                     std::uint64_t bits) {
    const std::uint64_t own = lowest_bits(n) << begin;
    *word = (*word & ~own) | (bits << begin & own);
}

// The `differs` bits of the kept entries: the bit of a skipped entry moves to the next kept
// one, by the carry of an addition.
inline std::uint64_t moved_bits(std::uint64_t differs, std::uint64_t kept,
                                std::uint64_t valid) {
    const std::uint64_t skipped = valid & ~kept;
    return kept & (((differs & skipped) + skipped) | differs);
}

inline void keep_scalar(const BitsetList& list, std::uint64_t kept, const BitsetTarget& to) {
    const std::uint64_t moved = moved_bits(list.differs, kept, lowest_bits(list.n));
    std::uint64_t bits = 0;
    std::uint32_t n = 0;
    for (std::uint64_t left = kept; left != 0; left &= left - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
        to.ids[n] = list.ids[i];
        bits |= (moved >> i & 1U) << n;
        ++n;
    }
    put_bits(to.differs, to.begin, n, bits);
}

#if PENJING_X86
PENJING_AVX512 inline void keep_avx512(const BitsetList& list, std::uint64_t kept,
                                       const BitsetTarget& to) {
    const std::uint64_t valid = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(list.n));
    const std::uint64_t moved = moved_bits(list.differs, kept, valid);
    const auto n = static_cast<std::uint32_t>(_mm_popcnt_u64(kept));
    const __m512i ids = _mm512_maskz_loadu_epi8(valid, list.ids);
    _mm512_mask_storeu_epi8(to.ids, _bzhi_u64(~std::uint64_t{0}, n),
                            _mm512_maskz_compress_epi8(kept, ids));
    put_bits(to.differs, to.begin, n, _pext_u64(moved, kept));
}
#endif

}  // namespace detail

// Copy the entries of a list whose rows are in `rows`, in list order.
inline void keep_entries(const BitsetList& list, std::uint64_t rows, const BitsetTarget& to,
                         bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        detail::keep_avx512(list, detail::to_list_order_avx512(list, rows), to);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    detail::keep_scalar(list, detail::to_list_order_scalar(list, rows), to);
}

// ---- the best cut of a list

struct BitsetNode {  // a node, reduced to the classes that occur in it
    NodeStats stats;
    std::array<std::uint64_t, max_bitset_rows> classes;  // the rows of each class
    std::array<std::uint32_t, max_bitset_rows> counts;
};

namespace detail {

// Cuts between entries of different values that leave enough rows on both sides.
inline std::uint64_t cuts_allowed(std::uint64_t differs, const NodeStats& f) {
    return f.n < 2 * f.min_rows
               ? 0
               : differs & lowest_bits(f.n - f.min_rows + 1) & ~lowest_bits(f.min_rows);
}

// The admissible cuts that can be best: a cut inside a run of rows of one class is never better
// than those at the ends of the run. Rows that share their value with others form no run.
// `alike` marks entries of the same class as the entry before.
inline std::uint64_t cuts_of_runs(std::uint64_t differs, std::uint64_t alike,
                                  const NodeStats& f) {
    const std::uint64_t begins = differs | 1U;
    const std::uint64_t single = begins & (begins >> 1 | std::uint64_t{1} << (f.n - 1));
    const std::uint64_t ends = std::uint64_t{1} << f.min_rows | std::uint64_t{1}
                                                                    << (f.n - f.min_rows);
    return cuts_allowed(differs, f) & (~(alike & single & single << 1) | ends);
}

// A fraction whose terms are below 2^32.
struct Fraction {
    std::uint64_t over = 0;
    std::uint64_t under = 1;
    [[nodiscard]] bool exceeds(const Fraction& other) const {
        return over * other.under > other.over * under;
    }
    [[nodiscard]] double value() const { return as_double(over) / as_double(under); }
};

inline Fraction gini_of_two(const NodeStats& f, std::uint32_t c, std::uint32_t at) {
    const auto d = static_cast<std::int64_t>(c * f.n) - static_cast<std::int64_t>(at * f.t[1]);
    return {static_cast<std::uint64_t>(d * d), std::uint64_t{at} * (f.n - at)};
}

// The value of a binary-class cut on the scale of the criterion.
inline double scaled(BinaryGini, double value, const NodeStats&) { return value; }
inline double scaled(MulticlassGini, double value, const NodeStats& f) {
    return 2 * value / f.n;
}

template <class M>
BestCut best_gini_of_two(M, const BitsetList& list, const NodeStats& f, std::uint64_t second) {
    BestCut best;
    Fraction most;
    std::uint64_t open = cuts_of_runs(list.differs, ~(second ^ second << 1), f);
    if (open != 0) {
        best.at = static_cast<std::uint32_t>(std::countr_zero(open));
    }
    for (; open != 0; open &= open - 1) {
        const auto at = static_cast<std::uint32_t>(std::countr_zero(open));
        const Fraction here = gini_of_two(f, popcount(second & lowest_bits(at)), at);
        if (here.exceeds(most)) {
            most = here;
            best.at = at;
        }
    }
    best.value = scaled(M{}, most.value(), f);
    return best;
}

// The best of the open cuts by entropy; `classes_of(at)` is the part of V that depends on the
// classes.
template <class ClassesOf>
BestCut best_entropy(const NodeStats& f, std::uint64_t open, const std::int64_t* phi,
                     ClassesOf&& classes_of) {
    BestCut best;
    std::int64_t bar = f.phi_slack;
    for (; open != 0; open &= open - 1) {
        const auto at = static_cast<std::uint32_t>(std::countr_zero(open));
        const std::int64_t sum = classes_of(at) - phi[at] - phi[f.n - at] - f.parent_phi;
        if (best.at == 0) {
            best.at = at;
        }
        if (sum > bar) {
            best = {as_double(sum), at};
            bar = sum + f.phi_slack;
        }
    }
    return best;
}

inline BestCut best_entropy_of_two(const BitsetList& list, const NodeStats& f,
                                   std::uint64_t second, const std::int64_t* phi) {
    const std::uint64_t open = cuts_of_runs(list.differs, ~(second ^ second << 1), f);
    return best_entropy(f, open, phi, [&](std::uint32_t at) {
        const std::uint32_t c = popcount(second & lowest_bits(at));
        return phi[c] + phi[at - c] + phi[f.t[1] - c] + phi[f.t[0] - (at - c)];
    });
}

// The sums of squares on both sides.
struct Squares {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    [[nodiscard]] Fraction over(std::uint32_t at, std::uint32_t n) const {
        return {left * (n - at) + right * at, std::uint64_t{at} * (n - at)};
    }
};

inline BestCut best_gini_of_many(const NodeStats& f, const std::uint64_t* class_bits,
                                 std::uint64_t open) {
    std::uint64_t own = 0;
    for (std::size_t k = 0; k < f.k; ++k) {
        own += std::uint64_t{f.t[k]} * f.t[k];
    }
    BestCut best;
    Fraction most{own, f.n};
    best.at = static_cast<std::uint32_t>(std::countr_zero(open));
    bool any = false;
    for (; open != 0; open &= open - 1) {
        const auto at = static_cast<std::uint32_t>(std::countr_zero(open));
        const std::uint64_t before = lowest_bits(at);
        Squares squares;
        for (std::size_t k = 0; k < f.k; ++k) {
            const std::uint64_t c = popcount(class_bits[k] & before);
            const std::uint64_t r = f.t[k] - c;
            squares.left += c * c;
            squares.right += r * r;
        }
        const Fraction here = squares.over(at, f.n);
        if (here.exceeds(most)) {
            most = here;
            best.at = at;
            any = true;
        }
    }
    best.value = any ? most.value() - f.parent_value : 0;
    return best;
}

inline BestCut best_entropy_of_many(const NodeStats& f, const std::uint64_t* class_bits,
                                    std::uint64_t open, const std::int64_t* phi) {
    return best_entropy(f, open, phi, [&](std::uint32_t at) {
        const std::uint64_t before = lowest_bits(at);
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < f.k; ++k) {
            const std::uint32_t c = popcount(class_bits[k] & before);
            sum += phi[c] + phi[f.t[k] - c];
        }
        return sum;
    });
}

}  // namespace detail

template <class M>
BestCut best_bitset_cut(M criterion, const BitsetList& list, const BitsetNode& node,
                        const LogTable& log, bool use_avx512) {
    const NodeStats& f = node.stats;
    if (detail::cuts_allowed(list.differs, f) == 0) {
        return {};
    }
    if (f.k == 2) {
        const std::uint64_t second = to_list_order(list, node.classes[1], use_avx512);
        if constexpr (M::is_entropy) {
            return detail::best_entropy_of_two(list, f, second, log.phi.data());
        } else {
            return detail::best_gini_of_two(criterion, list, f, second);
        }
    }
    std::array<std::uint64_t, max_bitset_rows> class_bits;
    std::uint64_t changes = 0;
    for (std::size_t k = 0; k < f.k; ++k) {
        class_bits[k] = to_list_order(list, node.classes[k], use_avx512);
        changes |= class_bits[k] ^ class_bits[k] << 1;
    }
    const std::uint64_t open = detail::cuts_of_runs(list.differs, ~changes, f);
    if constexpr (M::is_entropy) {
        return detail::best_entropy_of_many(f, class_bits.data(), open, log.phi.data());
    } else {
        return detail::best_gini_of_many(f, class_bits.data(), open);
    }
}

// The value of a binary column, given the rows with its first value; negative if it cannot
// split the node.
template <class M>
double binary_value(M criterion, const BitsetNode& node, std::uint64_t left,
                    const LogTable& log) {
    const NodeStats& f = node.stats;
    const std::uint32_t l = popcount(left);
    if (l < f.min_rows || f.n - l < f.min_rows) {
        return -1;
    }
    if constexpr (!M::is_entropy) {
        if (f.k == 2) {
            const std::uint32_t c = popcount(left & node.classes[1]);
            return detail::scaled(criterion, detail::gini_of_two(f, c, l).value(), f);
        }
    }
    std::array<std::uint32_t, max_bitset_rows> counts;
    for (std::size_t k = 0; k < f.k; ++k) {
        counts[k] = popcount(left & node.classes[k]);
    }
    return std::max(0.0, M::score_binary(f, counts.data(), l, log));
}

}  // namespace penjing
