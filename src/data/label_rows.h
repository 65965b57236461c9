// Assigns rows of labels to the items of a data set, however the rows identify items.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"

namespace assay {

/// A bad_input error because the labels match none of the items, or have the wrong number.
class NoItemNamed : public Error {
    using Error::Error;
};

/// Throws bad_input if the path does not exist. An empty path requests no labels.
void require_labels(const std::filesystem::path& path);

/// Rows in the items' order, or 50,000 rows for images of ImageNet's validation set, found by
/// number. Throws NoItemNamed.
LabelSets rows_in_order(LabelSets rows, const Dataset& dataset, const std::string& source);

struct LabelReading {
    bool minus_one_unlabelled = false;           ///< -1 is no label, even if all others are 1
    bool ask = true;                             ///< as in ColumnChoice
    bool say_columns = true;                     ///< name columns in a note; false if another did
    std::string image_column{}, label_column{};  ///< as in ColumnChoice, for tables
    bool options = false;                        ///< errors may suggest options, as in ColumnChoice
    /// Gets 1 for each item that the file names, and 0 for other items. An item with an empty set
    /// counts as named.
    std::vector<char>* named = nullptr;
};
/// Like read_label_sets(), with notes on how columns were interpreted and on the number of
/// unlabeled rows. Also throws UnclearSigns (label_list.h).
LabelSets read_label_sets(const std::filesystem::path& path, const Dataset& dataset,
                          const ClassList& classes, LabelMatch& match,
                          std::vector<std::string>& notes, const LabelReading& reading = {});

inline constexpr std::uint32_t no_item = UINT32_MAX;
/// The item that each key means, or `no_item` if none. A key matches by the item's id, or by the
/// end of a longer path that is an id. It also matches by the file's name, unless another key shows
/// that folders count. All of these also match without an image's extension. Throws bad_input for a
/// key that matches several items, and for keys in different folders that match the same item.
std::vector<std::uint32_t> items_of_keys(const StringColumn& keys, const Dataset& dataset,
                                         const std::string& source);

struct NamedRows {
    StringColumn keys;  ///< one id or file name of an item per row
    LabelSets rows;
    bool may_repeat = false;  ///< several rows of one item are combined
};
/// Items without a row get the empty set, and `names` gets 1 for items with a row. `match` counts
/// items without a row and rows without an item. A list of all 50,000 labels of ImageNet's
/// validation set may be used for any part of it. Throws NoItemNamed if no row matches an item, and
/// bad_input for a key that matches several items or repeats.
LabelSets rows_by_key(const NamedRows& named, const Dataset& dataset, const std::string& source,
                      LabelMatch* match = nullptr, std::vector<char>* names = nullptr);

}  // namespace assay
