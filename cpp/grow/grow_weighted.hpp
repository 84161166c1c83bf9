// Where rows do not count one each: what grow/weighted.hpp grows, apart from how it does.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/nodes.hpp"

namespace penjing {

// What was seen of the columns by the way.
struct Sight {
    bool is_odd = false;  // a number is infinite, or missing where none may: nothing is grown
    std::vector<std::int64_t> n_missing;  // rows without a value, of each column
};

// Whether a value is missing among the first rows: likely, then, elsewhere too.
bool misses_early(const Order& order);

// Whether the measuring kernel can do it.
bool is_measured(const Order& order);

std::vector<Grove> grow_measured(const Order& order, ThreadPool& pool, const PollCallback& poll,
                                 Sight& sight);

}  // namespace penjing
