// The random order in which scikit-learn visits the columns of a node
// (dialects/sklearn/feature_order.py; node_split_best in sklearn/tree/_splitter.pyx).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace penjing {

class FeatureOrder {
  public:
    static constexpr std::uint32_t never = 0x7fffffffU;  // constant, or not drawn

    FeatureOrder(std::size_t n_columns, std::size_t max_features, std::uint32_t state,
                 bool resets_constants)
        : max_features_(static_cast<std::uint32_t>(max_features)),
          state_(state),
          resets_constants_(resets_constants),
          columns_(n_columns),
          constant_(n_columns, 0) {
        std::iota(columns_.begin(), columns_.end(), 0U);
    }

    // Sets the visiting position of each column of a node. `n_known_constants` is the number of
    // constant columns, of the parent before and of the node after the call.
    void ranks(const std::vector<std::uint8_t>& is_constant, std::uint32_t& n_known_constants,
               std::vector<std::uint32_t>& ranks) {
        const auto n = static_cast<std::uint32_t>(columns_.size());
        n_known_constants = resets_constants_ ? 0 : n_known_constants;
        std::uint32_t n_left = n;
        std::uint32_t n_drawn_constants = 0;
        std::uint32_t n_found_constants = 0;
        std::uint32_t n_visited = 0;
        ranks.assign(n, never);
        while (
            n_left > n_known_constants + n_found_constants &&
            (n_visited < max_features_ || n_visited <= n_found_constants + n_drawn_constants)) {
            ++n_visited;
            std::uint32_t place =
                n_drawn_constants + draw() % (n_left - n_found_constants - n_drawn_constants);
            if (place < n_known_constants) {
                std::swap(columns_[n_drawn_constants], columns_[place]);
                ++n_drawn_constants;
                continue;
            }
            place += n_found_constants;
            const std::uint32_t column = columns_[place];
            if (is_constant[column] != 0) {
                std::swap(columns_[place], columns_[n_known_constants + n_found_constants]);
                ++n_found_constants;
                continue;
            }
            --n_left;
            std::swap(columns_[n_left], columns_[place]);
            ranks[column] = n_visited;
        }
        for (std::uint32_t i = 0; i < n_known_constants; ++i) {
            columns_[i] = constant_[i];
        }
        for (std::uint32_t i = n_known_constants; i < n_known_constants + n_found_constants;
             ++i) {
            constant_[i] = columns_[i];
        }
        n_known_constants += n_found_constants;
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

    std::uint32_t max_features_;
    std::uint32_t state_;
    bool resets_constants_;
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint32_t> constant_;
};

}  // namespace penjing
