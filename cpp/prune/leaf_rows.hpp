// The rows of each leaf of a tree that is being pruned, as linked lists: the rows of leaves
// that become one are joined in constant time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

class LeafRows {
  public:
    static constexpr std::uint32_t none = 0xffffffffU;

    LeafRows(std::size_t n_nodes, std::size_t n_rows)
        : first_(n_nodes, none), last_(n_nodes, none), next_(n_rows, none) {}

    [[nodiscard]] std::uint32_t first(std::uint32_t leaf) const { return first_[leaf]; }
    [[nodiscard]] std::uint32_t next(std::uint32_t row) const { return next_[row]; }

    void add(std::uint32_t leaf, std::uint32_t row) {
        next_[row] = first_[leaf];
        first_[leaf] = row;
        if (last_[leaf] == none) {
            last_[leaf] = row;
        }
    }

    // Move the rows of one leaf to another.
    void move(std::uint32_t from, std::uint32_t to) {
        if (from == to || first_[from] == none) {
            return;
        }
        next_[last_[from]] = first_[to];
        first_[to] = first_[from];
        if (last_[to] == none) {
            last_[to] = last_[from];
        }
        first_[from] = last_[from] = none;
    }

  private:
    std::vector<std::uint32_t> first_, last_;  // of each node
    std::vector<std::uint32_t> next_;          // of each row
};

// Whether sums of weights are exact in any order: they are whole, and not too large.
inline bool has_whole_weights(const GrowRequest& request) {
    if (request.weight == nullptr) {
        return true;
    }
    constexpr double most = 9007199254740992.0;  // 2^53
    double sum = 0;
    for (std::size_t row = 0; row < request.n_rows; ++row) {
        const double weight = request.weight[row];
        if (!(weight >= 0) || weight != std::floor(weight)) {
            return false;
        }
        sum += weight;
    }
    return sum < most;
}

}  // namespace penjing
