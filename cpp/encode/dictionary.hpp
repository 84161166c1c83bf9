// Dictionary encoding: the values of a column become small integers, so that kernels count
// instead of comparing.
//
// The code of a number is its rank among the distinct numbers, so that codes have the order of
// the values. Strings are numbered by first appearance.
//
// Ranks come from a radix sort. The bits of a double, with the sign folded in, have the order
// of the number. Only the range of bits that varies in the column matters: its top 32 bits are
// packed with the row number into one word and sorted in at most three passes. The rare values
// that agree in these bits but differ in lower ones are sorted afterwards.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"

namespace penjing {

struct FloatCodes {
    std::vector<double> levels;  // ascending, distinct, never NaN, never -0.0
};

struct StringCodes {
    std::vector<std::int64_t> first_rows;  // the first row of each level
};

namespace detail {

// Codes have 32 bits, and a row number shares a word with 32 bits of key.
inline void check_size(std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("a column holds at most 2147483647 rows");
    }
}

inline constexpr std::uint64_t sign = std::uint64_t{1} << 63;

// Integers in the order of the doubles; -0.0 becomes 0.0 first.
inline std::uint64_t ordered_bits(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

inline double from_ordered_bits(std::uint64_t key) {
    return std::bit_cast<double>((key & sign) != 0 ? key ^ sign : ~key);
}

// Radix sort by bits [32, 32 + width) of each word, least significant digit first. `spare` is
// as long as `words`; returns whichever of the two holds the sorted words.
inline MutableView<std::uint64_t> radix_sort(MutableView<std::uint64_t> words,
                                             MutableView<std::uint64_t> spare, int width) {
    constexpr int max_digit_bits = 11;  // 8 KB of counters per pass: in the L1 cache
    const int passes = std::max(1, (width + max_digit_bits - 1) / max_digit_bits);
    const int digit = (width + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
    const std::size_t n_digits = std::size_t{1} << digit;

    // The histograms of all passes in one scan.
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
        std::swap(words, spare);
    }
    return words;
}

}  // namespace detail

namespace detail {

// For columns of few distinct values: a small hash table instead of sorting rows. Returns
// false, with undefined `codes`, if there are more than `max_levels` levels.
inline bool code_by_hash_table(View<double> values, MutableView<std::int32_t> codes,
                               FloatCodes& result) {
    constexpr std::size_t max_levels = 1024;
    constexpr std::size_t n_slots = 4 * max_levels;  // keys and codes: 48 KB, in the cache
    constexpr int shift = 64 - 12;
    static_assert(n_slots == std::size_t{1} << 12);

    std::vector<std::uint64_t> keys(n_slots);
    std::vector<std::int32_t> slot_codes(n_slots, missing_code);
    std::vector<std::uint64_t> levels;
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) {
            codes[row] = missing_code;
            continue;
        }
        const std::uint64_t key = ordered_bits(values[row]);
        std::size_t slot = (key * 0x9e3779b97f4a7c15U) >> shift;
        while (slot_codes[slot] != missing_code && keys[slot] != key) {
            slot = (slot + 1) % n_slots;
        }
        if (slot_codes[slot] == missing_code) {
            if (levels.size() == max_levels) {
                return false;
            }
            keys[slot] = key;
            slot_codes[slot] = static_cast<std::int32_t>(levels.size());
            levels.push_back(key);
        }
        codes[row] = slot_codes[slot];
    }
    std::vector<std::int32_t> order(levels.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key_of = [&](std::int32_t code) {
        return levels[static_cast<std::size_t>(code)];
    };
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return key_of(a) < key_of(b); });
    std::vector<std::int32_t> rank(levels.size() + 1,
                                   missing_code);  // rank[0] belongs to code -1
    for (std::size_t place = 0; place < order.size(); ++place) {
        rank[static_cast<std::size_t>(order[place]) + 1] = static_cast<std::int32_t>(place);
        result.levels.push_back(from_ordered_bits(key_of(order[place])));
    }
    for (std::int32_t& code : codes) {
        code = rank[static_cast<std::size_t>(code + 1)];
    }
    return true;
}

