// Reads and limits the head of a request.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "serve/http_exchange.h"
#include "serve/site.h"

namespace assay::serve {
namespace {

bool same_name(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i])) return false;
    return true;
}

/// True if the character is valid in a header's name (RFC 9110: tchar).
bool is_name_character(char c) {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
}

struct HeadReader {
    HttpRequest& request;
    std::size_t fields = 0, bytes = 0;
    std::array<bool, 9> met{};
    bool twice = false, unknown = false, length = false, encoding = false;

    void take(std::string_view name, std::string_view value) {
        ++fields;
        bytes += name.size() + value.size();
        unknown = unknown || !std::ranges::all_of(name, is_name_character);
        value = trimmed(value);
        std::string ignored;
        const std::array<std::pair<std::string_view, std::string*>, 9> known = {{
            {"host", &request.host},
            {"origin", &request.origin},
            {"authorization", &request.authorization},
            {"content-type", &request.content_type},
            {"if-none-match", &request.if_none_match},
            {"sec-fetch-site", &request.fetch_site},
            {"x-forwarded-for", &request.forwarded_for},
            {"content-length", &ignored},
            {"transfer-encoding", &ignored},
        }};
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (!same_name(name, known[i].first)) continue;
            const bool again = std::exchange(met[i], true);
            std::string& place = *known[i].second;
            if (&place == &request.forwarded_for) {
                if (again) place += ", ";  // each proxy may add a line
            } else {
                twice = twice || again;  // also if the value is empty
            }
            place += value;
        }
        length = length || same_name(name, "content-length");
        if (same_name(name, "transfer-encoding")) {
            encoding = true;
            unknown = unknown || !same_name(value, "chunked");
        }
    }
};

MHD_Result take_field(void* reader, MHD_ValueKind, const char* name, size_t name_size,
                      const char* value, size_t value_size) {
    static_cast<HeadReader*>(reader)->take(
        {name, name_size},
        value == nullptr ? std::string_view() : std::string_view(value, value_size));
    return MHD_YES;
}

}  // namespace

std::optional<std::pair<int, std::string_view>> fault_of_head(MHD_Connection* connection,
                                                              const HttpLimits& limits,
                                                              HttpRequest& request) {
    using Fault = std::pair<int, std::string_view>;
    HeadReader reader{request};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, take_field, &reader);
    if (reader.bytes > limits.headers || reader.fields > limits.fields)
        return Fault{431, "the headers of the request are too large"};
    // If a proxy used the first of two values and this server the second, they would see different
    // requests.
    if (reader.twice || (reader.length && reader.encoding))
        return Fault{400, "a header appears twice, or contradicts another"};
    if (reader.unknown)
        return Fault{400,
                     "a header has an invalid name, or a transfer encoding other than chunked"};
    if ((request.method == "GET" || request.method == "HEAD") && reader.encoding)
        return Fault{400, "a GET or HEAD request must not have a body"};
    return std::nullopt;
}

std::string address_of(MHD_Connection* connection) {
    const MHD_ConnectionInfo* info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (info == nullptr || info->client_addr == nullptr) return "";
    std::array<char, INET6_ADDRSTRLEN> text{};
    const sockaddr* address = info->client_addr;
    if (address->sa_family == AF_INET) {
        const auto* four = reinterpret_cast<const sockaddr_in*>(address);
        ::inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
    } else if (address->sa_family == AF_INET6) {
        const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
        ::inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
    }
    return unmapped_address(text.data());
}

}  // namespace assay::serve
