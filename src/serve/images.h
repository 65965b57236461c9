// Image files as browsers are given them: always one that our decoders have read, and that looks as
// the classifiers saw it.
//
// A JPEG, PNG or WebP of at most 2 MiB and 2,048 pixels a side that is upright and does not move
// goes out as it is, with what else stands in it (profiles of colour are the browser's affair). All
// else is decoded, reduced, and goes out as a JPEG.
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
    /// Throws bad_input: no such file, none that is regular, more than 64 MiB, no image, a damaged
    /// one; io; interrupted. Cost: a decode the first time, then a read. Thread-safe.
    ServedImage get(const std::filesystem::path& path, bool small);

private:
    ServedImage kept_under_way(const std::string& name, ServedImage image);

    struct UnderWay {
        std::string_view type;
        std::weak_ptr<const std::string> bytes;
    };

    MemoryBudget budget_{std::uint64_t{512} << 20};  ///< of decoded images
    std::mutex mutex_;
    Recent<ServedImage> made_{std::size_t{64} << 20};  ///< by file, its age and size; in bytes
    /// Files that go out as they are; a name is counted as 256 bytes.
    Recent<std::string_view> fit_{std::size_t{16} << 20};
    /// What somebody is being sent, so that a thousand who take it slowly share one copy.
    std::unordered_map<std::string, UnderWay> under_way_;
    std::size_t forget_at_ = 1024;
};

}  // namespace assay::serve
