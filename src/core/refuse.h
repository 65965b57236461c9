// The one function to report a damaged, missing or unsupported input.
#pragma once

#include <string>
#include <utility>

#include "assay/error.h"

namespace assay {

/// Throws Error with ErrorCode::bad_input. The message must name the file, the place, the value and
/// what is allowed.
[[noreturn]] inline void refuse(std::string message) {
    throw Error(ErrorCode::bad_input, std::move(message));
}

}  // namespace assay
