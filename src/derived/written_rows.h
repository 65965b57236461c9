// Stores that are made of the rows of others.
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

/// A store to be made beside another one.
struct MadeStore {
    std::string model;
    std::string dataset;                   ///< whose items are `rows`
    std::vector<std::uint32_t> rows = {};  ///< of the source, ascending; empty: all of them
    ScoreKind kind = ScoreKind::logits;
    std::string identity;       ///< changes with what the scores are made of
    nlohmann::json provenance;  ///< an object
    /// Fills the scores of a row of the source that is `ok`; from many threads. The row is of the
    /// source.
    std::function<void(std::uint64_t row, std::span<float> scores)> fill;
    /// Of the same row in all that the scores are made of; ok where all are.
    std::function<RowStatus(std::uint64_t row)> status;
};

/// Writes it as float32 below the RUNS folder of the source, in shards of the source's size. What
/// is there already of the same store stays. Returns its folder. Throws as StoreWriter::open().
std::filesystem::path write_store(const RowReader& source, const MadeStore& made, int threads);

}  // namespace assay::derived
