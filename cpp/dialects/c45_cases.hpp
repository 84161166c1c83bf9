// The growing kernel of C4.5 that follows its order of cases, for trees that are identical to
// the last bit.
//
// With missing values a case goes down several branches with fractions of its weight, and sums
// in single precision depend on the order of addition. C4.5 keeps its cases in one array, sorts
// the range of a node for each numeric column and groups it by branch; this kernel does the
// same, depth first. The tree depends on the order of the rows, as that of C4.5 does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "dialects/c45.hpp"
#include "grow/driver.hpp"
#include "grow/nodes.hpp"

namespace penjing {

class C45CaseKernel {
  public:
    explicit C45CaseKernel(const C45Request& request)
        : request_(request),
          math_(true, 0.0),
          k_(request.n_sums),
          minimum_(request.min_branch) {
        for (const GrowColumn& column : request.columns) {
            std::vector<float> numbers;
            if (column.ordered && !request.low_memory) {
                numbers.reserve(request.n_rows);
                for (std::size_t row = 0; row < request.n_rows; ++row) {
                    const std::int32_t code = column.codes[row];
                    numbers.push_back(code < 0 ? 0.0F : number(column, code));
                }
            }
            numbers_.push_back(std::move(numbers));
        }
    }

    struct ColumnSplit {
        double gain = not_a_number;
        double information = 0;
        std::int32_t low = 0;  // codes on both sides of a cut
        std::int32_t high = 0;
        std::vector<std::int32_t> codes;
    };
    struct OpenNode {  // a branch of the node whose frame has this number; the root has none
        std::uint32_t node = 0;
        std::uint32_t frame = 0;
        int branch = 0;
        std::size_t first = 0, last = 0;  // its cases, once it is grown

        [[nodiscard]] std::size_t n_rows() const { return last - first; }
    };
    struct Split {
        std::size_t column = 0;
        double gain = 0;
        double score = 0;
        ColumnSplit best;
    };
    struct Scratch {};
    using Task = GrowTask<Scratch>;

    // ---- for the driver

    [[nodiscard]] NodeLayout layout() const { return {k_, false, false, true}; }
    [[nodiscard]] static bool is_sequential() { return true; }

    Scratch& scratch(int) { return scratch_; }

    std::optional<OpenNode> start(Subtree& subtree, ThreadPool&, const PollCallback&) {
        cases_.resize(request_.n_rows);
        for (std::size_t row = 0; row < request_.n_rows; ++row) {
            cases_[row].row = static_cast<std::uint32_t>(row);
            cases_[row].weight =
                request_.weight == nullptr ? 1.0F : static_cast<float>(request_.weight[row]);
        }
        times_used_.assign(request_.columns.size(), 0);
        subtree.add_nodes(1);
        return OpenNode{0, no_frame, 0, 0, cases_.size()};
    }

    bool stops(Task& task, OpenNode& open) {
        if (open.frame != no_frame) {
            enter_branch(open);
        }
        std::vector<float> total(k_, 0.0F);
        for (std::size_t i = open.first; i < open.last; ++i) {
            total[class_of(i)] += cases_[i].weight;
        }
        std::copy(total.begin(), total.end(), task.subtree.total_of(open.node));
        weight_ = sum_rows(open.first, open.last);
        const float most = *std::max_element(total.begin(), total.end());
        return most == weight_ || static_cast<double>(weight_) < 2 * minimum_ ||
               static_cast<double>(weight_) < request_.min_weight ||
               (request_.max_depth >= 0 &&
                static_cast<std::int64_t>(frames_.size()) >= request_.max_depth);
    }

    template <class Pool>
    bool search(Task&, const OpenNode& open, Split& split, Pool&&) {
        std::vector<ColumnSplit> splits(request_.columns.size());
        for (std::size_t c = 0; c < splits.size(); ++c) {
            if (request_.columns[c].ordered) {
                best_cut(c, open.first, open.last, weight_, splits[c]);
            } else if (times_used_[c] == 0) {
                score_categories(c, open.first, open.last, weight_, splits[c]);
            }
        }
        const int winner = choose(splits, split.score);
        if (winner < 0) {
            return false;
        }
        split.column = static_cast<std::size_t>(winner);
        split.best = std::move(splits[split.column]);
        split.gain = std::max(split.best.gain, 0.0);
        return split.gain >= request_.min_gain;
    }

