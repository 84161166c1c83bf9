// rpart's sort order of rows, and its sums of numbers in that order.
//
// The last bit of such sums decides between equal splits, so that the order must be that of
// rpart's quicksort, which is not stable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace penjing {

struct RpartSortKey {
    double value;
    std::int32_t row;
};

// Sort as rpart does: stably up to eleven rows, else partitioned about the median of the first,
// middle and last value.
inline void rpart_sort(std::vector<RpartSortKey>& rows) {
    using At = std::ptrdiff_t;
    constexpr At few = 11;
    std::vector<std::pair<At, At>> todo{{0, static_cast<At>(rows.size()) - 1}};
    const auto value = [&](At i) { return rows[static_cast<std::size_t>(i)].value; };
    while (!todo.empty()) {
        const auto [first, last] = todo.back();
        todo.pop_back();
        if (last - first < few) {
            std::stable_sort(
                rows.begin() + first, rows.begin() + last + 1,
                [](const RpartSortKey& a, const RpartSortKey& b) { return a.value < b.value; });
            continue;
        }
        const auto [low, high] = std::minmax({value(first), value(last)});
        const double middle = std::clamp(value((first + last) / 2), low, high);
        At i = first;
        At j = last;
        while (i < j) {
            for (; value(i) < middle; ++i) {
            }
            for (; value(j) > middle; --j) {
            }
            if (i < j) {
                if (value(i) > value(j)) {
                    std::iter_swap(rows.begin() + i, rows.begin() + j);
                }
                ++i;
                --j;
            }
        }
        for (; i > first && value(i) >= middle; --i) {
        }
        for (; j < last && value(j) <= middle; ++j) {
        }
        todo.emplace_back(first, i);
        todo.emplace_back(j, last);
    }
}

// The improvement as rows (or categories) move from right to left one by one.
class RpartSides {
  public:
    // `each(visit)` calls visit(number, weight) for every row with a known value, in order.
    template <class Each>
    explicit RpartSides(const Each& each) {
        double sum = 0;
        each([&](double y, double weight) {
            sum += y * weight;
            right_ += weight;
        });
        mean_ = sum / right_;
    }
    [[nodiscard]] double off(double y, double weight) const { return (y - mean_) * weight; }
    void move(double off, double weight) {
        left_ += weight;
        right_ -= weight;
        sum_ += off;
    }
    [[nodiscard]] double gain() const { return sum_ * sum_ / left_ + sum_ * sum_ / right_; }
    // The means of both sides, less a centre.
    [[nodiscard]] double left_value(double centre) const {
        return (mean_ - centre) + sum_ / left_;
    }
    [[nodiscard]] double right_value(double centre) const {
        return (mean_ - centre) - sum_ / right_;
    }

  private:
    double mean_ = 0;
    double left_ = 0;
    double right_ = 0;
    double sum_ = 0;
};

}  // namespace penjing
