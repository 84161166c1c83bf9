// Sorts the rows of a node by their codes in one column; equal codes stay in the order of rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penjing {

// Keys are (code << 32 | position), positions ascending: a radix sort by the digits of the
// code.
inline void sort_codes(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare,
                       std::size_t n_levels) {
    constexpr std::size_t few = 96;
    constexpr unsigned digit = 9;
    constexpr std::size_t n_digits = std::size_t{1} << digit;
    const std::size_t n = keys.size();
    if (n < few) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    spare.resize(n);
    for (unsigned shift = 0; (n_levels - 1) >> shift != 0; shift += digit) {
        std::array<std::uint32_t, n_digits + 1> start{};
        for (const std::uint64_t key : keys) {
            ++start[((key >> (32 + shift)) & (n_digits - 1)) + 1];
        }
        for (std::size_t d = 1; d <= n_digits; ++d) {
            start[d] += start[d - 1];
        }
        for (const std::uint64_t key : keys) {
            spare[start[(key >> (32 + shift)) & (n_digits - 1)]++] = key;
        }
        keys.swap(spare);
    }
}

}  // namespace penjing
