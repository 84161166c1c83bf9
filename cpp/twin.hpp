// Arrays in pairs: a node lives in one, its children in the other, so that dividing it is a
// copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "view.hpp"

namespace penjing {

// Room for many arrays at once: each alone may be too small for a large page.
class Pool {
  public:
    void prepare(std::size_t size) {
        size_ = size;
        room_ = Large<std::uint8_t>(size);
    }
    // Null if there is no more.
    void* take(std::size_t size) {
        size = (size + line - 1) / line * line;
        const std::size_t at = used_.fetch_add(size, std::memory_order_relaxed);
        return at + size <= size_ ? room_.get() + at : nullptr;
    }
    static constexpr std::size_t line = 64;

  private:
    Large<std::uint8_t> room_;
    std::size_t size_ = 0;
    std::atomic<std::size_t> used_{0};
};

template <class T>
struct Twin {  // an array and its twin; nodes of even depth live in the first
    T* side[2] = {nullptr, nullptr};
    Large<T> own[2];
    void prepare(std::size_t n, Pool* pool = nullptr) {
        for (int s = 0; s < 2; ++s) {
            side[s] = pool == nullptr ? nullptr : static_cast<T*>(pool->take(n * sizeof(T)));
            if (side[s] == nullptr) {
                own[s] = Large<T>(n);
                side[s] = own[s].get();
            }
        }
    }
    // All nodes live in one array, and are divided where they lie.
    void prepare_one(std::size_t n, Pool& pool) {
        side[0] = static_cast<T*>(pool.take(n * sizeof(T)));
        if (side[0] == nullptr) {
            own[0] = Large<T>(n);
            side[0] = own[0].get();
        }
        side[1] = side[0];
    }
    [[nodiscard]] bool empty() const { return side[0] == nullptr; }
    T* at(std::int64_t depth, std::size_t begin) const { return side[depth & 1] + begin; }
};

}  // namespace penjing
