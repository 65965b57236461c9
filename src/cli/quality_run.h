// Converts [quality] of an assay.toml to the library's options: `assay quality run` and `assay run`
// do the same.
#pragma once

#include <vector>

#include "assay/quality/run.h"
#include "cli/assay_toml.h"
#include "cli/command.h"

namespace assay::cli {

/// Opens the data sets of the roles, and makes all possible checks before a prediction. Throws as
/// open_role() and quality::check() do.
quality::QualityRunOptions quality_options(const Plan& plan,
                                           const std::vector<LoadedModel>& models);

/// Runs the measurement with progress and the expected duration on stderr. Prints the table and
/// returns the exit status.
int run_quality_step(quality::QualityRunOptions options, const Output& output);

}  // namespace assay::cli
