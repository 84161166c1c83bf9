// Compares the weighted kernel with the general one, which sums row by row: numeric targets,
// weights and missing values, with buckets and lists, and any number of threads.
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

struct Table {
    penjing::GrowRequest request;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<double>> numbers;
    std::vector<std::int32_t> target;
    std::vector<double> y, weight;

    explicit Table(unsigned seed) {
        std::mt19937 random(seed);
        const auto draw = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
        const bool is_regression = draw(2) == 0;
        const bool misses = draw(2) == 0;
        request.n_rows = 1 + draw(400);
        request.n_sums = is_regression ? 3 : 2 + draw(4);
        request.criterion = is_regression ? penjing::CriterionKind::variance
                                          : static_cast<penjing::CriterionKind>(draw(3));
        request.multiway = draw(2) == 0;
        request.fraction = draw(4) != 0;
        request.max_depth = misses ? static_cast<std::int64_t>(draw(6)) : -1;
        request.min_branch = draw(3) * 0.5;
        const std::size_t n_columns = 1 + draw(5);
        codes.resize(n_columns);
        numbers.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) {
            penjing::GrowColumn column;
            const auto missing = [&] { return misses && draw(8) == 0; };
            if (draw(3) != 0) {
                const bool few = draw(2) == 0;
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    const double value =
                        few ? draw(9) / 3.0 : std::ldexp(draw(1U << 31), -20) - 1000;
                    numbers[c].push_back(missing() ? penjing::not_a_number : value);
                }
                column.numbers = numbers[c].data();
                column.ordered = true;
            } else {
                column.n_levels = static_cast<std::int32_t>(1 + draw(8));
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    const auto level = draw(static_cast<unsigned>(column.n_levels));
                    codes[c].push_back(missing() ? -1 : static_cast<std::int32_t>(level));
                }
                column.codes = codes[c].data();
                column.ordered = draw(2) == 0;
            }
            request.columns.push_back(column);
        }
        for (std::size_t i = 0; i < request.n_rows; ++i) {
            const unsigned level = is_regression ? draw(1000) : draw(request.n_sums & 0xffU);
            target.push_back(static_cast<std::int32_t>(level));
            y.push_back(level / 7.0 - 70);
            weight.push_back(draw(5) / 3.0);
        }
        weight[0] = 1;
        request.target = target.data();
        request.y = is_regression ? y.data() : nullptr;
        request.weight = draw(2) == 0 ? weight.data() : nullptr;
    }
};

}  // namespace

int main() {
    for (unsigned seed = 0; seed < 300; ++seed) {
        Table table(seed);
        penjing::ThreadPool serial_pool(1);
        const penjing::EncodedRequest encoded(table.request, serial_pool);
        const penjing::GrownTree expected = penjing::grow(
            encoded.request, penjing::GeneralKernel(encoded.request), serial_pool, {});
        for (const std::size_t small :
             {1U, 3U, 60U, 1000U}) {  // 1: buckets are sorted in several batches
            for (const int threads : {1, 3}) {
                table.request.small = small;
                penjing::ThreadPool pool(threads);
                penjing::ColumnChecks checks;
                const penjing::GrownTree tree =
                    penjing::grow_weighted(table.request, pool, {}, checks);
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
    std::puts("weighted: ok");
    return 0;
}
