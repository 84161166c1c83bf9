// Compares the block counter with counting row by row: one and two bytes, sums of blocks,
// weights, moments, and invalid input.
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "store/counter.hpp"

using penjing::CodeView;
using penjing::SelectedRows;

namespace {

constexpr std::size_t n_slots = 3, n_codes = 300, k = 4;

struct Block {
    std::vector<std::uint16_t> codes;
    std::vector<std::uint8_t> classes;
    std::vector<std::int32_t> slots;
    std::vector<double> weight, y;

    Block(unsigned seed, std::size_t n) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < n; ++i) {
            codes.push_back(static_cast<std::uint16_t>(random() % n_codes));
            classes.push_back(static_cast<std::uint8_t>(random() % k));
            slots.push_back(static_cast<std::int32_t>(random() % (n_slots + 1)) - 1);
            weight.push_back(static_cast<double>(random()) / 1e9);
            y.push_back(static_cast<double>(random()) / 1e9 - 2);
        }
    }
    [[nodiscard]] SelectedRows selected(std::size_t from, std::size_t n) const {
        return penjing::select_rows(
            slots.data() + from, CodeView{classes.data() + from, nullptr}, true, n, n_slots, k);
    }
    [[nodiscard]] CodeView view() const { return {nullptr, codes.data()}; }
    [[nodiscard]] std::size_t cell(std::size_t row) const {
        return static_cast<std::size_t>(slots[row]) * n_codes + codes[row];
    }
};

void rows_count_one_each_and_blocks_add_up() {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
        const Block block(7, n);
        std::vector<std::int64_t> whole(n_slots * n_codes * k, 0), parts = whole, hand = whole;
        penjing::count_rows(block.view(), block.selected(0, n), n_codes, k, whole.data());
        const std::size_t half = n / 3;
        penjing::count_rows(block.view().from(half), block.selected(half, n - half), n_codes, k,
                            parts.data());
        penjing::count_rows(block.view(), block.selected(0, half), n_codes, k, parts.data());
        for (std::size_t row = 0; row < n; ++row) {
            if (block.slots[row] >= 0) {
                ++hand[block.cell(row) * k + block.classes[row]];
            }
        }
        CHECK(whole == hand);
        CHECK(parts == hand);
    }
}

void codes_of_one_byte_are_counted_as_those_of_two() {
    const Block block(9, 2000);
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint16_t> shorts;
    for (const std::uint16_t code : block.codes) {
        bytes.push_back(static_cast<std::uint8_t>(code % 256));
        shorts.push_back(code % 256);
    }
    std::vector<std::uint32_t> one(n_slots * 256 * k, 0), two = one;
    const SelectedRows selected = block.selected(0, 2000);
    penjing::count_rows(CodeView{bytes.data(), nullptr}, selected, 256, k, one.data());
    penjing::count_rows(CodeView{nullptr, shorts.data()}, selected, 256, k, two.data());
    CHECK(one == two);
}

// Bit for bit: rows are added in order, also across blocks.
void weights_and_moments_are_added_in_the_order_of_rows() {
    const std::size_t n = 4000, half = 1111;
    const Block block(11, n);
    std::vector<double> weights(n_slots * n_codes * k, 0.0), by_hand = weights;
    std::vector<double> moments(n_slots * n_codes * 3, 0.0), sums = moments;
    const auto add = [&](std::size_t from, std::size_t size) {
        const SelectedRows selected = block.selected(from, size);
        const CodeView codes = block.view().from(from);
        penjing::add_rows(codes, selected, block.weight.data() + from, nullptr, n_codes, k,
                          weights.data());
        penjing::add_rows(codes, selected, block.weight.data() + from, block.y.data() + from,
                          n_codes, k, moments.data());
    };
    add(0, half);
    add(half, n - half);
    for (std::size_t row = 0; row < n; ++row) {
        if (block.slots[row] >= 0) {
            const double w = block.weight[row];
            const double wy = w * block.y[row];
            by_hand[block.cell(row) * k + block.classes[row]] += w;
            double* cell = sums.data() + block.cell(row) * 3;
            cell[0] += w;
            cell[1] += wy;
            cell[2] += wy * block.y[row];
        }
    }
    CHECK(weights == by_hand);
    CHECK(moments == sums);
}

void what_is_not_below_its_number_is_refused() {
    Block block(13, 50);
    const auto selected = [&] { return block.selected(0, 50); };
    block.slots.assign(50, -1);
    block.slots[20] = 0;
    block.codes.assign(50, n_codes);  // rows without a slot
    block.codes[20] = n_codes - 1;
    penjing::check_codes(block.view(), selected(), n_codes);
    CHECK(selected().size() == 1);
    block.codes[20] = n_codes;
    CHECK(check::throws<std::out_of_range>(
        [&] { penjing::check_codes(block.view(), selected(), n_codes); }));
    block.slots[20] = static_cast<std::int32_t>(n_slots);
    CHECK(check::throws<std::out_of_range>([&] { (void)selected(); }));
    block.slots[20] = 0;
    block.classes[20] = k;
    CHECK(check::throws<std::out_of_range>([&] { (void)selected(); }));
}

}  // namespace

int main() {
    rows_count_one_each_and_blocks_add_up();
    codes_of_one_byte_are_counted_as_those_of_two();
    weights_and_moments_are_added_in_the_order_of_rows();
    what_is_not_below_its_number_is_refused();
    return check::finish();
}
