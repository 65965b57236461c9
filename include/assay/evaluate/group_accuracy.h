// Accuracy by group of images (patients, cameras, sexes), and of the group with the lowest one.
//
// The lowest of many observed accuracies is low by chance, too: its own interval misses the lowest
// true accuracy most of the time. The interval here is for that truth, whichever group it is of.
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
    /// key.subgroup: the name. Without an interval in a group that is too small.
    Measurement accuracy;
    /// Less the accuracy of all other images that have a value of the same attributes. The
    /// intervals of all groups hold together. Undefined for a single group, and one too small.
    Measurement difference;
};

struct WithoutValue {
    std::string attribute;
    std::uint64_t images = 0;
};

/// One accuracy of one store, by groups.
struct AccuracyByGroup {
    std::vector<std::string> by;  ///< as they were asked for: {"sex,camera", "hospital"}
    std::string metric;           ///< "top1", "real"
    /// key.metric "worst(top1)": the lowest true accuracy. The value is the lowest observed one
    /// without the part that is due to choosing the lowest. n: images in any candidate.
    Measurement worst;
    std::optional<double> observed;  ///< the lowest observed accuracy
    std::string observed_group;      ///< of the group that has it
    std::uint64_t candidates = 0;    ///< groups that are large enough
    std::uint64_t too_small = 0;     ///< groups that are not
    std::uint64_t without = 0;       ///< images that count and are in no group
    /// Images that count and lack a value, by each attribute for which there are some.
    std::vector<WithoutValue> without_value;
    std::vector<GroupAccuracy> groups;  ///< in the order of `by`, then of the values
};

nlohmann::json to_json(const AccuracyByGroup& result);

}  // namespace assay
