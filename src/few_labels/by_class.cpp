#include "few_labels/by_class.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "few_labels/recall.h"

namespace assay::few_labels {
namespace {

const ImagePredictions& predictions_of(const Sample& sample, std::size_t i) {
    const std::size_t drawn = sample.images.size();
    return (i < drawn ? sample.images[i] : sample.settled[i - drawn]).predictions;
}

/// The recall of one classifier from the labelled images of a class.
Estimate recall_of(std::span<const std::size_t> images, std::size_t model,
                   const ClassInput& input) {
    if (images.size() < least_of_group) return too_few(images.size());
    std::vector<StratumSample> strata = input.used.strata;
    const auto settled = static_cast<double>(input.settled);
    const auto after = static_cast<std::uint32_t>(strata.size());
    if (settled > 0) strata.push_back({settled, settled, 1});
    const std::vector<SampledImage>& drawn = input.sample.images;
    std::vector<LabelledValue> values;
    for (const std::size_t i : images)
        values.push_back(
            {i < drawn.size() ? drawn[i].stratum : after, input.said.of[i].correct[model], {}});
    const RecallEstimate found = estimate_recall(values, strata, input.quantile);
    TargetEstimate as_target;
    as_target.value = found.value;
    as_target.low = found.low;
    as_target.high = found.high;
    as_target.labels = found.labels;
    Estimate out = as_estimate(as_target, input.level);
    if (out.interval) out.interval->method = "wilson.design";
    return out;
}

}  // namespace

Estimate as_estimate(const TargetEstimate& found, double level, double shift, double scale) {
    Estimate out;
    out.unit = Unit::proportion;
    out.n = found.labels;
    if (!found.value) {
        out.undefined = "at least 2 of its drawn images must be labelled";
        return out;
    }
    const auto moved = [&](double x) { return shift + scale * x; };
    out.value = moved(*found.value);
    const auto [low, high] = std::minmax({moved(found.low), moved(found.high)});
    out.interval = Interval{low, high, level, "score.strata"};
    return out;
}

Estimate too_few(std::uint64_t labels) {
    Estimate out;
    out.unit = Unit::proportion;
    out.n = labels;
    out.undefined = fmt::format("{} labels; at least {} are needed", labels, least_of_group);
    return out;
}

std::vector<std::int32_t> LabelledClasses::predicted() const {
    std::vector<std::int32_t> out;
    for (const auto& [cls, counts] : by_prediction)
        if (std::ranges::max(counts) >= least_of_group) out.push_back(cls);
    return out;
}

std::size_t LabelledClasses::estimated() const {
    const auto recalls = std::ranges::count_if(
        by_truth, [](const auto& one) { return one.second.size() >= least_of_group; });
    return static_cast<std::size_t>(recalls) + predicted().size();
}

LabelledClasses labelled_classes(std::span<const std::size_t> images, const Sample& sample,
                                 const Judgements& said) {
    LabelledClasses out;
    for (const std::size_t i : images) {
        const std::vector<std::int32_t>& labels = predictions_of(sample, i).labels;
        for (std::size_t m = 0; m < labels.size(); ++m) {
            std::vector<std::uint64_t>& counts = out.by_prediction[labels[m]];
            counts.resize(labels.size(), 0);
            ++counts[m];
        }
        const auto& classes = said.of[i].classes;
        if (!classes) {
            ++out.unknown;
            continue;
        }
        for (const std::int32_t cls : *classes) out.by_truth[cls].push_back(i);
    }
    // The images whose class is known would be no random sample of their class.
    if (out.unknown > 0) out.by_truth.clear();
    return out;
}

std::vector<EstimatedClass> class_rows(
    const LabelledClasses& classes, const ClassInput& input, const Targets& targets,
    std::span<const Target> all, const std::function<TargetEstimate(const Target&)>& of_target,
    const std::function<std::optional<Estimate>(const TargetEstimate&)>& correct) {
    std::set<std::int32_t> numbers;
    for (const auto& [cls, images] : classes.by_truth) numbers.insert(cls);
    for (const auto& [cls, counts] : classes.by_prediction) numbers.insert(cls);
    const ClassList& named = input.pool.dataset().classes;
    const std::vector<std::size_t> none;
    std::vector<EstimatedClass> out;
    for (const std::int32_t cls : numbers) {
        const auto number = static_cast<std::size_t>(cls);
        const auto truth = classes.by_truth.find(cls);
        const auto& images = truth == classes.by_truth.end() ? none : truth->second;
        const auto counts = classes.by_prediction.find(cls);
        for (std::size_t m = 0; m < input.pool.classifiers(); ++m) {
            EstimatedClass one;
            one.cls = number < named.size() ? named.id(number) : fmt::format("{}", cls);
            one.name = number < named.size() ? named.name(number) : one.cls;
            one.classifier = input.pool.stores()[m].spec().model_name;
            if (classes.unknown == 0) one.labels = images.size();
            one.recall = recall_of(images, m, input);
            if (classes.unknown > 0)
                one.recall.undefined = "answers of yes and no do not name the class of an image";
            if (counts != classes.by_prediction.end()) one.predicted_labels = counts->second[m];
            const auto target = targets.of_prediction(cls, m);
            if (target && one.predicted_labels >= least_of_group) {
                const Target& domain = all[*target];
                const double size = std::accumulate(domain.images.begin(), domain.images.end(),
                                                    domain.known_images);
                const TargetEstimate found = of_target(domain);
                one.predicted = static_cast<std::uint64_t>(std::llround(size));
                one.precision = as_estimate(found, input.level);
                one.corrected = correct(found);
            } else {
                one.precision = too_few(one.predicted_labels);
            }
            out.push_back(std::move(one));
        }
    }
    return out;
}

}  // namespace assay::few_labels
