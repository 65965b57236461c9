// Which instruction sets this processor has, asked once. Every fast path has a plain one that gives
// the same bits.
#pragma once

namespace assay {

/// AVX2 and FMA are both there, and the environment variable ASSAY_SIMD is not "none" (how tests
/// reach the plain path).
bool cpu_has_avx2();
/// AVX2 plus half-precision conversion.
bool cpu_has_f16c();

}  // namespace assay
