// Many rows down a tree of nothing but cuts in numbers, by what this machine does best.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "by_sevens.hpp"
#include "in_step.hpp"
#include "simd.hpp"

namespace penjing {

// Whether one of n numbers is missing.
inline bool has_nan(const double* x, std::size_t n) {
    bool found = false;
    for (std::size_t i = 0; i < n; ++i) {
        found |= std::isnan(x[i]);
    }
    return found;
}

class Quick {
  public:
    // Slots of the tree are below `width`. The tree is not copied.
    Quick(const InStep& tree, std::size_t width, std::size_t n_rows)
        : steps_(&tree), width_(width) {
#if PENJING_X86
        if (has_wide() && width <= Sevens::most_numbers && n_rows >= worth * tree.size()) {
            sevens_.emplace(tree, width);
        }
#endif
    }

    // visit(i, node) for rows 0 to n that lack no number, slow(i) for the others. Rows stand
    // `stride` apart.
    template <class Visit, class Slow>
    void walk(const double* first, std::size_t stride, std::size_t n, const Visit& visit,
              const Slow& slow) const {
        std::size_t row = 0;
        const auto next = [&](std::size_t together) {
            return first + (row + std::min(ahead, n - row - together)) * stride;
        };
#if PENJING_X86
        if (sevens_) {
            Sevens::Places at;
            for (constexpr auto many = Sevens::together; row + many <= n; row += many) {
                const unsigned lacking =
                    sevens_->walk(first + row * stride, stride, next(many), at);
                if (lacking == 0) {  // the usual, without a question for each row
                    for (std::size_t k = 0; k < many; ++k) {
                        visit(row + k, at[k]);
                    }
                    continue;
                }
                for (std::size_t k = 0; k < many; ++k) {
                    if ((lacking >> k & 1U) != 0) {
                        slow(row + k);
                    } else {
                        visit(row + k, at[k]);
                    }
                }
            }
        }
#endif
        InStep::Places at;
        for (constexpr auto many = InStep::together; row + many <= n; row += many) {
            const double* here = first + row * stride;
            // In order, so that rows have come from memory before they are asked here and
            // there.
            const bool some_nan = has_nan(here, (many - 1) * stride + width_);
            steps_->walk(here, stride, next(many), at);
            for (std::size_t k = 0; k < many; ++k) {
                if (some_nan && has_nan(here + k * stride, width_)) {
                    slow(row + k);
                } else {
                    visit(row + k, static_cast<std::int32_t>(at[k]));
                }
            }
        }
        for (; row < n; ++row) {
            slow(row);
        }
    }

  private:
    static constexpr std::size_t ahead = 16;  // rows from a walking one to a called one
    static constexpr std::size_t worth = 4;   // rows a node: fewer, and blocks cost too much

    const InStep* steps_;
    std::size_t width_;
#if PENJING_X86
    std::optional<Sevens> sevens_;
#endif
};

}  // namespace penjing
