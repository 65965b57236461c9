#include "assay/quality/quba.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "assay/error.h"
#include "core/finite_number.h"
#include "core/text.h"
#include "quality/constants.h"

namespace assay::quality {
namespace {

PerDimension<double> default_weights() {
    PerDimension<double> weights{};
    for (const DimensionFacts& facts : dimension_facts())
        weights[static_cast<std::size_t>(facts.dimension)] = facts.weight;
    return weights;
}

PerDimension<double> doubled(std::initializer_list<Dimension> which) {
    PerDimension<double> weights = default_weights();
    for (const Dimension d : which) weights[static_cast<std::size_t>(d)] *= 2;
    return weights;
}

double weight_in(std::string_view text, std::string_view all) {
    const std::optional<double> value = finite_number(text);
    if (!value || *value < 0) {
        throw Error(ErrorCode::usage, fmt::format("weights `{}`: `{}` is not a number of 0 or more",
                                                  shortened(all, 200), shortened(text)));
    }
    return *value;
}

/// The weights of a profile, or no weight at all for "none".
std::optional<PerDimension<double>> base_weights(std::string_view name) {
    for (const WeightProfile& profile : weight_profiles()) {
        if (loose_name(profile.name) == loose_name(name)) return profile.weights;
    }
    if (loose_name(name) == "none") return PerDimension<double>{};
    return std::nullopt;
}

[[noreturn]] void refuse_weights(std::string_view text) {
    std::vector<std::string_view> known;
    for (const WeightProfile& profile : weight_profiles()) known.push_back(profile.name);
    throw Error(ErrorCode::usage,
                fmt::format("unknown weights `{}`; allowed: {}, or NAME=NUMBER,... to change the "
                            "balanced ones (after `none,`: only these count)",
                            shortened(text, 200), fmt::join(known, ", ")));
}

}  // namespace

const std::vector<WeightProfile>& weight_profiles() {
    using D = Dimension;
    static const std::vector<WeightProfile> profiles = {
        {"balanced", "the paper's own", default_weights()},
        {"accuracy", "accuracy doubled", doubled({D::accuracy})},
        {"robustness", "the three robustnesses doubled",
         doubled({D::adversarial_robustness, D::c_robustness, D::ood_robustness})},
        {"calibration", "calibration error doubled", doubled({D::calibration_error})},
        {"class_balance", "class balance doubled", doubled({D::class_balance})},
        {"shortcut", "object focus and shape bias doubled",
         doubled({D::object_focus, D::shape_bias})},
        {"parameters", "parameters doubled", doubled({D::parameters})},
    };
    return profiles;
}

ParsedWeights parse_weights(std::string_view text) {
    ParsedWeights out{default_weights(), {}};
    std::size_t begin = 0;
    for (bool first = true; begin <= text.size(); first = false) {
        const std::size_t comma = text.find(',', begin);
        const std::string_view part = trimmed(text.substr(begin, comma - begin));
        const std::size_t equal = part.rfind('=');
        const auto base =
            first && equal == std::string_view::npos ? base_weights(part) : std::nullopt;
        if (base) {
            out.base = *base;
        } else if (first && equal == std::string_view::npos) {
            refuse_weights(text);
        } else {
            const std::string_view number =
                equal == std::string_view::npos ? std::string_view() : part.substr(equal + 1);
            out.named.emplace_back(trimmed(part.substr(0, equal)),
                                   weight_in(trimmed(number), text));
        }
        if (comma == std::string_view::npos) break;
        begin = comma + 1;
    }
    return out;
}

void refuse_zero_weights(std::string_view text) {
    throw Error(ErrorCode::usage,
                fmt::format("weights `{}`: all weights are 0; at least one must be above 0",
                            shortened(text, 200)));
}

PerDimension<double> weights_named(std::string_view text) {
    const ParsedWeights parsed = parse_weights(text);
    PerDimension<double> weights = parsed.base;
    for (const auto& [name, weight] : parsed.named)
        weights[static_cast<std::size_t>(dimension_named(name))] = weight;
    if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) refuse_zero_weights(text);
    return weights;
}

TrimmedMoments trimmed_moments(std::span<double> values, double trim) {
    std::sort(values.begin(), values.end());
    const auto cut = static_cast<std::size_t>(trim * static_cast<double>(values.size()));
    const std::span<const double> kept = values.subspan(cut, values.size() - 2 * cut);
    const auto n = static_cast<double>(kept.size());
    TrimmedMoments out;
    out.kept = kept.size();
    out.mean = std::accumulate(kept.begin(), kept.end(), 0.0) / n;
    double squares = 0;
    for (const double value : kept) squares += (value - out.mean) * (value - out.mean);
    out.deviation = std::sqrt(squares / n);
    return out;
}

QubaConstants constants_from(const Values& values, const PerDimension<double>& weights,
                             double trim) {
    if (!(trim >= 0 && trim < 0.5))
        throw Error(ErrorCode::usage, fmt::format("trim is {}; it must be in [0, 0.5)", trim));
    QubaConstants constants;
    std::vector<double> column;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        constants.deviation[d] = 1;
        if (weights[d] == 0) continue;
        const DimensionFacts& facts = dimension_facts()[d];
        column.clear();
        for (const auto& model : values) {
            if (model[d]) column.push_back(*model[d]);
        }
        const TrimmedMoments moments = trimmed_moments(column, trim);
        if (moments.kept < 3) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "only {} of the models {} a value of {}: too few for their own constants",
                    column.size(), column.size() == 1 ? "has" : "have", facts.name));
        }
        constants.mean[d] = moments.mean;
        constants.deviation[d] = moments.deviation;
        if (!(moments.deviation > 1e-12 * std::fabs(moments.mean))) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("all models have the same {}, so it has no scale; use the "
                                    "published constants, or omit it (--weights {}=0)",
                                    facts.name, facts.name));
        }
    }
    return constants;
}

QubaConstants constants_of(const QualityTable& table, const std::vector<std::size_t>& models,
                           const PerDimension<double>& weights, double trim) {
    Values values(models.size());
    for (std::size_t i = 0; i < models.size(); ++i) {
        for (std::size_t d = 0; d < dimension_count; ++d)
            values[i][d] = table.models[models[i]].cells[d].value;
    }
    QubaConstants constants = constants_from(values, weights, trim);
    constants.source = "constants of these " + how_many(models.size(), "model");
    return constants;
}

double quba_of(const PerDimension<std::optional<double>>& values, const QubaConstants& constants,
               const PerDimension<double>& weights) {
    double sum = 0, total = 0;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (weights[d] == 0 || !values[d]) continue;
        const double sign = dimension_facts()[d].higher_is_better ? 1 : -1;
        sum += weights[d] * sign * (*values[d] - constants.mean[d]) / constants.deviation[d];
        total += weights[d];
    }
    return sum / total;
}

}  // namespace assay::quality
