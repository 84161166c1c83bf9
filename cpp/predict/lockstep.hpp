// Prediction for trees with numeric splits only: sixteen rows advance one level per step.
//
// A step has no branch instruction, so that sixteen memory reads overlap. A leaf is its own
// child until all rows are in a leaf. Later rows are prefetched two cache lines per step:
// prefetching them all at once would stall the walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace penjing {

class Lockstep {
  public:
    static constexpr std::size_t batch_size = 16;
    using NodeIds = std::array<std::uint32_t, batch_size>;

    // Nodes come in order, parents before their children, which stand side by side.
    void add_leaf();
    void add_cut(double cut, std::uint32_t slot, std::uint32_t first);
    // `share` is the weight of each node relative to its parent; it gives the typical depth.
    void finish(const std::vector<double>& share);

    [[nodiscard]] bool empty() const { return cut_.empty(); }
    [[nodiscard]] std::size_t size() const { return cut_.size(); }
    [[nodiscard]] double cut(std::size_t node) const { return cut_[node]; }
    [[nodiscard]] std::uint32_t slot(std::size_t node) const { return link_[node].slot; }
    [[nodiscard]] std::uint32_t first(std::size_t node) const { return link_[node].first; }
    [[nodiscard]] bool is_leaf(std::size_t node) const { return link_[node].first == node; }
    // Steps until nearly all rows are in a leaf.
    [[nodiscard]] std::size_t typical_steps() const { return typical_steps_; }

    // A copy whose values have other positions in a row.
    template <class Place>
    [[nodiscard]] Lockstep with_slots(const Place& place) const {
        Lockstep other = *this;
        for (Link& link : other.link_) {
            link.slot = place(link.slot);
        }
        return other;
    }

    // The leaves of sixteen rows without missing values, `stride` apart in memory. `next` is
    // the address of later rows, which are prefetched.
    void walk(const double* first, std::size_t stride, const double* next, NodeIds& at) const;

  private:
    static constexpr std::size_t cache_line = 64;  // bytes
    static constexpr std::size_t extra_steps = 4;  // steps between two checks for the end

    struct Link {
        std::uint32_t slot;  // position of the value in a row
        std::uint32_t first;
    };

    std::vector<double> cut_;
    std::vector<Link> link_;
    std::size_t typical_steps_ = 0;
};

inline void Lockstep::add_leaf() {
    link_.push_back({0, static_cast<std::uint32_t>(cut_.size())});
    cut_.push_back(std::numeric_limits<double>::infinity());
}

inline void Lockstep::add_cut(double cut, std::uint32_t slot, std::uint32_t first) {
    link_.push_back({slot, first});
    cut_.push_back(cut);
}

inline void Lockstep::finish(const std::vector<double>& share) {
    const std::size_t n = cut_.size();
    std::vector<std::size_t> depth(n, 0);
    std::vector<double> weight(n, 1.0);
    std::vector<double> arrived;  // by depth
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t first = link_[i].first;
        if (first == i) {
            arrived.resize(std::max(arrived.size(), depth[i] + 1), 0.0);
            arrived[depth[i]] += weight[i];
            continue;
        }
        for (const std::size_t child : {first, first + 1}) {
            depth[child] = depth[i] + 1;
            weight[child] = weight[i] * share[child];
        }
    }
    const std::size_t height = arrived.size() - 1;
    double walking = 1.0;
    for (typical_steps_ = 0; typical_steps_ < height; ++typical_steps_) {
        walking -= arrived[typical_steps_];
        if (walking * static_cast<double>(batch_size) < 1.0) {
            break;  // fewer than one row of a batch
        }
    }
}

inline void Lockstep::walk(const double* first, std::size_t stride, const double* next,
                           NodeIds& at) const {
    const double* const cuts = cut_.data();
    const Link* const links = link_.data();
    const char* prefetched = reinterpret_cast<const char*>(next);
    const std::size_t apart = std::max<std::size_t>(typical_steps_, 1);
    const std::size_t skip = (batch_size * stride * sizeof(double) + apart - 1) / apart;
    at.fill(0);
    std::size_t depth = 0;
    std::size_t end = typical_steps_;
    for (;;) {
        for (; depth < end; ++depth) {
            __builtin_prefetch(prefetched);
            __builtin_prefetch(prefetched + cache_line);
            prefetched += skip;
            const double* row = first;
#pragma GCC unroll 4  // with more, positions do not stay in registers
            for (std::size_t k = 0; k < batch_size; ++k, row += stride) {
                const Link link = links[at[k]];
                // > and not the negated <=: a NaN must not move a row that is in a leaf.
                at[k] = link.first + static_cast<std::uint32_t>(row[link.slot] > cuts[at[k]]);
            }
        }
        std::uint32_t walking = 0;
        for (const std::uint32_t place : at) {
            walking |= links[place].first ^ place;
        }
        if (walking == 0) {
            return;
        }
        end += extra_steps;
    }
}

}  // namespace penjing
