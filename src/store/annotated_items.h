// Lists of items in JSON that say what is on each image: COCO's annotations, and FiftyOne's
// labels.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"

namespace assay::store {

/// What the numbers in COCO's files stand for; its results hold nothing else.
struct NumberedItems {
    std::unordered_map<std::int64_t, std::string> images;       ///< file names
    std::unordered_map<std::int64_t, std::int32_t> categories;  ///< classes
};

struct AnnotatedItems {
    StringColumn ids;
    LabelSets labels;
    ClassList classes;       ///< `told`, or the file's own
    NumberedItems numbered;  ///< of COCO's files
};

/// The items of a file in its order. COCO: {"images": [{"id", "file_name"}], "annotations":
/// [{"image_id", "category_id"}], "categories": [{"id", "name"}]}; ids are the file names, classes
/// the categories in the order of their numbers, labels all categories of an image's annotations.
/// FiftyOne: as fiftyone.h says. Where classes are `told`, the file's are found among them by name.
/// Memory: some 200 bytes an image beside the names. Throws bad_input: any other JSON, an entry
/// that lacks a key, numbers that repeat or stand for nothing, a class that is not among those
/// told.
AnnotatedItems read_annotated_items(std::string_view text, const ClassList& told);

/// The class that is called so, by its id or a name that no other has; digits are no number of a
/// class here. Throws bad_input with the nearest id.
std::int32_t class_called(const ClassList& classes, std::string_view text);

}  // namespace assay::store
