// Converts boxes as written to patches inside their images.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <span>
#include <tuple>

#include "assay/error.h"
#include "assay/image/image.h"
#include "assay/patchml/boxes.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/text.h"
#include "patchml/box_readers.h"
#include "patchml/image_index.h"

namespace assay {
namespace {

constexpr std::uint32_t none = UINT32_MAX;
constexpr double max_corner = 1e9;

/// The true sizes of `images` (below root), or 0 x 0 and a reason if an image is damaged.
struct Survey {
    std::vector<PatchPool::Size> sizes;
    std::vector<std::string> problems;
};

Survey survey(const std::filesystem::path& root, const StringColumn& images,
              const PoolOptions& options) {
    Survey out;
    out.sizes.resize(images.size());
    out.problems.resize(images.size());
    Progress progress;
    progress.step = "reading";
    progress.total = images.size();
    std::mutex mutex;
    // Several images per block, because a thread reuses its buffer within one.
    constexpr std::size_t at_once = 16;
    parallel_blocks((images.size() + at_once - 1) / at_once, resolve_threads(options.threads),
                    [&](std::size_t block) {
                        const std::size_t end = std::min(images.size(), (block + 1) * at_once);
                        for (std::size_t i = block * at_once; i < end; ++i) {
                            throw_if_stopped();
                            try {
                                const Image image =
                                    load_image(root / std::filesystem::path(images[i]));
                                out.sizes[i] = {image.width, image.height};
                            } catch (const Error& error) {
                                // Skips damaged images. A system error may be temporary, and the
                                // data set must not depend on it.
                                if (error.code() != ErrorCode::bad_input) throw;
                                out.sizes[i] = {0, 0};
                                out.problems[i] = error.message();
                            }
                            if (!options.progress) continue;
                            const std::scoped_lock lock(mutex);
                            ++progress.done;
                            options.progress(progress);
                        }
                    });
    return out;
}

ClassList classes_of_boxes(const BoxList& list, const ClassList& known,
                           std::vector<std::string>& notes) {
    if (!known.empty()) return known;
    constexpr std::uint64_t max_classes = 1'000'000;
    std::vector<std::string> ids = list.classes;
    std::erase(ids, "");
    if (ids.empty()) throw Error(ErrorCode::bad_input, "no box names a class");
    const ClassList& imagenet = imagenet_classes();
    if (std::any_of(ids.begin(), ids.end(),
                    [&](const auto& id) { return is_wnid(id) && imagenet.find(id); })) {
        notes.push_back("the boxes' classes are WordNet ids: ImageNet's 1000 classes");
        return imagenet;
    }
    std::uint64_t number = 0, most = 0;
    const bool numbers = std::all_of(ids.begin(), ids.end(), [&](const auto& id) {
        if (!parse_number(id, number) || number >= max_classes) return false;
        most = std::max(most, number);
        return true;
    });
    if (numbers) {
        notes.push_back(
            fmt::format("the boxes' classes are numbers up to {}: {} classes", most, most + 1));
        return numbered_classes(static_cast<std::size_t>(most) + 1);
    }
    std::sort(ids.begin(), ids.end());
    notes.push_back(fmt::format("the boxes have {} classes, sorted by bytes", ids.size()));
    return ClassList(std::move(ids));
}

/// Checks one box at a time. Valid boxes become patches.
class Cutter {
public:
    Cutter(const BoxList& list, const PoolOptions& options, PatchPool& pool)
        : list_(list), options_(options), pool_(pool), unknown_(list.classes.size()) {
        for (const std::string& cls : list.classes)
            class_of_.push_back(cls.empty() ? std::nullopt : pool.classes.find(cls));
    }

    void reject(const BoxList::Row& row, BoxFault fault, std::string detail) {
        pool_.rejected.push_back({.fault = fault,
                                  .where = fmt::format("{} {} {}", list_.sources[row.source],
                                                       place_word(list_.format), row.place),
                                  .image = std::string(list_.images[row.image]),
                                  .cls = list_.classes[row.cls],
                                  .detail = std::move(detail)});
    }

