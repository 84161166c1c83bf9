// Categorical columns as codes in the row order of a node: counting reads memory sequentially,
// and one bit mask partitions every column.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/simd.hpp"

namespace penjing {

// The categories of one column that occur in a node, ascending, with their class counts.
struct LevelCounts {
    std::vector<std::uint32_t> codes;
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> cells;    // K per category
    std::vector<std::uint32_t> grid;     // scratch; all zero between two calls
    std::vector<std::uint64_t> present;  // scratch; all zero between two calls
    std::vector<std::uint64_t> keys;

    void clear() {
        codes.clear();
        sizes.clear();
        cells.clear();
    }
};

namespace detail {

inline constexpr std::size_t max_grid_cells = std::size_t{1} << 24;

template <class Code>
void count_by_sort(const Code* codes, const std::uint16_t* labels, std::size_t n, std::size_t k,
                   LevelCounts& out) {
    out.keys.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        out.keys[i] = static_cast<std::uint64_t>(codes[i]) << 32 | labels[i];
    }
    std::sort(out.keys.begin(), out.keys.end());
    for (const std::uint64_t key : out.keys) {
        const auto code = static_cast<std::uint32_t>(key >> 32);
        if (out.codes.empty() || out.codes.back() != code) {
            out.codes.push_back(code);
            out.sizes.push_back(0);
            out.cells.resize(out.cells.size() + k, 0);
        }
        ++out.sizes.back();
        ++out.cells[out.cells.size() - k + static_cast<std::uint32_t>(key)];
    }
}

}  // namespace detail

template <class Code>
void count_levels(const Code* codes, const std::uint16_t* labels, std::size_t n,
                  std::size_t n_levels, std::size_t k, LevelCounts& out) {
    const std::size_t n_words = (n_levels + 63) / 64;
    if (n_levels * k > detail::max_grid_cells || n_words > 4 * n) {
        out.clear();
        detail::count_by_sort(codes, labels, n, k, out);
        return;
    }
    if (out.grid.size() < n_levels * k) {
        out.grid.resize(n_levels * k, 0);
    }
    if (out.present.size() < n_words) {
        out.present.resize(n_words, 0);
    }
    std::uint32_t* grid = out.grid.data();
    std::uint64_t* present = out.present.data();
    const bool is_full = n_levels <= n;  // nearly every category is likely to occur
    for (std::size_t i = 0; i < n; ++i) {
        ++grid[codes[i] * k + labels[i]];
    }
    if (is_full) {
        std::fill(present, present + n_words, ~std::uint64_t{0});
        if (n_levels % 64 != 0) {
            present[n_words - 1] = (std::uint64_t{1} << (n_levels % 64)) - 1;
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            present[codes[i] / 64] |= std::uint64_t{1} << (codes[i] % 64);
        }
    }
    const std::size_t max_present = std::min(n, n_levels) + 1;
    out.codes.resize(max_present);
    out.sizes.resize(max_present);
    out.cells.resize(max_present * k);
    std::size_t n_present = 0;
    for (std::size_t w = 0; w < n_words; ++w) {
        for (std::uint64_t word = present[w]; word != 0; word &= word - 1) {
            const std::size_t level = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
            std::uint32_t* row = grid + level * k;
            std::uint32_t* cells = out.cells.data() + n_present * k;
            std::uint32_t size = 0;
            for (std::size_t c = 0; c < k; ++c) {
                size += row[c];
                cells[c] = row[c];
                row[c] = 0;
            }
            out.codes[n_present] = static_cast<std::uint32_t>(level);
            out.sizes[n_present] = size;
            n_present += size > 0 ? 1U : 0U;  // an absent category is overwritten
        }
        present[w] = 0;
    }
    out.codes.resize(n_present);
    out.sizes.resize(n_present);
    out.cells.resize(n_present * k);
}

// One bit per row for each class of a node. The words of 64 rows are adjacent for all classes,
// padded to a multiple of eight classes.
class ClassBits {
  public:
    void prepare(const std::uint16_t* labels, std::size_t n, std::size_t k) {
        n_words_ = (n + 63) / 64;
        width_ = (k + 7) / 8 * 8;
        words_.assign(width_ * n_words_, 0);
        for (std::size_t i = 0; i < n; ++i) {
            words_[i / 64 * width_ + labels[i]] |= std::uint64_t{1} << (i % 64);
        }
    }
    // The words of all classes for the rows 64 w … 64 w + 63.
    [[nodiscard]] const std::uint64_t* at(std::size_t w) const {
        return words_.data() + w * width_;
    }
    [[nodiscard]] std::size_t n_words() const { return n_words_; }
    [[nodiscard]] std::size_t width() const { return width_; }

