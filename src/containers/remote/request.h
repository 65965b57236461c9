// Ranges of bytes of objects at URLs.
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

/// What an object was when it was first asked for. Later answers must be of the same.
struct Version {
    std::uint64_t size = 0;
    /// The server's ETag, or else its time of last change; "" where it tells neither.
    std::string tag;
    bool operator==(const Version&) const = default;
};

struct Patience {
    int tries = 8;
    std::chrono::milliseconds first_pause{
        500};  ///< then twice as long each time, and by chance more
    std::chrono::milliseconds longest_pause{20'000};
    std::chrono::milliseconds connecting{20'000};
    std::chrono::milliseconds silence{30'000};  ///< without a byte
};

struct Range {
    std::vector<std::byte> bytes;
    Version version;
};

/// The bytes from `first` on: `count` of them, fewer at the object's end. `known`: as which it was
/// known. What may pass (no connection, silence, a short answer, 408, 429, 5xx) is tried again.
/// Throws unreachable: the message names the range, what the server said, and how often it was
/// asked; or a server that changed the object, does not know ranges, or answers with another range.
/// Throws interrupted as soon as cancelled() says so. At most 5 redirections are followed, none
/// from https to http; credentials go to no other host.
Range get_range(const Connection& connection, const Place& place, std::uint64_t first,
                std::uint64_t count, const std::optional<Version>& known, const Patience& patience,
                const std::function<bool()>& cancelled);

}  // namespace assay::remote
