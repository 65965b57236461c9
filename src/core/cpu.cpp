#include "core/cpu.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace assay {

#if defined(__x86_64__) || defined(__i386__)
namespace {

bool simd_allowed() {
    const char* setting = std::getenv("ASSAY_SIMD");
    return setting == nullptr || std::string_view(setting) != "none";
}

}  // namespace

bool cpu_has_avx2() {
    static const bool has =
        simd_allowed() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
}
bool cpu_has_f16c() {
    // Only GCC 12 and later know the name "f16c". All processors with AVX2 have these
    // instructions.
    return cpu_has_avx2();
}
std::string cpu_instruction_set() {
    if (!simd_allowed()) return "none";
    return __builtin_cpu_supports("avx512f") ? "avx512f"
           : __builtin_cpu_supports("avx2")  ? "avx2"
           : __builtin_cpu_supports("avx")   ? "avx"
                                             : "sse2";
}
#else
std::string cpu_instruction_set() {
    return "plain";
}
bool cpu_has_avx2() {
    return false;
}
bool cpu_has_f16c() {
    return false;
}
#endif

std::string cpu_name() {
    static const std::string name = [] {
        std::ifstream file("/proc/cpuinfo");
        for (std::string line; std::getline(file, line);) {
            if (!line.starts_with("model name")) continue;
            const std::size_t colon = line.find(": ");
            if (colon != std::string::npos) return line.substr(colon + 2);
        }
        struct utsname system {};
        return std::string(uname(&system) == 0 ? system.machine : "unknown");
    }();
    return name;
}

std::uint64_t physical_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0
               ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
               : 0;
}

}  // namespace assay
