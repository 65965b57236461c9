// Files of soft labels: rows of probabilities, or of counts of votes, a column for each class.
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

/// Reads soft labels for the items of a data set, in its order:
///  - .npy of N x C numbers, a row for each item in their order (cifar10h-probs.npy);
///  - tables with a column per class (by its id, name or number), and perhaps one of images.
/// Nothing where the file is no such matrix, or holds only 0, 1 and -1: then it is for
/// read_label_sets(). Rows sum to 1, but for the rounding to two digits; with `votes` to anything,
/// and each is divided by its sum. A row of zeros is an item without a label. Throws bad_input
/// naming the file, row and value: a negative number, none, another sum; with `votes` also a file
/// that is no matrix; as read_label_sets() for names and numbers of items. `notes` get what was
/// taken for what. `image_column`: of a table, as ColumnChoice has it.
std::optional<SoftLabels> read_soft_labels(const std::filesystem::path& path,
                                           const Dataset& dataset, const ClassList& classes,
                                           bool votes, LabelMatch& match,
                                           std::vector<std::string>& notes,
                                           const std::string& image_column = {});

}  // namespace assay
