// Encodes numbers by quantile edges as two bytes: a bucket, and a cell inside the bucket.
//
// Cell i holds the numbers in [edge i - 1, edge i).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "encode/bucketize.hpp"

namespace penjing {

class Quantiles {
  public:
    Quantiles(std::vector<double> edges, const std::vector<std::uint8_t>& high,
              const std::vector<std::uint8_t>& low)
        : edges_(std::move(edges)) {
        if (high.size() != edges_.size() + 1 || low.size() != high.size()) {
            throw std::invalid_argument("one code more than edges");
        }
        if (!std::is_sorted(edges_.begin(), edges_.end())) {
            throw std::invalid_argument("edges must ascend");
        }
        std::vector<double> borders;
        for (std::size_t i = 0; i < high.size(); ++i) {
            const bool is_new = i == 0 || high[i] != high[i - 1];
            if (high[i] != first_.size() - (is_new ? 0 : 1) ||
                low[i] != (is_new ? 0 : low[i - 1] + 1)) {
                throw std::invalid_argument("cells are counted, bucket by bucket");
            }
            if (is_new) {
                first_.push_back(i);
                if (i > 0) {
                    borders.push_back(edges_[i - 1]);
                }
            }
        }
        first_.push_back(high.size());
        bucketizer_ = Bucketizer(std::move(borders));
    }

    // The buckets of n numbers.
    SpecialValues buckets(const double* x, std::size_t n, std::uint8_t* high) const {
        return bucketizer_.code(x, n, high);
    }

    // The cell of a number inside its bucket.
    [[nodiscard]] std::uint8_t low(std::uint8_t high, double x) const {
        if (high >= n_buckets()) {  // NaN
            return 0;
        }
        const double* edge = edges_.data() + first_[high];
        std::size_t at = 0;
        std::size_t n = first_[high + 1U] - first_[high] - 1;  // edges inside the bucket
        while (n > 0) {
            const std::size_t half = (n + 1) / 2;
            at += edge[at + half - 1] <= x ? half : 0;
            n -= half;
        }
        return static_cast<std::uint8_t>(at);
    }

    // Both bytes of n numbers.
    SpecialValues code(const double* x, std::size_t n, std::uint8_t* high,
                       std::uint8_t* low_of) const {
        const SpecialValues special = buckets(x, n, high);
        for (std::size_t i = 0; i < n; ++i) {
            low_of[i] = low(high[i], x[i]);
        }
        return special;
    }

    // The number of edges that are <= x.
    [[nodiscard]] std::size_t cell(double x) const {
        const std::size_t high = bucketizer_.bucket(x);
        return first_[high] + low(static_cast<std::uint8_t>(high), x);
    }

  private:
    [[nodiscard]] std::size_t n_buckets() const { return first_.size() - 1; }

    std::vector<double> edges_;
    std::vector<std::size_t> first_;  // first cell of each bucket, and the number of cells
    Bucketizer bucketizer_{{}};
};

}  // namespace penjing
