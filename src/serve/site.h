// The names of this server. Checks whether a request comes from its own pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"

namespace assay::serve {

/// Converts an IPv4 address in IPv6 form (::ffff:192.0.2.1) to IPv4. Other text is unchanged.
std::string unmapped_address(std::string_view address);

/// True if `host` (an address, or localhost) is reachable only from this machine.
bool is_loopback(std::string_view host);

/// A warning about eavesdropping on the network, with advice. "" if eavesdropping is impossible.
/// `host` is in the form of plain_host(); `url` is Site::url() if one was given, or "".
std::string network_warning(std::string_view host, std::string_view url);

class Site {
public:
    /// `url` is the address that people type if there is a proxy, or "". Throws usage unless it is
    /// an http or https address with only a host.
    Site(const std::string& host, std::uint16_t port, const std::string& url);

    /// The beginning of all links.
    const std::string& url() const { return url_; }
    /// True if a Host header names this server. An attacker's name may resolve to this server (DNS
    /// rebinding), and the attacker's page would then have the same origin.
    bool knows_host(std::string_view host) const;
    /// True if a request that changes something comes from an allowed origin. Programs other than
    /// browsers send no origin.
    bool is_own_origin(const HttpRequest& request) const;

private:
    std::string url_;
    std::vector<std::string> hosts_;    ///< hosts in the form of a Host header
    std::vector<std::string> origins_;  ///< scheme://host
};

/// The client's address. Behind a proxy it is the last address in X-Forwarded-For, which the proxy
/// itself has seen. Earlier addresses may be forged. For IPv6 it is the network (/64), because a
/// client owns a whole network. A port is ignored, and invalid addresses are not trusted.
std::string client_of(const HttpRequest& request, bool behind_proxy);

/// Headers of every response. They forbid content from other servers, inline code, and frames
/// around the page.
HttpFields security_headers();

}  // namespace assay::serve
