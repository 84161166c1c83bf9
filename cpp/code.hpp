// Column coding: values become small integers, so that everything after counts and never
// compares.
//
// Numbers get their rank among the distinct values: code order is value order and no digit is
// lost. Strings get the order of their first appearance.
//
// Ranks come from a radix sort. A double's bits, with the sign folded in, order like the
// number, so a sort of integers sorts numbers. Of those 64 bits only the stretch that varies in
// this column matters; its top 32 bits, packed with the row number into one word, are sorted in
// at most three passes. Values that agree in these bits but differ further down (rare) are put
// in order by comparison afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "view.hpp"

namespace penjing {

struct FloatCodes {
    std::vector<double> levels;  // ascending, distinct, never NaN, never -0.0
};

struct StringCodes {
    std::vector<std::int64_t> first_rows;  // where each level was seen first
};

namespace detail {

// Codes are 32-bit and row numbers share a word with 32 bits of key.
inline void check_size(std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("a column holds at most 2147483647 rows");
    }
}

inline constexpr std::uint64_t sign = std::uint64_t{1} << 63;

// Integer order of the result = numeric order of the value; -0.0 becomes 0.0 first.
inline std::uint64_t ordered_bits(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

inline double from_ordered_bits(std::uint64_t key) {
    return std::bit_cast<double>((key & sign) != 0 ? key ^ sign : ~key);
}

// Radix sort by bits [32, 32 + width) of each word, least significant digit first.
// `spare` has room for as many words; the sorted words end up in `words`.
inline void radix_sort(std::vector<std::uint64_t>& words, std::vector<std::uint64_t>& spare,
                       int width) {
    constexpr int most = 11;  // 2048 counters: 16 KB, inside the first-level cache
    const int passes = std::max(1, (width + most - 1) / most);
    const int digit = (width + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
    const std::size_t n_digits = std::size_t{1} << digit;

    // All histograms in one reading.
    std::vector<std::uint32_t> counts(n_digits * static_cast<std::size_t>(passes), 0);
    for (const std::uint64_t word : words) {
        std::uint64_t key = word >> 32;
        for (std::size_t pass = 0; pass < static_cast<std::size_t>(passes); ++pass) {
            ++counts[pass * n_digits + (key & mask)];
            key >>= digit;
        }
    }
    for (int pass = 0; pass < passes; ++pass) {
        std::uint32_t* place = counts.data() + static_cast<std::size_t>(pass) * n_digits;
        const int shift = 32 + pass * digit;
        std::uint32_t sum = 0;
        bool constant = false;
        for (std::size_t d = 0; d < n_digits; ++d) {
            const std::uint32_t count = place[d];
            constant = constant || count == words.size();
            place[d] = sum;
            sum += count;
        }
        if (constant) {
            continue;  // every word has the same digit here
        }
        for (const std::uint64_t word : words) {
            spare[place[(word >> shift) & mask]++] = word;
        }
        words.swap(spare);
    }
}

}  // namespace detail

// Give each number its rank among the distinct ones; NaN gets -1. `codes` has a place per
// value.
inline FloatCodes code_floats(View<double> values, Room<std::int32_t> codes) {
    using detail::ordered_bits;
    detail::check_size(values.size());

    // What varies: keys lie in [low, low + span], and their lowest `trailing` bits are all
    // equal.
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t high = 0;
    std::uint64_t all_and = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t all_or = 0;
    std::size_t n_known = 0;
    for (const double value : values) {
        if (std::isnan(value)) {
            continue;
        }
        const std::uint64_t key = ordered_bits(value);
        low = std::min(low, key);
        high = std::max(high, key);
        all_and &= key;
        all_or |= key;
        ++n_known;
    }
    FloatCodes answer;
    if (n_known == 0) {
        std::fill(codes.begin(), codes.end(), missing);
        return answer;
    }
    const std::uint64_t varying = all_and ^ all_or;
    const int trailing = varying == 0 ? 0 : std::countr_zero(varying);
    const auto width = static_cast<int>(std::bit_width((high - low) >> trailing));
    const int kept = std::min(width, 32);
    const int drop = trailing + (width - kept);  // bits below the kept ones
    const bool exact = width <= 32;              // the kept bits tell all values apart

    std::vector<std::uint64_t> words;
    words.reserve(n_known);
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) {
            codes[row] = missing;
        } else {
            words.push_back(((ordered_bits(values[row]) - low) >> drop) << 32 | row);
        }
    }

    constexpr std::size_t few = 512;  // below, clearing the counters costs more than comparing
    if (n_known < few) {
        std::sort(words.begin(), words.end());
    } else {
        std::vector<std::uint64_t> spare(n_known);
        detail::radix_sort(words, spare, kept);
    }

    const auto row_of = [](std::uint64_t word) {
        return static_cast<std::size_t>(word & 0xffffffffU);
    };
    const auto give = [&](std::uint64_t word) {
        codes[row_of(word)] = static_cast<std::int32_t>(answer.levels.size()) - 1;
    };
    if (exact) {
        std::uint64_t before = 0;
        for (std::size_t i = 0; i < n_known; ++i) {
            const std::uint64_t key = words[i] >> 32;
            if (i == 0 || key != before) {
                answer.levels.push_back(values[row_of(words[i])] + 0.0);
                before = key;
            }
            give(words[i]);
        }
        return answer;
    }

