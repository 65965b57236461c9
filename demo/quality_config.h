// The assay.toml that the demo writes: all quality dimensions of its classifiers.
#pragma once

#include <string>
#include <vector>

#include "demo/networks.h"

namespace assay::cli {

/// For `assay quality run`; paths are relative to the demo's folder.
std::string demo_quality_config(const std::vector<DemoNetwork>& networks);

}  // namespace assay::cli
