// Counts many columns of a block, two at a time if their tables have the same shape.
//
// The position of a row in a table depends on its slot and class, and on its code. The first
// part is the same for all tables of one shape and is computed once. Counting two columns at a
// time overlaps their memory accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "store/counter.hpp"

namespace penjing {

class PairCounter {
  public:
    // `n_codes` gives the number of codes of each column; tables have n_slots slots and k
    // classes.
    PairCounter(const std::vector<std::size_t>& n_codes, std::size_t n_slots, std::size_t k)
        : k_(k) {
        for (std::size_t c = 0; c < n_codes.size(); ++c) {
            const std::size_t size = n_slots * n_codes[c] * k;
            if (size > std::numeric_limits<std::uint32_t>::max()) {
                oversized_.push_back({n_codes[c], {c}});  // too large for 32-bit offsets
                continue;
            }
            std::size_t shape = 0;
            while (shape < shapes_.size() && shapes_[shape].n_codes != n_codes[c]) {
                ++shape;
            }
            if (shape == shapes_.size()) {
                shapes_.push_back({n_codes[c], {}});
            }
            shapes_[shape].columns.push_back(c);
        }
    }

    // Add the selected rows to the tables; codes(c) are the codes of column c in the block.
    template <class Codes, class Tables>
    void count(const Codes& codes, const SelectedRows& selected,
               std::vector<std::uint32_t>& offset, Tables& tables) const {
        for (const Shape& shape : oversized_) {
            const std::size_t c = shape.columns.front();
            count_rows(codes(c), selected, shape.n_codes, k_, tables[c].data());
        }
        if (offset.size() < selected.size()) {
            offset.resize(selected.row.size());
        }
        for (const Shape& shape : shapes_) {
            const auto stride = static_cast<std::uint32_t>(shape.n_codes * k_);
            for (std::size_t j = 0; j < selected.size(); ++j) {
                offset[j] = selected.slot[j] * stride + selected.class_[j];
            }
            const Rows rows{selected.row.data(), offset.data(), selected.size()};
            std::size_t i = 0;
            while (i < shape.columns.size()) {
                const std::size_t c = shape.columns[i++];
                const CodeView column_codes = codes(c);
                if (i == shape.columns.size()) {
                    count_column(column_codes, rows, tables[c].data());
                    break;
                }
                const std::size_t second = shape.columns[i++];
                count_columns(column_codes, codes(second), rows, tables[c].data(),
                              tables[second].data());
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
    static void count_one(const Code* codes, const Rows& rows, std::size_t k,
                          std::uint32_t* table) {
        const std::size_t step = K == 0 ? k : K;
        for (std::size_t j = 0; j < rows.n; ++j) {
            ++table[rows.offset[j] + codes[rows.row[j]] * step];
        }
    }

    template <std::size_t K, class Code>
    static void count_two(const Code* first, const Code* second, const Rows& rows,
                          std::size_t k, std::uint32_t* table, std::uint32_t* second_table) {
        const std::size_t step = K == 0 ? k : K;
        for (std::size_t j = 0; j < rows.n; ++j) {
            const std::size_t row = rows.row[j];
            const std::size_t offset = rows.offset[j];
            ++table[offset + first[row] * step];
            ++second_table[offset + second[row] * step];
        }
    }

    // Call work with the number of classes as a template argument, 0 if it is above three.
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

    void count_column(CodeView codes, const Rows& rows, std::uint32_t* table) const {
        with_classes([&]<std::size_t K>() {
            if (codes.bytes != nullptr) {
                count_one<K>(codes.bytes, rows, k_, table);
            } else {
                count_one<K>(codes.shorts, rows, k_, table);
            }
        });
    }

    void count_columns(CodeView first, CodeView second, const Rows& rows, std::uint32_t* table,
                       std::uint32_t* second_table) const {
        if ((first.bytes == nullptr) != (second.bytes == nullptr)) {
            count_column(first, rows, table);
            count_column(second, rows, second_table);
            return;
        }
        with_classes([&]<std::size_t K>() {
            if (first.bytes != nullptr) {
                count_two<K>(first.bytes, second.bytes, rows, k_, table, second_table);
            } else {
                count_two<K>(first.shorts, second.shorts, rows, k_, table, second_table);
            }
        });
    }

    std::vector<Shape> shapes_;
    std::vector<Shape> oversized_;
    std::size_t k_;
};

}  // namespace penjing
