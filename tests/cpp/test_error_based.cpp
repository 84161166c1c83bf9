// Grows trees as C4.5 does and prunes them by estimated errors: weight is conserved, any number
// of threads grows the same tree, pruning does not enlarge it, and pruning it again changes
// nothing.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "dialects/c45.hpp"
#include "prune/error_based.hpp"

namespace {

struct Table {
    penjing::C45Request request;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<double>> levels;
    std::vector<std::int32_t> target;

    Table(unsigned seed, std::size_t n) : codes(6), levels(6), target(n) {
        std::mt19937 random(seed);
        const bool has_missing = seed % 3 != 0;  // otherwise every row lies in one leaf
        const auto below = [&](std::size_t k) {
            return static_cast<std::int32_t>(random() % k);
        };
        for (std::size_t c = 0; c < codes.size(); ++c) {
            const std::size_t k = c < 2 ? 2 * n + 5 : c < 4 ? 9 : 2 + c;
            for (std::size_t row = 0; row < n; ++row) {
                codes[c].push_back(has_missing && random() % 10 == 0 ? -1 : below(k));
            }
            for (std::size_t level = 0; level < k; ++level) {
                levels[c].push_back(static_cast<double>(level) / 3);
            }
            penjing::GrowColumn column;
            column.codes = codes[c].data();
            column.n_levels = static_cast<std::int32_t>(k);
            column.ordered = c < 4;
            column.levels = c < 4 ? levels[c].data() : nullptr;
            request.columns.push_back(column);
            request.in_average.push_back(1);
        }
        for (std::size_t row = 0; row < n; ++row) {
            const bool result = codes[2][row] > 4;
            target[row] = random() % 4 == 0 ? below(3) : result ? 1 : codes[4][row] > 2 ? 2 : 0;
        }
        request.n_rows = n;
        request.target = target.data();
        request.n_sums = 3;
        request.fraction = true;
        request.min_branch = 2;
        request.gap = 1e-5;
        request.side_share = 0.1;
        request.side_most = 25;
        request.slack = 1e-3;
        request.start = -1e-3;
        request.single = seed % 2 == 0;
        request.tie = request.single ? 0 : 1e-12;
    }

    penjing::GrownTree tree(int threads) const {
        penjing::ThreadPool pool(threads);
        return penjing::grow(request, penjing::C45Kernel(request), pool, {});
    }
};

struct Shape {
    std::vector<std::int32_t> parent, column, level_codes, label;
    std::vector<std::int64_t> level_start;
    std::vector<double> cut, total;
};

std::vector<std::int32_t> labels_of(const std::vector<double>& total, std::size_t s) {
    std::vector<std::int32_t> labels;
    for (std::size_t at = 0; at < total.size(); at += s) {
        const auto first = total.begin() + static_cast<std::ptrdiff_t>(at);
        const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(s));
        labels.push_back(static_cast<std::int32_t>(most - first));
    }
    return labels;
}

penjing::PruneResult prune(const Table& table, const Shape& tree) {
    penjing::PruneRequest request;
    request.rows = table.request;
    request.n_nodes = tree.parent.size();
    request.parent = tree.parent.data();
    request.column = tree.column.data();
    request.cut = tree.cut.data();
    request.level_start = tree.level_start.data();
    request.level_codes = tree.level_codes.data();
    request.total = tree.total.data();
    request.label = tree.label.data();
    request.bound.squared = 0.48;
    request.bound.last_errors = 0.67;
    request.bound.is_c45 = true;
    request.margin = 0.1;
    request.raises = true;
    return penjing::ErrorPruner(request).prune({});
}

Shape tree_after(const Shape& before, const penjing::PruneResult& result) {
    Shape after_pruning;
    after_pruning.parent = result.parent;
    after_pruning.level_start = result.level_start;
    after_pruning.level_codes = result.level_codes;
    after_pruning.total = result.total;
    after_pruning.label = result.label;
    for (const std::int32_t from : result.origin) {
        const auto at = static_cast<std::size_t>(from);
        after_pruning.column.push_back(from < 0 ? -1 : before.column[at]);
        after_pruning.cut.push_back(from < 0 ? penjing::not_a_number : before.cut[at]);
    }
    return after_pruning;
}

}  // namespace

int main() {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const Table table(seed, seed < 8 ? 60 + 30 * seed : 2500);
        const penjing::GrownTree tree = table.tree(1);
        const penjing::GrownTree shared = table.tree(3);
        CHECK(tree.parent == shared.parent && tree.column == shared.column);
        CHECK(tree.total == shared.total && tree.level_codes == shared.level_codes);
        const std::size_t s = table.request.n_sums;
        std::vector<double> below(tree.parent.size(), 0.0);
        for (std::size_t node = 1; node < tree.parent.size(); ++node) {
            for (std::size_t k = 0; k < s; ++k) {
                below[static_cast<std::size_t>(tree.parent[node])] += tree.total[node * s + k];
            }
        }
        for (std::size_t node = 0; node < tree.parent.size(); ++node) {
            const double* total = tree.total.data() + node * s;
            const double weight = total[0] + total[1] + total[2];
            CHECK(tree.column[node] < 0 || std::fabs(below[node] - weight) < 1e-9 * weight);
        }
        const Shape unpruned{
            tree.parent,      tree.column, tree.level_codes, labels_of(tree.total, s),
            tree.level_start, tree.cut,    tree.total};
        const penjing::PruneResult pruned_once = prune(table, unpruned);
        CHECK(pruned_once.parent.size() <=
              unpruned.parent.size() * 16);  // empty branches may stay
        const Shape pruned_tree = tree_after(unpruned, pruned_once);
        const penjing::PruneResult pruned_twice = prune(table, pruned_tree);
        CHECK(pruned_twice.parent == pruned_once.parent &&
              pruned_twice.total == pruned_once.total);
        for (const std::int8_t decision : pruned_twice.decision) {
            CHECK(decision == 0);
        }
    }
    return check::finish();
}
