// The progress of a long task, in one struct for all tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace assay {

struct Progress {
    std::string_view step = "";  ///< the current step: "reading", or the name of a data set; "" if
                                 ///< it is obvious
    std::uint64_t done =
        0;  ///< units of work (images, scores, ...) including those of earlier runs
    std::uint64_t total = 0;  ///< 0 if it is not known
    std::uint64_t skipped =
        0;  ///< the part of `done` that earlier runs finished, which the rate must not count
    std::uint64_t failed = 0;  ///< the part of `done` from this run that gave no result, such as
                               ///< unreadable images
    /// For units that differ in cost: the proportion of the work that is done, and the proportion
    /// that was done before this run.
    std::optional<double> work = {}, work_skipped = {};
};

/// Called from time to time on any working thread, one call at a time. May be empty. It must not
/// throw.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace assay
