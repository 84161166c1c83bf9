// Numbers to two-byte codes: the cell between two edges, as the high and the low byte of its
// code.
//
// Cell i holds the numbers from edge i - 1 up to but not including edge i. A start table says
// for each of 65,536 stretches of the range where the search begins; few branch-free steps are
// left.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace penjing {

inline constexpr std::uint8_t high_missing = 255;  // the high byte of NaN

class Quantiles {
  public:
    Quantiles(std::vector<double> edges, std::vector<std::uint8_t> high,
              std::vector<std::uint8_t> low)
        : edges_(std::move(edges)), high_(std::move(high)), low_(std::move(low)) {
        if (high_.size() != edges_.size() + 1 || low_.size() != high_.size()) {
            throw std::invalid_argument("one code more than edges");
        }
        if (!std::is_sorted(edges_.begin(), edges_.end())) {
            throw std::invalid_argument("edges must ascend");
        }
        if (edges_.empty()) {
            return;
        }
        base_ = key(edges_.front());
        const std::uint64_t span = key(edges_.back()) - base_;
        shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - 16);
        const double width = edges_.back() - edges_.front();
        scale_ = width > 0 && std::isfinite(width) ? (stretches - 1) / width : 0;
        by_key_ = true;
        const std::size_t with_keys = fill();
        by_key_ = false;
        if (scale_ > 0 && fill() <= with_keys) {
            return;
        }
        by_key_ = true;
        fill();
    }

    // How many of the edges are not above a number.
    [[nodiscard]] std::size_t cell(double x) const {
        if (edges_.empty() || x < edges_.front()) {
            return 0;
        }
        std::size_t at = start_[stretch(x)];
        for (std::size_t step = step_; step > 0; step >>= 1) {
            const std::size_t next = at + step;
            at = next <= edges_.size() && edges_[next - 1] <= x ? next : at;
        }
        return at;
    }

    // Codes of n numbers; `raw` gets them without negative zeros. Returns how many are missing.
    std::size_t code(const double* x, std::size_t n, std::uint8_t* high, std::uint8_t* low,
                     double* raw, bool& is_infinite) const {
        std::size_t n_missing = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double number = x[i] + 0.0;
            raw[i] = number;
            if (std::isnan(number)) {
                high[i] = high_missing;
                low[i] = 0;
                ++n_missing;
                continue;
            }
            is_infinite |= std::isinf(number);
            const std::size_t at = cell(number);
            high[i] = high_[at];
            low[i] = low_[at];
        }
        return n_missing;
    }

  private:
    static constexpr std::size_t stretches = 1U << 16U;

    // Whole numbers in the order of the doubles.
    static std::uint64_t key(double x) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        const std::uint64_t sign = std::uint64_t{1} << 63U;
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }

    // Ascends with x; x is not below the first edge.
    [[nodiscard]] std::size_t stretch(double x) const {
        if (by_key_) {
            return std::min<std::uint64_t>((key(x) - base_) >> static_cast<unsigned>(shift_),
                                           stretches - 1);
        }
        const double at = (x - edges_.front()) * scale_;
        return at < stretches - 1 ? static_cast<std::size_t>(at) : stretches - 1;
    }

    // The start of each stretch; returns the most edges that one holds.
    std::size_t fill() {
        std::vector<std::uint32_t> inside(stretches, 0);
        for (const double edge : edges_) {
            ++inside[stretch(edge)];
        }
        start_.assign(stretches, 0);
        std::uint32_t before = 0;
        std::uint32_t most = 0;
        for (std::size_t i = 0; i < stretches; ++i) {
            start_[i] = before;
            before += inside[i];
            most = std::max(most, inside[i]);
        }
        step_ = std::bit_floor(static_cast<std::size_t>(std::max(most, 1U)));
        return most;
    }

    std::vector<double> edges_;
    std::vector<std::uint8_t> high_, low_;
    std::vector<std::uint32_t> start_;
    std::uint64_t base_ = 0;
    std::size_t step_ = 1;
    int shift_ = 0;
    double scale_ = 0;
    bool by_key_ = true;
};

// Codes of rows, with how many rows have each and the first row of each.
template <class Code>
struct CodeSums {
    Code* codes;
    std::int64_t* counts;
    std::int64_t* first;

    void add(std::size_t i, std::size_t code, std::int64_t row) const {
        codes[i] = static_cast<Code>(code);
        if (counts[code]++ == 0) {
            first[code] = std::min(first[code], row);
        }
    }
};

}  // namespace penjing
