// A pair of arrays: nodes of even depth use the first and nodes of odd depth the second, so
// that rows are partitioned by copying and no two nodes write to the same place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/arena.hpp"
#include "base/buffer.hpp"

namespace penjing {

template <class T>
struct DoubleBuffer {
    T* side[2] = {nullptr, nullptr};
    std::vector<HugePageBuffer<T>> owned;  // the arrays that are in no arena

    void prepare(std::size_t n, Arena* arena = nullptr) {
        for (T*& array : side) {
            array = allocate(n, arena);
        }
    }
    // One array for all depths, for nodes that are partitioned in place.
    void prepare_single(std::size_t n, Arena& arena) {
        side[0] = side[1] = allocate(n, &arena);
    }
    [[nodiscard]] bool empty() const { return side[0] == nullptr; }
    T* at(std::int64_t depth, std::size_t begin) const { return side[depth & 1] + begin; }

  private:
    T* allocate(std::size_t n, Arena* arena) {
        void* memory = arena == nullptr ? nullptr : arena->allocate(n * sizeof(T));
        if (memory == nullptr) {
            owned.emplace_back(n);
            memory = owned.back().get();
        }
        return static_cast<T*>(memory);
    }
};

}  // namespace penjing
