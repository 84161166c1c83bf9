// Which vector instructions this machine has, detected once. Functions that use them carry a
// target attribute, so that one build runs on every machine.
#pragma once

#if (defined(__x86_64__) || defined(_M_X64)) && (defined(__GNUC__) || defined(__clang__))
#define PENJING_X86 1
#if defined(__GNUC__) && !defined(__clang__)
// GCC's own intrinsics start from a deliberately undefined vector.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#define PENJING_AVX512                                                               \
    __attribute__((                                                                  \
        target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2," \
               "avx512vpopcntdq,avx512bitalg,bmi,bmi2,popcnt,lzcnt")))
#define PENJING_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#else
#define PENJING_X86 0
#endif

#include <cstdlib>
#include <cstring>

namespace penjing {

// PENJING_SIMD=avx2 or =portable restricts the instructions that are used, to test the code for
// other machines.
inline bool is_allowed(const char* level) {
    const char* limit = std::getenv("PENJING_SIMD");
    return limit == nullptr || std::strcmp(limit, level) == 0 ||
           std::strcmp(limit, "avx512") == 0;
}

inline bool has_avx2() {
#if PENJING_X86
    static const bool available = [] {
        __builtin_cpu_init();
        return is_allowed("avx2") && __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    }();
    return available;
#else
    return false;
#endif
}

inline bool has_avx512() {
#if PENJING_X86
    static const bool available = [] {
        __builtin_cpu_init();
        return is_allowed("avx512") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512vpopcntdq") &&
               __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("bmi2");
    }();
    return available;
#else
    return false;
#endif
}

}  // namespace penjing
