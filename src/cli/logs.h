// The measurements of a command for experiment trackers: --log and --log-step.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <vector>

#include "assay/report.h"
#include "assay/report/log.h"

namespace assay::cli {

struct Logs {
    std::vector<LogTarget> targets;
    std::uint64_t step = 0;
    std::uint64_t time = 0;  ///< time of the events: SOURCE_DATE_EPOCH, otherwise the start of the
                             ///< command

    void add_to(CLI::App& app);
    /// A file of lines is replaced as a whole; a folder gets an additional event file, which is
    /// written under another name and renamed. Throws io.
    void write(const Report& report) const;
};

}  // namespace assay::cli
