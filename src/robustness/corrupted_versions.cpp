// Versions of images, made in memory.
#include "assay/robustness/corrupted_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/image/encode.h"
#include "core/refuse.h"
#include "robustness/corrupted_file.h"
#include "robustness/work.h"

namespace assay {
namespace {

/// Photographs cover the image. Where it is as large as it comes, only the image tells.
void check_photographs(const FrostPhotographs& frost, const CorruptionSettings& settings) {
    const int crop = settings.window.crop;
    for (const Image& photograph : frost.images) {
        if (photograph.width < crop || photograph.height < crop) {
            refuse(fmt::format(
                "{}: a photograph of frost has {} x {} pixels, fewer than the crop of {}",
                settings.frost.string(), photograph.width, photograph.height, crop));
        }
    }
}

}  // namespace

bool is_among(const std::vector<CorruptionVersion>& versions, const Corruption& corruption,
              int severity) {
    return std::any_of(versions.begin(), versions.end(), [&](const CorruptionVersion& version) {
        return version.corruption == &corruption && version.severity == severity;
    });
}

CorruptedVersions::CorruptedVersions(CorruptionSettings settings) : settings_(std::move(settings)) {
    check(settings_);
    auto& severities = settings_.severities;
    std::sort(severities.begin(), severities.end());
    severities.erase(std::unique(severities.begin(), severities.end()), severities.end());
    corruptions_ = chosen_corruptions(settings_.corruptions, !settings_.frost.empty());
    const bool photographs = std::any_of(corruptions_.begin(), corruptions_.end(),
                                         [](const Corruption* c) { return c->photographs; });
    if (!settings_.frost.empty() && !photographs) {
        throw Error(ErrorCode::usage,
                    "photographs for frost are given, and frost is not among the corruptions: add "
                    "frost to them, or leave the photographs out");
    }
    if (!settings_.frost.empty()) frost_ = read_frost_photographs(settings_.frost);
    if (photographs) check_photographs(frost_, settings_);
    for (const Corruption* c : corruptions_) {
        for (const int severity : severities) versions_.push_back({c, severity});
    }
}

std::vector<std::string> CorruptedVersions::notes() const {
    std::vector<std::string> notes;
    for (const Corruption* c : corruptions_) {
        if (c->name == "frost_synthetic") {
            notes.emplace_back(
                "frost_synthetic replaces frost, which overlays photographs (`assay corrupt "
                "--frost FOLDER`): it "
                "is no part of ImageNet-C");
        }
    }
    return notes;
}

void CorruptedVersions::check_size(const CorruptionVersion& version, int width, int height) const {
    robustness::check_size(*version.corruption, version.severity, width, height, &frost_);
}

std::uint64_t CorruptedVersions::memory(int width, int height) {
    return robustness::bytes_per_pixel * static_cast<std::uint64_t>(width) *
           static_cast<std::uint64_t>(height);
}

Image CorruptedVersions::corrupted(const CorruptionVersion& version, const Image& window,
                                   std::string_view id) const {
    return corrupt(window, *version.corruption, version.severity, {settings_.seed, id}, &frost_);
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
    return value.dump();
}

std::string describe_versions(const CorruptedVersions& versions) {
    const std::size_t corruptions = versions.corruptions().size();
    const std::size_t severities = versions.settings().severities.size();
    return fmt::format("{} corruption{} at {} severit{}, {} version{} of each image: {}",
                       corruptions, corruptions == 1 ? "" : "s", severities,
                       severities == 1 ? "y" : "ies", versions.versions().size(),
                       versions.versions().size() == 1 ? "" : "s",
                       describe_pipeline(versions.settings()));
}

}  // namespace assay
