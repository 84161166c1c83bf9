// Counts rows of coded blocks: what each (node, code, class) of a column adds up to.
//
// A block is some rows: for each column one code a row (one or two bytes, each below the
// column's `n_codes`), the class of each row (one or two bytes), and the slot of the row's
// node, -1 where nobody asks about it. The table of a column is [slot][code][class]. What is
// promised:
//   * tables of whole numbers: those of blocks add up, in any order, to that of all rows;
//   * with weights, or a number as target, cells are doubles to which the rows of the block are
//     added one after the other in their order; a number's cells are (w, wy, wy^2) as in
//     tally.py;
//   * a code that is not below n_codes, a class not below n_classes, a slot not below n_slots
//     are refused, never counted elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace penjing {

// One array of codes, of one or of two bytes.
struct CodeView {
    const std::uint8_t* bytes = nullptr;
    const std::uint16_t* shorts = nullptr;

    [[nodiscard]] std::size_t operator[](std::size_t i) const {
        return bytes != nullptr ? bytes[i] : shorts[i];
    }
    [[nodiscard]] CodeView from(std::size_t i) const {
        return {bytes == nullptr ? nullptr : bytes + i,
                shorts == nullptr ? nullptr : shorts + i};
    }
};

// The rows of a block that are asked about: where they are, and where in a table they go.
struct Asked {
    std::vector<std::uint32_t> row, slot, class_;
    std::size_t n = 0;

    void clear(std::size_t most) {
        n = 0;
        if (row.size() < most) {
            row.resize(most);
            slot.resize(most);
            class_.resize(most);
        }
    }
    // Those of n_rows rows that have a slot; no branch that could be guessed wrong.
    template <class SlotOf, class ClassOf>
    void fill(std::size_t n_rows, const SlotOf& slot_of, const ClassOf& class_of) {
        clear(n_rows + 1);
        std::size_t found = 0;
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::int32_t in = slot_of(i);
            row[found] = static_cast<std::uint32_t>(i);
            slot[found] = static_cast<std::uint32_t>(in);
            class_[found] = static_cast<std::uint32_t>(class_of(i));
            found += in >= 0 ? 1 : 0;
        }
        n = found;
    }
    [[nodiscard]] std::size_t size() const { return n; }
};

namespace detail {

template <class Code, class Cell>
void count_codes(const Code* codes, const Asked& asked, std::size_t n_codes, std::size_t k,
                 Cell* table) {
    const std::size_t n = asked.size();
    const std::size_t stride = n_codes * k;
    const std::uint32_t* row = asked.row.data();
    const std::uint32_t* slot = asked.slot.data();
    const std::uint32_t* class_ = asked.class_.data();
    for (std::size_t j = 0; j < n; ++j) {
        ++table[slot[j] * stride + codes[row[j]] * k + class_[j]];
    }
}

}  // namespace detail

// Rows that count one each; codes must have been checked.
template <class Cell>
void count_rows(CodeView codes, const Asked& asked, std::size_t n_codes, std::size_t k,
                Cell* table) {
    if (codes.bytes != nullptr) {
        detail::count_codes(codes.bytes, asked, n_codes, k, table);
    } else {
        detail::count_codes(codes.shorts, asked, n_codes, k, table);
    }
}

inline void check_codes(CodeView codes, const Asked& asked, std::size_t n_codes) {
    std::size_t most = 0;
    for (std::size_t j = 0; j < asked.size(); ++j) {
        most = std::max(most, codes[asked.row[j]]);
    }
    if (asked.size() > 0 && most >= n_codes) {
        throw std::out_of_range("a code is not below n_codes");
    }
}

// Rows that weigh something: one class cell each; or, with `y`, three moments.
inline void add_rows(CodeView codes, const Asked& asked, const double* weight, const double* y,
                     std::size_t n_codes, std::size_t k, double* table) {
    const std::size_t size = y == nullptr ? k : 3;
    for (std::size_t j = 0; j < asked.size(); ++j) {
        const std::size_t row = asked.row[j];
        const double w = weight == nullptr ? 1.0 : weight[row];
        double* cell = table + (asked.slot[j] * n_codes + codes[row]) * size;
        if (y == nullptr) {
            cell[asked.class_[j]] += w;
        } else {
            const double wy = w * y[row];
            cell[0] += w;
            cell[1] += wy;
            cell[2] += wy * y[row];
        }
    }
}

// The rows of a block whose slot is not -1.
inline Asked asked_rows(const std::int32_t* slots, CodeView target, bool has_target,
                        std::size_t n, std::size_t n_slots, std::size_t k) {
    Asked asked;
    asked.fill(
        n, [&](std::size_t i) { return slots[i]; },
        [&](std::size_t i) { return has_target ? target[i] : 0; });
    for (std::size_t j = 0; j < asked.size(); ++j) {
        if (asked.slot[j] >= n_slots || (has_target && asked.class_[j] >= k)) {
            throw std::out_of_range("a slot or a class is not below its number");
        }
    }
    return asked;
}

}  // namespace penjing
