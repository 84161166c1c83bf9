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
    penjing::GrowRequest request;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<double>> numbers;
    std::vector<std::int32_t> target;

    explicit Case(unsigned seed) {
        std::mt19937 random(seed);
        const auto pick = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
        request.n_rows = 1 + pick(400);
        request.n_sums = 2 + pick(pick(4) == 0 ? 30 : 4);
        request.criterion = static_cast<penjing::CriterionKind>(pick(3));
        request.multiway = pick(2) == 0;
        request.max_depth = pick(3) == 0 ? static_cast<std::int64_t>(pick(5)) : -1;
        request.min_branch = pick(3);
        const std::size_t n_columns = 1 + pick(5);
        codes.resize(n_columns);
        numbers.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) {
            penjing::GrowColumn column;
            if (pick(2) == 0) {
                const bool few = pick(2) == 0;
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    numbers[c].push_back(few ? pick(9) / 3.0
                                             : std::ldexp(pick(1U << 31), -20) - 1000);
                }
                column.numbers = numbers[c].data();
                column.ordered = true;
            } else {
                column.n_levels =
                    static_cast<std::int32_t>(1 + pick(request.n_sums > 2 ? 8 : 40));
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    codes[c].push_back(static_cast<std::int32_t>(
                        pick(static_cast<unsigned>(column.n_levels))));
                }
                column.codes = codes[c].data();
                column.ordered = pick(2) == 0;
            }
            request.columns.push_back(column);
        }
        for (std::size_t i = 0; i < request.n_rows; ++i) {
            target.push_back(
                static_cast<std::int32_t>(pick(static_cast<unsigned>(request.n_sums))));
        }
        request.target = target.data();
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
        for (const std::size_t small : {std::size_t{4}, std::size_t{60}, std::size_t{1000}}) {
            for (const int threads : {1, 3}) {
                one.request.small = small;
                penjing::ThreadPool pool(threads);
                const auto subtrees =
                    small == 60 ? penjing::grow_counted<std::uint64_t>(one.request, pool, {})
                                : penjing::grow_counted<std::uint32_t>(one.request, pool, {});
                const penjing::GrownTree tree =
                    penjing::flatten(subtrees, one.request.n_sums, false);
                check(tree.parent == expected.parent, "parent", seed);
                check(tree.column == expected.column, "column", seed);
                check(same(tree.cut, expected.cut), "cut", seed);
                check(tree.level_codes == expected.level_codes, "levels", seed);
                check(same(tree.total, expected.total), "total", seed);
                check(tree.n_ties == expected.n_ties, "ties", seed);
                check(tree.tie_columns == expected.tie_columns, "tied columns", seed);
            }
        }
    }
    std::puts("grow: ok");
    return 0;
}
