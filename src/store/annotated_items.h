// Reads lists of items in JSON with the contents of each image: COCO's annotations, and FiftyOne's
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

/// The meaning of the numbers in COCO's files. COCO's results contain only such numbers.
struct NumberedItems {
    std::unordered_map<std::int64_t, std::string> images;       ///< file names
    std::unordered_map<std::int64_t, std::int32_t> categories;  ///< classes
};

struct AnnotatedItems {
    StringColumn ids;
    LabelSets labels;
    ClassList classes;       ///< the given list, or the file's own
    NumberedItems numbered;  ///< the numbers in COCO's files
};

/// The items of a file in its order. COCO's form is {"images": [{"id", "file_name"}],
/// "annotations": [{"image_id", "category_id"}], "categories": [{"id", "name"}]}. There, the ids
/// are the file names, and the classes are the categories in the order of their numbers. The labels
/// are all categories of an image's annotations. fiftyone.h describes FiftyOne's form. If `told`
/// gives classes, the file's classes are looked up in it by name. Memory: about 200 bytes per
/// image, plus the names. Throws bad_input for other JSON, an entry without a required key,
/// repeated or undefined numbers, or a class that is not in `told`.
AnnotatedItems read_annotated_items(std::string_view text, const ClassList& told);

/// Finds a class by its id or by a unique name. Digits are not interpreted as a class number here.
/// Throws bad_input with the nearest id.
std::int32_t class_called(const ClassList& classes, std::string_view text);

}  // namespace assay::store
