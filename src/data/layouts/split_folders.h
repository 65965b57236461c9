// Folders called test, val or train that hold class folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::layouts {

/// Whether two names mean the same split: "val", "valid" and "validation" do.
bool same_split(std::string_view one, std::string_view other);
/// Whether it is a name of a split of some data set.
bool is_split(std::string_view name);

/// The class folders of one of the splits that the folder holds: of options.split, else of test,
/// else of val. Nothing where its folders are no splits. Throws bad_input: that split is not there,
/// or nobody asked for the only one, train.
std::optional<Dataset> open_split_folders(const std::filesystem::path& path,
                                          const DatasetOptions& options,
                                          std::vector<std::string>& notes);

}  // namespace assay::layouts
