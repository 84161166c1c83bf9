// Sorts the rows of a small node by bucket and finer code, two bytes that keep the order of the
// values; only rows that share both have to be told apart by the values themselves.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penjing {

class CodeSort {
  public:
    // Afterwards the i-th row in order has number id(i), and differs(i) from the one before.
    // `value_of(id)` is asked only for rows that share their code in a bucket that `is_many`.
    template <class ValueOf, class IsMany>
    void sort(const std::uint8_t* buckets, const std::uint8_t* finer, std::size_t n,
              ValueOf&& value_of, IsMany&& is_many) {
        by_code(buckets, finer, n);
        differs_.assign(n, 1);
        const auto code = [&](std::size_t i) {
            const std::uint32_t id = ids_[i];
            return static_cast<std::uint32_t>(buckets[id]) << 8 | finer[id];
        };
        std::uint32_t last = n > 0 ? code(0) : 0;
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= n; ++i) {
            const std::uint32_t here = i < n ? code(i) : last + 1;
            if (here != last) {
                if (i - begin > 1) {
                    tell_apart(begin, i, value_of, is_many(last >> 8));
                }
                begin = i;
                last = here;
            }
        }
        if (n > 0) {
            differs_[0] = 0;
        }
    }
    [[nodiscard]] std::uint32_t id(std::size_t i) const { return ids_[i]; }
    [[nodiscard]] bool differs(std::size_t i) const { return differs_[i] != 0; }

  private:
    using Counts = std::array<std::uint32_t, 256>;

    static void add_up(Counts& counts) {
        std::uint32_t sum = 0;
        for (std::uint32_t& count : counts) {
            const std::uint32_t here = count;
            count = sum;
            sum += here;
        }
    }

    void by_code(const std::uint8_t* buckets, const std::uint8_t* finer, std::size_t n) {
        Counts coarse{};
        Counts fine{};
        for (std::size_t i = 0; i < n; ++i) {
            ++coarse[buckets[i]];
            ++fine[finer[i]];
        }
        add_up(coarse);
        add_up(fine);
        half_.resize(n);
        ids_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            half_[fine[finer[i]]++] = static_cast<std::uint32_t>(i);
        }
        for (std::size_t i = 0; i < n; ++i) {
            ids_[coarse[buckets[half_[i]]]++] = half_[i];
        }
    }

    template <class ValueOf>
    void tell_apart(std::size_t begin, std::size_t end, ValueOf&& value_of, bool many) {
        if (!many) {
            std::fill(differs_.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                      differs_.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{0});
            return;
        }
        values_.clear();
        for (std::size_t i = begin; i < end; ++i) {
            values_.push_back({value_of(ids_[i]), ids_[i]});
        }
        std::sort(values_.begin(), values_.end());
        for (std::size_t i = begin; i < end; ++i) {
            const auto& [value, id] = values_[i - begin];
            ids_[i] = id;
            if (i > begin) {
                differs_[i] = value != values_[i - begin - 1].first ? 1 : 0;
            }
        }
    }

    std::vector<std::uint32_t> ids_, half_;
    std::vector<std::uint8_t> differs_;
    std::vector<std::pair<double, std::uint32_t>> values_;
};

}  // namespace penjing
