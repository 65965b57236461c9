// The table at the end of the demo: the main results of each classifier, from the stored
// predictions.
#pragma once

#include <filesystem>
#include <span>

#include "assay/model/train.h"
#include "assay/report.h"
#include "demo/networks.h"

namespace assay::cli {

/// One line per classifier, in the order of the networks. A data set that is not under `runs` has
/// no column.
Report demo_summary(const std::filesystem::path& runs, std::span<const DemoNetwork> networks,
                    std::span<const TrainReport> reports);

}  // namespace assay::cli
