// Reads and writes dataset.json and items.csv, which describe the rows of all stores of a data set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::store {

struct DatasetRecord {
    std::string name;
    std::string root;
    std::uint64_t rows = 0;
    std::string ids_hash;
    std::string labels_hash;      ///< "" if no item has a label
    std::string attributes_hash;  ///< "" if there are no attributes
    std::string corruption;       ///< JSON that describes how each image was changed; "" if
                                  ///< unchanged
    std::uint64_t items_bytes = 0;
    std::string items_xxh128;
    ClassList classes;
    /// The data set's identity: the name, the ids, the facts about each item, the classes, and the
    /// corruption of the images. The location is not part of it.
    std::string id;
    bool has_checksum = true;  ///< false for files from before checksums existed
    /// Each former class list, with the data set's identity at that time. Stores contain the
    /// identity with which they were begun.
    struct Former {
        std::string id;
        ClassList classes;
    };
    std::vector<Former> former = {};
};

/// True if a store with this identity belongs to the data set.
bool was_called(const DatasetRecord& record, std::string_view id);

/// A description that is not written yet, so it lacks the facts about its items file.
DatasetRecord new_record(const std::string& name, const std::string& ids_hash,
                         const Dataset& dataset, std::string_view corruption);
std::string dataset_text(const DatasetRecord& record);
DatasetRecord parse_dataset_record(std::string_view text);
DatasetRecord read_dataset_record(const std::filesystem::path& dataset_folder);

/// Writes both files if they are missing. Otherwise checks that they describe the same items,
/// labels, classes and corruption. A lock of the data set makes concurrent writers of several
/// models take turns. Returns the recorded description.
DatasetRecord ensure_dataset(const std::filesystem::path& dataset_folder, const std::string& name,
                             const std::string& ids_hash, const Dataset& dataset,
                             std::string_view corruption = {});
/// The identity that ensure_dataset() would give the data set in an empty folder.
std::string identity_of(const std::string& name, const Dataset& dataset,
                        std::string_view corruption = {});
/// Throws bad_input, with the difference, if the existing data set's images were corrupted
/// differently.
void check_corruption(const std::filesystem::path& dataset_folder, std::string_view corruption);
/// Records another folder for the images of a data set. Does nothing if the record cannot be
/// written.
void move_root(const std::filesystem::path& dataset_folder, const std::filesystem::path& root);
/// Gives the data set another class list by replacing one file. Scores and labels keep their class
/// numbers. A run with an earlier list may continue. Returns the recorded description. Throws
/// bad_input for another number of classes. Also throws busy and io.
DatasetRecord set_classes(const std::filesystem::path& dataset_folder, const ClassList& classes);
/// Rebuilds the arrays next to items.csv if they are missing or damaged. The arrays only save time,
/// so readers work without them if they cannot be written. `record` must be already checked.
void mend_item_columns(const DatasetRecord& record, const std::filesystem::path& dataset_folder);
/// Describes a problem with the arrays next to items.csv, which readers then ignore. "" if there is
/// no problem, or if they do not exist.
std::string item_columns_problem(const std::filesystem::path& dataset_folder);
/// Reads both files and checks them against each other.
Dataset load_dataset(const std::filesystem::path& dataset_folder);

}  // namespace assay::store
