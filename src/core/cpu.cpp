#include "core/cpu.h"

#include <cstdlib>
#include <string_view>

namespace assay {
namespace {

bool simd_allowed() {
    const char* setting = std::getenv("ASSAY_SIMD");
    return setting == nullptr || std::string_view(setting) != "none";
}

}  // namespace

#if defined(__x86_64__) || defined(__i386__)
bool cpu_has_avx2() {
    static const bool has =
        simd_allowed() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
}
bool cpu_has_f16c() {
    // GCC 12 and later know the name "f16c"; every processor with AVX2 that was ever sold has the
    // instructions.
    return cpu_has_avx2();
}
#else
bool cpu_has_avx2() {
    return false;
}
bool cpu_has_f16c() {
    return false;
}
#endif

}  // namespace assay
