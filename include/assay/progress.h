// How far a long piece of work is: one shape for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace assay {

struct Progress {
    std::string_view step = "";  ///< what is being done now: "reading", a data set's name; "" where
                                 ///< it goes without saying
    std::uint64_t done =
        0;  ///< units of the work (images, scores, ...), those of earlier runs included
    std::uint64_t total = 0;  ///< 0: not known
    std::uint64_t skipped =
        0;  ///< of `done`: finished by earlier runs, and so without meaning for the rate
    std::uint64_t failed = 0;  ///< of `done`, this run: without a result, as an unreadable image
    /// Where units differ in cost: how much of the work is done, and was before this run, as
    /// proportions.
    std::optional<double> work = {}, work_skipped = {};
};

/// Called now and then on any of the working threads, one call at a time; may be empty. It must not
/// throw.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace assay