    /// Makes the checks that need no image. Returns true to continue.
    bool judge(const BoxList::Row& row) {
        const auto& c = row.corners;
        if (std::any_of(c.begin(), c.end(),
                        [](double v) { return !(std::abs(v) <= max_corner); })) {
            reject(row, BoxFault::bad_number, text(row));
        } else if (c[2] < c[0] || c[3] < c[1]) {
            reject(row, BoxFault::reversed, text(row));
        } else if (list_.corners == Corners::edges && (c[2] == c[0] || c[3] == c[1])) {
            reject(row, BoxFault::empty, text(row));
        } else if (!class_of_[row.cls]) {
            reject(row, BoxFault::unknown_class, unknown(row.cls));
        } else if (options_.skip_difficult && row.difficult) {
            reject(row, BoxFault::difficult, "");
        } else if (options_.skip_truncated && row.truncated) {
            reject(row, BoxFault::truncated, "");
        } else {
            return true;
        }
        return false;
    }

    void cut(const BoxList::Row& row, std::uint32_t image) {
        const ImageSize size = pool_.sizes[image], named = row.image < list_.sizes.size()
                                                               ? list_.sizes[row.image]
                                                               : ImageSize{};
        if (named != ImageSize{} && named != size) {
            return reject(row, BoxFault::other_size,
                          fmt::format("annotated at {} x {} pixels, the image has {} x {}",
                                      named.width, named.height, size.width, size.height));
        }
        // Converts corners as written to edges: columns [x0, x1).
        const double first = list_.corners == Corners::inclusive1 ? -1 : 0;
        const double last = list_.corners == Corners::inclusive0 ? 1 : 0;
        const double x0 = std::floor(row.corners[0] + first), x1 = std::ceil(row.corners[2] + last);
        const double y0 = std::floor(row.corners[1] + first), y1 = std::ceil(row.corners[3] + last);
        const auto clip = [](double v, std::int32_t most) {
            return static_cast<std::int32_t>(std::clamp(v, 0.0, static_cast<double>(most)));
        };
        Patch patch{.image = image,
                    .cls = *class_of_[row.cls],
                    .x = clip(x0, size.width),
                    .y = clip(y0, size.height),
                    .width = 0,
                    .height = 0};
        patch.width = clip(x1, size.width) - patch.x;
        patch.height = clip(y1, size.height) - patch.y;
        if (patch.width <= 0 || patch.height <= 0) {
            return reject(row, BoxFault::outside,
                          fmt::format("{} of {} x {} pixels", text(row), size.width, size.height));
        }
        if (std::min(patch.width, patch.height) < options_.min_side) {
            return reject(row, BoxFault::too_small,
                          fmt::format("{} x {} pixels", patch.width, patch.height));
        }
        if (is_known(row, patch)) return;
        pool_.clipped += x0 < 0 || y0 < 0 || x1 > size.width || y1 > size.height;
        pool_.clipped_by_one += x1 == size.width + 1.0 || y1 == size.height + 1.0;
        pool_.patches.push_back(patch);
    }

private:
    /// True if these pixels already have this class. Duplicates are counted, and excluded if
    /// requested.
    bool is_known(const BoxList::Row& row, const Patch& patch) {
        const auto place = std::tuple(patch.image, patch.x, patch.y, patch.width, patch.height);
        const auto [first, end] = seen_.equal_range(place);
        const auto says = [&] {
            return fmt::format("{} {} {}: image {}", list_.sources[row.source],
                               place_word(list_.format), row.place, list_.images[row.image]);
        };
        bool same = false, other = false;
        for (auto it = first; it != end; ++it) (it->second == patch.cls ? same : other) = true;
        if (same) {
            if (options_.skip_duplicates) {
                reject(row, BoxFault::duplicate, "");
                return true;
            }
            if (pool_.duplicates++ == 0) pool_.first_duplicate = says();
        } else if (other) {
            if (pool_.conflicts++ == 0) pool_.first_conflict = says();
        }
        if (!same) seen_.emplace(place, patch.cls);
        return false;
    }

