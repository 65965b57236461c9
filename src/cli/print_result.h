// Code that most commands on stores share: their argument, and their final report.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "assay/report.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace assay::cli {

/// The argument RUNS: stores, or folders of them.
inline void add_stores(CLI::App& app, std::vector<std::filesystem::path>& stores) {
    app.add_option("stores", stores, "Stores, data sets in a RUNS folder, or RUNS folders")
        ->required()
        ->type_name("RUNS");
}

/// Computes a result while showing a progress line, and prints its report. Returns `partial` if
/// some items gave no result, else `done`. `compute` gets the line as its ProgressCallback.
template <class Compute>
Status print_result(const Output& output, std::string label, std::string unit,
                    const Compute& compute) {
    ProgressLine line(std::move(label), std::move(unit));
    const auto result = compute(line);
    line.finish();
    const Report report = report_of(result);
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
