// Options as JSON objects, named like the command's options.
#pragma once

#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/decisions/methods.h"
#include "assay/evaluate/measure_options.h"
#include "core/json_keys.h"
#include "evaluate/options_used.h"

namespace assay::c {

/// `text` is a JSON object, or NULL for an empty one.
Keys options_of(const char* text);
/// Options for batches lack the plug-ins and the groups "stores" and "gates".
MeasureOptions take_measure(Keys& keys, bool of_stores);
/// Which options of the bootstrap are among the keys, before take_measure() takes them.
GivenResampling resampling_in(const Keys& keys);
/// "classes": a list of ids, {"ids", "names"}, "imagenet", or a file. Empty if the key is absent.
ClassList take_classes(Keys& keys);
/// "methods", "within", "labels", "level" and "threads" of training methods; others are
/// refused. A method is {"name", "pattern"} or {"name", "stores": [{"run", "store"}]}.
decisions::MethodOptions take_methods(Keys& keys);
/// "attributes": {name: [text, ...]}.
std::vector<Dataset::Attribute> take_attributes(Keys& keys);

}  // namespace assay::c
