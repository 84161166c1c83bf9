// Non-owning views of memory: what kernels read from and write to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace penjing {

template <class T>
using View = std::span<const T>;

template <class T>
using MutableView = std::span<T>;

// The code of a missing value.
inline constexpr std::int32_t missing_code = -1;

// The rows of one column, either as numbers (NaN: missing) or as codes (-1: missing; below -1,
// or a code that a node has no branch for: not seen in training). Both null: not given.
struct ColumnView {
    const double* numbers = nullptr;
    const std::int32_t* codes = nullptr;
    std::size_t stride = 1;  // of numbers, in elements: a column of a matrix is not copied

    [[nodiscard]] bool empty() const { return numbers == nullptr && codes == nullptr; }
};

}  // namespace penjing
