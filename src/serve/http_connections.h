// Tracks the state of each connection and its start. A thread disconnects connections that take too
// long.
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
    bool ended = false;    ///< ended here; closed when the other thread notices
    bool counted = false;  ///< counted as slow
    std::string uri;       ///< URI as received; one byte more than allowed means too
                           ///< long
};

class HttpConnections {
public:
    HttpConnections(const HttpLimits& limits, HttpCounts& counts);
    ~HttpConnections();

    HttpConnection* add(int socket);
    /// Call this before closing the socket, because its number may be reused immediately.
    void remove(HttpConnection* connection);
    void enter(HttpConnection* connection, HttpPhase phase);
    std::size_t count() const;
    std::size_t count(HttpPhase phase) const;
    /// True if another connection fits. Otherwise ends a waiting connection to make room.
    bool make_room();
    /// Waits until all connections with a request are finished. Returns false after this many
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
