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
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/node_rows.hpp"
#include "grow/request.hpp"

namespace penjing {

// What orders the rows: a key of each row from -1 to n_keys - 1; rows with equal keys stay in
// the order of the table. Without keys rows stay in that order.
struct RowKeys {
    const std::int32_t* key = nullptr;
    std::size_t n_keys = 0;
};

// The codes of an ordered column; none for so few that rows are better counted unsorted.
inline RowKeys keys_of_codes(const GrowColumn& column) {
    constexpr std::int32_t few_levels = 64;
    return column.ordered && column.n_levels > few_levels
               ? RowKeys{column.codes, static_cast<std::size_t>(column.n_levels)}
               : RowKeys{};
}

class SortedNodeRows {
  public:
    SortedNodeRows(const std::vector<RowsView>& nodes, std::size_t n_rows)
        : nodes_(nodes), n_rows_(n_rows), place_(n_rows) {}

    // Call search(node, column, rows in the order of the column, thread) for every column of
    // every node; poll between columns.
    template <class Search>
    void for_each(const std::vector<RowKeys>& columns, ThreadPool& pool,
                  const PollCallback& poll, const Search& search) {
        std::vector<Scratch> scratch(static_cast<std::size_t>(pool.size()));
        for (std::size_t first = 0; first < nodes_.size();) {
            const std::size_t last = mark_layer(first);
            pool.run(columns.size(), [&](std::size_t c, int thread) {
                if (thread == 0 && poll) {
                    poll();
                }
                Scratch& own = scratch[static_cast<std::size_t>(thread)];
                const RowKeys& keys = columns[c];
                const bool deals = keys.key != nullptr && n_in_layer_ * few >= n_rows_;
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
    static constexpr std::size_t few = 16;
    static constexpr std::uint32_t nowhere = 0xffffffffU;

    struct Place {
        std::uint32_t layer = nowhere;
        std::uint32_t node = 0;
        std::uint32_t at = 0;  // position of the row in the node
    };
    struct Scratch {
        std::vector<std::uint32_t> order, start, ids;
        std::vector<std::size_t> next;
        std::vector<double> weight;
        std::vector<std::uint64_t> keys;
    };

    // Mark the rows of the next layer; returns the node after its last.
    std::size_t mark_layer(std::size_t first) {
        ++layer_;
        n_in_layer_ = 0;
        begin_.assign(1, 0);
        is_weighted_ = false;
        std::size_t node = first;
        for (; node < nodes_.size(); ++node) {
            const RowsView& rows = nodes_[node];
            const bool is_apart =
                std::none_of(rows.ids, rows.ids + rows.n,
                             [&](std::uint32_t row) { return place_[row].layer == layer_; });
            if (node > first && !is_apart) {
                break;
            }
            for (std::size_t i = 0; i < rows.n; ++i) {
                place_[rows.ids[i]] = {layer_, static_cast<std::uint32_t>(node - first),
                                       static_cast<std::uint32_t>(i)};
            }
            n_in_layer_ += rows.n;
            begin_.push_back(n_in_layer_);
            is_weighted_ = is_weighted_ || rows.weight != nullptr;
        }
        first_ = first;
        return node;
    }

    // Sort the rows of the table by their keys, and deal those of the layer to its nodes.
    void deal(const RowKeys& keys, Scratch& scratch) const {
        scratch.start.assign(keys.n_keys + 2, 0);
        const auto slot = [&](std::size_t row) {
            return static_cast<std::size_t>(keys.key[row] + 1);
        };
        for (std::size_t row = 0; row < n_rows_; ++row) {
            if (place_[row].layer == layer_) {
                ++scratch.start[slot(row) + 1];
            }
        }
        for (std::size_t i = 1; i < scratch.start.size(); ++i) {
            scratch.start[i] += scratch.start[i - 1];
        }
        scratch.order.resize(n_in_layer_);
        for (std::size_t row = 0; row < n_rows_; ++row) {
            if (place_[row].layer == layer_) {
                scratch.order[scratch.start[slot(row)]++] = static_cast<std::uint32_t>(row);
            }
        }
        scratch.next.assign(begin_.begin(), begin_.end() - 1);
        scratch.ids.resize(n_in_layer_);
        scratch.weight.resize(is_weighted_ ? n_in_layer_ : 0);
        for (const std::uint32_t row : scratch.order) {
            const Place& place = place_[row];
            const std::size_t at = scratch.next[place.node]++;
            scratch.ids[at] = row;
            if (is_weighted_) {
                scratch.weight[at] = nodes_[first_ + place.node].weight_of(place.at);
            }
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
        std::sort(scratch.keys.begin(), scratch.keys.end());
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
    std::vector<Place> place_;        // of each row, in the layer that it was marked for last
    std::vector<std::size_t> begin_;  // where the rows of each node of the layer begin
    std::uint32_t layer_ = 0;
    std::size_t first_ = 0;
    std::size_t n_in_layer_ = 0;
    bool is_weighted_ = false;
};

}  // namespace penjing
