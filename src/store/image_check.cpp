#include "store/image_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "assay/error.h"
#include "assay/report.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/random.h"
#include "store/dataset_files.h"
#include "store/former_decoder.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/parts.h"
#include "store/record.h"
#include "store/same_data.h"

namespace assay::store {
namespace {

constexpr std::size_t sample_size = 64;

/// The rows whose bytes are read. They are the same for every store of the data set, so that each
/// file is read once.
std::vector<std::uint64_t> sample_of(std::uint64_t rows) {
    std::vector<std::uint64_t> chosen;
    if (rows <= sample_size) {
        for (std::uint64_t row = 0; row < rows; ++row) chosen.push_back(row);
        return chosen;
    }
    RandomStream random(0, "images checked on resuming");
    while (chosen.size() < sample_size) chosen.push_back(random.below(rows));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

/// The current state of the image. It is not known() if the image cannot be read.
ImageFile read_image(const Dataset& dataset, std::uint64_t row, std::string* whole_hash = nullptr) {
    try {
        const std::vector<std::byte> bytes = dataset.read_image(static_cast<std::size_t>(row));
        const std::string hash = hash_bytes(bytes);
        if (whole_hash != nullptr) *whole_hash = hash;
        return image_file(bytes.size(), hash);
    } catch (const Error& error) {
        if (ends_the_run(error)) throw;
        return {};
    }
}

std::optional<StoreSpec> spec_if_there(const fs::path& store) {
    try {
        std::optional<Manifest> there = any_manifest(store);
        if (!there) return std::nullopt;
        there->spec.part.number = 0;  // the parts are read as one store
        return std::move(there->spec);
    } catch (const Error& damage) {
        if (damage.code() == ErrorCode::interrupted) throw;
        return std::nullopt;
    }
}

/// The folder without a slash at its end.
fs::path folder_of(const Dataset& dataset) {
    const fs::path folder = absolute_path(dataset.root);
    return folder.has_filename() ? folder : folder.parent_path();
}

/// The recorded folder of the data set's images. "" if it no longer exists and will be recorded
/// again.
std::string recorded_root(const fs::path& folder) {
    return is_there(folder / "dataset.json") ? read_dataset_record(folder).root : std::string();
}

std::string how_different(const ImageFile& there, const ImageFile& now) {
    if (there.bytes != now.bytes) {
        return fmt::format("had {} bytes and now has {}", count_text(there.bytes),
                           count_text(now.bytes));
    }
    return "has different bytes of the same number";
}

}  // namespace

ImageFile image_file(std::uint64_t bytes, std::string_view whole_hash) {
    const std::string_view digits = whole_hash.substr(whole_hash.find(':') + 1).substr(0, 16);
    ImageFile file{.bytes = bytes, .hash = 0};
    std::from_chars(digits.data(), digits.data() + digits.size(), file.hash, 16);
    return file;
}

ImageCheck::ImageCheck(const Dataset& dataset, fs::path folder, int threads)
    : ImageCheck(dataset, dataset.name, std::move(folder), threads,
                 std::make_shared<ImagesNow>(dataset, threads)) {}

ImageCheck::ImageCheck(const Dataset& dataset, std::string name, fs::path folder, int threads,
                       std::shared_ptr<ImagesNow> now)
    : dataset_(dataset),
      name_(std::move(name)),
      folder_(std::move(folder)),
      threads_(threads),
      now_(std::move(now)) {}

std::vector<fs::path> ImageCheck::siblings(const std::string& model) const {
    std::vector<fs::path> folders;
    if (!is_there(folder_)) return folders;
    for (fs::path& entry : subfolders(folder_)) {
        if (entry.filename() != model) folders.push_back(std::move(entry));
    }
    return folders;
}

void ImageCheck::before(const std::string& model) {
    if (dataset_.size() == 0 || compare(folder_ / model)) return;
    for (const fs::path& store : siblings(model)) {
        throw_if_stopped();
        if (compare(store)) return;
    }
}

bool ImageCheck::compare(const fs::path& store) {
    const std::optional<StoreSpec> spec = spec_if_there(store);
    if (!spec || !same_items(*spec, dataset_)) return false;  // opening the store reports it
    refuse_former_decoder(store, *spec, dataset_, threads_);
    return compare_single(store, *spec) || compare_whole_shard(store, *spec);
}

ImagesNow::ImagesNow(const Dataset& dataset, int threads)
    : dataset_(dataset),
      threads_(threads),
      sample_rows_(sample_of(dataset.size())),
      sample_(sample_rows_.size()) {}

const std::vector<std::uint64_t>& ImagesNow::sizes() {
    if (!sizes_.empty()) return sizes_;
    sizes_.assign(dataset_.size(), dataset_.archive == nullptr ? absent : unknown);
    if (dataset_.archive != nullptr) return sizes_;
    constexpr std::size_t block = 256;
    parallel_blocks((sizes_.size() + block - 1) / block, resolve_threads(threads_),
                    [&](std::size_t b) {
                        throw_if_stopped();
                        const std::size_t end = std::min(sizes_.size(), (b + 1) * block);
                        for (std::size_t i = b * block; i < end; ++i) {
                            std::error_code error;
                            const std::uintmax_t bytes = fs::file_size(dataset_.path_of(i), error);
                            if (!error) sizes_[i] = bytes;
                        }
                    });
    return sizes_;
}

ImageFile ImagesNow::sampled(std::size_t place) {
    std::optional<ImageFile>& known = sample_[place];
    if (!known && away_.empty()) {
        try {
            known = read_image(dataset_, sample_rows_[place]);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::unreachable) throw;
            away_ = error.message();
        }
    }
    return known.value_or(ImageFile{});
}

bool ImageCheck::compare_single(const fs::path& store, const StoreSpec& spec) {
    struct Difference {
        std::uint64_t row = 0;
        ImageFile there;
        std::uint64_t count = 0;
    } sizes_differ;
    std::uint64_t compared = 0, bytes_compared = 0, recorded = 0;
    std::optional<std::pair<std::uint64_t, std::string>> bytes_differ;
    std::size_t place = 0;
    const std::vector<std::uint64_t>& sample_rows = now_->sample_rows();
    for (std::size_t shard = 0; shard < shard_count(spec); ++shard) {
        throw_if_stopped();
        const auto record = record_if_there(store, spec, shard);
        if (!record || record->images.empty()) continue;
        const std::vector<std::uint64_t>& sizes = now_->sizes();
        const std::uint64_t first = shard_begin(spec, shard);
        while (place < sample_rows.size() && sample_rows[place] < first) ++place;
        for (std::size_t i = 0; i < record->images.size(); ++i) {
            const std::uint64_t row = first + i;
            const ImageFile& there = record->images[i];
            const bool sampled_row = place < sample_rows.size() && sample_rows[place] == row;
            const std::size_t at = place;
            if (sampled_row) ++place;
            recorded += there.known() ? 1 : 0;
            // An image that was unreadable earlier may have been repaired.
            if (!there.known() || record->states[i] == RowState::unreadable) continue;
            const std::uint64_t size = sizes[static_cast<std::size_t>(row)];
            if (size == ImagesNow::absent) continue;
            ++compared;
            if (size != ImagesNow::unknown && size != there.bytes) {
                if (sizes_differ.count++ == 0) {
                    sizes_differ.row = row;
                    sizes_differ.there = there;
                }
                continue;
            }
            if (!sampled_row || bytes_differ) continue;
            const ImageFile now = now_->sampled(at);
            if (!now.known()) continue;
            ++bytes_compared;
            if (now != there) bytes_differ = {row, how_different(there, now)};
        }
    }
    if (sizes_differ.count > 0) {
        const std::uint64_t now = now_->sizes()[static_cast<std::size_t>(sizes_differ.row)];
        refuse(store, sizes_differ.row,
               how_different(sizes_differ.there, {.bytes = now, .hash = 0}), sizes_differ.count - 1,
               compared);
    }
    if (bytes_differ) refuse(store, bytes_differ->first, bytes_differ->second, 0, bytes_compared);
    if (!now_->away().empty() && !noted_) {
        // Missing images would be read from the folder. If none is missing, it need not exist.
        noted_ = true;
        notes_.push_back(fmt::format(
            "the images could not be compared with those of the stores: {}", now_->away()));
    }
    if (recorded > 0) note_compared(compared, bytes_compared);
    return recorded > 0;
}

bool ImageCheck::compare_whole_shard(const fs::path& store, const StoreSpec& spec) {
    bool has_hashes = false;
    // Starts with the last shard, which is the shortest.
    for (std::size_t shard = shard_count(spec); shard-- > 0;) {
        const auto record = record_if_there(store, spec, shard);
        if (!record || record->images_hash.empty()) continue;
        has_hashes = true;
        // With an unreadable image, the shard's hash cannot be used to compare the other images.
        if (std::ranges::count(record->states, RowState::unreadable) > 0) continue;
        const std::uint64_t first = shard_begin(spec, shard);
        std::vector<std::string> hashes(record->states.size());
        parallel_blocks(hashes.size(), resolve_threads(threads_), [&](std::size_t i) {
            throw_if_stopped();
            read_image(dataset_, first + i, &hashes[i]);
        });
        if (std::ranges::count(hashes, "") > 0) continue;  // missing now
        Hasher images;
        for (const std::string& hash : hashes) images.add_field(hash);
        if (images.digest() != record->images_hash) {
            refuse(store, first,
                   fmt::format("or one of the {} after it has different bytes now",
                               count_text(hashes.size() - 1)),
                   0, hashes.size());
        }
        if (!noted_) {
            notes_.push_back(fmt::format(
                "the store `{}` has no record of single images: the bytes of {} of {} images were "
                "compared, and are the same",
                store.string(), count_text(hashes.size()), count_text(dataset_.size())));
            noted_ = true;
        }
        return true;
    }
    if (has_hashes && !noted_) {
        notes_.push_back(
            fmt::format("the images that the store `{}` was made from could not be compared with "
                        "the present ones",
                        store.string()));
        noted_ = true;
    }
    return has_hashes;
}

std::optional<StoreSpec> ImageCheck::spec_of(const fs::path& store) const {
    const std::scoped_lock lock(mutex_);
    if (const auto known = specs_.find(store); known != specs_.end()) return known->second;
    std::optional<StoreSpec> spec = spec_if_there(store);
    if (spec) specs_.emplace(store, *spec);
    return spec;
}

void ImageCheck::after(const std::string& model, std::uint64_t first_row,
                       std::span<const ImageFile> images) const {
    const auto agrees_with = [&](const fs::path& store) {
        const std::optional<StoreSpec> spec = spec_of(store);
        if (!spec || spec->rows != dataset_.size()) return false;
        bool found = false;
        const std::uint64_t end = first_row + images.size();
        for (std::size_t shard = static_cast<std::size_t>(first_row / spec->shard_rows);
             shard < shard_count(*spec) && shard_begin(*spec, shard) < end; ++shard) {
            const auto record = record_if_there(store, *spec, shard);
            if (!record || record->images.empty()) continue;
            const std::uint64_t begin = shard_begin(*spec, shard);
            for (std::size_t i = 0; i < record->images.size(); ++i) {
                const std::uint64_t row = begin + i;
                if (row < first_row || row >= end) continue;
                const ImageFile& there = record->images[i];
                const ImageFile& now = images[static_cast<std::size_t>(row - first_row)];
                found = found || there.known();
                if (there.known() && now.known() && there != now &&
                    record->states[i] != RowState::unreadable) {
                    refuse(store, row, how_different(there, now), 0, images.size());
                }
            }
        }
        return found;
    };
    agrees_with(folder_ / model);
    for (const fs::path& store : siblings(model)) {
        if (agrees_with(store)) return;
    }
}

void ImageCheck::refuse(const fs::path& store, std::uint64_t row, const std::string& how,
                        std::uint64_t others, std::uint64_t compared) const {
    const fs::path now = folder_of(dataset_);
    const std::string root = recorded_root(folder_);
    const std::string came_from = root.empty() ? now.string() : root;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "the images of the data set `{}` differ from those of the store `{}`: `{}` {}{}. The "
            "store was made from `{}`{}. Give these images another data set name ({}), or use "
            "another --out",
            name_, store.string(), dataset_.ids[static_cast<std::size_t>(row)], how,
            others == 0 ? ""
                        : fmt::format(", and so {} {} more of {}", others == 1 ? "has" : "have",
                                      count_text(others), count_text(compared)),
            came_from,
            came_from == now.string() ? ", whose images have changed since"
                                      : fmt::format("; the images now are in `{}`", now.string()),
            folder_name_from((now.parent_path().filename() / now.filename()).string())));
}

void ImageCheck::note_compared(std::uint64_t sizes, std::uint64_t bytes) {
    if (noted_) return;
    noted_ = true;
    const std::string now = folder_of(dataset_).string();
    const std::string root = recorded_root(folder_);
    const std::string came_from = root.empty() ? now : root;
    if (sizes == 0) {
        notes_.push_back(
            fmt::format("none of the images that `{}` was made from is in `{}`: they "
                        "could not be compared",
                        folder_.string(), now));
    } else if (came_from != now) {
        notes_.push_back(fmt::format(
            "the images moved from `{}` to `{}`: {} compared by size, {} of them byte by byte; all "
            "are the same",
            came_from, now, count_text(sizes), count_text(bytes)));
        std::error_code error;
        if (!fs::exists(came_from, error)) move_root(folder_, dataset_.root);
    }
}

std::vector<std::string> ImageCheck::take_notes() {
    return std::exchange(notes_, {});
}

}  // namespace assay::store
