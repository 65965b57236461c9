// The table at the end of the walkthrough: what matters about each classifier, read from the
// stored predictions.
#pragma once

#include <filesystem>
#include <span>

#include "assay/model/train.h"
#include "cli/table.h"
#include "demo/networks.h"

namespace assay::cli {

/// One line a classifier, in the order of the networks. Data sets that are not under `runs` leave
/// their column out.
Table demo_summary(const std::filesystem::path& runs, std::span<const DemoNetwork> networks,
                   std::span<const TrainReport> reports);

}  // namespace assay::cli
