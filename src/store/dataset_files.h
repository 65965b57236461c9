// dataset.json and items.csv: what the rows of all the stores of one data set are.
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
    std::string labels_hash;      ///< "" when no item has a label
    std::string attributes_hash;  ///< "" when there are none
    std::string corruption;       ///< JSON: what was done to each image; "": nothing
    std::uint64_t items_bytes = 0;
    std::string items_xxh128;
    ClassList classes;
    /// What tells data sets apart: the name, the ids, what is known of each item, the classes, and
    /// what was done to the images; not where they are.
    std::string id;
    bool has_checksum = true;  ///< not so in files of before there was one
    /// Each list of classes that it had before, with the identity that it had by it: stores name
    /// the one that they were begun with.
    struct Former {
        std::string id;
        ClassList classes;
    };
    std::vector<Former> former = {};
};

/// Whether a store that names this identity of its data set is one of the data set's.
bool was_called(const DatasetRecord& record, std::string_view id);

/// A description that is not written yet: without what is of the file of its items.
DatasetRecord new_record(const std::string& name, const std::string& ids_hash,
                         const Dataset& dataset, std::string_view corruption);
std::string dataset_text(const DatasetRecord& record);
DatasetRecord parse_dataset_record(std::string_view text);
DatasetRecord read_dataset_record(const std::filesystem::path& dataset_folder);

/// Writes both files when they are missing; when they are there, checks that they describe the same
/// items, labels, classes and corruption. Writers of several models may come at once: a lock of the
/// data set's own makes them take turns. What is recorded then.
DatasetRecord ensure_dataset(const std::filesystem::path& dataset_folder, const std::string& name,
                             const std::string& ids_hash, const Dataset& dataset,
                             std::string_view corruption = {});
/// The identity that ensure_dataset() gives it in a folder where nothing is there.
std::string identity_of(const std::string& name, const Dataset& dataset,
                        std::string_view corruption = {});
/// Throws bad_input where a data set is described there whose images were corrupted otherwise, with
/// what differs.
void check_corruption(const std::filesystem::path& dataset_folder, std::string_view corruption);
/// Has the images of a data set looked for in another folder from now on. Does nothing where the
/// record cannot be written.
void move_root(const std::filesystem::path& dataset_folder, const std::filesystem::path& root);
/// Gives its scores and labels, which stay numbers, another list of classes: one file is replaced.
/// What a run with an earlier list asks for goes on. What is recorded then. Throws bad_input:
/// another number of classes than are named there; busy; io.
DatasetRecord set_classes(const std::filesystem::path& dataset_folder, const ClassList& classes);
/// Makes the arrays beside items.csv anew where they are missing or damaged. They only save time:
/// where they cannot be written, readers do without. `record`: what is there, checked.
void mend_item_columns(const DatasetRecord& record, const std::filesystem::path& dataset_folder);
/// What is wrong with the arrays beside items.csv, which readers pass over then; "": nothing, or
/// they are not there.
std::string item_columns_problem(const std::filesystem::path& dataset_folder);
/// Both files, checked against one another.
Dataset load_dataset(const std::filesystem::path& dataset_folder);

}  // namespace assay::store
