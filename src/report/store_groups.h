// The stores of a report, grouped by equal items, with separate groups for stores of attacks, of
// smoothed models and of calibrated scores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/robustness/corrupted_accuracy.h"
#include "report/described_report.h"

namespace assay {

/// A store that is not open, because a report may have more stores than fit in memory.
struct ReportStore {
    std::filesystem::path folder;
    std::string model;      ///< unique within its group
    std::string own_model;  ///< the name in the store; for an attack, the attacked model
    std::uint64_t rows = 0;
    StoreProvenance provenance;
};

struct StoreGroup {
    std::string dataset;      ///< unique among all groups
    std::string own_dataset;  ///< the name in the stores
    /// "under pgd-linf-8_255", "calibrated (temperature)" for all stores of the group; "" for
    /// models' own scores.
    std::string variant;
    std::filesystem::path folder;  ///< folder of the first store's data set
    VersionOf version;             ///< corrupted images
    std::string corrupted_from;    ///< `own_dataset` of the clean images, if the name contains it
    std::vector<ReportStore> stores;  ///< by model

    std::uint64_t rows() const;
};

/// Data sets of most models come first, among these those of most items, then by name. Each of them
/// appears once more for every attack on its images ("val under pgd-linf-8_255") and every way in
/// which scores are calibrated. Models are sorted by name. What has one name and is not the same is
/// called by as much of its folder as tells it apart, which `warnings` says. Throws as
/// PredictionStore::open().
std::vector<StoreGroup> group_stores(const std::vector<std::filesystem::path>& folders,
                                     std::vector<std::string>& warnings);

}  // namespace assay
