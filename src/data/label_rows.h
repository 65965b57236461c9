// From rows of labels to the items of a data set, however the rows say which item they mean.
#pragma once

#include <filesystem>
#include <string>

#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"

namespace assay {

/// Throws bad_input where nothing is there. No path asks for no labels.
void require_labels(const std::filesystem::path& path);

/// Rows in the items' order; or 50,000 rows for images of ImageNet's validation set, found by
/// number.
LabelSets rows_in_order(LabelSets rows, const Dataset& dataset, const std::string& source);

struct NamedRows {
    StringColumn keys;  ///< an item's id or file name, one per row
    LabelSets rows;
    bool may_repeat = false;  ///< several rows of one item add up
    bool stems = false;       ///< keys have no extension
};
/// Items without a row get the empty set, and are counted in `unnamed`. Throws bad_input on a key
/// that is no item (but for images of ImageNet's validation set a list of all 50,000 serves any
/// part of them), that means several, or that repeats.
LabelSets rows_by_key(const NamedRows& named, const Dataset& dataset, const std::string& source,
                      std::uint64_t* unnamed = nullptr);

}  // namespace assay
