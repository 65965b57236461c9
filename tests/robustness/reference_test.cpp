// Compares the published corruptions on 20 photographs with Assay's. Only the random draws differ,
// so the figures differ at most like two runs of the published code.
//
// The sample next to the source tree has these photographs at a short side of 256. They were made
// smaller by a sharper filter than the reference's, so blurs remove more from them. With the
// originals (github.com/EliSchwartz/imagenet-sample-images; the 20 in a folder that
// ASSAY_SAMPLE_ORIGINALS names), every figure is compared with the reference alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "assay/image/encode.h"
#include "assay/image/preprocess.h"
#include "assay/robustness/corruption.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/parallel.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const char* originals_folder() {
    return std::getenv("ASSAY_SAMPLE_ORIGINALS");
}

/// The 20 images of the reference, at 224 x 224.
const std::vector<Image>& reference_images() {
    static const std::vector<Image> images = [] {
        std::vector<Image> out;
        const Preprocess published{.interpolation = Interpolation::bilinear, .resize_size = 256};
        if (const char* originals = originals_folder()) {
            std::set<fs::path> files;
            for (const auto& file : fs::directory_iterator(originals)) files.insert(file.path());
            for (const fs::path& file : files)
                out.push_back(crop_window(load_image(file), published));
            return out;
        }
        const fs::path sample = shared_data() / "imagenet_sample";
        for (const char* name : {"n01440764", "n01698640", "n01860187", "n02077923", "n02097474",
                                 "n02110185", "n02165105", "n02417914", "n02669723", "n02860847",
                                 "n03042490", "n03297495", "n03532672", "n03759954", "n03887697",
                                 "n04033995", "n04243546", "n04399382", "n04562935", "n07747607"}) {
            for (const auto& file : fs::directory_iterator(sample / name))
                out.push_back(crop_window(load_image(file.path()), published));
        }
        return out;
    }();
    return images;
}

/// The means over images of the figures in the reference.
struct Figures {
    double psnr = 0, shift = 0, std_ratio = 0, gradient_ratio = 0, jpeg = 0;
};

double psnr_of(const Image& a, const Image& b) {
    std::int64_t sum = 0;  // the fourth byte, X, is 255 in both
    for (std::size_t i = 0; i < a.pixels.size(); ++i)
        sum += (a.pixels[i] - b.pixels[i]) * (a.pixels[i] - b.pixels[i]);
    return 10 * std::log10(255.0 * 255 * 3 * static_cast<double>(a.pixels.size() / 4) /
                           static_cast<double>(sum));
}

double deviation_of(const Image& image, double& mean) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        if (i % 4 == 3) continue;
        sum += image.pixels[i];
        squares += double{1} * image.pixels[i] * image.pixels[i];
    }
    const double n = 3 * static_cast<double>(image.pixels.size() / 4);
    mean = sum / n;
    return std::sqrt(squares / n - mean * mean);
}

double gradient_of(const Image& image) {
    const auto grey = [&](int x, int y) {
        const std::uint8_t* p =
            image.pixels.data() + 4 * (static_cast<std::size_t>(y) * image.width + x);
        return (p[0] + p[1] + p[2]) / 3.0;
    };
    double across = 0, down = 0;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            if (x > 0) across += std::abs(grey(x, y) - grey(x - 1, y));
            if (y > 0) down += std::abs(grey(x, y) - grey(x, y - 1));
        }
    }
    return across + down;
}

Figures figures_of(const Corruption& corruption, int severity) {
    const auto& images = reference_images();
    std::vector<Figures> each(images.size());
    parallel_blocks(images.size(), 0, [&](std::size_t i) {
        const Image& in = images[i];
        Image out = corrupt(in, corruption, severity, {.seed = 1, .image = std::to_string(i)});
        double before = 0, after = 0;
        const double from = deviation_of(in, before), to = deviation_of(out, after);
        Figures& f = each[i];
        f = {psnr_of(in, out), after - before, to / from, gradient_of(out) / gradient_of(in)};
        const JpegOptions jpeg{.quality = 85, .chroma = JpegChroma::halved, .optimize = true};
        f.jpeg = psnr_of(in, decode_image(encode_jpeg(out, jpeg)));
    });
    Figures mean;
    const auto n = static_cast<double>(images.size());
    for (const Figures& f : each) {
        for (const auto field : {&Figures::psnr, &Figures::shift, &Figures::std_ratio,
                                 &Figures::gradient_ratio, &Figures::jpeg})
            mean.*field += f.*field / n;
    }
    return mean;
}

