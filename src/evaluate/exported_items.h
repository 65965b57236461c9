// The items of one store as `assay export` writes them, for any format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "evaluate/export_fields.h"
#include "evaluate/truth.h"

namespace assay {

/// The exported data of one item.
struct ExportLine {
    std::uint64_t item = 0;
    RowStatus status = RowStatus::ok;
    std::span<const std::int32_t> labels;
    RowPrediction row;
    std::vector<RankedClass> best;  ///< at least two if that many are stored
};

/// Keeps a reference to the store. Several threads may read and write.
class ExportedItems {
public:
    ExportedItems(const PredictionStore& store, const ScoreOptions& options, std::size_t top,
                  bool with_scores);

    ExportLine read(std::uint64_t item) const;

    void write(const ExportLine& line, LineFields& out) const;

    std::uint64_t rows() const { return store_.rows(); }

private:
    std::string name_of_class(std::int32_t c) const;
    void write_class(const std::string& name, std::int32_t c, LineFields& out) const;

    const PredictionStore& store_;
    Truth truth_;
    RowReader reader_;
    ClassList classes_;
    std::size_t top_;
    bool with_scores_;
};

}  // namespace assay
