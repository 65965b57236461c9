// Computes the mean of each metric over repeated data sets.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "core/statistics.h"

namespace assay {
namespace {

using Reports = std::vector<const ScoreReport*>;

MeasurementKey key_without_dataset(MeasurementKey key) {
    key.dataset.clear();
    return key;
}

const Measurement* find(const ScoreReport& report, const MeasurementKey& key) {
    for (const Measurement& m : report.measurements) {
        if (key_without_dataset(m.key) == key) return &m;
    }
    return nullptr;
}

void summarise(AcrossResult& result, double level) {
    std::vector<double> x;
    for (const auto& value : result.values) x.push_back(value.value());
    const auto sets = static_cast<double>(x.size());
    double mean = 0, squares = 0;
    for (const double v : x) mean += v;
    mean /= sets;
    for (const double v : x) squares += (v - mean) * (v - mean);
    result.mean.value = mean;
    result.low = *std::min_element(x.begin(), x.end());
    result.high = *std::max_element(x.begin(), x.end());
    if (x.size() < 2) {
        result.mean.note = "a single data set has no spread";
        return;
    }
    result.standard_deviation = std::sqrt(squares / (sets - 1));
    Interval interval = symmetric_interval(mean, *result.standard_deviation / std::sqrt(sets),
                                           level, "student_t.datasets", sets - 1);
    const MetricFacts& facts = metric_named(result.mean.key.metric);
    interval.low = std::max(interval.low, facts.low);
    interval.high = std::min(interval.high, facts.high);
    result.mean.interval = interval;
}

AcrossResult across(const Reports& reports, const std::vector<std::string>& datasets,
                    const MeasurementKey& key, std::string_view name, double level) {
    AcrossResult result;
    result.mean.key = key;
    result.mean.key.dataset = name;
    result.datasets = datasets;
    for (const std::string& dataset : datasets) {
        const auto report = std::find_if(reports.begin(), reports.end(),
                                         [&](const auto* one) { return one->dataset == dataset; });
        const Measurement* const m = report == reports.end() ? nullptr : find(**report, key);
        result.values.push_back(m == nullptr ? std::nullopt : m->value);
        if (m != nullptr) {
            result.mean.unit = m->unit;
            result.mean.n += m->n;
            result.mean.left_out += m->left_out;
            result.mean.higher_is_better = m->higher_is_better;
        }
        if (!result.values.back() && result.mean.undefined.empty()) {
            result.mean.undefined =
                fmt::format("no value on {}: {}", dataset,
                            report == reports.end() ? "it has no predictions of the model"
                            : m == nullptr          ? "not measured there"
                                                    : m->undefined);
        }
    }
    if (result.mean.undefined.empty()) summarise(result, level);
    return result;
}

}  // namespace

std::vector<AcrossResult> score_across(std::span<const ScoreReport> reports, std::string_view name,
                                       double level) {
    std::vector<std::pair<std::string, Reports>> models;
    for (const ScoreReport& report : reports) {
        auto found = std::find_if(models.begin(), models.end(),
                                  [&](const auto& m) { return m.first == report.model; });
        if (found == models.end()) found = models.insert(models.end(), {report.model, {}});
        for (const ScoreReport* other : found->second) {
            if (other->dataset == report.dataset) {
                throw Error(ErrorCode::usage,
                            fmt::format("`{}` was scored twice on `{}`, but a mean over data sets "
                                        "counts each once; name the stores",
                                        report.model, report.dataset));
            }
        }
        found->second.push_back(&report);
    }
    std::vector<std::string> datasets;
    for (const ScoreReport& report : reports) {
        if (std::find(datasets.begin(), datasets.end(), report.dataset) == datasets.end())
            datasets.push_back(report.dataset);
    }
    std::vector<AcrossResult> results;
    for (const auto& [model, list] : models) {
        std::vector<MeasurementKey> keys;
        for (const ScoreReport* report : list) {
            for (const Measurement& m : report->measurements) {
                const MeasurementKey key = key_without_dataset(m.key);
                if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
            }
        }
        for (const MeasurementKey& key : keys)
            results.push_back(across(list, datasets, key, name, level));
    }
    return results;
}

}  // namespace assay
