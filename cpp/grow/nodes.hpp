// The nodes that growing kernels return, and their breadth-first numbering.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "grow/request.hpp"

namespace penjing {

// What is recorded of every node, besides its split.
struct NodeLayout {
    std::size_t n_sums = 0;
    bool is_counted = false;  // the sums are integers
    bool has_known = false;   // sums of rows with and without a value in the split's column
    bool has_scores = false;  // gain, score, the branch of missing values, surrogates
};

struct Surrogate {
    std::uint32_t node = 0;
    std::uint32_t column = 0;
    double cut = not_a_number;
    std::int32_t below = 0;
    double agreement = 0;
    double adjusted = 0;
    std::vector<std::int32_t> groups[2];
};

// The nodes that one thread has grown, in any order; the children of a node are adjacent.
struct Subtree {
    struct Node {
        double cut = not_a_number;
        double low = not_a_number;  // the closest values on both sides of the cut
        double high = not_a_number;
        std::int32_t column = -1;
        std::uint32_t first_child = 0;
        std::uint32_t n_children = 0;
        std::uint32_t level_start = 0;  // categories that lead into the node
        std::uint32_t level_count = 0;
        std::int32_t link = -1;       // index of the Subtree that continues it
        std::uint32_t tie_start = 0;  // columns that scored the same
        std::uint32_t tie_count = 0;
    };
    struct Score {
        double gain = 0;
        double score = 0;
        std::int32_t missing_branch = -1;
        std::uint32_t surrogate_start = 0;
        std::uint32_t surrogate_count = 0;
    };
    NodeLayout layout;
    std::vector<Node> nodes;
    std::vector<double> total;          // n_sums per node, unless they are integers
    std::vector<std::uint32_t> counts;  // the same, if they are
    std::vector<double>
        after;  // n_sums per node: the rows that the parent's split sent here by value
    std::vector<double> known;    // n_sums per node: rows with a value in the split's column
    std::vector<double> missing;  // n_sums per node: rows without
    std::vector<Score> scores;
    std::vector<std::int32_t> levels;
    std::vector<std::int32_t> ties;  // in the order in which nodes were searched
    std::vector<Surrogate> surrogates;
    std::vector<std::uint32_t> passed_over;  // leaves that had a split, but one too many

    explicit Subtree(const NodeLayout& layout_) : layout(layout_) {}

    [[nodiscard]] double* total_of(std::uint32_t node) {
        return total.data() + node * layout.n_sums;
    }
    [[nodiscard]] const double* total_of(std::uint32_t node) const {
        return total.data() + node * layout.n_sums;
    }

    // Append n nodes with sums of zero; returns the number of the first.
    std::uint32_t add_nodes(std::size_t n) {
        const auto first = static_cast<std::uint32_t>(nodes.size());
        nodes.resize(nodes.size() + n);
        const std::size_t size = nodes.size() * layout.n_sums;
        if (layout.is_counted) {
            counts.resize(size);
        } else {
            total.resize(size);
        }
        if (layout.has_known) {
            after.resize(size);
            known.resize(size);
            missing.resize(size);
        }
        if (layout.has_scores) {
            scores.resize(nodes.size());
        }
        return first;
    }

    // Begin with a node of another subtree that this one continues.
    void start_from(const Subtree& other, std::uint32_t node) {
        add_nodes(1);
        const std::size_t from = node * layout.n_sums;
        if (layout.is_counted) {
            std::copy_n(other.counts.data() + from, layout.n_sums, counts.data());
        } else {
            std::copy_n(other.total.data() + from, layout.n_sums, total.data());
        }
    }

    // Split a node in n; returns the number of its first child.
    std::uint32_t split(std::uint32_t node, std::size_t column, std::size_t n) {
        const std::uint32_t first = add_nodes(n);
        nodes[node].column = static_cast<std::int32_t>(column);
        nodes[node].first_child = first;
        nodes[node].n_children = static_cast<std::uint32_t>(n);
        return first;
    }

    // The sums of rows with and without a value in a split's column, and those of each branch.
    void set_known(std::uint32_t node, const std::vector<double>& with_value,
                   const std::vector<double>& without, const std::vector<double>& by_branch) {
        const std::size_t at = node * layout.n_sums;
        std::copy(with_value.begin(), with_value.end(), known.data() + at);
        std::copy(without.begin(), without.end(), missing.data() + at);
        std::copy(by_branch.begin(), by_branch.end(),
                  after.data() + nodes[node].first_child * layout.n_sums);
    }

    // The categories that lead into a node.
    template <class Codes>
    void set_levels(std::uint32_t node, const Codes& codes) {
        nodes[node].level_start = static_cast<std::uint32_t>(levels.size());
        nodes[node].level_count = static_cast<std::uint32_t>(codes.size());
        levels.insert(levels.end(), codes.begin(), codes.end());
    }

