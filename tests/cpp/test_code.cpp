// Column coding against its definition: std::map for numbers, a growing list for strings.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "code.hpp"

namespace {

using Numbers = std::vector<double>;

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
    const auto answer = penjing::code_floats(values, codes);
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
            if (i % 13 == 0) {
                normal[i] = few[i] = nan;
            }
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
        const auto answer = penjing::code_strings(data, offsets, valid, codes);
        CHECK(codes == expected);
        CHECK(answer.first_rows.size() == seen.size());
    }
    std::vector<std::int32_t> none;
    const std::vector<std::int64_t> start{0};
    CHECK(penjing::code_strings({}, start, {}, none).first_rows.empty());

    std::vector<std::int32_t> one(1);
    const std::vector<std::int64_t> beyond{0, 5};
    CHECK(check::throws<std::invalid_argument>(
        [&] { penjing::code_strings({}, beyond, {}, one); }));
    CHECK(check::throws<std::invalid_argument>(
        [&] { penjing::code_strings({}, start, {}, one); }));
}

}  // namespace

int main() {
    numbers();
    strings();
    return check::finish();
}
