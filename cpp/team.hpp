// A few threads that share out numbered pieces of work; the caller is one of them.
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

// Called now and then by the thread that asked; throws to stop the growth.
using Poll = std::function<void()>;

class Team {
  public:
    explicit Team(int size) {
        threads_.reserve(static_cast<std::size_t>(std::max(size, 1)));
        for (int worker = 1; worker < size; ++worker) {
            try {
                threads_.emplace_back([this, worker] { serve(worker); });
            } catch (const std::system_error&) {
                break;  // the system gives no more threads: those we have do the work
            }
        }
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        quit_.store(true);
        round_.fetch_add(1);
        round_.notify_all();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

    // Do work(piece, worker) for every piece; the first exception is thrown again here.
    void run(std::size_t n_pieces, const std::function<void(std::size_t, int)>& work) {
        if (threads_.empty() || n_pieces < 2) {
            for (std::size_t piece = 0; piece < n_pieces; ++piece) {
                work(piece, 0);
            }
            return;
        }
        work_ = &work;
        n_pieces_ = n_pieces;
        next_.store(0);
        busy_.store(static_cast<int>(threads_.size()));
        round_.fetch_add(1);
        round_.notify_all();
        take(0);
        for (int spin = 0; busy_.load(std::memory_order_acquire) > 0; ++spin) {
            if (spin > spins) {
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
    static constexpr int spins = 4000;

    void take(int worker) {
        try {
            for (std::size_t piece = next_.fetch_add(1); piece < n_pieces_;
                 piece = next_.fetch_add(1)) {
                (*work_)(piece, worker);
            }
        } catch (...) {
            const std::lock_guard lock(failing_);
            if (!failure_) {
                failure_ = std::current_exception();
            }
            next_.store(n_pieces_);
        }
    }

    void serve(int worker) {
        std::uint32_t seen = 0;
        for (;;) {
            for (int spin = 0; round_.load(std::memory_order_acquire) == seen; ++spin) {
                if (spin > spins) {
                    round_.wait(seen);
                }
            }
            seen = round_.load(std::memory_order_acquire);
            if (quit_.load()) {
                return;
            }
            take(worker);
            busy_.fetch_sub(1, std::memory_order_release);
        }
    }

    std::vector<std::thread> threads_;
    const std::function<void(std::size_t, int)>* work_ = nullptr;
    std::size_t n_pieces_ = 0;
    alignas(128) std::atomic<std::size_t> next_{0};
    alignas(128) std::atomic<int> busy_{0};
    alignas(128) std::atomic<std::uint32_t> round_{0};
    std::atomic<bool> quit_{false};
    std::mutex failing_;
    std::exception_ptr failure_;
};

}  // namespace penjing
