// Computes gaps of each model within groups of images that both data sets have.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/evaluate/gap.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

/// Of the models of `report`, in its order: top-1, and ReaL where images may have several labels.
/// Groups are matched by their names. The gap of a group has the interval of a difference of two
/// independent proportions (Newcombe 1998). Its level is level^(1 / groups), so that all gaps of a
/// model hold together (Sidak 1967). Groups with fewer than fewest_group_images images in a data
/// set have no interval. The interval of the largest true gap ends at the highest of the groups'
/// upper ends at `level`. It begins at the highest of their lower ends at 1 - (1 - level) / groups.
/// Reads the stores once more. Throws usage: an attribute that a data set
/// lacks, too many groups.
std::vector<GapByGroup> gap_by_group(const GapReport& report, const std::array<GapSide, 2>& sides,
                                     const std::vector<std::string>& by, Comm& comm,
                                     const ProgressCallback& progress);

namespace gap_tables {
/// Makes a table for each metric, for the first models or for `all`.
std::vector<Table> groups(const GapReport& report, bool all);
}  // namespace gap_tables

}  // namespace assay
