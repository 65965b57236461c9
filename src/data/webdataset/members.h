// The images of several tar archives, by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/image_archive.h"
#include "data/name_hash.h"
#include "data/webdataset/samples.h"

namespace assay::webdataset {

/// An image is called "<archive's file name>/<member>". Archives are open only while an image is
/// read. Memory: 32 bytes an image.
class Members final : public ImageArchive {
public:
    /// Throws bad_input: another archive has its name, or two members have one.
    void add(const std::filesystem::path& path, std::uint64_t bytes,
             const std::vector<Sample>& samples);

    std::vector<std::byte> read(std::string_view name, std::uint64_t limit) const override;

private:
    struct Member {
        NameHash hash;
        std::uint64_t offset, size;
    };
    struct Tar {
        std::filesystem::path path;
        std::uint64_t bytes;
        std::vector<Member> members;  ///< by hash
    };
    std::vector<Tar> tars_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace assay::webdataset