// Integers in order of first appearance, by a table over their range; for the classes of an
// integer array. Returns false, with undefined `codes`, if the range is much larger than the
// number of rows.
inline bool encode_integers(View<std::int64_t> values, MutableView<std::int32_t> codes,
                            std::vector<std::int64_t>& levels) {
    if (values.size() == 0) {
        return true;
    }
    std::int64_t low = values[0];
    std::int64_t high = values[0];
    for (std::size_t row = 1; row < values.size(); ++row) {
        low = std::min(low, values[row]);
        high = std::max(high, values[row]);
    }
    const std::uint64_t range =
        static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (range >= std::max<std::uint64_t>(1024, values.size())) {
        return false;
    }
    std::vector<std::int32_t> place(static_cast<std::size_t>(range) + 1, missing_code);
    for (std::size_t row = 0; row < values.size(); ++row) {
        std::int32_t& code = place[static_cast<std::size_t>(values[row] - low)];
        if (code == missing_code) {
            code = static_cast<std::int32_t>(levels.size());
            levels.push_back(values[row]);
        }
        codes[row] = code;
    }
    return true;
}

// Values that are sorted already: a new level wherever the value changes.
inline void code_sorted(View<double> values, MutableView<std::int32_t> codes,
                        FloatCodes& result) {
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) {
            codes[row] = missing_code;
            continue;
        }
        if (result.levels.empty() || values[row] != result.levels.back()) {
            result.levels.push_back(values[row] + 0.0);
        }
        codes[row] = static_cast<std::int32_t>(result.levels.size()) - 1;
    }
}

// The bits that vary in a column: keys are in [low, high] and agree in their lowest `trailing`
// bits.
struct KeyRange {
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t high = 0;
    std::size_t n_known = 0;
    int trailing = 0;
    bool is_ascending = true;
};

inline KeyRange key_range(View<double> values) {
    KeyRange range;
    std::uint64_t all_and = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t all_or = 0;
    std::uint64_t before = 0;
    for (const double value : values) {
        if (std::isnan(value)) {
            continue;
        }
        const std::uint64_t key = ordered_bits(value);
        range.low = std::min(range.low, key);
        range.high = std::max(range.high, key);
        range.is_ascending = range.is_ascending && before <= key;
        before = key;
        all_and &= key;
        all_or |= key;
        ++range.n_known;
    }
    const std::uint64_t varying = all_and ^ all_or;
    range.trailing = range.n_known == 0 || varying == 0 ? 0 : std::countr_zero(varying);
    return range;
}

// Sort words by their upper half, with a radix sort if there are enough of them.
inline MutableView<std::uint64_t> sort_words(MutableView<std::uint64_t> words,
                                             MutableView<std::uint64_t> spare, int width) {
    constexpr std::size_t min_radix_size = 512;
    if (words.size() >= min_radix_size) {
        return radix_sort(words, spare.first(words.size()), width);
    }
    std::sort(words.begin(), words.end());
    return words;
}

inline std::size_t row_of(std::uint64_t word) {
    return static_cast<std::size_t>(word & 0xffffffffU);
}

}  // namespace detail

