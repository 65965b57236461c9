// A data set that is made under a hidden name and becomes visible only when complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/file.h"

namespace assay {

/// The work happens in the hidden folder .<name>.partial next to `folder`. finish() syncs it and
/// renames it. If the process is killed, the same call resumes.
class MadeFolder {
public:
    /// `grows` means that a finished folder with other settings exists, and that these settings
    /// would also make its files. The new folder starts with those files. finish() puts it in place
    /// of the old one, which readers see until then.
    enum class Begin { empty, grows };

    /// `settings` describe how the data set is made, and `record` is the file for them in a
    /// finished data set. Resumes an unfinished folder with the same settings. Throws usage if the
    /// folder has other contents; busy.
    MadeFolder(const std::filesystem::path& folder, std::string record,
               const nlohmann::json& settings, Begin begin = Begin::empty);

    bool finished() const noexcept { return finished_; }
    const std::filesystem::path& final_path() const noexcept { return folder_; }
    /// The folder to write to now.
    const std::filesystem::path& path() const noexcept { return partial_; }
    /// Writes `result` as the record and makes the folder visible.
    void finish(const nlohmann::json& result);

private:
    /// Removes a replaced folder that a killed run kept.
    void remove_replaced() const;

    std::filesystem::path folder_, partial_;
    std::string record_;
    bool finished_ = false, grows_ = false;
    std::unique_ptr<FileLock> lock_;
};

/// Writes a file that is either complete or absent if the process is killed. finish() syncs it for
/// a crash of the system.
void write_renamed(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// A text file that is written in pieces.
class TextFile {
public:
    explicit TextFile(const std::filesystem::path& path);
    ~TextFile();
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;
    /// Appends the text in `pending` once it is large, or always with `all`, and empties it.
    void drain(std::string& pending, bool all = false);

private:
    std::filesystem::path path_;
    int descriptor_;
};

}  // namespace assay
