// A request in which every column is encoded, for kernels that work on codes only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "encode/dictionary.hpp"
#include "grow/request.hpp"

namespace penjing {

struct EncodedRequest {
    GrowRequest request;

    EncodedRequest(const GrowRequest& raw, ThreadPool& pool)
        : request(raw), levels_(raw.columns.size()), codes_(raw.columns.size()) {
        pool.run(request.columns.size(), [&](std::size_t c, int) {
            GrowColumn& column = request.columns[c];
            if (column.codes != nullptr) {
                return;
            }
            std::vector<double> numbers(request.n_rows);
            for (std::size_t i = 0; i < request.n_rows; ++i) {
                numbers[i] = column.numbers[i * column.stride];
            }
            codes_[c].resize(request.n_rows);
            levels_[c] = encode_floats(numbers, codes_[c]).levels;
            column.codes = codes_[c].data();
            column.levels = levels_[c].data();
            column.n_levels = static_cast<std::int32_t>(levels_[c].size());
        });
    }
    EncodedRequest(const EncodedRequest&) = delete;
    EncodedRequest& operator=(const EncodedRequest&) = delete;

  private:
    std::vector<std::vector<double>> levels_;
    std::vector<std::vector<std::int32_t>> codes_;
};

}  // namespace penjing
