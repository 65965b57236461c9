// Versions of images under common corruptions: which versions exist, which part of an image they
// use, and how to make them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/image/image.h"
#include "assay/plugin_files.h"
#include "assay/robustness/corruption.h"

namespace assay {

/// The way from a decoded image to the image to corrupt.
struct CorruptionWindow {
    static constexpr int of_profile = -1;  ///< means published_window()'s value
    int resize = of_profile;  ///< short side in pixels, antialiased bilinear; 0 means no resizing
    int crop = of_profile;    ///< side of the center crop in pixels; 0 means no crop
    bool operator==(const CorruptionWindow&) const = default;
};
/// The authors' preprocessing: 256 and 224 for ImageNet-C, 0 and 0 for sets of smaller images.
CorruptionWindow published_window(CorruptionProfile profile);
/// Here, of_profile means that of ImageNet-C. Throws bad_input if the image is smaller than the
/// crop.
Image cut_window(const Image& image, const CorruptionWindow& window);

/// All settings that determine the pixels of corrupted images.
struct CorruptionSettings {
    /// Names, groups ("noise", "blur", "weather", "digital"), "paper" (the 15), "extra" (the 4) or
    /// "all" (the 19).
    std::vector<std::string> corruptions = {"all"};
    std::vector<int> severities = {1, 2, 3, 4, 5};
    std::uint64_t seed = 0;
    CorruptionWindow window;
    std::optional<int> jpeg_quality;  ///< JPEG quality, 1 to 100, with 4:2:0; 85 as published
    std::filesystem::path frost;      ///< folder of photographs; for "", see chosen_corruptions()
    PluginFiles plugins = {};         ///< as load_corruptions() accepts them
    /// The profile of the parameters; without a value, it follows from the size of the images, see
    /// settled().
    std::optional<CorruptionProfile> profile = {};
};
/// Returns the settings with a profile and a window. If no profile is named, it follows from the
/// side of the image to corrupt. That side is the crop, otherwise the resize, otherwise these
/// images of width x height (corruption_profile_for()). For sides of 0, which are not known, the
/// profile is that of ImageNet-C.
CorruptionSettings settled(CorruptionSettings settings, int width, int height);

/// Names that represent several corruptions: "all", "paper", "extra", "noise", ... FILE represents
/// the corruptions of a plug-in, which the other groups do not contain.
std::span<const std::string_view> corruption_groups();
/// Returns the corruptions in the order of the table, each once. Without photographs,
/// `frost_synthetic` replaces `frost` in a group; `frost` by its own name needs them. Throws usage:
/// unknown names, no names, `frost` without photographs.
std::vector<const Corruption*> chosen_corruptions(const std::vector<std::string>& names,
                                                  bool photographs);

/// Checks the settings before a file is read, except that it opens plug-ins.
/// Throws usage; bad_input as load_corruptions() does.
void check(const CorruptionSettings& settings);

/// Describes the processing of an image in one line: "short side to 256 pixels (bilinear), centre
/// crop 224 x 224, corruption, cut to 8 bit". `lossless` is the text if no JPEG is made, ", PNG".
std::string describe_pipeline(const CorruptionSettings& settings, std::string_view lossless = "");

/// One corruption at one severity.
struct CorruptionVersion {
    const Corruption* corruption = nullptr;
    int severity = 0;
};
bool is_among(const std::vector<CorruptionVersion>& versions, const Corruption& corruption,
              int severity);

/// Makes the versions of one image after another, in memory. Thread-safe.
class CorruptedVersions {
public:
    /// Reads the photographs of frost. If the settings leave the profile to the images, they are
    /// settled() without images. Throws usage as check() does; bad_input as
    /// read_frost_photographs() does, and if a photograph is smaller than the crop.
    explicit CorruptedVersions(CorruptionSettings settings);
    /// For the images of a data set: the first readable image determines the profile. Versions for
    /// which all of its first 16 images are too small are skipped. Throws as above, and bad_input
    /// if no version remains. Cost: up to 16 images are decoded.
    CorruptedVersions(CorruptionSettings settings, const Dataset& dataset);

    /// The settings after settled(), with each severity once in ascending order.
    const CorruptionSettings& settings() const noexcept { return settings_; }
    const std::vector<const Corruption*>& corruptions() const noexcept { return corruptions_; }
    /// The versions, sorted by corruption, then severity.
    const std::vector<CorruptionVersion>& versions() const noexcept { return versions_; }
    const FrostPhotographs& frost() const noexcept { return frost_; }
    /// Versions that were requested and skipped, because the images are too small: "motion_blur 5
    /// (41 x 41 pixels)".
    const std::vector<std::string>& left_out() const noexcept { return left_out_; }
    /// The skipped versions in one line; "" if none is skipped.
    std::string left_out_note() const;
    /// Further notes for people: the profile that was chosen from the images, and that
    /// frost_synthetic replaces frost.
    std::vector<std::string> notes() const;

    /// The part of a decoded image that is corrupted. Throws bad_input if the image is smaller than
    /// the crop.
    Image window(const Image& image) const { return cut_window(image, settings_.window); }
    /// Throws bad_input if the window is too small for make().
    void check_size(const CorruptionVersion& version, int width, int height) const;
    /// The most bytes that one call of make() needs in addition to the window, as measured.
    static std::uint64_t memory(int width, int height);
    /// Corrupts a window; `id` is the image's id in its data set. The result has the bytes
    /// that corrupt_dataset() writes, decoded again. Throws bad_input as corrupt() does.
    Image make(const CorruptionVersion& version, const Image& window, std::string_view id) const;
    /// The version before it is written to a file or compressed.
    Image corrupted(const CorruptionVersion& version, const Image& window,
                    std::string_view id) const;

    /// Everything that determines the pixels of a version except the images and their ids, as JSON:
    /// equal texts mean equal pixels.
    std::string definition(const CorruptionVersion& version) const;

private:
    explicit CorruptedVersions(std::pair<CorruptionSettings, std::string> chosen);

    CorruptionSettings settings_;
    std::vector<const Corruption*> corruptions_;
    std::vector<CorruptionVersion> versions_;
    std::vector<std::string> left_out_;
    std::string chosen_by_;  ///< the images that determined the profile; "" if they did not
    FrostPhotographs frost_;
};

/// "19 corruptions at 5 severities, 95 versions of each image: short side to 256 pixels ...".
std::string describe_versions(const CorruptedVersions& versions);

}  // namespace assay
