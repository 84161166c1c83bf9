// The rows of many nodes in the order of each column, for searches that go through the values
// of a column from the lowest to the highest.
//
// Nodes that share no row form a layer, such as one generation of a tree. The sorted rows of
// the table are dealt to the nodes of a layer in one pass, which takes less time than sorting
// the rows of every node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/node_rows.hpp"
#include "grow/sort_codes.hpp"

namespace penjing {

// What orders the rows of the table: a key of each row, and all rows in the order of their
// keys; rows with equal keys are in the order of the table. Without keys rows stay in that
// order.
struct RowKeys {
    const std::int32_t* key = nullptr;  // from -1 to n_keys - 1
    std::size_t n_keys = 0;
    const std::uint32_t* order = nullptr;
};

// The rows of the table in the order of the codes of a column, missing values first. Empty for
// so few codes that rows are better counted unsorted.
inline std::vector<std::uint32_t> order_of_rows(const std::int32_t* codes, std::size_t n_rows,
                                                std::size_t n_levels) {
    constexpr std::size_t few_levels = 64;
    if (n_levels <= few_levels) {
        return {};
    }
    std::vector<std::uint32_t> next(n_levels + 2, 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        ++next[static_cast<std::size_t>(codes[row] + 2)];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        order[next[static_cast<std::size_t>(codes[row] + 1)]++] =
            static_cast<std::uint32_t>(row);
    }
    return order;
}

class SortedNodeRows {
  public:
    SortedNodeRows(const std::vector<RowsView>& nodes, std::size_t n_rows)
        : nodes_(nodes), n_rows_(n_rows), node_of_(n_rows, nowhere) {}

    // Call search(node, column, rows in the order of the column, thread) for every column of
    // every node; poll between columns.
    template <class Search>
    void for_each(const std::vector<RowKeys>& columns, ThreadPool& pool,
                  const PollCallback& poll, const Search& search) {
        std::vector<Scratch> scratch(static_cast<std::size_t>(pool.size()));
        std::fill(node_of_.begin(), node_of_.end(), nowhere);
        first_ = 0;
        for (std::size_t first = 0; first < nodes_.size();) {
            const std::size_t last = mark_layer(first);
            pool.run(columns.size(), [&](std::size_t c, int thread) {
                if (thread == 0 && poll) {
                    poll();
                }
                Scratch& own = scratch[static_cast<std::size_t>(thread)];
                const RowKeys& keys = columns[c];
                const bool deals = keys.key != nullptr && begin_.back() * few >= n_rows_;
                if (deals) {
                    deal(keys, own);
                }
                for (std::size_t node = first; node < last; ++node) {
                    search(node, c,
                           keys.key == nullptr ? nodes_[node]
                           : deals             ? dealt(node, own)
                                               : sorted(keys, node, own),
                           thread);
                }
            });
            first = last;
        }
    }

  private:
    static constexpr std::size_t few = 8;  // rows of the table for each row of a layer
    static constexpr std::uint32_t nowhere = 0xffffffffU;

    struct Scratch {
        std::vector<std::uint32_t> ids;
        std::vector<std::size_t> next;
        std::vector<double> weight;
        std::vector<std::uint64_t> keys, spare;
    };

    // Mark the rows of the next layer; returns the node after its last.
    std::size_t mark_layer(std::size_t first) {
        for (std::size_t node = first_; node < first; ++node) {  // the rows of the last layer
            for (std::size_t i = 0; i < nodes_[node].n; ++i) {
                node_of_[nodes_[node].ids[i]] = nowhere;
            }
        }
        begin_.assign(1, 0);
        is_weighted_ = false;
        first_ = first;
        std::size_t node = first;
        for (; node < nodes_.size(); ++node) {
            const RowsView& rows = nodes_[node];
            const bool is_apart =
                std::all_of(rows.ids, rows.ids + rows.n,
                            [&](std::uint32_t row) { return node_of_[row] == nowhere; });
            if (!is_apart) {
                break;
            }
            for (std::size_t i = 0; i < rows.n; ++i) {
                node_of_[rows.ids[i]] = static_cast<std::uint32_t>(node - first);
            }
            begin_.push_back(begin_.back() + rows.n);
            mark_weights(rows);
        }
        return node;
    }
    void mark_weights(const RowsView& rows) {
        if (rows.weight == nullptr) {
            return;
        }
        is_weighted_ = true;
        weight_of_.resize(n_rows_);
        for (std::size_t i = 0; i < rows.n; ++i) {
            weight_of_[rows.ids[i]] = rows.weight[i];
        }
    }

    // Deal the sorted rows of the table to the nodes of the layer.
    void deal(const RowKeys& keys, Scratch& scratch) const {
        scratch.next.assign(begin_.begin(), begin_.end() - 1);
        scratch.ids.resize(begin_.back());
        for (std::size_t i = 0; i < n_rows_; ++i) {
            const std::uint32_t row = keys.order[i];
            if (const std::uint32_t node = node_of_[row]; node != nowhere) {
                scratch.ids[scratch.next[node]++] = row;
            }
        }
        scratch.weight.resize(is_weighted_ ? begin_.back() : 0);
        for (std::size_t i = 0; i < scratch.weight.size(); ++i) {
            scratch.weight[i] = weight_of_[scratch.ids[i]];
        }
    }
    [[nodiscard]] RowsView dealt(std::size_t node, const Scratch& scratch) const {
        const std::size_t begin = begin_[node - first_];
        return {scratch.ids.data() + begin,
                nodes_[node].weight == nullptr ? nullptr : scratch.weight.data() + begin,
                nodes_[node].n};
    }

    // Sort the rows of one node.
    [[nodiscard]] RowsView sorted(const RowKeys& keys, std::size_t node,
                                  Scratch& scratch) const {
        const RowsView& rows = nodes_[node];
        scratch.keys.resize(rows.n);
        for (std::size_t i = 0; i < rows.n; ++i) {
            scratch.keys[i] = static_cast<std::uint64_t>(keys.key[rows.ids[i]] + 1) << 32 | i;
        }
        sort_codes(scratch.keys, scratch.spare, keys.n_keys + 1);
        scratch.ids.resize(rows.n);
        scratch.weight.resize(rows.weight == nullptr ? 0 : rows.n);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const std::size_t at = scratch.keys[i] & 0xffffffffU;
            scratch.ids[i] = rows.ids[at];
            if (rows.weight != nullptr) {
                scratch.weight[i] = rows.weight[at];
            }
        }
        return {scratch.ids.data(), rows.weight == nullptr ? nullptr : scratch.weight.data(),
                rows.n};
    }

    const std::vector<RowsView>& nodes_;
    std::size_t n_rows_;
    std::vector<std::uint32_t> node_of_;  // of each row: its node in the layer
    std::vector<double> weight_of_;       // of each row in a node with weights
    bool is_weighted_ = false;            // whether a node of the layer has weights
    std::vector<std::size_t> begin_;      // where the rows of each node of the layer begin
    std::size_t first_ = 0;               // the first node of the layer
};

}  // namespace penjing
