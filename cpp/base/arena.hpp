// One allocation for many arrays, each of which may be too small for a huge page.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"

namespace penjing {

class Arena {
  public:
    static constexpr std::size_t alignment = 64;  // bytes: a cache line

    void prepare(std::size_t size) {
        size_ = size;
        memory_ = HugePageBuffer<std::uint8_t>(size);
    }
    // Returns null if the arena is full. Threads may allocate at the same time.
    void* allocate(std::size_t size) {
        size = (size + alignment - 1) / alignment * alignment;
        const std::size_t at = used_.fetch_add(size, std::memory_order_relaxed);
        return at + size <= size_ ? memory_.get() + at : nullptr;
    }

  private:
    HugePageBuffer<std::uint8_t> memory_;
    std::size_t size_ = 0;
    std::atomic<std::size_t> used_{0};
};

}  // namespace penjing
