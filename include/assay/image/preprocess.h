// Turns a decoded image into the numbers that a classifier takes: resize as in Pillow or PyTorch,
// crop, normalize.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/image/image.h"

namespace assay {

/// Pillow's resampling filters.
enum class Interpolation { nearest, box, bilinear, hamming, bicubic, lanczos };

/// The way from the resized image to the input window.
enum class CropMode {
    center,  ///< short side to the resize size, keep the aspect ratio, crop the center (timm
             ///< "center", torchvision)
    squash,  ///< both sides to the resize size, ignore the aspect ratio, crop the center (timm
             ///< "squash")
    border,  ///< long side to the resize size, keep the aspect ratio, pad to the window (timm
             ///< "border")
    none,    ///< resize directly to the window (height, width), without a crop
};

enum class ChannelOrder {
    rgb,
    bgr,
    /// One channel, as Pillow's convert("L") computes it before the resize. Windows and planes have
    /// three equal channels, and the classifier takes the first.
    gray,
};

/// The library whose arithmetic the resize follows, byte for byte.
enum class ResizeRule {
    pillow,  ///< Image.resize of Pillow before version 13
    torch,   ///< PyTorch's interpolate() of a uint8 tensor on a CPU, which torchvision v2 and the
             ///< fast image processors of transformers call
    opencv,  ///< OpenCV's cv2.resize of bytes: `bilinear` is INTER_LINEAR, `bicubic` INTER_CUBIC,
             ///< `box` INTER_AREA, `nearest` INTER_NEAREST
    /// PyTorch's interpolate() of a float32 tensor on a CPU. Bytes are scaled before the resize,
    /// and the result is not rounded to bytes: ToTensor before Resize, kornia
    torch_float,
    torch_rounded,  ///< the same for unscaled bytes, rounded to bytes: the first version of
                    ///< torchvision's Resize of a uint8 tensor
    pillow13,  ///< Image.resize of Pillow 13, which resizes the rows first if the height shrinks by
               ///< more than twice as many pixels as the width
};

/// The start of a center crop if the margin is odd.
enum class CropStart {
    round,  ///< half a pixel is rounded to the even pixel: timm, torchvision
    floor,  ///< half a pixel is rounded down: transformers
};

/// Everything between the decoded image and the classifier's input. Equal settings give equal bits.
struct Preprocess {
    int height = 224;  ///< input rows, pixels
    int width = 224;   ///< input columns, pixels
    Interpolation interpolation = Interpolation::bicubic;
    CropMode crop_mode = CropMode::center;
    /// The proportion of the resized side that the crop keeps (timm's crop_pct): resize size =
    /// floor(side / crop_pct).
    double crop_pct = 0.875;
    /// Explicit resize size in pixels (torchvision's resize_size); overrides crop_pct.
    std::optional<int> resize_size;
    ChannelOrder channel_order = ChannelOrder::rgb;
    /// The number of a pixel byte before mean and std: float32(byte) * float32(scale). If the scale
    /// rounds to the float32 nearest to 1/255, the number is float32(byte) / 255, which differs
    /// from the product in some bits. A scale that equals that float32 exactly, `float_255th`, also
    /// multiplies.
    double scale = 1.0 / 255.0;
    std::array<double, 3> mean = {0.0, 0.0,
                                  0.0};  ///< in scaled units, in the order of the input channels
    std::array<double, 3> std = {1.0, 1.0, 1.0};
    /// The bytes R, G, B that fill padded pixels (crop larger than the image, border mode).
    std::array<std::uint8_t, 3> fill = {0, 0, 0};
    ResizeRule resize_as = ResizeRule::pillow;
    CropStart crop_start = CropStart::round;
    /// False: PyTorch's resize without antialias, which weights the same number of inputs however
    /// far an image shrinks.
    bool antialias = true;

