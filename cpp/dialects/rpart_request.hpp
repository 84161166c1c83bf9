// The input of the rpart kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

// Ordered columns have levels; `target` is also the code of a number, `y` is centred, and
// weights are above zero.
struct RpartRequest : GrowRequest {
    const double* raw_y = nullptr;  // the number itself, if it is summed row by row
    std::vector<const std::int32_t*>
        sorted;  // with raw_y: rows in rpart's order; null: in table order
    std::vector<std::uint32_t*> lists;     // memory for the sorted lists; empty: allocated here
    const double* prior_factor = nullptr;  // of each class: the altered prior; null: one
    const double* mean_factor = nullptr;   // of each class, for the mean class; null: one
    const double* loss_factor = nullptr;   // of each class, for the risk; null: no costs
    const double* loss = nullptr;          // classes x classes
    const double* cost = nullptr;          // of each column; null: one
    double common_prior = 1;               // the altered prior that all classes share
    std::size_t n_classes = 0;             // up to the last class that occurs
    bool is_entropy = false;
    double alpha = -1;  // below zero: cp times the risk of the root
    double cp = 0;
    std::uint32_t min_split = 20;
    std::uint32_t min_bucket = 7;  // rows of a branch
    std::size_t max_surrogates = 0;
    // By column: whether every row has a branch of each split, so that surrogates of its splits
    // are not searched; empty: they are searched for every split.
    std::vector<bool> without_surrogates;
    int use_surrogates = 2;
    int surrogate_style = 0;
};

}  // namespace penjing
