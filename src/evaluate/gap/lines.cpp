#include "evaluate/gap/lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/line.h"
#include "core/statistics.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/statement_parts.h"

namespace assay {
namespace {

using statements::Factor;
using statements::Range;

constexpr std::size_t fewest_models = 3;

struct Scaled {
    double value = 0, derivative = 1;
};

Scaled on_scale(double p, GapScale scale) {
    switch (scale) {
        case GapScale::points:
            break;
        case GapScale::probit: {
            const double z = normal_quantile(p);
            return {z, std::sqrt(8 * std::atan(1.0)) * std::exp(z * z / 2)};
        }
        case GapScale::logit:
            return {std::log(p / (1 - p)), 1 / (p * (1 - p))};
    }
    return {p, 1};
}

std::string_view name_of(GapScale scale) {
    return words_of(scale)[static_cast<std::size_t>(scale)].second;
}

// Values on the scale, and what their errors are multiplied by.
std::pair<std::vector<double>, std::vector<double>> scaled_values(
    const GapReport& report, std::size_t metric, std::size_t set,
    const std::vector<std::size_t>& models, const std::vector<double>& values, GapScale scale) {
    std::pair<std::vector<double>, std::vector<double>> out;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (scale != GapScale::points && (values[k] <= 0 || values[k] >= 1)) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("`{}` has {} = {:g} on {}, which is infinite on the {} scale; "
                            "leave it out, or take --scale points",
                            report.models[models[k]].name, assay::name_of(gap_metrics[metric]),
                            values[k], report.sets[set].name, name_of(scale)));
        }
        const Scaled s = on_scale(values[k], scale);
        out.first.push_back(s.value);
        out.second.push_back(s.derivative);
    }
    return out;
}

// A number per model, from 0: its family, or itself.
std::vector<std::size_t> families_of(const GapReport& report,
                                     const std::vector<std::size_t>& models) {
    std::map<std::string, std::string> named(report.options.families.begin(),
                                             report.options.families.end());
    std::map<std::string, std::size_t> numbers;
    std::vector<std::size_t> out;
    std::size_t count = 0;
    for (const std::size_t i : models) {
        const auto family = named.find(report.models[i].name);
        if (family == named.end()) {
            out.push_back(count++);
            continue;
        }
        const auto [known, fresh] = numbers.emplace(family->second, count);
        count += fresh ? 1 : 0;
        out.push_back(known->second);
    }
    return out;
}

/// The ends of all parts, and the value of the last.
template <class Pick>
std::optional<Range> joined_parts(const std::vector<GapLineParts>& parts, Pick&& pick) {
    std::optional<Range> out;
    const std::size_t bounds = parts.size() > 1 ? parts.size() - 1 : 1;
    for (std::size_t k = 0; k < bounds; ++k) {
        const std::optional<Range> one = pick(parts[k]);
        if (!one) return std::nullopt;
        if (!out) out = one;
        out->low = std::min(out->low, one->low);
        out->high = std::max(out->high, one->high);
    }
    if (const auto value = pick(parts.back())) {
        out->value = value->value;
        if (out->low <= out->high) out->value = std::clamp(out->value, out->low, out->high);
    }
    return out;
}

}  // namespace

GapLineParts line_parts(const GapReport& report, std::size_t metric,
                        const std::vector<std::size_t>& models,
                        const std::array<std::vector<double>, 2>& values, const Factor& first,
                        const Factor& second, const statements::Matrix& first_draws,
                        const statements::Matrix& second_draws, GapScale scale) {
    GapLineParts out;
    if (models.size() < fewest_models || std::ranges::min(values[0]) == std::ranges::max(values[0]))
        return out;
    const auto [x, by_x] = scaled_values(report, metric, 0, models, values[0], scale);
    const auto [y, by_y] = scaled_values(report, metric, 1, models, values[1], scale);
    const Factor one = statements::scaled(first, by_x), two = statements::scaled(second, by_y);
    const auto stretched = [](statements::Matrix draws, const std::vector<double>& by) {
        for (std::size_t b = 0; b < draws.rows; ++b) {
            for (std::size_t m = 0; m < by.size(); ++m) draws.row(b)[m] *= by[m];
        }
        return draws;
    };
    const statements::Matrix e1 = stretched(first_draws, by_x), e2 = stretched(second_draws, by_y);
    const statements::TwoSets sets{x, y, &one, &two, &e1, &e2};
    out.curvature = statements::curvature_of(sets);
    if (e1.rows == 0) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        out.slope = Range{statements::slope_without_errors(sets), -infinity, infinity};
        return out;
    }
    out.slope = statements::slope_of_these(sets, report.options.level);
    const statements::LikeThese like =
        statements::models_like_these(sets, families_of(report, models), report.options.level);
    out.slope_like = like.slope;
    if (scale == GapScale::points) out.mean_gap_like = like.mean_gap;
    return out;
}

