// Measures how much a ranking depends on the models that center and scale it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/rank_correlation.h"
#include "core/result_table.h"
#include "core/statistics.h"
#include "quality/constants.h"
#include "quality/described_quality.h"

namespace assay::quality {
namespace {

StabilityReading reading_of(std::string name, std::vector<double> rho) {
    StabilityReading reading;
    reading.name = std::move(name);
    for (const double r : rho) reading.mean += r / static_cast<double>(rho.size());
    double squares = 0;
    for (const double r : rho) squares += (r - reading.mean) * (r - reading.mean);
    reading.deviation = std::sqrt(squares / static_cast<double>(rho.size() - 1));
    std::sort(rho.begin(), rho.end());
    reading.low = quantile_sorted(rho, 0.025);
    return reading;
}

}  // namespace

StabilityResult ranking_stability(const QualityTable& table, const StabilityOptions& options) {
    const std::vector<std::size_t> models = select_models(table, options.where);
    if (options.sample < 10 || options.sample >= models.size()) {
        throw Error(
            ErrorCode::usage,
            fmt::format("sub-samples of {} models; allowed: 10 or more, and fewer than all {}",
                        options.sample, models.size()));
    }
    if (options.repeats < 3) throw Error(ErrorCode::usage, "too few repeats; allowed: 3 or more");
    const PerDimension<double> weights = weights_named(options.weights);
    const QubaConstants full = constants_of(table, models, weights, options.trim);
    Values values(models.size());
    for (std::size_t i = 0; i < models.size(); ++i) {
        for (std::size_t d = 0; d < dimension_count; ++d) {
            if (weights[d] == 0) continue;
            values[i][d] = table.models[models[i]].cells[d].value;
            if (!values[i][d]) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{} has no {}", table.models[models[i]].label,
                                        dimension_facts()[d].name));
            }
        }
    }
    const auto scores = [&](const QubaConstants& constants) {
        std::vector<double> out;
        for (const auto& model : values) out.push_back(quba_of(model, constants, weights));
        return out;
    };
    const std::vector<double> reference = scores(full);
    std::vector<double> plain_full, trimmed_full, plain_pairs, trimmed_pairs, last_plain,
        last_trimmed;
    for (std::uint32_t r = 0; r < options.repeats; ++r) {
        throw_if_stopped();
        RandomStream stream(options.seed, "quality stability", r);
        std::vector<std::size_t> order(models.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        Values sample;
        for (std::size_t i = 0; i < options.sample; ++i) {
            std::swap(order[i],
                      order[i + static_cast<std::size_t>(stream.below(order.size() - i))]);
            sample.push_back(values[order[i]]);
        }
        const std::vector<double> plain = scores(constants_from(sample, weights, 0));
        const std::vector<double> trimmed = scores(constants_from(sample, weights, options.trim));
        plain_full.push_back(spearman_rho(plain, reference).value_or(0));
        trimmed_full.push_back(spearman_rho(trimmed, reference).value_or(0));
        if (r > 0) {
            plain_pairs.push_back(spearman_rho(plain, last_plain).value_or(0));
            trimmed_pairs.push_back(spearman_rho(trimmed, last_trimmed).value_or(0));
        }
        last_plain = plain;
        last_trimmed = trimmed;
    }
    StabilityResult result;
    result.options = options;
    result.models = models.size();
    result.readings = {
        reading_of("sub-sample untrimmed, against all models trimmed", std::move(plain_full)),
        reading_of("sub-sample trimmed, against all models trimmed", std::move(trimmed_full)),
        reading_of("pairs of sub-samples, trimmed", std::move(trimmed_pairs)),
        reading_of("pairs of sub-samples, untrimmed", std::move(plain_pairs))};
    return result;
}

ResultType result_type(ResultOf<StabilityReading>) {
    static constexpr auto rows = describe_result<StabilityReading>(
        {.name = "StabilityReading",
         .help = "One definition of stability: two rankings of all models",
         .columns = "reading,mean,deviation,low"},
        {
            part<&StabilityReading::name>({.name = "reading"}),
            part<&StabilityReading::mean>({.help = "Spearman's correlation of the two"}),
            part<&StabilityReading::deviation>({.help = "Value of a single repeat"}),
            part<&StabilityReading::low>({.help = "The 2.5th percentile of the repeats"}),
        });
    return rows;
}

ResultType result_type(ResultOf<StabilityResult>) {
    static constexpr auto rows = describe_result<StabilityResult>(
        {.name = "QualityStability",
         .help = "How much a ranking depends on the models that centre and scale it",
         .schema = "assay.quality_stability/1"},
        {
            part<&StabilityResult::models>({.help = "How many"}),
            part<&StabilityResult::options, &StabilityOptions::sample>(
                {.help = "Models of a sub-sample"}),
            part<&StabilityResult::options, &StabilityOptions::repeats>({}),
            part<&StabilityResult::options, &StabilityOptions::seed>({}),
            part<&StabilityResult::readings>({}),
        });
    return rows;
}

Report report_of(const StabilityResult& result) {
    Report report;
    report.title = "Stability of the ranking";
    Table table;
    table.title = fmt::format("{} models, ranked with the constants of {} of them", result.models,
                              result.options.sample);
    table.columns = {{.name = "reading", .numbers = false},
                     {.name = "mean rho"},
                     {.name = "deviation"},
                     {.name = "2.5th percentile"}};
    for (const StabilityReading& r : result.readings) {
        table.add({r.name, Number{r.mean, Unit::number, 4}, Number{r.deviation, Unit::number, 4},
                   Number{r.low, Unit::number, 4}});
    }
    table.notes.push_back(fmt::format("{} sub-samples; the first definition is the paper's.",
                                      result.options.repeats));
    report.records = table_of(result.readings);
    report.sections = {{.title = "", .blocks = {table}, .sections = {}}};
    report.result = json_of(result);
    return report;
}

}  // namespace assay::quality
