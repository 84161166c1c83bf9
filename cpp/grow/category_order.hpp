// The order of a column's categories in which a contiguous cut is searched for: by the share of
// the first of two classes, or, for more classes, along their principal component.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace penjing {

inline constexpr std::size_t all_subsets = 10;  // choosing.ALL_SUBSETS

namespace detail {

// The eigenvector of the largest eigenvalue of a symmetric matrix of size k, by Jacobi's
// rotations; the first of equal ones.
inline std::vector<double> first_axis(std::vector<double> a, std::size_t k) {
    std::vector<double> axes(k * k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        axes[i * k + i] = 1;
    }
    constexpr int most_sweeps = 60;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        bool turned = false;
        for (std::size_t p = 0; p + 1 < k; ++p) {
            for (std::size_t q = p + 1; q < k; ++q) {
                const double off = a[p * k + q];
                const double here = std::fabs(a[p * k + p]) + std::fabs(a[q * k + q]);
                if (off == 0 || here + std::fabs(off) == here) {
                    continue;  // nothing that a sum of this size would notice
                }
                turned = true;
                const double theta = (a[q * k + q] - a[p * k + p]) / (2 * off);
                const double t =
                    std::copysign(1.0, theta) / (std::fabs(theta) + std::hypot(theta, 1.0));
                const double c = 1 / std::hypot(t, 1.0);
                const double s = t * c;
                for (std::size_t i = 0; i < k; ++i) {
                    const double x = a[i * k + p];
                    const double y = a[i * k + q];
                    a[i * k + p] = c * x - s * y;
                    a[i * k + q] = s * x + c * y;
                }
                for (std::size_t i = 0; i < k; ++i) {
                    const double x = a[p * k + i];
                    const double y = a[q * k + i];
                    a[p * k + i] = c * x - s * y;
                    a[q * k + i] = s * x + c * y;
                }
                a[p * k + q] = 0;
                a[q * k + p] = 0;
                for (std::size_t i = 0; i < k; ++i) {
                    const double x = axes[i * k + p];
                    const double y = axes[i * k + q];
                    axes[i * k + p] = c * x - s * y;
                    axes[i * k + q] = s * x + c * y;
                }
            }
        }
        if (!turned) {
            break;
        }
    }
    std::size_t best = 0;
    for (std::size_t i = 1; i < k; ++i) {
        if (a[i * k + i] > a[best * k + best]) {
            best = i;
        }
    }
    std::vector<double> axis(k);
    for (std::size_t i = 0; i < k; ++i) {
        axis[i] = axes[i * k + best];
    }
    return axis;
}

}  // namespace detail

// Where each of n levels lies; `cells` holds their weight in each of k classes.
template <class T>
std::vector<double> along_principal(const T* cells, std::size_t n, std::size_t k) {
    std::vector<double> mean(k, 0.0);
    std::vector<double> weight(n, 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < k; ++c) {
            const auto cell = static_cast<double>(cells[i * k + c]);
            mean[c] += cell;
            weight[i] += cell;
        }
        sum += weight[i];
    }
    std::vector<std::size_t> some;  // classes that occur: others would change nothing
    for (std::size_t c = 0; c < k; ++c) {
        if (mean[c] > 0) {
            some.push_back(c);
        }
    }
    const std::size_t m = some.size();
    std::vector<double> along(n, 0.0);
    if (m < 2) {
        return along;
    }
    std::vector<double> centred(n * m);
    std::vector<double> spread(m * m, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        double* row = centred.data() + i * m;
        for (std::size_t j = 0; j < m; ++j) {
            const auto cell = static_cast<double>(cells[i * k + some[j]]);
            row[j] = (weight[i] > 0 ? cell / weight[i] : 0.0) - mean[some[j]] / sum;
        }
        for (std::size_t a = 0; a < m; ++a) {
            for (std::size_t b = a; b < m; ++b) {
                spread[a * m + b] += weight[i] * row[a] * row[b];
            }
        }
    }
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            spread[a * m + b] = spread[b * m + a];
        }
    }
    std::vector<double> axis = detail::first_axis(std::move(spread), m);
    const auto longest = std::max_element(axis.begin(), axis.end(), [](double x, double y) {
        return std::fabs(x) < std::fabs(y);
    });
    const double sign = *longest < 0 ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
            along[i] += centred[i * m + j] * (axis[j] * sign);
        }
    }
    return along;
}

// The levels in that order; equal ones stay as they are.
template <class T>
std::vector<std::uint32_t> order_along(const T* cells, std::size_t n, std::size_t k) {
    const std::vector<double> along = along_principal(cells, n, k);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return along[a] < along[b]; });
    return order;
}

class ShareSort {
  public:
    // Two different fractions with denominators up to m are 1 / m^2 apart or more, so twice the
    // bits of m, and one, tell them apart; equal fractions make one key, for a division is
    // rounded the same way however a fraction is written.
    const std::vector<std::uint32_t>& order(const std::uint32_t* cells,
                                            const std::uint32_t* sizes, std::size_t n) {
        const std::uint32_t most = n == 0 ? 1 : *std::max_element(sizes, sizes + n);
        order_.resize(n);
        shares_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            order_[i] = static_cast<std::uint32_t>(i);
            shares_[i] = static_cast<double>(cells[2 * i]) / sizes[i];
        }
        if (n <= few || most > widest) {
            std::stable_sort(
                order_.begin(), order_.end(),
                [&](std::uint32_t a, std::uint32_t b) { return shares_[a] < shares_[b]; });
            return order_;
        }
        const unsigned bits = 2 * static_cast<unsigned>(std::bit_width(most)) + 1;
        const auto scale = static_cast<double>(std::uint64_t{1} << bits);
        keys_.resize(n);
        other_keys_.resize(n);
        other_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            keys_[i] = static_cast<std::uint64_t>(shares_[i] * scale);
        }
        for (unsigned shift = 0; shift <= bits; shift += step) {
            pass(shift);
        }
        return order_;
    }

  private:
    static constexpr unsigned step = 11;
    static constexpr std::size_t few = 64;
    static constexpr std::uint32_t widest = (1U << 25) - 1;

    void pass(unsigned shift) {
        constexpr std::uint64_t mask = (std::uint64_t{1} << step) - 1;
        std::array<std::uint32_t, (std::size_t{1} << step) + 1> place{};
        for (const std::uint64_t key : keys_) {
            ++place[(key >> shift & mask) + 1];
        }
        for (std::size_t cell = 1; cell < place.size(); ++cell) {
            place[cell] += place[cell - 1];
        }
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            const std::uint32_t at = place[keys_[i] >> shift & mask]++;
            other_keys_[at] = keys_[i];
            other_[at] = order_[i];
        }
        std::swap(keys_, other_keys_);
        std::swap(order_, other_);
    }

    std::vector<double> shares_;
    std::vector<std::uint64_t> keys_, other_keys_;
    std::vector<std::uint32_t> order_, other_;
};

}  // namespace penjing
