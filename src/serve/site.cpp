#include "serve/site.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "core/text.h"

namespace assay::serve {
namespace {

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower(c);
    return out;
}

/// The form in a URL, with IPv6 in brackets.
std::string in_brackets(const std::string& host) {
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

/// The addresses of this machine that other machines can reach, with IPv4 first.
std::vector<std::string> own_addresses() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
    std::vector<std::string> four, six;
    for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
        if (at->ifa_addr == nullptr) continue;
        std::array<char, INET6_ADDRSTRLEN> text{};
        if (at->ifa_addr->sa_family == AF_INET) {
            const auto* address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr);
            ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
            if (!is_loopback(text.data())) four.emplace_back(text.data());
        } else if (at->ifa_addr->sa_family == AF_INET6) {
            const auto* address = reinterpret_cast<const sockaddr_in6*>(at->ifa_addr);
            ::inet_ntop(AF_INET6, &address->sin6_addr, text.data(), text.size());
            if (!is_loopback(text.data())) six.emplace_back(text.data());
        }
    }
    four.insert(four.end(), six.begin(), six.end());
    return four;
}

std::string text_of_address(const in6_addr& six) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, &six, text.data(), text.size());
    return text.data();
}

bool is_address(const std::string& text) {
    in6_addr any{};
    return ::inet_pton(AF_INET, text.c_str(), &any) == 1 ||
           ::inet_pton(AF_INET6, text.c_str(), &any) == 1;
}

/// Returns the address in "192.0.2.1:5", "[2001:db8::1]:5" and "[2001:db8::1]".
std::string without_port(std::string_view text) {
    if (text.starts_with('[')) return std::string(text.substr(1, text.find(']') - 1));
    const std::size_t colon = text.find(':');
    const bool one = colon != std::string_view::npos && text.find(':', colon + 1) == text.npos;
    return std::string(one ? text.substr(0, colon) : text);
}

bool is_name(std::string_view host) {
    return !host.empty() && std::ranges::all_of(host, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    });
}

/// Returns "host" or "[address]", with ":port" if it is not the scheme's default. "" for other
/// text.
std::string checked_authority(std::string_view text, std::uint64_t port_of_scheme) {
    std::size_t end = text.find(':');
    if (text.starts_with('[')) {
        end = std::min(text.find(']'), text.size() - 1) + 1;
        in6_addr six{};
        const std::string address(text.substr(1, end - 2));
        if (text[end - 1] != ']' || ::inet_pton(AF_INET6, address.c_str(), &six) != 1) return "";
        // Browsers use one canonical form.
        std::string plain = "[" + text_of_address(six) + "]";
        if (end == text.size()) return plain;
        if (text[end] != ':') return "";
        const std::string rest =
            checked_authority("a" + std::string(text.substr(end)), port_of_scheme);
        return rest.empty() ? "" : plain + rest.substr(1);
    }
    std::string host(text.substr(0, end));
    if (!is_name(host)) return "";
    if (end == std::string_view::npos) return host;
    std::uint64_t port = 0;
    if (!parse_number(text.substr(end + 1), port) || port == 0 || port > 65535) return "";
    return port == port_of_scheme ? host : fmt::format("{}:{}", host, port);
}

std::string checked_url(const std::string& given) {
    std::string small = lower_case(given);
    if (small.ends_with('/')) small.pop_back();
    for (const auto& [scheme, port] : {std::pair<std::string_view, std::uint64_t>("https://", 443),
                                       std::pair<std::string_view, std::uint64_t>("http://", 80)}) {
        if (!small.starts_with(scheme)) continue;
        const std::string host =
            checked_authority(std::string_view(small).substr(scheme.size()), port);
        if (!host.empty()) return std::string(scheme) + host;
    }
    throw Error(ErrorCode::usage,
                fmt::format("the url is `{}`; allowed: http:// or https:// and a host, without a "
                            "path: https://labels.example.org, https://labels.example.org:8443",
                            shortened(given)));
}

}  // namespace

std::string unmapped_address(std::string_view address) {
    constexpr std::string_view mapped = "::ffff:";
    const bool four = address.size() > mapped.size() &&
                      lower_case(address.substr(0, mapped.size())) == mapped &&
                      address.find('.') != std::string_view::npos;
    return std::string(four ? address.substr(mapped.size()) : address);
}

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string network_warning(std::string_view host, std::string_view url) {
    const bool alone = is_loopback(host), encrypted = url.starts_with("https://");
    if (alone && (url.empty() || encrypted)) return "";
    const std::string_view danger =
        "only the tokens in the links protect it, and they are sent unencrypted";
    if (encrypted)
        return fmt::format(
            "others can reach this server without the TLS server of --url: {}. If that server is "
            "on this machine, add --host 127.0.0.1",
            danger);
    return fmt::format(
        "others can reach this server: {}. Put a server with TLS in front, and name it with --url "
        "https://...{}",
        danger, alone ? "" : ", and --host 127.0.0.1 if it is on this machine");
}

Site::Site(const std::string& host, std::uint16_t port, const std::string& url) {
    std::vector<std::string> names = {host};
    const bool everywhere = host == "0.0.0.0" || host == "::";
    if (everywhere) {
        names = own_addresses();
        std::array<char, 256> name{};
        if (::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0')
            names.emplace_back(lower_case(name.data()));
    }
    const std::string shown = names.empty() ? "127.0.0.1" : names.front();
    if (everywhere || is_loopback(host))
        names.insert(names.end(), {"localhost", "127.0.0.1", "::1"});
    for (const std::string& name : names) {
        const std::string with_port = fmt::format("{}:{}", in_brackets(name), port);
        hosts_.push_back(with_port);
        origins_.push_back("http://" + with_port);
        if (port == 80) {  // browsers omit this port
            hosts_.push_back(in_brackets(name));
            origins_.push_back("http://" + in_brackets(name));
        }
    }
    url_ = fmt::format("http://{}", in_brackets(shown));
    if (port != 80) url_ += fmt::format(":{}", port);
    if (url.empty()) return;
    url_ = checked_url(url);
    hosts_.push_back(url_.substr(url_.find("//") + 2));
    origins_.push_back(url_);
}

bool Site::knows_host(std::string_view host) const {
    return std::ranges::find(hosts_, lower_case(host)) != hosts_.end();
}

bool Site::is_own_origin(const HttpRequest& request) const {
    const std::string& site = request.fetch_site;
    if (!site.empty() && site != "same-origin" && site != "none") return false;
    return request.origin.empty() ||
           std::ranges::find(origins_, lower_case(request.origin)) != origins_.end();
}

std::string client_of(const HttpRequest& request, bool behind_proxy) {
    std::string address = request.address;
    if (behind_proxy) {
        const std::string_view all = request.forwarded_for;
        const std::size_t comma = all.rfind(',');
        const std::string forwarded =
            without_port(trimmed(comma == std::string_view::npos ? all : all.substr(comma + 1)));
        if (is_address(forwarded)) address = forwarded;
    }
    address = unmapped_address(address);
    in6_addr six{};
    if (::inet_pton(AF_INET6, address.c_str(), &six) != 1) return address;
    std::fill(std::begin(six.s6_addr) + 8, std::end(six.s6_addr), std::uint8_t{0});
    return text_of_address(six);
}

HttpFields security_headers() {
    return {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
         "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
        {"Cache-Control", "no-store"},
    };
}

}  // namespace assay::serve
