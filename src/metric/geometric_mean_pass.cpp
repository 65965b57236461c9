// Implements the pass of a geometric mean of other metrics, and its row of the table.
#include <cmath>

#include <fmt/core.h>

#include "metric/drawn.h"
#include "metric/pass.h"
#include "metric/table_rows.h"

namespace assay {
namespace {

class GeometricMeanPass final : public MetricPass {
public:
    explicit GeometricMeanPass(std::vector<std::string> parts) : parts_(std::move(parts)) {}

    std::vector<MetricRequest> parts() const override {
        std::vector<MetricRequest> list;
        for (const std::string& part : parts_) list.push_back(parse_metric(part));
        return list;
    }

    ResampledEstimate estimate(const MetricRequest&, PassRun& run) const override {
        ResampledEstimate result;
        double product = 1;
        const double power = 1 / static_cast<double>(parts_.size());
        std::vector<double> without;
        for (const MetricRequest& part : parts()) {
            const ResampledEstimate one = run.estimate(part);
            result.n = one.n;
            if (!one.value) {
                result.undefined = fmt::format("{} is undefined: {}", part.text(), one.undefined);
                return result;
            }
            product *= *one.value;
            without.resize(one.without.size(), 1.0);
            for (std::size_t g = 0; g < without.size(); ++g) without[g] *= one.without[g];
        }
        result.value = std::pow(product, power);
        for (double& x : without) x = std::pow(x, power);
        result.without = std::move(without);
        return result;
    }

    std::unique_ptr<DrawnMetric> drawn(const MetricRequest&, PassRun&,
                                       DrawnMetrics& all) const override {
        auto mean = std::make_unique<Drawn>();
        for (const MetricRequest& part : parts()) {
            const auto at = all.add(part);
            if (!at) return nullptr;
            mean->parts.push_back(*at);
        }
        return mean;
    }

private:
    struct Drawn final : DrawnMetric {
        std::vector<std::size_t> parts;  // places of the parts in the list
        double value(std::span<const std::int64_t>,
                     std::span<const double> earlier) const override {
            double product = 1;
            for (const std::size_t part : parts) product *= earlier[part];
            return std::pow(product, 1 / static_cast<double>(parts.size()));
        }
    };

    const std::vector<std::string> parts_;
};

std::string gm_definition(const Parameters&) {
    return "calibration_error.gm";
}

}  // namespace

namespace rows {

void add_calibration_error(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "calibration_error",
         .title = "Calibration error",
         .formula = "sqrt(ece * ace), both with their defaults",
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .origin = hesse,
         .uncertainty = Uncertainty::jackknife,
         .pass = std::make_shared<GeometricMeanPass>(std::vector<std::string>{"ece", "ace"}),
         .definition = gm_definition,
         .calibrated_null = true});
}

}  // namespace rows
}  // namespace assay
