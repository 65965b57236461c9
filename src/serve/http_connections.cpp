#include "serve/http_connections.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace assay::serve {

using Clock = std::chrono::steady_clock;

HttpConnections::HttpConnections(const HttpLimits& limits, HttpCounts& counts)
    : limits_(limits), counts_(counts), thread_([this] { run(); }) {}

HttpConnections::~HttpConnections() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
    for (const HttpConnection* connection : all_) delete connection;
}

HttpConnection* HttpConnections::add(int socket) {
    auto made = std::make_unique<HttpConnection>();
    made->socket = socket;
    made->since = limits_.now();
    const std::lock_guard lock(mutex_);
    all_.insert(made.get());
    return made.release();
}

void HttpConnections::remove(HttpConnection* connection) {
    {
        const std::lock_guard lock(mutex_);
        all_.erase(connection);
    }
    delete connection;
}

void HttpConnections::enter(HttpConnection* connection, HttpPhase phase) {
    const std::lock_guard lock(mutex_);
    connection->phase = phase;
    connection->since = limits_.now();
}

std::size_t HttpConnections::count() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
}

std::size_t HttpConnections::count(HttpPhase phase) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(
        all_, [phase](const HttpConnection* connection) { return connection->phase == phase; }));
}

namespace {

/// The order in which connections are ended to make room. Smaller numbers are first, and 0 is never
/// ended.
int turn_to_end(const HttpConnection& connection, Clock::time_point now) {
    // after this time with a response, its client counts as slow
    constexpr std::chrono::seconds fair_time{5};
    switch (connection.phase) {
        case HttpPhase::connected:
        case HttpPhase::idle:
            return 1;
        case HttpPhase::reading:
            return 2;
        case HttpPhase::sending:
            return now - connection.since >= fair_time ? 3 : 0;
        case HttpPhase::handling:
            break;
    }
    return 0;
}

/// Connections that were ended but not closed, so that they still use their descriptors.
constexpr std::size_t most_ended_connections = 16;

}  // namespace

bool HttpConnections::make_room() {
    const std::lock_guard lock(mutex_);
    if (all_.size() < limits_.connections) return true;
    const auto ended = static_cast<std::size_t>(std::ranges::count_if(
        all_, [](const HttpConnection* connection) { return connection->ended; }));
    if (all_.size() - ended < limits_.connections) return ended < most_ended_connections;
    ++counts_.beyond;
    if (ended + 1 >= most_ended_connections) return false;
    const auto now = limits_.now();
    HttpConnection* chosen = nullptr;
    int turn = 0;
    for (HttpConnection* connection : all_) {
        const int its = connection->ended ? 0 : turn_to_end(*connection, now);
        if (its == 0) continue;
        if (chosen != nullptr &&
            (its > turn || (its == turn && connection->since >= chosen->since)))
            continue;
        chosen = connection;
        turn = its;
    }
    if (chosen == nullptr) return false;
    chosen->ended = true;
    ::shutdown(chosen->socket, SHUT_RDWR);
    return true;
}

bool HttpConnections::settle(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (std::ranges::none_of(all_, [](const HttpConnection* connection) {
                    return connection->phase == HttpPhase::handling ||
                           connection->phase == HttpPhase::sending;
                }))
                return true;
        }
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

double HttpConnections::seconds_of(HttpPhase phase) const {
    switch (phase) {
        case HttpPhase::connected:
        case HttpPhase::reading:
            return limits_.request_seconds;
        case HttpPhase::sending:
            return limits_.response_seconds;
        case HttpPhase::idle:
            return limits_.idle_seconds;
        case HttpPhase::handling:
            break;
    }
    return 1e9;  // can be ended here
}

namespace {

/// True if the peer has closed the connection and everything was read. libmicrohttpd misses this if
/// the end arrived with the last bytes.
bool has_gone(int socket) {
    char byte = 0;
    const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace

void HttpConnections::sweep() {
    const auto now = limits_.now();
    for (HttpConnection* connection : all_) {
        const std::chrono::duration<double> spent = now - connection->since;
        const bool ours =
            connection->phase == HttpPhase::handling || connection->phase == HttpPhase::sending;
        const bool late = spent.count() >= seconds_of(connection->phase);
        if (!late && (ours || !has_gone(connection->socket))) continue;
        // The other thread sees the end of the stream and closes the connection.
        ::shutdown(connection->socket, SHUT_RDWR);
        // A pause between requests is not counted as slow.
        if (late && !connection->counted &&
            (connection->phase == HttpPhase::reading || connection->phase == HttpPhase::sending)) {
            connection->counted = true;
            ++counts_.slow;
        }
        connection->since = now;
    }
}

void HttpConnections::run() {
    const double shortest =
        std::min({limits_.request_seconds, limits_.idle_seconds, limits_.response_seconds});
    const auto pause = std::chrono::duration<double>(std::clamp(shortest / 4, 0.01, 1.0));
    std::unique_lock lock(mutex_);
    while (!ending_) {
        changed_.wait_for(lock, pause, [this] { return ending_; });
        sweep();
    }
}

}  // namespace assay::serve
