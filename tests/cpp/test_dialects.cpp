// The kernels of scikit-learn and rpart grow the same tree for any number of threads and any
// width of list entries, and children hold the rows of their parent.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "dialects/rpart.hpp"
#include "dialects/sklearn.hpp"

namespace {

struct Data {
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<double>> levels;
    std::vector<std::int32_t> target;
    std::vector<double> y, weight;
    std::size_t n_classes = 0;

    Data(unsigned seed, std::size_t n, std::size_t n_columns, bool has_missing) {
        std::mt19937 random(seed);
        const auto below = [&](std::uint32_t m) {
            return static_cast<std::int32_t>(random() % m);
        };
        n_classes = 2 + seed % 3;
        for (std::size_t c = 0; c < n_columns; ++c) {
            const std::uint32_t n_levels = c % 3 == 0 ? 4 : 200;
            levels.emplace_back();
            for (std::uint32_t i = 0; i < n_levels; ++i) {
                levels.back().push_back(0.5 + i * (c % 2 == 0 ? 6e-8 : 1.0));
            }
            codes.emplace_back(n);
            for (std::int32_t& code : codes.back()) {
                code = has_missing && below(8) == 0 ? -1 : below(n_levels);
            }
        }
        for (std::size_t row = 0; row < n; ++row) {
            const std::int32_t hint = codes[0][row] + codes[1][row] / 60;
            target.push_back((std::max(hint, 0) + below(4) / 3) %
                             static_cast<std::int32_t>(n_classes));
            y.push_back(target.back() + 0.1 * below(9));
            weight.push_back(0.5 + 0.1 * below(9));
        }
    }

    template <class GrowRequest>
    void fill(GrowRequest& request) const {
        request.n_rows = target.size();
        request.target = target.data();
        for (std::size_t c = 0; c < codes.size(); ++c) {
            penjing::GrowColumn column;
            column.codes = codes[c].data();
            column.levels = levels[c].data();
            column.n_levels = static_cast<std::int32_t>(levels[c].size());
            column.ordered = true;
            request.columns.push_back(column);
        }
    }
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

template <class Entry>
penjing::GrownTree tree(penjing::SklearnRequest request, int threads) {
    penjing::ThreadPool pool(threads);
    return penjing::grow(request, penjing::SklearnKernel<Entry>(request), pool, {});
}

void sklearn_rules() {
    for (unsigned seed = 0; seed < 24; ++seed) {
        const Data data(seed, seed % 4 == 0 ? 3000 : 200, 5, seed % 2 == 1);
        penjing::SklearnRequest request;
        data.fill(request);
        request.n_sums = data.n_classes;
        request.is_entropy = seed % 5 == 1;
        request.gap = 1e-7;
        request.weight = seed % 3 == 1 ? data.weight.data() : nullptr;
        if (seed % 6 == 2) {
            request.y = data.y.data();
            request.n_sums = 3;
        }
        request.shuffles = seed % 7 == 3;
        request.state = 12345;
        request.max_features = 3;
        request.max_leaves = seed % 8 == 5 ? 9 : -1;
        const penjing::GrownTree one = tree<std::uint32_t>(request, 1);
        const penjing::GrownTree three = tree<std::uint32_t>(request, 3);
        const penjing::GrownTree use_avx512 = tree<std::uint64_t>(request, 1);
        CHECK(one.parent.size() > 1);
        for (const penjing::GrownTree* other : {&three, &use_avx512}) {
            CHECK(one.parent == other->parent && one.column == other->column);
            CHECK(one.missing_branch == other->missing_branch &&
                  one.tie_columns == other->tie_columns);
            CHECK(same(one.cut, other->cut) && same(one.gain, other->gain));
            CHECK(same(one.total, other->total));
        }
        std::vector<double> sums(one.parent.size(), 0.0);
        for (std::size_t i = 1; i < one.parent.size(); ++i) {
            sums[static_cast<std::size_t>(one.parent[i])] += one.total[i * request.n_sums];
        }
        for (std::size_t i = 0; i < one.parent.size(); ++i) {
            CHECK(one.column[i] < 0 ||
                  std::fabs(sums[i] - one.total[i * request.n_sums]) < 1e-6);
        }
    }
}

void rpart_rules() {
    for (unsigned seed = 0; seed < 24; ++seed) {
        const Data data(seed, seed % 4 == 0 ? 6000 : 200, 5, seed % 2 == 1);
        penjing::RpartRequest request;
        data.fill(request);
        request.columns[0].ordered = false;
        request.n_sums = request.n_classes = data.n_classes;
        request.is_entropy = seed % 5 == 1;
        request.weight = seed % 3 == 1 && data.n_classes == 2 ? data.weight.data() : nullptr;
        if (seed % 6 == 2) {
            request.y = data.y.data();
            request.n_sums = 3;
            request.n_classes = 0;
        }
        request.max_surrogates = 3;
        request.use_surrogates = static_cast<int>(seed % 3);
        request.max_leaves = seed % 8 == 5 ? 9 : -1;
        std::vector<penjing::GrownTree> found;
        for (const int threads : {1, 3}) {
            penjing::ThreadPool pool(threads);
            found.push_back(penjing::grow(request, penjing::RpartKernel(request), pool, {}));
        }
        const penjing::GrownTree& a = found[0];
        const penjing::GrownTree& b = found[1];
        CHECK(a.parent == b.parent && a.column == b.column && a.level_codes == b.level_codes);
        CHECK(same(a.total, b.total) && same(a.gain, b.gain) && a.tie_columns == b.tie_columns);
        CHECK(a.surrogates.size() == b.surrogates.size());
        std::vector<std::size_t> n_surrogates(a.parent.size(), 0);
        for (std::size_t i = 0; i < a.surrogates.size(); ++i) {
            CHECK(a.surrogates[i].node == b.surrogates[i].node);
            CHECK(a.surrogates[i].agreement == b.surrogates[i].agreement);
            CHECK(++n_surrogates[a.surrogates[i].node] <= request.max_surrogates);
        }
    }
}

}  // namespace

int main() {
    sklearn_rules();
    rpart_rules();
    return check::finish();
}
