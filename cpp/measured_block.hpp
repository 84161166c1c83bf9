// The rows of one large node side by side: their numbers, weights, items and bucket codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace penjing {

struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
};

// Memory of nodes that are done, for those to come.
class BlockPool {
  public:
    Memory take(std::size_t size) {
        std::size_t best = free_.size();
        for (std::size_t i = 0; i < free_.size(); ++i) {
            if (free_[i].size >= size &&
                (best == free_.size() || free_[i].size < free_[best].size)) {
                best = i;
            }
        }
        // Not a block far too large: a larger node may want it.
        if (best < free_.size() && free_[best].size / 2 <= size) {
            Memory found = std::move(free_[best]);
            free_[best] = std::move(free_.back());
            free_.pop_back();
            return found;
        }
        return {std::unique_ptr<std::byte[]>(new std::byte[size]), size};
    }
    void take_back(Memory memory) {
        if (!memory.bytes) {
            return;
        }
        free_.push_back(std::move(memory));
        if (free_.size() > most) {  // the smallest is the easiest to have again
            auto least = std::min_element(
                free_.begin(), free_.end(),
                [](const Memory& a, const Memory& b) { return a.size < b.size; });
            *least = std::move(free_.back());
            free_.pop_back();
        }
    }

  private:
    static constexpr std::size_t most = 6;
    std::vector<Memory> free_;
};

template <class Item>
struct Block {
    Memory memory;
    std::size_t n = 0;
    std::size_t stride = 0;  // of codes
    std::uint32_t* rows = nullptr;
    double* weight = nullptr;         // null: one each
    Item* items = nullptr;            // null in small nodes
    std::uint16_t* labels = nullptr;  // of classes
    std::uint8_t* codes = nullptr;

    Block() = default;
    Block(BlockPool& pool, std::size_t n_rows, bool has_weight, bool has_labels,
          std::size_t n_slots, bool has_items)
        : n(n_rows), stride((n_rows + 63) / 64 * 64) {
        std::size_t size = 0;
        const auto room = [&](std::size_t bytes) {
            const std::size_t at = size;
            size += (bytes + 63) / 64 * 64;
            return at;
        };
        const std::size_t rows_at = room(stride * sizeof(std::uint32_t));
        const std::size_t weight_at = room(has_weight ? stride * sizeof(double) : 0);
        const std::size_t items_at = room(has_items ? stride * sizeof(Item) : 0);
        const std::size_t labels_at = room(has_labels ? stride * sizeof(std::uint16_t) : 0);
        const std::size_t codes_at = room(stride * n_slots);
        memory = pool.take(std::max<std::size_t>(size, 64));
        std::byte* base = memory.bytes.get();
        rows = reinterpret_cast<std::uint32_t*>(base + rows_at);
        weight = has_weight ? reinterpret_cast<double*>(base + weight_at) : nullptr;
        items = has_items ? reinterpret_cast<Item*>(base + items_at) : nullptr;
        labels = has_labels ? reinterpret_cast<std::uint16_t*>(base + labels_at) : nullptr;
        codes = n_slots > 0 ? reinterpret_cast<std::uint8_t*>(base + codes_at) : nullptr;
    }
    [[nodiscard]] std::uint8_t* codes_of(std::size_t slot) const {
        return codes + slot * stride;
    }
};

}  // namespace penjing
