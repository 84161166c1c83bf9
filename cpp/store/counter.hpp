// Counts the rows of coded blocks by (node, code, class).
//
// A block holds, for each column, one code per row (one or two bytes, below the column's
// `n_codes`), the class of each row (one or two bytes), and the slot of the row's node, -1 if
// its rows are not counted. The table of a column is [slot][code][class]. Guarantees:
// * Tables of integers: the tables of blocks add up, in any order, to that of all rows.
// * With weights, or a numeric target, cells are doubles, to which the rows of the block are
//   added in row order. The cells of a numeric target are (w, wy, wy^2), as in tally.py.
// * A code, class or slot that is out of range is an error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace penjing {

// An array of one-byte or two-byte codes.
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

// The rows of a block that are counted, with their slots and classes.
struct SelectedRows {
    std::vector<std::uint32_t> row, slot, class_;
    std::size_t n = 0;

    void reserve(std::size_t max_rows) {
        n = 0;
        if (row.size() < max_rows) {
            row.resize(max_rows);
            slot.resize(max_rows);
            class_.resize(max_rows);
        }
    }
    // Select the rows that have a slot. Branch-free: the branch would be unpredictable.
    template <class SlotOf, class ClassOf>
    void fill(std::size_t n_rows, const SlotOf& slot_of, const ClassOf& class_of) {
        reserve(n_rows + 1);
        std::size_t n_selected = 0;
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::int32_t slot_index = slot_of(i);
            row[n_selected] = static_cast<std::uint32_t>(i);
            slot[n_selected] = static_cast<std::uint32_t>(slot_index);
            class_[n_selected] = static_cast<std::uint32_t>(class_of(i));
            n_selected += slot_index >= 0 ? 1 : 0;
        }
        n = n_selected;
    }
    [[nodiscard]] std::size_t size() const { return n; }
};

namespace detail {

template <class Code, class Cell>
void count_codes(const Code* codes, const SelectedRows& selected, std::size_t n_codes,
                 std::size_t k, Cell* table) {
    const std::size_t n = selected.size();
    const std::size_t stride = n_codes * k;
    const std::uint32_t* row = selected.row.data();
    const std::uint32_t* slot = selected.slot.data();
    const std::uint32_t* class_ = selected.class_.data();
    for (std::size_t j = 0; j < n; ++j) {
        ++table[slot[j] * stride + codes[row[j]] * k + class_[j]];
    }
}

}  // namespace detail

// Count rows of weight one; codes must have been checked.
template <class Cell>
void count_rows(CodeView codes, const SelectedRows& selected, std::size_t n_codes,
                std::size_t k, Cell* table) {
    if (codes.bytes != nullptr) {
        detail::count_codes(codes.bytes, selected, n_codes, k, table);
    } else {
        detail::count_codes(codes.shorts, selected, n_codes, k, table);
    }
}

inline void check_codes(CodeView codes, const SelectedRows& selected, std::size_t n_codes) {
    std::size_t max_code = 0;
    for (std::size_t j = 0; j < selected.size(); ++j) {
        max_code = std::max(max_code, codes[selected.row[j]]);
    }
    if (selected.size() > 0 && max_code >= n_codes) {
        throw std::out_of_range("a code is not below n_codes");
    }
}

// Add weighted rows to the cell of their class or, with `y`, to three moments.
inline void add_rows(CodeView codes, const SelectedRows& selected, const double* weight,
                     const double* y, std::size_t n_codes, std::size_t k, double* table) {
    const std::size_t size = y == nullptr ? k : 3;
    for (std::size_t j = 0; j < selected.size(); ++j) {
        const std::size_t row = selected.row[j];
        const double w = weight == nullptr ? 1.0 : weight[row];
        double* cell = table + (selected.slot[j] * n_codes + codes[row]) * size;
        if (y == nullptr) {
            cell[selected.class_[j]] += w;
        } else {
            const double wy = w * y[row];
            cell[0] += w;
            cell[1] += wy;
            cell[2] += wy * y[row];
        }
    }
}

// The rows of a block whose slot is not -1.
inline SelectedRows select_rows(const std::int32_t* slots, CodeView target, bool has_target,
                                std::size_t n, std::size_t n_slots, std::size_t k) {
    SelectedRows selected;
    selected.fill(
        n, [&](std::size_t i) { return slots[i]; },
        [&](std::size_t i) { return has_target ? target[i] : 0; });
    for (std::size_t j = 0; j < selected.size(); ++j) {
        if (selected.slot[j] >= n_slots || (has_target && selected.class_[j] >= k)) {
            throw std::out_of_range("a slot or a class is not below its number");
        }
    }
    return selected;
}

}  // namespace penjing
