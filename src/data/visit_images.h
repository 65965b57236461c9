// Reads and decodes the images of a data set: one, or many on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/data/dataset.h"
#include "assay/image/image.h"
#include "assay/progress.h"
#include "core/memory_budget.h"

namespace assay {

/// Decodes an image within the limits and hands it to `use`. `read`, unless empty, receives the
/// bytes of the file before they are decoded. Returns why the image could not be read or used,
/// including a lack of memory. Throws errors that end a run. The pixels count towards `memory`,
/// which threads share.
std::optional<std::string> visit_image(const Dataset& dataset, std::size_t item,
                                       const DecodeLimits& limits, MemoryBudget& memory,
                                       const std::function<void(std::span<const std::byte>)>& read,
                                       const std::function<void(const Image&)>& use);

/// Calls `visit` for each of the `images` places from 0, on any thread, several at once. `visit`
/// calls visit_image() with this memory, and returns whether the image could be read. After each
/// image `progress` gets the name of the `step`. Throws interrupted.
void visit_images(std::string_view step, std::size_t images, int threads,
                  const std::function<bool(std::size_t place, MemoryBudget& memory)>& visit,
                  const ProgressCallback& progress);

}  // namespace assay
