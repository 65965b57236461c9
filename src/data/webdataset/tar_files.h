// Which archives of a folder are a data set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::webdataset {

/// Whether the name is that of a tar archive, compressed or not (.tar, .tgz, .tar.gz, ...).
bool has_tar_extension(const std::filesystem::path& path);

struct TarFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::uint64_t> lengths;  ///< images of each, where the folder says so
    std::vector<std::string> classes;    ///< names of classes, where it does
    std::vector<std::string> notes;
};

/// The archives of the folder, or else of its folder `test` (clip-benchmark's layout: test/0.tar,
/// test/nshards.txt, classnames.txt); none where there are none. In the order of _info.json where
/// it is there (timm's: `filenames`, `shard_lengths`, of one split), else of their numbers. Throws
/// bad_input: archives of several splits (with what to type), one that _info.json or nshards.txt
/// names and that is not there.
TarFiles tar_files_of(const std::filesystem::path& folder);

}  // namespace assay::webdataset
