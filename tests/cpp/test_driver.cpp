// The driver grows the same tree depth first, best first, with threads and with whole subtrees
// as the definition does with plain lists.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "check.hpp"
#include "grow/driver.hpp"

namespace {

// A node is a range of rows. Where it is split, and how good the split is, depends on the range
// alone.
struct Range {
    std::uint32_t begin = 0, end = 0;

    [[nodiscard]] std::uint32_t n() const { return end - begin; }
    [[nodiscard]] std::uint32_t hash() const {
        std::uint32_t h = begin * 2654435761U ^ end * 40503U;
        h ^= h >> 15;
        return h * 2246822519U >> 7;
    }
    [[nodiscard]] bool stops() const { return n() < 3 || hash() % 17 == 0; }
    [[nodiscard]] bool is_split() const { return hash() % 19 != 0; }
    [[nodiscard]] double gain() const { return hash() % 8; }  // with many ties
    [[nodiscard]] std::vector<Range> parts() const {
        const std::uint32_t k = std::min(n(), 2 + hash() % 3);
        std::vector<Range> parts;
        for (std::uint32_t b = 0; b < k; ++b) {
            const std::uint32_t skew = b == 0 || b == k ? 0 : hash() % (n() / k + 1) / 2;
            parts.push_back({begin + n() * b / k + skew, 0});
        }
        for (std::uint32_t b = 0; b < k; ++b) {
            parts[b].end = b + 1 == k ? end : parts[b + 1].begin;
        }
        return parts;
    }
};

class RangeKernel {
  public:
    struct OpenNode {
        std::uint32_t node = 0;
        Range range;
        [[nodiscard]] std::size_t n_rows() const { return range.n(); }
    };
    using Split = std::vector<Range>;
    struct Scratch {
        std::vector<OpenNode> stack;
    };
    using Task = penjing::GrowTask<Scratch>;

    RangeKernel(const penjing::GrowRequest& request, std::uint32_t grows_whole)
        : request_(request), grows_whole_(grows_whole) {}

    static penjing::NodeLayout layout() { return {1, false, false, true}; }
    Scratch& scratch(int thread) { return scratch_[static_cast<std::size_t>(thread)]; }

    std::optional<OpenNode> start(penjing::Subtree& subtree, penjing::ThreadPool& pool,
                                  const penjing::PollCallback&) {
        scratch_.resize(static_cast<std::size_t>(pool.size()));
        OpenNode root{0, {0, static_cast<std::uint32_t>(request_.n_rows)}};
        subtree.add_nodes(1);
        subtree.total[0] = root.range.n();
        return root;
    }
    static bool stops(Task&, const OpenNode& open) { return open.range.stops(); }

    bool grow_whole(Task& task, const OpenNode& open, const penjing::PollCallback& poll) {
        if (open.range.n() > grows_whole_) {
            return false;
        }
        const std::uint32_t limit = std::exchange(grows_whole_, 0);
        task.scratch.stack.push_back(open);
        penjing::SerialPool alone;
        penjing::grow_depth_first(request_, *this, task, task.scratch.stack, alone, poll,
                                  [](const OpenNode&) { return true; });
        grows_whole_ = limit;
        return true;
    }

    template <class Pool>
    bool search(Task& task, const OpenNode& open, Split& split, Pool&& pool) {
        std::vector<int> visits(request_.columns.size(), 0);
        pool.run(visits.size(), [&](std::size_t c, int) { ++visits[c]; });
        CHECK(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
        if (!open.range.is_split()) {
            return false;
        }
        split = open.range.parts();
        task.subtree.set_ties(open.node, {0, static_cast<std::int32_t>(open.range.begin)});
        return true;
    }
    static double worth(Task&, const OpenNode& open, const Split&) {
        return open.range.n() * open.range.gain();
    }
    static std::size_t n_branches(const Split& split) { return split.size(); }

    template <class Pool>
    void divide(Task& task, const OpenNode& open, const Split& split, Pool&&,
                std::vector<OpenNode>& open_nodes) const {
        const std::uint32_t first = task.subtree.split(open.node, 0, split.size());
        task.subtree.scores[open.node].gain = open.range.gain();
        for (std::size_t b = split.size(); b-- > 0;) {
            const auto child = first + static_cast<std::uint32_t>(b);
            task.subtree.total[child] = split[b].n();
            task.subtree.set_levels(child,
                                    std::vector<std::uint32_t>{split[b].begin, split[b].end});
            open_nodes.push_back({child, split[b]});
        }
    }

  private:
    const penjing::GrowRequest& request_;
    std::uint32_t grows_whole_;
    std::vector<Scratch> scratch_;
};

// The tree by definition: nodes_to_split in grow/loop.py, and nodes numbered breadth first.
struct Definition {
    struct Node {
        Range range;
        std::vector<std::size_t> children;
    };
    std::vector<Node> nodes;         // in the order in which they were made
    std::vector<std::size_t> queue;  // breadth first
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> passed_over;

