#include "evaluate/attack_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "core/finite_number.h"

namespace assay {

std::string attack_variant(const AttackVariant& variant) {
    std::string name = fmt::format("{}-{}", variant.attack, name_of(variant.norm));
    if (variant.eps) {
        std::string eps = eps_text(*variant.eps);
        std::replace(eps.begin(), eps.end(), '/', '_');
        name += "-" + eps;
    }
    if (variant.steps > 0) name += fmt::format("-{}steps", variant.steps);
    if (variant.literal) name += "-literal";
    if (variant.space == AttackSpace::normalised_clamped) name += "-normalised";
    return name;
}

double parse_eps(std::string_view text, Norm norm) {
    const auto number = [&](std::string_view part) {
        const std::optional<double> value = finite_number(part);
        if (!value) {
            throw Error(ErrorCode::usage,
                        fmt::format("eps `{}`: expected a number like 8/255 or 0.03", text));
        }
        return *value;
    };
    const auto slash = text.find('/');
    double eps = number(text.substr(0, slash));
    if (slash != std::string_view::npos) {
        const double below = number(text.substr(slash + 1));
        if (!(below > 0)) {
            throw Error(ErrorCode::usage,
                        fmt::format("eps `{}`: the divisor must be above 0", text));
        }
        eps /= below;
    }
    if (eps < 0)
        throw Error(ErrorCode::usage, fmt::format("eps `{}` is below 0; allowed: 0 or more", text));
    if (eps > 1 && norm == Norm::linf) {
        throw Error(ErrorCode::usage,
                    fmt::format("eps `{}` is above 1, the whole range of a pixel; did you mean "
                                "{}/255?",
                                text, text));
    }
    return eps;
}

std::string eps_text(double eps) {
    const double levels = eps * 255;
    const double rounded = std::round(levels * 1000) / 1000;
    if (std::abs(levels - rounded) < 1e-9 && rounded < 256)
        return rounded == 0 ? "0" : fmt::format("{}/255", rounded);
    return fmt::format("{}", eps);
}

// Without the rounding of products such as 8 * 0.3.
std::string budget_text(double eps, Norm norm) {
    return norm == Norm::linf ? eps_text(eps) : fmt::format("{:.12g}", eps);
}

}  // namespace assay
