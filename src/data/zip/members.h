// The images of several zip files, by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/image_archive.h"
#include "containers/zip.h"
#include "data/name_hash.h"

namespace assay::zipped {

/// The name of an image is "<zip's file name>/<entry>". Files are open only while an image is read.
/// Memory: 48 bytes per image.
class ZipImages final : public ImageArchive {
public:
    /// Throws bad_input if another file has its name, or two entries have the same name.
    void add(const std::filesystem::path& path, std::uint64_t bytes,
             const std::vector<ZipEntry>& entries);

    std::vector<std::byte> read(std::string_view name, std::uint64_t limit) const override;

private:
    struct Member {
        NameHash hash;
        ZipMember place;
    };
    struct Zip {
        std::filesystem::path path;
        std::uint64_t bytes;
        std::vector<Member> members;  ///< by hash
    };
    std::vector<Zip> zips_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace assay::zipped
