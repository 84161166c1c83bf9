// Shared by the weighted kernels: sums of nodes in row order, stopping rules, and error margins
// of improvements.
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

// Found while the rows of a node are summed.
struct TargetRange {
    bool is_pure = true;
    double max_abs_y = 0;
};

template <ImpurityKind kind, bool weighted>
class NodeSums {
  public:
    static constexpr bool is_regression = kind == ImpurityKind::variance;

    NodeSums(const GrowRequest& request, bool any_missing)
        : request_(request), s_(request.n_sums) {
        is_loose_ = weighted || any_missing;
    }

    // Sum rows in their order; `walk(row)` calls row(number, class, weight) for each.
    template <class Walk>
    TargetRange sum_rows(const Walk& walk, double* total) const {
        TargetRange range;
        if constexpr (is_regression) {
            constexpr double far = std::numeric_limits<double>::infinity();
            double sums[3] = {0, 0, 0};
            double low = far;
            double high = -far;
            walk([&](double raw, std::int32_t, double weight) {
                const double y = raw - request_.centre;
                const double wy = weight * y;
                sums[0] += weight;
                sums[1] += wy;
                sums[2] += wy * y;
                low = std::min(low, raw);
                high = std::max(high, raw);
            });
            std::copy(sums, sums + 3, total);
            range.is_pure = !(low < high);
            range.max_abs_y = low > high ? 0
                                         : std::max(std::fabs(low - request_.centre),
                                                    std::fabs(high - request_.centre));
        } else {
            std::int32_t low = std::numeric_limits<std::int32_t>::max();
            std::int32_t high = -1;
            walk([&](double, std::int32_t label, double weight) {
                total[label] += weight;
                low = std::min(low, label);
                high = std::max(high, label);
            });
            range.is_pure = !(low < high);
            range.max_abs_y = 1;
        }
        return range;
    }

    [[nodiscard]] bool stops(const TargetRange& range, const double* total, std::int64_t depth,
                             const Scorer& scorer) const {
        return range.is_pure || (request_.max_depth >= 0 && depth >= request_.max_depth) ||
               scorer.weight(total) < request_.min_weight;
    }

    // `unit_y` and `unit_w` bound the fixed-point errors of the y and weight of one row.
    [[nodiscard]] NodeLimits limits(const double* total, std::size_t n, double max_abs_y,
                                    double unit_y, double unit_w, const Scorer& scorer) const {
        constexpr double eps = std::numeric_limits<double>::epsilon();
        const auto rows = static_cast<double>(n);
        NodeLimits node;
        node.n = n;
        node.weight = scorer.weight(total);
        node.least = request_.min_branch;
        const double rounding = 8 * eps * rows * std::sqrt(rows);
        if constexpr (is_regression) {
            const double squares = is_loose_ ? node.weight * max_abs_y * max_abs_y : total[2];
            node.margin = squares * (4e-12 + rounding) + 1e-300;
            node.margin +=
                weighted ? 8 * rows * max_abs_y * (unit_w * max_abs_y + unit_y)
                         : 8 * unit_y * std::sqrt(squares * rows) + 4 * unit_y * unit_y * rows;
        } else {
            const double widest = 1 + std::log2(static_cast<double>(s_) + 1);
            node.margin = widest * (node.weight * (4e-12 + 4 * rounding) + 64 * rows * unit_w);
        }
        node.tolerance = weighted ? 8 * eps * rows * node.weight + 2 * rows * unit_w : 0;
        return node;
    }

  private:
    const GrowRequest& request_;
    std::size_t s_;
    bool is_loose_;
};

}  // namespace penjing
