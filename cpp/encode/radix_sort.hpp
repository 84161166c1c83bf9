// Sorts the rows of a node by bucket and fine code, two bytes that have the order of the
// values. Only rows that agree in both are compared by value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace penjing {

class CodeRadixSort {
  public:
    // After it, the i-th row in order is id(i), and differs(i) says whether its value is not
    // that of the row before. `value_of(id)` is called only for rows that share both codes in a
    // bucket for which `has_several_values` is true.
    template <class ValueOf, class HasSeveralValues>
    void sort(const std::uint8_t* buckets, const std::uint8_t* fine, std::size_t n,
              ValueOf&& value_of, HasSeveralValues&& has_several_values) {
        sort_by_code(buckets, fine, n);
        differs_.assign(n, 1);
        const auto code = [&](std::size_t i) {
            const std::uint32_t id = ids_[i];
            return static_cast<std::uint32_t>(buckets[id]) << 8 | fine[id];
        };
        std::uint32_t last = n > 0 ? code(0) : 0;
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= n; ++i) {
            const std::uint32_t here = i < n ? code(i) : last + 1;
            if (here != last) {
                if (i - begin > 1) {
                    sort_equal_codes(begin, i, value_of, has_several_values(last >> 8));
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

    static void exclusive_prefix_sum(Counts& counts) {
        std::uint32_t sum = 0;
        for (std::uint32_t& count : counts) {
            const std::uint32_t here = count;
            count = sum;
            sum += here;
        }
    }

    void sort_by_code(const std::uint8_t* buckets, const std::uint8_t* fine, std::size_t n) {
        Counts bucket_counts{};
        Counts fine_counts{};
        for (std::size_t i = 0; i < n; ++i) {
            ++bucket_counts[buckets[i]];
            ++fine_counts[fine[i]];
        }
        exclusive_prefix_sum(bucket_counts);
        exclusive_prefix_sum(fine_counts);
        spare_ids_.resize(n);
        ids_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            spare_ids_[fine_counts[fine[i]]++] = static_cast<std::uint32_t>(i);
        }
        for (std::size_t i = 0; i < n; ++i) {
            ids_[bucket_counts[buckets[spare_ids_[i]]]++] = spare_ids_[i];
        }
    }

    template <class ValueOf>
    void sort_equal_codes(std::size_t begin, std::size_t end, ValueOf&& value_of,
                          bool has_several) {
        if (!has_several) {
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

    std::vector<std::uint32_t> ids_, spare_ids_;
    std::vector<std::uint8_t> differs_;
    std::vector<std::pair<double, std::uint32_t>> values_;
};

}  // namespace penjing