    /// The text is computed once per class, because the search for the nearest name is slow, and
    /// there may be a million boxes.
    const std::string& unknown(std::uint32_t cls) {
        std::string& out = unknown_[cls];
        if (!out.empty()) return out;
        const std::string& name = list_.classes[cls];
        if (name.empty()) return out = "no class is named";
        const std::string near =
            nearest_name(name, is_wnid(name) ? pool_.classes.ids() : pool_.classes.names());
        return out = fmt::format("none of the {} classes{}", pool_.classes.size(),
                                 near.empty() ? "" : fmt::format("; did you mean `{}`?", near));
    }
    static std::string text(const BoxList::Row& row) {
        const auto& c = row.corners;
        return fmt::format("{} {} {} {}", c[0], c[1], c[2], c[3]);
    }

    const BoxList& list_;
    const PoolOptions& options_;
    PatchPool& pool_;
    std::vector<std::optional<std::int32_t>> class_of_;
    std::vector<std::string> unknown_;
    /// All images' boxes with their classes, because boxes of one image need not be
    /// adjacent.
    std::multimap<std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>,
                  std::int32_t>
        seen_;
};

/// Maps the list's images to the images on disk. Only images of `wanted` boxes are searched.
struct Matches {
    std::vector<ImageIndex::Found> found;   ///< per image of the list
    std::vector<std::uint32_t> pool_index;  ///< per image on disk: its index in the pool, or none
};

Matches match_images(const BoxList& list, const std::vector<std::uint32_t>& wanted,
                     const ImageIndex& index, PatchPool& pool) {
    Matches out;
    out.found.resize(list.images.size());
    out.pool_index.assign(index.images().size(), none);
    std::vector<bool> looked(list.images.size(), false);
    for (const std::uint32_t r : wanted) {
        const std::uint32_t image = list.rows[r].image;
        if (looked[image]) continue;
        looked[image] = true;
        auto found = index.find(list.images[image]);
        if (found.kind != ImageIndex::Found::Kind::one && !list.alternatives[image].empty()) {
            const auto other = index.find(list.alternatives[image]);
            if (other.kind != ImageIndex::Found::Kind::none) found = other;
        }
        out.found[image] = found;
        if (found.kind != ImageIndex::Found::Kind::one || out.pool_index[found.image] != none)
            continue;
        out.pool_index[found.image] = static_cast<std::uint32_t>(pool.images.size());
        pool.images.append(index.images()[found.image]);
    }
    return out;
}

void refuse_empty(const PatchPool& pool) {
    if (!pool.patches.empty()) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("none of {} boxes can be used{}{}", pool.read,
                            pool.rejected.empty() ? "" : "; the first: ",
                            pool.rejected.empty() ? "" : describe(pool.rejected.front())));
}

}  // namespace

