// The label and confidence of every image from one classifier, three bytes per image, in two files
// that NumPy can open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/select.h"
#include "assay/progress.h"
#include "assay/store/prediction_store.h"

namespace assay::mad {

std::filesystem::path labels_file(const std::filesystem::path& folder, std::string_view name);
std::filesystem::path confidences_file(const std::filesystem::path& folder, std::string_view name);

struct WrittenPredictions {
    std::string labels_hash, confidences_hash;  ///< results of hash_file() for the two files
    std::uint64_t scored = 0;
    /// The number of images per confidence, for a threshold that is a proportion of them.
    std::vector<std::uint64_t> by_confidence;
    /// For each block of image_block_rows images: a hash of their files at the time of prediction.
    /// It is 0 if the store does not know all of them (imports).
    std::vector<std::uint64_t> image_blocks;
};
inline constexpr std::uint64_t image_block_rows = 4096;
/// Copies the predicted class and probability of each row from a store. `places` gives the store's
/// position of each class (places_in()), or is empty. Memory: 3 MiB; cost: one read of the store.
/// Throws bad_input for missing shards, meaningless confidences. `taken` marks the rows to use;
/// empty means all. Other rows get no label. `level_of` is quantised(), or the function that an
/// older competition uses.
WrittenPredictions write_predictions(const std::filesystem::path& folder,
                                     const PredictionStore& store,
                                     const std::vector<std::int32_t>& places,
                                     const std::vector<bool>& taken,
                                     std::uint8_t (*level_of)(double), int threads,
                                     const ProgressCallback& progress);

}  // namespace assay::mad
