// "Do these belong together, and what differs?": the one answer for stores, for what a folder
// recorded of its data, and for lists of classes. Nothing else compares ids, fingerprints or names
// of data sets.
//
// Cost: what stores record. Two stores whose data sets have one id, or that lie in one folder, are
// compared by texts in memory; others by one small file each (dataset.json). Whether they saw the
// same images costs two records of shards. Lists of ids are read only to say what differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"

namespace assay::store {

struct DatasetRecord;

/// What a caller needs to be the same. The ids, in their order, always are.
struct Needs {
    bool images = true;  ///< the files under the ids, as far as records tell, and their corruption
    bool classes = false;     ///< the ids of the classes in their order, and how many have scores
    bool labels = false;      ///< of each item, by classes of the same ids where both have names
    bool name = false;        ///< of the data set
    bool attributes = false;  ///< of each item
};

/// What two data sets have in common.
struct SameData {
    bool ids = true, classes = true, labels = true, attributes = true, name = true;
    bool corruption = true;  ///< what was done to the images in memory
    /// The files that were read, by the records of shards; nothing: no records tell (imports), or
    /// `images` was not asked about.
    std::optional<bool> files = std::nullopt;

    /// False only where it is known.
    bool images() const { return corruption && files.value_or(true); }
    bool meets(const Needs& needs) const;
};

/// By what their descriptions record. `files` stays unknown.
SameData same_data(const DatasetRecord& one, const DatasetRecord& two);
/// All of it but `files`, which is looked up where `needs.images`.
SameData same_data(const PredictionStore& one, const PredictionStore& two, const Needs& needs = {});
/// Whether row i of both is the same item.
bool same_items(const PredictionStore& one, const PredictionStore& two);
bool same_items(const StoreSpec& one, const StoreSpec& two);
bool same_items(const StoreSpec& store, const DatasetRecord& described);
/// Cost: a pass over the ids, where their number is the same.
bool same_items(const StoreSpec& store, const Dataset& dataset);
bool same_items(const DatasetRecord& described, const Dataset& dataset);
bool same_items(const Dataset& one, const Dataset& two);
/// Whether both record one identity of their data set: its name, items and what is known of these.
bool same_description(const StoreSpec& one, const StoreSpec& two);
/// Of two identities as dataset_id_of() gives them.
bool same_description(std::string_view one, std::string_view two);
bool same_name(const StoreSpec& one, const StoreSpec& two);
bool same_name(const StoreSpec& store, const DatasetRecord& described);
/// Of two records of what was done to the images (corruption_of()).
bool same_corruption(std::string_view one, std::string_view two);

/// What differs of what is needed, as people say it: "other labels: `a/2.png` is labelled `cat` in
/// the first and `dog` in the second"; "": nothing. Reads both lists of items where these differ.
std::string difference(const PredictionStore& one, const PredictionStore& two,
                       const Needs& needs = {});
/// Throws bad_input with the folders of both and what differs.
void require_same(const PredictionStore& one, const PredictionStore& two, const Needs& needs = {});

/// Stores with equal keys have the same data but for their files, which no key tells: for stores
/// that are not open at once. Cost: one small file.
std::string data_key(const PredictionStore& store, const Needs& needs);
/// The stores that belong together, by their places: groups in the order of their first stores.
std::vector<std::vector<std::size_t>> groups_of(std::span<const PredictionStore* const> stores,
                                                const Needs& needs);

/// What was done to the images of a store's data set before a classifier got them, as JSON; "":
/// nothing. Images of equal files are other ones where it differs. Cost: one small file.
std::string corruption_of(const PredictionStore& store);
/// Identity of the store's data set: where the store is too old to say it (StoreSpec::dataset_id),
/// that of the description beside it. Cost: at most one small file.
std::string dataset_id_of(const PredictionStore& store);
/// Whether two stores of the same ids read the same files, by the first rows of which both have
/// records; nothing where no records tell. Cost: mostly two records.
std::optional<bool> saw_same_files(const PredictionStore& one, const PredictionStore& two);
/// The same of two shards of the same rows, by the hash over all of their images.
std::optional<bool> saw_same_files(const PredictionStore::Shard& one,
                                   const PredictionStore::Shard& two);
/// The same of one image; nothing where either is not known.
std::optional<bool> same_file(const ImageFile& one, const ImageFile& two);
/// The items that two stores of other ids both have: by their ids, or where none is in both, by the
/// names of their files.
struct CommonItems {
    std::uint64_t items = 0;
    /// Whether the files of up to 64 of them are the same, by their records; nothing: none tell.
    std::optional<bool> same_files = std::nullopt;
};
/// Cost: both lists of ids, and the records of these items.
CommonItems common_items(const PredictionStore& one, const PredictionStore& two);

/// What a folder that was made of stores keeps, to know later ones by.
struct RecordedData {
    std::string ids_hash, corruption;
};
RecordedData recorded_data(const PredictionStore& store);
/// What differs of the items and of what was done to their images; "": nothing.
std::string difference(const RecordedData& recorded, const PredictionStore& store);

/// Whether a store was made on what a run is about to use: the data set `dataset` under `name`, its
/// images corrupted so; `described`: its description, where one lies there already.
bool made_on(const PredictionStore& store, const Dataset& dataset, const std::string& name,
             std::string_view corruption, const DatasetRecord* described);

/// How two lists of classes belong together.
struct SameClasses {
    enum class Order {
        same,     ///< each class at the same place
        unnamed,  ///< one of the lists is empty or of numbers: nothing tells
        moved,    ///< the same classes, some at other places
        other,    ///< other classes
    };
    Order order = Order::same;
    std::vector<std::int32_t> places;  ///< of `moved`: of each class of the first in the second
    bool in_order() const { return order == Order::same || order == Order::unnamed; }
};
/// Classes are the same by their ids, or else by their names.
SameClasses same_classes(const ClassList& one, const ClassList& two);
/// Whether scores and labels of the one can be read by the other's numbers: the same ids in order.
bool same_class_ids(const ClassList& one, const ClassList& two);

/// How a sentence calls the two that are compared.
struct Sides {
    std::string_view one = "in the first", two = "in the second", only_two = "in the second";
};
inline constexpr Sides there_and_now = {"there", "now", "here now"};
/// The first class that differs, and both lists: "class 0 is `cat` and `dog` (there: cat, dog; now:
/// dog, cat)"; of equal ids the first name that differs; "": none.
std::string classes_difference(const ClassList& one, const ClassList& two, const Sides& sides);
/// How many ids only one of them has, and the first of them; or that their order differs.
std::string items_difference(const StringColumn& one, const StringColumn& two, const Sides& sides);
/// The first item of two data sets of the same ids whose labels differ, and how many more do. By
/// number and by name, where the lists of classes differ; "": none.
std::string labels_difference(const Dataset& one, const Dataset& two, const Sides& sides);

}  // namespace assay::store