// Give each number its rank among the distinct ones, and -1 to NaN. `codes` has one entry per
// value.
inline FloatCodes encode_floats(View<double> values, MutableView<std::int32_t> codes) {
    using detail::ordered_bits;
    using detail::row_of;
    detail::check_size(values.size());

    FloatCodes result;
    const detail::KeyRange range = detail::key_range(values);
    if (range.is_ascending) {
        detail::code_sorted(values, codes, result);
        return result;
    }
    constexpr std::size_t small =
        2048;  // for fewer rows, sorting is faster than a cold hash table
    if (range.n_known >= small && detail::code_by_hash_table(values, codes, result)) {
        return result;
    }

    const auto width =
        static_cast<int>(std::bit_width((range.high - range.low) >> range.trailing));
    const int upper = std::min(width, 32);  // bits sorted first …
    const int lower = width - upper;  // … and those that order words with equal upper bits
    const auto key_of = [&](std::size_t row) {
        return (ordered_bits(values[row]) - range.low) >> range.trailing;
    };
    Buffer<std::uint64_t> packed(range.n_known);
    Buffer<std::uint64_t> spare(range.n_known);
    std::size_t filled = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (std::isnan(values[row])) {
            codes[row] = missing_code;
        } else {
            packed.view()[filled++] = (key_of(row) >> lower) << 32 | row;
        }
    }
    const View<std::uint64_t> words = detail::sort_words(packed.view(), spare.view(), upper);

    result.levels.reserve(range.n_known);  // untouched pages take no memory
    // In sorted words, every new upper half is a new level.
    const auto rank = [&](View<std::uint64_t> sorted) {
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const std::size_t row = row_of(sorted[i]);
            if (i == 0 || sorted[i] >> 32 != sorted[i - 1] >> 32) {
                result.levels.push_back(values[row] + 0.0);
            }
            codes[row] = static_cast<std::int32_t>(result.levels.size()) - 1;
        }
    };
    if (lower == 0) {
        rank(words);
        return result;
    }
    const std::uint64_t lower_bits = (std::uint64_t{1} << lower) - 1;
    std::vector<std::uint64_t> run;
    std::vector<std::uint64_t> run_spare;
    for (std::size_t i = 0; i < words.size();) {
        std::size_t end = i + 1;
        while (end < words.size() && words[end] >> 32 == words[i] >> 32) {
            ++end;
        }
        if (end == i + 1) {
            rank({&words[i], 1});
        } else {
            run.clear();
            for (std::size_t j = i; j < end; ++j) {
                run.push_back((key_of(row_of(words[j])) & lower_bits) << 32 | row_of(words[j]));
            }
            run_spare.resize(run.size());
            rank(detail::sort_words(run, run_spare, lower));
        }
        i = end;
    }
    return result;
}

// Call visit(row, differs) for the rows in the order of their numbers, rows of equal numbers in
// row order; `differs` says whether the number is not that of the row before. Returns false,
// without a call, if a number is missing or infinite.
template <class Visit>
bool for_each_in_order(const double* numbers, std::size_t stride, std::size_t n,
                       Visit&& visit) {
    using detail::row_of;
    detail::check_size(n);
    Buffer<std::uint64_t> packed(n);
    Buffer<std::uint64_t> spare(n);  // holds the keys at first
    std::uint64_t* keys = spare.data();
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t high = 0;
    std::uint64_t all_and = low;
    std::uint64_t all_or = 0;
    bool is_whole = true;
    for (std::size_t row = 0; row < n; ++row) {
        const double value = numbers[row * stride];
        is_whole = is_whole && std::isfinite(value);
        const std::uint64_t key = detail::ordered_bits(value);
        keys[row] = key;
        low = std::min(low, key);
        high = std::max(high, key);
        all_and &= key;
        all_or |= key;
    }
    if (!is_whole) {
        return false;
    }
    const int trailing = all_and == all_or ? 0 : std::countr_zero(all_and ^ all_or);
    const auto width = static_cast<int>(std::bit_width((high - low) >> trailing));
    const int upper = std::min(width, 32);  // as in encode_floats
    const int lower = width - upper;
    for (std::size_t row = 0; row < n; ++row) {
        packed.data()[row] = (keys[row] - low) >> trailing >> lower << 32 | row;
    }
    const View<std::uint64_t> words = detail::sort_words(packed.view(), spare.view(), upper);
    const std::uint64_t lower_bits = (std::uint64_t{1} << lower) - 1;
    std::vector<std::uint64_t> run;
    std::vector<std::uint64_t> run_spare;
    for (std::size_t i = 0; i < n;) {
        std::size_t end = i + 1;
        while (end < n && words[end] >> 32 == words[i] >> 32) {
            ++end;
        }
        if (end == i + 1 || lower == 0) {
            for (std::size_t j = i; j < end; ++j) {
                visit(row_of(words[j]), j == i && i > 0);
            }
        } else {
            run.clear();
            for (std::size_t j = i; j < end; ++j) {
                const std::uint64_t key =
                    (detail::ordered_bits(numbers[row_of(words[j]) * stride]) - low) >>
                    trailing;
                run.push_back((key & lower_bits) << 32 | row_of(words[j]));
            }
            run_spare.resize(run.size());
            const View<std::uint64_t> sorted = detail::sort_words(run, run_spare, lower);
            for (std::size_t j = 0; j < sorted.size(); ++j) {
                visit(row_of(sorted[j]),
                      j == 0 ? i > 0 : sorted[j] >> 32 != sorted[j - 1] >> 32);
            }
        }
        i = end;
    }
    return true;
}

