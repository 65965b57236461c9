#include "evaluate/attack_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "core/finite_number.h"

namespace assay {

namespace {

/// The text of a number, as part of a file name.
std::string in_name(std::string text) {
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

}  // namespace

std::string attack_variant(const AttackVariant& variant) {
    std::string name = fmt::format("{}-{}", variant.attack, name_of(variant.norm));
    if (variant.eps) name += "-" + in_name(eps_text(*variant.eps));
    if (variant.steps > 0) name += fmt::format("-{}steps", variant.steps);
    if (variant.step) name += "-step_" + in_name(step_text(*variant.step, variant.norm));
    if (variant.restarts > 1) name += fmt::format("-{}restarts", variant.restarts);
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

AttackStep parse_step(std::string_view text, Norm norm) {
    constexpr std::string_view of_eps = "eps/";
    AttackStep step;
    if (text.starts_with(of_eps)) {
        const std::optional<double> divisor = finite_number(text.substr(of_eps.size()));
        step = {divisor.value_or(0), true};
    } else {
        try {
            step.value = parse_eps(text, norm);
        } catch (const Error&) {  // refused below, with the forms that a step may have
        }
    }
    if (step.value > 0) return step;
    throw Error(ErrorCode::usage,
                fmt::format("step `{}`: expected a size above 0{} like 2/255 or 0.01, or a part of "
                            "eps like eps/30: pass --step eps/30",
                            text, norm == Norm::linf ? " and at most 1" : ""));
}

std::string step_text(const AttackStep& step, Norm norm) {
    return step.divides_eps ? fmt::format("eps/{}", step.value) : budget_text(step.value, norm);
}

}  // namespace assay
