// The impurity after a cut, within a stated error, updated class by class: scans every cut
// cheaply, so that only those near the best are scored exactly.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

// n log2 n with a relative error of about 1e-12, by a table of logarithms and a short series.
class LogarithmTable {
  public:
    LogarithmTable() {
        for (std::size_t i = 0; i < size; ++i) {
            const double middle = 1 + (static_cast<double>(i) + 0.5) / size;
            inverse_[i] = 1 / middle;
            log_[i] = std::log2(middle);
        }
    }
    [[nodiscard]] double n_log_n(double n) const {
        constexpr double per_bit = 1.4426950408889634;
        const auto bits = std::bit_cast<std::uint64_t>(n);
        const auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
        if (exponent < -1000) {  // zero, nearly zero, or negative by rounding
            return 0;
        }
        const std::size_t i = (bits >> (52 - width)) & (size - 1);
        const double fraction =
            std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
        const double r = fraction * inverse_[i] - 1;
        const double series = r * (1 - r * (1.0 / 2 - r * (1.0 / 3 - r * (1.0 / 4))));
        return n * (static_cast<double>(exponent) + log_[i] + per_bit * series);
    }

  private:
    static constexpr unsigned width = 7;
    static constexpr std::size_t size = std::size_t{1} << width;
    std::array<double, size> inverse_{};
    std::array<double, size> log_{};
};

inline double approx_n_log_n(double n) {
    static const LogarithmTable logarithms;
    return n > 0 ? logarithms.n_log_n(n) : 0.0;
}

// Classes move from above the cut to below it; `after` is the weight of both sides times their
// entropy in bits, or times their Gini impurity.
class ApproximateImpurity {
  public:
    ApproximateImpurity(CriterionKind criterion, const std::vector<double>& known,
                        std::vector<double>& terms)
        : is_gini_(criterion == CriterionKind::gini), n_(known.size()), terms_(terms) {
        terms_.assign(2 * n_, 0.0);
        for (std::size_t k = 0; k < n_; ++k) {
            terms_[n_ + k] = term(known[k]);
            above_ += terms_[n_ + k];
        }
    }

    // Class k now has so much weight below and above.
    void move(std::size_t k, double below, double above) {
        const double low = term(below);
        const double high = term(above);
        below_ += low - terms_[k];
        above_ += high - terms_[n_ + k];
        terms_[k] = low;
        terms_[n_ + k] = high;
    }

    // The impurity after the cut. The sum above a cut is a difference of larger numbers: where
    // little is left above, it is added up anew.
    [[nodiscard]] double after(double below, double above) {
        if (is_gini_) {
            constexpr double small_share = 1.0 / 1024;
            if (above < small_share * below) {
                above_ = std::accumulate(terms_.begin() + static_cast<std::ptrdiff_t>(n_),
                                         terms_.end(), 0.0);
            }
            return (below - below_ / below) + (above - above_ / above);
        }
        return (approx_n_log_n(below) - below_) + (approx_n_log_n(above) - above_);
    }

    // By how much two results may be in the wrong order, for rows of this weight.
    [[nodiscard]] double error(double weight) const {
        constexpr double share = 4e-10;
        return is_gini_ ? share * weight : share * weight * (std::fabs(std::log2(weight)) + 4);
    }

  private:
    [[nodiscard]] double term(double n) const { return is_gini_ ? n * n : approx_n_log_n(n); }

    bool is_gini_;
    std::size_t n_;
    std::vector<double>& terms_;
    double below_ = 0;
    double above_ = 0;
};

}  // namespace penjing
