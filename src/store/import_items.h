// Which item each row of an imported file is about, and what its labels are.
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
    std::vector<std::uint32_t> order;  ///< the file's row of each item; empty: the same
    std::uint64_t left_out = 0;        ///< rows of the file that are no item's

    std::uint64_t row_of(std::uint64_t item) const {
        return order.empty() ? item : order[static_cast<std::size_t>(item)];
    }
};

/// `classes`: of the scores. `annotated`: what options.ids holds, where it is JSON. `existing`: the
/// data set that is there already, whose order and spelling of ids are taken where the items are
/// the same. Throws bad_input: ids that repeat or are empty, items without a row, other numbers of
/// items and rows where no ids say which is which, and as read_label_sets().
ImportedItems imported_items(ScoreSource& source, const ImportOptions& options,
                             const ClassList& classes, const AnnotatedItems* annotated,
                             const std::optional<Dataset>& existing,
                             std::vector<std::string>& notes);

}  // namespace assay::store
