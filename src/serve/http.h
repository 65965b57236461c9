// Serves HTTP/1.1 for pages and JSON. Only this code uses libmicrohttpd. One thread waits for all
// connections (epoll), and passes each complete request to a handler, which may answer later on
// another thread.
//
// libmicrohttpd's own timeout restarts with each byte. This code limits the total time of a
// request, of a pause between requests, and of a response. So clients that send one byte per second
// are disconnected.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::serve {

struct HttpLimits {
    /// The connection limit. Above it, a new connection replaces the connection that has been
    /// without a request for the longest time.
    std::size_t connections = 2000;
    std::size_t body = std::size_t{512} << 10;  ///< bytes; longer bodies get 413
    std::size_t uri = 2048;                     ///< bytes; longer URIs get 414
    std::size_t headers = 8192;                 ///< total bytes of names and values; 431 above it
    std::size_t fields = 64;                    ///< number of headers; more get 431
    double request_seconds = 20;    ///< from the connection, or the request line, to the end of the
                                    ///< request
    double idle_seconds = 75;       ///< time between two requests
    double response_seconds = 120;  ///< time until a client has received its response
    /// The clock for these three times, which tests replace.
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

using HttpFields = std::vector<std::pair<std::string, std::string>>;

/// A request as received, without decoding. Missing headers are "".
struct HttpRequest {
    std::string method;
    std::string path;   ///< the part up to the first ?
    std::string query;  ///< the part after the first ?
    std::string body;
    std::string address;  ///< the client's address, or that of the proxy
    std::string host, origin, authorization, content_type;
    std::string if_none_match, fetch_site, forwarded_for;
};

/// The content to send. `owner` keeps the bytes alive until they are sent. Constants need no owner.
struct HttpBody {
    HttpBody() = default;
    explicit HttpBody(std::string text)
        : HttpBody(std::make_shared<const std::string>(std::move(text))) {}
    explicit HttpBody(std::shared_ptr<const std::string> text)
        : bytes(*text), owner(std::move(text)) {}
    static HttpBody constant(std::string_view bytes) {
        HttpBody body;
        body.bytes = bytes;
        return body;
    }

    std::string_view bytes;
    std::shared_ptr<const void> owner;
};

struct HttpResponse {
    int status = 200;
    std::string type;  ///< Content-Type; "" means none
    HttpBody body;
    HttpFields fields = {};
    bool close = false;  ///< close the connection afterwards
};

/// The answer to a request. Any thread may send it, once. If the last copy is destroyed without an
/// answer, the client gets a 503.
class HttpReply {
public:
    struct Exchange;
    explicit HttpReply(std::shared_ptr<Exchange> exchange);
    void operator()(HttpResponse response) const;

private:
    struct Once;
    std::shared_ptr<Once> once_;
};

/// Called on the thread of the connections, so it must not block.
using HttpHandler = std::function<void(HttpRequest, HttpReply)>;
/// Returns the most bytes that a request's body may have, given its headers. Called on the same
/// thread.
using HttpMostBody = std::function<std::size_t(const HttpRequest& head)>;

enum class HttpPhase : std::uint8_t {
    connected,  ///< without a request line so far
    reading,    ///< the request
    handling,   ///< our turn
    sending,    ///< the response
    idle,       ///< between two requests
};

/// Counts since the start: clients that were too slow, connections that were replaced, and
/// connections that were refused.
struct HttpCounts {
    std::atomic<std::uint64_t> slow{0}, beyond{0};
};

/// The canonical form of an address: 127.0.0.1 for 0x7f000001 and ::ffff:127.0.0.1. localhost and
/// text that is not an address are unchanged.
std::string plain_host(const std::string& host);

/// A listening socket.
class HttpListener {
public:
    /// `host` is an IPv4 or IPv6 address, or localhost. `port` 0 means any. Throws usage for an
    /// address of another machine, or a port that is in use or requires root.
    HttpListener(const std::string& host, std::uint16_t port);
    ~HttpListener();
    HttpListener(const HttpListener&) = delete;
    HttpListener& operator=(const HttpListener&) = delete;

    std::uint16_t port() const { return port_; }
    int descriptor() const { return descriptor_; }

private:
    int descriptor_ = -1;
    std::uint16_t port_ = 0;
};

class HttpServer {
public:
    /// `always` has the headers of every response. `refusal` makes the response to requests that
    /// are refused before the handler. `most_body` (default: limits.body) returns at most
    /// limits.body. Throws io if the system is out of threads or descriptors.
    HttpServer(const HttpListener& listener, const HttpLimits& limits, HttpFields always,
               std::function<HttpResponse(int status, std::string_view message)> refusal,
               HttpHandler handler, HttpMostBody most_body = {});
    /// Stops accepting connections, allows finished responses three seconds to be sent, and closes
    /// all connections. All replies must be answered or destroyed before.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    const HttpCounts& counts() const;
    std::size_t connections() const;
    std::size_t connections(HttpPhase phase) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::serve
