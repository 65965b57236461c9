// Where in a file something went wrong.
#pragma once

#include <utility>

#include "assay/error.h"

namespace assay {

/// Runs `body`; an Error that leaves it begins with describe(): the message is kept with the image
/// that could not be read, so that the place must be part of it.
template <class Describe, class Body>
decltype(auto) at_place(Describe&& describe, Body&& body) {
    try {
        return std::forward<Body>(body)();
    } catch (const Error& error) {
        throw Error(error.code(), describe() + ": " + error.message());
    }
}

}  // namespace assay
