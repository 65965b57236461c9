// Label and confidence of every image by one classifier, three bytes an image, in two files that
// NumPy opens.
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
    std::string labels_hash, confidences_hash;  ///< as hash_file() of the files
    std::uint64_t scored = 0;
    /// Images by confidence, for a threshold that is a proportion of them.
    std::vector<std::uint64_t> by_confidence;
    /// Of each image_block_rows images in a row, what their files were when they were predicted; 0
    /// where the store does not know it of all of them (imports).
    std::vector<std::uint64_t> image_blocks;
};
inline constexpr std::uint64_t image_block_rows = 4096;
/// Takes the predicted class of each row and its probability out of a store. `places`: where the
/// store has each class (places_in()), or none. Memory: 3 MiB; cost: one read of the store. Throws
/// bad_input: shards are missing, confidences mean nothing. `taken`: rows that take part; empty:
/// all. The others get no label. `level_of`: quantised(), or as an earlier competition has it.
WrittenPredictions write_predictions(const std::filesystem::path& folder,
                                     const PredictionStore& store,
                                     const std::vector<std::int32_t>& places,
                                     const std::vector<bool>& taken,
                                     std::uint8_t (*level_of)(double), int threads,
                                     const ProgressCallback& progress);

}  // namespace assay::mad
