// Checks every request: it must be for this server, from its own pages, and not too frequent.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "serve/http.h"
#include "serve/rate_limit.h"
#include "serve/site.h"

namespace assay::serve {

struct DoorLimits {
    /// The limit for a valid token, because a page requests a grid of small images at once.
    Rate token{100, 500};
    /// The limit for an address without a valid token. Many people may share one address.
    Rate address{200, 2000};
    /// The limit for an address with unknown tokens. Guessing 160 bits fails at any rate. This
    /// limit keeps attackers from using up other people's requests.
    Rate unknown{2, 40};
};

/// Thread-safe.
class Door {
public:
    Door(const Site& site, bool behind_proxy, const DoorLimits& limits)
        : site_(site),
          behind_proxy_(behind_proxy),
          token_(limits.token),
          address_(limits.address),
          unknown_(limits.unknown) {}

    /// Checks what does not depend on the method: the host and the rate. Throws Refusal with status
    /// 421 or 429.
    void admit(const HttpRequest& request, std::string_view token);
    /// admit(), then the method, the origin and the type of the body. Throws Refusal with status
    /// 421, 429, 405, 403 or 415.
    void pass(const HttpRequest& request, std::string_view token);
    /// True if a large body may be received before the checks, which requires a valid token.
    bool may_bring_much(std::string_view token);
    /// Announces a valid token before its first request, so that it does not count as unknown while
    /// others at the same address try unknown ones.
    void expect(const std::string& token);
    /// Reports whether the service knows a token.
    void heard(const HttpRequest& request, const std::string& token, bool known);

private:
    const Site& site_;
    const bool behind_proxy_;
    RateLimit token_, address_, unknown_;
    std::mutex mutex_;
    std::unordered_set<std::string> known_;
};

}  // namespace assay::serve
