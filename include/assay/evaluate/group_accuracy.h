// Accuracy for groups of images (patients, cameras, sexes), and the lowest accuracy of any group.
//
// The lowest of many observed accuracies is low by chance, too: its own interval misses the lowest
// true accuracy most of the time. This interval covers the true one of any group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/metric/measurement.h"

namespace assay {

/// Groups with fewer images, or with fewer clusters, have no interval and cannot be the lowest.
inline constexpr std::uint64_t fewest_group_images = 10, fewest_group_clusters = 5;

struct GroupAccuracy {
    std::string name;  ///< "sex=f,camera=2"
    std::uint64_t correct = 0;
    std::optional<std::uint64_t> clusters;  ///< with `--cluster`
    /// key.subgroup is the name. A group that is too small has no interval.
    Measurement accuracy;
    /// `accuracy` minus that of all other images with a value for the same attributes. The
    /// intervals are simultaneous over groups. Undefined for a single or too small group.
    Measurement difference;
};

struct WithoutValue {
    std::string attribute;
    std::uint64_t images = 0;
};

/// An accuracy of one store, for groups of images.
struct AccuracyByGroup {
    std::vector<std::string> by;  ///< the requested attributes: {"sex,camera", "hospital"}
    std::string metric;           ///< "top1", "real"
    /// key.metric "worst(top1)": the lowest true accuracy. The value is the lowest observed one
    /// without the part that is due to choosing the lowest. `n`: images in any candidate group.
    Measurement worst;
    std::optional<double> observed;  ///< the lowest observed accuracy
    std::string observed_group;      ///< the group with that accuracy
    std::uint64_t candidates = 0;    ///< groups that are large enough to compare
    std::uint64_t too_small = 0;     ///< groups with too few images to compare
    std::uint64_t without = 0;       ///< images that count but are in no group
    /// Images that count but lack a value, for each attribute that some images lack.
    std::vector<WithoutValue> without_value;
    std::vector<GroupAccuracy> groups;  ///< in the order of `by`, then of the values
};

nlohmann::json to_json(const AccuracyByGroup& result);

}  // namespace assay
