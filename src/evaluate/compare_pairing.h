// What belongs together in two stores: items, classes, labels and images; and how reports tell the
// stores apart.
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

/// Rows of the items that both stores hold, in the baseline's order.
struct Alignment {
    std::vector<std::uint64_t> baseline, candidate;
    std::uint64_t only_baseline = 0, only_candidate = 0, not_scored = 0;
};
Alignment align(const RowReader& a, const RowReader& b);

/// Where the candidate has each class of the baseline; empty where both have it at the same number,
/// as far as is known. Throws bad_input: other classes.
std::vector<std::int32_t> class_places(const PredictionStore& a, const PredictionStore& b);

/// Common items that the candidate's data set labels otherwise; those that it does not label are
/// not counted.
std::uint64_t relabelled(const PredictionStore& a, const PredictionStore& b, const Alignment& rows,
                         std::span<const std::int32_t> places);

/// What the stores' records say of the images of paired items.
struct PairedImages {
    std::uint64_t compared = 0;  ///< pairs whose two images are recorded; 0: nothing tells
    std::uint64_t differ = 0;    ///< of these with other bytes
    std::string first;           ///< the first such item, where images are recorded singly
};
/// Image by image; where only whole shards are recorded, by those of equal shards.
PairedImages paired_images(const RowReader& a, const RowReader& b, const Alignment& rows);

/// What is true of the baseline's items, at the candidate's rows.
Truth carried_over(const Truth& truth, const Alignment& rows, std::uint64_t candidate_rows);

/// The models' names; where several stores hold models of one name, the shortest ends of their
/// folders that differ.
std::vector<std::string> names_of(std::span<const PredictionStore* const> stores);

}  // namespace assay