namespace detail {

// The two 64-bit halves of a product, combined: every input bit affects every output bit.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using use_avx512 = unsigned __int128;
    const use_avx512 product = static_cast<use_avx512>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    a ^= a >> 32;
    a *= 0x9e3779b97f4a7c15U;
    return (a ^ (a >> 29)) * (b | 1);
#endif
}

// Up to eight bytes as an integer, without reading past their end.
inline std::uint64_t load(const std::uint8_t* data, std::size_t size) {
    std::uint64_t word = 0;
    if (size >= 8) {
        std::memcpy(&word, data, 8);
    } else if (size >= 4) {
        std::uint32_t head = 0;
        std::uint32_t tail = 0;
        std::memcpy(&head, data, 4);
        std::memcpy(&tail, data + size - 4, 4);
        word = std::uint64_t{tail} << 32 | head;
    } else if (size > 0) {
        word = std::uint64_t{data[0]} | std::uint64_t{data[size / 2]} << 8 |
               std::uint64_t{data[size - 1]} << 16;
    }
    return word;
}

inline std::uint64_t hash_bytes(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t special = 0x9e3779b97f4a7c15U;  // the golden ratio, in 64 bits
    std::uint64_t h = size * 0xd1342543de82ef95U;
    while (size > 8) {
        h = fold(h ^ load(data, 8), special);
        data += 8;
        size -= 8;
    }
    return fold(h ^ load(data, size), 0xa0761d6478bd642fU);
}

inline bool same_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
    return size <= 8 ? load(a, size) == load(b, size) : std::memcmp(a, b, size) == 0;
}

}  // namespace detail

// Number the strings in order of first appearance.
//
// Row i is data[offsets[i] … offsets[i + 1]). A row with valid[i] == 0 is missing; if `valid`
// is empty, no row is. `codes` has one entry per row.
inline StringCodes encode_strings(View<std::uint8_t> data, View<std::int64_t> offsets,
                                  View<std::uint8_t> valid, MutableView<std::int32_t> codes) {
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
        std::int32_t code = missing_code;
    };
    struct Level {
        std::uint64_t hash;  // for when the table grows
        std::size_t start;   // in `texts`
        std::size_t size;
    };
    StringCodes result;
    std::vector<Level> levels;
    std::vector<std::uint8_t> texts;  // of the levels, contiguous, unlike in `data`
    std::vector<Slot> slots(64);
    std::size_t mask = slots.size() - 1;

    const auto start = [&](std::size_t row) { return static_cast<std::size_t>(offsets[row]); };
    for (std::size_t row = 0; row < n; ++row) {
        if (!valid.empty() && valid[row] == 0) {
            codes[row] = missing_code;
            continue;
        }
        const std::uint8_t* text = data.data() + start(row);
        const std::size_t size = start(row + 1) - start(row);
        const std::uint64_t hash = detail::hash_bytes(text, size);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t place = hash & mask;
        for (;; place = (place + 1) & mask) {
            Slot& slot = slots[place];
            if (slot.code == missing_code) {
                slot = {tag, static_cast<std::int32_t>(result.first_rows.size())};
                result.first_rows.push_back(static_cast<std::int64_t>(row));
                levels.push_back({hash, texts.size(), size});
                texts.insert(texts.end(), text, text + size);
                codes[row] = slot.code;
                break;
            }
            if (slot.tag == tag) {
                const Level& level = levels[static_cast<std::size_t>(slot.code)];
                if (level.size == size &&
                    detail::same_bytes(texts.data() + level.start, text, size)) {
                    codes[row] = slot.code;
                    break;
                }
            }
        }
        if (levels.size() * 2 > slots.size()) {  // at most half full: probes stay short
            slots.assign(slots.size() * 4, Slot{});
            mask = slots.size() - 1;
            for (std::size_t code = 0; code < levels.size(); ++code) {
                std::size_t home = levels[code].hash & mask;
                while (slots[home].code != missing_code) {
                    home = (home + 1) & mask;
                }
                slots[home] = {static_cast<std::uint32_t>(levels[code].hash >> 32),
                               static_cast<std::int32_t>(code)};
            }
        }
    }
    return result;
}

}  // namespace penjing
