// Requests ranges of bytes of objects at URLs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "containers/remote/curl.h"
#include "containers/remote/place.h"

namespace assay::remote {

/// Identifies the version of an object at the first request. Later responses must have the same
/// version.
struct Version {
    std::uint64_t size = 0;
    /// The server's ETag, or else its time of last change, or "" if it gives neither.
    std::string tag;
    bool operator==(const Version&) const = default;
};

struct Patience {
    int tries = 8;
    std::chrono::milliseconds first_pause{500};  ///< doubled each time, plus a random part
    std::chrono::milliseconds longest_pause{20'000};
    std::chrono::milliseconds connecting{20'000};
    std::chrono::milliseconds silence{30'000};  ///< longest time without a byte
};

struct Range {
    std::vector<std::byte> bytes;
    Version version;
};

/// Fetches `count` bytes from `first` on, or fewer at the object's end. `known` is its known
/// version. Temporary failures (no connection, silence, a short response, 408, 429, 5xx) are
/// retried. Throws unreachable, naming the range, the server's response and the number of tries.
/// Also throws unreachable if the object changed on the server, or if the server does not support
/// ranges or sends another range. Throws interrupted as soon as cancelled() returns true. At most 5
/// redirections are followed, none from https to http; credentials go to no other host.
Range get_range(const Connection& connection, const Place& place, std::uint64_t first,
                std::uint64_t count, const std::optional<Version>& known, const Patience& patience,
                const std::function<bool()>& cancelled);

}  // namespace assay::remote
