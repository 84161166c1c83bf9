// Split criteria by definition, with the same operations as NumPy in criteria/*.py, so that
// both give the same bits.
#pragma once

#include <cmath>
#include <cstddef>

#include "grow/nodes.hpp"

namespace penjing {

// Pairwise summation as in numpy.add.reduce along a contiguous axis.
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

// Entropy of counts in bits (criteria.entropy.bits); `terms` has room for n.
inline double entropy_bits(const double* counts, std::size_t n, double* terms) {
    const double weight = pairwise_sum(counts, n);
    for (std::size_t i = 0; i < n; ++i) {
        const double share = weight > 0 ? counts[i] / weight : 0.0;
        terms[i] = share > 0 ? share * std::log2(share) : 0.0;
    }
    return 0.0 - pairwise_sum(terms, n);
}

// The index of the first score within `slack` of the best (choosing.first_best), or n if all
// are NaN.
inline std::size_t first_best(const std::vector<double>& scores, double slack) {
    double best = not_a_number;
    for (const double score : scores) {
        if (!std::isnan(score) && !(score <= best)) {
            best = score;
        }
    }
    std::size_t i = 0;
    while (i < scores.size() && !(scores[i] >= best - slack)) {
        ++i;
    }
    return i;
}

// Weight, impurity and gain from vectors of n_sums sums: class weights, or (w, wy, wy^2).
class Scorer {
  public:
    Scorer(CriterionKind criterion, std::size_t n_sums)
        : criterion_(criterion), n_(n_sums), terms_(n_sums) {}

    [[nodiscard]] double weight(const double* total) const {
        return criterion_ == CriterionKind::variance ? total[0] : pairwise_sum(total, n_);
    }

    double impurity(const double* total) {
        switch (criterion_) {
            case CriterionKind::gini: {
                const double w = pairwise_sum(total, n_);
                if (!(w > 0)) {
                    return 0.0;
                }
                for (std::size_t k = 0; k < n_; ++k) {
                    const double share = total[k] / w;
                    terms_[k] = share * share;
                }
                return 1.0 - pairwise_sum(terms_.data(), n_);
            }
            case CriterionKind::variance: {
                const double w = total[0];
                if (!(w > 0)) {
                    return 0.0;
                }
                const double loss = total[2] - total[1] * total[1] / w;
                return (loss > 0.0 ? loss : 0.0) / w;
            }
            default:
                return entropy_bits(total, n_, terms_.data());
        }
    }

    // The gain of one split (criteria.gains); `parts` holds the sums of its branches one after
    // the other.
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
    CriterionKind criterion_;
    std::size_t n_;
    std::vector<double> terms_;
    std::vector<double> products_;
};

// The Gini gain of every split of a tree of rows of weight one; 0 in leaves. (Entropy is left
// to NumPy, whose logarithm may differ from that of C in the last bit.)
inline std::vector<double> gini_gains(const GrownTree& tree, std::size_t n_sums) {
    Scorer scorer(CriterionKind::gini, n_sums);
    const std::size_t n = tree.parent.size();
    std::vector<double> gain(n, 0.0);
    for (std::size_t first = 1; first < n;) {  // children are adjacent
        const auto node = static_cast<std::size_t>(tree.parent[first]);
        std::size_t end = first + 1;
        while (end < n && tree.parent[end] == tree.parent[first]) {
            ++end;
        }
        const double* whole = tree.total.data() + node * n_sums;
        gain[node] = scorer.gain(scorer.impurity(whole), scorer.weight(whole),
                                 tree.total.data() + first * n_sums, end - first);
        first = end;
    }
    return gain;
}

// The best split of one column, as it is compared with other columns (split.Offers).
struct Candidate {
    double gain = not_a_number;
    double information = 0;
    double impurity = 0;
    [[nodiscard]] bool exists() const { return !std::isnan(gain); }
};

// Choose between columns as search.choose does. Returns the winner, -1 if there is none; `ties`
// gets all columns with the same score.
inline int choose(const std::vector<Candidate>& candidates, bool is_ratio,
                  std::vector<double>& scores, std::vector<std::int32_t>& ties) {
    const std::size_t n = candidates.size();
    ties.clear();
    scores.assign(n, not_a_number);
    if (is_ratio) {
        std::size_t count = 0;
        std::vector<double> gains(n);
        for (std::size_t c = 0; c < n; ++c) {
            count += candidates[c].exists() ? 1U : 0U;
            gains[c] = candidates[c].exists() ? candidates[c].gain : 0.0;
        }
        const double average =
            pairwise_sum(gains.data(), n) / static_cast<double>(count > 0 ? count : 1);
        for (std::size_t c = 0; c < n; ++c) {
            const Candidate& candidate = candidates[c];
            if (candidate.exists() && candidate.information > 0 &&
                candidate.gain >= average - tie_share * candidate.impurity) {
                scores[c] = candidate.gain / candidate.information;
            }
        }
    } else {
        for (std::size_t c = 0; c < n; ++c) {
            scores[c] = candidates[c].gain;
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
        const double scaling = candidates[c].gain > 0 ? scores[c] / candidates[c].gain : 1.0;
        if (scores[c] + tie_share * candidates[c].impurity * std::fabs(scaling) >= best) {
            ties.push_back(static_cast<std::int32_t>(c));
        }
    }
    return ties.front();
}

}  // namespace penjing
