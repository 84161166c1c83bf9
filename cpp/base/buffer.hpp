// Owning buffers whose memory is not initialized, unlike that of std::vector: filling a large
// one with zeros would cost an extra pass over fresh memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/view.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace penjing {

// Uninitialized memory for n values, in huge pages where the system has them: with small pages
// a large table causes ten thousand page faults.
template <class T>
class HugePageBuffer {
  public:
    HugePageBuffer() = default;
    explicit HugePageBuffer(std::size_t n) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t size = std::max<std::size_t>(n * sizeof(T), 1);
#if defined(__linux__)
        if (size >= 2 * page) {  // its own mapping: returned to the system when it is freed
            void* memory = mmap(nullptr, size + page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED) {
                throw std::bad_alloc();
            }
            const auto aligned =
                (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
            data_ = {reinterpret_cast<T*>(aligned), Free{memory, size + page}};
            madvise(data_.get(), size, MADV_HUGEPAGE);  // only advice: failure does not matter
            return;
        }
#endif
        void* memory = std::malloc(size);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        data_ = {static_cast<T*>(memory), Free{}};
    }
    [[nodiscard]] T* get() const { return data_.get(); }
    [[nodiscard]] bool empty() const { return data_ == nullptr; }

  private:
    static_assert(std::is_trivial_v<T>);
    struct Free {
        void* mapped = nullptr;
        std::size_t size = 0;
        void operator()(T* memory) const {
#if defined(__linux__)
            if (mapped != nullptr) {
                munmap(mapped, size);
                return;
            }
#endif
            std::free(memory);
        }
    };
    std::unique_ptr<T, Free> data_;
};

// Uninitialized memory that can grow.
template <class T>
class GrowableBuffer {
  public:
    GrowableBuffer() = default;
    GrowableBuffer(const GrowableBuffer&) = delete;
    GrowableBuffer& operator=(const GrowableBuffer&) = delete;
    GrowableBuffer(GrowableBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    GrowableBuffer& operator=(GrowableBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~GrowableBuffer() { std::free(data_); }

    [[nodiscard]] T* get() const { return data_; }

    // Make room for n values and keep the content.
    T* grow(std::size_t n) {
        if (n > size_) {
            void* memory = std::realloc(data_, n * sizeof(T));
            if (memory == nullptr) {
                throw std::bad_alloc();
            }
            data_ = static_cast<T*>(memory);
            size_ = n;
        }
        return data_;
    }
    // Make room for n values and discard the content.
    T* reset(std::size_t n) {
        if (n > size_) {
            std::free(std::exchange(data_, nullptr));
            size_ = 0;
        }
        return grow(n);
    }
    // Return the whole pages in [begin, end) to the system; their content is lost.
    void release_pages(std::size_t begin, std::size_t end) const {
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

// A huge-page buffer that knows its size.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : data_(size), size_(size) {}

    [[nodiscard]] T* data() { return data_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] MutableView<T> view() { return {data_.get(), size_}; }

  private:
    HugePageBuffer<T> data_;
    std::size_t size_ = 0;
};

}  // namespace penjing
