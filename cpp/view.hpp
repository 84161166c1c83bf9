// Spans over what belongs to somebody else: kernels read and write through these and own
// nothing. And the one thing that owns: a buffer whose memory is not touched before it is
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace penjing {

template <class T>
using View = std::span<const T>;

template <class T>
using Room = std::span<T>;  // where a kernel writes its answer

// A vector would fill itself with zeros first: one more pass over fresh memory.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t size)
        : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

    [[nodiscard]] T* data() { return data_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Room<T> room() { return {data_.get(), size_}; }
    [[nodiscard]] T* release() { return data_.release(); }

  private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0;
};

// The code of a value that is not known.
inline constexpr std::int32_t missing = -1;

// The rows of one column, either as numbers (NaN: missing) or as codes (-1: missing; less than
// that, or a code that the node knows no branch for: never seen). Neither: not handed in.
struct ColumnView {
    const double* numbers = nullptr;
    const std::int32_t* codes = nullptr;
    std::size_t stride = 1;  // of numbers: a column of a matrix will do

    [[nodiscard]] bool empty() const { return numbers == nullptr && codes == nullptr; }
};

}  // namespace penjing
