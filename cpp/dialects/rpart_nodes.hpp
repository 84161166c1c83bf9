// The input and the nodes of the rpart kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

struct RpartRequest {
    std::vector<GrowColumn> columns;  // an ordered column has levels
    std::size_t n_rows = 0;
    const std::int32_t* target = nullptr;  // code of the class, or of the number
    const double* y = nullptr;             // the centred number; null for classes
    const double* raw_y = nullptr;         // the number itself, if it is summed row by row
    std::vector<const std::int32_t*>
        sorted;  // with raw_y: rows in rpart's order; null: in table order
    std::vector<std::uint32_t*> lists;     // memory for the sorted lists; empty: allocated here
    const double* weight = nullptr;        // above zero; null: one each
    const double* prior_factor = nullptr;  // of each class: the altered prior; null: one
    const double* mean_factor = nullptr;   // of each class, for the mean class; null: one
    const double* loss_factor = nullptr;   // of each class, for the risk; null: no costs
    const double* loss = nullptr;          // classes x classes
    const double* cost = nullptr;          // of each column; null: one
    Progress* progress = nullptr;          // may be null
    double centre = 0;
    double common_prior = 1;    // the altered prior that all classes share
    std::size_t n_sums = 0;     // classes, or 3
    std::size_t n_classes = 0;  // up to the last class that occurs
    bool is_entropy = false;
    double alpha = -1;  // below zero: cp times the risk of the root
    double cp = 0;
    double min_gain = 0;
    std::int64_t max_depth = -1;
    std::uint32_t min_split = 20;
    std::uint32_t min_bucket = 7;  // rows of a branch
    std::size_t max_surrogates = 0;
    // By column: whether every row has a branch of each split, so that surrogates of its splits
    // are not searched; empty: they are searched for every split.
    std::vector<bool> without_surrogates;
    int use_surrogates = 2;
    int surrogate_style = 0;
    int threads = 1;
};

struct RpartSurrogate {
    std::uint32_t column = 0;
    double cut = not_a_number;
    std::int32_t below = 0;
    double agreement = 0;
    double adjusted = 0;
    std::vector<std::int32_t> groups[2];
};

struct RpartNode {
    std::int32_t parent = -1;
    std::int32_t column = -1;
    double cut = not_a_number;
    double gain = 0;
    double score = 0;
    std::int32_t missing = -1;
    std::uint32_t first_child = 0;
    std::vector<std::int32_t> levels;  // categories that lead into the node
    std::vector<std::int32_t> ties;
    std::vector<RpartSurrogate> surrogates;
};

struct RpartTree {
    std::vector<RpartNode> nodes;  // breadth first
    std::vector<double> total;     // n_sums per node
};

// Number the nodes breadth first.
inline RpartTree rpart_flatten(RpartTree&& tree, std::size_t n_sums) {
    RpartTree out;
    out.nodes.reserve(tree.nodes.size());
    out.total.reserve(tree.total.size());
    std::vector<std::uint32_t> queue{0};
    queue.reserve(tree.nodes.size());
    std::vector<std::int32_t> parent{-1};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::uint32_t old = queue[i];
        RpartNode& node = tree.nodes[old];
        node.parent = parent[i];
        if (node.column >= 0) {
            for (std::uint32_t b = 0; b < 2; ++b) {
                queue.push_back(node.first_child + b);
                parent.push_back(static_cast<std::int32_t>(i));
            }
        }
        const double* total = tree.total.data() + old * n_sums;
        out.total.insert(out.total.end(), total, total + n_sums);
        out.nodes.push_back(std::move(node));
    }
    return out;
}

}  // namespace penjing
