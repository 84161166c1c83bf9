// Constraints on splits (grow/constraints.py): columns in which predictions are monotonic, and
// groups of columns that a path may use together.
//
// The value of a node is its mean, or the share of its first class. A split on a column with a
// direction must keep the bounds of its node and the order of both values; the middle between
// the values of its children bounds all that is below them (tree/monotonic.py).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace penjing {

// What constraints allow in one node.
struct SplitLimits {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> groups;   // those that have every column of the path
    std::vector<std::uint8_t> excluded;  // by column; empty: none

    [[nodiscard]] bool excludes(std::size_t column) const {
        return !excluded.empty() && excluded[column] != 0;
    }
    [[nodiscard]] double clip(double value) const {
        return std::min(std::max(value, lower), upper);
    }
};

using LimitsPointer = std::shared_ptr<const SplitLimits>;  // null: no constraints

class Constraints {
  public:
    std::vector<std::int8_t> signs;        // direction of the value by column; empty: none
    const double* class_factor = nullptr;  // of each class in the value; null: one
    bool is_regression = false;
    bool is_given = false;
    std::vector<std::vector<std::uint32_t>> groups;  // empty: any columns together

    [[nodiscard]] bool has_direction(std::size_t column) const {
        return !signs.empty() && signs[column] != 0;
    }

    [[nodiscard]] LimitsPointer root() const {
        if (!is_given) {
            return nullptr;
        }
        auto limits = std::make_shared<SplitLimits>();
        for (std::uint32_t group = 0; group < groups.size(); ++group) {
            limits->groups.push_back(group);
        }
        return limits;
    }

    [[nodiscard]] double value(const double* total) const {
        if (is_regression) {
            return total[1] / total[0];
        }
        const double first = class_factor == nullptr ? total[0] : total[0] * class_factor[0];
        const double second = class_factor == nullptr ? total[1] : total[1] * class_factor[1];
        return first / (first + second);
    }

    // Whether a split with these values of both sides is allowed (SplitLimits.refused).
    [[nodiscard]] bool admits(const SplitLimits& limits, std::size_t column, double left,
                              double right) const {
        if (limits.excludes(column)) {
            return false;
        }
        if (!has_direction(column)) {
            return true;
        }
        return left >= limits.lower && right >= limits.lower && left <= limits.upper &&
               right <= limits.upper && (left - right) * signs[column] <= 0;
    }
    [[nodiscard]] bool admits_sums(const SplitLimits& limits, std::size_t column,
                                   const double* left, const double* right) const {
        return !has_direction(column) ? !limits.excludes(column)
                                      : admits(limits, column, value(left), value(right));
    }

    // The limits of both children of a node that splits on a column; the sums are those of the
    // children.
    [[nodiscard]] std::pair<LimitsPointer, LimitsPointer> below(const LimitsPointer& limits,
                                                                std::size_t column,
                                                                const double* left,
                                                                const double* right) const {
        if (limits == nullptr) {
            return {};
        }
        LimitsPointer shared = with_column(limits, column);
        if (!has_direction(column)) {
            return {shared, shared};
        }
        const double middle = (limits->clip(value(left)) + limits->clip(value(right))) / 2;
        auto low = std::make_shared<SplitLimits>(*shared);
        auto high = std::make_shared<SplitLimits>(*shared);
        low->upper = middle;
        high->lower = middle;
        if (signs[column] < 0) {
            std::swap(low, high);
        }
        return {std::move(low), std::move(high)};
    }

  private:
    // The same bounds, and the columns that share a group with one more column of the path.
    [[nodiscard]] LimitsPointer with_column(const LimitsPointer& limits,
                                            std::size_t column) const {
        if (groups.empty()) {
            return limits;
        }
        auto next = std::make_shared<SplitLimits>();
        next->lower = limits->lower;
        next->upper = limits->upper;
        next->excluded = limits->excluded;
        for (const std::uint32_t group : limits->groups) {
            if (std::binary_search(groups[group].begin(), groups[group].end(), column)) {
                next->groups.push_back(group);
            }
        }
        if (next->groups.size() == limits->groups.size()) {
            return limits;
        }
        std::uint32_t n_columns = 0;
        for (const std::vector<std::uint32_t>& group : groups) {
            n_columns = group.empty() ? n_columns : std::max(n_columns, group.back() + 1);
        }
        next->excluded.assign(n_columns, 1);
        for (const std::uint32_t group : next->groups) {
            for (const std::uint32_t allowed : groups[group]) {
                next->excluded[allowed] = 0;
            }
        }
        return next;
    }
};

}  // namespace penjing
