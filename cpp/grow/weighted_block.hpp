// The rows of all large open nodes, node after node: row numbers, weights, items and bucket
// codes. A node is partitioned in place, so that memory stays close to the size of the table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"

namespace penjing {

// The rows of one node in a RowArrays; valid until that is resized.
template <class Item>
struct NodeBlock {
    std::size_t begin = 0;
    std::size_t n = 0;
    std::uint32_t* rows = nullptr;
    double* weight = nullptr;                             // null: one each
    Item* items = nullptr;                                // absent in small nodes
    std::uint16_t* labels = nullptr;                      // the classes; absent in small nodes
    const GrowableBuffer<std::uint8_t>* codes = nullptr;  // absent in small nodes

    [[nodiscard]] std::uint8_t* codes_of(std::size_t slot) const {
        return codes[slot].get() + begin;
    }
};

template <class Item>
class RowArrays {
  public:
    RowArrays(bool has_weight, bool has_labels, std::size_t n_slots)
        : has_weight_(has_weight), has_labels_(has_labels), codes_(n_slots) {}

    // Make room for n rows in total.
    void reserve(std::size_t n) {
        if (n <= size_) {
            return;
        }
        // Some spare room: untouched pages take no memory.
        size_ = size_ == 0 ? n : std::max(n, size_ + size_ / 8);
        rows_.grow(size_);
        items_.grow(size_);
        if (has_weight_) {
            weight_.grow(size_);
        }
        if (has_labels_) {
            labels_.grow(size_);
        }
        for (auto& column : codes_) {
            column.grow(size_);
        }
    }
    [[nodiscard]] NodeBlock<Item> block(std::size_t begin, std::size_t n) const {
        return {begin,
                n,
                rows_.get() + begin,
                has_weight_ ? weight_.get() + begin : nullptr,
                items_.get() + begin,
                has_labels_ ? labels_.get() + begin : nullptr,
                codes_.data()};
    }
    // Move a node into arrays of its own and release its pages here.
    [[nodiscard]] RowArrays extract(const NodeBlock<Item>& block, bool has_codes) const {
        RowArrays own_arrays(has_weight_, has_labels_, codes_.size());
        own_arrays.reserve(block.n + block.n / 4);
        const auto move = [&](const auto& from, const auto& to) {
            std::copy_n(from.get() + block.begin, block.n, to.get());
            from.release_pages(block.begin, block.begin + block.n);
        };
        move(rows_, own_arrays.rows_);
        if (has_weight_) {
            move(weight_, own_arrays.weight_);
        }
        if (has_codes) {
            move(items_, own_arrays.items_);
            if (has_labels_) {
                move(labels_, own_arrays.labels_);
            }
            for (std::size_t slot = 0; slot < codes_.size(); ++slot) {
                move(codes_[slot], own_arrays.codes_[slot]);
            }
        }
        return own_arrays;
    }

  private:
    bool has_weight_, has_labels_;
    std::size_t size_ = 0;
    GrowableBuffer<std::uint32_t> rows_;
    GrowableBuffer<double> weight_;
    GrowableBuffer<Item> items_;
    GrowableBuffer<std::uint16_t> labels_;
    std::vector<GrowableBuffer<std::uint8_t>> codes_;
};

}  // namespace penjing
