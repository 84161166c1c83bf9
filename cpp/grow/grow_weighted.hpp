// Where rows do not count one each: what grow/weighted.hpp grows, apart from how it does.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/nodes.hpp"

namespace penjing {

// What was seen of the columns by the way.
struct ColumnChecks {
    bool is_unsupported =
        false;  // a number is infinite, or missing where none may: nothing is grown
    std::vector<std::int64_t> n_missing;  // rows without a value, of each column
};

// Whether a value is missing among the first rows: likely, then, elsewhere too.
bool starts_with_missing(const GrowRequest& request);

// Whether the measuring kernel can do it.
bool can_grow_weighted(const GrowRequest& request);

std::vector<Subtree> grow_weighted(const GrowRequest& request, ThreadPool& pool,
                                   const PollCallback& poll, ColumnChecks& checks);

}  // namespace penjing
