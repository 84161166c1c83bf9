// Shared by all bindings: NumPy arrays in and out without a copy, reading columns, and polling
// for Ctrl-C while C++ works.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "base/view.hpp"
#include "grow/request.hpp"

namespace penjing {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <class T>
View<T> view(const In<T>& array) {
    return {array.data(), array.size()};
}

// Moves a container into a capsule that deletes it.
template <class Container>
nb::capsule make_owner(Container&& values) {
    return {new Container(std::move(values)),
            [](void* p) noexcept { delete static_cast<Container*>(p); }};
}

// The memory moves into the array, and NumPy frees it.
template <class T>
Out<T> to_numpy(std::vector<T>&& values) {
    T* data = values.data();
    const std::size_t size = values.size();
    return Out<T>(data, {size}, make_owner(std::move(values)));
}
template <class T>
Out<T> to_numpy(Buffer<T>&& values) {
    T* data = values.data();
    const std::size_t size = values.size();
    return Out<T>(data, {size}, make_owner(std::move(values)));
}

// Python objects whose memory C++ reads, so that they live as long as the work.
using References = std::vector<nb::object>;

// The data of an array of `size` values, which is added to the references.
template <class T>
const T* pointer(References& references, nb::handle array, std::size_t size) {
    auto values = nb::cast<In<T>>(array, false);
    if (values.size() != size) {
        throw nb::value_error("every column must have as many rows as the table");
    }
    references.push_back(nb::borrow(array));
    return values.data();
}

// The same; null for None.
template <class T>
const T* pointer_or_null(References& references, nb::handle array, std::size_t size) {
    return array.is_none() ? nullptr : pointer<T>(references, array, size);
}

// A coded column from the tuple (codes, values of the codes or None, n_codes, …).
inline GrowColumn coded_column(References& references, const nb::tuple& parts,
                               std::size_t n_rows) {
    GrowColumn column;
    column.codes = pointer<std::int32_t>(references, parts[0], n_rows);
    column.n_levels = nb::cast<std::int32_t>(parts[2]);
    column.levels = pointer_or_null<double>(references, parts[1],
                                            static_cast<std::size_t>(column.n_levels));
    return column;
}

// A callback that, at most every 50 ms, raises a pending KeyboardInterrupt and reports
// progress.
inline PollCallback poll_python(const Progress* progress = nullptr, nb::handle report = {}) {
    using clock = std::chrono::steady_clock;
    return [last = clock::now(), progress, report]() mutable {
        if (clock::now() - last < std::chrono::milliseconds(50)) {
            return;
        }
        last = clock::now();
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        if (progress != nullptr && report.is_valid() && !report.is_none()) {
            report(progress->rows_scanned.load(), progress->rows_in_leaves.load(),
                   progress->n_leaves.load());
        }
    };
}

}  // namespace penjing
