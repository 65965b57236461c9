// File system queries that throw Error if the system refuses an answer, and never an exception of
// the standard library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace assay {

/// The status of `path` after following symbolic links; file_type::not_found if nothing exists
/// there. Throws io: no permission on the way, a name too long, links in a circle, a failing disk.
std::filesystem::file_status status_of(const std::filesystem::path& path);
/// True if `path` exists, and whether it is a folder. They throw as status_of() does.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// The size of the file at `path` in bytes. Throws io if nothing exists there, or as status_of()
/// does.
std::uint64_t file_bytes(const std::filesystem::path& path);
/// Passes the names in a folder to `body`, unordered, until it returns false. So a caller can look
/// at a few names of a folder with millions. Throws io if the folder cannot be listed completely.
void for_each_name_in(const std::filesystem::path& folder,
                      const std::function<bool(std::string_view)>& body);
/// True if a folder is empty. Reads only the first name.
bool is_empty_folder(const std::filesystem::path& folder);
/// The entries of a folder, in the byte order of their names. Throws io if the folder cannot be
/// listed completely.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// The path from the root, without "." and "..". A URL is returned unchanged. Throws io if the
/// current folder no longer exists.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Resolves a path in a file in `folder`: relative to that folder unless absolute, and without "."
/// and "..". A URL is returned unchanged.
std::filesystem::path path_from(const std::filesystem::path& folder,
                                const std::filesystem::path& text);

}  // namespace assay
