// The measuring kernels, each compiled once.
#include "grow/grow_weighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "grow/weighted.hpp"

namespace penjing {

bool misses_early(const Order& order) {
    constexpr std::size_t some = 2000;
    for (const GrowColumn& column : order.columns) {
        for (std::size_t i = 0; i < std::min(order.n_rows, some); ++i) {
            if (column.codes != nullptr ? column.codes[i] < 0
                                        : std::isnan(column.numbers[i * column.stride])) {
                return true;
            }
        }
    }
    return false;
}

namespace {

// Fixed point wants numbers whose squares are neither too large nor too small.
bool is_moderate(const Order& order) {
    constexpr double large = 1e100;
    double most_w = order.weight == nullptr ? 1 : 0;
    double most_y = 0;
    for (std::size_t i = 0; i < order.n_rows; ++i) {
        most_w = std::max(most_w, order.weight == nullptr ? 1 : order.weight[i]);
        most_y = std::max(most_y, order.y == nullptr ? 1 : std::fabs(order.number(i)));
    }
    return most_w < large && most_w > 1 / large && most_y < large &&
           (most_y > 1 / large || most_y == 0);
}

}  // namespace

bool is_measured(const Order& order) {
    if (order.n_rows == 0 || !is_moderate(order)) {
        return false;
    }
    constexpr std::size_t most_rows = SmallTree<Kind::gini, true>::most_rows;
    const bool in_buckets = order.n_rows > std::min(order.small, most_rows);
    if (order.is_ratio()) {
        return order.n_rows <= most_rows;
    }
    return order.y != nullptr || !in_buckets || order.n_sums <= most_bucketed;
}

std::vector<Grove> grow_measured(const Order& order, ThreadPool& pool, const PollCallback& poll,
                                 Sight& sight) {
    if (order.measure == Measure::gini) {
        return MeasuredKernel<Kind::gini, true>(order, true).grow(pool, poll, sight);
    }
    if (order.measure != Measure::variance) {
        return MeasuredKernel<Kind::entropy, true>(order, true).grow(pool, poll, sight);
    }
    const bool lost = misses_early(order);
    if (order.weight == nullptr && !(lost && order.fraction)) {
        std::vector<Grove> groves =
            MeasuredKernel<Kind::variance, false>(order, !order.fraction)
                .grow(pool, poll, sight);
        if (!groves.empty() || sight.is_odd) {
            return groves;
        }
    }
    return MeasuredKernel<Kind::variance, true>(order, true).grow(pool, poll, sight);
}

}  // namespace penjing
