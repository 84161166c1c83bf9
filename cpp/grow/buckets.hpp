// Buckets: each value of an ordered column gets a one-byte code that keeps the order, so that
// large nodes are counted instead of scanned. The search stays exact: an upper bound on the
// cuts inside a bucket says which buckets must be examined value by value.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/simd.hpp"
#include "encode/dictionary.hpp"
#include "grow/criterion_counts.hpp"
#include "grow/request.hpp"

namespace penjing {

// The values of an ordered column: its numbers, or their ranks.
struct Keys {
    const double* numbers = nullptr;
    std::size_t stride = 1;
    const std::int32_t* codes = nullptr;

    [[nodiscard]] double at(std::size_t row) const {
        return codes != nullptr ? codes[row] : numbers[row * stride] + 0.0;
    }

    // The values of n rows from `begin` on.
    void copy(std::size_t begin, std::size_t n, double* out) const {
        if (codes != nullptr) {
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = codes[begin + i];
            }
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = numbers[(begin + i) * stride] + 0.0;
            }
        }
    }

    // Gather the values of some rows. A minimal loop, so that many cache misses overlap.
    void gather(const std::uint32_t* rows, std::size_t n, double* out) const {
        if (codes != nullptr) {
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = codes[rows[i]];
            }
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                out[i] = numbers[rows[i] * stride] + 0.0;
            }
        }
    }
};

inline constexpr std::size_t n_buckets = 256;

