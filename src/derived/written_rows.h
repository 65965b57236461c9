// Stores that are made from the rows of other stores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"

namespace assay::derived {

/// A store that is written next to another one.
struct MadeStore {
    std::string model;
    std::string dataset;                   ///< name of the data set whose items are `rows`
    std::vector<std::uint32_t> rows = {};  ///< rows of the source, ascending; empty means all of
                                           ///< them
    ScoreKind kind = ScoreKind::logits;
    std::string identity;       ///< changes with all inputs of the scores
    nlohmann::json provenance;  ///< an object
    /// Computes the scores for a row of the source that is `ok`; many threads call it. The row
    /// number is that of the source.
    std::function<void(std::uint64_t row, std::span<float> scores)> fill;
    /// The status of the same row in all sources of the scores; ok if all are ok.
    std::function<RowStatus(std::uint64_t row)> status;
};

/// Writes the store as float32 below the RUNS folder of the source, in shards of the source's size.
/// Existing parts of the same store are kept. Returns its folder. Throws as StoreWriter::open()
/// does.
std::filesystem::path write_store(const RowReader& source, const MadeStore& made, int threads);

}  // namespace assay::derived
