#include "data/webdataset/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "assay/error.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/parquet/place.h"

namespace assay::webdataset {
namespace {

bool comes_first(const std::uint64_t (&a)[2], const std::uint64_t (&b)[2]) {
    return std::pair(a[0], a[1]) < std::pair(b[0], b[1]);
}

}  // namespace

Members::Member Members::place_of(std::string_view name) {
    const std::string whole = hash_text(name);
    const char* const digits = whole.data() + whole.find(':') + 1;
    Member member{};
    std::from_chars(digits, digits + 16, member.hash[0], 16);
    std::from_chars(digits + 16, digits + 32, member.hash[1], 16);
    return member;
}

void Members::add(const std::filesystem::path& path, std::uint64_t bytes,
                  const std::vector<Sample>& samples) {
    const auto [before, fresh] = by_name_.emplace(path.filename().string(), tars_.size());
    if (!fresh) {
        refuse(fmt::format("{} and {} have one name, by which images are called: rename one",
                           tars_[before->second].path.string(), path.string()));
    }
    Tar tar{path, bytes, {}};
    tar.members.reserve(samples.size());
    for (const Sample& sample : samples) {
        Member member = place_of(sample.image);
        member.offset = sample.offset;
        member.size = sample.size;
        tar.members.push_back(member);
    }
    std::sort(tar.members.begin(), tar.members.end(),
              [](const Member& a, const Member& b) { return comes_first(a.hash, b.hash); });
    tars_.push_back(std::move(tar));
}

std::vector<std::byte> Members::read(std::string_view name, std::uint64_t limit) const {
    const std::size_t slash = name.find('/');
    const auto known = by_name_.find(name.substr(0, slash));
    if (slash == std::string_view::npos || known == by_name_.end())
        refuse(fmt::format("no image is called `{}`: names are <archive>/<member>",
                           shortened(std::string(name))));
    const Tar& tar = tars_[known->second];
    const Member wanted = place_of(name.substr(slash + 1));
    const auto found = std::lower_bound(
        tar.members.begin(), tar.members.end(), wanted,
        [](const Member& a, const Member& b) { return comes_first(a.hash, b.hash); });
    return parquet::at_place(
        [&] { return fmt::format("{} in {}", name.substr(slash + 1), tar.path.string()); },
        [&] {
            if (found == tar.members.end() || comes_first(wanted.hash, found->hash))
                refuse("no such member is there");
            const Source source(tar.path);
            if (source.size() != tar.bytes) {
                refuse(
                    fmt::format("the archive changed: it has {} bytes, and had {} when it was "
                                "opened",
                                source.size(), tar.bytes));
            }
            if (found->size > limit)
                refuse(
                    fmt::format("the image has {} bytes; at most {} are read", found->size, limit));
            std::vector<std::byte> bytes(found->size);
            source.read(found->offset, bytes);
            return bytes;
        });
}

}  // namespace assay::webdataset
