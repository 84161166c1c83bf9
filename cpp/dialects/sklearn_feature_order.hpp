// The order in which scikit-learn looks at columns (rules/drawing.py): drawn anew in each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace penjing {

class Drawing {
  public:
    static constexpr std::uint32_t never = 0x7fffffffU;  // constant, or not drawn

    Drawing(std::size_t n_columns, std::size_t n_looked_at, std::uint32_t state, bool forgets)
        : most_(static_cast<std::uint32_t>(n_looked_at)),
          state_(state),
          forgets_(forgets),
          columns_(n_columns),
          constant_(n_columns, 0) {
        std::iota(columns_.begin(), columns_.end(), 0U);
    }

    // When each column of a node is looked at; `known` is how many were constant in the parent,
    // and becomes how many are here.
    void ranks(const std::vector<std::uint8_t>& is_constant, std::uint32_t& known,
               std::vector<std::uint32_t>& ranks) {
        const auto n = static_cast<std::uint32_t>(columns_.size());
        known = forgets_ ? 0 : known;
        std::uint32_t end = n;
        std::uint32_t drawn = 0;
        std::uint32_t found = 0;
        std::uint32_t visited = 0;
        ranks.assign(n, never);
        while (end > known + found && (visited < most_ || visited <= found + drawn)) {
            ++visited;
            std::uint32_t place = drawn + draw() % (end - found - drawn);
            if (place < known) {
                std::swap(columns_[drawn], columns_[place]);
                ++drawn;
                continue;
            }
            place += found;
            const std::uint32_t column = columns_[place];
            if (is_constant[column] != 0) {
                std::swap(columns_[place], columns_[known + found]);
                ++found;
                continue;
            }
            --end;
            std::swap(columns_[end], columns_[place]);
            ranks[column] = visited;
        }
        for (std::uint32_t i = 0; i < known; ++i) {
            columns_[i] = constant_[i];
        }
        for (std::uint32_t i = known; i < known + found; ++i) {
            constant_[i] = columns_[i];
        }
        known += found;
    }

  private:
    // A 32-bit xorshift generator (Marsaglia 2003).
    std::uint32_t draw() {
        std::uint32_t x = state_ == 0 ? 1 : state_;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        state_ = x;
        return x & 0x7fffffffU;
    }

    std::uint32_t most_;
    std::uint32_t state_;
    bool forgets_;
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint32_t> constant_;
};

}  // namespace penjing
