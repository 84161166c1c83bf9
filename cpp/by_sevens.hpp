// Rows walk down a tree of nothing but cuts in numbers, three generations at a step.
//
// Seven cuts (a node, its children, theirs) make a block. A row answers all seven by one
// comparison: its numbers are put into the order in which the cuts want them, and the seven
// answers together say through which of eight exits it leaves. Where a block has fewer cuts the
// others are infinite, so that whoever comes that way goes left. Eight rows walk in turns, and
// all their numbers stay in registers: that is why they are 24 at most. Needs AVX-512.
#pragma once

#include "in_step.hpp"
#include "simd.hpp"

#if PENJING_X86

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace penjing {

class Sevens {
  public:
    static constexpr std::size_t together = 8;
    static constexpr std::size_t most_numbers = 24;
    using Places = std::array<std::int32_t, together>;

    // Slots of the tree are below `width`, which is most_numbers at most.
    Sevens(const InStep& tree, std::size_t width);

    // As InStep::walk, but says in which rows a number is missing, the first of them the lowest
    // bit. These stop in some leaf.
    unsigned walk(const double* first, std::size_t stride, const double* next,
                  Places& at) const {
        if (width_ <= lanes) {
            return walk_with<1>(first, stride, next, at);
        }
        return width_ <= 2 * lanes ? walk_with<2>(first, stride, next, at)
                                   : walk_with<3>(first, stride, next, at);
    }

  private:
    static constexpr std::size_t lanes = 8;
    static constexpr std::size_t line = 64;  // bytes that memory gives at a time
    static constexpr std::size_t n_cuts = 7;
    static constexpr std::size_t generations = 3;

    struct alignas(64) Block {  // a line of memory
        std::array<double, n_cuts> cut;
        std::array<std::uint8_t, lanes> slot;
    };
    using Exits = std::array<std::int32_t, lanes>;  // a block, or a leaf as -1 - leaf

    template <std::size_t n_vectors>
    PENJING_WIDE unsigned walk_with(const double* first, std::size_t stride, const double* next,
                                    Places& at) const;

    // By the answers of seven cuts, the first of them the lowest bit: the exit.
    static constexpr std::array<std::uint8_t, 128> exit_of = [] {
        std::array<std::uint8_t, 128> found{};
        for (unsigned answers = 0; answers < found.size(); ++answers) {
            const unsigned one = answers & 1U;
            const unsigned two = answers >> (1 + one) & 1U;
            const unsigned three = answers >> (3 + 2 * one + two) & 1U;
            found[answers] = static_cast<std::uint8_t>(4 * one + 2 * two + three);
        }
        return found;
    }();

    std::vector<Block> blocks_;
    std::vector<Exits> exits_;
    std::size_t width_;
    std::size_t usual_;  // steps until nearly all rows have arrived
};

inline Sevens::Sevens(const InStep& tree, std::size_t width)
    : width_(width), usual_((tree.usual() + generations - 1) / generations) {
    std::vector<std::uint32_t> roots{0};  // of the blocks
    for (std::size_t block = 0; block < roots.size(); ++block) {
        Block made{};
        Exits exits{};
        made.cut.fill(std::numeric_limits<double>::infinity());
        // The places of a block in order: 2 i + 1 and 2 i + 2 are below i, and the last eight
        // are the exits. Below a leaf only the left one is ever reached.
        std::array<std::uint32_t, n_cuts + lanes> node{};
        node[0] = roots[block];
        for (std::size_t i = 0; i < n_cuts; ++i) {
            const bool is_leaf = tree.is_leaf(node[i]);
            if (!is_leaf) {
                made.cut[i] = tree.cut(node[i]);
                made.slot[i] = static_cast<std::uint8_t>(tree.slot(node[i]));
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
        blocks_.push_back(made);
        exits_.push_back(exits);
    }
}

template <std::size_t n_vectors>
PENJING_WIDE unsigned Sevens::walk_with(const double* first, std::size_t stride,
                                        const double* next, Places& at) const {
    const Block* const blocks = blocks_.data();
    const Exits* const exits = exits_.data();
    const __m512i above = _mm512_set1_epi64(2 * lanes);
    const auto last = static_cast<__mmask8>((1U << (width_ - (n_vectors - 1) * lanes)) - 1);
    __m512d numbers[together][n_vectors];
    unsigned lacking = 0;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < together; ++k) {
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
        lacking |= static_cast<unsigned>(unknown != 0) << k;
    }
    const char* called = reinterpret_cast<const char*>(next);
    const std::size_t skip =
        together * stride * sizeof(double) / std::max<std::size_t>(usual_, 1);
    std::array<std::int32_t, together> place{};  // not `at`, which is memory
    std::int32_t arrived = 0;
    for (std::size_t step = 0; step < usual_ || arrived >= 0; ++step) {
        __builtin_prefetch(called);
        __builtin_prefetch(called + line);
        __builtin_prefetch(called + 2 * line);
        called += skip;
        arrived = -1;
#pragma GCC unroll 8
        for (std::size_t k = 0; k < together; ++k) {
            const std::int32_t here = place[k];
            const auto block = static_cast<std::size_t>(std::max(here, 0));
            __builtin_prefetch(exits + block);
            const __m512i slots = _mm512_cvtepu8_epi64(
                _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&blocks[block].slot)));
            __m512d asked;
            if constexpr (n_vectors == 1) {
                asked = _mm512_permutexvar_pd(slots, numbers[k][0]);
            } else {
                asked = _mm512_permutex2var_pd(numbers[k][0], slots, numbers[k][1]);
            }
            if constexpr (n_vectors == 3) {
                asked = _mm512_mask_permutexvar_pd(asked, _mm512_test_epi64_mask(slots, above),
                                                   slots, numbers[k][2]);
            }
            const __m512d cuts = _mm512_load_pd(blocks[block].cut.data());
            const unsigned answers = _mm512_cmp_pd_mask(asked, cuts, _CMP_GT_OQ) & 0x7fU;
            const std::int32_t to = exits[block][exit_of[answers]];
            place[k] = here < 0 ? here : to;
            arrived &= place[k];
        }
    }
    for (std::size_t k = 0; k < together; ++k) {
        at[k] = -1 - place[k];
    }
    return lacking;
}

}  // namespace penjing

#endif  // PENJING_X86
