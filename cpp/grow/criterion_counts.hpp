// Criteria on integer counts, compared without a division or a logarithm per candidate.
//
// Inside a node a candidate has a value V, and its gain is V * unit, where unit belongs to the
// node. Gini with two classes: V = d^2 / (L R) with d = p N - L P, where N and P are the rows
// of the node and of its second class, and L and p those of the left branch. Gini with K
// classes: V = s1 / L + s2 / R less that of the node, where s1 and s2 are the sums of squared
// class counts. Entropy: V comes from a table of x log2 x as integers, so that sums are exact
// in any order. These values only choose the candidate; criteria/*.py computes its gain
// afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

using ClassCounts = const std::uint32_t*;

// x log2 x as integers for 0 … n, and the difference from each to the next.
struct LogTable {
    std::vector<std::int64_t> phi;
    std::vector<std::int64_t> step;
    double scale = 1;

    void prepare(std::size_t n, bool has_steps = true) {
        const auto top = static_cast<double>(n + 2);
        const double most = top * std::log2(top) + 1;
        const int spare = 60 - static_cast<int>(std::ceil(std::log2(most)));
        scale = std::ldexp(1.0, spare);
        phi.resize(n + 2);
        step.resize(has_steps ? n + 2 : 0);
        phi[0] = 0;
        for (std::size_t i = 1; i < n + 2; ++i) {
            const auto x = static_cast<double>(i);
            phi[i] = std::llround(x * std::log2(x) * scale);
            if (has_steps) {
                step[i - 1] = phi[i] - phi[i - 1];
            }
        }
    }
};

inline constexpr std::size_t max_bucketed_classes =
    32;  // with more classes, buckets cost too much

// What the criteria need to know about a node.
struct NodeStats {
    ClassCounts t = nullptr;  // rows of each class
    std::size_t k = 0;        // number of classes
    std::uint32_t n = 0;
    std::uint32_t min_rows = 1;   // of a branch
    double unit = 0;              // gain = V * unit
    double slack = 0;             // scores within it are ties, in V
    double impurity = 0;          // on the scale of gains
    double parent_value = 0;      // gini of K: sum t^2 / n
    std::int64_t parent_phi = 0;  // entropy: sum phi(t) - phi(n)
    std::int64_t phi_slack = 0;
    std::array<double, max_bucketed_classes> share;  // gini of K: of each class
};

// The best cut of an ordered column: between entries at - 1 and at.
struct BestCut {
    double value = 0;      // V
    std::uint32_t at = 0;  // 0: there is no cut
};

inline double as_double(std::uint64_t x) { return static_cast<double>(x); }
inline double as_double(std::int64_t x) { return static_cast<double>(x); }

struct BinaryGini {
    static constexpr bool is_entropy = false;

    static void prepare(NodeStats& f, const LogTable&) {
        const double n = f.n;
        const double p = f.t[1];
        f.unit = 2 / (n * n);
        f.impurity = 2 * p * (n - p) / (n * n);
        f.slack = tie_share * p * (n - p);
    }

    static double score_binary(const NodeStats& f, ClassCounts left, std::uint32_t l,
                               const LogTable&) {
        const double d = static_cast<double>(left[1]) * f.n - static_cast<double>(l) * f.t[1];
        return d * d / (static_cast<double>(l) * (f.n - l));
    }

    // The value of a multiway split: sizes n_v and counts c_vk of each category, K cells per
    // category.
    static double score_multiway(const NodeStats& f, ClassCounts cells,
                                 const std::uint32_t* sizes, std::size_t n_parts,
                                 const LogTable&) {
        double sum = 0;  // of (p_v N - n_v P)^2 / n_v
        const double n = f.n;
        const double p = f.t[1];
        for (std::size_t v = 0; v < n_parts; ++v) {
            const double d = static_cast<double>(cells[2 * v + 1]) * n - sizes[v] * p;
            sum += d * d / sizes[v];
        }
        return sum / n;
    }
};

struct MulticlassGini {
    static constexpr bool is_entropy = false;

    static void prepare(NodeStats& f, const LogTable&) {
        double squares = 0;
        for (std::size_t k = 0; k < f.k; ++k) {
            squares += static_cast<double>(f.t[k]) * f.t[k];
        }
        const double n = f.n;
        f.parent_value = squares / n;
        for (std::size_t k = 0; k < std::min(f.k, max_bucketed_classes); ++k) {
            f.share[k] = f.t[k] / n;
        }
        f.unit = 1 / n;
        f.impurity = 1 - f.parent_value / n;
        f.slack = tie_share * (n - f.parent_value);
    }

    static double score_binary(const NodeStats& f, ClassCounts left, std::uint32_t l,
                               const LogTable&) {
        std::uint64_t s1 = 0;
        std::uint64_t s2 = 0;
        for (std::size_t k = 0; k < f.k; ++k) {
            const std::uint64_t c = left[k];
            const std::uint64_t r = f.t[k] - c;
            s1 += c * c;
            s2 += r * r;
        }
        return as_double(s1) / l + as_double(s2) / (f.n - l) - f.parent_value;
    }

    static double score_multiway(const NodeStats& f, ClassCounts cells,
                                 const std::uint32_t* sizes, std::size_t n_parts,
                                 const LogTable&) {
        double sum = 0;
        for (std::size_t v = 0; v < n_parts; ++v) {
            std::uint64_t squares = 0;
            for (std::size_t k = 0; k < f.k; ++k) {
                const std::uint64_t c = cells[v * f.k + k];
                squares += c * c;
            }
            sum += as_double(squares) / sizes[v];
        }
        return sum - f.parent_value;
    }
};

struct CountEntropy {
    static constexpr bool is_entropy = true;

    static void prepare(NodeStats& f, const LogTable& log) {
        f.parent_phi = -log.phi[f.n];
        for (std::size_t k = 0; k < f.k; ++k) {
            f.parent_phi += log.phi[f.t[k]];
        }
        const double n = f.n;
        f.unit = 1 / (n * log.scale);
        f.impurity = -as_double(f.parent_phi) * f.unit;
        f.slack = tie_share * -as_double(f.parent_phi);
        f.phi_slack = static_cast<std::int64_t>(f.slack);
    }

    static double score_binary(const NodeStats& f, ClassCounts left, std::uint32_t l,
                               const LogTable& log) {
        std::int64_t sum = -log.phi[l] - log.phi[f.n - l];
        for (std::size_t k = 0; k < f.k; ++k) {
            sum += log.phi[left[k]] + log.phi[f.t[k] - left[k]];
        }
        return as_double(sum - f.parent_phi);
    }

    static double score_multiway(const NodeStats& f, ClassCounts cells,
                                 const std::uint32_t* sizes, std::size_t n_parts,
                                 const LogTable& log) {
        std::int64_t sum = 0;
        for (std::size_t v = 0; v < n_parts; ++v) {
            sum -= log.phi[sizes[v]];
            for (std::size_t k = 0; k < f.k; ++k) {
                sum += log.phi[cells[v * f.k + k]];
            }
        }
        return as_double(sum - f.parent_phi);
    }
};

}  // namespace penjing
