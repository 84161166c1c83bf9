// Moves the rows of a store from their node to the branch of its split.
//
// Neighbouring rows have unrelated splits, so that a branch on the kind of split would be
// unpredictable. Each split becomes a table from code to branch; only the bucket that contains
// the threshold has the entry "compare", and few rows are in it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "encode/bucketize.hpp"
#include "encode/quantile.hpp"
#include "store/counter.hpp"

namespace penjing {

struct StoredColumn {
    CodeView codes;                    // exact codes, or buckets
    const Quantiles* cells = nullptr;  // of a quantile column
    const double* raw = nullptr;
    std::size_t n_codes = 0;
};

// The split of a node.
struct StoredSplit {
    std::int32_t column = 0;
    std::uint32_t first_child = 0;
    std::int64_t table = -1;  // index of its first entry in `branches`; -1: a threshold
    std::uint8_t high = 0;    // the bucket that contains the threshold
    double cut = 0;
};

class Routing {
  public:
    // `branches` holds the branch of each code for splits by code; `n_rows` is that of the
    // store.
    Routing(const std::vector<StoredColumn>& columns, const std::vector<StoredSplit>& tests,
            const std::vector<std::int32_t>& branches, std::size_t n_rows)
        : branches_(branches), n_rows_(n_rows) {
        std::size_t n_cuts = 0;
        for (const StoredSplit& test : tests) {
            n_cuts += test.table < 0 ? 1 : 0;
        }
        cuts_.reserve(n_cuts * 256);
        steps_.resize(1);  // entry 0: a node without a split
        steps_[0].codes = no_codes_;
        steps_[0].branch = &no_branch_entry_;
        for (const StoredSplit& test : tests) {
            const StoredColumn& column = columns[static_cast<std::size_t>(test.column)];
            Step step;
            const bool is_bytes = column.codes.bytes != nullptr;
            step.codes = is_bytes ? column.codes.bytes
                                  : reinterpret_cast<const std::uint8_t*>(column.codes.shorts);
            step.code_shift = is_bytes ? 0 : 1;
            step.mask = is_bytes ? 0xffU : 0xffffU;
            step.row_mask = ~std::size_t{0};
            step.first_child = test.first_child;
            step.raw = column.raw;
            step.cut = test.cut;
            step.branch = test.table < 0 ? branches_by_bucket(test.high)
                                         : &branches_[static_cast<std::size_t>(test.table)];
            steps_.push_back(step);
        }
    }

    Routing(const Routing&) = delete;  // steps point into the object
    Routing& operator=(const Routing&) = delete;

    // Move rows [begin, end); `test_of[node]` is -1 for a node without a split.
    void move_rows(std::size_t begin, std::size_t end, const std::int32_t* test_of,
                   std::uint32_t* node) const {
        for (std::size_t row = begin; row < end; ++row) {
            const Step& step = steps_[static_cast<std::size_t>(test_of[node[row]] + 1)];
            std::int32_t branch = step.branch[code(step, row)];
            if (branch == compare) {
                branch = step.raw[row] > step.cut ? 1 : 0;
            }
            const std::uint32_t child = step.first_child + static_cast<std::uint32_t>(branch);
            node[row] = branch < 0 ? node[row] : child;
        }
    }

  private:
    static constexpr std::int32_t no_branch = -1;
    static constexpr std::int32_t compare = -2;

    struct alignas(64) Step {
        const std::uint8_t* codes = nullptr;
        const std::int32_t* branch = nullptr;
        const double* raw = nullptr;
        double cut = 0;
        std::size_t row_mask = 0;  // 0: read the same code for every row
        std::uint32_t first_child = 0;
        std::uint32_t mask = 0;
        unsigned code_shift = 0;  // 1 if codes have two bytes, else 0
    };

    // The code of a row. Two bytes are always read, but never beyond the last row.
    [[nodiscard]] std::size_t code(const Step& step, std::size_t row) const {
        const std::uint8_t* at = step.codes + ((row & step.row_mask) << step.code_shift);
        constexpr bool is_little = std::endian::native == std::endian::little;
        std::uint16_t code_bytes = *at;
        if ((is_little && row + 1 < n_rows_) || step.code_shift != 0) {
            std::memcpy(&code_bytes, at, sizeof code_bytes);
        }
        return code_bytes & step.mask;
    }

    const std::int32_t* branches_by_bucket(std::uint8_t high) {
        const std::size_t start = cuts_.size();
        for (std::size_t bucket = 0; bucket < 256; ++bucket) {
            cuts_.push_back(bucket == nan_bucket ? no_branch
                            : bucket == high     ? compare
                                                 : (bucket > high ? 1 : 0));
        }
        return cuts_.data() + start;
    }

    const std::vector<std::int32_t>& branches_;
    std::vector<std::int32_t> cuts_;
    std::vector<Step> steps_;
    std::size_t n_rows_;
    std::uint8_t no_codes_[2] = {0, 0};
    std::int32_t no_branch_entry_ = no_branch;
};

}  // namespace penjing
