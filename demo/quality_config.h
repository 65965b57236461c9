// The assay.toml that the demo writes: all quality dimensions of its classifiers.
#pragma once

#include <string>
#include <vector>

#include "demo/networks.h"

namespace assay::cli {

/// The file is for `assay quality run`. Paths are relative to the demo's folder.
std::string demo_quality_config(const std::vector<DemoNetwork>& networks);

}  // namespace assay::cli
