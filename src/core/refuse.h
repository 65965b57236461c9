// The one way to say that an input is damaged, missing or not supported.
#pragma once

#include <string>
#include <utility>

#include "assay/error.h"

namespace assay {

/// Throws Error with ErrorCode::bad_input. The message names the file, the place, the value and
/// what is allowed.
[[noreturn]] inline void refuse(std::string message) {
    throw Error(ErrorCode::bad_input, std::move(message));
}

}  // namespace assay
