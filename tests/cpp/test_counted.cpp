// Compares the counted kernel with the general one, which sums row by row: with buckets and
// lists, and any number of threads, both must grow the same tree.
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

struct Table {
    penjing::GrowRequest request;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<double>> numbers;
    std::vector<std::int32_t> target;

    explicit Table(unsigned seed) {
        std::mt19937 random(seed);
        const auto draw = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
        request.n_rows = 1 + draw(400);
        request.n_sums = 2 + draw(draw(4) == 0 ? 30 : 4);
        request.criterion = static_cast<penjing::CriterionKind>(draw(3));
        request.multiway = draw(2) == 0;
        request.max_depth = draw(3) == 0 ? static_cast<std::int64_t>(draw(5)) : -1;
        request.min_branch = draw(3);
        const std::size_t n_columns = 1 + draw(5);
        codes.resize(n_columns);
        numbers.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) {
            penjing::GrowColumn column;
            if (draw(2) == 0) {
                const bool few = draw(2) == 0;
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    numbers[c].push_back(few ? draw(9) / 3.0
                                             : std::ldexp(draw(1U << 31), -20) - 1000);
                }
                column.numbers = numbers[c].data();
                column.ordered = true;
            } else {
                column.n_levels =
                    static_cast<std::int32_t>(1 + draw(request.n_sums > 2 ? 8 : 40));
                for (std::size_t i = 0; i < request.n_rows; ++i) {
                    codes[c].push_back(static_cast<std::int32_t>(
                        draw(static_cast<unsigned>(column.n_levels))));
                }
                column.codes = codes[c].data();
                column.ordered = draw(2) == 0;
            }
            request.columns.push_back(column);
        }
        for (std::size_t i = 0; i < request.n_rows; ++i) {
            target.push_back(
                static_cast<std::int32_t>(draw(static_cast<unsigned>(request.n_sums))));
        }
        request.target = target.data();
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
        for (const std::size_t small : {std::size_t{4}, std::size_t{60}, std::size_t{1000}}) {
            for (const int threads : {1, 3}) {
                table.request.small = small;
                penjing::ThreadPool pool(threads);
                using penjing::detail::grow_counted;
                const penjing::GrownTree tree =
                    small == 60 ? grow_counted<std::uint64_t>(table.request, pool, {})
                                : grow_counted<std::uint32_t>(table.request, pool, {});
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
