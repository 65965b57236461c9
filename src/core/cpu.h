// Which instruction sets this processor has, asked once. Every fast path has a plain one that gives
// the same bits.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

/// AVX2 and FMA are both there, and the environment variable ASSAY_SIMD is not "none" (how tests
/// reach the plain path).
bool cpu_has_avx2();
/// AVX2 plus half-precision conversion.
bool cpu_has_f16c();

/// What the processor calls itself ("AMD EPYC 7763 64-Core Processor"), from /proc/cpuinfo; the
/// architecture where it does not say.
std::string cpu_name();
/// The widest vector instructions that the processor has ("avx512f", "avx2", "sse2"): what a tensor
/// library chooses its kernels by. "none" where they are switched off by ASSAY_SIMD.
std::string cpu_instruction_set();

/// Bytes of memory that this machine has; 0 where it does not say.
std::uint64_t physical_memory();

}  // namespace assay
