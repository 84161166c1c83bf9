// Compares prediction with its definition, a recursive walk over the same arrays.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "predict/flat.hpp"

namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

struct Arrays {
    std::vector<std::int32_t> column, first_child, n_children, level_codes, missing_mode;
    std::vector<double> cut, weight;
    std::vector<std::vector<std::int32_t>> levels;  // into each node
    std::vector<std::int64_t> level_start;
    std::int32_t unseen_mode = penjing::mode::stop;

    void add_leaf(double leaf_weight, std::vector<std::int32_t> into = {}) {
        column.push_back(penjing::leaf);
        first_child.push_back(0);
        n_children.push_back(0);
        missing_mode.push_back(penjing::mode::stop);
        cut.push_back(nan);
        weight.push_back(leaf_weight);
        levels.push_back(std::move(into));
    }

    void ask(std::size_t node, std::int32_t about, double at, std::int32_t children,
             std::int32_t missing_goes) {
        column[node] = about;
        cut[node] = at;
        first_child[node] = static_cast<std::int32_t>(column.size());
        n_children[node] = children;
        missing_mode[node] = missing_goes;
    }

    penjing::TreeView view() {
        level_codes.clear();
        level_start.assign(1, 0);
        for (const auto& into : levels) {
            level_codes.insert(level_codes.end(), into.begin(), into.end());
            level_start.push_back(static_cast<std::int64_t>(level_codes.size()));
        }
        return {column,      cut,          first_child, n_children, level_start,
                level_codes, missing_mode, weight,      unseen_mode};
    }
};

// The definition. Recursive, so for shallow trees only.
void predict_fractional(const Arrays& tree, std::size_t node, double fraction,
                        const std::vector<penjing::ColumnView>& columns, std::size_t row,
                        const std::vector<double>& values, double& mixed) {
    const auto stop = [&] { mixed += fraction * values[node]; };
    if (tree.column[node] < 0) {
        return stop();
    }
    const auto& column = columns[static_cast<std::size_t>(tree.column[node])];
    const auto first = static_cast<std::size_t>(tree.first_child[node]);
    const auto n_children = static_cast<std::size_t>(tree.n_children[node]);
    const auto enter = [&](std::size_t branch, double part) {
        predict_fractional(tree, first + branch, fraction * part, columns, row, values, mixed);
    };
    bool is_missing = false;
    if (column.numbers != nullptr) {
        is_missing = std::isnan(column.numbers[row]);
        if (!is_missing) {
            return enter(column.numbers[row] <= tree.cut[node] ? 0 : 1, 1.0);
        }
    } else {
        for (std::size_t branch = 0; branch < n_children; ++branch) {
            for (const std::int32_t code : tree.levels[first + branch]) {
                if (code == column.codes[row]) {
                    return enter(branch, 1.0);
                }
            }
        }
        is_missing = column.codes[row] == -1;
    }
    if (!is_missing && tree.unseen_mode != penjing::mode::as_missing) {
        return stop();
    }
    if (tree.missing_mode[node] >= 0) {
        return enter(static_cast<std::size_t>(tree.missing_mode[node]), 1.0);
    }
    double sum = 0;
    for (std::size_t branch = 0; branch < n_children; ++branch) {
        sum += tree.weight[first + branch];
    }
    if (tree.missing_mode[node] == penjing::mode::stop || sum == 0) {
        return stop();
    }
    for (std::size_t branch = 0; branch < n_children; ++branch) {
        enter(branch, tree.weight[first + branch] / sum);
    }
}

Arrays random_tree(std::mt19937_64& random, std::size_t n_questions, bool only_cuts) {
    Arrays tree;
    tree.add_leaf(1.0);
    for (std::size_t node = 0; node < n_questions; ++node) {
        const auto about = static_cast<std::int32_t>(random() % (only_cuts ? 2 : 4));
        const auto missing_goes = static_cast<std::int32_t>(random() % 4) - 2;
        const auto child_weight = [&] { return static_cast<double>(random() % 4); };
        if (about < 2) {
            tree.ask(node, about, static_cast<double>(random() % 20) / 10 - 1, 2, missing_goes);
            tree.add_leaf(child_weight());
            tree.add_leaf(child_weight());
        } else {
            const auto stride = static_cast<std::int32_t>(random() % 2 == 0 ? 1 : 100);
            tree.ask(node, about, nan, 3, missing_goes);
            tree.add_leaf(child_weight(), {0, 3 * stride});
            tree.add_leaf(child_weight(), {stride});
            tree.add_leaf(child_weight(), {4 * stride, 2 * stride});
        }
    }
    return tree;
}

