// What [quality] of an assay.toml asks for, as the library takes it: `assay quality run` and `assay
// run` do the same.
#pragma once

#include <vector>

#include "assay/quality/run.h"
#include "cli/assay_toml.h"
#include "cli/command.h"

namespace assay::cli {

/// Opens the data sets of the roles, and checks all that can be before a prediction. Throws as
/// open_role() and quality::check().
quality::QualityRunOptions quality_options(const Plan& plan,
                                           const std::vector<LoadedModel>& models);

/// Runs it, with progress and what it will take on stderr, and prints the table; returns the exit
/// status.
int run_quality_step(quality::QualityRunOptions options, const Output& output);

}  // namespace assay::cli
