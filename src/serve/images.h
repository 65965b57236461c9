// Provides image files for browsers. Our decoders have read each of them, and browsers show them as
// the classifiers saw them.
//
// An upright JPEG, PNG or WebP that is not animated is sent unchanged if it has at most 2 MiB and
// 2,048 pixels per side. Its metadata is sent, too (browsers apply color profiles). All other
// images are decoded, reduced, and sent as JPEG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/memory_budget.h"
#include "serve/recent.h"

namespace assay::serve {

struct ServedImage {
    std::string_view type;  ///< "image/jpeg", ...
    std::shared_ptr<const std::string> bytes;
};

class ServedImages {
public:
    /// Throws bad_input for missing, irregular or damaged files, over 64 MiB, or without an image.
    /// Also io, interrupted. Cost: a decode the first time, then a read. Thread-safe.
    ServedImage get(const std::filesystem::path& path, bool small);

private:
    ServedImage kept_under_way(const std::string& name, ServedImage image);

    struct UnderWay {
        std::string_view type;
        std::weak_ptr<const std::string> bytes;
    };

    MemoryBudget budget_{std::uint64_t{512} << 20};  ///< budget for decoded images
    std::mutex mutex_;
    /// keyed by file, time and size; limit in bytes
    Recent<ServedImage> made_{std::size_t{64} << 20};
    /// The files that can be sent unchanged. A name counts as 256 bytes.
    Recent<std::string_view> fit_{std::size_t{16} << 20};
    /// Images being sent, so that a thousand slow clients share one copy.
    std::unordered_map<std::string, UnderWay> under_way_;
    std::size_t forget_at_ = 1024;
};

}  // namespace assay::serve
