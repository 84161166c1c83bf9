// Sixteen rows walk in step down a tree of nothing but cuts in numbers.
//
// A step needs no branch in the code, so sixteen memory reads are under way at a time instead
// of one. Leaves lead to themselves until all rows have arrived. While they walk, rows that
// come later are called from memory, two lines a step: called all at once they would keep the
// walk waiting.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace penjing {

class InStep {
  public:
    static constexpr std::size_t together = 16;
    using Places = std::array<std::uint32_t, together>;

    // Nodes come in order, parents before their children, which stand side by side.
    void add_leaf();
    void add_cut(double cut, std::uint32_t slot, std::uint32_t first);
    // Of each node its share in its parent: says how long most rows are on their way.
    void finish(const std::vector<double>& share);

    [[nodiscard]] bool empty() const { return cut_.empty(); }
    [[nodiscard]] std::size_t size() const { return cut_.size(); }
    [[nodiscard]] double cut(std::size_t node) const { return cut_[node]; }
    [[nodiscard]] std::uint32_t slot(std::size_t node) const { return link_[node].slot; }
    [[nodiscard]] std::uint32_t first(std::size_t node) const { return link_[node].first; }
    [[nodiscard]] bool is_leaf(std::size_t node) const { return link_[node].first == node; }
    // Steps until nearly all rows have arrived.
    [[nodiscard]] std::size_t usual() const { return usual_; }

    // As this one, with other places of the values in a row.
    template <class Place>
    [[nodiscard]] InStep with_slots(const Place& place) const {
        InStep other = *this;
        for (Link& link : other.link_) {
            link.slot = place(link.slot);
        }
        return other;
    }

    // Where rows stop that stand `stride` apart and lack no value. `next` are numbers that will
    // be wanted later, by rows that stand as far apart.
    void walk(const double* first, std::size_t stride, const double* next, Places& at) const;

  private:
    static constexpr std::size_t line = 64;  // bytes that memory gives at a time
    static constexpr std::size_t more = 4;   // steps before it is asked again who has arrived

    struct Link {
        std::uint32_t slot;  // place of the number in a row
        std::uint32_t first;
    };

    std::vector<double> cut_;
    std::vector<Link> link_;
    std::size_t usual_ = 0;
};

inline void InStep::add_leaf() {
    link_.push_back({0, static_cast<std::uint32_t>(cut_.size())});
    cut_.push_back(std::numeric_limits<double>::infinity());
}

inline void InStep::add_cut(double cut, std::uint32_t slot, std::uint32_t first) {
    link_.push_back({slot, first});
    cut_.push_back(cut);
}

inline void InStep::finish(const std::vector<double>& share) {
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
    double on_their_way = 1.0;
    for (usual_ = 0; usual_ < height; ++usual_) {
        on_their_way -= arrived[usual_];
        if (on_their_way * static_cast<double>(together) < 1.0) {
            break;  // of sixteen rows less than one
        }
    }
}

inline void InStep::walk(const double* first, std::size_t stride, const double* next,
                         Places& at) const {
    const double* const cuts = cut_.data();
    const Link* const links = link_.data();
    const char* called = reinterpret_cast<const char*>(next);
    const std::size_t apart = std::max<std::size_t>(usual_, 1);
    const std::size_t skip = (together * stride * sizeof(double) + apart - 1) / apart;
    at.fill(0);
    std::size_t depth = 0;
    std::size_t end = usual_;
    for (;;) {
        for (; depth < end; ++depth) {
            __builtin_prefetch(called);
            __builtin_prefetch(called + line);
            called += skip;
            const double* row = first;
#pragma GCC unroll 4  // more, and places do not stay in registers
            for (std::size_t k = 0; k < together; ++k, row += stride) {
                const Link link = links[at[k]];
                // A NaN must not send a leaf's row on, hence > and not the negated <=.
                at[k] = link.first + static_cast<std::uint32_t>(row[link.slot] > cuts[at[k]]);
            }
        }
        std::uint32_t on_their_way = 0;
        for (const std::uint32_t place : at) {
            on_their_way |= links[place].first ^ place;
        }
        if (on_their_way == 0) {
            return;
        }
        end += more;
    }
}

}  // namespace penjing
