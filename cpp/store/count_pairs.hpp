// Counts many columns of a block: two at a time where their tables have the same shape.
//
// Where a row goes in a table depends on its slot and class, and on its code. The former is the
// same for all tables of a shape, so it is worked out once; and two columns at a time keep the
// processor busy while it waits for a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "store/counter.hpp"

namespace penjing {

class Pairs {
  public:
    // `n_codes` of each column; tables of n_slots slots and k classes.
    Pairs(const std::vector<std::size_t>& n_codes, std::size_t n_slots, std::size_t k) : k_(k) {
        for (std::size_t c = 0; c < n_codes.size(); ++c) {
            const std::size_t size = n_slots * n_codes[c] * k;
            if (size > std::numeric_limits<std::uint32_t>::max()) {
                alone_.push_back({n_codes[c], {c}});  // too far for an offset of four bytes
                continue;
            }
            std::size_t at = 0;
            while (at < shapes_.size() && shapes_[at].n_codes != n_codes[c]) {
                ++at;
            }
            if (at == shapes_.size()) {
                shapes_.push_back({n_codes[c], {}});
            }
            shapes_[at].columns.push_back(c);
        }
    }

    // Add the rows that are asked about to the tables; codes(c) are those of the block.
    template <class Codes, class Tables>
    void count(const Codes& codes, const Asked& asked, std::vector<std::uint32_t>& offset,
               Tables& tables) const {
        for (const Shape& shape : alone_) {
            const std::size_t c = shape.columns.front();
            count_rows(codes(c), asked, shape.n_codes, k_, tables[c].data());
        }
        if (offset.size() < asked.size()) {
            offset.resize(asked.row.size());
        }
        for (const Shape& shape : shapes_) {
            const auto stride = static_cast<std::uint32_t>(shape.n_codes * k_);
            for (std::size_t j = 0; j < asked.size(); ++j) {
                offset[j] = asked.slot[j] * stride + asked.class_[j];
            }
            const Rows rows{asked.row.data(), offset.data(), asked.size()};
            std::size_t i = 0;
            while (i < shape.columns.size()) {
                const std::size_t c = shape.columns[i++];
                const CodeView mine = codes(c);
                if (i == shape.columns.size()) {
                    add(mine, rows, tables[c].data());
                    break;
                }
                const std::size_t other = shape.columns[i++];
                add_both(mine, codes(other), rows, tables[c].data(), tables[other].data());
            }
        }
    }

  private:
    struct Shape {
        std::size_t n_codes;
        std::vector<std::size_t> columns;
    };

    struct Rows {
        const std::uint32_t* row;
        const std::uint32_t* offset;
        std::size_t n;
    };

    template <std::size_t K, class Code>
    static void one(const Code* codes, const Rows& rows, std::size_t k, std::uint32_t* table) {
        const std::size_t step = K == 0 ? k : K;
        for (std::size_t j = 0; j < rows.n; ++j) {
            ++table[rows.offset[j] + codes[rows.row[j]] * step];
        }
    }

    template <std::size_t K, class Code>
    static void two(const Code* first, const Code* second, const Rows& rows, std::size_t k,
                    std::uint32_t* table, std::uint32_t* other) {
        const std::size_t step = K == 0 ? k : K;
        for (std::size_t j = 0; j < rows.n; ++j) {
            const std::size_t row = rows.row[j];
            const std::size_t offset = rows.offset[j];
            ++table[offset + first[row] * step];
            ++other[offset + second[row] * step];
        }
    }

    // Do work with the number of classes, known to the compiler where there are few.
    template <class Work>
    void with_classes(const Work& work) const {
        switch (k_) {
            case 2:
                return work.template operator()<2>();
            case 3:
                return work.template operator()<3>();
            default:
                return work.template operator()<0>();
        }
    }

    void add(CodeView codes, const Rows& rows, std::uint32_t* table) const {
        with_classes([&]<std::size_t K>() {
            if (codes.bytes != nullptr) {
                one<K>(codes.bytes, rows, k_, table);
            } else {
                one<K>(codes.shorts, rows, k_, table);
            }
        });
    }

    void add_both(CodeView first, CodeView second, const Rows& rows, std::uint32_t* table,
                  std::uint32_t* other) const {
        if ((first.bytes == nullptr) != (second.bytes == nullptr)) {
            add(first, rows, table);
            add(second, rows, other);
            return;
        }
        with_classes([&]<std::size_t K>() {
            if (first.bytes != nullptr) {
                two<K>(first.bytes, second.bytes, rows, k_, table, other);
            } else {
                two<K>(first.shorts, second.shorts, rows, k_, table, other);
            }
        });
    }

    std::vector<Shape> shapes_;
    std::vector<Shape> alone_;
    std::size_t k_;
};

}  // namespace penjing
