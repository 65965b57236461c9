#include "data/zip/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "containers/at_place.h"
#include "containers/source_file.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::zipped {
namespace {

std::vector<std::byte> unpacked_image(const ByteSource& source, const ZipMember& member) {
    const std::uint64_t begin = zip_data_begin(source, member, "it");
    std::vector<std::byte> packed(static_cast<std::size_t>(member.packed_size));
    source.read(begin, packed);
    if (member.stored) {
        check_zip_crc(member, packed, "it");
        return packed;
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(member.size));
    inflate_zip_member(member, packed, bytes, "it", [](std::span<const std::byte>) {});
    return bytes;
}

}  // namespace

void ZipImages::add(const std::filesystem::path& path, std::uint64_t bytes,
                    const std::vector<ZipEntry>& entries) {
    const auto [before, fresh] = by_name_.emplace(path.filename().string(), zips_.size());
    if (!fresh) {
        refuse(fmt::format(
            "{} and {} have the same name, but images are named after their zip file: rename one",
            zips_[before->second].path.string(), path.string()));
    }
    Zip zip{path, bytes, {}};
    zip.members.reserve(entries.size());
    for (const ZipEntry& entry : entries) zip.members.push_back({name_hash(entry.name), entry});
    std::ranges::sort(zip.members, {}, [](const Member& m) { return m.hash; });
    zips_.push_back(std::move(zip));
}

std::vector<std::byte> ZipImages::read(std::string_view name, std::uint64_t limit) const {
    const std::size_t slash = name.find('/');
    const auto known = by_name_.find(name.substr(0, slash));
    if (slash == std::string_view::npos || known == by_name_.end())
        refuse(fmt::format("no image is called `{}`: names are <zip file>/<entry>",
                           shortened(std::string(name))));
    const Zip& zip = zips_[known->second];
    const NameHash wanted = name_hash(name.substr(slash + 1));
    const auto found =
        std::ranges::lower_bound(zip.members, wanted, {}, [](const Member& m) { return m.hash; });
    return at_place(
        [&] { return fmt::format("{} in {}", name.substr(slash + 1), zip.path.string()); },
        [&] {
            if (found == zip.members.end() || found->hash != wanted)
                refuse("there is no such entry");
            const SourceFile source(zip.path);
            if (source.size() != zip.bytes) {
                refuse(
                    fmt::format("the file changed: it has {} bytes; it had {} when it was opened",
                                source.size(), zip.bytes));
            }
            if (found->place.size > limit)
                refuse(fmt::format("the image has {} bytes; the limit is {}", found->place.size,
                                   limit));
            return unpacked_image(source, found->place);
        });
}

}  // namespace assay::zipped
