// Labels per image and selection as tables and sentences.
#pragma once

#include <string>
#include <vector>

#include "assay/replication/joint.h"
#include "assay/report.h"

namespace assay::replication {

/// A warning stands in place of tables that are undefined.
void add_joint(const JointReport& joint, const std::vector<std::string>& classifiers,
               Section& section, std::vector<std::string>& warnings);

}  // namespace assay::replication
