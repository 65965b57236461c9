#include "evaluate/gap/lines.h"

#include <algorithm>
#include <cmath>
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

bool has_line(const std::array<std::vector<double>, 2>& values) {
    return values[0].size() >= fewest_models &&
           std::ranges::min(values[0]) != std::ranges::max(values[0]);
}

/// The points of a line, which are the models that have a metric on both data sets.
struct LinePoints {
    std::vector<std::size_t> models;
    std::array<std::vector<double>, 2> values;
};
/// No value with fewer than three models, or if all are equal on the first data set.
std::optional<LinePoints> line_points(const GapReport& report, std::size_t metric) {
    LinePoints out;
    for (std::size_t i = 0; i < report.models.size(); ++i) {
        const GapPair& pair = report.models[i].metrics[metric];
        if (!pair.first.value || !pair.second.value) continue;
        out.models.push_back(i);
        out.values[0].push_back(*pair.first.value);
        out.values[1].push_back(*pair.second.value);
    }
    if (!has_line(out.values)) return std::nullopt;
    return out;
}

// A number per model, from 0: the family's number, or its own number.
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

GapLineParts parts_of(const statements::TwoSets& sets, const std::vector<std::size_t>& families,
                      double level) {
    GapLineParts out;
    out.curvature = statements::curvature_of(sets);
    const bool drawn = sets.first_draws->rows > 0;
    out.slope = drawn ? statements::slope_of_these(sets, level)
                      : Range{statements::slope_without_errors(sets), -statements::infinity,
                              statements::infinity};
    const statements::LikeThese like = statements::models_like_these(sets, families, level);
    out.slope_like = like.slope;
    out.mean_gap_like = like.mean_gap;
    return out;
}

}  // namespace

void require_scale(const GapReport& report) {
    const GapScale scale = report.options.scale;
    if (scale == GapScale::points) return;
    for (const GapMetric metric : gap_metrics) {
        const auto points = line_points(report, static_cast<std::size_t>(metric));
        for (std::size_t set = 0; points && set < 2; ++set) {
            for (std::size_t k = 0; k < points->models.size(); ++k) {
                const double value = points->values[set][k];
                if (value > 0 && value < 1) continue;
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("`{}` has {} = {:g} on {}, which is infinite on the {} scale; omit "
                                "it, or use --scale points",
                                report.models[points->models[k]].name, assay::name_of(metric),
                                value, report.sets[set].name, name_of(scale)));
            }
        }
    }
}

GapLineParts line_parts(const GapReport& report, const std::vector<std::size_t>& models,
                        const std::array<std::vector<double>, 2>& values, const Factor& first,
                        const Factor& second, const statements::Matrix& first_draws,
                        const statements::Matrix& second_draws, GapScale scale) {
    if (!has_line(values)) return {};
    const std::vector<std::size_t> families = families_of(report, models);
    const double level = report.options.level;
    if (scale == GapScale::points) {
        return parts_of({values[0], values[1], &first, &second, &first_draws, &second_draws},
                        families, level);
    }
    std::array<std::vector<double>, 2> shown, by;
    for (std::size_t set = 0; set < 2; ++set) {
        for (const double value : values[set]) {
            const Scaled s = on_scale(value, scale);
            shown[set].push_back(s.value);
            by[set].push_back(s.derivative);
        }
    }
    const Factor one = statements::scaled(first, by[0]), two = statements::scaled(second, by[1]);
    const auto stretched = [](statements::Matrix draws, const std::vector<double>& times) {
        for (std::size_t b = 0; b < draws.rows; ++b) {
            for (std::size_t m = 0; m < times.size(); ++m) draws.row(b)[m] *= times[m];
        }
        return draws;
    };
    const statements::Matrix e1 = stretched(first_draws, by[0]),
                             e2 = stretched(second_draws, by[1]);
    return parts_of({shown[0], shown[1], &one, &two, &e1, &e2}, families, level);
}

void add_line(GapReport& report, std::size_t metric, GapScale scale,
              const std::vector<GapLineParts>& parts, const std::string& why, bool upper_bound) {
    std::optional<LinePoints> points = line_points(report, metric);
    if (!points) return;
    std::vector<double>&x = points->values[0], &y = points->values[1];
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
        fmt::format("the models are too similar on {} for a slope", report.sets[0].name);
    for (auto& values : {&x, &y}) {
        for (double& v : *values) v = on_scale(v, scale).value;
    }
    const double mean_x = statements::mean_of(x), mean_y = statements::mean_of(y);
    const auto slope = joined(parts, [](const GapLineParts& p) { return p.slope; });
    if (!slope) {
        // If the errors are unknown, the least-squares line describes the observed values.
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
                line.slope.note =
                    "corrected by an upper bound of the errors, which may be too much";
        } else {
            line.slope.note = line.intercept.note =
                why.empty() ? "no interval: " + differ_too_little : why;
        }
    }
    const auto like = [&](Estimate& estimate, auto&& pick, std::string method,
                          const char* too_few) {
        const auto range = joined(parts, pick);
        if (range && std::isfinite(range->value)) {
            put_range(estimate, *range, level, std::move(method));
            if (!estimate.interval) estimate.note = "no interval: " + differ_too_little;
        } else {
            estimate.undefined = why.empty() ? too_few : why;
        }
    };
    like(
        line.slope_like, [](const GapLineParts& p) { return p.slope_like; }, "fieller",
        "models like these: a slope needs four families and models that differ");
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
