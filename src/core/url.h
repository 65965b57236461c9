// Places that are no files of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// Whether it begins with a scheme and "://".
bool is_url(const std::filesystem::path& path);

/// For messages and records: without user, password, query and fragment, which may be secrets.
std::string shown_url(std::string_view url);

}  // namespace assay
