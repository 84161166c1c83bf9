// Which instructions this machine has, asked once. Kernels with their own instructions carry a
// target attribute, so one build serves every machine.
#pragma once

#if (defined(__x86_64__) || defined(_M_X64)) && (defined(__GNUC__) || defined(__clang__))
#define PENJING_X86 1
#if defined(__GNUC__) && !defined(__clang__)
// GCC's own intrinsics start from a deliberately undefined vector.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#define PENJING_WIDE                                                                 \
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

// PENJING_SIMD=avx2 or =portable asks for less than the machine has, to try what others get.
inline bool may_use(const char* least) {
    const char* most = std::getenv("PENJING_SIMD");
    return most == nullptr || std::strcmp(most, least) == 0 || std::strcmp(most, "avx512") == 0;
}

inline bool has_avx2() {
#if PENJING_X86
    static const bool answer = [] {
        __builtin_cpu_init();
        return may_use("avx2") && __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    }();
    return answer;
#else
    return false;
#endif
}

inline bool has_wide() {
#if PENJING_X86
    static const bool answer = [] {
        __builtin_cpu_init();
        return may_use("avx512") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512vpopcntdq") &&
               __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("bmi2");
    }();
    return answer;
#else
    return false;
#endif
}

}  // namespace penjing
