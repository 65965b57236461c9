// From rows of labels to the items of a data set, however the rows say which item they mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"

namespace assay {

/// bad_input: the labels are about none of the items, or about another number of them.
class NoItemNamed : public Error {
    using Error::Error;
};

/// Throws bad_input where nothing is there. No path asks for no labels.
void require_labels(const std::filesystem::path& path);

/// Rows in the items' order; or 50,000 rows for images of ImageNet's validation set, found by
/// number. Throws NoItemNamed.
LabelSets rows_in_order(LabelSets rows, const Dataset& dataset, const std::string& source);

struct LabelReading {
    bool minus_one_unlabelled = false;           ///< -1 is no label, even where all others are 1
    bool ask = true;                             ///< as ColumnChoice has it
    bool say_columns = true;                     ///< in a note; false: they have been said
    std::string image_column{}, label_column{};  ///< as ColumnChoice has them; for tables
    bool options = false;                        ///< as ColumnChoice has it
    /// Gets 1 for each item that the file names, 0 for the others: an item with an empty set is
    /// named, too.
    std::vector<char>* named = nullptr;
};
/// read_label_sets(), which also says what the columns were taken for, and how many rows are marked
/// as without a label. Throws UnclearSigns (label_list.h), too.
LabelSets read_label_sets(const std::filesystem::path& path, const Dataset& dataset,
                          const ClassList& classes, LabelMatch& match,
                          std::vector<std::string>& notes, const LabelReading& reading = {});

inline constexpr std::uint32_t no_item = UINT32_MAX;
/// The item that each key means, `no_item` where it means none: by its id, by the end of a longer
/// path that is one, or by the file's name (where no other key says that folders count); each with
/// or without the extension of images. Throws bad_input on a key that means several items, and on
/// keys of other folders that would be one item.
std::vector<std::uint32_t> items_of_keys(const StringColumn& keys, const Dataset& dataset,
                                         const std::string& source);

struct NamedRows {
    StringColumn keys;  ///< an item's id or file name, one per row
    LabelSets rows;
    bool may_repeat = false;  ///< several rows of one item add up
};
/// Items without a row get the empty set (`names` gets 1 for those with one); `match` counts them,
/// and the rows that are no item (but for images of ImageNet's validation set, of which a list of
/// all 50,000 serves any part). Throws NoItemNamed where no row is an item, bad_input on a key that
/// means several or that repeats.
LabelSets rows_by_key(const NamedRows& named, const Dataset& dataset, const std::string& source,
                      LabelMatch* match = nullptr, std::vector<char>* names = nullptr);

}  // namespace assay
