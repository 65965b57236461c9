// What a data set is called unless told.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

/// A folder's name; a list's without its extension. The path need not be there.
std::string dataset_name_of(const std::filesystem::path& path);

/// What each of several is called: its name as above, with as many folders in front ("blur_1",
/// "noise_1") as tell those apart that would have one name. The same path twice has one name.
std::vector<std::string> dataset_names_of(const std::vector<std::filesystem::path>& paths);

}  // namespace assay