  private:
    std::vector<std::uint64_t> words_;
    std::size_t n_words_ = 0;
    std::size_t width_ = 0;
};

namespace detail {

inline std::uint64_t bits_of_bytes(const std::uint8_t* codes, std::size_t n) {
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < n; ++j) {
        word |= static_cast<std::uint64_t>(codes[j] & 1U) << j;
    }
    return word;
}

#if PENJING_X86
PENJING_AVX512 inline void count_ones_avx512(const std::uint8_t* codes,
                                             const ClassBits& classes, std::size_t n,
                                             std::size_t k, std::uint32_t* ones) {
    const __m512i one = _mm512_set1_epi8(1);
    for (std::size_t first = 0; first < k; first += 8) {
        __m512i sums = _mm512_setzero_si512();
        for (std::size_t w = 0; w < classes.n_words(); ++w) {
            const std::size_t left = n - w * 64;
            const __mmask64 valid =
                left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
            const std::uint64_t word =
                _mm512_test_epi8_mask(_mm512_maskz_loadu_epi8(valid, codes + w * 64), one);
            const __m512i both =
                _mm512_and_si512(_mm512_set1_epi64(static_cast<std::int64_t>(word)),
                                 _mm512_loadu_si512(classes.at(w) + first));
            sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(both));
        }
        const auto some =
            static_cast<__mmask8>(k - first >= 8 ? 0xffU : (1U << (k - first)) - 1);
        _mm256_mask_storeu_epi32(ones + first, some, _mm512_cvtepi64_epi32(sums));
    }
}

PENJING_AVX2 inline void count_ones_avx2(const std::uint8_t* codes, const ClassBits& classes,
                                         std::size_t n, std::size_t k, std::uint32_t* ones) {
    for (std::size_t w = 0; w < classes.n_words(); ++w) {
        std::uint64_t word = 0;
        if (n - w * 64 >= 64) {
            for (unsigned half = 0; half < 2; ++half) {
                const __m256i bytes = _mm256_loadu_si256(
                    reinterpret_cast<const __m256i*>(codes + w * 64 + half * 32));
                const auto bits = static_cast<std::uint32_t>(
                    _mm256_movemask_epi8(_mm256_slli_epi16(bytes, 7)));
                word |= static_cast<std::uint64_t>(bits) << (32 * half);
            }
        } else {
            word = bits_of_bytes(codes + w * 64, n - w * 64);
        }
        for (std::size_t c = 0; c < k; ++c) {
            ones[c] += static_cast<std::uint32_t>(_mm_popcnt_u64(word & classes.at(w)[c]));
        }
    }
}
#endif

}  // namespace detail

// Count the rows of each class whose code is 1, for a column of two categories.
inline void count_ones(const std::uint8_t* codes, const ClassBits& classes, std::size_t n,
                       std::size_t k, std::uint32_t* ones, bool use_avx512) {
    std::fill(ones, ones + k, 0U);
#if PENJING_X86
    if (use_avx512) {
        detail::count_ones_avx512(codes, classes, n, k, ones);
        return;
    }
    if (has_avx2()) {
        detail::count_ones_avx2(codes, classes, n, k, ones);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    for (std::size_t w = 0; w < classes.n_words(); ++w) {
        const std::uint64_t word =
            detail::bits_of_bytes(codes + w * 64, std::min<std::size_t>(64, n - w * 64));
        for (std::size_t c = 0; c < k; ++c) {
            ones[c] += static_cast<std::uint32_t>(std::popcount(word & classes.at(w)[c]));
        }
    }
}

// ---- partition by a mask of positions: set bits go to `set`, the others to `plain`

template <class T>
void split_scalar(const T* from, const std::uint64_t* mask, std::size_t n, T* plain, T* set) {
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_set = (mask[i / 64] >> (i % 64) & 1U) != 0;
        if (is_set) {
            if (set != nullptr) {
                *set++ = from[i];
            }
        } else if (plain != nullptr) {
            *plain++ = from[i];
        }
    }
}

