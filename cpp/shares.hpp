// Levels in the order of their share of the first of two classes; equal shares stay as they
// are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace penjing {

class ShareSort {
  public:
    // Two different fractions with denominators up to m are 1 / m^2 apart or more, so twice the
    // bits of m, and one, tell them apart; equal fractions make one key, for a division is
    // rounded the same way however a fraction is written.
    const std::vector<std::uint32_t>& order(const std::uint32_t* cells,
                                            const std::uint32_t* sizes, std::size_t n) {
        const std::uint32_t most = n == 0 ? 1 : *std::max_element(sizes, sizes + n);
        order_.resize(n);
        shares_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            order_[i] = static_cast<std::uint32_t>(i);
            shares_[i] = static_cast<double>(cells[2 * i]) / sizes[i];
        }
        if (n <= few || most > widest) {
            std::stable_sort(
                order_.begin(), order_.end(),
                [&](std::uint32_t a, std::uint32_t b) { return shares_[a] < shares_[b]; });
            return order_;
        }
        const unsigned bits = 2 * static_cast<unsigned>(std::bit_width(most)) + 1;
        const auto scale = static_cast<double>(std::uint64_t{1} << bits);
        keys_.resize(n);
        other_keys_.resize(n);
        other_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            keys_[i] = static_cast<std::uint64_t>(shares_[i] * scale);
        }
        for (unsigned shift = 0; shift <= bits; shift += step) {
            pass(shift);
        }
        return order_;
    }

  private:
    static constexpr unsigned step = 11;
    static constexpr std::size_t few = 64;
    static constexpr std::uint32_t widest = (1U << 25) - 1;

    void pass(unsigned shift) {
        constexpr std::uint64_t mask = (std::uint64_t{1} << step) - 1;
        std::array<std::uint32_t, (std::size_t{1} << step) + 1> place{};
        for (const std::uint64_t key : keys_) {
            ++place[(key >> shift & mask) + 1];
        }
        for (std::size_t cell = 1; cell < place.size(); ++cell) {
            place[cell] += place[cell - 1];
        }
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            const std::uint32_t at = place[keys_[i] >> shift & mask]++;
            other_keys_[at] = keys_[i];
            other_[at] = order_[i];
        }
        std::swap(keys_, other_keys_);
        std::swap(order_, other_);
    }

    std::vector<double> shares_;
    std::vector<std::uint64_t> keys_, other_keys_;
    std::vector<std::uint32_t> order_, other_;
};

}  // namespace penjing