class BucketMap {
  public:
    // Take the bounds from the quantiles of a sample; each is the largest value of its bucket.
    void prepare(const Keys& keys, std::size_t n_rows) {
        constexpr std::size_t most = 8192;
        const std::size_t n = std::min(n_rows, most);
        std::vector<double> sample;
        sample.reserve(n);
        // A random offset in each step avoids aliasing with periodic data.
        const std::size_t step = n_rows / n;
        std::uint64_t state = 88172645463325252U;
        for (std::size_t i = 0; i < n; ++i) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            const double value = keys.at(i * step + (step > 1 ? state % step : 0));
            if (!std::isnan(value)) {
                sample.push_back(value);
            }
        }
        std::sort(sample.begin(), sample.end());
        bounds_.fill(std::numeric_limits<double>::infinity());
        several_.fill(0);
        used_ = 0;
        std::vector<double> distinct;
        std::unique_copy(sample.begin(), sample.end(), std::back_inserter(distinct));
        if (distinct.size() < n_buckets) {
            std::copy(distinct.begin(), distinct.end(), bounds_.begin());
            used_ = distinct.size();
        } else {
            for (std::size_t b = 1; b < n_buckets; ++b) {
                const double value = sample[b * sample.size() / n_buckets];
                if (used_ == 0 || bounds_[used_ - 1] < value) {
                    bounds_[used_++] = value;
                }
            }
        }
        // If hardly two rows of the sample share a value, every bucket holds several values.
        if (distinct.size() > sample.size() / 2 && sample.size() > 2 * n_buckets) {
            all_several_ = true;
            several_.fill(1);
        }
        is_whole_ = std::all_of(sample.begin(), sample.end(),
                                [](double value) { return value == std::trunc(value); });
        prepare_guide(sample);
        prepare_finer(sample);
    }

    // Code rows [from, to); false if a value is missing or infinite.
    bool code(const Keys& keys, std::size_t from, std::size_t to, std::uint8_t* out) {
        bool whole = true;
        std::array<double, chunk> values;
        for (std::size_t begin = from; begin < to; begin += chunk) {
            const std::size_t n = std::min(chunk, to - begin);
            keys.copy(begin, n, values.data());
            whole = code_values(values.data(), n, out + begin) && whole;
        }
        return whole;
    }

    // Fine codes inside the buckets of encoded rows; they keep the order too.
    void refine(const Keys& keys, std::size_t from, std::size_t to, const std::uint8_t* buckets,
                std::uint8_t* out) const {
        for (std::size_t i = from; i < to; ++i) {
            const std::size_t b = buckets[i];
            // Both operations are monotonic after rounding.
            const double place = (keys.at(i) - floor_[b]) * stretch_[b];
            const double inside = place > 0 ? (place < 255 ? place : 255) : 0;
            out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(inside));
        }
    }

    // Whether the sample had one or two values: fine codes are then made only if other values
    // occur.
    [[nodiscard]] bool sample_has_two_values() const { return used_ == 1 || used_ == 2; }
    // Whether no row had another value: codes are then 0 and 1.
    [[nodiscard]] bool has_two_values() const {
        return sample_has_two_values() && has_two_values_;
    }
    // Whether a bucket may hold several distinct values.
    [[nodiscard]] bool has_several_values(std::size_t b) const { return several_[b] != 0; }
    // The same for a fine cell: if only integers occur, a narrow bucket has one value per cell.
    [[nodiscard]] bool has_several_values_inside(std::size_t b) const {
        return has_several_values(b) &&
               !(is_whole_ && b > 0 && b < used_ && bounds_[b] - bounds_[b - 1] < n_buckets);
    }
    [[nodiscard]] double bound(std::size_t b) const { return bounds_[b]; }
    [[nodiscard]] std::size_t used() const { return used_ + 1; }
    void merge(const BucketMap& other) {
        is_whole_ = is_whole_ && other.is_whole_;
        has_two_values_ = has_two_values_ && other.has_two_values_;
        for (std::size_t b = 0; b < n_buckets; ++b) {
            several_[b] = static_cast<std::uint8_t>(several_[b] | other.several_[b]);
        }
    }

  private:
    static constexpr std::size_t n_cells = 2048;
    static constexpr std::size_t chunk = 256;  // values per step

    // A table from the position of a value between the smallest and the largest bound to its
    // first possible bucket. Columns whose values cluster use binary search instead.
    void prepare_guide(const std::vector<double>& sample) {
        const double high = used_ > 0 ? bounds_[used_ - 1] : 0;
        least_ = used_ > 0 ? bounds_[0] : 0;
        scale_ = (n_cells - 2) / (high - least_);
        guided_ = used_ > 4 && std::isfinite(scale_) && scale_ > 0;
        if (!guided_) {
            return;
        }
        guide_.resize(n_cells);
        std::uint32_t at = 0;
        for (std::size_t cell = 0; cell < n_cells; ++cell) {
            // The first bucket that a value of this cell may be in.
            while (at < used_ && cell_of(bounds_[at]) < cell) {
                ++at;
            }
            guide_[cell] = static_cast<std::uint8_t>(at);
        }
        one_step_ = true;
        for (std::size_t b = 1; b < used_; ++b) {
            one_step_ = one_step_ && cell_of(bounds_[b]) != cell_of(bounds_[b - 1]);
        }
        std::size_t steps = 0;
        for (const double value : sample) {
            std::uint32_t b = guide_[cell_of(value)];
            for (; bounds_[b] < value; ++b) {
                ++steps;
            }
        }
        guided_ = steps < sample.size();
    }

    void prepare_finer(const std::vector<double>& sample) {
        for (std::size_t b = 0; b < n_buckets; ++b) {
            const double low = b > 0 && b <= used_ ? bounds_[b - 1]
                               : sample.empty()    ? 0
                                                   : sample.front();
            const double high = b < used_ ? bounds_[b] : sample.empty() ? 0 : sample.back();
            const double stretch = static_cast<double>(n_buckets) / (high - low);
            floor_[b] = low;
            stretch_[b] = std::isfinite(stretch) && stretch > 0 ? stretch : 0;
        }
    }

    [[nodiscard]] std::size_t cell_of(double value) const {
        const double place = (value - least_) * scale_ + 1;
        const double inside = place > 0 ? (place < n_cells - 1 ? place : n_cells - 1) : 0;
        return static_cast<std::size_t>(static_cast<std::int32_t>(inside));
    }

    bool code_values(const double* values, std::size_t n, std::uint8_t* out) {
        if (sample_has_two_values()) {
            if (code_two_values(values, n, out)) {
                return true;
            }
            has_two_values_ = false;
        }
        for (std::size_t i = 0; is_whole_ && i < n; ++i) {
            is_whole_ = values[i] == std::trunc(values[i]);
        }
        return guided_ ? code_by_guide(values, n, out) : code_by_halving(values, n, out);
    }

    // False if a value is neither of the two that the sample had.
    bool code_two_values(const double* values, std::size_t n, std::uint8_t* out) const {
        const double first = bounds_[0];
        const double second = used_ == 2 ? bounds_[1] : first;
        bool is_known = true;
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_first = values[i] == first;
            is_known &= is_first | (values[i] == second);
            out[i] = static_cast<std::uint8_t>(is_first ? 0 : 1);
        }
        return is_known;
    }

    bool code_by_guide(const double* values, std::size_t n, std::uint8_t* out) {
        std::array<std::int32_t, chunk> cells;
        const bool whole = find_cells(values, n, cells.data());
        const double* bounds = bounds_.data();
        const std::uint8_t* guide = guide_.data();
        if (one_step_ && all_several_) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t at = guide[cells[i]];
                out[i] = static_cast<std::uint8_t>(at + (bounds[at] < values[i] ? 1U : 0U));
            }
            return whole;
        }
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t at = guide[cells[i]];
            at += bounds[at] < values[i] ? 1 : 0;
            while (!one_step_ && bounds[at] < values[i]) {
                ++at;
            }
            mark(at, values[i]);
            out[i] = static_cast<std::uint8_t>(at);
        }
        return whole;
    }

    // The table cell of each value; false if one is missing or infinite.
    bool find_cells(const double* values, std::size_t n, std::int32_t* cells) const {
#if PENJING_X86
        if (has_avx512()) {
            return find_cells_avx512(values, n, cells);
        }
#endif
        bool whole = true;
        for (std::size_t i = 0; i < n; ++i) {
            cells[i] = static_cast<std::int32_t>(cell_of(values[i]));
            whole &= std::fabs(values[i]) <= std::numeric_limits<double>::max();
        }
        return whole;
    }

