// Codes for columns that came as plain numbers, for kernels that want every column coded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "encode/dictionary.hpp"
#include "grow/request.hpp"

namespace penjing {

struct Coded {
    Order order;

    Coded(const Order& raw, ThreadPool& pool)
        : order(raw), levels_(raw.columns.size()), codes_(raw.columns.size()) {
        pool.run(order.columns.size(), [&](std::size_t c, int) {
            GrowColumn& column = order.columns[c];
            if (column.codes != nullptr) {
                return;
            }
            std::vector<double> numbers(order.n_rows);
            for (std::size_t i = 0; i < order.n_rows; ++i) {
                numbers[i] = column.numbers[i * column.stride];
            }
            codes_[c].resize(order.n_rows);
            levels_[c] = code_floats(numbers, codes_[c]).levels;
            column.codes = codes_[c].data();
            column.levels = levels_[c].data();
            column.n_levels = static_cast<std::int32_t>(levels_[c].size());
        });
    }
    Coded(const Coded&) = delete;
    Coded& operator=(const Coded&) = delete;

  private:
    std::vector<std::vector<double>> levels_;
    std::vector<std::vector<std::int32_t>> codes_;
};

}  // namespace penjing
