// Reads and checks the requested options.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "assay/robustness/corrupt_dataset.h"
#include "core/refuse.h"

namespace assay {
namespace {

bool in_group(const Corruption& c, std::string_view group) {
    if (!c.file.empty()) return c.group == group;
    if (group == "all" || group == "paper" || group == "extra")
        return group == "all" || c.extra == (group == "extra");
    return c.group == group;
}

[[noreturn]] void wrong_option(std::string message) {
    throw Error(ErrorCode::usage, std::move(message));
}

}  // namespace

std::span<const std::string_view> corruption_groups() {
    static constexpr std::array<std::string_view, 7> groups = {"all",  "paper",   "extra",  "noise",
                                                               "blur", "weather", "digital"};
    return groups;
}

std::vector<const Corruption*> chosen_corruptions(const std::vector<std::string>& names,
                                                  bool photographs) {
    const std::span<const std::string_view> groups = corruption_groups();
    const Corruption& synthetic = corruption_named("frost_synthetic");
    const auto is_group = [&](const std::string& name) {
        return std::ranges::find(groups, name) != groups.end() ||
               std::ranges::any_of(corruptions(), [&](const Corruption& c) {
                   return !c.file.empty() && c.group == name;
               });
    };
    std::vector<const Corruption*> chosen;
    for (const std::string& name : names) {
        if (!is_group(name)) {
            const Corruption& c = corruption_named(name);
            if (c.photographs && !photographs) {
                wrong_option(
                    fmt::format("{} needs a folder of photographs: pass --frost FOLDER, or use {}",
                                c.name, synthetic.name));
            }
            chosen.push_back(&c);
            continue;
        }
        for (const Corruption& c : corruptions()) {
            if (&c == &synthetic || !in_group(c, name)) continue;
            chosen.push_back(c.photographs && !photographs ? &synthetic : &c);
        }
    }
    if (chosen.empty()) wrong_option("no corruption is named");
    std::sort(chosen.begin(), chosen.end());  // in the order of the table
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

void check(const CorruptionSettings& options) {
    for (const auto& file : options.plugins.plugin) load_corruptions(file);
    const auto chosen = chosen_corruptions(options.corruptions, !options.frost.empty());
    if (!options.frost.empty() && std::ranges::none_of(chosen, &Corruption::photographs))
        wrong_option(
            "photographs for frost are given, but frost is not among the corruptions: add frost to "
            "them, or omit the photographs");
    if (options.severities.empty()) wrong_option("no severity is named");
    for (const int severity : options.severities) {
        if (severity < 1 || severity > corruption_severities)
            wrong_option(
                fmt::format("severity {}; allowed: 1 to {}", severity, corruption_severities));
    }
    const CorruptionWindow window = settled(options, 0, 0).window;
    if (window.resize < 0 || window.crop < 0 || window.resize > 16384 || window.crop > 16384) {
        wrong_option(fmt::format("a resize to {} and a crop of {} pixels; allowed: 0 to 16384",
                                 window.resize, window.crop));
    }
    if (window.resize != 0 && window.crop > window.resize) {
        wrong_option(fmt::format("a crop of {} pixels does not fit a short side of {}", window.crop,
                                 window.resize));
    }
    if (options.jpeg_quality && (*options.jpeg_quality < 1 || *options.jpeg_quality > 100))
        wrong_option(fmt::format("JPEG quality {}; allowed: 1 to 100", *options.jpeg_quality));
}

void check(const CorruptOptions& options) {
    check(static_cast<const CorruptionSettings&>(options));
    if (options.limit != 0 && options.first != 0)
        wrong_option("a sample and the first images cannot be combined: use one of them");
    if (options.out.empty() && options.sheet.empty())
        wrong_option("nothing to write: pass --out FOLDER or --sheet FILE");
}

CorruptionWindow published_window(CorruptionProfile profile) {
    if (profile == CorruptionProfile::imagenet) return {.resize = 256, .crop = 224};
    return {.resize = 0, .crop = 0};
}

CorruptionSettings settled(CorruptionSettings settings, int width, int height) {
    CorruptionWindow& window = settings.window;
    if (!settings.profile) {
        const int side = window.crop > 0 ? window.crop : window.resize;
        if (side > 0) width = height = side;
        settings.profile = width > 0 && height > 0 ? corruption_profile_for(width, height)
                                                   : CorruptionProfile::imagenet;
    }
    const CorruptionWindow published = published_window(*settings.profile);
    if (window.resize == CorruptionWindow::of_profile) window.resize = published.resize;
    if (window.crop == CorruptionWindow::of_profile) window.crop = published.crop;
    return settings;
}

Image cut_window(const Image& image, const CorruptionWindow& of) {
    const CorruptionWindow published = published_window(CorruptionProfile::imagenet);
    const CorruptionWindow window{
        .resize = of.resize == CorruptionWindow::of_profile ? published.resize : of.resize,
        .crop = of.crop == CorruptionWindow::of_profile ? published.crop : of.crop};
    ResizeWindow part{.width = image.width, .height = image.height};
    if (window.resize != 0) {
        const int side = window.crop != 0 ? window.crop : window.resize;
        part = window_of({.height = side, .width = side, .resize_size = window.resize}, image.width,
                         image.height);
    }
    if (window.crop > part.width || window.crop > part.height) {
        refuse(fmt::format("{} x {} pixels are smaller than the crop of {}", part.width,
                           part.height, window.crop));
    }
    if (window.crop == 0) {
        part.crop_x = part.crop_y = 0;
        part.crop_w = part.crop_h = -1;
    } else if (window.resize == 0) {
        part.crop_x = static_cast<int>(std::nearbyint((part.width - window.crop) / 2.0));
        part.crop_y = static_cast<int>(std::nearbyint((part.height - window.crop) / 2.0));
        part.crop_w = part.crop_h = window.crop;
    }
    return resize(image, Interpolation::bilinear, part);
}

std::string describe_pipeline(const CorruptOptions& options) {
    return describe_pipeline(static_cast<const CorruptionSettings&>(options), ", PNG");
}

std::string describe_pipeline(const CorruptionSettings& asked, std::string_view lossless) {
    const CorruptionSettings options = settled(asked, 0, 0);
    const CorruptionProfile profile = *options.profile;
    const CorruptionWindow& window = options.window;
    std::string text;
    if (window.resize != 0)
        text += fmt::format("short side to {} pixels (bilinear), ", window.resize);
    if (window.crop != 0) text += fmt::format("centre crop {0} x {0}, ", window.crop);
    text += "corruption";
    if (profile != CorruptionProfile::imagenet)
        text += fmt::format(" with the parameters of {}", published_set(profile));
    text += ", cut to 8 bit";
    text += options.jpeg_quality ? fmt::format(", JPEG {} (4:2:0)", *options.jpeg_quality)
                                 : std::string(lossless);
    if (window != published_window(profile)) return text;
    const bool lossy = profile != CorruptionProfile::cifar;
    if (lossy ? options.jpeg_quality == 85 : !options.jpeg_quality) {
        text += fmt::format(": the pipeline of the published {}", published_set(profile));
    } else if (!options.jpeg_quality) {
        text += fmt::format(
            ": the pipeline of the published {} without its last step, JPEG 85, which removes some "
            "of the noise",
            published_set(profile));
    }
    return text;
}

}  // namespace assay