#if PENJING_X86
namespace detail {

template <class T>
PENJING_AVX512 inline void pack_avx512(const T* from, std::uint64_t keep, std::uint64_t valid,
                                       T* to, std::size_t n_kept) {
    if constexpr (sizeof(T) == 1) {
        const __m512i v = _mm512_maskz_loadu_epi8(valid, from);
        _mm512_mask_storeu_epi8(to, _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(n_kept)),
                                _mm512_maskz_compress_epi8(keep, v));
    } else if constexpr (sizeof(T) == 2) {
        const __m512i v = _mm512_maskz_loadu_epi16(static_cast<__mmask32>(valid), from);
        _mm512_mask_storeu_epi16(to,
                                 _bzhi_u32(~std::uint32_t{0}, static_cast<unsigned>(n_kept)),
                                 _mm512_maskz_compress_epi16(static_cast<__mmask32>(keep), v));
    } else {
        const __m512i v = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(valid), from);
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1U << n_kept) - 1),
                                 _mm512_maskz_compress_epi32(static_cast<__mmask16>(keep), v));
    }
}

template <class T>
PENJING_AVX512 inline void split_avx512(const T* from, const std::uint64_t* mask, std::size_t n,
                                        T* plain, T* set) {
    constexpr std::size_t lanes = 64 / sizeof(T);
    for (std::size_t i = 0; i < n; i += lanes) {
        const std::size_t left = n - i;
        const std::uint64_t valid =
            left >= lanes ? ~std::uint64_t{0} >> (64 - lanes) : (std::uint64_t{1} << left) - 1;
        const std::uint64_t bits = mask[i / 64] >> (i % 64) & valid;
        if (set != nullptr) {
            const auto count = static_cast<std::size_t>(_mm_popcnt_u64(bits));
            pack_avx512(from + i, bits, valid, set, count);
            set += count;
        }
        if (plain != nullptr) {
            const std::uint64_t others = valid & ~bits;
            const auto count = static_cast<std::size_t>(_mm_popcnt_u64(others));
            pack_avx512(from + i, others, valid, plain, count);
            plain += count;
        }
    }
}

// Eight bytes at a time: the selected elements are compressed and stored as a whole word, as
// long as the bytes behind them belong to the same branch.
template <class T>
PENJING_AVX2 void split_avx2(const T* from, const std::uint64_t* mask, std::size_t n, T* plain,
                             T* set) {
    constexpr std::size_t lanes = 8 / sizeof(T);
    constexpr std::uint64_t lane = ~std::uint64_t{0} >> (64 - 8 * sizeof(T));
    constexpr std::uint64_t lowest = ~std::uint64_t{0} / lane;  // the first bit of each lane
    std::size_t n_set = 0;
    for (std::size_t w = 0; w < n / 64; ++w) {
        n_set += static_cast<std::size_t>(_mm_popcnt_u64(mask[w]));
    }
    if (n % 64 != 0) {
        n_set += static_cast<std::size_t>(
            _mm_popcnt_u64(_bzhi_u64(mask[n / 64], static_cast<unsigned>(n % 64))));
    }
    T* const set_end = set == nullptr ? nullptr : set + n_set;
    T* const plain_end = plain == nullptr ? nullptr : plain + (n - n_set);
    const auto keep = [](T*& to, const T* end, std::uint64_t word, std::uint64_t lanes_kept,
                         std::size_t count) __attribute__((target("avx2,bmi,bmi2"))) {
        const std::uint64_t packed = _pext_u64(word, lanes_kept * lane);
        if (static_cast<std::size_t>(end - to) >= lanes) {
            std::memcpy(to, &packed, 8);
        } else {
            std::memcpy(to, &packed, count * sizeof(T));
        }
        to += count;
    };
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const std::uint64_t bits = mask[i / 64] >> (i % 64) & ((1U << lanes) - 1);
        const std::uint64_t spread = _pdep_u64(bits, lowest);
        const auto count = static_cast<std::size_t>(_mm_popcnt_u64(bits));
        std::uint64_t word = 0;
        std::memcpy(&word, from + i, 8);
        if (set != nullptr) {
            keep(set, set_end, word, spread, count);
        }
        if (plain != nullptr) {
            keep(plain, plain_end, word, lowest ^ spread, lanes - count);
        }
    }
    for (; i < n; ++i) {
        T*& to = (mask[i / 64] >> (i % 64) & 1U) != 0 ? set : plain;
        if (to != nullptr) {
            *to++ = from[i];
        }
    }
}

}  // namespace detail
#endif

template <class T>
void split_by_mask(const T* from, const std::uint64_t* mask, std::size_t n, T* plain, T* set,
                   bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        detail::split_avx512(from, mask, n, plain, set);
        return;
    }
    if (has_avx2()) {
        detail::split_avx2(from, mask, n, plain, set);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    split_scalar(from, mask, n, plain, set);
}

}  // namespace penjing
