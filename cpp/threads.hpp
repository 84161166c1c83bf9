// Work on a range of rows, dealt to threads in blocks. Whoever calls makes sure that no block
// depends on another, so the answer is the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace penjing {

// Call body(begin, end) for blocks of `grain` rows that together are [0, n).
//
// A thread costs tens of microseconds, so there is at most one per block. The first exception
// of any block is thrown again here, after all threads have ended.
template <class Body>
void in_parallel(std::size_t n, std::size_t grain, int threads, const Body& body) {
    const std::size_t n_blocks = (n + grain - 1) / grain;
    const std::size_t n_threads =
        std::min(n_blocks, static_cast<std::size_t>(std::max(threads, 1)));
    if (n_threads <= 1) {
        if (n > 0) {
            body(std::size_t{0}, n);
        }
        return;
    }
    std::atomic<std::size_t> next{0};
    std::mutex door;
    std::exception_ptr problem;
    const auto work = [&] {
        try {
            for (std::size_t block = next++; block < n_blocks; block = next++) {
                body(block * grain, std::min(n, (block + 1) * grain));
            }
        } catch (...) {
            next = n_blocks;  // nobody need start another block
            const std::scoped_lock lock(door);
            if (!problem) {
                problem = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        others.reserve(n_threads - 1);
        for (std::size_t i = 1; i < n_threads; ++i) {
            try {
                others.emplace_back(work);
            } catch (const std::system_error&) {
                break;  // the system gives no more threads: those we have do the work
            }
        }
        work();
    }
    if (problem) {
        std::rethrow_exception(problem);
    }
}

}  // namespace penjing
