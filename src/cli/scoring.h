// The options that `score` and `compare` share.
#pragma once

#include <CLI/App.hpp>

#include "assay/evaluate/measure_options.h"

namespace assay::cli {

/// Adds --metrics, --plugin, --labels, --subgroups, ..., and --gate if `gates` is set.
void add_measure_options(CLI::App& app, MeasureOptions& options, bool gates = true);

}  // namespace assay::cli
