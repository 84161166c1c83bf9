// Threads that share numbered tasks: a pool for many short rounds, its serial counterpart, and
// a parallel loop over rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace penjing {

// Called from time to time by the calling thread; throws to stop the work.
using PollCallback = std::function<void()>;

// The calling thread takes part in the work: it is thread 0.
class ThreadPool {
  public:
    explicit ThreadPool(int size) {
        threads_.reserve(static_cast<std::size_t>(std::max(size, 1)));
        for (int thread = 1; thread < size; ++thread) {
            try {
                threads_.emplace_back([this, thread] { serve(thread); });
            } catch (const std::system_error&) {
                break;  // the system allows no more threads: go on with those there are
            }
        }
    }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    ~ThreadPool() {
        quit_.store(true);
        round_.fetch_add(1);
        round_.notify_all();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

    // Call work(task, thread) for every task and wait; the first exception is rethrown here.
    void run(std::size_t n_tasks, const std::function<void(std::size_t, int)>& work) {
        if (threads_.empty() || n_tasks < 2) {
            for (std::size_t task = 0; task < n_tasks; ++task) {
                work(task, 0);
            }
            return;
        }
        work_ = &work;
        n_tasks_ = n_tasks;
        next_.store(0);
        busy_.store(static_cast<int>(threads_.size()));
        round_.fetch_add(1);
        round_.notify_all();
        run_tasks(0);
        for (int spin = 0; busy_.load(std::memory_order_acquire) > 0; ++spin) {
            if (spin > max_spins) {
                std::this_thread::yield();
            }
        }
        if (failure_) {
            std::exception_ptr failure = failure_;
            failure_ = nullptr;
            std::rethrow_exception(failure);
        }
    }

  private:
    static constexpr int max_spins = 4000;  // before a thread sleeps: rounds follow closely

    void run_tasks(int thread) {
        try {
            for (std::size_t task = next_.fetch_add(1); task < n_tasks_;
                 task = next_.fetch_add(1)) {
                (*work_)(task, thread);
            }
        } catch (...) {
            const std::lock_guard lock(failure_mutex_);
            if (!failure_) {
                failure_ = std::current_exception();
            }
            next_.store(n_tasks_);
        }
    }

    void serve(int thread) {
        std::uint32_t last_round = 0;
        for (;;) {
            for (int spin = 0; round_.load(std::memory_order_acquire) == last_round; ++spin) {
                if (spin > max_spins) {
                    round_.wait(last_round);
                }
            }
            last_round = round_.load(std::memory_order_acquire);
            if (quit_.load()) {
                return;
            }
            run_tasks(thread);
            busy_.fetch_sub(1, std::memory_order_release);
        }
    }

    std::vector<std::thread> threads_;
    const std::function<void(std::size_t, int)>* work_ = nullptr;
    std::size_t n_tasks_ = 0;
    // On cache lines of their own: every thread writes to them.
    alignas(128) std::atomic<std::size_t> next_{0};
    alignas(128) std::atomic<int> busy_{0};
    alignas(128) std::atomic<std::uint32_t> round_{0};
    std::atomic<bool> quit_{false};
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
};

// Same interface as ThreadPool, but runs inline: no std::function, no atomics. Work is told
// thread -1, which stands for the scratch memory of the caller.
struct SerialPool {
    template <class Work>
    void run(std::size_t n_tasks, Work&& work) const {
        for (std::size_t task = 0; task < n_tasks; ++task) {
            work(task, -1);
        }
    }
    [[nodiscard]] static int size() { return 1; }
};

// Call body(begin, end) for blocks of `grain` rows that together are [0, n). No block may
// depend on another, so that the result is the same for any number of threads.
//
// Starting a thread costs tens of microseconds, so there is at most one per block. The first
// exception of any block is rethrown here, after all threads have ended.
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, int threads, const Body& body) {
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
    std::mutex failure_mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            for (std::size_t block = next++; block < n_blocks; block = next++) {
                body(block * grain, std::min(n, (block + 1) * grain));
            }
        } catch (...) {
            next = n_blocks;  // no thread starts another block
            const std::scoped_lock lock(failure_mutex);
            if (!failure) {
                failure = std::current_exception();
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
                break;  // as in ThreadPool
            }
        }
        work();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace penjing