    // Record the columns with equal scores, if there is more than one.
    void set_ties(std::uint32_t node, const std::vector<std::int32_t>& columns) {
        if (columns.size() > 1) {
            nodes[node].tie_start = static_cast<std::uint32_t>(ties.size());
            nodes[node].tie_count = static_cast<std::uint32_t>(columns.size());
            ties.insert(ties.end(), columns.begin(), columns.end());
        }
    }

    void set_surrogates(std::uint32_t node, std::vector<Surrogate>&& of_node) {
        scores[node].surrogate_start = static_cast<std::uint32_t>(surrogates.size());
        scores[node].surrogate_count = static_cast<std::uint32_t>(of_node.size());
        std::move(of_node.begin(), of_node.end(), std::back_inserter(surrogates));
    }
};

// A tree with nodes in breadth-first order; arrays that the layout does not have are empty.
struct GrownTree {
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> column;
    std::vector<double> cut;
    std::vector<double> gap;  // two per node
    std::vector<std::int64_t> level_start{0};
    std::vector<std::int32_t> level_codes;
    std::vector<double> total;
    std::vector<double> after;
    std::vector<double> known;
    std::vector<double> missing;
    std::vector<double> gain;
    std::vector<double> score;
    std::vector<std::int32_t> missing_branch;
    std::vector<Surrogate> surrogates;
    std::vector<std::int32_t> tied_nodes;
    std::vector<std::int64_t> tie_start{0};
    std::vector<std::int32_t> tie_columns;
    std::int64_t n_ties = 0;
    std::vector<std::int32_t> passed_over;  // leaves that a limit on leaves did not split
};

// Numbers the nodes of all subtrees breadth first; subtree 0 holds the root. Memory is freed as
// soon as it has been copied, so that a large tree is not held twice.
class Flattening {
  public:
    explicit Flattening(std::vector<Subtree>&& subtrees)
        : subtrees_(std::move(subtrees)), layout_(subtrees_[0].layout) {}

    // Ties are listed in the order of nodes or, if there is one subtree, of the search.
    GrownTree run(bool ties_in_search_order) {
        number_nodes(ties_in_search_order);
        if (ties_in_search_order) {
            list_ties_in_search_order();
            list_passed_over();
        }
        if (layout_.has_scores) {
            copy_scores();
        }
        for (Subtree& subtree : subtrees_) {
            std::vector<Subtree::Node>().swap(subtree.nodes);
        }
        if (layout_.has_known) {
            copy(out_.after, &Subtree::after, parent_refs_);
        } else {
            std::swap(parent_refs_, node_refs_);
        }
        std::vector<NodeRef>().swap(parent_refs_);
        if (layout_.is_counted) {
            copy(out_.total, &Subtree::counts, node_refs_);
        } else {
            copy(out_.total, &Subtree::total, node_refs_);
        }
        if (layout_.has_known) {
            copy(out_.known, &Subtree::known, node_refs_);
            copy(out_.missing, &Subtree::missing, node_refs_);
        }
        return std::move(out_);
    }

  private:
    static constexpr std::size_t max_ties = 1000;  // trace.TIES
    struct NodeRef {
        std::uint32_t subtree, node;
    };

    void reserve() {
        std::size_t n_nodes = 0;
        std::size_t n_levels = 0;
        for (const Subtree& subtree : subtrees_) {
            n_nodes += subtree.nodes.size();
            n_levels += subtree.levels.size();
        }
        parent_refs_.reserve(n_nodes);
        node_refs_.reserve(layout_.has_known ? n_nodes : 0);
        out_.parent.reserve(n_nodes);
        out_.column.reserve(n_nodes);
        out_.cut.reserve(n_nodes);
        out_.gap.reserve(2 * n_nodes);
        out_.level_start.reserve(n_nodes + 1);
        out_.level_codes.reserve(n_levels);
    }

