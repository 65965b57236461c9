// A request and its answer, shared by the thread of the connections and the thread that answers.
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

    /// Stores the answer, and wakes the connection if it is suspended. Any thread may call this.
    void answer(HttpResponse given) {
        const std::lock_guard lock(mutex);
        if (response) return;
        response = std::move(given);
        // A suspended connection is not freed before it is resumed.
        if (asleep) MHD_resume_connection(connection);
    }

    MHD_Connection* const connection;
    HttpRequest request;
    std::size_t most_body = 0;  ///< bytes
    std::size_t left_out = 0;   ///< bytes read of a body that is too large
    bool seen = false;          ///< the handler has the request, or it was refused before

    std::mutex mutex;
    bool asleep = false;
    std::optional<HttpResponse> response;
};

/// Returns the status and a sentence if a request's head is invalid. Otherwise reads the head into
/// `request`.
std::optional<std::pair<int, std::string_view>> fault_of_head(MHD_Connection* connection,
                                                              const HttpLimits& limits,
                                                              HttpRequest& request);

/// The numerical address of a client. An IPv4 address in IPv6 form is converted to IPv4.
std::string address_of(MHD_Connection* connection);

}  // namespace assay::serve
