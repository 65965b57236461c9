// The record of a study of few labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/few_labels/estimate.h"
#include "assay/store/prediction_store.h"

namespace assay::few_labels {

struct Design {
    std::vector<std::filesystem::path> stores;  ///< absolute
    std::vector<std::string> store_ids;
    Purpose purpose = Purpose::both;
    std::uint64_t seed = 0;
    std::uint64_t images = 0;           ///< images in the pool
    std::vector<std::uint64_t> strata;  ///< number of images in each stratum
    std::vector<std::uint64_t> drawn;   ///< total number after each round
    std::vector<std::string> times;     ///< of the rounds
    /// Numbers of labels at which results were shown without --peek and --stop-at, each once.
    std::vector<std::uint64_t> looks;
    std::uint64_t planned = 0;   ///< --peek of the first look that had it; 0 if none had
    std::uint64_t founders = 0;  ///< classifiers by which the strata were cut: the first ones
    std::vector<std::uint64_t> joined;  ///< classifiers in all, after each time that some joined
    std::vector<std::string> join_times;
    std::uint64_t settled = 0;  ///< images whose answers were known before; not in the strata
    std::string settled_hash;   ///< of settled.csv; "" if there is none
};

std::filesystem::path design_file(const std::filesystem::path& study);
std::filesystem::path questions_file(const std::filesystem::path& study, std::size_t round);
/// Questions about the labels of the classifiers that joined at this time, from 1.
std::filesystem::path added_questions_file(const std::filesystem::path& study, std::size_t time);
std::filesystem::path sample_file(const std::filesystem::path& study);

/// Returns nothing if there is no study. Throws bad_input if it is damaged or has a newer version.
std::optional<Design> read_design(const std::filesystem::path& study);
void write_design(const std::filesystem::path& study, const Design& design);

/// Opens the first `number` stores that the design names. Throws bad_input if one no longer exists
/// or has changed.
std::vector<PredictionStore> open_stores(const Design& design, std::size_t number);
std::vector<PredictionStore> open_stores(const Design& design);

}  // namespace assay::few_labels
