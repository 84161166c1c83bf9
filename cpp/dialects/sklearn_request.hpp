// The input of the scikit-learn kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grow/request.hpp"

namespace penjing {

// All columns are ordered and have levels; `target` is also the code of a number, `y` is
// centred, and weights are above zero.
struct SklearnRequest : GrowRequest {
    const double* class_weight = nullptr;  // of each class; null: one
    bool is_entropy = false;               // entropy, not Gini
    bool compare_as_float = true;          // values are compared in single precision
    double gap = 0;                        // a cut needs values that differ by more
    double min_samples_split = 2;
    double min_samples_leaf = 1;
    double min_weight_share = 0;
    double min_decrease = 0;
    bool shuffles = false;         // columns are visited in random order
    std::size_t max_features = 0;  // columns visited per node
    std::uint32_t state = 0;       // of the random number generator
};

}  // namespace penjing
