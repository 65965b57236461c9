// Selects the archives in a folder that are one data set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::webdataset {

/// True if the name is that of a tar archive, compressed or not (.tar, .tgz, .tar.gz, ...).
bool has_tar_extension(const std::filesystem::path& path);

struct TarFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::uint64_t> lengths;  ///< number of images per archive, if the folder gives it
    std::vector<std::string> classes;    ///< class names, if the folder gives them
    std::vector<std::string> notes;
};

/// The archives of the folder, or else of its folder `test` (clip-benchmark's layout: test/0.tar,
/// test/nshards.txt, classnames.txt). Empty if there are none. The order is that of _info.json if
/// it exists (timm's: `filenames`, `shard_lengths`, of one split), else of their numbers. Throws
/// bad_input: archives of several splits (with the command to type), or a missing archive that
/// _info.json or nshards.txt names.
TarFiles tar_files_of(const std::filesystem::path& folder);

}  // namespace assay::webdataset
