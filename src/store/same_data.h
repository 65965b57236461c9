// Determines whether stores, a folder's record of its data, or class lists belong together, and
// describes differences. No other code compares ids, fingerprints or names of data sets.
//
// Cost: the comparison uses records. Two stores with the same data set id, or in the same folder,
// are compared in memory. Others need one small file each (dataset.json). Comparing their images
// costs two records of shards. Lists of ids are read only to describe a difference.
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

/// The properties that must be the same. The ids and their order are always required.
struct Needs {
    bool images = true;       ///< the image files according to records, and their corruption
    bool classes = false;     ///< the ids of the classes in their order, and the number of classes
                              ///< with scores
    bool labels = false;      ///< labels of each item, by class id if both lists have names
    bool name = false;        ///< the name of the data set
    bool attributes = false;  ///< attributes of each item
};

/// The properties in which two data sets agree.
struct SameData {
    bool ids = true, classes = true, labels = true, attributes = true, name = true;
    bool corruption = true;  ///< changes to the images in memory
    /// The image files, compared by the records of shards. No value if there are no records
    /// (imports), or if `images` was not required.
    std::optional<bool> files = std::nullopt;

    /// False only if a difference is known.
    bool images() const { return corruption && files.value_or(true); }
    bool meets(const Needs& needs) const;
};

/// Compares recorded descriptions. `files` stays unknown.
SameData same_data(const DatasetRecord& one, const DatasetRecord& two);
/// Compares everything. `files` is only compared if `needs.images`.
SameData same_data(const PredictionStore& one, const PredictionStore& two, const Needs& needs = {});
/// True if row i of both is the same item.
bool same_items(const PredictionStore& one, const PredictionStore& two);
bool same_items(const StoreSpec& one, const StoreSpec& two);
bool same_items(const StoreSpec& store, const DatasetRecord& described);
/// Cost: one pass over the ids, if their number is the same.
bool same_items(const StoreSpec& store, const Dataset& dataset);
bool same_items(const DatasetRecord& described, const Dataset& dataset);
bool same_items(const Dataset& one, const Dataset& two);
/// True if both record the same identity of their data set: its name, its items and the facts about
/// them.
bool same_description(const StoreSpec& one, const StoreSpec& two);
/// Compares two identities from dataset_id_of().
bool same_description(std::string_view one, std::string_view two);
bool same_name(const StoreSpec& one, const StoreSpec& two);
bool same_name(const StoreSpec& store, const DatasetRecord& described);
/// Compares two records of how images were changed (corruption_of()).
bool same_corruption(std::string_view one, std::string_view two);

/// Describes the difference in the required properties for people: "other labels: `a/2.png` is
/// labelled `cat` in the first and `dog` in the second". "" if there is none. Reads both lists of
/// items if they differ.
std::string difference(const PredictionStore& one, const PredictionStore& two,
                       const Needs& needs = {});
/// Throws bad_input with both folders and the difference.
void require_same(const PredictionStore& one, const PredictionStore& two, const Needs& needs = {});

/// A key for stores that are not open at the same time. Equal keys mean the same data, except for
/// the image files, which no key covers. Cost: one small file.
std::string data_key(const PredictionStore& store, const Needs& needs);
/// Groups the stores that belong together, by index, in the order of their first stores.
std::vector<std::vector<std::size_t>> groups_of(std::span<const PredictionStore* const> stores,
                                                const Needs& needs);

/// The changes to the images of a store's data set before classification, as JSON; "" if unchanged.
/// With different corruptions, equal files give different images. Cost: one small file.
std::string corruption_of(const PredictionStore& store);
/// The identity of the store's data set. For a store that is too old to record it
/// (StoreSpec::dataset_id), the id in the description. Cost: at most one small file.
std::string dataset_id_of(const PredictionStore& store);
/// True if two stores with the same ids read the same files, according to the first rows that both
/// recorded. Returns nothing if no record shows this. Cost: usually two records.
std::optional<bool> saw_same_files(const PredictionStore& one, const PredictionStore& two);
/// The same for two shards with the same rows, by the hash over all of their images.
std::optional<bool> saw_same_files(const PredictionStore::Shard& one,
                                   const PredictionStore::Shard& two);
/// The same for one image. Nothing if either is not known.
std::optional<bool> same_file(const ImageFile& one, const ImageFile& two);
/// The items that two stores with different ids share, matched by id or, if no id is shared, by
/// file name.
struct CommonItems {
    std::uint64_t items = 0;
    /// True if the files of up to 64 of the items are the same, by their records. Nothing if there
    /// are no records.
    std::optional<bool> same_files = std::nullopt;
};
/// Cost: both lists of ids and the records of these items.
CommonItems common_items(const PredictionStore& one, const PredictionStore& two);

/// The record in a folder that was made from stores, for recognizing later stores.
struct RecordedData {
    std::string ids_hash, corruption;
};
RecordedData recorded_data(const PredictionStore& store);
/// Describes the difference in items and in the corruption of their images. "" if there is none.
std::string difference(const RecordedData& recorded, const PredictionStore& store);

/// True if a store was made on the data that a run will use: the data set `dataset` with the name
/// `name` and this corruption. `described` is its existing description, if any.
bool made_on(const PredictionStore& store, const Dataset& dataset, const std::string& name,
             std::string_view corruption, const DatasetRecord* described);

/// The relation of two class lists.
struct SameClasses {
    enum class Order {
        same,     ///< each class has the same position
        unnamed,  ///< not known: a list is empty or only has numbers
        moved,    ///< the same classes, some at other positions
        other,    ///< other classes
    };
    Order order = Order::same;
    std::vector<std::int32_t> places;  ///< for `moved`: the position in the second list of each
                                       ///< class of the first
    bool in_order() const { return order == Order::same || order == Order::unnamed; }
};
/// Matches classes by their ids, or else by their names.
SameClasses same_classes(const ClassList& one, const ClassList& two);
/// True if scores and labels with one list's numbers can be read with the other list: both have the
/// same ids in the same order.
bool same_class_ids(const ClassList& one, const ClassList& two);

/// The names of the two sides in a sentence.
struct Sides {
    std::string_view one = "in the first", two = "in the second", only_two = "in the second";
};
inline constexpr Sides there_and_now = {"there", "now", "here now"};
/// Describes the first different class and both lists: "class 0 is `cat` and `dog` (there: cat,
/// dog; now: dog, cat)". With equal ids, the first name that differs. "" if nothing differs.
std::string classes_difference(const ClassList& one, const ClassList& two, const Sides& sides);
/// Describes the ids that only one of them has (number and first id), or a different order.
std::string items_difference(const StringColumn& one, const StringColumn& two, const Sides& sides);
/// For two data sets with the same ids: the first item whose labels differ, and the number of
/// others. If the class lists differ, compares by number and by name. "" if none differ.
std::string labels_difference(const Dataset& one, const Dataset& two, const Sides& sides);

}  // namespace assay::store
