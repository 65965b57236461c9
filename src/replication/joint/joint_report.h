// Reports the effects of labels per image and of selection as tables and sentences.
#pragma once

#include <string>
#include <vector>

#include "assay/replication/joint.h"
#include "assay/report.h"

namespace assay::replication {

/// A warning replaces undefined tables.
void add_joint(const JointReport& joint, const std::vector<std::string>& classifiers,
               Section& section, std::vector<std::string>& warnings);

}  // namespace assay::replication
