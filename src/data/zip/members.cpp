#include "data/zip/members.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/at_place.h"

namespace assay::zipped {
namespace {

constexpr std::size_t local_size = 30;

struct RawInflater {
    z_stream stream{};
    RawInflater() {
        if (inflateInit2(&stream, -15) != Z_OK)
            throw Error(ErrorCode::out_of_memory, "no memory to unpack deflate");
    }
    ~RawInflater() { inflateEnd(&stream); }
    RawInflater(const RawInflater&) = delete;
    RawInflater& operator=(const RawInflater&) = delete;
};

/// Exactly `out`, or else refused.
void inflate_into(std::span<std::byte> packed, std::span<std::byte> out) {
    RawInflater inflater;
    z_stream& stream = inflater.stream;
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib's counts are of 32 bits
    std::size_t in_at = 0, out_at = 0;
    std::byte beyond{};  // of what is longer than it says
    for (int status = Z_OK; status != Z_STREAM_END;) {
        const std::size_t in = std::min(most, packed.size() - in_at);
        const bool full = out_at == out.size();
        const std::size_t room = full ? 1 : std::min(most, out.size() - out_at);
        stream.next_in = reinterpret_cast<Bytef*>(packed.data() + in_at);
        stream.avail_in = static_cast<uInt>(in);
        stream.next_out = reinterpret_cast<Bytef*>(full ? &beyond : out.data() + out_at);
        stream.avail_out = static_cast<uInt>(room);
        status = inflate(&stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END)
            refuse(fmt::format("its packed bytes are damaged after {} of {} bytes", out_at,
                               out.size()));
        in_at += in - stream.avail_in;
        const std::size_t made = room - stream.avail_out;
        if (full && made > 0)
            refuse(fmt::format("it unpacks to more than the {} bytes that it claims", out.size()));
        if (!full) out_at += made;
    }
    if (out_at != out.size())
        refuse(fmt::format("it unpacks to {} bytes, and claims {}", out_at, out.size()));
}

}  // namespace

void ZipImages::add(const std::filesystem::path& path, std::uint64_t bytes,
                    const std::vector<Entry>& entries) {
    const auto [before, fresh] = by_name_.emplace(path.filename().string(), zips_.size());
    if (!fresh) {
        refuse(fmt::format("{} and {} have one name, by which images are called: rename one",
                           zips_[before->second].path.string(), path.string()));
    }
    Zip zip{path, bytes, {}};
    zip.members.reserve(entries.size());
    for (const Entry& entry : entries) {
        zip.members.push_back({name_hash(entry.name), entry.header, entry.packed, entry.size,
                               entry.crc, entry.method == 0});
    }
    std::ranges::sort(zip.members, {}, [](const Member& m) { return m.hash; });
    zips_.push_back(std::move(zip));
}

std::vector<std::byte> ZipImages::bytes_of(const SourceFile& source, const Member& member) {
    std::array<std::byte, local_size> local{};
    source.read(member.header, local);
    const auto byte = [&](std::size_t at) { return std::to_integer<std::uint64_t>(local[at]); };
    if (byte(0) != 'P' || byte(1) != 'K' || byte(2) != 3 || byte(3) != 4)
        refuse(fmt::format("byte {}: its own header is damaged", member.header));
    const std::uint64_t begin =
        member.header + local_size + (byte(26) | byte(27) << 8U) + (byte(28) | byte(29) << 8U);
    std::vector<std::byte> packed(member.packed);
    source.read(begin, packed);
    std::vector<std::byte> bytes;
    if (member.stored) {
        bytes = std::move(packed);
    } else {
        bytes.resize(member.size);
        inflate_into(packed, bytes);
    }
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    if (crc != member.crc)
        refuse(fmt::format("it is damaged: its CRC-32 is {:08x}, and {:08x} is recorded", crc,
                           member.crc));
    return bytes;
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
                refuse("no such entry is there");
            const SourceFile source(zip.path);
            if (source.size() != zip.bytes) {
                refuse(
                    fmt::format("the file changed: it has {} bytes, and had {} when it was "
                                "opened",
                                source.size(), zip.bytes));
            }
            if (found->size > limit)
                refuse(
                    fmt::format("the image has {} bytes; at most {} are read", found->size, limit));
            return bytes_of(source, *found);
        });
}

}  // namespace assay::zipped
