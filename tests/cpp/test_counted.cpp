// Kernels against each other: the counting kernel, in buckets and in lists and with any number
// of threads, must grow the tree of the general one, which adds row by row.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "grow/counted.hpp"
#include "grow/encoded_request.hpp"
#include "grow/general.hpp"

namespace {

void check(bool ok, const char* what, unsigned seed) {
    if (!ok) {
        std::fprintf(stderr, "seed %u: %s differs\n", seed, what);
        std::exit(1);
    }
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) {
            return false;
        }
    }
    return true;
}

struct Case {
    penjing::Order order;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<double>> numbers;
    std::vector<std::int32_t> target;

    explicit Case(unsigned seed) {
        std::mt19937 random(seed);
        const auto pick = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
        order.n_rows = 1 + pick(400);
        order.n_sums = 2 + pick(pick(4) == 0 ? 30 : 4);
        order.measure = static_cast<penjing::Measure>(pick(3));
        order.multiway = pick(2) == 0;
        order.max_depth = pick(3) == 0 ? static_cast<std::int64_t>(pick(5)) : -1;
        order.min_branch = pick(3);
        const std::size_t n_columns = 1 + pick(5);
        codes.resize(n_columns);
        numbers.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) {
            penjing::GrowColumn column;
            if (pick(2) == 0) {
                const bool few = pick(2) == 0;
                for (std::size_t i = 0; i < order.n_rows; ++i) {
                    numbers[c].push_back(few ? pick(9) / 3.0
                                             : std::ldexp(pick(1U << 31), -20) - 1000);
                }
                column.numbers = numbers[c].data();
                column.ordered = true;
            } else {
                column.n_levels =
                    static_cast<std::int32_t>(1 + pick(order.n_sums > 2 ? 8 : 40));
                for (std::size_t i = 0; i < order.n_rows; ++i) {
                    codes[c].push_back(static_cast<std::int32_t>(
                        pick(static_cast<unsigned>(column.n_levels))));
                }
                column.codes = codes[c].data();
                column.ordered = pick(2) == 0;
            }
            order.columns.push_back(column);
        }
        for (std::size_t i = 0; i < order.n_rows; ++i) {
            target.push_back(
                static_cast<std::int32_t>(pick(static_cast<unsigned>(order.n_sums))));
        }
        order.target = target.data();
    }
};

}  // namespace

int main() {
    for (unsigned seed = 0; seed < 300; ++seed) {
        Case one(seed);
        penjing::ThreadPool alone(1);
        const penjing::Coded coded(one.order, alone);
        const penjing::Grown expected = penjing::flatten(
            penjing::GeneralKernel(coded.order).grow(alone, {}), one.order.n_sums, true);
        for (const std::size_t small : {std::size_t{4}, std::size_t{60}, std::size_t{1000}}) {
            for (const int threads : {1, 3}) {
                one.order.small = small;
                penjing::ThreadPool pool(threads);
                const auto groves =
                    small == 60 ? penjing::grow_counted<std::uint64_t>(one.order, pool, {})
                                : penjing::grow_counted<std::uint32_t>(one.order, pool, {});
                const penjing::Grown grown = penjing::flatten(groves, one.order.n_sums, false);
                check(grown.parent == expected.parent, "parent", seed);
                check(grown.column == expected.column, "column", seed);
                check(same(grown.cut, expected.cut), "cut", seed);
                check(grown.level_codes == expected.level_codes, "levels", seed);
                check(same(grown.total, expected.total), "total", seed);
                check(grown.n_ties == expected.n_ties, "ties", seed);
                check(grown.tie_columns == expected.tie_columns, "tied columns", seed);
            }
        }
    }
    std::puts("grow: ok");
    return 0;
}
