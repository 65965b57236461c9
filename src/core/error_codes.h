// The names of error codes in the C interface and in JSON. python/assay/_worker/wire.py has them in
// the same order.
#pragma once

#include <string_view>

#include "assay/error.h"

namespace assay {

constexpr std::string_view name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::usage:
            return "usage";
        case ErrorCode::bad_input:
            return "bad_input";
        case ErrorCode::io:
            return "io";
        case ErrorCode::unreachable:
            return "unreachable";
        case ErrorCode::busy:
            return "busy";
        case ErrorCode::out_of_memory:
            return "out_of_memory";
        case ErrorCode::interrupted:
            return "interrupted";
        case ErrorCode::internal:
            return "internal";
    }
    return "internal";
}

}  // namespace assay
