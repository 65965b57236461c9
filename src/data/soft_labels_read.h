// Files of soft labels: rows of probabilities or of vote counts, with a column for each class.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/data/soft_labels.h"

namespace assay {

/// Reads soft labels for the items of a data set, in its order. A .npy has N x C numbers, a row for
/// each item in their order (cifar10h-probs.npy). A table has a column per class (by its id, name
/// or number), and perhaps one of images.
///
/// Returns nothing if the file is no such matrix, or contains only 0, 1 and -1, which
/// read_label_sets() handles. Rows must sum to 1, up to rounding to two digits. With `votes` any
/// sum is accepted, and each row is divided by its sum. A row of zeros is an item without a label.
/// Throws bad_input, naming file, row and value, for a negative number, no number, or another sum.
/// With `votes`, also for a file that is no matrix. The rows' items are checked as in
/// read_label_sets(). `notes` say how columns were interpreted. `image_column` applies to a table,
/// as in ColumnChoice.
std::optional<SoftLabels> read_soft_labels(const std::filesystem::path& path,
                                           const Dataset& dataset, const ClassList& classes,
                                           bool votes, LabelMatch& match,
                                           std::vector<std::string>& notes,
                                           const std::string& image_column = {});

}  // namespace assay
