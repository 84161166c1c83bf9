// Compares dictionary encoding with its definition: std::map for numbers, a list for strings.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "encode/dictionary.hpp"

namespace {

using Numbers = std::vector<double>;

// Rows in order of their numbers, given the rank of each.
void in_the_same_order(const Numbers& values, const std::vector<std::int32_t>& codes) {
    const bool whole = std::all_of(values.begin(), values.end(),
                                   [](double value) { return std::isfinite(value); });
    std::vector<std::size_t> expected(values.size());
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::size_t a, std::size_t b) { return codes[a] < codes[b]; });
    Numbers strided;  // every other number belongs to another column
    for (const double value : values) {
        strided.insert(strided.end(), {value, 0.5});
    }
    std::size_t i = 0;
    bool same = true;
    const bool done = penjing::for_each_in_order(
        strided.data(), 2, values.size(), [&](std::size_t row, bool differs) {
            same = same && row == expected[i] &&
                   differs == (i > 0 && codes[row] != codes[expected[i - 1]]);
            ++i;
        });
    CHECK(same);
    CHECK(done == whole && i == (whole ? values.size() : 0));
}

void same_as_a_map(const Numbers& values) {
    std::map<double, std::int32_t> place;  // -0.0 and 0.0 are one key
    for (const double value : values) {
        if (!std::isnan(value)) {
            place.emplace(value, 0);
        }
    }
    std::int32_t rank = 0;
    for (auto& [value, code] : place) {
        code = rank++;
    }
    std::vector<std::int32_t> codes(values.size(), 99);
    const auto answer = penjing::encode_floats(values, codes);
    CHECK(answer.levels.size() == place.size());
    std::size_t i = 0;
    bool same = true;
    for (const auto& [value, code] : place) {
        same = same && answer.levels[i] == value &&
               !(value == 0.0 && std::signbit(answer.levels[i]));
        ++i;
    }
    CHECK(same);
    same = true;
    for (std::size_t row = 0; row < values.size(); ++row) {
        same = same && codes[row] == (std::isnan(values[row]) ? -1 : place.at(values[row]));
    }
    CHECK(same);
    in_the_same_order(values, codes);
}

void numbers() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    same_as_a_map({});
    same_as_a_map({nan, nan});
    same_as_a_map({0.0, -0.0, nan, 3.0, -inf, inf, -3.0, 3.0, -nan, 5e-324, -5e-324});
    same_as_a_map({-0.0, -0.0});
    same_as_a_map({-inf, -1.0, -0.0, 0.0, nan, 1.0});

    std::mt19937_64 random(1);
    for (const std::size_t n : {100U, 511U, 512U, 2047U, 2048U, 5000U}) {
        Numbers normal(n), few(n), integers(n), bits(n), close(n), falling(n), mixed(n);
        std::normal_distribution<double> bell;
        for (std::size_t i = 0; i < n; ++i) {
            normal[i] = bell(random);
            few[i] = static_cast<double>(random() % 5) - 2.0;
            integers[i] = static_cast<double>(random() % 3000);
            bits[i] = std::bit_cast<double>(random());
            close[i] = 1.0 + std::ldexp(static_cast<double>(random() % 4000), -52);
            falling[i] = -static_cast<double>(i);
            // one far value pushes all others into one run of equal upper halves
            mixed[i] = i == 7 ? 1e300 : close[i];
        }
        same_as_a_map(normal);
        same_as_a_map(few);
        for (std::size_t i = 0; i < n; i += 13) {
            normal[i] = few[i] = nan;
        }
        for (const Numbers& values : {normal, few, integers, bits, close, falling, mixed}) {
            same_as_a_map(values);
        }
    }
}

void strings() {
    std::mt19937_64 random(2);
    for (const std::size_t n_levels : {1U, 3U, 40U, 3000U}) {
        std::vector<std::uint8_t> data;
        std::vector<std::int64_t> offsets{0};
        std::vector<std::uint8_t> valid;
        std::vector<std::int32_t> expected;
        std::vector<std::string> seen;
        for (std::size_t row = 0; row < 2000; ++row) {
            const std::size_t k = random() % n_levels;
            const std::string text(k % 21, static_cast<char>('a' + k % 26));
            const std::string whole = text + (k > 500 ? std::to_string(k) : "");
            data.insert(data.end(), whole.begin(), whole.end());
            offsets.push_back(static_cast<std::int64_t>(data.size()));
            valid.push_back(random() % 10 != 0);
            const auto found = std::find(seen.begin(), seen.end(), whole);
            if (valid.back() == 0) {
                expected.push_back(-1);
            } else {
                expected.push_back(static_cast<std::int32_t>(found - seen.begin()));
                if (found == seen.end()) {
                    seen.push_back(whole);
                }
            }
        }
        std::vector<std::int32_t> codes(expected.size());
        const auto answer = penjing::encode_strings(data, offsets, valid, codes);
        CHECK(codes == expected);
        CHECK(answer.first_rows.size() == seen.size());
    }
    std::vector<std::int32_t> none;
    const std::vector<std::int64_t> start{0};
    CHECK(penjing::encode_strings({}, start, {}, none).first_rows.empty());

    std::vector<std::int32_t> one(1);
    const std::vector<std::int64_t> beyond{0, 5};
    CHECK(check::throws<std::invalid_argument>(
        [&] { penjing::encode_strings({}, beyond, {}, one); }));
    CHECK(check::throws<std::invalid_argument>(
        [&] { penjing::encode_strings({}, start, {}, one); }));
}

}  // namespace

int main() {
    numbers();
    strings();
    return check::finish();
}
