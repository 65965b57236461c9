// Opens a listening socket. Its errors include advice.
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "assay/error.h"
#include "core/text.h"
#include "serve/http.h"
#include "serve/site.h"

namespace assay::serve {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const std::string numeric = host == "localhost" ? "127.0.0.1" : host;
    if (::getaddrinfo(numeric.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
        throw Error(ErrorCode::usage,
                    fmt::format("the host is `{}`; allowed: an address of this machine, such as "
                                "127.0.0.1 (only this machine), 0.0.0.0 or :: (all networks)",
                                shortened(host)));
    return {found, &::freeaddrinfo};
}

[[noreturn]] void fail_to_listen(const std::string& host, std::uint16_t port, int reason) {
    std::string message;
    if (reason == EADDRINUSE) {
        message = fmt::format(
            "port {} of {} is in use by another program, perhaps another `assay serve`: stop it, "
            "or choose another port with --port",
            port, host);
    } else if (reason == EADDRNOTAVAIL) {
        message = fmt::format(
            "{} is not an address of this machine; to listen on all of them, use 0.0.0.0", host);
    } else if (reason == EACCES) {
        message = fmt::format(
            "port {} needs administrator rights: choose 1024 or higher with --port", port);
    } else {
        throw Error(ErrorCode::io, fmt::format("cannot listen on port {} of {}: {}", port, host,
                                               std::strerror(reason)));
    }
    throw Error(ErrorCode::usage, message);
}

}  // namespace

std::string plain_host(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* first = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &first) != 0) return host;
    const Addresses found(first, &::freeaddrinfo);
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) != 0)
        return host;
    return unmapped_address(text.data());
}

HttpListener::HttpListener(const std::string& host, std::uint16_t port) {
    const Addresses addresses = addresses_of(host, port);
    descriptor_ = ::socket(addresses->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor_ < 0) fail_to_listen(host, port, errno);
    const int on = 1, off = 0;
    // Allows reusing a port immediately after its server has ended.
    ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (addresses->ai_family == AF_INET6)  // :: means all addresses, including IPv4
        ::setsockopt(descriptor_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (::bind(descriptor_, addresses->ai_addr, addresses->ai_addrlen) != 0 ||
        ::listen(descriptor_, 1024) != 0 ||
        ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
        const int reason = errno;
        ::close(descriptor_);
        fail_to_listen(host, port, reason);
    }
    port_ =
        ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                          : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

HttpListener::~HttpListener() {
    ::close(descriptor_);
}

}  // namespace assay::serve
