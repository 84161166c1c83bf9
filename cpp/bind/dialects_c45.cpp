// Binds dialects/c45: growing trees as in C4.5 and J48.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include "bind/grow_request.hpp"
#include "dialects/c45.hpp"
#include "dialects/c45_cases.hpp"
#include "grow/driver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A column has a fifth part: whether it takes part in the average gain.
nb::dict grow_c45(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    penjing::GrowCall<penjing::C45Request> call(columns, given, recipe);
    penjing::C45Request& request = call.request;
    for (nb::handle column : columns) {
        const auto parts = nb::cast<nb::tuple>(column);
        request.in_average.push_back(nb::cast<bool>(parts[4]) ? 1 : 0);
    }
    request.fraction = call.flag("fraction");
    request.single = call.flag("single");
    request.by_ratio = call.flag("by_ratio");
    request.cut_cost = call.flag("cut_cost");
    request.cut_at_value = call.flag("cut_at_value");
    request.low_memory = call.flag("lean");
    request.min_weight = call.number("min_weight");
    request.min_branch = call.number("min_branch");
    request.tolerance = call.number("tolerance");
    request.gap = call.number("gap");
    request.side_share = call.number("side_share");
    request.side_most = call.number("side_most");
    request.cut_tolerance = call.number("cut_tolerance");
    request.slack = call.number("slack");
    request.start = call.number("start");
    request.tie = call.number("tie");
    const bool is_case_order = call.flag("cases");
    return penjing::to_dict(call.run([&](auto& pool, const auto& poll) {
        return is_case_order
                   ? penjing::grow(request, penjing::C45CaseKernel(request), pool, poll)
                   : penjing::grow(request, penjing::C45Kernel(request), pool, poll);
    }));
}

}  // namespace

void bind_dialects_c45(nb::module_& m) {
    m.def("grow_c45", &grow_c45, "columns"_a, "given"_a, "recipe"_a,
          "Grow a whole tree by the rules of C4.5 and J48.");
}
