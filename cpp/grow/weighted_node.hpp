// What the measuring kernels share: sums of nodes in the order of the table, when a node stops,
// and by how much worths may be wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "grow/criterion.hpp"
#include "grow/criterion_fixed_point.hpp"
#include "grow/exact_scoring.hpp"
#include "grow/nodes.hpp"

namespace penjing {

inline void add_nodes(Grove& grove, std::size_t n, std::size_t n_sums) {
    grove.nodes.resize(grove.nodes.size() + n);
    const std::size_t size = grove.nodes.size() * n_sums;
    for (std::vector<double>* sums :
         {&grove.total, &grove.after, &grove.known, &grove.missing}) {
        if (sums->capacity() < size) {
            sums->reserve(2 * size);
        }
        sums->resize(size);
    }
}

// What is seen while a node's rows are added up.
struct Seen {
    bool is_pure = true;
    double most = 0;  // |y|
};

template <Kind kind, bool weighted>
class NodeMaths {
  public:
    static constexpr bool is_number = kind == Kind::variance;

    NodeMaths(const Order& order, bool any_missing) : order_(order), s_(order.n_sums) {
        loose_ = weighted || any_missing;
    }

    // Add up rows in their order; `walk(row)` calls row(number, class, weight) for each.
    template <class Walk>
    Seen weigh(const Walk& walk, double* total) const {
        Seen seen;
        if constexpr (is_number) {
            constexpr double far = std::numeric_limits<double>::infinity();
            double sums[3] = {0, 0, 0};
            double low = far;
            double high = -far;
            walk([&](double raw, std::int32_t, double weight) {
                const double y = raw - order_.centre;
                const double wy = weight * y;
                sums[0] += weight;
                sums[1] += wy;
                sums[2] += wy * y;
                low = std::min(low, raw);
                high = std::max(high, raw);
            });
            std::copy(sums, sums + 3, total);
            seen.is_pure = !(low < high);
            seen.most = low > high ? 0
                                   : std::max(std::fabs(low - order_.centre),
                                              std::fabs(high - order_.centre));
        } else {
            std::int32_t low = std::numeric_limits<std::int32_t>::max();
            std::int32_t high = -1;
            walk([&](double, std::int32_t label, double weight) {
                total[label] += weight;
                low = std::min(low, label);
                high = std::max(high, label);
            });
            seen.is_pure = !(low < high);
            seen.most = 1;
        }
        return seen;
    }

    [[nodiscard]] bool stops(const Seen& seen, const double* total, std::int64_t depth,
                             const Scorer& scorer) const {
        return seen.is_pure || (order_.max_depth >= 0 && depth >= order_.max_depth) ||
               scorer.weight(total) < order_.min_weight;
    }

    // `unit_y`, `unit_w`: by how much the fixed-point y and weight of a row may be off.
    [[nodiscard]] NodeFrame frame(const double* total, std::size_t n, double most,
                                  double unit_y, double unit_w, const Scorer& scorer) const {
        constexpr double eps = std::numeric_limits<double>::epsilon();
        const auto rows = static_cast<double>(n);
        NodeFrame node;
        node.n = n;
        node.weight = scorer.weight(total);
        node.least = order_.min_branch;
        const double rounding = 8 * eps * rows * std::sqrt(rows);
        if constexpr (is_number) {
            const double squares = loose_ ? node.weight * most * most : total[2];
            node.margin = squares * (4e-12 + rounding) + 1e-300;
            node.margin +=
                weighted ? 8 * rows * most * (unit_w * most + unit_y)
                         : 8 * unit_y * std::sqrt(squares * rows) + 4 * unit_y * unit_y * rows;
        } else {
            const double widest = 1 + std::log2(static_cast<double>(s_) + 1);
            node.margin = widest * (node.weight * (4e-12 + 4 * rounding) + 64 * rows * unit_w);
        }
        node.tolerance = weighted ? 8 * eps * rows * node.weight + 2 * rows * unit_w : 0;
        return node;
    }

  private:
    const Order& order_;
    std::size_t s_;
    bool loose_;
};

}  // namespace penjing
