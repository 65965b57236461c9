// The options that `score` and `compare` share.
#pragma once

#include <CLI/App.hpp>

#include "assay/evaluate/measure_options.h"
#include "evaluate/options_used.h"

namespace assay::cli {

/// Adds --metrics, --plugin, --labels, --subgroups, ..., and --gate if `gates` is set.
void add_measure_options(CLI::App& app, MeasureOptions& options, bool gates = true);

/// Sets `given` while the options of Resampling, which `app` must have, are parsed. Both must live
/// until then.
void note_resampling(CLI::App& app, GivenResampling& given);

}  // namespace assay::cli
