#include "data/made_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "assay/error.h"
#include "core/descriptor.h"
#include "core/file_stream.h"
#include "core/folder_aside.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* settings_name = "settings.json";
constexpr const char* lock_name = ".lock";
constexpr std::uint64_t max_record = std::uint64_t{16} << 20;

[[noreturn]] void fail(const char* verb, const fs::path& path) {
    throw Error(ErrorCode::io,
                fmt::format("cannot {} `{}`: {}", verb, path.string(), std::strerror(errno)));
}

/// A data set has many images, so a single sync of the file system costs less than one sync per
/// image.
void sync_file_system(const fs::path& folder) {
    const Descriptor descriptor(
        retried([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    if (descriptor.get() < 0) fail("open", folder);
    if (retried([&] { return ::syncfs(descriptor.get()); }) != 0 && errno != EINVAL &&
        errno != ENOSYS)
        fail("sync", folder);
}

/// Describes the settings that differ between two records: "seed is 2, not 1; ...".
std::string difference(const json& there, const json& wanted) {
    std::string out;
    for (const auto& [key, value] : wanted.items()) {
        const json found = there.contains(key) ? there[key] : json();
        if (found == value) continue;
        out += fmt::format("{}{} is {}, not {}", out.empty() ? "" : "; ", key, shown_json(found),
                           shown_json(value));
    }
    return out;
}

/// The path without a slash at its end.
fs::path whole_folder(const fs::path& folder) {
    const fs::path whole = absolute_path(folder);
    return whole.has_filename() ? whole : whole.parent_path();
}

fs::path partial_of(const fs::path& folder) {
    return folder.parent_path() / fmt::format(".{}.partial", folder.filename().string());
}

json read_record(const fs::path& path) {
    json record = parse_json(read_text(path, max_record), 16);
    if (!record.is_object()) throw Error(ErrorCode::bad_input, path.string() + ": not an object");
    return record;
}

/// Removes files that a killed run was writing. The folder's lock shows that nobody writes there
/// now.
void remove_unfinished_files(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        if (is_stale_temporary(it->path().filename().string())) found.push_back(it->path());
    }
    for (const fs::path& file : found) {
        if (!error) fs::remove(file, error);
    }
    if (error) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot clean up `{}`: {}", folder.string(), error.message()));
    }
}

/// Links a folder's data files, without the record of how they were made, into another folder, or
/// copies them if links are not possible. Existing files stay.
void link_files(const fs::path& from, const fs::path& to, const std::string& record) {
    std::error_code problem;
    for (fs::recursive_directory_iterator it(from, problem), end; !problem && it != end;
         it.increment(problem)) {
        throw_if_stopped();
        const fs::path name = it->path().lexically_relative(from), target = to / name;
        if (fs::is_directory(it->symlink_status())) {
            make_folders(target);
        } else if (name != record && name != settings_name && name != lock_name &&
                   !is_there(target)) {
            std::error_code unlinked;
            fs::create_hard_link(it->path(), target, unlinked);
            if (unlinked) write_renamed(target, read_file(it->path()));
        }
    }
    if (problem) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot read `{}`: {}", from.string(), problem.message()));
    }
}

/// Removes the files that are only needed to make the data set.
void remove_signs(const fs::path& folder, std::error_code& problem) {
    for (const char* name : {settings_name, lock_name}) {
        if (!problem) fs::remove(folder / name, problem);
    }
}

}  // namespace

MadeFolder::MadeFolder(const fs::path& folder, std::string record, const json& settings,
                       Begin begin)
    : folder_(whole_folder(folder)), record_(std::move(record)), grows_(begin == Begin::grows) {
    if (folder_.filename().empty())
        throw Error(ErrorCode::usage, "a data set cannot be made in the root folder");
    partial_ = partial_of(folder_);
    std::error_code ignored;  // is_there() below reports a failure
    if (!grows_ && (fs::is_symlink(folder_, ignored) || is_there(folder_))) {
        if (!is_there(folder_ / record_)) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} exists but has no {}: choose another folder",
                                    folder_.string(), record_));
        }
        const json there = read_record(folder_ / record_);
        if (const std::string other = difference(there, settings); !other.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} was made with other settings ({}): choose another folder",
                                    folder_.string(), other));
        }
        finished_ = true;
        remove_replaced();
        return;
    }
    make_folders(partial_);
    lock_ = std::make_unique<FileLock>(partial_ / lock_name);
    remove_unfinished_files(partial_);
    if (is_there(partial_ / settings_name)) {
        const json there = read_record(partial_ / settings_name);
        if (const std::string other = difference(there, settings); !other.empty()) {
            throw Error(ErrorCode::usage, fmt::format("an unfinished data set with other settings "
                                                      "({}) is in {}: finish it with them, "
                                                      "delete it, or choose another folder",
                                                      other, partial_.string()));
        }
    } else {
        write_file_atomically(partial_ / settings_name, json_text(settings));
    }
    if (grows_) link_files(folder_, partial_, record_);
}

void MadeFolder::remove_replaced() const {
    std::error_code ignored;  // a leftover does no harm
    if (is_there(folder_ / lock_name)) remove_signs(folder_, ignored);
    // A finished folder has no settings file; see finish().
    if (is_there(partial_ / record_) && !is_there(partial_ / settings_name)) {
        try {
            const FileLock lock(partial_ / lock_name);
            fs::remove_all(partial_, ignored);
        } catch (const Error&) {
            // The old folder may fail to be removed, but the data set is
            // complete.
        }
    }
    fs::remove_all(replaced_name(folder_), ignored);
}

void MadeFolder::finish(const json& result) {
    sync_file_system(partial_);
    write_file_atomically(partial_ / record_, json_text(result));
    if (grows_) {
        // The new folder keeps its settings file until it has its final name. So the older of two
        // finished folders can be recognized.
        replace_folder(partial_, folder_);
    } else {
        // The folder keeps its hidden name until all temporary files are removed.
        std::error_code problem;
        remove_signs(partial_, problem);
        if (!problem) fs::rename(partial_, folder_, problem);
        if (problem) {
            throw Error(ErrorCode::io, fmt::format("cannot rename {} to {}: {}", partial_.string(),
                                                   folder_.string(), problem.message()));
        }
    }
    sync_file_system(folder_.parent_path());
    lock_.reset();
    remove_replaced();
    finished_ = true;
}

void write_renamed(const fs::path& path, std::span<const std::byte> bytes) {
    FileStream file(path);
    file.write(bytes);
    file.commit(FileStream::Sync::later);
}

TextFile::TextFile(const fs::path& path)
    : path_(path), descriptor_(retried([&] {
          return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      })) {
    if (descriptor_ < 0) fail("create", path);
}

TextFile::~TextFile() {
    ::close(descriptor_);
}

void TextFile::drain(std::string& pending, bool all) {
    constexpr std::size_t large = std::size_t{1} << 20;
    if (!all && pending.size() < large) return;
    write_fully(descriptor_, std::as_bytes(std::span(pending.data(), pending.size())), path_);
    pending.clear();
}

}  // namespace assay
