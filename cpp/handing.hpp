// What every binding needs: arrays of Python looked at without a copy, answers handed over
// without one, and Ctrl-C seen while C++ works.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "grown.hpp"
#include "team.hpp"
#include "view.hpp"

namespace penjing {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

// The vector moves into the array: NumPy frees it.
template <class T>
Out<T> hand_over(std::vector<T>&& values) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    T* data = kept->data();
    const std::size_t size = kept->size();
    nb::capsule owner(kept.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(data, {size}, owner);
}

// And so does a buffer.
template <class T>
nb::capsule keep(Buffer<T>&& values) {
    return {new Buffer<T>(std::move(values)),
            [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); }};
}
template <class T>
Out<T> hand_over(Buffer<T>&& values) {
    T* data = values.data();
    const std::size_t size = values.size();
    return Out<T>(data, {size}, keep(std::move(values)));
}

// Where an array lies; `kept` keeps it alive.
template <class T>
const T* pointer(std::vector<nb::object>& kept, nb::handle array, std::size_t size) {
    auto view = nb::cast<In<T>>(array, false);
    if (view.size() != size) {
        throw nb::value_error("every column must have as many rows as the table");
    }
    kept.push_back(nb::borrow(array));
    return view.data();
}

// The same, and null for None.
template <class T>
const T* pointer_or_null(std::vector<nb::object>& kept, nb::handle array, std::size_t size) {
    return array.is_none() ? nullptr : pointer<T>(kept, array, size);
}

// Between two nodes, at most every 50 ms: Ctrl-C is seen, and whoever waits is told how far it
// is.
inline Poll signals(const Pace* pace = nullptr, nb::handle progress = {}) {
    using clock = std::chrono::steady_clock;
    return [last = clock::now(), pace, progress]() mutable {
        if (clock::now() - last < std::chrono::milliseconds(50)) {
            return;
        }
        last = clock::now();
        nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        if (pace != nullptr && progress.is_valid() && !progress.is_none()) {
            progress(pace->row_levels.load(), pace->placed.load(), pace->leaves.load());
        }
    };
}

}  // namespace penjing
