// Rows of a store that move on: from the node they are in to the branch of its test.
//
// Tests of neighbouring rows have little in common, so nothing here branches on what a test is.
// Each becomes a table from the code of a row to its branch; only the bucket that holds a cut
// says "compare", which few rows are in.
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
    CodeView codes;                    // exact codes, or high bytes
    const Quantiles* cells = nullptr;  // of a quantile column
    const double* raw = nullptr;
    std::size_t n_codes = 0;
};

// The test of a node that is being divided.
struct StoredTest {
    std::int32_t column = 0;
    std::uint32_t first_child = 0;
    std::int64_t table = -1;  // where the branches of its codes start; -1: a cut
    std::uint8_t high = 0;    // the bucket that holds the cut
    double cut = 0;
};

class Routing {
  public:
    // `branches` are those of the tests by codes; `n_rows` that of the store.
    Routing(const std::vector<StoredColumn>& columns, const std::vector<StoredTest>& tests,
            const std::vector<std::int32_t>& branches, std::size_t n_rows)
        : branches_(branches), n_rows_(n_rows) {
        std::size_t n_cuts = 0;
        for (const StoredTest& test : tests) {
            n_cuts += test.table < 0 ? 1 : 0;
        }
        cuts_.reserve(n_cuts * 256);
        steps_.resize(1);  // that of a node without a test
        steps_[0].codes = nothing_;
        steps_[0].branch = &stays_;
        for (const StoredTest& test : tests) {
            const StoredColumn& column = columns[static_cast<std::size_t>(test.column)];
            Step step;
            const bool is_bytes = column.codes.bytes != nullptr;
            step.codes = is_bytes ? column.codes.bytes
                                  : reinterpret_cast<const std::uint8_t*>(column.codes.shorts);
            step.doubled = is_bytes ? 0 : 1;
            step.mask = is_bytes ? 0xffU : 0xffffU;
            step.all = ~std::size_t{0};
            step.first_child = test.first_child;
            step.raw = column.raw;
            step.cut = test.cut;
            step.branch = test.table < 0 ? by_bucket(test.high)
                                         : &branches_[static_cast<std::size_t>(test.table)];
            steps_.push_back(step);
        }
    }

    Routing(const Routing&) = delete;  // steps point into it
    Routing& operator=(const Routing&) = delete;

    // Move rows on; `test_of` each node is -1 where it has none.
    void move(std::size_t begin, std::size_t end, const std::int32_t* test_of,
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
    static constexpr std::int32_t stay = -1;
    static constexpr std::int32_t compare = -2;

    struct alignas(64) Step {
        const std::uint8_t* codes = nullptr;
        const std::int32_t* branch = nullptr;
        const double* raw = nullptr;
        double cut = 0;
        std::size_t all = 0;  // 0: no row has a code
        std::uint32_t first_child = 0;
        std::uint32_t mask = 0;
        unsigned doubled = 0;  // whether codes are of two bytes
    };

    // The code of a row. Two bytes are read in any case, but never beyond the last row.
    [[nodiscard]] std::size_t code(const Step& step, std::size_t row) const {
        const std::uint8_t* at = step.codes + ((row & step.all) << step.doubled);
        constexpr bool is_little = std::endian::native == std::endian::little;
        std::uint16_t both = *at;
        if ((is_little && row + 1 < n_rows_) || step.doubled != 0) {
            std::memcpy(&both, at, sizeof both);
        }
        return both & step.mask;
    }

    const std::int32_t* by_bucket(std::uint8_t high) {
        const std::size_t start = cuts_.size();
        for (std::size_t bucket = 0; bucket < 256; ++bucket) {
            cuts_.push_back(bucket == high_missing ? stay
                            : bucket == high       ? compare
                                                   : (bucket > high ? 1 : 0));
        }
        return cuts_.data() + start;
    }

    const std::vector<std::int32_t>& branches_;
    std::vector<std::int32_t> cuts_;
    std::vector<Step> steps_;
    std::size_t n_rows_;
    std::uint8_t nothing_[2] = {0, 0};
    std::int32_t stays_ = stay;
};

}  // namespace penjing
