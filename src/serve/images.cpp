#include "serve/images.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include "assay/image/encode.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "core/file.h"
#include "core/refuse.h"
#include "serve/image_facts.h"

namespace assay::serve {
namespace {

constexpr std::uint64_t most_file_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_bytes_as_is = std::size_t{2} << 20;
constexpr int longest_side = 2048, longest_small_side = 320;
constexpr int served_quality = 90;

/// Identifies the file's current version. A new file with the same name has a different identity.
std::string name_of_version(const std::filesystem::path& path, bool small) {
    struct stat info {};
    // Reading a pipe or a device would never end.
    if (::stat(path.c_str(), &info) != 0)
        refuse(fmt::format("{}: {}", path.string(), std::strerror(errno)));
    if (!S_ISREG(info.st_mode)) refuse(fmt::format("{}: it is not a file", path.string()));
    return fmt::format("{} {} {}.{:09} {}", small ? "small" : "large", info.st_size,
                       info.st_mtim.tv_sec, info.st_mtim.tv_nsec, path.string());
}

/// Scales an image to sides of at most `longest` pixels, keeping the proportions.
Image reduced(Image image, int longest) {
    const int side = std::max(image.width, image.height);
    if (side <= longest) return image;
    const auto scaled = [&](int length) {
        return std::max(1, static_cast<int>(std::int64_t{length} * longest / side));
    };
    return resize(image, Interpolation::lanczos,
                  {.width = scaled(image.width), .height = scaled(image.height)});
}

std::shared_ptr<const std::string> shared_text(std::span<const std::byte> bytes) {
    return std::make_shared<const std::string>(reinterpret_cast<const char*>(bytes.data()),
                                               bytes.size());
}

}  // namespace

/// Returns the image, or the same file's image if it is already being sent.
ServedImage ServedImages::kept_under_way(const std::string& name, ServedImage image) {
    const std::lock_guard lock(mutex_);
    if (under_way_.size() >= forget_at_) {
        std::erase_if(under_way_, [](const auto& entry) { return entry.second.bytes.expired(); });
        forget_at_ = std::max<std::size_t>(1024, 2 * under_way_.size());
    }
    UnderWay& known = under_way_[name];
    if (auto bytes = known.bytes.lock()) return {known.type, std::move(bytes)};
    known = {image.type, image.bytes};
    return image;
}

ServedImage ServedImages::get(const std::filesystem::path& path, bool small) {
    const std::string name = name_of_version(path, small);
    std::optional<std::string_view> fit;
    {
        const std::lock_guard lock(mutex_);
        if (auto made = made_.find(name)) return *made;
        fit = fit_.find(name);
        const auto sent = under_way_.find(name);
        if (sent != under_way_.end())
            if (auto shared = sent->second.bytes.lock())
                return {sent->second.type, std::move(shared)};
    }
    const std::vector<std::byte> bytes = read_file(path, most_file_bytes);
    if (fit && bytes.size() <= most_bytes_as_is)
        return kept_under_way(name, {*fit, shared_text(bytes)});

    MemoryBudget::Share share;
    DecodeLimits limits;
    limits.bytes = std::uint64_t{1} << 30;
    limits.reserve = [&](std::uint64_t needed) { share = budget_.take(needed); };
    Image image;
    with_note("reading " + path.string(), [&] { image = decode_image(bytes, limits); });
    const int longest = small ? longest_small_side : longest_side;
    const std::string_view type = image_type(bytes);
    if (!type.empty() && bytes.size() <= most_bytes_as_is &&
        std::max(image.width, image.height) <= longest && !may_look_different(bytes)) {
        {
            const std::lock_guard lock(mutex_);
            fit_.keep(name, type, 256 + name.size());
        }
        return kept_under_way(name, {type, shared_text(bytes)});
    }
    const ServedImage made = kept_under_way(
        name, {"image/jpeg", shared_text(encode_jpeg(
                                 reduced(std::move(image), longest),
                                 {.quality = served_quality, .chroma = JpegChroma::halved}))});
    const std::lock_guard lock(mutex_);
    made_.keep(name, made, made.bytes->size() + name.size());
    return made;
}

}  // namespace assay::serve
