// Spans over what belongs to somebody else: kernels read and write through these and own
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace penjing {

template <class T>
using View = std::span<const T>;

template <class T>
using Room = std::span<T>;  // where a kernel writes its answer

// The code of a value that is not known.
inline constexpr std::int32_t missing = -1;

// The rows of one column, either as numbers (NaN: missing) or as codes (-1: missing).
// Neither: the column was not handed in.
struct ColumnView {
    const double* numbers = nullptr;
    const std::int32_t* codes = nullptr;

    [[nodiscard]] bool empty() const { return numbers == nullptr && codes == nullptr; }
};

}  // namespace penjing