#if PENJING_X86
    PENJING_AVX512 bool find_cells_avx512(const double* values, std::size_t n,
                                          std::int32_t* cells) const {
        const __m512d least = _mm512_set1_pd(least_);
        const __m512d scale = _mm512_set1_pd(scale_);
        const __m512d one = _mm512_set1_pd(1);
        const __m512d last = _mm512_set1_pd(n_cells - 1);
        const __m512d most = _mm512_set1_pd(std::numeric_limits<double>::max());
        std::uint32_t bad = 0;
        for (std::size_t i = 0; i < n; i += 8) {
            const auto valid = static_cast<__mmask8>(n - i >= 8 ? 0xffU : (1U << (n - i)) - 1);
            const __m512d value = _mm512_maskz_loadu_pd(valid, values + i);
            bad |= _mm512_mask_cmp_pd_mask(valid, _mm512_abs_pd(value), most, _CMP_NLE_UQ);
            // The same operations as in cell_of: no multiplication is fused with an addition.
            const __m512d product = _mm512_mul_pd(_mm512_sub_pd(value, least), scale);
            const __m512d place = _mm512_add_pd(product, one);
            // max returns its second operand if the first is NaN.
            const __m512d inside =
                _mm512_min_pd(_mm512_max_pd(place, _mm512_setzero_pd()), last);
            _mm256_mask_storeu_epi32(cells + i, valid, _mm512_cvttpd_epi32(inside));
        }
        return bad == 0;
    }
