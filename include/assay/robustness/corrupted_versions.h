// Versions of images under common corruptions: which ones, from which part of an image, and how.
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

/// From a decoded image to the one that is corrupted.
struct CorruptionWindow {
    static constexpr int of_profile = -1;  ///< as published_window() says
    int resize = of_profile;  ///< short side, pixels, antialiased bilinear; 0: as it is
    int crop = of_profile;    ///< side of the centre crop, pixels; 0: all of it
    bool operator==(const CorruptionWindow&) const = default;
};
/// What the authors do before: 256 and 224 for ImageNet-C, 0 and 0 for sets of smaller images.
CorruptionWindow published_window(CorruptionProfile profile);
/// of_profile is that of ImageNet-C here. Throws bad_input: the image is smaller than the crop.
Image cut_window(const Image& image, const CorruptionWindow& window);

/// All that decides the pixels of corrupted images, but for the images.
struct CorruptionSettings {
    /// Names, groups ("noise", "blur", "weather", "digital"), "paper" (the 15), "extra" (the 4) or
    /// "all" (the 19).
    std::vector<std::string> corruptions = {"all"};
    std::vector<int> severities = {1, 2, 3, 4, 5};
    std::uint64_t seed = 0;
    CorruptionWindow window;
    std::optional<int> jpeg_quality;  ///< 1 to 100: what JPEG, 4:2:0, leaves of it; 85 as published
    std::filesystem::path frost;      ///< folder of photographs; "": see chosen_corruptions()
    PluginFiles plugins = {};         ///< as load_corruptions() takes them
    /// Whose parameters; none: by the size of the images, as settled() says.
    std::optional<CorruptionProfile> profile = {};
};
/// The settings with a profile and a window. A profile that is not named follows from the side of
/// what is corrupted: the crop, or else the resize, or else these images of width x height
/// (corruption_profile_for()); of sides 0, which are not known, that of ImageNet-C.
CorruptionSettings settled(CorruptionSettings settings, int width, int height);

/// "all", "paper", "extra", "noise", ...: names that stand for several. FILE stands for the
/// corruptions of a plug-in, which the others do not hold.
std::span<const std::string_view> corruption_groups();
/// In the order of the table, each once. Without photographs `frost_synthetic` takes the place that
/// `frost` has in a group; `frost` by its own name needs them. Throws usage: unknown names, none at
/// all, `frost` without photographs.
std::vector<const Corruption*> chosen_corruptions(const std::vector<std::string>& names,
                                                  bool photographs);

/// What can be known to be wrong before a file is read, but for the plug-ins, which are opened.
/// Throws usage; bad_input as load_corruptions().
void check(const CorruptionSettings& settings);

/// What is done to an image, in one line: "short side to 256 pixels (bilinear), centre crop 224 x
/// 224, corruption, cut to 8 bit". `lossless`: what is said where no JPEG is made, ", PNG".
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
    /// Reads the photographs of frost. Settings that leave the profile to the images are settled()
    /// without them. Throws usage as check(); bad_input as read_frost_photographs(), and where a
    /// photograph is smaller than the crop.
    explicit CorruptedVersions(CorruptionSettings settings);
    /// For the images of a data set: of its first one that can be read follows the profile.
    /// Versions that fit none of its first 16 images are left out. Throws as above, and bad_input
    /// where no version is left. Cost: up to 16 images are decoded.
    CorruptedVersions(CorruptionSettings settings, const Dataset& dataset);

    /// Settled, with each severity once, ascending.
    const CorruptionSettings& settings() const noexcept { return settings_; }
    const std::vector<const Corruption*>& corruptions() const noexcept { return corruptions_; }
    /// By corruption, then severity.
    const std::vector<CorruptionVersion>& versions() const noexcept { return versions_; }
    const FrostPhotographs& frost() const noexcept { return frost_; }
    /// Versions that are asked for and left out, because the images are too small: "motion_blur 5
    /// (41 x 41 pixels)".
    const std::vector<std::string>& left_out() const noexcept { return left_out_; }
    /// In one line; "": none is left out.
    std::string left_out_note() const;
    /// What else to know: whose parameters were chosen by the images, and that frost_synthetic
    /// stands in for frost. For people.
    std::vector<std::string> notes() const;

    /// The part of a decoded image that is corrupted. Throws bad_input: smaller than the crop.
    Image window(const Image& image) const { return cut_window(image, settings_.window); }
    /// Throws bad_input where make() would for the sides of the window alone.
    void check_size(const CorruptionVersion& version, int width, int height) const;
    /// Bytes that one call of make() takes at most beside the window, as measured.
    static std::uint64_t memory(int width, int height);
    /// That version of a window, `id` being the image's in its data set: the bytes that
    /// corrupt_dataset() writes, decoded again. Throws bad_input as corrupt().
    Image make(const CorruptionVersion& version, const Image& window, std::string_view id) const;
    /// Before it is written or compressed.
    Image corrupted(const CorruptionVersion& version, const Image& window,
                    std::string_view id) const;

    /// All that decides the pixels of a version but the images and their ids, as JSON: equal texts,
    /// equal pixels.
    std::string definition(const CorruptionVersion& version) const;

private:
    explicit CorruptedVersions(std::pair<CorruptionSettings, std::string> chosen);

    CorruptionSettings settings_;
    std::vector<const Corruption*> corruptions_;
    std::vector<CorruptionVersion> versions_;
    std::vector<std::string> left_out_;
    std::string chosen_by_;  ///< the images that the profile was chosen by; "": it was not
    FrostPhotographs frost_;
};

/// "19 corruptions at 5 severities, 95 versions of each image: short side to 256 pixels ...".
std::string describe_versions(const CorruptedVersions& versions);

}  // namespace assay
