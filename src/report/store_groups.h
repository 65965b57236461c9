// The stores of a report, those of the same items together, and stores of attacks by themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/robustness/corrupted_accuracy.h"
#include "report/described_report.h"

namespace assay {

/// A store that is not open: a report may have more of them than there is memory for.
struct ReportStore {
    std::filesystem::path folder;
    std::string model;      ///< no other one of its group has this name
    std::string own_model;  ///< as the store says; of an attack's, the model that was attacked
    std::uint64_t rows = 0;
    StoreProvenance provenance;
};

struct StoreGroup {
    std::string dataset;      ///< no other group has this name
    std::string own_dataset;  ///< as the stores say
    /// "under pgd-linf-8_255", "calibrated (temperature)": all its stores; "": models' own scores.
    std::string variant;
    std::filesystem::path folder;  ///< of the first store's data set
    VersionOf version;             ///< corrupted images
    std::string corrupted_from;    ///< `own_dataset` of the clean images, as far as the name tells
    std::vector<ReportStore> stores;  ///< by model

    std::uint64_t rows() const;
};

/// Data sets of most models first, among these of most items, then by name, and each of them once
/// more for every attack on its images ("val under pgd-linf-8_255") and every way in which scores
/// are calibrated; models by name. What has one name and is not the same is called by as much of
/// its folder as tells it apart, which `warnings` says. Throws as PredictionStore::open().
std::vector<StoreGroup> group_stores(const std::vector<std::filesystem::path>& folders,
                                     std::vector<std::string>& warnings);

}  // namespace assay
