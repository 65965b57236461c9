#include "data/webdataset/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "containers/at_place.h"
#include "containers/source_file.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::webdataset {
void Members::add(const std::filesystem::path& path, std::uint64_t bytes,
                  const std::vector<Sample>& samples,
                  std::shared_ptr<const InflatedSource> unpacked) {
    const auto [before, fresh] = by_name_.emplace(path.filename().string(), tars_.size());
    if (!fresh) {
        refuse(fmt::format(
            "{} and {} have the same name, but images are named after their archive: rename one",
            tars_[before->second].path.string(), path.string()));
    }
    Tar tar{path, bytes, {}, std::move(unpacked)};
    tar.members.reserve(samples.size());
    for (const Sample& sample : samples) {
        tar.members.push_back({name_hash(sample.image), sample.offset, sample.size});
    }
    std::sort(tar.members.begin(), tar.members.end(),
              [](const Member& a, const Member& b) { return a.hash < b.hash; });
    tars_.push_back(std::move(tar));
}

/// Two archives keep their unpacked pages, because threads work on both sides of a boundary between
/// archives.
void Members::note_use(const InflatedSource& unpacked) const {
    const std::lock_guard lock(mutex_);
    if (in_use_[0] == &unpacked) return;
    if (in_use_[1] != &unpacked && in_use_[1] != nullptr) in_use_[1]->forget();
    in_use_ = {&unpacked, in_use_[0]};
}

std::vector<std::byte> Members::bytes_of(const Tar& tar, const Member& member) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(member.size));
    if (tar.unpacked != nullptr) {
        note_use(*tar.unpacked);
        tar.unpacked->read(member.offset, bytes);
        return bytes;
    }
    const SourceFile source(tar.path);
    if (source.size() != tar.bytes) {
        refuse(fmt::format("the archive changed: it has {} bytes; it had {} when it was opened",
                           source.size(), tar.bytes));
    }
    source.read(member.offset, bytes);
    return bytes;
}

std::vector<std::byte> Members::read(std::string_view name, std::uint64_t limit) const {
    const std::size_t slash = name.find('/');
    const auto known = by_name_.find(name.substr(0, slash));
    if (slash == std::string_view::npos || known == by_name_.end())
        refuse(fmt::format("no image is called `{}`: names are <archive>/<member>",
                           shortened(std::string(name))));
    const Tar& tar = tars_[known->second];
    const NameHash wanted = name_hash(name.substr(slash + 1));
    const auto found =
        std::ranges::lower_bound(tar.members, wanted, {}, [](const Member& m) { return m.hash; });
    return at_place(
        [&] { return fmt::format("{} in {}", name.substr(slash + 1), tar.path.string()); },
        [&] {
            if (found == tar.members.end() || found->hash != wanted) refuse("no such member");
            if (found->size > limit)
                refuse(fmt::format("the image has {} bytes; the limit is {}", found->size, limit));
            return bytes_of(tar, *found);
        });
}

}  // namespace assay::webdataset
