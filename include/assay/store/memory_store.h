// A prediction store for scores that a caller holds in memory, such as a notebook or a training
// loop. Nothing is written. All readers of stores accept it, and give the same results as for the
// same numbers imported (import.h). The only exception is the order of float64 numbers that are
// equal as float32.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/number_type.h"
#include "assay/store/prediction_store.h"
#include "assay/store/score_kind.h"

namespace assay {

/// A matrix of numbers with any strides. It does not own them.
struct ScoreMatrix {
    const void* data = nullptr;
    NumberType type = NumberType::f4;
    std::uint64_t rows = 0;
    /// 0 means one integer per row, the predicted class; `type` must then be an integer type.
    std::uint32_t columns = 0;
    std::int64_t row_stride = 0, column_stride = 0;  ///< bytes; may be negative
    std::shared_ptr<const void> owner{};  ///< keeps `data` valid as long as the store exists
};

struct MemoryStoreOptions {
    std::string dataset_name = "data", model_name = "model";
    /// Without a value, the kind is detected from all rows, as in an import. A given kind is not
    /// checked against the rows.
    std::optional<ScoreKind> kind{};
    ClassList classes{};            ///< empty: ImageNet's for 1000 classes, else numbers
    std::uint32_t class_count = 0;  ///< required for predicted classes without `classes`
    StringColumn ids{};             ///< one per row; empty uses row numbers
    LabelSets labels{};             ///< one set per row; none means no labels
    std::vector<Dataset::Attribute> attributes{};
    int threads = 0;  ///< 0 uses one per core
};

// PredictionStore::in_memory(scores, options, notes): contiguous float32 and float16 rows are read
// in place. Other numbers are converted to floats shard by shard at each read, so that they are
// never all copied. Metrics that rank items (AUROC, AURC, ...) read float64 numbers directly. The
// numbers must not change as long as the store exists. Rows with a NaN (or an infinity, as in
// write_shard()) count as not_finite. `notes` gets assumptions, for people. Throws usage: no rows,
// no columns, a matrix of integers, predicted classes without class_count. Throws bad_input: rows
// that do not reveal their kind, lists of wrong length, repeated ids, an invalid predicted class.

}  // namespace assay
