// The items of one store as typed columns, some thousand items per request. The data are those of
// export_items().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/evaluate/export.h"
#include "assay/store/prediction_store.h"
#include "containers/column_table.h"

namespace assay {

class ItemPieces {
public:
    /// `store` must outlive this object. The options' paths and format are not used. Throws as
    /// export_items() does.
    ItemPieces(const PredictionStore& store, const ExportOptions& options);
    ~ItemPieces();

    const std::vector<ColumnSpec>& columns() const noexcept;
    /// Reads the next items, at most 65,536 and about 64 MiB; returns false if there are no more.
    bool next(ColumnTable& rows);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