void against_the_definition() {
    std::mt19937_64 random(3);
    std::normal_distribution<double> bell;
    for (int round = 0; round < 200; ++round) {
        Arrays tree = random_tree(random, random() % 30, round % 2 == 0);
        tree.unseen_mode = round % 3 == 0 ? penjing::mode::as_missing : penjing::mode::stop;
        const std::size_t n = round == 0 ? 20000 : random() % 100;
        std::vector<double> a(n), b(n);
        std::vector<std::int32_t> c(n), d(n);
        for (std::size_t row = 0; row < n; ++row) {
            a[row] = random() % 20 == 0 ? nan : bell(random);
            b[row] = random() % 20 == 0 ? nan : bell(random);
            c[row] = static_cast<std::int32_t>(random() % 6) - 1;
            d[row] = static_cast<std::int32_t>(random() % 6) * 100 - 100;
            d[row] = d[row] < 0 ? -1 : d[row];
        }
        const std::vector<penjing::ColumnView> columns{
            {a.data(), nullptr}, {b.data(), nullptr}, {nullptr, c.data()}, {nullptr, d.data()}};
        std::vector<double> values(tree.column.size());
        for (double& value : values) {
            value = bell(random);
        }
        const penjing::Flat flat(tree.view());
        for (const int threads : {1, 2, 7}) {
            std::vector<double> mixed(n);
            std::vector<std::int32_t> stops(n);
            CHECK(!flat.predict_fractional(columns, values, 1, mixed, threads));
            CHECK(!flat.apply(columns, stops, threads));
            bool close = true;
            bool inside = true;
            for (std::size_t row = 0; row < n; ++row) {
                double expected = 0;
                predict_fractional(tree, 0, 1.0, columns, row, values, expected);
                close = close && std::abs(mixed[row] - expected) <= 1e-12;
                inside = inside && stops[row] >= 0 &&
                         static_cast<std::size_t>(stops[row]) < flat.size();
            }
            CHECK(close);
            CHECK(inside);
        }
    }
}

void a_deep_chain() {
    constexpr std::size_t depth = 50000;
    Arrays tree;
    tree.add_leaf(1.0);
    for (std::size_t i = 0; i < depth; ++i) {
        const std::size_t node = 2 * i;
        tree.ask(node, 0, -static_cast<double>(i), 2, penjing::mode::share);
        tree.add_leaf(1.0);  // 2i + 1
        tree.add_leaf(1.0);  // 2i + 2: the next split
    }
    const penjing::Flat flat(tree.view());
    const std::vector<double> a{1e9, 0.0, nan};
    const std::vector<penjing::ColumnView> columns{{a.data(), nullptr}};
    std::vector<std::int32_t> stops(3);
    CHECK(!flat.apply(columns, stops, 1));
    CHECK(stops[0] == 2 * static_cast<std::int32_t>(depth));
    CHECK(stops[1] == 1);
    CHECK(stops[2] == 0);
    const std::vector<double> ones(flat.size(), 1.0);
    std::vector<double> mixed(3);
    CHECK(!flat.predict_fractional(columns, ones, 1, mixed, 1));
    CHECK(mixed[0] == 1.0);
    CHECK(std::abs(mixed[2] - 1.0) < 1e-9);
}

void unseen_is_reported() {
    Arrays tree;
    tree.add_leaf(1.0);
    tree.ask(0, 1, nan, 2, 0);
    tree.add_leaf(1.0, {0});
    tree.add_leaf(1.0, {1});
    tree.unseen_mode = penjing::mode::report;
    const penjing::Flat flat(tree.view());
    std::vector<std::int32_t> codes(30000, 1);
    codes[20000] = 2;
    codes[29999] = 3;
    codes[5] = -1;
    const std::vector<penjing::ColumnView> columns{{}, {nullptr, codes.data()}};
    std::vector<std::int32_t> stops(codes.size());
    for (const int threads : {1, 2, 7}) {
        const auto unseen = flat.apply(columns, stops, threads);
        CHECK(unseen && unseen->row == 20000 && unseen->column == 1 && unseen->code == 2 &&
              unseen->node == 0);
        CHECK(stops[5] == 1);
    }
}

void threads_pass_on_what_was_thrown() {
    for (const int threads : {1, 2, 7}) {
        CHECK(check::throws<std::runtime_error>([&] {
            penjing::parallel_for(100, 10, threads, [](std::size_t begin, std::size_t end) {
                if (begin <= 55 && 55 < end) {
                    throw std::runtime_error("row 55");
                }
            });
        }));
        std::vector<int> visits(95, 0);
        penjing::parallel_for(95, 10, threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                ++visits[i];
            }
        });
        CHECK(visits == std::vector<int>(95, 1));
    }
}

void nonsense_is_refused() {
    Arrays tree;
    tree.add_leaf(1.0);
    tree.ask(0, 0, 0.5, 2, 0);
    tree.add_leaf(1.0);
    CHECK(check::throws<std::invalid_argument>([&] { penjing::Flat flat(tree.view()); }));
    tree.add_leaf(1.0);
    const penjing::Flat flat(tree.view());
    std::vector<std::int32_t> stops(1);
    CHECK(check::throws<std::invalid_argument>([&] { (void)flat.apply({}, stops, 1); }));
    tree.first_child[0] = 0;
    CHECK(check::throws<std::invalid_argument>([&] { penjing::Flat loop(tree.view()); }));
}

}  // namespace

int main() {
    against_the_definition();
    a_deep_chain();
    unseen_is_reported();
    threads_pass_on_what_was_thrown();
    nonsense_is_refused();
    return check::finish();
}
