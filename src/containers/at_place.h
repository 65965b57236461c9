// Adds the place in a file to errors.
#pragma once

#include <utility>

#include "assay/error.h"

namespace assay {

/// Runs `body`. An Error that leaves it gets the result of describe() at the start of its message.
/// The message is stored with the image that could not be read, so it must name the place.
template <class Describe, class Body>
decltype(auto) at_place(Describe&& describe, Body&& body) {
    try {
        return std::forward<Body>(body)();
    } catch (const Error& error) {
        throw Error(error.code(), describe() + ": " + error.message());
    }
}

}  // namespace assay
