// What a data set is called unless told.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

/// A folder's name; a list's without its extension. The path need not be there.
std::string dataset_name_of(const std::filesystem::path& path);

}  // namespace assay