    Definition(std::uint32_t n_rows, std::int64_t max_leaves) {
        nodes.push_back({{0, n_rows}, {}});
        std::vector<std::size_t> open{0};
        std::vector<std::size_t> chosen;
        for (std::int64_t n_leaves = 1; !open.empty() || !chosen.empty();) {
            for (const std::size_t node : open) {
                const Range& range = nodes[node].range;
                if (!range.stops() && range.is_split()) {
                    chosen.push_back(node);
                }
            }
            open.clear();
            std::sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
                const double first = nodes[a].range.n() * nodes[a].range.gain();
                const double second = nodes[b].range.n() * nodes[b].range.gain();
                return first > second || (first == second && a < b);
            });
            const auto fits = [&](std::size_t node) {
                const auto more =
                    static_cast<std::int64_t>(nodes[node].range.parts().size()) - 1;
                return max_leaves < 0 || more <= max_leaves - n_leaves;
            };
            const auto next = std::find_if(chosen.begin(), chosen.end(), fits);
            if (next == chosen.end()) {
                break;
            }
            const std::size_t node = *next;
            chosen.erase(next);
            for (const Range& part : nodes[node].range.parts()) {
                open.push_back(nodes.size());
                nodes[node].children.push_back(nodes.size());
                nodes.push_back({part, {}});
            }
            n_leaves += static_cast<std::int64_t>(open.size()) - 1;
        }
        queue.push_back(0);
        parent.push_back(-1);
        for (std::size_t i = 0; i < queue.size(); ++i) {
            for (const std::size_t child : nodes[queue[i]].children) {
                queue.push_back(child);
                parent.push_back(static_cast<std::int32_t>(i));
            }
            if (std::find(chosen.begin(), chosen.end(), queue[i]) != chosen.end()) {
                passed_over.push_back(static_cast<std::int32_t>(i));
            }
        }
    }
};

void check_tree(const penjing::GrownTree& tree, const Definition& expected) {
    CHECK(tree.parent == expected.parent);
    CHECK(tree.passed_over == expected.passed_over);
    bool same = tree.parent.size() == expected.parent.size();
    for (std::size_t i = 0; same && i < tree.parent.size(); ++i) {
        const Definition::Node& node = expected.nodes[expected.queue[i]];
        const auto at = static_cast<std::size_t>(tree.level_start[i]);
        same = tree.total[i] == node.range.n() &&
               (tree.column[i] >= 0) == !node.children.empty() &&
               tree.gain[i] == (node.children.empty() ? 0 : node.range.gain()) &&
               (i == 0 || tree.level_codes[at] == static_cast<std::int32_t>(node.range.begin));
    }
    CHECK(same);
    for (std::size_t i = 0; i < tree.tied_nodes.size(); ++i) {
        const auto node = static_cast<std::size_t>(tree.tied_nodes[i]);
        const auto at = static_cast<std::size_t>(tree.tie_start[i]);
        CHECK(tree.column[node] >= 0);
        CHECK(tree.tie_columns[at + 1] ==
              static_cast<std::int32_t>(expected.nodes[expected.queue[node]].range.begin));
    }
    const auto n_split = std::count(tree.column.begin(), tree.column.end(), 0);
    CHECK(tree.n_ties >= n_split &&
          (tree.n_ties > 1000 || tree.tied_nodes.size() == static_cast<std::size_t>(n_split)));
}

}  // namespace

int main() {
    for (const std::uint32_t n_rows : {1U, 2U, 50U, 3001U, 90007U}) {
        for (const std::int64_t max_leaves : {-1, 1, 2, 3, 10, 250}) {
            const Definition expected(n_rows, max_leaves);
            for (const int threads : {1, 2, 4}) {
                for (const std::uint32_t grows_whole : {0U, 64U}) {
                    if (threads > 1 && grows_whole > 0) {
                        continue;  // the kernel above does so with one thread only
                    }
                    penjing::Progress progress;
                    penjing::GrowRequest request;
                    request.n_rows = n_rows;
                    request.columns.resize(9);
                    request.max_leaves = max_leaves;
                    request.progress = &progress;
                    penjing::ThreadPool pool(threads);
                    int n_polls = 0;
                    check_tree(penjing::grow(request, RangeKernel(request, grows_whole), pool,
                                             [&] { ++n_polls; }),
                               expected);
                    CHECK(progress.rows_in_leaves.load() == n_rows);
                    CHECK(n_polls > 0 || max_leaves >= 0);
                }
            }
        }
    }
    penjing::GrowRequest request;  // a poll that throws ends the growth, on any thread
    request.n_rows = 90007;
    request.columns.resize(9);
    for (const int threads : {1, 4}) {
        penjing::ThreadPool pool(threads);
        CHECK(check::throws<int>(
            [&] { penjing::grow(request, RangeKernel(request, 0), pool, [] { throw 1; }); }));
    }
    return check::finish();
}
