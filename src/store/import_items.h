// Determines the item and labels of each row in an imported file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/store/import.h"
#include "store/annotated_items.h"
#include "store/score_source.h"

namespace assay::store {

struct ImportedItems {
    Dataset dataset;
    std::vector<std::uint32_t> order;  ///< the file's row for each item; empty if the order is the
                                       ///< same
    std::uint64_t left_out = 0;        ///< rows of the file that match no item

    std::uint64_t row_of(std::uint64_t item) const {
        return order.empty() ? item : order[static_cast<std::size_t>(item)];
    }
};

/// `classes` are the classes of the scores. `annotated` is the content of options.ids if it is
/// JSON. If the `existing` data set has the same items, its order and spelling of ids are used.
/// Throws bad_input for repeated or empty ids, items without a row, or different numbers of items
/// and rows without ids to match them. Also throws the errors of read_label_sets().
ImportedItems imported_items(ScoreSource& source, const ImportOptions& options,
                             const ClassList& classes, const AnnotatedItems* annotated,
                             const std::optional<Dataset>& existing,
                             std::vector<std::string>& notes);

}  // namespace assay::store
