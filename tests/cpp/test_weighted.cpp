// The measuring kernel against the general one, which adds row by row: numbers, weights,
// missing values, in buckets and in lists, with any number of threads.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "grow/encoded_request.hpp"
#include "grow/general.hpp"
#include "grow/grow_weighted.cpp"  // NOLINT: the kernels are compiled here, without Python

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
    penjing::GrowRequest request;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<double>> numbers;
    std::vector<std::int32_t> target;
    std::vector<double> y, weight;

    explicit Case(unsigned seed) {
        std::mt19937 random(seed);
        const auto pick = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
        const bool is_regression = pick(2) == 0;
        const bool misses = pick(2) == 0;
        request.n_rows = 1 + pick(400);
        request.n_sums = is_regression ? 3 : 2 + pick(4);
        request.criterion = is_regression ? penjing::CriterionKind::variance
                                          : static_cast<penjing::CriterionKind>(pick(3));
        request.multiway = pick(2) == 0;
        request.fraction = pick(4) != 0;
        request.max_depth = misses ? static_cast<std::int64_t>(pick(6)) : -1;
        request.min_branch = pick(3) * 0.5;
        const std::size_t n_columns = 1 + pick(5);
        codes.resize(n_columns);
        numbers.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) {
            penjing::GrowColumn column;
            const auto missing = [&] { return misses && pick(8) == 0; };
            if (pick(3) != 0) {
                const bool few = pick(2) == 0;
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    const double value =
                        few ? pick(9) / 3.0 : std::ldexp(pick(1U << 31), -20) - 1000;
                    numbers[c].push_back(missing() ? penjing::not_a_number : value);
                }
                column.numbers = numbers[c].data();
                column.ordered = true;
            } else {
                column.n_levels = static_cast<std::int32_t>(1 + pick(8));
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    const auto level = pick(static_cast<unsigned>(column.n_levels));
                    codes[c].push_back(missing() ? -1 : static_cast<std::int32_t>(level));
                }
                column.codes = codes[c].data();
                column.ordered = pick(2) == 0;
            }
            request.columns.push_back(column);
        }
        for (std::size_t i = 0; i < request.n_rows; ++i) {
            const unsigned level = is_regression ? pick(1000) : pick(request.n_sums & 0xffU);
            target.push_back(static_cast<std::int32_t>(level));
            y.push_back(level / 7.0 - 70);
            weight.push_back(pick(5) / 3.0);
        }
        weight[0] = 1;
        request.target = target.data();
        request.y = is_regression ? y.data() : nullptr;
        request.weight = pick(2) == 0 ? weight.data() : nullptr;
    }
};

}  // namespace

int main() {
    for (unsigned seed = 0; seed < 300; ++seed) {
        Case one(seed);
        penjing::ThreadPool is_serial(1);
        const penjing::EncodedRequest coded(one.request, is_serial);
        const penjing::GrownTree expected =
            penjing::flatten(penjing::GeneralKernel(coded.request).grow(is_serial, {}),
                             one.request.n_sums, true);
        for (const std::size_t small : {1U, 3U, 60U, 1000U}) {  // 1: columns in lots
            for (const int threads : {1, 3}) {
                one.request.small = small;
                penjing::ThreadPool pool(threads);
                penjing::ColumnChecks checks;
                const auto subtrees = penjing::grow_weighted(one.request, pool, {}, checks);
                const penjing::GrownTree tree =
                    penjing::flatten(subtrees, one.request.n_sums, true);
                check(tree.parent == expected.parent, "parent", seed);
                check(tree.column == expected.column, "column", seed);
                check(same(tree.cut, expected.cut), "cut", seed);
                check(tree.level_codes == expected.level_codes, "levels", seed);
                check(same(tree.total, expected.total), "total", seed);
                check(same(tree.after, expected.after), "after", seed);
                check(same(tree.known, expected.known), "known", seed);
                check(same(tree.missing, expected.missing), "missing", seed);
                check(tree.n_ties == expected.n_ties, "ties", seed);
                check(tree.tie_columns == expected.tie_columns, "tied columns", seed);
            }
        }
    }
    std::puts("measured: ok");
    return 0;
}