    template <class Pool>
    void divide(Task& task, const OpenNode& open, const Split& split, Pool&&,
                std::vector<OpenNode>& open_nodes) {
        Subtree& subtree = task.subtree;
        const GrowColumn& column = request_.columns[split.column];
        Frame frame;
        frame.first = open.first;
        frame.last = open.last;
        frame.column = split.column;
        double cut = not_a_number;
        if (column.ordered) {
            cut = place_cut(column, split.best, frame.below);
        } else {
            frame.codes = split.best.codes;
        }
        const std::size_t n_parts = column.ordered ? 2 : frame.codes.size();
        const std::uint32_t child = subtree.split(open.node, split.column, n_parts);
        subtree.nodes[open.node].cut = cut;
        subtree.scores[open.node].gain = split.gain;
        subtree.scores[open.node].score = split.score;
        for (std::size_t b = 0; b < frame.codes.size(); ++b) {
            const std::array<std::int32_t, 1> level{frame.codes[b]};
            subtree.set_levels(child + static_cast<std::uint32_t>(b), level);
        }
        frame.known = group(frame, no_branch, open.first, open.last);
        frame.weight = sum_rows(frame.known, open.last);
        ++times_used_[split.column];
        for (std::size_t b = n_parts; b-- > 0;) {
            open_nodes.push_back({child + static_cast<std::uint32_t>(b),
                                  static_cast<std::uint32_t>(frames_.size()),
                                  static_cast<int>(b)});
        }
        frames_.push_back(std::move(frame));
    }

  private:
    struct Case {
        std::uint32_t row = 0;
        float weight = 1;
    };
    struct Frame {  // a node whose branches are being grown
        std::size_t first = 0, known = 0,
                    last = 0;  // cases with a known value are in [known, last)
        std::size_t column = 0;
        std::int32_t below = 0;  // the last code of branch 0 of a cut
        std::vector<std::int32_t> codes;
        float weight = 0;
        bool is_in_branch = false;
        std::size_t end = 0;  // of the branch that is being grown
        float factor = 1;
    };
    static constexpr std::uint32_t no_frame = 0xffffffffU;

    [[nodiscard]] static float number(const GrowColumn& column, std::int32_t code) {
        return column.levels == nullptr ? static_cast<float>(code)
                                        : static_cast<float>(column.levels[code]);
    }
    [[nodiscard]] float value(std::size_t c, std::uint32_t row) const {
        if (!request_.low_memory) {
            return numbers_[c][row];
        }
        const std::int32_t code = request_.columns[c].codes[row];
        return code < 0 ? 0.0F : number(request_.columns[c], code);
    }
    [[nodiscard]] std::int32_t code(std::size_t c, std::size_t i) const {
        return request_.columns[c].codes[cases_[i].row];
    }
    [[nodiscard]] std::size_t class_of(std::size_t i) const {
        return static_cast<std::size_t>(request_.target[cases_[i].row]);
    }
    [[nodiscard]] float sum_rows(std::size_t first, std::size_t last) const {
        float sum = 0;
        for (std::size_t i = first; i < last; ++i) {
            sum += cases_[i].weight;
        }
        return sum;
    }

    static constexpr int no_branch = -1;

    [[nodiscard]] int branch_of(const Frame& frame, std::size_t i) const {
        const std::size_t c = frame.column;
        const std::int32_t code_ = code(c, i);
        if (code_ < 0) {
            return no_branch;
        }
        if (request_.columns[c].ordered) {
            return code_ <= frame.below ? 0 : 1;
        }
        const auto place = std::lower_bound(frame.codes.begin(), frame.codes.end(), code_);
        return static_cast<int>(place - frame.codes.begin());
    }

    // Move the cases of a branch to the front of a range; returns their end.
    std::size_t group(const Frame& frame, int branch, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (branch_of(frame, i) == branch) {
                std::swap(cases_[first++], cases_[i]);
            }
        }
        return first;
    }

    // Leave the nodes that are finished, and move the cases of a branch to the front.
    void enter_branch(OpenNode& open) {
        for (;;) {
            if (frames_.back().is_in_branch) {
                leave_branch(frames_.back());
            }
            if (frames_.size() == open.frame + 1) {
                break;
            }
            --times_used_[frames_.back().column];
            frames_.pop_back();
        }
        Frame& frame = frames_.back();
        frame.is_in_branch = true;
        frame.end = group(frame, open.branch, frame.known, frame.last);
        const float part = sum_rows(frame.known, frame.end);
        frame.factor = part / frame.weight;
        for (std::size_t i = frame.first; i < frame.known; ++i) {
            cases_[i].weight = cases_[i].weight * part / frame.weight;
        }
        open.first = frame.first;
        open.last = frame.end;
    }

