// Binds dialects/sklearn: growing trees as in scikit-learn.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/grow_request.hpp"
#include "bind/ndarray.hpp"
#include "dialects/sklearn.hpp"
#include "grow/driver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using penjing::In;
using penjing::Out;
using penjing::to_numpy;

namespace {

nb::dict grow_sklearn(const nb::list& columns, const nb::dict& given, const nb::dict& recipe) {
    penjing::GrowCall<penjing::SklearnRequest> call(columns, given, recipe);
    penjing::SklearnRequest& request = call.request;
    request.class_weight = call.array<double>("factor", request.n_sums);
    request.is_entropy = call.flag("by_bits");
    request.compare_as_float = call.flag("single");
    request.gap = call.number("gap");
    request.min_samples_split = call.number("min_samples_split");
    request.min_samples_leaf = call.number("min_samples_leaf");
    request.min_weight_share = call.number("min_weight_share");
    request.min_decrease = call.number("min_decrease");
    const auto state = call.setting<std::int64_t>("state");  // -1: columns in the table's order
    request.shuffles = state >= 0;
    request.state = request.shuffles ? static_cast<std::uint32_t>(state) : 0;
    request.max_features = call.setting<std::size_t>("n_looked_at");
    const penjing::Packing packing(request.y == nullptr ? request.n_sums : 2);
    return penjing::to_dict(call.run([&](auto& pool, const auto& poll) {
        using penjing::SklearnKernel;
        return packing.fits_short(request.n_rows)
                   ? penjing::grow(request, SklearnKernel<std::uint32_t>(request), pool, poll)
                   : penjing::grow(request, SklearnKernel<std::uint64_t>(request), pool, poll);
    }));
}

// By the C library, which scikit-learn and rpart call too: NumPy's may differ in the last bit.
Out<double> logs(const In<double>& x) {
    std::vector<double> logarithms(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        logarithms[i] = std::log(x.data()[i]);
    }
    return to_numpy(std::move(logarithms));
}

}  // namespace

void bind_dialects_sklearn(nb::module_& m) {
    m.def("grow_sklearn", &grow_sklearn, "columns"_a, "given"_a, "recipe"_a,
          "Grow a whole tree by scikit-learn's rules.");
    m.def("logs", &logs, nb::arg("x").noconvert(),
          "Return the natural logarithm of each number, by the C library.");
}
