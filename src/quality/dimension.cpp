#include "assay/quality/dimension.h"

#include <fmt/format.h>

#include <vector>

#include "assay/error.h"
#include "core/text.h"
#include "quality/by_name.h"

namespace assay::quality {
namespace {

using D = Dimension;

constexpr PerDimension<DimensionFacts> nine{{
    {D::accuracy, "accuracy", "accuracy", true, 1, 0, 1, "top-1 on the clean images"},
    {D::adversarial_robustness, "adversarial_robustness", "adversarial robustness", true, 1.0 / 3,
     0, 1.5, "geometric mean of the accuracies under FGSM and PGD, each divided by the clean one"},
    {D::c_robustness, "c_robustness", "C-robustness", true, 1.0 / 3, 0, 1.5,
     "mean accuracy under the 15 corruptions x 5 severities, divided by the clean one"},
    {D::ood_robustness, "ood_robustness", "OOD robustness", true, 1.0 / 3, 0, 2,
     "geometric mean of the accuracies on renditions, sketches, stylized images, edges and "
     "silhouettes, each divided by the clean one"},
    {D::calibration_error, "calibration_error", "calibration error", false, 1, 0, 1,
     "geometric mean of ECE and class-wise ACE, 15 bins each"},
    {D::class_balance, "class_balance", "class balance", true, 1, 0, 1,
     "geometric mean of 1 - the deviation of the classes' accuracies and 1 - that of the target's "
     "probability"},
    {D::object_focus, "object_focus", "object focus", true, 0.5, 0, 2,
     "1 - (accuracy with a background of the same class - accuracy with a random one)"},
    {D::shape_bias, "shape_bias", "shape bias", true, 0.5, 0, 1,
     "proportion of shape decisions among the cue-conflict images decided by shape or texture"},
    {D::parameters, "parameters", "parameters (millions)", false, 1, 0, 1e5,
     "numbers in the parameters, in millions, without buffers"},
}};

struct Alias {
    std::string_view name;
    Dimension dimension;
};
constexpr Alias aliases[] = {
    {"acc", D::accuracy},
    {"top1", D::accuracy},
    {"adversarial", D::adversarial_robustness},
    {"adv rob", D::adversarial_robustness},
    {"corruption robustness", D::c_robustness},
    {"corruptions", D::c_robustness},
    {"c rob", D::c_robustness},
    {"ood", D::ood_robustness},
    {"ood rob", D::ood_robustness},
    {"calibration", D::calibration_error},
    {"cal err", D::calibration_error},
    {"balance", D::class_balance},
    {"focus", D::object_focus},
    {"shape", D::shape_bias},
    {"params", D::parameters},
    {"parameters millions", D::parameters},
    {"params millions", D::parameters},
    {"params m", D::parameters},
};

}  // namespace

const PerDimension<DimensionFacts>& dimension_facts() {
    return nine;
}

std::optional<Dimension> find_dimension(std::string_view name) {
    const std::string wanted = loose_name(trimmed(name));
    for (const DimensionFacts& facts : nine) {
        if (loose_name(facts.name) == wanted || loose_name(facts.title) == wanted)
            return facts.dimension;
    }
    for (const Alias& alias : aliases) {
        if (loose_name(alias.name) == wanted) return alias.dimension;
    }
    return std::nullopt;
}

Dimension dimension_named(std::string_view name) {
    if (const auto found = find_dimension(name)) return *found;
    std::vector<std::string_view> known;
    for (const DimensionFacts& facts : nine) known.push_back(facts.name);
    throw Error(ErrorCode::usage, fmt::format("unknown dimension `{}`; there are {}",
                                              shortened(name), fmt::join(known, ", ")));
}

std::string dimension_columns(std::string_view prefix, std::string_view place) {
    std::string out;
    for (const DimensionFacts& facts : nine)
        out += fmt::format(",{0}{1}={2}.{1}", prefix, facts.name, place);
    return out;
}

}  // namespace assay::quality
