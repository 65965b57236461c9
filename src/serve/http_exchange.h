// One request and its answer, between the thread of the connections and whoever answers.
#pragma once

#include <microhttpd.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "serve/http.h"

namespace assay::serve {

struct HttpReply::Exchange {
    explicit Exchange(MHD_Connection* of) : connection(of) {}

    /// Keeps the answer, and wakes the connection where it sleeps. Any thread.
    void answer(HttpResponse given) {
        const std::lock_guard lock(mutex);
        if (response) return;
        response = std::move(given);
        // A connection that sleeps is not freed before it has been woken.
        if (asleep) MHD_resume_connection(connection);
    }

    MHD_Connection* const connection;
    HttpRequest request;
    std::size_t most_body = 0;  ///< bytes
    std::size_t left_out = 0;   ///< bytes of a body that is too large
    bool seen = false;          ///< by the handler, or refused before

    std::mutex mutex;
    bool asleep = false;
    std::optional<HttpResponse> response;
};

/// What of a request's head is not taken: its status and a sentence; reads the rest into `request`.
std::optional<std::pair<int, std::string_view>> fault_of_head(MHD_Connection* connection,
                                                              const HttpLimits& limits,
                                                              HttpRequest& request);

/// The numerical address of a client; an IPv4 address in IPv6's form as IPv4's.
std::string address_of(MHD_Connection* connection);

}  // namespace assay::serve
