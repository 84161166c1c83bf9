// Which node is split next, and by which thread. Kernels know one node at a time.
//
// A kernel supplies
//
//   OpenNode      a node that may be split: `node`, its number in its subtree, and `n_rows()`
//   Split         the split that was chosen for a node
//   Scratch       the memory of one thread; `scratch(thread)` returns it
//   layout()      what is recorded of every node
//   start(subtree, pool, poll)                   the root; nothing if the request is refused
//   stops(task, open)                            whether a node is a leaf without a search
//   search(task, open, split, pool)              choose a split; false if there is none
//   divide(task, open, split, pool, open_nodes)  add the children to the subtree, and those
//                                                that may be split to the open nodes
//
// and may supply
//
//   worth(task, open, split), n_branches(split)  for a limit on leaves
//   grow_whole(task, open, poll)                 grow all that is below a small node; false if
//                                                it is too large
//   is_sequential()                              nodes must be searched in depth-first order
//   min_shared_rows(n_threads)                   smaller nodes are grown by one thread
//   set_aside(task, open), begin(task, open)     before and after a node changes its thread
//
// `stops` and `search` are called once per node. A task is all that one thread grows at a time.
// Work on the columns of a node goes through `pool`, which runs it inline (thread -1, the
// caller's scratch) where threads would cost more than they save. The tree is the same for any
// number of threads: its nodes are numbered at the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "grow/nodes.hpp"
#include "grow/request.hpp"

namespace penjing {

template <class Scratch>
struct GrowTask {
    Subtree& subtree;
    Scratch& scratch;
};

// Call work(pool) with a pool for the columns of a node of so many cells.
template <class Pool, class Work>
auto share_columns(Pool& pool, std::size_t n_cells, const Work& work) {
    if constexpr (std::is_same_v<Pool, ThreadPool>) {
        constexpr std::size_t min_cells = 20000;
        if (pool.size() > 1 && n_cells >= min_cells) {
            return work(pool);
        }
    }
    return work(SerialPool{});
}

// Grow the open nodes, the last one first, until none is left. `takes(open)` is false for a
// node that is kept for a task of its own.
template <class Kernel, class Task, class OpenNode, class Pool, class Takes>
void grow_depth_first(const GrowRequest& request, Kernel& kernel, Task& task,
                      std::vector<OpenNode>& open_nodes, Pool& pool, const PollCallback& poll,
                      const Takes& takes) {
    typename Kernel::Split split;
    while (!open_nodes.empty()) {
        OpenNode open = std::move(open_nodes.back());
        open_nodes.pop_back();
        if (poll) {
            poll();
        }
        if (kernel.stops(task, open)) {
            request.report_leaf(open.n_rows());
            continue;
        }
        if (!takes(open)) {
            continue;
        }
        if constexpr (requires { kernel.grow_whole(task, open, poll); }) {
            if (kernel.grow_whole(task, open, poll)) {
                continue;
            }
        }
        const std::size_t n_rows = open.n_rows();
        request.report_scan(n_rows);
        const bool is_split =
            share_columns(pool, n_rows * request.columns.size(), [&](auto&& node_pool) {
                if (!kernel.search(task, open, split, node_pool)) {
                    return false;
                }
                kernel.divide(task, open, split, node_pool, open_nodes);
                return true;
            });
        if (!is_split) {
            request.report_leaf(n_rows);
        }
    }
}

// Split the node of the greatest worth next, the first of equal ones, until there are
// `max_leaves` leaves (nodes_to_split in grow/loop.py). A split that has too many branches for
// the leaves that are left is passed over.
template <class Kernel, class Task, class OpenNode>
void grow_best_first(const GrowRequest& request, Kernel& kernel, Task& task, OpenNode root,
                     ThreadPool& pool, const PollCallback& poll) {
    struct SearchedNode {
        double worth;
        OpenNode open;
        typename Kernel::Split split;
    };
    std::vector<SearchedNode> queue;
    const auto is_later = [](const SearchedNode& a, const SearchedNode& b) {
        return a.worth < b.worth || (a.worth == b.worth && a.open.node > b.open.node);
    };
    const auto share = [&](const OpenNode& open, const auto& work) {
        return share_columns(pool, open.n_rows() * request.columns.size(), work);
    };
    std::vector<OpenNode> open_nodes;
    open_nodes.push_back(std::move(root));
    for (std::int64_t n_leaves = 1;;) {
        for (; !open_nodes.empty(); open_nodes.pop_back()) {
            OpenNode& open = open_nodes.back();
            typename Kernel::Split split;
            const bool stops = kernel.stops(task, open);
            if (!stops) {
                request.report_scan(open.n_rows());
            }
            if (stops || !share(open, [&](auto&& node_pool) {
                    return kernel.search(task, open, split, node_pool);
                })) {
                request.report_leaf(open.n_rows());
                continue;
            }
            const double worth = kernel.worth(task, open, split);
            queue.push_back({worth, std::move(open), std::move(split)});
            std::push_heap(queue.begin(), queue.end(), is_later);
        }
        if (queue.empty()) {
            return;
        }
        if (poll) {
            poll();
        }
        std::pop_heap(queue.begin(), queue.end(), is_later);
        SearchedNode next = std::move(queue.back());
        queue.pop_back();
        const auto n_more = static_cast<std::int64_t>(kernel.n_branches(next.split)) - 1;
        if (n_more > request.max_leaves - n_leaves) {  // nor will it fit later
            task.subtree.passed_over.push_back(next.open.node);
            request.report_leaf(next.open.n_rows());
            continue;
        }
        n_leaves += n_more;
        share(next.open, [&](auto&& node_pool) {
            kernel.divide(task, next.open, next.split, node_pool, open_nodes);
        });
    }
}

// Grows a whole tree with one kernel.
template <class Kernel>
class Driver {
  public:
    Driver(const GrowRequest& request, Kernel& kernel, ThreadPool& pool,
           const PollCallback& poll)
        : request_(request), kernel_(kernel), pool_(pool), poll_(poll) {}

