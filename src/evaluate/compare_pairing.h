// Matches items, classes, labels and images of two stores, and names the stores in reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "evaluate/truth.h"

namespace assay {

/// Rows of the items in both stores, in the baseline's order.
struct Alignment {
    std::vector<std::uint64_t> baseline, candidate;
    std::uint64_t only_baseline = 0, only_candidate = 0, not_scored = 0;
};
Alignment align(const RowReader& a, const RowReader& b);

/// The candidate's place for each class of the baseline; empty if both have the same order, as far
/// as is known. Throws bad_input for different classes.
std::vector<std::int32_t> class_places(const PredictionStore& a, const PredictionStore& b);

/// Common items with a different label in the candidate's data set, without unlabelled items.
std::uint64_t relabelled(const PredictionStore& a, const PredictionStore& b, const Alignment& rows,
                         std::span<const std::int32_t> places);

/// The information of the stores' records about the images of paired items.
struct PairedImages {
    std::uint64_t compared = 0;  ///< pairs whose two images are recorded; 0 means that nothing is
                                 ///< known
    std::uint64_t differ = 0;    ///< pairs among these with different bytes
    std::string first;           ///< the first such item, if images are recorded individually
};
/// Compares image by image. If only whole shards are recorded, it uses equal shards.
PairedImages paired_images(const RowReader& a, const RowReader& b, const Alignment& rows);

/// The truth for the baseline's items, moved to the candidate's rows.
Truth carried_over(const Truth& truth, const Alignment& rows, std::uint64_t candidate_rows);

/// The models' names; if several stores have models with the same name, the shortest distinct
/// suffixes of their folders.
std::vector<std::string> names_of(std::span<const PredictionStore* const> stores);

}  // namespace assay
