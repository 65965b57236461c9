// Makes versions of images in memory.
#include "assay/robustness/corrupted_versions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "core/refuse.h"
#include "robustness/corrupted_file.h"
#include "robustness/work.h"

namespace assay {
namespace {

/// Photographs must cover the image. Without a crop or resize, this depends on the image.
void check_photographs(const FrostPhotographs& frost, const CorruptionSettings& settings) {
    const int crop = settings.window.crop;
    for (const Image& photograph : frost.images) {
        const int width = robustness::scaled_frost(photograph.width, *settings.profile);
        const int height = robustness::scaled_frost(photograph.height, *settings.profile);
        if (width < crop || height < crop) {
            refuse(fmt::format(
                "{}: a photograph of frost has {} x {} pixels, fewer than the crop of {}",
                settings.frost.string(), width, height, crop));
        }
    }
}

/// The sides of windows in pixels.
struct Sides {
    int width, height;
};

/// Returns the sides of an image if it can be read.
std::optional<Sides> sides_of(const Dataset& dataset, std::size_t item) {
    try {
        const Image image = load_image(dataset, item);
        return Sides{image.width, image.height};
    } catch (const Error& error) {
        if (ends_the_run(error)) throw;
        return std::nullopt;  // the image is counted when the versions are made
    }
}

constexpr std::size_t most_looked_at = 16;

/// The first image determines the profile if necessary. `chosen_by` describes the choice.
CorruptionSettings settled_by(CorruptionSettings settings, const Dataset& dataset,
                              std::string& chosen_by) {
    if (settings.profile) return settled(std::move(settings), 0, 0);
    if (settings.window.crop > 0 || settings.window.resize > 0) {
        settings = settled(std::move(settings), 0, 0);
        if (*settings.profile != CorruptionProfile::imagenet)
            chosen_by = "the resize and crop that are asked for";
        return settings;
    }
    for (std::size_t item = 0; item < std::min(dataset.size(), most_looked_at); ++item) {
        const auto sides = sides_of(dataset, item);
        if (!sides) continue;
        settings = settled(std::move(settings), sides->width, sides->height);
        if (*settings.profile != CorruptionProfile::imagenet)
            chosen_by =
                fmt::format("the first image, of {} x {} pixels", sides->width, sides->height);
        return settings;
    }
    return settled(std::move(settings), 0, 0);
}

}  // namespace

bool is_among(const std::vector<CorruptionVersion>& versions, const Corruption& corruption,
              int severity) {
    return std::any_of(versions.begin(), versions.end(), [&](const CorruptionVersion& version) {
        return version.corruption == &corruption && version.severity == severity;
    });
}

CorruptedVersions::CorruptedVersions(CorruptionSettings settings)
    : settings_(settled(std::move(settings), 0, 0)) {
    check(settings_);
    auto& severities = settings_.severities;
    std::sort(severities.begin(), severities.end());
    severities.erase(std::unique(severities.begin(), severities.end()), severities.end());
    corruptions_ = chosen_corruptions(settings_.corruptions, !settings_.frost.empty());
    const bool photographs = std::any_of(corruptions_.begin(), corruptions_.end(),
                                         [](const Corruption* c) { return c->photographs; });
    if (!settings_.frost.empty()) frost_ = read_frost_photographs(settings_.frost);
    if (photographs) check_photographs(frost_, settings_);
    for (const Corruption* c : corruptions_) {
        for (const int severity : severities) versions_.push_back({c, severity});
    }
}

CorruptedVersions::CorruptedVersions(CorruptionSettings settings, const Dataset& dataset)
    : CorruptedVersions([&] {
          check(settings);
          std::string by;
          CorruptionSettings chosen = settled_by(std::move(settings), dataset, by);
          return std::pair(std::move(chosen), std::move(by));
      }()) {
    std::vector<Sides> sides;
    if (settings_.window.crop > 0) {
        sides.push_back({settings_.window.crop, settings_.window.crop});
    } else {
        // One image that is large enough for all versions is sufficient.
        const auto fits_all = [&](const Sides& one) {
            return std::ranges::all_of(versions_, [&](const CorruptionVersion& v) {
                return std::min(one.width, one.height) >=
                       min_side_of(*v.corruption, v.severity, *settings_.profile);
            });
        };
        for (std::size_t item = 0; item < std::min(dataset.size(), most_looked_at); ++item) {
            auto one = sides_of(dataset, item);
            if (one && settings_.window.resize > 0)
                one = Sides{settings_.window.resize, settings_.window.resize};  // the short side
            if (one) sides.push_back(*one);
            if (one && fits_all(*one)) break;
        }
    }
    if (sides.empty()) return;
    const auto fits = [&](const CorruptionVersion& v) {
        return std::ranges::any_of(sides, [&](const Sides& one) {
            return std::min(one.width, one.height) >=
                   min_side_of(*v.corruption, v.severity, *settings_.profile);
        });
    };
    std::vector<CorruptionVersion> kept;
    for (const CorruptionVersion& v : versions_) {
        if (fits(v)) {
            kept.push_back(v);
            continue;
        }
        const int least = min_side_of(*v.corruption, v.severity, *settings_.profile);
        left_out_.push_back(
            fmt::format("{0} {1} ({2} x {2} pixels)", v.corruption->name, v.severity, least));
    }
    if (kept.empty()) {
        refuse(
            fmt::format("the images are smaller than every version needs; the first one has {} x "
                        "{} pixels, and these are needed: {}. Choose others with `assay corrupt "
                        "--corruptions noise` or "
                        "`assay predict --corrupt noise`",
                        sides.front().width, sides.front().height, fmt::join(left_out_, ", ")));
    }
    versions_ = std::move(kept);
}

CorruptedVersions::CorruptedVersions(std::pair<CorruptionSettings, std::string> chosen)
    : CorruptedVersions(std::move(chosen.first)) {
    chosen_by_ = std::move(chosen.second);
}

std::string CorruptedVersions::left_out_note() const {
    if (left_out_.empty()) return {};
    return fmt::format(
        "{} skipped, because the images are smaller: {}",
        left_out_.size() == 1 ? "1 version is" : fmt::format("{} versions are", left_out_.size()),
        fmt::join(left_out_, ", "));
}

std::vector<std::string> CorruptedVersions::notes() const {
    std::vector<std::string> notes;
    if (!chosen_by_.empty())
        notes.push_back(fmt::format(
            "parameters of {} (profile {}), chosen by {}; to choose another: `assay corrupt "
            "--profile imagenet`, `assay predict --corrupt-profile imagenet`",
            published_set(*settings_.profile), name_of(*settings_.profile), chosen_by_));
    for (const Corruption* c : corruptions_) {
        if (c->name == "frost_synthetic") {
            notes.emplace_back(
                "frost_synthetic replaces frost, which overlays photographs (`assay corrupt "
                "--frost FOLDER`): it is not part of ImageNet-C");
        }
    }
    return notes;
}

void CorruptedVersions::check_size(const CorruptionVersion& version, int width, int height) const {
    robustness::check_size(*version.corruption, version.severity, width, height, &frost_,
                           *settings_.profile);
}

std::uint64_t CorruptedVersions::memory(int width, int height) {
    return robustness::bytes_per_pixel * static_cast<std::uint64_t>(width) *
           static_cast<std::uint64_t>(height);
}

Image CorruptedVersions::corrupted(const CorruptionVersion& version, const Image& window,
                                   std::string_view id) const {
    return corrupt(window, *version.corruption, version.severity, {settings_.seed, id}, &frost_,
                   *settings_.profile);
}

Image CorruptedVersions::make(const CorruptionVersion& version, const Image& window,
                              std::string_view id) const {
    Image image = corrupted(version, window, id);
    if (!settings_.jpeg_quality) return image;
    return decode_image(robustness::published_jpeg(image, *settings_.jpeg_quality));
}

std::string CorruptedVersions::definition(const CorruptionVersion& version) const {
    using nlohmann::json;
    json value = {{"corruption", version.corruption->name},
                  {"severity", version.severity},
                  {"seed", settings_.seed},
                  {"resize", settings_.window.resize},
                  {"crop", settings_.window.crop},
                  {"jpeg_quality", settings_.jpeg_quality ? json(*settings_.jpeg_quality) : json()},
                  {"frost", version.corruption->photographs ? json(frost_.fingerprint) : json()}};
    if (!version.corruption->file.empty()) value["definition"] = version.corruption->definition;
    // Records without these keys have ImageNet-C's parameters, and earlier pixels.
    if (*settings_.profile != CorruptionProfile::imagenet)
        value["profile"] = name_of(*settings_.profile);
    if (robustness::was_made_otherwise(*version.corruption, *settings_.profile,
                                       settings_.window.crop))
        value["revision"] = robustness::pixel_revision;
    return value.dump();
}

std::string describe_versions(const CorruptedVersions& versions) {
    const std::size_t corruptions = versions.corruptions().size();
    const std::size_t severities = versions.settings().severities.size();
    const std::size_t left_out = versions.left_out().size();
    return fmt::format("{} corruption{} at {} severit{}{}, {} version{} of each image: {}",
                       corruptions, corruptions == 1 ? "" : "s", severities,
                       severities == 1 ? "y" : "ies",
                       left_out > 0 ? fmt::format(", {} skipped", left_out) : std::string(),
                       versions.versions().size(), versions.versions().size() == 1 ? "" : "s",
                       describe_pipeline(versions.settings()));
}

}  // namespace assay
