// Opens items with labels from any source.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"

namespace assay {

/// Opens items with labels. The source is a prediction store, a folder of stores of one
/// data set, a folder of images, or a csv that lists them (open_dataset). It may also be a file of
/// label sets: json, npy, txt, or a csv that read_label_sets takes. Its items without a name get
/// their number. An empty `classes` uses the data set's own, or numbers. `notes` are as in
/// open_dataset. Throws as the readers do.
Dataset open_labelled(const std::filesystem::path& path, const ClassList& classes,
                      std::vector<std::string>* notes = nullptr);

}  // namespace assay
