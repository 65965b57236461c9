// What every request passes first: is it for this server, from its own pages, and not too often?
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
    /// Of a token that somebody has: a grid of small images comes at once.
    Rate token{100, 500};
    /// Of an address, requests without such a token: many people may share one.
    Rate address{200, 2000};
    /// Of an address, tokens that nobody has. Guessing 160 bits would fail at any rate; this keeps
    /// those who try from taking other people's turn.
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

    /// Throws Refusal: 421, 405, 403, 415, 429.
    void pass(const HttpRequest& request, std::string_view token);
    /// Whether a large body is worth its memory before it has passed: of a token that somebody has.
    bool may_bring_much(std::string_view token);
    /// A token that somebody has, before its first request: where others behind the same address
    /// try unknown ones, it is none of those.
    void expect(const std::string& token);
    /// What the service says of a token.
    void heard(const HttpRequest& request, const std::string& token, bool known);

private:
    const Site& site_;
    const bool behind_proxy_;
    RateLimit token_, address_, unknown_;
    std::mutex mutex_;
    std::unordered_set<std::string> known_;
};

}  // namespace assay::serve
