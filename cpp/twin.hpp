// Arrays in pairs: a node lives in one, its children in the other, so that dividing it is a
// copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

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
    std::vector<Large<T>> own;  // of those that are in no pool
    void prepare(std::size_t n, Pool* pool = nullptr) {
        for (T*& room : side) {
            room = take(n, pool);
        }
    }
    // All nodes live in one array, and are divided where they lie.
    void prepare_one(std::size_t n, Pool& pool) { side[0] = side[1] = take(n, &pool); }
    [[nodiscard]] bool empty() const { return side[0] == nullptr; }
    T* at(std::int64_t depth, std::size_t begin) const { return side[depth & 1] + begin; }

  private:
    T* take(std::size_t n, Pool* pool) {
        void* room = pool == nullptr ? nullptr : pool->take(n * sizeof(T));
        if (room == nullptr) {
            own.emplace_back(n);
            room = own.back().get();
        }
        return static_cast<T*>(room);
    }
};

}  // namespace penjing
