// What targets that need a file share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "assay/error.h"

namespace fuzz {

/// A folder of this process, made at the first call for a target: one static variable keeps it.
inline std::filesystem::path scratch_folder(const std::string& target) {
    std::string name =
        (std::filesystem::temp_directory_path() / ("assay_fuzz_" + target + "_XXXXXX")).string();
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
