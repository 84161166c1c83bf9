// Rows to codes, by a table or by the distance of whole numbers from the least; with how many
// rows have each code, and the first row of each.
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
    // Codes of n rows go to `codes`; sums are added to those of earlier rows.
    CodeSums(Code* codes, std::size_t n, std::int64_t* counts, std::int64_t* first,
             std::size_t n_codes)
        : codes_(codes), n_(n), counts_(counts), first_(first), n_codes_(n_codes) {
        if (n_codes > std::size_t{1} + std::numeric_limits<Code>::max()) {
            throw std::out_of_range("more codes than fit");
        }
    }

    // By a table of codes, each below `n_codes`; `start` is the first of the rows.
    void by_table(const std::int32_t* indices, const std::uint16_t* code_of, std::size_t size,
                  std::int64_t start) {
        std::uint32_t most = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            most = std::max(most, static_cast<std::uint32_t>(indices[i]));
        }
        if (n_ > 0 && most >= size) {
            throw std::out_of_range("an index is not below the number of codes");
        }
        for (std::size_t i = 0; i < n_; ++i) {
            codes_[i] = static_cast<Code>(code_of[indices[i]]);
        }
        count(start);
    }

    // By the distance from `low`, one more; 0 where a number is absent. False if one is beyond.
    bool by_distance(const std::int64_t* x, const std::uint8_t* absent, std::int64_t low,
                     std::int64_t start) {
        const std::uint64_t limit = n_codes_ - 1;
        bool is_beyond = false;
        for (std::size_t i = 0; i < n_; ++i) {
            // Also what is below the least number is far above, as a number without a sign.
            const std::uint64_t above =
                static_cast<std::uint64_t>(x[i]) - static_cast<std::uint64_t>(low);
            const bool is_here = absent == nullptr || absent[i] == 0;
            is_beyond |= is_here && above >= limit;
            codes_[i] = static_cast<Code>(is_here ? above + 1 : 0);
        }
        if (!is_beyond) {
            count(start);
        }
        return !is_beyond;
    }

  private:
    static constexpr std::size_t lanes = 4;

    void count(std::int64_t start) {
        // Neighbours count in different places: equal codes do not wait for each other.
        std::vector<std::uint32_t> seen(lanes * n_codes_, 0);
        for (std::size_t i = 0; i < n_; ++i) {
            ++seen[(i % lanes) * n_codes_ + codes_[i]];
        }
        std::size_t n_new = 0;  // codes whose first row is to be found
        for (std::size_t code = 0; code < n_codes_; ++code) {
            std::uint32_t here = 0;
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                here += seen[lane * n_codes_ + code];
            }
            counts_[code] += here;
            seen[code] = here > 0 && first_[code] > start ? 1 : 0;
            n_new += seen[code];
        }
        for (std::size_t i = 0; n_new > 0; ++i) {
            const std::size_t code = codes_[i];
            if (seen[code] != 0) {
                seen[code] = 0;
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
