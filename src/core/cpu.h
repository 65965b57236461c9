// The instruction sets of this processor, detected once. Every fast path has a plain counterpart
// that gives the same bits.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

/// True if the processor has AVX2 and FMA, unless the environment variable ASSAY_SIMD is "none".
/// Tests use that value to reach the plain path.
bool cpu_has_avx2();
/// True if the processor has AVX2 and half-precision conversion.
bool cpu_has_f16c();

/// The processor's name for itself ("AMD EPYC 7763 64-Core Processor"), from /proc/cpuinfo, or the
/// architecture if that file has none.
std::string cpu_name();
/// The widest vector instructions that the processor has ("avx512f", "avx2", "sse2"). Tensor
/// libraries choose their kernels by these. "none" if ASSAY_SIMD switches them off.
std::string cpu_instruction_set();

/// The machine's memory in bytes, or 0 if it is not known.
std::uint64_t physical_memory();

}  // namespace assay
