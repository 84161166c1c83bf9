// Criteria by their definition, step by step as NumPy computes them in criteria/*.py, so that
// both see the same bits.
#pragma once

#include <cmath>
#include <cstddef>

#include "grow/nodes.hpp"

namespace penjing {

// The sum as numpy.add.reduce forms it along a contiguous axis.
inline double pairwise_sum(const double* a, std::size_t n) {
    if (n < 8) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += a[i];
        }
        return sum;
    }
    if (n <= 128) {
        double r[8];
        for (std::size_t j = 0; j < 8; ++j) {
            r[j] = a[j];
        }
        std::size_t i = 8;
        for (; i < n - n % 8; i += 8) {
            for (std::size_t j = 0; j < 8; ++j) {
                r[j] += a[i + j];
            }
        }
        double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        for (; i < n; ++i) {
            sum += a[i];
        }
        return sum;
    }
    std::size_t half = n / 2;
    half -= half % 8;
    return pairwise_sum(a, half) + pairwise_sum(a + half, n - half);
}

// Entropy of counts in bits (criteria.entropy.bits); `spare` has room for n.
inline double bits(const double* counts, std::size_t n, double* spare) {
    const double weight = pairwise_sum(counts, n);
    for (std::size_t i = 0; i < n; ++i) {
        const double share = weight > 0 ? counts[i] / weight : 0.0;
        spare[i] = share > 0 ? share * std::log2(share) : 0.0;
    }
    return 0.0 - pairwise_sum(spare, n);
}

// The first of the best scores (choosing.first_best), or n if there is none.
inline std::size_t first_best(const std::vector<double>& scored, double slack) {
    double best = not_a_number;
    for (const double score : scored) {
        if (!std::isnan(score) && !(score <= best)) {
            best = score;
        }
    }
    std::size_t i = 0;
    while (i < scored.size() && !(scored[i] >= best - slack)) {
        ++i;
    }
    return i;
}

// Reads and measures vectors of S sums.
class Scorer {
  public:
    Scorer(Measure measure, std::size_t n_sums)
        : measure_(measure), n_(n_sums), spare_(n_sums) {}

    [[nodiscard]] double weight(const double* total) const {
        return measure_ == Measure::variance ? total[0] : pairwise_sum(total, n_);
    }

    double impurity(const double* total) {
        switch (measure_) {
            case Measure::gini: {
                const double w = pairwise_sum(total, n_);
                if (!(w > 0)) {
                    return 0.0;
                }
                for (std::size_t k = 0; k < n_; ++k) {
                    const double share = total[k] / w;
                    spare_[k] = share * share;
                }
                return 1.0 - pairwise_sum(spare_.data(), n_);
            }
            case Measure::variance: {
                const double w = total[0];
                if (!(w > 0)) {
                    return 0.0;
                }
                const double loss = total[2] - total[1] * total[1] / w;
                return (loss > 0.0 ? loss : 0.0) / w;
            }
            default:
                return bits(total, n_, spare_.data());
        }
    }

    // criteria.gains for one division; `parts` holds the branches one after the other.
    double gain(double whole, double weight_before, const double* parts, std::size_t n_parts) {
        products_.resize(n_parts);
        for (std::size_t b = 0; b < n_parts; ++b) {
            const double* part = parts + b * n_;
            products_[b] = impurity(part) * weight(part);
        }
        const double gain = whole - pairwise_sum(products_.data(), n_parts) / weight_before;
        return std::fabs(gain) <= tie_share * std::fabs(whole) ? 0.0 : gain;
    }

  private:
    Measure measure_;
    std::size_t n_;
    std::vector<double> spare_;
    std::vector<double> products_;
};

// What every division of a tree of whole rows gained, by the Gini index; 0 in leaves. (Entropy
// is left to NumPy, whose logarithm may differ from C's in the last bit.)
inline std::vector<double> gains_of(const Grown& grown, std::size_t n_sums) {
    Scorer scorer(Measure::gini, n_sums);
    const std::size_t n = grown.parent.size();
    std::vector<double> gain(n, 0.0);
    for (std::size_t first = 1; first < n;) {  // children stand side by side
        const auto node = static_cast<std::size_t>(grown.parent[first]);
        std::size_t end = first + 1;
        while (end < n && grown.parent[end] == grown.parent[first]) {
            ++end;
        }
        const double* whole = grown.total.data() + node * n_sums;
        gain[node] = scorer.gain(scorer.impurity(whole), scorer.weight(whole),
                                 grown.total.data() + first * n_sums, end - first);
        first = end;
    }
    return gain;
}

// What a column offers a node (split.Offers, one cell).
struct Offer {
    double gain = not_a_number;
    double information = 0;
    double impurity = 0;
    [[nodiscard]] bool made() const { return !std::isnan(gain); }
};

// Choose between columns as search.choose does: the winner, -1 if none; `ties` gets all that
// scored the same.
inline int choose(const std::vector<Offer>& offers, bool is_ratio, std::vector<double>& scores,
                  std::vector<std::int32_t>& ties) {
    const std::size_t n = offers.size();
    ties.clear();
    scores.assign(n, not_a_number);
    if (is_ratio) {
        std::size_t count = 0;
        std::vector<double> filled(n);
        for (std::size_t c = 0; c < n; ++c) {
            count += offers[c].made() ? 1U : 0U;
            filled[c] = offers[c].made() ? offers[c].gain : 0.0;
        }
        const double average =
            pairwise_sum(filled.data(), n) / static_cast<double>(count > 0 ? count : 1);
        for (std::size_t c = 0; c < n; ++c) {
            const Offer& offer = offers[c];
            if (offer.made() && offer.information > 0 &&
                offer.gain >= average - tie_share * offer.impurity) {
                scores[c] = offer.gain / offer.information;
            }
        }
    } else {
        for (std::size_t c = 0; c < n; ++c) {
            scores[c] = offers[c].gain;
        }
    }
    double best = not_a_number;
    for (const double score : scores) {
        if (!std::isnan(score) && !(score <= best)) {
            best = score;
        }
    }
    if (std::isnan(best)) {
        return -1;
    }
    for (std::size_t c = 0; c < n; ++c) {
        if (std::isnan(scores[c])) {
            continue;
        }
        const double scaling = offers[c].gain > 0 ? scores[c] / offers[c].gain : 1.0;
        if (scores[c] + tie_share * offers[c].impurity * std::fabs(scaling) >= best) {
            ties.push_back(static_cast<std::int32_t>(c));
        }
    }
    return ties.front();
}

}  // namespace penjing
