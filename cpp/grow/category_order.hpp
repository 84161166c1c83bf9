// The order of a column's categories in which binary splits are searched: by the share of the
// first class for two classes, else along the principal component of the class shares
// (Coppersmith, Hong and Hosking 1999). Every engine uses this code, so that all get the same
// bits.
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

inline constexpr std::size_t max_exhaustive_categories = 10;  // choosing.ALL_SUBSETS

namespace detail {

// The eigenvector of the largest eigenvalue of a symmetric k x k matrix by Jacobi rotations;
// the first one if several are equal.
inline std::vector<double> principal_axis(std::vector<double> a, std::size_t k) {
    std::vector<double> axes(k * k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        axes[i * k + i] = 1;
    }
    constexpr int max_sweeps = 60;
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        bool rotated = false;
        for (std::size_t p = 0; p + 1 < k; ++p) {
            for (std::size_t q = p + 1; q < k; ++q) {
                const double off = a[p * k + q];
                const double here = std::fabs(a[p * k + p]) + std::fabs(a[q * k + q]);
                if (off == 0 || here + std::fabs(off) == here) {
                    continue;  // negligible: it is lost in rounding
                }
                rotated = true;
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
        if (!rotated) {
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

// The coordinates of n categories along the principal component; `cells` holds their weight in
// each of k classes.
template <class T>
std::vector<double> principal_coordinates(const T* cells, std::size_t n, std::size_t k) {
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
    std::vector<std::size_t> present;  // classes that occur; the others change nothing
    for (std::size_t c = 0; c < k; ++c) {
        if (mean[c] > 0) {
            present.push_back(c);
        }
    }
    const std::size_t m = present.size();
    std::vector<double> coordinates(n, 0.0);
    if (m < 2) {
        return coordinates;
    }
    std::vector<double> centred(n * m);
    std::vector<double> covariance(m * m, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        double* row = centred.data() + i * m;
        for (std::size_t j = 0; j < m; ++j) {
            const auto cell = static_cast<double>(cells[i * k + present[j]]);
            row[j] = (weight[i] > 0 ? cell / weight[i] : 0.0) - mean[present[j]] / sum;
        }
        for (std::size_t a = 0; a < m; ++a) {
            for (std::size_t b = a; b < m; ++b) {
                covariance[a * m + b] += weight[i] * row[a] * row[b];
            }
        }
    }
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            covariance[a * m + b] = covariance[b * m + a];
        }
    }
    std::vector<double> axis = detail::principal_axis(std::move(covariance), m);
    const auto largest = std::max_element(axis.begin(), axis.end(), [](double x, double y) {
        return std::fabs(x) < std::fabs(y);
    });
    const double sign = *largest < 0 ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
            coordinates[i] += centred[i * m + j] * (axis[j] * sign);
        }
    }
    return coordinates;
}

// The categories in the order of their coordinates; a stable sort.
template <class T>
std::vector<std::uint32_t> principal_order(const T* cells, std::size_t n, std::size_t k) {
    const std::vector<double> coordinates = principal_coordinates(cells, n, k);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return coordinates[a] < coordinates[b];
    });
    return order;
}

class ClassShareSort {
  public:
    // Two different fractions with denominators up to m differ by at least 1 / m^2, so that
    // keys of 2 log2(m) + 1 bits distinguish them. Equal fractions have equal keys, since
    // division rounds a quotient the same way however the fraction is written.
    const std::vector<std::uint32_t>& order(const std::uint32_t* cells,
                                            const std::uint32_t* sizes, std::size_t n) {
        const std::uint32_t max_size = n == 0 ? 1 : *std::max_element(sizes, sizes + n);
        order_.resize(n);
        shares_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            order_[i] = static_cast<std::uint32_t>(i);
            shares_[i] = static_cast<double>(cells[2 * i]) / sizes[i];
        }
        if (n <= max_comparison_sort || max_size > max_exact_size) {
            std::stable_sort(
                order_.begin(), order_.end(),
                [&](std::uint32_t a, std::uint32_t b) { return shares_[a] < shares_[b]; });
            return order_;
        }
        const unsigned bits = 2 * static_cast<unsigned>(std::bit_width(max_size)) + 1;
        const auto scale = static_cast<double>(std::uint64_t{1} << bits);
        keys_.resize(n);
        spare_keys_.resize(n);
        spare_order_.resize(n);
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
    static constexpr std::size_t max_comparison_sort = 64;
    static constexpr std::uint32_t max_exact_size = (1U << 25) - 1;

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
            spare_keys_[at] = keys_[i];
            spare_order_[at] = order_[i];
        }
        std::swap(keys_, spare_keys_);
        std::swap(order_, spare_order_);
    }

    std::vector<double> shares_;
    std::vector<std::uint64_t> keys_, spare_keys_;
    std::vector<std::uint32_t> order_, spare_order_;
};

}  // namespace penjing
