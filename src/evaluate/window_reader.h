// Reads images and reduces them to the windows that are corrupted.
#pragma once

#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "assay/error.h"
#include "assay/robustness/corrupted_accuracy.h"
#include "core/memory_budget.h"
#include "evaluate/prediction_run.h"

namespace assay {

/// Reads images and reduces them to the windows that are corrupted.
class WindowReader {
public:
    /// `memory` is for decoding and corrupting. All arguments must outlive this.
    WindowReader(const Dataset& dataset, const CorruptedVersions& versions, DecodeLimits limits,
                 MemoryBudget& memory)
        : dataset_(dataset), versions_(versions), limits_(std::move(limits)), memory_(memory) {}

    /// Reads the window from the image's file; returns the problem, if any. `read` receives the
    /// facts about the file.
    std::optional<std::string> cut(std::uint64_t row, Image& window, ReadImage& read) const {
        return prediction::use_image(
            dataset_, row, limits_, memory_,
            [&](const Image& image) { window = versions_.window(image); }, &read);
    }

    Image make(const CorruptionVersion& what, const Image& window, std::uint64_t row) const {
        // Does not wait for smaller shares of memory.
        constexpr std::uint64_t small_share = std::uint64_t{32} << 20;
        MemoryBudget::Share share;
        const std::uint64_t bytes = CorruptedVersions::memory(window.width, window.height);
        if (bytes > small_share) share = memory_.take(bytes);
        return versions_.make(what, window, dataset_.ids[static_cast<std::size_t>(row)]);
    }

    /// True if the version can be made now. Caches the result, because the stores of one run mostly
    /// lack the same images.
    bool can_be_made(const CorruptionVersion& which, std::uint64_t row) {
        const auto known = sides_.find(row);
        std::pair<int, int> sides{0, 0};
        if (known != sides_.end()) {
            sides = known->second;
        } else {
            Image window;
            ReadImage read;
            if (!cut(row, window, read)) sides = {window.width, window.height};
            sides_.emplace(row, sides);
        }
        return sides.first > 0 && unless_unreadable([&] {
                                      versions_.check_size(which, sides.first, sides.second);
                                  }).empty();
    }

    /// Runs `body`; returns why there is no image, or "".
    template <class Body>
    static std::string unless_unreadable(Body&& body) {
        try {
            body();
        } catch (const Error& error) {
            if (ends_the_run(error)) throw;
            return error.message();
        } catch (const std::bad_alloc&) {
            return "there is not enough memory to decode it";
        }
        return {};
    }

private:
    const Dataset& dataset_;
    const CorruptedVersions& versions_;
    DecodeLimits limits_;
    MemoryBudget& memory_;
    std::map<std::uint64_t, std::pair<int, int>> sides_;
};

}  // namespace assay
