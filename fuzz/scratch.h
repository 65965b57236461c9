// Functions for targets that need a file.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "assay/error.h"

namespace fuzz {

/// A folder of this process, which is made at the first call and kept in a static variable. It is
/// in memory where that is possible; tools/fuzz deletes it.
inline std::filesystem::path scratch_folder(const std::string& target) {
    const std::filesystem::path parent =
        std::getenv("TMPDIR") == nullptr && std::filesystem::is_directory("/dev/shm")
            ? "/dev/shm"
            : std::filesystem::temp_directory_path();
    std::string name = (parent / ("assay_fuzz_" + target + "_XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return name;
}

/// An Error is a valid result. Any other exception ends the target.
template <class Body>
void attempt(Body&& body) {
    try {
        body();
    } catch (const assay::Error&) {
    }
}

}  // namespace fuzz
