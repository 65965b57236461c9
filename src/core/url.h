// Locations that are not files of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// True if the path begins with a scheme and "://".
bool is_url(const std::filesystem::path& path);

/// The URL without user, password, query and fragment, which may be secrets. For messages and
/// records.
std::string shown_url(std::string_view url);

}  // namespace assay
