// Chooses the fastest walk for many rows: three levels per step with AVX-512, else one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/simd.hpp"
#include "predict/lockstep.hpp"
#include "predict/lockstep_triple.hpp"

namespace penjing {

// Whether one of n numbers is NaN.
inline bool has_nan(const double* x, std::size_t n) {
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) {
        any |= std::isnan(x[i]);
    }
    return any;
}

class LockstepDispatch {
  public:
    // Slots of the tree are below `width`. The tree is not copied.
    LockstepDispatch(const Lockstep& tree, std::size_t width, std::size_t n_rows)
        : lockstep_(&tree), width_(width) {
#if PENJING_X86
        if (has_avx512() && width <= LockstepTriple::max_columns &&
            n_rows >= min_rows_per_node * tree.size()) {
            triple_.emplace(tree, width);
        }
#endif
    }

    // Call visit(i, node) for the rows of [0, n) without missing values and fallback(i) for the
    // others. Rows are `stride` apart in memory.
    template <class Visit, class Fallback>
    void walk(const double* first, std::size_t stride, std::size_t n, const Visit& visit,
              const Fallback& fallback) const {
        std::size_t row = 0;
        const auto next = [&](std::size_t batch_size) {
            return first + (row + std::min(prefetch_distance, n - row - batch_size)) * stride;
        };
#if PENJING_X86
        if (triple_) {
            LockstepTriple::NodeIds at;
            for (constexpr auto batch = LockstepTriple::batch_size; row + batch <= n;
                 row += batch) {
                const unsigned rows_with_missing =
                    triple_->walk(first + row * stride, stride, next(batch), at);
                if (rows_with_missing == 0) {  // the common case, without a test for each row
                    for (std::size_t k = 0; k < batch; ++k) {
                        visit(row + k, at[k]);
                    }
                    continue;
                }
                for (std::size_t k = 0; k < batch; ++k) {
                    if ((rows_with_missing >> k & 1U) != 0) {
                        fallback(row + k);
                    } else {
                        visit(row + k, at[k]);
                    }
                }
            }
        }
#endif
        Lockstep::NodeIds at;
        for (constexpr auto batch = Lockstep::batch_size; row + batch <= n; row += batch) {
            const double* here = first + row * stride;
            // A sequential read first: it brings the rows into the cache before the walk reads
            // them in random order.
            const bool any_nan = has_nan(here, (batch - 1) * stride + width_);
            lockstep_->walk(here, stride, next(batch), at);
            for (std::size_t k = 0; k < batch; ++k) {
                if (any_nan && has_nan(here + k * stride, width_)) {
                    fallback(row + k);
                } else {
                    visit(row + k, static_cast<std::int32_t>(at[k]));
                }
            }
        }
        for (; row < n; ++row) {
            fallback(row);
        }
    }

  private:
    static constexpr std::size_t prefetch_distance = 16;  // in rows
    static constexpr std::size_t min_rows_per_node =
        4;  // with fewer, building blocks costs too much

    const Lockstep* lockstep_;
    std::size_t width_;
#if PENJING_X86
    std::optional<LockstepTriple> triple_;
#endif
};

}  // namespace penjing