    void number_nodes(bool ties_in_search_order) {
        reserve();
        parent_refs_.push_back({0, 0});
        out_.parent.push_back(-1);
        for (std::size_t i = 0; i < parent_refs_.size(); ++i) {
            NodeRef at = parent_refs_[i];
            const Subtree* subtree = &subtrees_[at.subtree];
            const Subtree::Node* node = &subtree->nodes[at.node];
            const auto level = subtree->levels.begin() + node->level_start;
            out_.level_codes.insert(out_.level_codes.end(), level, level + node->level_count);
            out_.level_start.push_back(static_cast<std::int64_t>(out_.level_codes.size()));
            if (node->link >= 0) {
                at = {static_cast<std::uint32_t>(node->link), 0};
                subtree = &subtrees_[at.subtree];
                node = subtree->nodes.data();
            }
            if (layout_.has_known) {
                node_refs_.push_back(at);
            } else {
                parent_refs_[i] = at;
            }
            out_.column.push_back(node->column);
            out_.cut.push_back(node->cut);
            out_.gap.push_back(node->low);
            out_.gap.push_back(node->high);
            if (node->tie_count > 0 && node->n_children > 0 && !ties_in_search_order) {
                ++out_.n_ties;
                if (out_.tied_nodes.size() < max_ties) {
                    add_tie(*subtree, *node, i);
                }
            }
            for (std::uint32_t child = 0; child < node->n_children; ++child) {
                parent_refs_.push_back({at.subtree, node->first_child + child});
                out_.parent.push_back(static_cast<std::int32_t>(i));
            }
        }
    }

    void add_tie(const Subtree& subtree, const Subtree::Node& node, std::size_t number) {
        out_.tied_nodes.push_back(static_cast<std::int32_t>(number));
        const auto tie = subtree.ties.begin() + node.tie_start;
        out_.tie_columns.insert(out_.tie_columns.end(), tie, tie + node.tie_count);
        out_.tie_start.push_back(static_cast<std::int64_t>(out_.tie_columns.size()));
    }

    // All ties are counted, and of the first ones those of nodes that were split are listed.
    void list_ties_in_search_order() {
        const std::vector<NodeRef>& refs = layout_.has_known ? node_refs_ : parent_refs_;
        const Subtree& subtree = subtrees_[0];
        std::vector<std::size_t> tied;
        for (std::size_t i = 0; i < refs.size(); ++i) {
            if (subtree.nodes[refs[i].node].tie_count > 0) {
                tied.push_back(i);
            }
        }
        std::sort(tied.begin(), tied.end(), [&](std::size_t a, std::size_t b) {
            return subtree.nodes[refs[a].node].tie_start <
                   subtree.nodes[refs[b].node].tie_start;
        });
        out_.n_ties = static_cast<std::int64_t>(tied.size());
        for (std::size_t i = 0; i < tied.size() && i < max_ties; ++i) {
            const Subtree::Node& node = subtree.nodes[refs[tied[i]].node];
            if (node.column >= 0) {
                add_tie(subtree, node, tied[i]);
            }
        }
    }

    void list_passed_over() {
        const std::vector<NodeRef>& refs = layout_.has_known ? node_refs_ : parent_refs_;
        std::vector<bool> is_passed_over(subtrees_[0].nodes.size(), false);
        for (const std::uint32_t node : subtrees_[0].passed_over) {
            is_passed_over[node] = true;
        }
        for (std::size_t i = 0; i < refs.size(); ++i) {
            if (is_passed_over[refs[i].node]) {
                out_.passed_over.push_back(static_cast<std::int32_t>(i));
            }
        }
    }

    void copy_scores() {
        const std::vector<NodeRef>& refs = layout_.has_known ? node_refs_ : parent_refs_;
        out_.gain.reserve(refs.size());
        out_.score.reserve(refs.size());
        out_.missing_branch.reserve(refs.size());
        for (std::size_t i = 0; i < refs.size(); ++i) {
            Subtree& subtree = subtrees_[refs[i].subtree];
            const Subtree::Score& score = subtree.scores[refs[i].node];
            out_.gain.push_back(score.gain);
            out_.score.push_back(score.score);
            out_.missing_branch.push_back(score.missing_branch);
            for (std::uint32_t s = 0; s < score.surrogate_count; ++s) {
                Surrogate& surrogate = subtree.surrogates[score.surrogate_start + s];
                surrogate.node = static_cast<std::uint32_t>(i);
                out_.surrogates.push_back(std::move(surrogate));
            }
        }
    }

    template <class Array>
    void copy(std::vector<double>& to, Array Subtree::* from,
              const std::vector<NodeRef>& refs) {
        to.reserve(refs.size() * layout_.n_sums);
        for (const NodeRef at : refs) {
            const auto* start = (subtrees_[at.subtree].*from).data() + at.node * layout_.n_sums;
            to.insert(to.end(), start, start + layout_.n_sums);
        }
        for (Subtree& subtree : subtrees_) {
            Array().swap(subtree.*from);
        }
    }

    std::vector<Subtree> subtrees_;
    NodeLayout layout_;
    GrownTree out_;
    std::vector<NodeRef> parent_refs_;  // categories and `after` come from the parent's subtree
    std::vector<NodeRef> node_refs_;    // … the rest from the subtree that continues the node
};

inline GrownTree flatten(std::vector<Subtree>&& subtrees, bool ties_in_search_order = false) {
    return Flattening(std::move(subtrees)).run(ties_in_search_order);
}

}  // namespace penjing