    // After a branch: move the cases without a value back to the front and restore their
    // weight.
    void leave_branch(Frame& frame) {
        frame.is_in_branch = false;
        group(frame, no_branch, frame.first, frame.end);
        for (std::size_t i = frame.first; i < frame.known; ++i) {
            cases_[i].weight /= frame.factor;
        }
    }

    // ---- columns

    void best_cut(std::size_t c, std::size_t first, std::size_t last, float weight,
                  ColumnSplit& split) {
        std::vector<double> missing(k_, 0.0);
        std::size_t start = first;
        for (std::size_t i = first; i < last; ++i) {
            if (code(c, i) < 0) {
                double& sum = missing[class_of(i)];
                sum = math_.round(sum + static_cast<double>(cases_[i].weight));
                std::swap(cases_[start++], cases_[i]);
            }
        }
        const double all = weight;
        const double unknown_weight = math_.sum(missing.data(), k_);
        const double known = math_.round(all - unknown_weight);
        if (known < 2 * minimum_) {
            return;
        }
        sort(c, start, last);
        double least = math_.round(request_.side_share * known / static_cast<double>(k_));
        if (least <= minimum_) {
            least = minimum_;
        } else if (least > request_.side_most) {
            least = request_.side_most;
        }
        const double most = math_.round(known - least);
        const double unknown = math_.round(1 - math_.round(known / all));
        std::vector<double> parts(2 * k_, 0.0);
        double* low = parts.data();
        double* high = low + k_;
        for (std::size_t i = start; i < last; ++i) {
            double& sum = high[class_of(i)];
            sum = math_.round(sum + static_cast<double>(cases_[i].weight));
        }
        const double before = math_.round(math_.information(high, k_) / known);
        std::vector<double> gains;
        std::vector<double> sizes;
        std::vector<std::size_t> cuts;
        double below = 0;
        for (std::size_t i = start; i + 1 < last; ++i) {
            const double w = cases_[i].weight;
            const std::size_t class_ = class_of(i);
            below = math_.round(below + w);
            low[class_] = math_.round(low[class_] + w);
            high[class_] = math_.round(high[class_] - w);
            if (below < least) {
                continue;
            }
            if (below > most) {
                break;
            }
            const double here = value(c, cases_[i].row);
            const double next = value(c, cases_[i + 1].row);
            if (!(here < next - request_.gap)) {
                continue;
            }
            cuts.push_back(i);
            sizes.push_back(below);
            const double after =
                math_.round(math_.information(low, k_) + math_.information(high, k_));
            const double above = math_.round(known - below);
            const bool is_admissible = below >= minimum_ && above >= minimum_;
            gains.push_back(is_admissible
                                ? math_.round(math_.round(1 - unknown) *
                                              math_.round(before - math_.round(after / known)))
                                : -request_.slack);
        }
        if (cuts.empty()) {
            return;
        }
        const double cost = request_.cut_cost
                                ? math_.round(std::log2(static_cast<double>(cuts.size())) / all)
                                : 0.0;
        double best = 0;
        std::size_t place = cuts.size();
        for (std::size_t i = 0; i < gains.size(); ++i) {
            const double gain = math_.round(gains[i] - cost);
            if (gain > best) {
                best = gain;
                place = i;
            }
        }
        if (place == cuts.size()) {
            return;
        }
        const double sides[] = {unknown_weight, sizes[place],
                                math_.round(known - sizes[place])};
        split.gain = best;
        split.information = math_.round(math_.information(sides, 3) / all);
        split.low = code(c, cuts[place]);
        split.high = code(c, cuts[place] + 1);
    }

    // Quicksort as in C4.5, with a stack instead of recursion: cases up to the pivot (the last
    // case) come first, those equal to it last among them, followed by the pivot.
    void sort(std::size_t c, std::size_t first, std::size_t last) {
        std::vector<std::pair<std::size_t, std::size_t>> open{{first, last}};
        while (!open.empty()) {
            const auto [begin, end] = open.back();
            open.pop_back();
            if (end - begin < 2) {
                continue;
            }
            const float pivot = value(c, cases_[end - 1].row);
            std::size_t above = begin;
            for (std::size_t i = begin; i < end - 1; ++i) {
                if (value(c, cases_[i].row) <= pivot) {
                    std::swap(cases_[above++], cases_[i]);
                }
            }
            std::size_t equal = above;
            for (std::size_t i = above; i-- > begin;) {
                if (value(c, cases_[i].row) == pivot) {
                    std::swap(cases_[--equal], cases_[i]);
                }
            }
            std::swap(cases_[above], cases_[end - 1]);
            open.emplace_back(begin, equal);
            open.emplace_back(above + 1, end);
        }
    }

