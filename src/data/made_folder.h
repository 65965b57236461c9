// A data set that is made aside and appears when it is whole.
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

/// Work goes into the hidden folder .<name>.partial beside `folder`; finish() syncs it and gives it
/// its name.
class MadeFolder {
public:
    /// `settings`: what the data set is made of; `record`: the file that holds them in a finished
    /// one. An unfinished folder of the same settings is taken over. Throws usage where there is
    /// something else; busy.
    MadeFolder(const std::filesystem::path& folder, std::string record,
               const nlohmann::json& settings);

    /// Makes a finished folder an unfinished one with these settings: what is in it stays, and
    /// finish() gives it its name again. False where somebody works on another one of that name.
    static bool reopen(const std::filesystem::path& folder, const nlohmann::json& settings);

    bool finished() const noexcept { return finished_; }
    const std::filesystem::path& final_path() const noexcept { return folder_; }
    /// Where to write now.
    const std::filesystem::path& path() const noexcept { return partial_; }
    /// `result` becomes the record; then the folder appears.
    void finish(const nlohmann::json& result);

private:
    std::filesystem::path folder_, partial_;
    std::string record_;
    bool finished_ = false;
    std::unique_ptr<FileLock> lock_;
};

/// Whole or absent as long as the system lives; what a crash of the system may take is what
/// finish() syncs.
void write_renamed(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// A text file that is written in pieces.
class TextFile {
public:
    explicit TextFile(const std::filesystem::path& path);
    ~TextFile();
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;
    /// Appends what `pending` holds once it is large, and empties it; `all`: in any case.
    void drain(std::string& pending, bool all = false);

private:
    std::filesystem::path path_;
    int descriptor_;
};

}  // namespace assay
