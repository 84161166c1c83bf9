// The rows of a node, in the order of the table, and their weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penjing {

struct NodeRows {
    std::vector<std::uint32_t> ids;
    std::vector<double> weight;  // empty: one each
    bool is_weighted = false;    // also where there are no rows
};

struct RowsView {
    const std::uint32_t* ids;
    const double* weight;  // null: one each
    std::size_t n;

    [[nodiscard]] double weight_of(std::size_t i) const {
        return weight == nullptr ? 1.0 : weight[i];
    }
};

inline RowsView view_of(const NodeRows& rows) {
    return {rows.ids.data(), rows.weight.empty() ? nullptr : rows.weight.data(),
            rows.ids.size()};
}

}  // namespace penjing