#endif

    bool code_by_halving(const double* values, std::size_t n_values, std::uint8_t* out) {
        constexpr std::size_t group = 16;
        bool whole = true;
        std::array<double, group> value;
        std::array<std::uint32_t, group> at;
        const double* bounds = bounds_.data();
        const auto half = static_cast<std::uint32_t>(std::bit_ceil(used_ + 1) / 2);
        for (std::size_t i = 0; i < n_values; i += group) {
            const std::size_t n = std::min(group, n_values - i);
            for (std::size_t j = 0; j < group; ++j) {
                value[j] = values[i + std::min(j, n - 1)];
                at[j] = 0;
            }
            for (std::uint32_t step = half; step > 0; step /= 2) {
                for (std::size_t j = 0; j < group; ++j) {
                    at[j] += bounds[at[j] + step - 1] < value[j] ? step : 0;
                }
            }
            for (std::size_t j = 0; j < n; ++j) {
                whole = whole && std::isfinite(value[j]);
                mark(at[j], value[j]);
                out[i + j] = static_cast<std::uint8_t>(at[j]);
            }
        }
        return whole;
    }

    void mark(std::uint32_t at, double value) {
        several_[at] =
            static_cast<std::uint8_t>(several_[at] | (bounds_[at] == value ? 0U : 1U));
    }

    double least_ = 0;
    double scale_ = 0;
    bool guided_ = false;
    bool all_several_ = false;
    bool has_two_values_ = true;
    bool is_whole_ = false;  // only integers have occurred
    bool one_step_ = false;  // no table cell contains two bounds
    std::vector<std::uint8_t> guide_;
    std::array<double, n_buckets> bounds_;  // the last is infinite
    std::array<std::uint8_t, n_buckets> several_;
    std::size_t used_ = 0;
    std::array<double, n_buckets> floor_;    // the value of fine code 0 in each bucket
    std::array<double, n_buckets> stretch_;  // and the fine codes per unit of value
};

// ---- an upper bound of V for the cuts inside a bucket

inline double bound_inside(BinaryGini, const NodeStats& f, const std::uint32_t* below,
                           std::uint32_t l, const std::uint32_t* inside, std::uint32_t,
                           const LogTable& log) {
    // V is convex in the counts, so that it is largest at a corner: one class entirely on the
    // left.
    double most = 0;
    for (std::size_t k = 0; k < 2; ++k) {
        const std::uint32_t left[2] = {below[0] + (k == 0 ? inside[0] : 0),
                                       below[1] + (k == 1 ? inside[1] : 0)};
        const std::uint32_t size = l + inside[k];
        if (size > 0 && size < f.n) {
            most = std::max(most, BinaryGini::score_binary(f, left, size, log));
        }
    }
    return most;
}

inline double bound_inside(MulticlassGini, const NodeStats& f, const std::uint32_t* below,
                           std::uint32_t l, const std::uint32_t* inside, std::uint32_t m,
                           const LogTable&) {
    // V = N / (L R) * sum delta_k^2 with delta_k = c_k - q_k L, expanded at the left edge of
    // the bucket. The linear and the quadratic terms are bounded separately.
    const double n = f.n;
    const double* q = f.share.data();
    double delta[max_bucketed_classes];
    double now = 0;
    double along = 0;
    for (std::size_t k = 0; k < f.k; ++k) {
        delta[k] = below[k] - q[k] * l;
        now += delta[k] * delta[k];
        along += q[k] * delta[k];
    }
    double linear = 0;
    double square = 0;
    for (std::size_t k = 0; k < f.k; ++k) {
        linear += inside[k] * std::max(0.0, delta[k] - along);
        const double far = std::max(inside[k] * (1 - q[k]), q[k] * (m - inside[k]));
        square += far * far;
    }
    const double a = std::max(l, 1U);
    const double b = std::min(l + m, f.n - 1);
    const double lr = std::min(a * (n - a), b * (n - b));
    return n / lr * (now + 2 * linear + square);
}