PatchPool make_pool(const BoxList& list, const std::filesystem::path& root,
                    const PoolOptions& options, std::vector<std::string>* notes) {
    std::vector<std::string> unheard;
    PatchPool pool;
    pool.root = root;
    pool.read = list.rows.size() + list.rejected.size();
    pool.rejected = list.rejected;
    if (list.rows.empty()) refuse_empty(pool);
    pool.classes = classes_of_boxes(list, options.classes, notes != nullptr ? *notes : unheard);
    const ImageIndex index(root);

    Cutter cutter(list, options, pool);
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t r = 0; r < list.rows.size(); ++r) {
        if (cutter.judge(list.rows[r])) wanted.push_back(r);
    }
    const Matches matches = match_images(list, wanted, index, pool);
    Survey seen = survey(root, pool.images, options);
    pool.sizes = std::move(seen.sizes);

    for (const std::uint32_t r : wanted) {
        const BoxList::Row& row = list.rows[r];
        const ImageIndex::Found found = matches.found[row.image];
        using Kind = ImageIndex::Found::Kind;
        if (found.kind == Kind::none) {
            cutter.reject(row, BoxFault::missing_image, "not below " + root.string());
        } else if (found.kind == Kind::several) {
            cutter.reject(
                row, BoxFault::ambiguous_image,
                fmt::format("several images have this name, e.g. {}", index.images()[found.image]));
        } else if (const std::uint32_t image = matches.pool_index[found.image];
                   !seen.problems[image].empty()) {
            cutter.reject(row, BoxFault::unreadable_image, seen.problems[image]);
        } else {
            cutter.cut(row, image);
        }
    }
    refuse_empty(pool);
    return pool;
}

PatchPool make_pool(const Dataset& dataset, const PoolOptions& options) {
    PatchPool pool;
    pool.root = dataset.root;
    pool.classes = dataset.classes;
    pool.read = dataset.size();
    const auto reject = [&](std::size_t item, BoxFault fault, std::string detail) {
        pool.rejected.push_back({.fault = fault,
                                 .where = fmt::format("item {}", item + 1),
                                 .image = std::string(dataset.ids[item]),
                                 .cls = "",
                                 .detail = std::move(detail)});
    };
    std::vector<std::int32_t> labels;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::int32_t label = dataset.single_label(i);
        if (label < 0) {
            reject(i, BoxFault::no_single_label,
                   fmt::format("{} labels", dataset.labels[i].size()));
            continue;
        }
        labels.push_back(label);
        pool.images.append(dataset.paths.size() == 0 ? dataset.ids[i] : dataset.paths[i]);
    }
    Survey seen = survey(pool.root, pool.images, options);
    pool.sizes = std::move(seen.sizes);
    for (std::uint32_t i = 0; i < labels.size(); ++i) {
        const auto [width, height] = pool.sizes[i];
        const auto reject_image = [&](BoxFault fault, std::string detail) {
            pool.rejected.push_back({.fault = fault,
                                     .where = "",
                                     .image = std::string(pool.images[i]),
                                     .cls = pool.classes.id(static_cast<std::size_t>(labels[i])),
                                     .detail = std::move(detail)});
        };
        std::error_code unknown;
        if (!seen.problems[i].empty()) {
            const bool there =
                std::filesystem::exists(pool.root / std::filesystem::path(pool.images[i]), unknown);
            reject_image(there ? BoxFault::unreadable_image : BoxFault::missing_image,
                         seen.problems[i]);
        } else if (std::min(width, height) < options.min_side) {
            reject_image(BoxFault::too_small, fmt::format("{} x {} pixels", width, height));
        } else {
            pool.patches.push_back(
                {.image = i, .cls = labels[i], .x = 0, .y = 0, .width = width, .height = height});
        }
    }
    refuse_empty(pool);
    return pool;
}

std::array<std::uint64_t, box_fault_count> PatchPool::rejected_by_fault() const {
    std::array<std::uint64_t, box_fault_count> counts{};
    for (const RejectedBox& box : rejected) ++counts[static_cast<std::size_t>(box.fault)];
    return counts;
}

std::vector<std::uint64_t> PatchPool::class_counts() const {
    std::vector<std::uint64_t> counts(classes.size(), 0);
    for (const Patch& patch : patches) ++counts[static_cast<std::size_t>(patch.cls)];
    return counts;
}

std::string PatchPool::fingerprint() const {
    Hasher hasher;
    hasher.add_field(classes.fingerprint());
    for (std::size_t i = 0; i < images.size(); ++i) hasher.add_field(images[i]);
    hasher.add(std::as_bytes(std::span(sizes)));
    hasher.add(std::as_bytes(std::span(patches)));
    return hasher.digest();
}

}  // namespace assay
