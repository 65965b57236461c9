// Which names this server goes by, and whether a request comes from its own pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"

namespace assay::serve {

/// An IPv4 address that is written as IPv6's (::ffff:192.0.2.1) as IPv4's; all else as it is.
std::string unmapped_address(std::string_view address);

/// Whether `host` (an address, or localhost) is reached from this machine alone.
bool is_loopback(std::string_view host);

/// Who listens on the way, and what to do against it: a sentence, or "" where nobody can. `host`:
/// as plain_host() writes it; `url`: as Site::url() does where one was given, or "".
std::string network_warning(std::string_view host, std::string_view url);

class Site {
public:
    /// `url`: what people type where a proxy stands in front, or "". Throws usage: no http or https
    /// address of a host alone.
    Site(const std::string& host, std::uint16_t port, const std::string& url);

    /// What links begin with.
    const std::string& url() const { return url_; }
    /// Whether a Host header names this server. Another name may be an attacker's that leads here
    /// (DNS rebinding): his page would be of the same origin.
    bool knows_host(std::string_view host) const;
    /// Whether a request that changes something may come from where it says. Programs that are no
    /// browsers say nothing.
    bool is_own_origin(const HttpRequest& request) const;

private:
    std::string url_;
    std::vector<std::string> hosts_;    ///< as in a Host header
    std::vector<std::string> origins_;  ///< scheme://host
};

/// Who asks: the address, or behind a proxy the last that X-Forwarded-For names, which the proxy
/// itself has seen; what stands before it anybody may have made up. Of IPv6 the network (/64),
/// which one client has whole. A port behind it does not count, and what is no address is not
/// believed.
std::string client_of(const HttpRequest& request, bool behind_proxy);

/// Headers that every response has: nothing is loaded from elsewhere, no code stands in a page,
/// nobody frames it.
HttpFields security_headers();

}  // namespace assay::serve