inline double bound_inside(CountEntropy, const NodeStats& f, const std::uint32_t* below,
                           std::uint32_t l, const std::uint32_t* inside, std::uint32_t m,
                           const LogTable& log) {
    if (f.k == 2) {
        double most = 0;
        for (std::size_t k = 0; k < 2; ++k) {
            const std::uint32_t left[2] = {below[0] + (k == 0 ? inside[0] : 0),
                                           below[1] + (k == 1 ? inside[1] : 0)};
            most = std::max(most, CountEntropy::score_binary(f, left, l + inside[k], log));
        }
        return most;
    }
    // -phi(L) - phi(N - L) is below its tangent in the middle of the bucket; the rest is a sum
    // of convex functions of one count each, largest at an end.
    const std::uint32_t middle = std::clamp(l + m / 2, 1U, f.n - 1);
    const double lambda = std::log2(static_cast<double>(middle) / (f.n - middle)) * log.scale;
    double sum = lambda * middle - as_double(log.phi[middle] + log.phi[f.n - middle]);
    for (std::size_t k = 0; k < f.k; ++k) {
        const auto term = [&](std::uint32_t c) {
            return as_double(log.phi[c] + log.phi[f.t[k] - c]) - lambda * c;
        };
        sum += std::max(term(below[k]), term(below[k] + inside[k]));
    }
    return sum - as_double(f.parent_phi);
}

// ---- examining a bucket

// Rows with their buckets and fine codes, counted per fine cell and class.
struct FineCodeView {
    const std::uint8_t* buckets;
    const std::uint8_t* fine;
    const std::uint16_t* labels;
    std::size_t n;
    unsigned shift;  // fine codes are shifted right by it
    std::size_t k;

    void add(std::size_t i, std::uint32_t* cells) const {
        ++cells[static_cast<std::size_t>(fine[i] >> shift) * k + labels[i]];
    }
};

// Memory for the rows of a bucket, and for one vector store beyond them.
struct PackedRows {
    std::vector<std::uint8_t> fine;
    std::vector<std::uint16_t> labels;
    void prepare(std::size_t n) {
        if (fine.size() < n + 64) {
            fine.resize(2 * n + 64);
            labels.resize(2 * n + 64);
        }
    }
};

inline void count_in_bucket_scalar(const FineCodeView& view, std::uint8_t b,
                                   std::uint32_t* cells) {
    for (std::size_t i = 0; i < view.n; ++i) {
        if (view.buckets[i] == b) {
            view.add(i, cells);
        }
    }
}

#if PENJING_X86
// Branch-free: the rows of the bucket are compressed, then counted.
PENJING_AVX512 inline void count_in_bucket_avx512(const FineCodeView& view, std::uint8_t b,
                                                  std::uint32_t* cells, PackedRows& packed) {
    const __m512i wanted = _mm512_set1_epi8(static_cast<char>(b));
    std::uint8_t* fine = packed.fine.data();
    std::uint16_t* labels = packed.labels.data();
    std::size_t n = 0;
    for (std::size_t i = 0; i < view.n; i += 64) {
        const std::size_t left = view.n - i;
        const __mmask64 valid = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
        const __mmask64 hits = _mm512_mask_cmpeq_epi8_mask(
            valid, _mm512_maskz_loadu_epi8(valid, view.buckets + i), wanted);
        const auto low = static_cast<__mmask32>(hits);
        const auto high = static_cast<__mmask32>(hits >> 32);
        const auto n_low = static_cast<std::size_t>(_mm_popcnt_u32(low));
        // Masked loads do not read beyond the node.
        _mm512_storeu_si512(fine + n, _mm512_maskz_compress_epi8(
                                          hits, _mm512_maskz_loadu_epi8(hits, view.fine + i)));
        _mm512_storeu_si512(
            labels + n,
            _mm512_maskz_compress_epi16(low, _mm512_maskz_loadu_epi16(low, view.labels + i)));
        _mm512_storeu_si512(labels + n + n_low,
                            _mm512_maskz_compress_epi16(
                                high, _mm512_maskz_loadu_epi16(high, view.labels + i + 32)));
        n += n_low + static_cast<std::size_t>(_mm_popcnt_u32(high));
    }
    for (std::size_t i = 0; i < n; ++i) {
        ++cells[static_cast<std::size_t>(fine[i] >> view.shift) * view.k + labels[i]];
    }
}

