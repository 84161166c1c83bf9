// Spans over what belongs to somebody else: kernels read and write through these and own
// nothing. And the one thing that owns: a buffer whose memory is not touched before it is
// written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace penjing {

template <class T>
using View = std::span<const T>;

template <class T>
using Room = std::span<T>;  // where a kernel writes its answer

// Room for n values, in large pages where the system has them: of small ones a big table takes
// ten thousand, each a trip into the system. Not touched before it is written.
template <class T>
class Large {
  public:
    Large() = default;
    explicit Large(std::size_t n) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t size = std::max<std::size_t>(n * sizeof(T), 1);
#if defined(__linux__)
        if (size >= 2 * page) {  // of its own: gone at once when it is done with
            void* room = mmap(nullptr, size + page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (room == MAP_FAILED) {
                throw std::bad_alloc();
            }
            const auto at = (reinterpret_cast<std::uintptr_t>(room) + page - 1) / page * page;
            data_ = {reinterpret_cast<T*>(at), Free{room, size + page}};
            madvise(data_.get(), size,
                    MADV_HUGEPAGE);  // advice: it does not matter if nobody heeds it
            return;
        }
#endif
        void* room = std::malloc(size);
        if (room == nullptr) {
            throw std::bad_alloc();
        }
        data_ = {static_cast<T*>(room), Free{}};
    }
    [[nodiscard]] T* get() const { return data_.get(); }
    [[nodiscard]] bool empty() const { return data_ == nullptr; }

  private:
    static_assert(std::is_trivial_v<T>);
    struct Free {
        void* mapped = nullptr;
        std::size_t size = 0;
        void operator()(T* room) const {
#if defined(__linux__)
            if (mapped != nullptr) {
                munmap(mapped, size);
                return;
            }
#endif
            std::free(room);
        }
    };
    std::unique_ptr<T, Free> data_;
};

// Room that may become larger, and is not touched before it is written.
template <class T>
class Stretch {
  public:
    Stretch() = default;
    Stretch(const Stretch&) = delete;
    Stretch& operator=(const Stretch&) = delete;
    Stretch(Stretch&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Stretch& operator=(Stretch&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Stretch() { std::free(data_); }

    [[nodiscard]] T* get() const { return data_; }

    // What was there stays.
    T* stretch(std::size_t n) {
        if (n > size_) {
            void* room = std::realloc(data_, n * sizeof(T));
            if (room == nullptr) {
                throw std::bad_alloc();
            }
            data_ = static_cast<T*>(room);
            size_ = n;
        }
        return data_;
    }
    // Nothing of what was there is wanted.
    T* fresh(std::size_t n) {
        if (n > size_) {
            std::free(std::exchange(data_, nullptr));
            size_ = 0;
        }
        return stretch(n);
    }
    // The system may have back what lies between two places; nothing is there any more.
    void forget(std::size_t begin, std::size_t end) const {
#if defined(__linux__)
        constexpr std::uintptr_t page = 4096;
        const auto first = (reinterpret_cast<std::uintptr_t>(data_ + begin) + page - 1) / page;
        const auto last = reinterpret_cast<std::uintptr_t>(data_ + end) / page;
        if (data_ != nullptr && first < last) {
            madvise(reinterpret_cast<void*>(first * page), (last - first) * page,
                    MADV_DONTNEED);
        }
#else
        static_cast<void>(begin);
        static_cast<void>(end);
#endif
    }

  private:
    static_assert(std::is_trivially_copyable_v<T>);
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// Large room that knows its size. A vector would fill itself with zeros first: one more pass
// over fresh memory.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : data_(size), size_(size) {}

    [[nodiscard]] T* data() { return data_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Room<T> room() { return {data_.get(), size_}; }

  private:
    Large<T> data_;
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
