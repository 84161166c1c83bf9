// The rows of the large nodes that are still open, one node behind the other: their numbers,
// weights, items and bucket codes. A node is divided where it lies, so that they take hardly
// more room than the rows of the table, however many nodes there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace penjing {

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

// The rows of one node, as they lie in a `Ground`; good until that is made larger.
template <class Item>
struct Block {
    std::size_t begin = 0;
    std::size_t n = 0;
    std::uint32_t* rows = nullptr;
    double* weight = nullptr;                      // null: one each
    Item* items = nullptr;                         // not there in small nodes
    std::uint16_t* labels = nullptr;               // of classes; not there in small nodes
    const Stretch<std::uint8_t>* codes = nullptr;  // the same

    [[nodiscard]] std::uint8_t* codes_of(std::size_t slot) const {
        return codes[slot].get() + begin;
    }
};

template <class Item>
class Ground {
  public:
    Ground(bool has_weight, bool has_labels, std::size_t n_slots)
        : has_weight_(has_weight), has_labels_(has_labels), codes_(n_slots) {}

    // Make room for so many rows in all.
    void reserve(std::size_t n) {
        if (n <= size_) {
            return;
        }
        // A little more than is asked for: what is not touched is not there.
        size_ = size_ == 0 ? n : std::max(n, size_ + size_ / 8);
        rows_.stretch(size_);
        items_.stretch(size_);
        if (has_weight_) {
            weight_.stretch(size_);
        }
        if (has_labels_) {
            labels_.stretch(size_);
        }
        for (auto& column : codes_) {
            column.stretch(size_);
        }
    }
    [[nodiscard]] Block<Item> block(std::size_t begin, std::size_t n) const {
        return {begin,
                n,
                rows_.get() + begin,
                has_weight_ ? weight_.get() + begin : nullptr,
                items_.get() + begin,
                has_labels_ ? labels_.get() + begin : nullptr,
                codes_.data()};
    }
    // A node that goes on by itself; here nothing is left of it.
    [[nodiscard]] Ground apart(const Block<Item>& block, bool has_codes) const {
        Ground own(has_weight_, has_labels_, codes_.size());
        own.reserve(block.n + block.n / 4);
        const auto move = [&](const auto& from, const auto& to) {
            std::copy_n(from.get() + block.begin, block.n, to.get());
            from.forget(block.begin, block.begin + block.n);
        };
        move(rows_, own.rows_);
        if (has_weight_) {
            move(weight_, own.weight_);
        }
        if (has_codes) {
            move(items_, own.items_);
            if (has_labels_) {
                move(labels_, own.labels_);
            }
            for (std::size_t slot = 0; slot < codes_.size(); ++slot) {
                move(codes_[slot], own.codes_[slot]);
            }
        }
        return own;
    }

  private:
    bool has_weight_, has_labels_;
    std::size_t size_ = 0;
    Stretch<std::uint32_t> rows_;
    Stretch<double> weight_;
    Stretch<Item> items_;
    Stretch<std::uint16_t> labels_;
    std::vector<Stretch<std::uint8_t>> codes_;
};

}  // namespace penjing
