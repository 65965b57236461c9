// What targets that need a file share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "assay/error.h"

namespace fuzz {

/// A folder of this process, made at the first call for a target: one static variable keeps it. In
/// memory where that is possible; tools/fuzz clears it away.
inline std::filesystem::path scratch_folder(const std::string& target) {
    const std::filesystem::path parent =
        std::getenv("TMPDIR") == nullptr && std::filesystem::is_directory("/dev/shm")
            ? "/dev/shm"
            : std::filesystem::temp_directory_path();
    std::string name = (parent / ("assay_fuzz_" + target + "_XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return name;
}

/// An Error is an answer; anything else that is thrown ends the target.
template <class Body>
void attempt(Body&& body) {
    try {
        body();
    } catch (const assay::Error&) {
    }
}

}  // namespace fuzz
