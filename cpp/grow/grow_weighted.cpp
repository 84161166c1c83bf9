// Instantiates the weighted kernels, each once.
#include "grow/grow_weighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "grow/weighted.hpp"

namespace penjing {

bool starts_with_missing(const GrowRequest& request) {
    constexpr std::size_t some = 2000;
    for (const GrowColumn& column : request.columns) {
        for (std::size_t i = 0; i < std::min(request.n_rows, some); ++i) {
            if (column.codes != nullptr ? column.codes[i] < 0
                                        : std::isnan(column.numbers[i * column.stride])) {
                return true;
            }
        }
    }
    return false;
}

namespace {

// Fixed point needs numbers whose squares are neither too large nor too small.
bool has_moderate_values(const GrowRequest& request) {
    constexpr double large = 1e100;
    double most_w = request.weight == nullptr ? 1 : 0;
    double most_y = 0;
    for (std::size_t i = 0; i < request.n_rows; ++i) {
        most_w = std::max(most_w, request.weight == nullptr ? 1 : request.weight[i]);
        most_y = std::max(most_y, request.y == nullptr ? 1 : std::fabs(request.number(i)));
    }
    return most_w < large && most_w > 1 / large && most_y < large &&
           (most_y > 1 / large || most_y == 0);
}

}  // namespace

bool can_grow_weighted(const GrowRequest& request) {
    if (request.n_rows == 0 || !has_moderate_values(request)) {
        return false;
    }
    constexpr std::size_t max_rows = SmallSubtreeGrower<ImpurityKind::gini, true>::max_rows;
    const bool in_buckets = request.n_rows > std::min(request.small, max_rows);
    if (request.is_ratio()) {
        return request.n_rows <= max_rows;
    }
    return request.y != nullptr || !in_buckets || request.n_sums <= max_bucketed_classes;
}

GrownTree grow_weighted(const GrowRequest& request, ThreadPool& pool, const PollCallback& poll,
                        ColumnChecks& checks) {
    using enum ImpurityKind;
    if (request.criterion == CriterionKind::gini) {
        return grow(request, WeightedKernel<gini, true>(request, true, checks), pool, poll);
    }
    if (request.criterion != CriterionKind::variance) {
        return grow(request, WeightedKernel<entropy, true>(request, true, checks), pool, poll);
    }
    const bool missing = starts_with_missing(request);
    if (request.weight == nullptr && !(missing && request.fraction)) {
        GrownTree tree =
            grow(request, WeightedKernel<variance, false>(request, !request.fraction, checks),
                 pool, poll);
        if (!tree.parent.empty() || checks.is_unsupported) {
            return tree;
        }
    }
    return grow(request, WeightedKernel<variance, true>(request, true, checks), pool, poll);
}

}  // namespace penjing
