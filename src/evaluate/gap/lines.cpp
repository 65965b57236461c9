#include "evaluate/gap/lines.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/line.h"
#include "core/statistics.h"

namespace assay {
namespace {

constexpr std::size_t fewest_models = 3;

Estimate over_models(double value, double error, Unit unit, std::size_t models, double degrees,
                     double level) {
    Estimate estimate;
    estimate.value = value;
    estimate.unit = unit;
    estimate.n = models;
    estimate.standard_error = error;
    estimate.interval = symmetric_interval(value, error, level, "t.over_models", degrees);
    return estimate;
}

}  // namespace

void add_lines(GapReport& report) {
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        std::vector<double> x, y;
        for (const GapModel& model : report.models) {
            const GapPair& pair = model.metrics[m];
            if (!pair.first.value || !pair.second.value) continue;
            x.push_back(*pair.first.value);
            y.push_back(*pair.second.value);
        }
        if (x.size() < fewest_models || std::ranges::min(x) == std::ranges::max(x)) continue;
        const double count = static_cast<double>(x.size()), level = report.options.level;
        double mean = 0, squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i) mean += (x[i] - y[i]) / count;
        for (std::size_t i = 0; i < x.size(); ++i) squares += std::pow(x[i] - y[i] - mean, 2);
        const FittedLine line = least_squares_line(x, y);
        GapLine& out = report.lines.emplace_back();
        out.metric = gap_metrics[m];
        out.models = static_cast<std::uint32_t>(x.size());
        out.mean_gap = over_models(mean, std::sqrt(squares / (count - 1) / count), Unit::proportion,
                                   x.size(), count - 1, level);
        out.slope =
            over_models(line.slope, line.slope_error, Unit::number, x.size(), count - 2, level);
        out.intercept = over_models(line.intercept, line.intercept_error, Unit::proportion,
                                    x.size(), count - 2, level);
    }
}

}  // namespace assay
