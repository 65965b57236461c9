// Returns the message of a call that fails.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "assay/error.h"

namespace assay {

/// The message of the Error that `body` throws. The test fails without an Error with this code.
template <class Body>
std::string message_of(Body&& body, ErrorCode code = ErrorCode::bad_input) {
    try {
        body();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error was thrown";
    return "";
}

}  // namespace assay
