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
/// its name. A kill at any moment leaves what the same call completes.
class MadeFolder {
public:
    /// grows: a finished folder of other settings, whose files these settings would make, too, is
    /// there. Its files are in the unfinished one from the start. finish() puts that in its place;
    /// until then readers see the folder as it was.
    enum class Begin { empty, grows };

    /// `settings`: what the data set is made of; `record`: the file that holds them in a finished
    /// one. An unfinished folder of the same settings is taken over. Throws usage where there is
    /// something else; busy.
    MadeFolder(const std::filesystem::path& folder, std::string record,
               const nlohmann::json& settings, Begin begin = Begin::empty);

    bool finished() const noexcept { return finished_; }
    const std::filesystem::path& final_path() const noexcept { return folder_; }
    /// Where to write now.
    const std::filesystem::path& path() const noexcept { return partial_; }
    /// `result` becomes the record; then the folder appears.
    void finish(const nlohmann::json& result);

private:
    /// Of a folder that was grown and replaced, if a kill left it.
    void remove_replaced() const;
    void replace();

    std::filesystem::path folder_, partial_;
    std::string record_;
    bool finished_ = false, grows_ = false;
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