/// The tolerance of the mean PSNR over 20 images: three times the difference of two sets of draws.
double psnr_tolerance(const std::string& name, int severity) {
    const std::map<std::string, double> drawn = {
        {"motion_blur", .3}, {"snow", .2}, {"elastic_transform", .8}, {"fog", .8}, {"spatter", .5}};
    if (name == "spatter" && severity == 1) return 2;
    const auto found = drawn.find(name);
    return found == drawn.end() ? .1 : found->second;
}

/// How much lower the PSNR is on the sharper sample, measured with code that agrees with the
/// reference on the originals. It is 0 for corruptions that do not depend on sharpness.
std::optional<double> sharper_by(const std::string& name, int severity) {
    const std::map<std::string, std::array<double, 5>> lower = {
        {"defocus_blur", {1.07, .85, .62, .51, .43}}, {"glass_blur", {.76, .82, .46, .52, .45}},
        {"motion_blur", {.6, .42, .38, .28, .29}},    {"zoom_blur", {.35, .29, .25, .22, .19}},
        {"pixelate", {1.14, 1.12, .97, .82, .73}},    {"jpeg_compression", {.7, .7, .69, .64, .57}},
        {"gaussian_blur", {1.48, .93, .7, .57, .43}}};
    const auto found = lower.find(name);
    if (originals_folder() != nullptr || found == lower.end()) return std::nullopt;
    return found->second[static_cast<std::size_t>(severity - 1)];
}

TEST(CorruptionReference, AgreesWithThePublishedCodeOnTwentyPhotographs) {
    const fs::path file =
        fs::path(ASSAY_SOURCE_DIR) / "../shared/spec/fixtures/corruption-reference.csv";
    if (shared_data().empty() || !fs::exists(file))
        GTEST_SKIP() << "the shared data are absent: " << file;
    ASSERT_EQ(reference_images().size(), 20U);
    const std::string text = read_text(file);
    CsvReader rows(text, file.string());
    const auto number = [&](const char* column) {
        return std::stod(std::string(rows[rows.column({column})]));
    };
    std::size_t compared = 0;
    while (rows.next()) {
        const std::string name(rows[rows.column({"corruption"})]);
        if (rows[rows.column({"variant"})] != "imagenet_c" || name == "frost") continue;
        const int severity = static_cast<int>(number("severity"));
        SCOPED_TRACE(name + " " + std::to_string(severity));
        const Corruption& corruption = corruption_named(name);
        const Figures f = figures_of(corruption, severity);
        const double tolerance = psnr_tolerance(name, severity);
        const auto lower = sharper_by(name, severity);
        // Images whose copies in the sample are exactly gray do not change at all.
        if (std::isfinite(f.psnr)) {
            EXPECT_NEAR(f.psnr, number("psnr_db") - lower.value_or(0), tolerance);
        }
        if (!lower) {
            EXPECT_NEAR(f.jpeg, number("psnr_after_jpeg85_db"),
                        tolerance + (originals_folder() != nullptr ? 0 : .25));
        }
        if (!corruption.random) {
            EXPECT_NEAR(f.shift, number("mean_shift"), originals_folder() != nullptr ? .06 : .5);
        }
        if (!corruption.random && originals_folder() != nullptr) {
            EXPECT_NEAR(f.gradient_ratio / number("gradient_ratio"), 1, .01);
        }
        if (corruption.group == "noise" || name == "glass_blur") {
            EXPECT_NEAR(f.std_ratio, number("std_ratio"),
                        originals_folder() != nullptr ? .01 : .015);
        }
        ++compared;
    }
    EXPECT_EQ(compared, 18U * 5);
}

}  // namespace
}  // namespace assay
