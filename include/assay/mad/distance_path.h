// The way between two classes in a hierarchy whose length is their distance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/hierarchy.h"
#include "assay/mad/distance.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::mad {

struct DistanceStep {
    std::string id, name;
    std::string edge;   ///< to this node from the one before it: "up" or "down"; "" for the first
    double weight = 0;  ///< of this edge
};
ResultType result_type(ResultOf<DistanceStep>);

struct DistancePath {
    std::string first, second;        ///< ids
    std::string definition;           ///< name of the reading
    double distance = 0;              ///< sum of the weights, exact
    std::vector<DistanceStep> steps;  ///< from the first to the second; one if they are the same
};

/// Finds the shortest way by a reading, as ClassDistances does; of several, always the same. The
/// graph_closure_* readings use the nodes that the hierarchy has. `first` and `second` are names as
/// in Hierarchy::find(). Throws usage for an unknown or ambiguous node, with the nearest names, and
/// for a reading without a hierarchy. Throws bad_input as ClassDistances does. Cost: two searches.
DistancePath distance_path(const Hierarchy& hierarchy, DistanceReading reading,
                           std::string_view first, std::string_view second);
/// Schema "assay.mad_distance/1".
ResultType result_type(ResultOf<DistancePath>);
Report report_of(const DistancePath& path);

}  // namespace assay::mad
