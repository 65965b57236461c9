// Data sets whose images are rows of Parquet files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The rows of these files, in this order. The files must be in one folder. Throws bad_input.
Dataset open_parquet(std::span<const std::filesystem::path> files, const DatasetOptions& options,
                     std::vector<std::string>& notes);

}  // namespace assay