    double place_cut(const GrowColumn& column, const ColumnSplit& split,
                     std::int32_t& below) const {
        below = split.low;
        if (column.levels == nullptr) {
            return below;  // an ordinal category: its position
        }
        const float low = number(column, split.low);
        const float high = number(column, split.high);
        float middle = (low + high) / 2;
        if (!(low <= middle && middle < high)) {
            middle = low;
        }
        const double cut = middle;
        if (!request_.cut_at_value) {
            const bool between =
                column.levels[split.low] <= cut && cut < column.levels[split.high];
            return between ? cut : column.levels[split.low];
        }
        while (below + 1 < column.n_levels && number(column, below + 1) <= middle) {
            ++below;
        }
        return column.levels[below];
    }

    void score_categories(std::size_t c, std::size_t first, std::size_t last, float weight,
                          ColumnSplit& split) const {
        const auto n_levels = static_cast<std::size_t>(request_.columns[c].n_levels);
        std::vector<double> cells((n_levels + 1) * k_, 0.0);  // the first for missing values
        std::vector<std::uint8_t> seen(n_levels, 0);
        for (std::size_t i = first; i < last; ++i) {
            const std::int32_t level = code(c, i);
            double& sum = cells[static_cast<std::size_t>(level + 1) * k_ + class_of(i)];
            sum = math_.round(sum + static_cast<double>(cases_[i].weight));
            if (level >= 0) {
                seen[static_cast<std::size_t>(level)] = 1;
            }
        }
        std::vector<double> sizes;
        std::size_t heavy = 0;
        for (std::size_t v = 0; v <= n_levels; ++v) {
            sizes.push_back(math_.sum(cells.data() + v * k_, k_));
            heavy += v > 0 && sizes.back() >= minimum_ ? 1U : 0U;
        }
        const double all = weight;
        const double known = math_.round(all - sizes[0]);
        if (all <= sizes[0] || heavy < 2) {
            return;
        }
        double sum_n_log_n = 0;
        for (std::size_t k = 0; k < k_; ++k) {
            double sum = 0;
            for (std::size_t v = 1; v <= n_levels; ++v) {
                sum = math_.round(sum + cells[v * k_ + k]);
            }
            sum_n_log_n = math_.round(sum_n_log_n + math_.n_log_n(sum));
        }
        const double before = math_.round((math_.n_log_n(known) - sum_n_log_n) / known);
        double after = 0;
        for (std::size_t v = 1; v <= n_levels; ++v) {
            after = math_.round(after + math_.information(cells.data() + v * k_, k_));
        }
        const double unknown = math_.round(sizes[0] / all);
        split.gain = math_.round(math_.round(1 - unknown) *
                                 math_.round(before - math_.round(after / known)));
        split.information = math_.round(math_.information(sizes.data(), sizes.size()) / all);
        for (std::size_t v = 0; v < n_levels; ++v) {
            if (seen[v] != 0) {
                split.codes.push_back(static_cast<std::int32_t>(v));
            }
        }
    }

    int choose(const std::vector<ColumnSplit>& splits, double& score) const {
        const double average = average_gain(splits, request_, math_);
        double best = request_.start;
        int winner = -1;
        for (std::size_t c = 0; c < splits.size(); ++c) {
            const ColumnSplit& candidate = splits[c];
            if (!(candidate.gain > -request_.slack)) {
                continue;
            }
            double candidate_score = not_a_number;
            if (!request_.by_ratio) {
                candidate_score = candidate.information > 0 ? candidate.gain : not_a_number;
            } else if (candidate.gain >= average - request_.slack &&
                       candidate.information > request_.slack) {
                candidate_score = math_.round(candidate.gain / candidate.information);
            }
            if (candidate_score > best) {
                best = candidate_score;
                winner = static_cast<int>(c);
            }
        }
        score = best;
        return winner;
    }

    const C45Request& request_;
    C45Arithmetic math_;
    std::size_t k_;
    double minimum_;
    std::vector<std::vector<float>> numbers_;
    std::vector<Case> cases_;
    std::vector<std::uint32_t> times_used_;
    std::vector<Frame> frames_;  // of the node that is grown and those above it
    float weight_ = 0;           // of the node that is grown
    Scratch scratch_;
};

}  // namespace penjing
