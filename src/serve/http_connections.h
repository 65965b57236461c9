// The connections that there are, what each is doing since when, and a thread that cuts off those
// that take too long.
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
    bool ended = false;    ///< by us; it is closed as soon as the other thread sees it
    bool counted = false;  ///< as slow
    std::string uri;       ///< of the request, as it came; one byte longer than allowed: too long
};

class HttpConnections {
public:
    HttpConnections(const HttpLimits& limits, HttpCounts& counts);
    ~HttpConnections();

    HttpConnection* add(int socket);
    /// Before its socket is closed: the number may be another's at once.
    void remove(HttpConnection* connection);
    void enter(HttpConnection* connection, HttpPhase phase);
    std::size_t count() const;
    std::size_t count(HttpPhase phase) const;
    /// Whether there is room for one more; where there is none, one that waits is ended for it.
    bool make_room();
    /// Whether all but those that wait for a request are done, within so many seconds.
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
