#include "assay/serve/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/text.h"
#include "serve/door.h"
#include "serve/http.h"
#include "serve/labelling_routes.h"
#include "serve/pages.h"
#include "serve/refusal.h"
#include "serve/server_options.h"
#include "serve/service_queue.h"
#include "serve/site.h"
#include "serve/strings.h"
#include "serve/tokens.h"
#include "study/secret.h"

namespace assay::serve {
namespace {

/// The most bytes in a request without a valid token, because thousands of connections may send
/// such requests.
constexpr std::size_t most_of_strangers = std::size_t{8} << 10;

}  // namespace

void check_options(const ServerOptions& options) {
    const ServerOptions plain = checked_options(options);
    strings_json(plain.strings);
    const HttpListener listener(plain.host, 0);
    const Site site(plain.host, listener.port(), plain.url);
}

struct Server::Impl {
    Impl(labelling::Service given, const ServerOptions& wanted)
        : options(checked_options(wanted)),
          strings(strings_json(options.strings)),
          listener(options.host, options.port),
          site(options.host, listener.port(), options.url),
          organiser(study::new_secret()),
          service(std::move(given)),
          door(site, options.behind_proxy, DoorLimits()),
          queue(service,
                LabellingRoutes(service, organiser,
                                [this](std::string_view token) { return link(token); }),
                door, options.warn) {
        limits.connections = options.connections;
        door.expect(organiser);
    }

    std::string link(std::string_view token) const {
        return fmt::format("{}/#{}", site.url(), token);
    }

    /// Runs on the thread of the connections.
    void handle(HttpRequest request, const HttpReply& reply) {
        try {
            if (auto response = answer_now(std::move(request), reply)) reply(std::move(*response));
        } catch (const Refusal& refusal) {
            reply(response_of(refusal));
        }
    }

    /// Returns nothing if the queue answers.
    std::optional<HttpResponse> answer_now(HttpRequest request, const HttpReply& reply) {
        const std::string token(token_in(request.authorization));
        door.pass(request, token);
        if (request.method == "HEAD") request.method = "GET";  // libmicrohttpd omits the body
        if (!request.path.starts_with("/api/")) return page(request);
        LabellingRequest parsed =
            parse_labelling_request(request.method, request.path, request.query, request.body);
        if (std::holds_alternative<GetStrings>(parsed)) {
            HttpResponse response;
            response.type = "application/json";
            response.body = HttpBody::constant(strings);
            response.fields = {{"Cache-Control", "no-cache"}};
            return response;
        }
        if (token.empty()) throw Refusal(401, "unknown_token", "the request has no link token");
        request.body = {};
        queue.add({std::move(parsed), std::move(request), token, reply});
        return std::nullopt;
    }

    static HttpResponse page(const HttpRequest& request) {
        const Page* found = page_at(request.path);
        if (found == nullptr) throw Refusal(404, "not_found", "there is no such page");
        if (request.method != "GET") {
            Refusal refusal(405, "method", "pages are read");
            refusal.fields = {{"Allow", "GET, HEAD"}};
            throw refusal;
        }
        return response_of(*found, request.if_none_match);
    }

    /// Reports disconnected clients from time to time, not individually.
    void tell_of_clients(const HttpCounts& counts) {
        const auto now = std::chrono::steady_clock::now();
        if (now - told_at < std::chrono::minutes(1)) return;
        const std::uint64_t slow = counts.slow, beyond = counts.beyond;
        if (slow == told_slow && beyond == told_beyond) return;
        if (slow != told_slow)
            options.warn(
                fmt::format("closed slow connections: {}", how_many(slow - told_slow, "client")));
        if (beyond != told_beyond)
            options.warn(
                fmt::format("{} more than --connections {}: closed those that were idle longest",
                            how_many(beyond - told_beyond, "connection"), limits.connections));
        told_slow = slow;
        told_beyond = beyond;
        told_at = now;
    }

    const ServerOptions options;
    HttpLimits limits;
    const std::string strings;
    const HttpListener listener;
    const Site site;
    const std::string organiser;
    labelling::Service service;
    Door door;
    ServiceQueue queue;
    std::chrono::steady_clock::time_point told_at{};
    std::uint64_t told_slow = 0, told_beyond = 0;
};

Server::Server(labelling::Service service, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(service), options)) {}
Server::~Server() = default;

const std::string& Server::url() const {
    return impl_->site.url();
}
std::uint16_t Server::port() const {
    return impl_->listener.port();
}
std::string Server::organiser_link() const {
    return fmt::format("{}/organiser#{}", url(), impl_->organiser);
}
std::string Server::link_of(const labelling::Person& person) const {
    return impl_->link(person.token);
}
std::string Server::network_warning() const {
    const Impl& self = *impl_;
    return serve::network_warning(self.options.host, self.options.url.empty() ? "" : url());
}

void Server::run(const std::function<bool()>& stop) {
    Impl& self = *impl_;
    const auto refusal = [](int status, std::string_view message) {
        return response_of(
            Refusal(status, std::string(code_of_status(status)), std::string(message)));
    };
    HttpServer http(
        self.listener, self.limits, security_headers(), refusal,
        [&self](HttpRequest request, const HttpReply& reply) {
            self.handle(std::move(request), reply);
        },
        [&self](const HttpRequest& head) {
            return self.door.may_bring_much(token_in(head.authorization)) ? self.limits.body
                                                                          : most_of_strangers;
        });
    self.queue.run([&] {
        self.tell_of_clients(http.counts());
        return stop();
    });
}

}  // namespace assay::serve
