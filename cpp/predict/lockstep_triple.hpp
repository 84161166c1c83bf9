// Prediction for trees with numeric splits only, three levels per step. Needs AVX-512.
//
// A block holds seven splits: a node, its children and its grandchildren. One vector comparison
// evaluates all seven: the row's values are permuted into the order of the splits, and the
// seven result bits select one of eight exits. Splits that a block lacks have an infinite
// threshold, so that rows go left there. Eight rows are interleaved and all their values stay
// in registers, which limits the number of columns to 24.
#pragma once

#include "base/simd.hpp"
#include "predict/lockstep.hpp"

#if PENJING_X86

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace penjing {

class LockstepTriple {
  public:
    static constexpr std::size_t batch_size = 8;
    static constexpr std::size_t max_columns = 24;
    using NodeIds = std::array<std::int32_t, batch_size>;

    // Slots of the tree are below `width`, which is most_numbers at most.
    LockstepTriple(const Lockstep& tree, std::size_t width);

    // As Lockstep::walk; returns a bit for each row that has a missing value, the lowest bit
    // for the first row. The leaf of such a row is arbitrary.
    unsigned walk(const double* first, std::size_t stride, const double* next,
                  NodeIds& at) const {
        if (width_ <= lanes) {
            return walk_with<1>(first, stride, next, at);
        }
        return width_ <= 2 * lanes ? walk_with<2>(first, stride, next, at)
                                   : walk_with<3>(first, stride, next, at);
    }

  private:
    static constexpr std::size_t lanes = 8;
    static constexpr std::size_t cache_line = 64;  // bytes
    static constexpr std::size_t n_cuts = 7;
    static constexpr std::size_t levels = 3;

    struct alignas(64) Block {  // a cache line
        std::array<double, n_cuts> cut;
        std::array<std::uint8_t, lanes> slot;
    };
    using Exits = std::array<std::int32_t, lanes>;  // a block, or a leaf as -1 - leaf

    template <std::size_t n_vectors>
    PENJING_AVX512 unsigned walk_with(const double* first, std::size_t stride,
                                      const double* next, NodeIds& at) const;

    // The exit by the results of the seven comparisons, the lowest bit for the first split.
    static constexpr std::array<std::uint8_t, 128> exit_of = [] {
        std::array<std::uint8_t, 128> exits{};
        for (unsigned comparisons = 0; comparisons < exits.size(); ++comparisons) {
            const unsigned one = comparisons & 1U;
            const unsigned two = comparisons >> (1 + one) & 1U;
            const unsigned three = comparisons >> (3 + 2 * one + two) & 1U;
            exits[comparisons] = static_cast<std::uint8_t>(4 * one + 2 * two + three);
        }
        return exits;
    }();

    std::vector<Block> blocks_;
    std::vector<Exits> exits_;
    std::size_t width_;
    std::size_t typical_steps_;  // steps until nearly all rows are in a leaf
};

inline LockstepTriple::LockstepTriple(const Lockstep& tree, std::size_t width)
    : width_(width), typical_steps_((tree.typical_steps() + levels - 1) / levels) {
    std::vector<std::uint32_t> roots{0};  // of the blocks
    for (std::size_t block = 0; block < roots.size(); ++block) {
        Block block_data{};
        Exits exits{};
        block_data.cut.fill(std::numeric_limits<double>::infinity());
        // A block in heap order: the children of i are 2 i + 1 and 2 i + 2, and the last eight
        // are the exits. Below a leaf only the left exit is ever taken.
        std::array<std::uint32_t, n_cuts + lanes> node{};
        node[0] = roots[block];
        for (std::size_t i = 0; i < n_cuts; ++i) {
            const bool is_leaf = tree.is_leaf(node[i]);
            if (!is_leaf) {
                block_data.cut[i] = tree.cut(node[i]);
                block_data.slot[i] = static_cast<std::uint8_t>(tree.slot(node[i]));
            }
            node[2 * i + 1] = is_leaf ? node[i] : tree.first(node[i]);
            node[2 * i + 2] = is_leaf ? node[i] : tree.first(node[i]) + 1;
        }
        for (std::size_t e = 0; e < lanes; ++e) {
            const std::uint32_t to = node[n_cuts + e];
            if (tree.is_leaf(to)) {
                exits[e] = -1 - static_cast<std::int32_t>(to);
            } else {
                exits[e] = static_cast<std::int32_t>(roots.size());
                roots.push_back(to);
            }
        }
        blocks_.push_back(block_data);
        exits_.push_back(exits);
    }
}

template <std::size_t n_vectors>
PENJING_AVX512 unsigned LockstepTriple::walk_with(const double* first, std::size_t stride,
                                                  const double* next, NodeIds& at) const {
    const Block* const blocks = blocks_.data();
    const Exits* const exits = exits_.data();
    const __m512i above = _mm512_set1_epi64(2 * lanes);
    const auto last = static_cast<__mmask8>((1U << (width_ - (n_vectors - 1) * lanes)) - 1);
    __m512d numbers[batch_size][n_vectors];
    unsigned rows_with_missing = 0;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < batch_size; ++k) {
        const double* row = first + k * stride;
        for (std::size_t v = 0; v + 1 < n_vectors; ++v) {
            numbers[k][v] = _mm512_loadu_pd(row + v * lanes);
        }
        const std::size_t v = n_vectors - 1;
        numbers[k][v] = _mm512_maskz_loadu_pd(last, row + v * lanes);
        unsigned unknown = _mm512_cmp_pd_mask(numbers[k][0], numbers[k][v], _CMP_UNORD_Q);
        if constexpr (n_vectors == 3) {
            unknown |= _mm512_cmp_pd_mask(numbers[k][1], numbers[k][1], _CMP_UNORD_Q);
        }
        rows_with_missing |= static_cast<unsigned>(unknown != 0) << k;
    }
    const char* prefetched = reinterpret_cast<const char*>(next);
    const std::size_t skip =
        batch_size * stride * sizeof(double) / std::max<std::size_t>(typical_steps_, 1);
    std::array<std::int32_t, batch_size>
        place{};  // a local copy stays in registers, `at` does not
    std::int32_t arrived = 0;
    for (std::size_t step = 0; step < typical_steps_ || arrived >= 0; ++step) {
        __builtin_prefetch(prefetched);
        __builtin_prefetch(prefetched + cache_line);
        __builtin_prefetch(prefetched + 2 * cache_line);
        prefetched += skip;
        arrived = -1;
#pragma GCC unroll 8
        for (std::size_t k = 0; k < batch_size; ++k) {
            const std::int32_t here = place[k];
            const auto block = static_cast<std::size_t>(std::max(here, 0));
            __builtin_prefetch(exits + block);
            const __m512i slots = _mm512_cvtepu8_epi64(
                _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&blocks[block].slot)));
            __m512d values;
            if constexpr (n_vectors == 1) {
                values = _mm512_permutexvar_pd(slots, numbers[k][0]);
            } else {
                values = _mm512_permutex2var_pd(numbers[k][0], slots, numbers[k][1]);
            }
            if constexpr (n_vectors == 3) {
                values = _mm512_mask_permutexvar_pd(
                    values, _mm512_test_epi64_mask(slots, above), slots, numbers[k][2]);
            }
            const __m512d cuts = _mm512_load_pd(blocks[block].cut.data());
            const unsigned comparisons = _mm512_cmp_pd_mask(values, cuts, _CMP_GT_OQ) & 0x7fU;
            const std::int32_t to = exits[block][exit_of[comparisons]];
            place[k] = here < 0 ? here : to;
            arrived &= place[k];
        }
    }
    for (std::size_t k = 0; k < batch_size; ++k) {
        at[k] = -1 - place[k];
    }
    return rows_with_missing;
}

}  // namespace penjing

#endif  // PENJING_X86
