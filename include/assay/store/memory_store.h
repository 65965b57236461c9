// A prediction store of scores that somebody else holds in memory: what notebooks and training
// loops have. Nothing is written; whatever reads stores reads it, and gives the bits that it gives
// for the same numbers imported (import.h), but for the order of float64 numbers that are one as
// float32.
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

/// Numbers of a matrix with any strides. Does not own them.
struct ScoreMatrix {
    const void* data = nullptr;
    NumberType type = NumberType::f4;
    std::uint64_t rows = 0;
    /// 0: one whole number a row, the predicted class; then `type` is no floating-point one.
    std::uint32_t columns = 0;
    std::int64_t row_stride = 0, column_stride = 0;  ///< bytes; may be negative
    std::shared_ptr<const void> owner{};  ///< keeps `data` valid as long as the store is there
};

struct MemoryStoreOptions {
    std::string dataset_name = "data", model_name = "model";
    /// None: found out from all rows, as of an import. Told: believed, and no row is looked at.
    std::optional<ScoreKind> kind{};
    ClassList classes{};            ///< empty: ImageNet's where there are 1000, else numbers
    std::uint32_t class_count = 0;  ///< of predicted classes without `classes`: needed
    StringColumn ids{};             ///< one a row; empty: row numbers
    LabelSets labels{};             ///< one set a row; none: no labels
    std::vector<Dataset::Attribute> attributes{};
    int threads = 0;  ///< 0: one per core
};

// PredictionStore::in_memory(scores, options, notes): float32 rows that lie packed are read where
// they are, float16 ones too; other numbers become floats shard by shard whenever they are read, so
// that no copy of all of them is made. Metrics that rank items (AUROC, AURC, ...) read float64
// numbers as they are. The numbers must not change as long as the store is there. Rows with a NaN
// (or an infinity, as write_shard() has it) count as not_finite. `notes`: what was assumed, for
// people. Throws usage (no rows, no columns, a matrix of whole numbers, predicted classes without
// class_count), bad_input (kinds that the rows do not tell, lists of other lengths, repeated ids, a
// predicted class that is none).

}  // namespace assay