// The same for two classes: the class replaces the last bit of the fine code.
PENJING_AVX512 inline void count_in_bucket_of_two(const FineCodeView& view, std::uint8_t b,
                                                  std::uint32_t* cells, PackedRows& packed) {
    const __m512i wanted = _mm512_set1_epi8(static_cast<char>(b));
    const __m512i even = _mm512_set1_epi8(static_cast<char>(0xFE));
    const __m512i one = _mm512_set1_epi8(1);
    const std::uint8_t* buckets = view.buckets;
    const std::uint8_t* from = view.fine;
    const std::uint16_t* labels = view.labels;
    std::uint8_t* fine = packed.fine.data();
    std::size_t n = 0;
    std::size_t i = 0;
    for (; i + 64 <= view.n; i += 64) {
        const __mmask64 hits = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(buckets + i), wanted);
        const __m512i low = _mm512_loadu_si512(labels + i);
        const __m512i high = _mm512_loadu_si512(labels + i + 32);
        const __mmask64 second = _mm512_kunpackd(_mm512_test_epi16_mask(high, high),
                                                 _mm512_test_epi16_mask(low, low));
        const __m512i cell = _mm512_and_si512(_mm512_loadu_si512(from + i), even);
        _mm512_storeu_si512(
            fine + n, _mm512_maskz_compress_epi8(
                          hits, _mm512_mask_or_epi32(cell, 0xFFFF, cell,
                                                     _mm512_maskz_mov_epi8(second, one))));
        n += static_cast<std::size_t>(_mm_popcnt_u64(hits));
    }
    for (; i < view.n; ++i) {
        if (buckets[i] == b) {
            fine[n++] = static_cast<std::uint8_t>((from[i] & 0xFEU) | labels[i]);
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        ++cells[static_cast<std::size_t>(fine[j] >> view.shift) * 2 + (fine[j] & 1U)];
    }
}

PENJING_AVX2 inline void count_in_bucket_avx2(const FineCodeView& view, std::uint8_t b,
                                              std::uint32_t* cells) {
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(b));
    std::size_t i = 0;
    for (; i + 32 <= view.n; i += 32) {
        const __m256i bytes =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(view.buckets + i));
        auto hits =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, wanted)));
        for (; hits != 0; hits &= hits - 1) {
            view.add(i + _tzcnt_u32(hits), cells);
        }
    }
    for (; i < view.n; ++i) {
        if (view.buckets[i] == b) {
            view.add(i, cells);
        }
    }
}
#endif

inline void count_in_bucket(const FineCodeView& view, std::uint8_t b, std::size_t n_inside,
                            std::uint32_t* cells, PackedRows& packed, bool use_avx512) {
    packed.prepare(n_inside);
#if PENJING_X86
    if (use_avx512 && view.k == 2 && view.shift > 0) {
        count_in_bucket_of_two(view, b, cells, packed);
        return;
    }
    if (use_avx512) {
        count_in_bucket_avx512(view, b, cells, packed);
        return;
    }
    if (has_avx2()) {
        count_in_bucket_avx2(view, b, cells);
        return;
    }
#endif
    static_cast<void>(use_avx512);
    count_in_bucket_scalar(view, b, cells);
}

// Write the positions of the rows in buckets `first` to `last`, ascending, to `out`; returns
// the end.
inline std::uint32_t* rows_in_run_scalar(const std::uint8_t* codes, std::size_t from,
                                         std::size_t n, std::uint8_t first, std::uint8_t last,
                                         std::uint32_t* out) {
    for (std::size_t i = from; i < n; ++i) {
        if (first <= codes[i] && codes[i] <= last) {
            *out++ = static_cast<std::uint32_t>(i);
        }
    }
    return out;
}

