// Tracks what each connection is doing and since when, with a thread that disconnects those that
// take too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>

#include "serve/http.h"

namespace assay::serve {

struct HttpConnection {
    int socket = -1;
    HttpPhase phase = HttpPhase::connected;
    std::chrono::steady_clock::time_point since;
    bool ended = false;    ///< by us; closed as soon as the other thread notices
    bool counted = false;  ///< as slow
    std::string uri;       ///< of the request as received; one byte more than allowed means too
                           ///< long
};

class HttpConnections {
public:
    HttpConnections(const HttpLimits& limits, HttpCounts& counts);
    ~HttpConnections();

    HttpConnection* add(int socket);
    /// Call before closing the socket, because its number may be reused immediately.
    void remove(HttpConnection* connection);
    void enter(HttpConnection* connection, HttpPhase phase);
    std::size_t count() const;
    std::size_t count(HttpPhase phase) const;
    /// Whether another connection fits. If not, ends a waiting one to make room.
    bool make_room();
    /// Waits until all connections except those without a request are done; false after this many
    /// seconds.
    bool settle(double seconds);

private:
    double seconds_of(HttpPhase phase) const;
    void sweep();
    void run();

    const HttpLimits limits_;
    HttpCounts& counts_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::unordered_set<HttpConnection*> all_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace assay::serve
