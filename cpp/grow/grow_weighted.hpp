// The entry point of the weighted kernels, without their templates.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/nodes.hpp"

namespace penjing {

// What is known of the columns after a pass over them.
struct ColumnChecks {
    bool is_unsupported =
        false;  // a number is infinite, or missing where none may: nothing is grown
    std::vector<std::int64_t> n_missing;  // rows without a value, of each column
};

// Whether a value is missing among the first rows; then others are likely to be missing too.
bool starts_with_missing(const GrowRequest& request);

// Whether the weighted kernels support the request.
bool can_grow_weighted(const GrowRequest& request);

// Grow a tree; it has no nodes if the request is refused.
GrownTree grow_weighted(const GrowRequest& request, ThreadPool& pool, const PollCallback& poll,
                        ColumnChecks& checks);

}  // namespace penjing
