// HTTP/1.1 for pages and JSON, and the one place that knows libmicrohttpd: one thread waits for all
// connections (epoll) and hands each request, when all of it is here, to a handler, which may
// answer later and on another thread.
//
// libmicrohttpd's own timeout begins anew with each byte. Who sends or takes one byte a second is
// cut off here by the clock: a request, a pause between requests and a response have so long.
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
    /// Beyond these a further one takes the place of the one that is longest without a request.
    std::size_t connections = 2000;
    std::size_t body = std::size_t{512} << 10;  ///< bytes; 413 above
    std::size_t uri = 2048;                     ///< bytes; 414 above
    std::size_t headers = 8192;                 ///< bytes of names and values together; 431 above
    std::size_t fields = 64;                    ///< headers; 431 above
    double request_seconds = 20;    ///< from the connection, or the request line, to the end
    double idle_seconds = 75;       ///< between two requests
    double response_seconds = 120;  ///< until a client has taken its response
    /// The clock of these three; tests have one of their own.
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

using HttpFields = std::vector<std::pair<std::string, std::string>>;

/// A request as it came: nothing is decoded. Headers that are not there are "".
struct HttpRequest {
    std::string method;
    std::string path;   ///< up to the first ?
    std::string query;  ///< what follows it
    std::string body;
    std::string address;  ///< of the client, or of the proxy in front
    std::string host, origin, authorization, content_type;
    std::string if_none_match, fetch_site, forwarded_for;
};

/// What is sent; `owner` keeps the bytes until they have gone out. Constants need none.
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
    std::string type;  ///< Content-Type; "": none
    HttpBody body;
    HttpFields fields = {};
    bool close = false;  ///< the connection, afterwards
};

/// The one answer to a request; any thread may give it, once. Where the last copy goes without an
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

/// Called on the thread of the connections: it must not wait.
using HttpHandler = std::function<void(HttpRequest, HttpReply)>;
/// Of a request whose headers are here: how many bytes its body may have. On the same thread.
using HttpMostBody = std::function<std::size_t(const HttpRequest& head)>;

enum class HttpPhase : std::uint8_t {
    connected,  ///< and has not sent a request line
    reading,    ///< the request
    handling,   ///< our turn
    sending,    ///< the response
    idle,       ///< between two requests
};

/// Clients that were too slow, and connections that made room or found none, since the start.
struct HttpCounts {
    std::atomic<std::uint64_t> slow{0}, beyond{0};
};

/// An address as it is written everywhere: 127.0.0.1 for 0x7f000001 and ::ffff:127.0.0.1; localhost
/// and what is no address stay as they are.
std::string plain_host(const std::string& host);

/// A socket that listens.
class HttpListener {
public:
    /// `host`: an IPv4 or IPv6 address, or localhost; `port` 0: any. Throws usage: an address that
    /// is not this machine's, a port that is taken or that needs root.
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
    /// `always`: headers of every response; `refusal` makes the response to what is refused before
    /// the handler sees it; `most_body` (none: limits.body) is at most limits.body. Throws io where
    /// threads or descriptors are short.
    HttpServer(const HttpListener& listener, const HttpLimits& limits, HttpFields always,
               std::function<HttpResponse(int status, std::string_view message)> refusal,
               HttpHandler handler, HttpMostBody most_body = {});
    /// Takes no further connections, gives responses that are given three seconds to go out, and
    /// closes all. Whoever holds replies must have given them, or let them go.
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