    GrownTree grow() {
        subtrees_.emplace_back(kernel_.layout());
        std::optional<OpenNode> root = kernel_.start(subtrees_[0], pool_, poll_);
        if (!root) {
            return {};
        }
        Task task{subtrees_[0], kernel_.scratch(0)};
        begin(task, *root);
        bool in_sequence = request_.max_leaves >= 0;
        if constexpr (requires { kernel_.is_sequential(); }) {
            in_sequence = in_sequence || kernel_.is_sequential();
        }
        if constexpr (requires(Split split) { kernel_.worth(task, *root, split); }) {
            if (request_.max_leaves >= 0) {
                grow_best_first(request_, kernel_, task, std::move(*root), pool_, poll_);
                return flatten(std::move(subtrees_), true);
            }
        }
        std::vector<OpenNode> open_nodes;
        open_nodes.push_back(std::move(*root));
        const std::size_t large = in_sequence || pool_.size() == 1 ? 0 : min_shared_rows();
        grow_depth_first(request_, kernel_, task, open_nodes, pool_, poll_,
                         [&](OpenNode& open) { return !defer(task, open, large); });
        grow_deferred();
        return flatten(std::move(subtrees_), in_sequence);
    }

  private:
    using OpenNode = typename Kernel::OpenNode;
    using Split = typename Kernel::Split;
    using Task = GrowTask<typename Kernel::Scratch>;

    // All threads share the columns of nodes of so many rows; smaller nodes are whole tasks.
    [[nodiscard]] std::size_t min_shared_rows() const {
        if constexpr (requires { kernel_.min_shared_rows(pool_.size()); }) {
            return kernel_.min_shared_rows(pool_.size());
        } else {
            return std::max<std::size_t>(request_.n_rows / 32, 2000);
        }
    }

    void begin(Task& task, OpenNode& open) {
        if constexpr (requires { kernel_.begin(task, open); }) {
            kernel_.begin(task, open);
        }
    }

    // Keep a node of fewer than `large` rows for a task of its own.
    bool defer(Task& task, OpenNode& open, std::size_t large) {
        if (open.n_rows() >= large) {
            return false;
        }
        if constexpr (requires { kernel_.set_aside(task, open); }) {
            kernel_.set_aside(task, open);
        }
        deferred_.push_back(std::move(open));
        return true;
    }

    // Grow the subtrees of deferred nodes, the largest first.
    void grow_deferred() {
        subtrees_.resize(1 + deferred_.size(), Subtree(kernel_.layout()));
        for (std::size_t i = 0; i < deferred_.size(); ++i) {
            const std::uint32_t node = std::exchange(deferred_[i].node, 0);
            subtrees_[0].nodes[node].link = static_cast<std::int32_t>(i + 1);
            subtrees_[i + 1].start_from(subtrees_[0], node);
        }
        std::vector<std::size_t> by_size(deferred_.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return deferred_[a].n_rows() > deferred_[b].n_rows();
        });
        pool_.run(deferred_.size(), [&](std::size_t i, int thread) {
            const std::size_t at = by_size[i];
            Task task{subtrees_[at + 1], kernel_.scratch(thread)};
            std::vector<OpenNode> open_nodes;
            open_nodes.push_back(std::move(deferred_[at]));
            begin(task, open_nodes.back());
            SerialPool alone;
            grow_depth_first(request_, kernel_, task, open_nodes, alone,
                             thread == 0 ? poll_ : PollCallback{},
                             [](const OpenNode&) { return true; });
        });
    }

    const GrowRequest& request_;
    Kernel& kernel_;
    ThreadPool& pool_;
    const PollCallback& poll_;
    std::vector<Subtree> subtrees_;
    std::vector<OpenNode> deferred_;
};

// Grow a tree; it has no nodes if the kernel refuses the request.
template <class Kernel>
GrownTree grow(const GrowRequest& request, Kernel&& kernel, ThreadPool& pool,
               const PollCallback& poll) {
    return Driver<std::remove_reference_t<Kernel>>(request, kernel, pool, poll).grow();
}

}  // namespace penjing
