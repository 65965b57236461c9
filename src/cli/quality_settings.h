// The settings in the table [quality] of an assay.toml, except for the roles of the data sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "assay/evaluate/predict_corrupted.h"
#include "assay/robustness/corrupted_versions.h"
#include "assay/robustness/pixel_model.h"

namespace assay::cli {

/// Budget of attacks as users write it: "8/255" or a number.
struct Budget {
    double eps = 8.0 / 255;
};
enum class AttackSet { paper, none };

struct QualitySettings {
    std::vector<std::string> corruptions = {"paper"};
    std::size_t corruption_limit = 0;
    std::filesystem::path frost;
    std::uint64_t corruption_seed = 0;
    int corruption_resize = published_window(CorruptionProfile::imagenet).resize;
    int corruption_crop = published_window(CorruptionProfile::imagenet).crop;
    int corruption_jpeg = 0;
    CorruptedTransform corrupted_transform = CorruptedTransform::own;
    AttackSet attacks = AttackSet::paper;
    std::size_t attack_limit = 0;
    Budget attack_eps;
    AttackSpace attack_space = AttackSpace::pixels;
    bool checks = true;
    bool own_class_sketch = false;
    double level = .95;

    bool corrupts() const { return corruptions != std::vector<std::string>{"none"}; }
    CorruptionSettings corruption_settings() const;
};

/// Checks that the frost folder exists and the corruptions are known.
std::string fault_of(const QualitySettings& settings);

}  // namespace assay::cli

namespace assay {

constexpr auto words_of(CorruptedTransform) {
    using Row = std::pair<CorruptedTransform, std::string_view>;
    return std::array{Row{CorruptedTransform::own, "model"}, Row{CorruptedTransform::crop, "crop"}};
}
constexpr auto words_of(AttackSpace) {
    using Row = std::pair<AttackSpace, std::string_view>;
    return std::array{Row{AttackSpace::pixels, "pixels"},
                      Row{AttackSpace::normalised_clamped, "normalised-clamped"}};
}
namespace cli {
constexpr auto words_of(AttackSet) {
    using Row = std::pair<AttackSet, std::string_view>;
    return std::array{Row{AttackSet::paper, "paper"}, Row{AttackSet::none, "none"}};
}
}  // namespace cli

template <>
struct Kind<cli::Budget> {
    static constexpr ValueShape shape = {
        .allowed = "a proportion of a pixel's range from 0 to 1, as \"8/255\" or 0.03"};
    static void to(const cli::Budget& value, nlohmann::json& out);
    static bool from(const nlohmann::json& value, cli::Budget& out);
};

/// Keys with dashes, as released versions write them to run.json.
template <>
inline constexpr auto description<cli::QualitySettings> = describe<cli::QualitySettings>({
    field<&cli::QualitySettings::corruptions>(
        {.help = "paper: the 15; none; or names, as of assay predict --corrupt"}),
    field<&cli::QualitySettings::corruption_limit>(
        {.help = "Images of val that are corrupted, each class in its proportion",
         .empty = "all",
         .name = "corruption-limit"}),
    field<&cli::QualitySettings::frost>(
        {.help = "Folder of photographs; without it, frost_synthetic replaces frost"}),
    field<&cli::QualitySettings::corruption_seed>({.help = "Seed of the corruptions",
                                                   .name = "corruption-seed"}),
    field<&cli::QualitySettings::corruption_resize>({.help = "Short side before the corruption",
                                                     .min = 0,
                                                     .empty = "as it is",
                                                     .unit = "pixels",
                                                     .name = "corruption-resize"}),
    field<&cli::QualitySettings::corruption_crop>({.help = "Centre crop that is corrupted",
                                                   .min = 0,
                                                   .empty = "all of it",
                                                   .unit = "pixels",
                                                   .name = "corruption-crop"}),
    field<&cli::QualitySettings::corruption_jpeg>(
        {.help = "Quality of the JPEG compression of corrupted images; 85 as the published set",
         .min = 0,
         .max = 100,
         .empty = "none",
         .name = "corruption-jpeg"}),
    field<&cli::QualitySettings::corrupted_transform>(
        {.help = "Preprocessing of corrupted images: the models' own, as in the published table, "
                 "or crop",
         .name = "corrupted-transform"}),
    field<&cli::QualitySettings::attacks>({.help = "paper: fgsm and pgd"}),
    field<&cli::QualitySettings::attack_limit>(
        {.help = "Images of val that are attacked, each class in its proportion",
         .empty = "all",
         .name = "attack-limit"}),
    field<&cli::QualitySettings::attack_eps>({.help = "Budget of the attacks",
                                              .name = "attack-eps"}),
    field<&cli::QualitySettings::attack_space>(
        {.help = "normalised-clamped: as the published table was made", .name = "attack-space"}),
    field<&cli::QualitySettings::checks>(
        {.help = "Check every model on 64 images of val before, as assay check does"}),
    field<&cli::QualitySettings::own_class_sketch>(
        {.help = "sketch is the 1000-class ImageNet-Sketch", .name = "own-class-sketch"}),
    field<&cli::QualitySettings::level>(
        {.help = "Confidence level of the intervals", .min = .5, .max = .9999}),
});

}  // namespace assay
