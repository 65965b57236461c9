// Common corruptions of images: the 15 of ImageNet-C and 4 extra ones, at severities 1 to 5.
//
// Hendrycks, Dietterich, "Benchmarking neural network robustness to common corruptions and
// perturbations", ICLR 2019. Their published set is made from images of 224 x 224 pixels (short
// side to 256, centre crop). The parameters are in pixels of that size. This code uses the same
// definitions with other random draws. Only the published files are "ImageNet-C".
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/image/image.h"

namespace assay {

namespace robustness {
struct Work;
}

inline constexpr int corruption_severities = 5;

/// The source of the parameters. The authors' programs for smaller images have milder ones. With
/// those of ImageNet-C, noise on 32 x 32 pixels is two to four times as strong as in CIFAR-10-C.
enum class CorruptionProfile {
    imagenet,       ///< ImageNet-C: 224 x 224 pixels
    tiny_imagenet,  ///< Tiny-ImageNet-C: 64 x 64
    cifar,          ///< CIFAR-10-C and CIFAR-100-C: 32 x 32
};
inline constexpr int corruption_profiles = 3;
/// Returns "imagenet", "tiny-imagenet" or "cifar".
std::string_view name_of(CorruptionProfile profile);
/// The image set with these parameters: "ImageNet-C", "Tiny-ImageNet-C", "CIFAR-10-C".
std::string_view published_set(CorruptionProfile profile);
/// Throws usage with the nearest name.
CorruptionProfile corruption_profile_named(std::string_view name);
/// Chosen by the longer side of the images: up to 48 pixels cifar, up to 96 tiny_imagenet,
/// otherwise imagenet.
CorruptionProfile corruption_profile_for(int width, int height);

/// One corruption, with all of its properties.
struct Corruption {
    std::string_view name;   ///< folder name in ImageNet-C: "gaussian_noise"
    std::string_view group;  ///< "noise", "blur", "weather", "digital"
    bool extra;              ///< true if it is outside the 15 whose mean is reported
    bool random;             ///< true if draws differ from image to image
    bool photographs;        ///< true if it overlays a photograph from a folder
    /// The smallest side in pixels at each severity of ImageNet-C: on a smaller one, the kernel
    /// would reach from the middle beyond both edges. For all profiles, see min_side_of().
    std::array<int, corruption_severities> min_side;
    /// Mean error of AlexNet over the severities, the denominator of mCE.
    std::optional<double> alexnet_error;
    std::string_view parameters;  ///< effect of the severities in ImageNet-C, for people
    std::function<void(const robustness::Work& work, Image& out)> apply;
    /// For a plug-in: its file, and its recorded definition, which includes the file's hash; "" if
    /// it is built in.
    std::string_view file = "", definition = "";
};

/// The 15 in the order of the paper, the 4 extra ones, and `frost_synthetic`, which is not part of
/// ImageNet-C; then those that load_corruptions() added.
std::span<const Corruption> corruptions();
/// Adds the corruptions of a plug-in (assay/plugin.h; docs/plugins.md), each named FILE:NAME, in
/// the group FILE, and returns them. Each is tried on an image in another process. Its library
/// stays open until the program ends; loading the same file again adds nothing. Thread-safe. Throws
/// bad_input with the file and the function if they have a fault or a name is already used.
std::vector<const Corruption*> load_corruptions(const std::filesystem::path& plugin);
/// Finds a corruption by name. Throws usage with the nearest name.
const Corruption& corruption_named(std::string_view name);

/// The smallest side in pixels of an image that the corruption can process.
int min_side_of(const Corruption& corruption, int severity, CorruptionProfile profile);
/// Describes what the severities change.
std::string_view parameters_of(const Corruption& corruption, CorruptionProfile profile);

/// The photographs that `frost` overlays.
struct FrostPhotographs {
    std::vector<Image> images;
    std::string fingerprint;  ///< hash of names and bytes
};
/// Reads all images of the folder, sorted by name. If it contains the six published files
/// (frost1.png to frost6.jpg), the sixth is skipped, because the published code never draws it.
/// Throws bad_input for a missing folder, or missing or damaged images.
FrostPhotographs read_frost_photographs(const std::filesystem::path& folder);

/// The seed of the random draws, together with the corruption and the severity.
struct CorruptionSeed {
    std::uint64_t seed = 0;
    std::string_view image;  ///< its id in the data set
};

/// Returns an image of the same size. Values are clipped to [0, 1] and truncated, not rounded, to 8
/// bits, as published. The bytes are the same for equal arguments, on any thread and with any
/// instruction set. Only the corruption `frost` needs the argument `frost`. Throws usage for
/// severity not in 1 to 5, `frost` without photographs; bad_input: an image smaller than
/// min_side_of(), a photograph smaller than the image. Thread-safe. Cost at 224 x 224: 0.1 to 4 ms.
Image corrupt(const Image& image, const Corruption& corruption, int severity,
              const CorruptionSeed& seed, const FrostPhotographs* frost = nullptr,
              CorruptionProfile profile = CorruptionProfile::imagenet);

}  // namespace assay
