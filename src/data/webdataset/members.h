// The images of several tar archives, by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/image_archive.h"
#include "containers/inflated_source.h"
#include "data/name_hash.h"
#include "data/webdataset/samples.h"

namespace assay::webdataset {

/// The name of an image is "<archive's file name>/<member>". Archives are open only while an image
/// is read, except for compressed ones. Memory: 32 bytes per image, 8 MiB per compressed archive,
/// and 32 MiB for each of the two that were read last.
class Members final : public ImageArchive {
public:
    /// `unpacked` is the content of a compressed archive, with `bytes` bytes; null means the file
    /// itself. Throws bad_input if another archive has its name, or two members have the same name.
    void add(const std::filesystem::path& path, std::uint64_t bytes,
             const std::vector<Sample>& samples,
             std::shared_ptr<const InflatedSource> unpacked = nullptr);

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
        std::shared_ptr<const InflatedSource> unpacked;
    };
    std::vector<std::byte> bytes_of(const Tar& tar, const Member& member) const;
    void note_use(const InflatedSource& unpacked) const;

    std::vector<Tar> tars_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    mutable std::mutex mutex_;
    mutable std::array<const InflatedSource*, 2> in_use_{};  ///< the most recent first
};

}  // namespace assay::webdataset
