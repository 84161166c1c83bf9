// How the rows that reach each node are distributed over the column that it splits on.
//
// Rows are counted by bins and classes. A column of codes has one bin for each code; a column
// of numbers is divided by ascending bounds, and a number that equals a bound belongs below it.
// The smallest and the largest number of each bin are kept too. Blocks of rows are added one
// after the other to the same counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/view.hpp"
#include "predict/flat.hpp"

namespace penjing {

// The arrays that rows are added to, owned by the caller.
struct SplitBins {
    View<std::int64_t> bin_start;    // of each node among all bins, and the end
    View<std::int64_t> bound_start;  // of each node in `bounds`, and the end
    View<double> bounds;
    std::size_t n_classes = 0;
    MutableView<std::int64_t> counts;  // of each class, by bin
    MutableView<double> low;           // of the bins between bounds: one more than bounds
    MutableView<double> high;          //   in each node; NaN before the first number
};

class SplitBinCounter {
  public:
    SplitBinCounter(const Flat& flat, const SplitBins& bins) : flat_(flat), bins_(bins) {
        check();
        nodes_.reserve(flat.size());
        for (std::size_t i = 0; i < flat.size(); ++i) {
            const std::int64_t n_bins = bins.bin_start[i + 1] - bins.bin_start[i];
            const std::int64_t n_bounds = bins.bound_start[i + 1] - bins.bound_start[i];
            nodes_.push_back({static_cast<std::size_t>(bins.bin_start[i]),
                              static_cast<std::size_t>(n_bins),
                              static_cast<std::size_t>(bins.bound_start[i]),
                              static_cast<std::size_t>(n_bounds),
                              static_cast<std::size_t>(bins.bound_start[i]) + i});
        }
    }

    // Adds rows whose values are all known; a missing value, or one that was not seen, is not
    // counted, and the row stops there.
    void add(View<ColumnView> columns, View<std::int32_t> classes) {
        const bool are_known = std::all_of(classes.begin(), classes.end(), [&](std::int32_t c) {
            return c >= 0 && static_cast<std::size_t>(c) < bins_.n_classes;
        });
        if (!are_known) {
            throw std::invalid_argument("a class is not below the number of classes");
        }
        flat_.for_each_split(
            columns, classes.size(),
            [&](std::int32_t id, const ColumnView& column, View<std::uint32_t> rows) {
                const Node& node = nodes_[static_cast<std::size_t>(id)];
                if (node.n_bins == 0) {
                    return;
                }
                if (column.codes != nullptr) {
                    add_codes(node, column.codes, classes, rows);
                } else if (node.n_bins == node.n_bounds + 1) {
                    add_numbers(node, column, classes, rows);
                }
            });
    }

  private:
    struct Node {
        std::size_t bins;    // where its bins start
        std::size_t n_bins;  // 0: it is not counted
        std::size_t bounds;
        std::size_t n_bounds;
        std::size_t spans;  // where its smallest and largest numbers start
    };

    void check() const {
        const std::size_t n = flat_.size();
        const auto need = [](bool held, const char* sentence) {
            if (!held) {
                throw std::invalid_argument(sentence);
            }
        };
        const auto is_index = [](View<std::int64_t> start, std::size_t n_nodes,
                                 std::size_t end) {
            return start.size() == n_nodes + 1 && start.front() == 0 &&
                   static_cast<std::size_t>(start.back()) == end &&
                   std::is_sorted(start.begin(), start.end());
        };
        need(bins_.n_classes > 0, "there is at least one class");
        need(bins_.counts.size() % bins_.n_classes == 0 &&
                 is_index(bins_.bin_start, n, bins_.counts.size() / bins_.n_classes),
             "bin_start must ascend from 0 to the number of bins");
        need(is_index(bins_.bound_start, n, bins_.bounds.size()),
             "bound_start must ascend from 0 to the number of bounds");
        need(bins_.low.size() == n + bins_.bounds.size() &&
                 bins_.high.size() == bins_.low.size(),
             "every node needs one number more than it has bounds");
    }

    void add_codes(const Node& node, const std::int32_t* codes, View<std::int32_t> classes,
                   View<std::uint32_t> rows) {
        std::int64_t* const counts = bins_.counts.data() + node.bins;
        const std::size_t stride = bins_.counts.size() / bins_.n_classes;
        for (const std::uint32_t row : rows) {
            const auto code = static_cast<std::uint32_t>(codes[row]);  // missing is too large
            if (code < node.n_bins) {
                ++counts[static_cast<std::size_t>(classes[row]) * stride + code];
            }
        }
    }

    void add_numbers(const Node& node, const ColumnView& column, View<std::int32_t> classes,
                     View<std::uint32_t> rows) {
        std::int64_t* const counts = bins_.counts.data() + node.bins;
        const std::size_t stride = bins_.counts.size() / bins_.n_classes;
        double* const low = bins_.low.data() + node.spans;
        double* const high = bins_.high.data() + node.spans;
        const double* const first = bins_.bounds.data() + node.bounds;
        for (const std::uint32_t row : rows) {
            const double number = column.numbers[row * column.stride] + 0.0;  // not -0.0
            if (std::isnan(number)) {
                continue;
            }
            // The number of bounds below the number, without a jump that depends on it.
            std::size_t bin = 0;
            std::size_t n = node.n_bounds;
            while (n > 0) {
                const std::size_t half = (n + 1) / 2;
                bin += first[bin + half - 1] < number ? half : 0;
                n -= half;
            }
            ++counts[static_cast<std::size_t>(classes[row]) * stride + bin];
            low[bin] = number >= low[bin] ? low[bin] : number;  // NaN at first
            high[bin] = number <= high[bin] ? high[bin] : number;
        }
    }

    const Flat& flat_;
    SplitBins bins_;
    std::vector<Node> nodes_;
};

}  // namespace penjing