    bool operator==(const Preprocess&) const = default;
};

/// The float32 nearest to 1/255. It is the scale for preprocessing that multiplies (torchvision's
/// v2 ToDtype) instead of dividing by 255 (ToTensor).
inline constexpr double float_255th = 1.0F / 255.0F;
/// True when bytes are divided by 255.
inline bool divides_by_255(double scale) {
    return static_cast<float>(scale) == 1.0F / 255.0F && scale != float_255th;
}

std::string_view name_of(Interpolation);
std::string_view name_of(CropMode);
std::string_view name_of(ChannelOrder);
std::string_view name_of(ResizeRule);
std::string_view name_of(CropStart);
/// These functions throw usage, and list the known names.
Interpolation interpolation_named(std::string_view);
CropMode crop_mode_named(std::string_view);
ChannelOrder channel_order_named(std::string_view);
ResizeRule resize_rule_named(std::string_view);
CropStart crop_start_named(std::string_view);
/// Throws usage if the rule is PyTorch's or OpenCV's and has no such filter, or if the rule always
/// uses antialias.
void check_filter(ResizeRule, Interpolation, bool antialias = true);
/// False if the resized image has values that are no bytes: torch_float, unless the filter only
/// copies pixels.
inline bool resizes_to_bytes(const Preprocess& p) {
    return p.resize_as != ResizeRule::torch_float || p.interpolation == Interpolation::nearest;
}

/// Canonical JSON with every field (sorted keys; resize_size is null when unset), and back.
/// `resize_as`, `crop_start` and `antialias` are written only if they differ from the defaults, so
/// that fingerprints of older stores stay valid. An absent key takes its default.
/// preprocess_from_json throws bad_input on unknown keys and bad values.
nlohmann::json to_json(const Preprocess&);
Preprocess preprocess_from_json(const nlohmann::json&);
/// Calls hash_text on the canonical JSON.
std::string fingerprint(const Preprocess&);
/// One line for people: "resize 256 (bicubic, short side) > centre crop 224x224 > /255 > mean 0.485
/// ... ".
std::string describe(const Preprocess&);

/// Pillow's Image.resize((width, height), filter) on RGB, byte for byte (Pillow 9.4,
/// src/libImaging/Resample.c), or PyTorch's or OpenCV's. PyTorch's is that of 2.14,
/// ATen/native/cpu/UpSampleKernel.cpp, on processors with AVX2; `nearest` is its nearest-exact.
/// OpenCV's is that of 4.12 and 5.0 for x86-64, modules/imgproc/src/resize.cpp, without Intel's
/// library. Only columns [crop_x, crop_x + crop_w) and rows [crop_y, crop_y + crop_h) of the result
/// are computed and returned. `torch_float` gives what `torch_rounded` does.
struct ResizeWindow {
    int width, height;             ///< size of the whole resized image
    int crop_x = 0, crop_y = 0;    ///< may be negative or reach outside, where pixels are `fill`
    int crop_w = -1, crop_h = -1;  ///< -1 means the whole image
};
Image resize(const Image& image, Interpolation filter, const ResizeWindow& window,
             std::array<std::uint8_t, 3> fill = {0, 0, 0}, ResizeRule rule = ResizeRule::pillow,
             bool antialias = true);

/// The geometry of `p` for an image of `width` x `height` pixels: its size after the resize, and
/// the window in it. Follows timm's create_transform and torchvision's Resize and CenterCrop.
/// Throws bad_input when a resized side would be 0 or huge.
ResizeWindow window_of(const Preprocess& p, int width, int height);

/// Pillow's convert("L") (src/libImaging/Convert.c): ITU-R 601-2 in integers, (19595 R + 38470 G +
/// 7471 B + 32768) / 65536, as R = G = B.
Image in_gray(const Image& image);

/// Resizes and crops as `p` says, first converting to gray if it says so. Returns the uint8 window
/// (p.width x p.height, RGBX) before any float arithmetic. Unless resizes_to_bytes(p), the window
/// is rounded, so normalise_into() of it differs from preprocess_into().
Image crop_window(const Image& image, const Preprocess& p);

/// crop_window, then (byte * scale - mean) / std, written as planes: out[c][y][x], 3 * p.height *
/// p.width floats. The float arithmetic is torchvision's: float32 byte/255, then (x - mean) / std
/// in float32. Unless resizes_to_bytes(p), bytes are scaled first, then resized and cropped.
void preprocess_into(const Image& image, const Preprocess& p, std::span<float> out);

/// The second half of preprocess_into: converts a window from crop_window(image, p) to floats.
void normalise_into(const Image& window, const Preprocess& p, std::span<float> out);

/// The float for each byte value, per channel in the order of the input channels.
using ByteValues = std::array<std::array<float, 256>, 3>;
ByteValues byte_values(const Preprocess& p);
/// The bytes of a crop_window() as planes, in the order of the input channels. They need a quarter
/// of the floats' memory. For each byte, normalise_into() writes byte_values(p)[c][byte].
void planes_into(const Image& window, const Preprocess& p, std::span<std::uint8_t> out);

}  // namespace assay
