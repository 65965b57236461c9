// Questions to the file system that end in an Error where the system refuses to say, never in an
// exception of the standard library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace assay {

/// What is at `path`, behind symbolic links; file_type::not_found where nothing is. Throws io: no
/// permission on the way, a name too long, links in a circle, a failing disk.
std::filesystem::file_status status_of(const std::filesystem::path& path);
/// Whether something is at `path`; whether that is a folder. They throw as status_of() does.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// The size of the file at `path` in bytes. Throws io: nothing is there, or as status_of() does.
std::uint64_t file_bytes(const std::filesystem::path& path);
/// The names of what lies in a folder, in no order, until `body` says false: a look at a folder of
/// millions. Throws io where it cannot be listed to its end.
void for_each_name_in(const std::filesystem::path& folder,
                      const std::function<bool(std::string_view)>& body);
/// Whether nothing lies in a folder, from a look at its first name.
bool is_empty_folder(const std::filesystem::path& folder);
/// What lies in a folder, in the byte order of the names. Throws io where it cannot be listed to
/// its end.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// From the root, without "." and ".."; a URL as it is. Throws io when the current folder is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// What a text in a file that lies in `folder` names: relative to that folder unless it is whole;
/// without "." and ".."; a URL as it is.
std::filesystem::path path_from(const std::filesystem::path& folder,
                                const std::filesystem::path& text);

}  // namespace assay