#if PENJING_X86
PENJING_AVX512 inline std::uint32_t* rows_in_run_avx512(const std::uint8_t* codes,
                                                        std::size_t n, std::uint8_t first,
                                                        std::uint8_t last, std::uint32_t* out) {
    const __m512i start = _mm512_set1_epi8(static_cast<char>(first));
    const __m512i reach = _mm512_set1_epi8(static_cast<char>(last - first));
    for (std::size_t i = 0; i < n; i += 64) {
        const std::size_t left = n - i;
        const __mmask64 valid = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
        const __m512i bytes = _mm512_sub_epi8(_mm512_maskz_loadu_epi8(valid, codes + i), start);
        std::uint64_t hits = _mm512_mask_cmple_epu8_mask(valid, bytes, reach);
        for (; hits != 0; hits &= hits - 1) {
            *out++ =
                static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(_tzcnt_u64(hits));
        }
    }
    return out;
}

PENJING_AVX2 inline std::uint32_t* rows_in_run_avx2(const std::uint8_t* codes, std::size_t n,
                                                    std::uint8_t first, std::uint8_t last,
                                                    std::uint32_t* out) {
    const __m256i start = _mm256_set1_epi8(static_cast<char>(first));
    const __m256i reach = _mm256_set1_epi8(static_cast<char>(last - first));
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const __m256i bytes = _mm256_sub_epi8(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i)), start);
        auto hits = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(bytes, reach), bytes)));
        for (; hits != 0; hits &= hits - 1) {
            *out++ = static_cast<std::uint32_t>(i) + _tzcnt_u32(hits);
        }
    }
    return rows_in_run_scalar(codes, i, n, first, last, out);
}
#endif

inline std::uint32_t* rows_in_run(const std::uint8_t* codes, std::size_t n, std::uint8_t first,
                                  std::uint8_t last, std::uint32_t* out, bool use_avx512) {
#if PENJING_X86
    if (use_avx512) {
        return rows_in_run_avx512(codes, n, first, last, out);
    }
    if (has_avx2()) {
        return rows_in_run_avx2(codes, n, first, last, out);
    }
#endif
    static_cast<void>(use_avx512);
    return rows_in_run_scalar(codes, 0, n, first, last, out);
}

// The same, for a known number of rows.
inline void rows_in_run(const std::uint8_t* codes, std::size_t n, std::uint8_t first,
                        std::uint8_t last, std::size_t size, std::vector<std::uint32_t>& out,
                        bool use_avx512) {
    out.resize(size);
    rows_in_run(codes, n, first, last, out.data(), use_avx512);
}

// The positions of the rows in fine cells whose bound is at least `least`.
inline void rows_in_cells(const FineCodeView& view, std::uint8_t b, std::size_t size,
                          const double* most, double least, std::vector<std::uint32_t>& out,
                          bool use_avx512) {
    const std::size_t n_cells = std::size_t{256} >> view.shift;
    if (std::none_of(most, most + n_cells, [least](double v) { return v >= least; })) {
        out.clear();
        return;
    }
    rows_in_run(view.buckets, view.n, b, b, size, out, use_avx512);
    std::size_t kept = 0;
    for (const std::uint32_t at : out) {
        out[kept] = at;
        kept += most[view.fine[at] >> view.shift] >= least ? 1U : 0U;
    }
    out.resize(kept);
}

