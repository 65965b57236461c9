#include "serve/door.h"

#include <cmath>

#include "core/text.h"
#include "serve/refusal.h"

namespace assay::serve {
namespace {

void check_rate(double wait) {
    if (wait <= 0) return;
    Refusal refusal(429, "too_fast", "too many requests; try again later");
    refusal.fields = {{"Retry-After", std::to_string(static_cast<int>(std::ceil(wait)))}};
    throw refusal;
}

bool is_json_type(std::string_view type) {
    std::string small;
    for (const char c : type) {
        if (c != ' ') small += lower(c);
    }
    return small == "application/json" || small == "application/json;charset=utf-8";
}

}  // namespace

void Door::admit(const HttpRequest& request, std::string_view token) {
    if (!site_.knows_host(request.host))
        throw Refusal(421, "other_host",
                      "`" + shortened(request.host) +
                          "` is not a name of this server; restart it with --url to add one");
    const std::string client = client_of(request, behind_proxy_);
    const std::string name(token);
    bool known = false;
    {
        const std::lock_guard lock(mutex_);
        known = known_.contains(name);
    }
    if (known) {
        check_rate(token_.take(name));
    } else {
        check_rate(address_.take(client));
        if (!token.empty()) check_rate(unknown_.look(client));
    }
}

void Door::pass(const HttpRequest& request, std::string_view token) {
    admit(request, token);
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads && request.method != "POST") {
        Refusal refusal(405, "method", "only GET, HEAD and POST are allowed");
        refusal.fields = {{"Allow", "GET, HEAD, POST"}};
        throw refusal;
    }
    if (reads) return;
    if (!site_.is_own_origin(request))
        throw Refusal(403, "other_origin", "the request comes from another site's page");
    if (!is_json_type(request.content_type))
        throw Refusal(415, "not_json", "the body of a request must be application/json");
}

bool Door::may_bring_much(std::string_view token) {
    const std::lock_guard lock(mutex_);
    return known_.contains(std::string(token));
}

void Door::expect(const std::string& token) {
    const std::lock_guard lock(mutex_);
    known_.insert(token);
}

void Door::heard(const HttpRequest& request, const std::string& token, bool known) {
    if (!known) (void)unknown_.take(client_of(request, behind_proxy_));
    const std::lock_guard lock(mutex_);
    if (known) {
        known_.insert(token);
    } else {
        known_.erase(token);
    }
}

}  // namespace assay::serve
