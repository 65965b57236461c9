#include "evaluate/image_weights.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/evaluate/measure_options.h"
#include "assay/report.h"
#include "collective/rank_part.h"
#include "core/finite_number.h"
#include "core/parallel.h"
#include "data/attributes.h"
#include "evaluate/weighted_values.h"

namespace assay::evaluate {
namespace {

constexpr std::string_view weights_parameter = "weights";

std::string without_form(const std::vector<MetricRequest>& requests) {
    std::vector<std::string> names;
    for (const MetricRequest& request : requests) {
        std::string name = request.name();
        if (!has_weighted_form(request) && std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

void refuse_others(const ScoreRunsOptions& options, const ScoreShown& shown) {
    const Resampling usual;
    const MeasureOptions& measure = options.measure;
    struct Other {
        bool given;
        std::string_view option, why;
    };
    constexpr std::string_view alike = "counts every image the same";
    const Other others[] = {
        {!options.by.empty(), "--by", alike},
        {!options.subgroup.empty(), "--subgroup", alike},
        {shown.per_class, "--per-class", alike},
        {shown.confusions > 0, "--confusion", alike},
        {shown.reliability, "--reliability", alike},
        {measure.null_draws > 0, "--null", alike},
        {!options.ood.empty(), "--ood", alike},
        {!options.votes.empty(), "--votes", alike},
        {!options.published.empty(), "--published", "compares values without weights"},
        {!options.across.empty(), "--across", "takes the mean over data sets"},
        {!measure.cluster.empty(), "--cluster",
         "is for images that are not independent; intervals with weights treat them as "
         "independent"},
        {measure.resampling.replicates != usual.replicates, "--bootstrap",
         "has no effect: intervals follow from the influence of each image"},
        {measure.bins != MeasureOptions{}.bins, "--bins", "has no effect: no metric has bins"},
        {!measure.edges.empty(), "--edges", "has no effect: no metric has bins"},
        {measure.resampling.seed != usual.seed, "--seed",
         "has no effect: intervals follow from the influence of each image"},
    };
    for (const Other& other : others) {
        if (other.given)
            throw Error(ErrorCode::usage, fmt::format("--weights does not go with {}, which {}: "
                                                      "omit one of them",
                                                      other.option, other.why));
    }
}

/// The images that count, in the order of the store, with weights whose sum is 1.
std::vector<WeightedImage> weighted_images(const ImageWeights& weights, const RowReader& reader,
                                           const Truth& truth, const ScoreOptions& options,
                                           Comm& comm) {
    constexpr std::uint64_t rows_per_unit = 1024;
    const std::uint64_t rows = reader.store().rows();
    const RankPart units = part_of_rank((rows + rows_per_unit - 1) / rows_per_unit, comm);
    std::vector<std::vector<WeightedImage>> parts(units.size());
    agree(comm, [&] {
        parallel_blocks(parts.size(), resolve_threads(options.threads), [&](std::size_t block) {
            throw_if_stopped();
            const std::uint64_t first = (units.begin + block) * rows_per_unit;
            for (std::uint64_t row = first; row < std::min(rows, first + rows_per_unit); ++row) {
                const auto i = static_cast<std::size_t>(row);
                const std::int32_t label = truth.targets[i];
                RowPrediction found;
                if (label < 0 || weights.of[i] == 0 ||
                    reader.read(row, label, {}, found) != RowStatus::ok)
                    continue;
                parts[block].push_back({weights.of[i], -found.log_target,
                                        found.square_sum - 2 * double{found.target_probability} + 1,
                                        label, found.predicted, found.rank, found.confidence});
            }
        });
    });
    std::vector<WeightedImage> mine, images;
    for (const auto& part : parts) mine.insert(mine.end(), part.begin(), part.end());
    for (const auto& part : all_gather<WeightedImage>(comm, mine))
        images.insert(images.end(), part.begin(), part.end());
    double largest = 0, sum = 0;
    for (const WeightedImage& image : images) largest = std::max(largest, image.weight);
    for (WeightedImage& image : images) {
        image.weight /= largest;  // at most 1, so that no sum overflows
        sum += image.weight;
    }
    for (WeightedImage& image : images) image.weight /= sum;
    return images;
}

std::string counted_note(std::span<const WeightedImage> images, const ImageWeights& weights,
                         const std::string& attribute) {
    std::string note = fmt::format(
        "{} of {} images count, with the weights in `{}`; they are worth {:.1f} images of equal "
        "weight",
        count_text(images.size()), count_text(weights.of.size()), attribute,
        effective_images(images));
    if (weights.zero > 0) note += fmt::format("; images of weight 0: {}", count_text(weights.zero));
    if (weights.without > 0)
        note += fmt::format("; images without a weight, which do not count: {}",
                            count_text(weights.without));
    return note;
}

}  // namespace

ImageWeights weights_by(const Dataset& dataset, const std::string& attribute) {
    return with_note("reading --weights " + attribute, [&] {
        const StringColumn& column = attribute_named(dataset, attribute).values;
        ImageWeights weights;
        weights.of.resize(dataset.size());
        for (std::size_t i = 0; i < weights.of.size(); ++i) {
            const std::string_view text = column[i];
            if (text.empty()) {
                ++weights.without;
                continue;
            }
            const std::optional<double> weight = finite_number(text);
            if (!weight || *weight < 0)
                throw Error(ErrorCode::bad_input,
                            fmt::format("the weight of image `{}` is `{}`; allowed: a number from "
                                        "0, or no value for an image that does not count",
                                        dataset.ids[i], text));
            weights.of[i] = *weight;
            weights.zero += *weight == 0 ? 1 : 0;
        }
        if (weights.zero + weights.without == weights.of.size() && !weights.of.empty())
            throw Error(
                ErrorCode::usage,
                fmt::format("no image has a weight above 0: remove --weights {}", attribute));
        return weights;
    });
}

void check_weights(const ScoreRunsOptions& options, const ScoreShown& shown) {
    if (options.weights.empty()) return;
    refuse_others(options, shown);
    const MeasureOptions& measure = options.measure;
    std::vector<MetricRequest> named;
    for (const Gate& gate : gates_of(measure)) named.push_back(gate.metric);
    if (!measure.metrics.empty()) named = metrics_of(measure, {}, false).metrics;
    const std::string others = without_form(named);
    if (!others.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("--weights does not measure {}; allowed: --metrics {}", others,
                                weighted_metrics()));
}

void keep_weighted(ScoreOptions& options) {
    const std::string others = without_form(options.metrics);
    std::erase_if(options.metrics,
                  [](const MetricRequest& request) { return !has_weighted_form(request); });
    if (options.metrics.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("--weights: none of the metrics takes weights: name some of "
                                "--metrics {}",
                                weighted_metrics()));
    if (!others.empty())
        options.notes.push_back("not measured with weights, because they count images: " + others);
}

/// Whether only images that do not count make the metric undefined: they may have no finite loss.
bool is_defined_without_others(const MetricRequest& request, std::span<const WeightedImage> images,
                               const RowReader& reader) {
    return request.name() == "nll" && reader.has_probabilities() &&
           std::ranges::all_of(images,
                               [](const WeightedImage& i) { return std::isfinite(i.loss); });
}

void weigh(ScoredSet& set, const ImageWeights& weights, const RowReader& reader, const Truth& truth,
           const ScoreOptions& options, Comm& comm) {
    const std::vector<WeightedImage> images =
        weighted_images(weights, reader, truth, options, comm);
    for (std::size_t i = 0; i < set.requests.size(); ++i) {
        Measurement& m = set.report.measurements[i];
        m.key.parameters.emplace(weights_parameter, options.weights);
        // Otherwise an undefined metric stays so: its reason is that of the store.
        const bool defined = m.value || is_defined_without_others(set.requests[i], images, reader);
        Estimate estimate;
        estimate.unit = m.unit;
        estimate.undefined =
            images.empty() ? "no image that counts has a label and scores" : m.undefined;
        estimate.n = images.size();
        if (defined && !images.empty())
            estimate =
                weighted_value(set.requests[i], images, reader.classes(), options.resampling.level);
        static_cast<Estimate&>(m) = std::move(estimate);
        m.left_out = set.report.counts.items -
                     std::min<std::uint64_t>(set.report.counts.items, images.size());
    }
    set.report.notes.push_back(counted_note(images, weights, options.weights));
}

}  // namespace assay::evaluate
