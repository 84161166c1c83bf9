// Encodes rows by a lookup table, or integers by their offset from the smallest, and counts the
// rows of each code together with its first row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace penjing {

template <class Code>
class CodeSums {
  public:
    // Writes the codes of n rows to `codes`; counts are added to those of earlier rows.
    CodeSums(Code* codes, std::size_t n, std::int64_t* counts, std::int64_t* first,
             std::size_t n_codes)
        : codes_(codes), n_(n), counts_(counts), first_(first), n_codes_(n_codes) {
        if (n_codes > std::size_t{1} + std::numeric_limits<Code>::max()) {
            throw std::out_of_range("more codes than fit");
        }
    }

    // The code of each index is `code_of[index]`, below `n_codes`; `start` is the number of the
    // first row.
    void code_by_table(const std::int32_t* indices, const std::uint16_t* code_of,
                       std::size_t size, std::int64_t start) {
        std::uint32_t max_index = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            max_index = std::max(max_index, static_cast<std::uint32_t>(indices[i]));
        }
        if (n_ > 0 && max_index >= size) {
            throw std::out_of_range("an index is not below the number of codes");
        }
        for (std::size_t i = 0; i < n_; ++i) {
            codes_[i] = static_cast<Code>(code_of[indices[i]]);
        }
        count(start);
    }

    // The code is 1 + (x - low), and 0 for a missing value. Returns false if a number is out of
    // range.
    bool code_by_offset(const std::int64_t* x, const std::uint8_t* is_missing, std::int64_t low,
                        std::int64_t start) {
        const std::uint64_t limit = n_codes_ - 1;
        bool is_out_of_range = false;
        for (std::size_t i = 0; i < n_; ++i) {
            // A number below `low` becomes a large unsigned offset.
            const std::uint64_t offset =
                static_cast<std::uint64_t>(x[i]) - static_cast<std::uint64_t>(low);
            const bool is_present = is_missing == nullptr || is_missing[i] == 0;
            is_out_of_range |= is_present && offset >= limit;
            codes_[i] = static_cast<Code>(is_present ? offset + 1 : 0);
        }
        if (!is_out_of_range) {
            count(start);
        }
        return !is_out_of_range;
    }

  private:
    static constexpr std::size_t lanes = 4;

    void count(std::int64_t start) {
        // Adjacent rows use different counters, so that equal codes do not wait for each other.
        std::vector<std::uint32_t> lane_counts(lanes * n_codes_, 0);
        for (std::size_t i = 0; i < n_; ++i) {
            ++lane_counts[(i % lanes) * n_codes_ + codes_[i]];
        }
        std::size_t n_new = 0;  // codes whose first row is among these rows
        for (std::size_t code = 0; code < n_codes_; ++code) {
            std::uint32_t here = 0;
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                here += lane_counts[lane * n_codes_ + code];
            }
            counts_[code] += here;
            lane_counts[code] = here > 0 && first_[code] > start ? 1 : 0;
            n_new += lane_counts[code];
        }
        for (std::size_t i = 0; n_new > 0; ++i) {
            const std::size_t code = codes_[i];
            if (lane_counts[code] != 0) {
                lane_counts[code] = 0;
                --n_new;
                first_[code] = std::min(first_[code], start + static_cast<std::int64_t>(i));
            }
        }
    }

    Code* codes_;
    std::size_t n_;
    std::int64_t* counts_;
    std::int64_t* first_;
    std::size_t n_codes_;
};

}  // namespace penjing