    // Runs of equal kept bits: compare what was dropped.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> run;  // full key, word
    for (std::size_t i = 0; i < n_known;) {
        std::size_t end = i + 1;
        while (end < n_known && words[end] >> 32 == words[i] >> 32) {
            ++end;
        }
        if (end == i + 1) {
            answer.levels.push_back(values[row_of(words[i])] + 0.0);
            give(words[i]);
        } else {
            run.clear();
            for (std::size_t j = i; j < end; ++j) {
                run.emplace_back(ordered_bits(values[row_of(words[j])]), words[j]);
            }
            const auto first_key = run.front().first;
            const bool one_value =
                std::all_of(run.begin(), run.end(),
                            [first_key](const auto& item) { return item.first == first_key; });
            if (!one_value) {
                std::sort(run.begin(), run.end());
            }
            for (std::size_t j = 0; j < run.size(); ++j) {
                if (j == 0 || run[j].first != run[j - 1].first) {
                    answer.levels.push_back(detail::from_ordered_bits(run[j].first));
                }
                give(run[j].second);
            }
        }
        i = end;
    }
    return answer;
}

namespace detail {

// Two 64-bit halves of a product, folded: every input bit reaches every output bit.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    a ^= a >> 32;
    a *= 0x9e3779b97f4a7c15U;
    return (a ^ (a >> 29)) * (b | 1);
#endif
}

inline std::uint64_t hash_bytes(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // the golden ratio, in 64 bits
    std::uint64_t h = fold(size + odd, 0xd1342543de82ef95U);
    while (size > 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, data, 8);
        h = fold(h ^ word, odd);
        data += 8;
        size -= 8;
    }
    std::uint64_t word = 0;
    if (size > 0) {
        std::memcpy(&word, data, size);
    }
    return fold(h ^ word, 0xa0761d6478bd642fU);
}

}  // namespace detail

// Give each string the number of distinct strings seen before its first appearance.
//
// Row i is data[offsets[i]] up to data[offsets[i + 1]]; a row with valid[i] == 0 is missing
// (an empty `valid`: none is). `codes` has a place per row.
inline StringCodes code_strings(View<std::uint8_t> data, View<std::int64_t> offsets,
                                View<std::uint8_t> valid, Room<std::int32_t> codes) {
    const std::size_t n = codes.size();
    detail::check_size(n);
    if (offsets.size() != n + 1 || (!valid.empty() && valid.size() != n)) {
        throw std::invalid_argument(
            "offsets must have one more entry than rows, valid as many");
    }
    if (offsets.front() < 0 || static_cast<std::uint64_t>(offsets.back()) > data.size() ||
        !std::is_sorted(offsets.begin(), offsets.end())) {
        throw std::invalid_argument("offsets must ascend and stay inside the data");
    }

    struct Slot {
        std::uint32_t tag = 0;  // upper half of the hash: most unequal strings differ here
        std::int32_t code = missing;
    };
    StringCodes answer;
    std::vector<std::uint64_t> hashes;  // of each level, for when the table grows
    std::vector<Slot> slots(64);
    std::size_t mask = slots.size() - 1;

    const auto start = [&](std::size_t row) { return static_cast<std::size_t>(offsets[row]); };
    for (std::size_t row = 0; row < n; ++row) {
        if (!valid.empty() && valid[row] == 0) {
            codes[row] = missing;
            continue;
        }
        const std::uint8_t* text = data.data() + start(row);
        const std::size_t size = start(row + 1) - start(row);
        const std::uint64_t hash = detail::hash_bytes(text, size);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t place = hash & mask;
        for (;; place = (place + 1) & mask) {
            Slot& slot = slots[place];
            if (slot.code == missing) {
                slot = {tag, static_cast<std::int32_t>(answer.first_rows.size())};
                answer.first_rows.push_back(static_cast<std::int64_t>(row));
                hashes.push_back(hash);
                codes[row] = slot.code;
                break;
            }
            if (slot.tag == tag) {
                const auto other = static_cast<std::size_t>(
                    answer.first_rows[static_cast<std::size_t>(slot.code)]);
                if (start(other + 1) - start(other) == size &&
                    (size == 0 || std::memcmp(data.data() + start(other), text, size) == 0)) {
                    codes[row] = slot.code;
                    break;
                }
            }
        }
        if (hashes.size() * 2 > slots.size()) {  // at most half full: probes stay short
            slots.assign(slots.size() * 4, Slot{});
            mask = slots.size() - 1;
            for (std::size_t code = 0; code < hashes.size(); ++code) {
                std::size_t home = hashes[code] & mask;
                while (slots[home].code != missing) {
                    home = (home + 1) & mask;
                }
                slots[home] = {static_cast<std::uint32_t>(hashes[code] >> 32),
                               static_cast<std::int32_t>(code)};
            }
        }
    }
    return answer;
}

}  // namespace penjing
