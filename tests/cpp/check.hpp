// A minimal test framework: CHECK reports the line that fails, and finish() the number of
// checks.
#pragma once

#include <atomic>
#include <cstdio>
#include <exception>

namespace check {

inline std::atomic<int> held{0};  // kernels check in several threads
inline std::atomic<int> failed{0};

inline void that(bool holds, const char* claim, const char* file, int line) {
    if (holds) {
        ++held;
    } else {
        ++failed;
        std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, claim);
    }
}

template <class Error, class Body>
bool throws(const Body& body) {
    try {
        body();
    } catch (const Error&) {
        return true;
    } catch (...) {
        return false;
    }
    return false;
}

inline int finish() {
    std::printf("%d checks held, %d failed\n", held.load(), failed.load());
    return failed == 0 ? 0 : 1;
}

}  // namespace check

#define CHECK(claim) check::that(static_cast<bool>(claim), #claim, __FILE__, __LINE__)
