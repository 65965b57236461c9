// A refused request, with its status and the reason in the form of the pages' interface.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "serve/http.h"

namespace assay::serve {

class Refusal : public std::exception {
public:
    Refusal(int status, std::string code, std::string message)
        : status_(status), code_(std::move(code)), message_(std::move(message)) {}

    int status() const { return status_; }
    const std::string& code() const { return code_; }
    const char* what() const noexcept override { return message_.c_str(); }
    HttpFields fields;  ///< further response headers: Allow, Retry-After

private:
    int status_;
    std::string code_, message_;
};

/// The error word for a status that has only one word.
std::string_view code_of_status(int status);

/// Returns {"error": ..., "code": ...}.
HttpResponse response_of(const Refusal& refusal);
/// Returns 503 `busy` with Retry-After.
Refusal busy_refusal(std::string message);

}  // namespace assay::serve