void add_line(GapReport& report, std::size_t metric, GapScale scale,
              const std::vector<GapLineParts>& parts, const std::string& why, bool upper_bound) {
    std::vector<double> x, y;
    for (const GapModel& model : report.models) {
        const GapPair& pair = model.metrics[metric];
        if (!pair.first.value || !pair.second.value) continue;
        x.push_back(*pair.first.value);
        y.push_back(*pair.second.value);
    }
    if (x.size() < fewest_models || std::ranges::min(x) == std::ranges::max(x)) return;
    GapLine line;
    line.metric = gap_metrics[metric];
    line.scale = scale;
    line.models = static_cast<std::uint32_t>(x.size());
    line.mean_gap = report.average.metrics[metric].gap;
    const double level = report.options.level;
    const Unit unit = scale == GapScale::points ? Unit::proportion : Unit::number;
    for (auto [estimate, of] : {std::pair{&line.slope, Unit::number},
                                {&line.intercept, unit},
                                {&line.slope_like, Unit::number},
                                {&line.mean_gap_like, Unit::proportion}}) {
        estimate->unit = of;
        estimate->n = line.models;
    }
    const std::string differ_too_little =
        fmt::format("the models differ too little on {} for a slope", report.sets[0].name);
    for (auto& values : {&x, &y}) {
        for (double& v : *values) {
            if (scale != GapScale::points && (v <= 0 || v >= 1)) return;
            v = on_scale(v, scale).value;
        }
    }
    const double mean_x = statements::mean_of(x), mean_y = statements::mean_of(y);
    const auto slope = joined_parts(parts, [](const GapLineParts& p) { return p.slope; });
    if (!slope) {
        // Nothing is known of the errors: the least-squares line, as what was seen.
        const FittedLine fit = least_squares_line(x, y);
        line.slope.value = fit.slope;
        line.intercept.value = fit.intercept;
        line.slope.note = line.intercept.note = why;
    } else if (!std::isfinite(slope->value)) {
        line.slope.undefined = line.intercept.undefined = differ_too_little;
    } else {
        put_range(line.slope, *slope, level, "fieller");
        line.intercept.value = mean_y - *line.slope.value * mean_x;
        if (const auto& ends = line.slope.interval) {
            const double a = mean_y - ends->low * mean_x, b = mean_y - ends->high * mean_x;
            line.intercept.interval = Interval{std::min(a, b), std::max(a, b), level, "fieller"};
            line.intercept.note = "at the ends of the slope";
            if (upper_bound)
                line.slope.note = "by an upper bound of the errors, which may take too much away";
        } else {
            line.slope.note = line.intercept.note =
                why.empty() ? "no interval: " + differ_too_little : why;
        }
    }
    const auto like = [&](Estimate& estimate, auto&& pick, std::string method,
                          const char* too_few) {
        const auto range = joined_parts(parts, pick);
        if (range && std::isfinite(range->value)) {
            put_range(estimate, *range, level, std::move(method));
            if (!estimate.interval) estimate.note = "no interval: " + differ_too_little;
        } else {
            estimate.undefined = why.empty() ? too_few : why;
        }
    };
    like(
        line.slope_like, [](const GapLineParts& p) { return p.slope_like; }, "fieller",
        "models like these: a slope needs four families, and models that differ");
    if (scale == GapScale::points) {
        like(
            line.mean_gap_like, [](const GapLineParts& p) { return p.mean_gap_like; },
            "t.over_families", "models like these: two families are needed");
    } else {
        line.mean_gap_like.undefined = "the mean gap is that in points";
    }
    if (const auto& curve = parts.back().curvature) {
        line.curvature = GapCurvature{curve->coefficient, curve->standard_error, curve->low_slope,
                                      curve->high_slope, curve->curved};
    }
    (scale == GapScale::points ? report.lines : report.scaled_lines).push_back(std::move(line));
}

}  // namespace assay