// Sorts a few rows by value. A row is one word: the upper bits of its value, and a tag in the
// lower bits (a class, or the number of the row). Rows are distributed to as many cells as
// there are rows, by linear interpolation of the value, and sorted inside each cell.
class RowSort {
  public:
    void start(std::size_t n, unsigned tag_bits) {
        mask_ = (std::uint64_t{1} << tag_bits) - 1;
        values_.resize(n);
        tags_.resize(n);
    }
    [[nodiscard]] double* values() { return values_.data(); }
    [[nodiscard]] std::uint32_t* tags() { return tags_.data(); }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] std::uint32_t tag(std::size_t i) const {
        return static_cast<std::uint32_t>(words_[i] & mask_);
    }
    [[nodiscard]] bool differs(std::size_t i) const { return differs_[i] != 0; }

    // After it, the i-th row in order has tag(i), and differs(i) says whether its value is not
    // that of the row before.
    void sort() {
        const std::size_t n = values_.size();
        words_.resize(n);
        differs_.assign(n, 0);
        std::uint64_t lost = 0;
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (std::size_t i = 0; i < n; ++i) {
            lost |= detail::ordered_bits(values_[i]) & mask_;
            low = std::min(low, values_[i]);
            high = std::max(high, values_[i]);
        }
        const double scale = static_cast<double>(n) / (high - low);
        if (n > max_insertion && std::isfinite(scale) && scale > 0) {
            distribute(low, scale);
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                words_[i] = word(i);
            }
            order(words_.data(), n);
        }
        bool alike = false;
        for (std::size_t i = 1; i < n; ++i) {
            differs_[i] = (words_[i] | mask_) != (words_[i - 1] | mask_) ? 1 : 0;
            alike = alike || differs_[i] == 0;
        }
        if (lost != 0 && alike) {
            sort_exactly();
        }
    }

  private:
    static constexpr std::size_t max_insertion = 24;

    [[nodiscard]] std::uint64_t word(std::size_t i) const {
        return (detail::ordered_bits(values_[i]) & ~mask_) | tags_[i];
    }

    static void order(std::uint64_t* a, std::size_t n) {
        if (n > max_insertion) {
            std::sort(a, a + n);
            return;
        }
        for (std::size_t i = 1; i < n; ++i) {
            const std::uint64_t x = a[i];
            std::size_t j = i;
            for (; j > 0 && a[j - 1] > x; --j) {
                a[j] = a[j - 1];
            }
            a[j] = x;
        }
    }

    void distribute(double low, double scale) {
        const std::size_t n = values_.size();
        ends_.assign(n + 2, 0);
        cells_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            cells_[i] = static_cast<std::uint32_t>((values_[i] - low) * scale);
            ++ends_[cells_[i] + 1];
        }
        for (std::size_t c = 1; c < n + 2; ++c) {
            ends_[c] += ends_[c - 1];
        }
        for (std::size_t i = 0; i < n; ++i) {
            words_[ends_[cells_[i]]++] = word(i);
        }
        std::size_t begin = 0;
        for (std::size_t c = 0; c <= n; ++c) {
            if (ends_[c] - begin > 1) {
                order(words_.data() + begin, ends_[c] - begin);
            }
            begin = ends_[c];
        }
    }

    // For values that differ only in the bits that hold the tag.
    void sort_exactly() {
        const std::size_t n = values_.size();
        std::vector<std::uint32_t> order(n);
        for (std::size_t i = 0; i < n; ++i) {
            order[i] = static_cast<std::uint32_t>(i);
        }
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return values_[a] < values_[b] || (values_[a] == values_[b] && tags_[a] < tags_[b]);
        });
        for (std::size_t i = 0; i < n; ++i) {
            words_[i] = tags_[order[i]];
            differs_[i] = i > 0 && values_[order[i]] != values_[order[i - 1]] ? 1 : 0;
        }
    }

    std::uint64_t mask_ = 0;
    std::vector<double> values_;
    std::vector<std::uint32_t> tags_;
    std::vector<std::uint64_t> words_;
    std::vector<std::uint8_t> differs_;
    std::vector<std::uint32_t> cells_;
    std::vector<std::uint32_t> ends_;
};

}  // namespace penjing
