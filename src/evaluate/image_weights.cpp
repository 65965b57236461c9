#include "evaluate/image_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/measure_options.h"
#include "assay/report.h"
#include "collective/rank_part.h"
#include "core/finite_number.h"
#include "core/parallel.h"
#include "data/attributes.h"
#include "evaluate/weighted_columns.h"
#include "evaluate/weighted_items.h"
#include "evaluate/weighted_values.h"

namespace assay::evaluate {
namespace {

/// Why a metric has no value for images that do not count the same, or "".
std::string_view why_not_weighted(const MetricRequest& request) {
    if (is_of_weighted_images(request) || is_of_items(request) || is_of_columns(request)) return "";
    const std::string_view name = request.facts->name;
    if (name == "ace") return "its bins hold equal numbers of images";
    if (name == "calibration_error")
        return "a part of it is ace, whose bins hold equal numbers of images";
    if (name == "temperature_scaled_ece")
        return "its temperature is fitted to images that count the same";
    if (name.starts_with("multilabel_"))
        return "it counts images by class; average=samples takes weights";
    if (name.find(':') != std::string_view::npos)
        return "a plug-in's metric counts every image the same";
    return "it counts the most confident images one by one";
}

/// "ace (its bins hold equal numbers of images), aurc (...)".
std::string without_form(const std::vector<MetricRequest>& requests) {
    std::vector<std::string> names;
    for (const MetricRequest& request : requests) {
        const std::string_view why = why_not_weighted(request);
        if (why.empty()) continue;
        std::string name = fmt::format("{} ({})", request.name(), why);
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

/// How the weights were given: by an attribute, or as numbers.
std::string_view way_of(const std::string& attribute) {
    return attribute.empty() ? "sample_weight=" : "--weights";
}

struct NotWeighted {
    bool given;
    std::string_view option, why;
};
constexpr std::string_view counts_alike = "counts every image the same";

void refuse_given(std::span<const NotWeighted> others, std::string_view way) {
    for (const NotWeighted& other : others) {
        if (other.given)
            throw Error(ErrorCode::usage,
                        fmt::format("{} does not go with {}, which {}: omit one of them", way,
                                    other.option, other.why));
    }
}

/// Refuses options and named metrics that score and compare share.
void refuse_measured(const MeasureOptions& measure, const std::string& attribute) {
    const std::string_view way = way_of(attribute);
    const Resampling usual;
    const NotWeighted others[] = {
        {measure.null_draws > 0, "--null", counts_alike},
        {!measure.cluster.empty(), "--cluster",
         "is for images that are not independent; intervals with weights treat them as "
         "independent"},
        {measure.resampling.replicates != usual.replicates, "--bootstrap",
         "has no effect: intervals follow from the influence of each image"},
        {measure.resampling.seed != usual.seed, "--seed",
         "has no effect: intervals follow from the influence of each image"},
    };
    refuse_given(others, way);
    std::vector<MetricRequest> named;
    for (const Gate& gate : gates_of(measure))
        if (!gate.rate) named.push_back(gate.metric);
    if (!measure.metrics.empty()) named = metrics_of(measure, {}, false).metrics;
    const std::string without = without_form(named);
    if (!without.empty())
        throw Error(
            ErrorCode::usage,
            fmt::format("{} does not measure {}: remove it from {}", way, without,
                        attribute.empty() ? "metrics= and gates=" : "--metrics and --gate"));
}

/// The images that count, in the store's order, with weights that sum to 1.
std::vector<WeightedImage> weighted_images(const ImageWeights& weights, const RowReader& reader,
                                           const Truth& truth, const ScoreOptions& options,
                                           Comm& comm) {
    constexpr std::uint64_t rows_per_unit = 1024;
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
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
                // A store of the best classes may not have the label's score.
                const double loss = found.target_known ? -found.log_target : unknown;
                parts[block].push_back({row, weights.of[i], loss,
                                        found.square_sum - 2 * double{found.target_probability} + 1,
                                        label, found.predicted, found.rank, found.confidence,
                                        found.target_probability});
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

ImageWeights given_weights(const Dataset& dataset, const ScoreOptions& options) {
    if (!options.weights.empty())
        throw Error(ErrorCode::usage,
                    "weights= and sample_weight= are two ways to say how much items count: pass "
                    "one of them");
    ImageWeights weights{options.item_weights};
    if (weights.of.size() != dataset.size())
        throw Error(ErrorCode::bad_input, fmt::format("sample_weight: {} numbers for {} items",
                                                      weights.of.size(), dataset.size()));
    for (std::size_t i = 0; i < weights.of.size(); ++i) {
        if (!std::isfinite(weights.of[i]) || weights.of[i] < 0)
            throw Error(ErrorCode::bad_input,
                        fmt::format("sample_weight: {} at item {}; allowed: finite numbers from 0",
                                    weights.of[i], i));
        weights.zero += weights.of[i] == 0 ? 1 : 0;
    }
    if (weights.zero == weights.of.size())
        throw Error(ErrorCode::bad_input, "sample_weight: all are 0, and no item counts then");
    return weights;
}

std::string counted_note(std::span<const WeightedImage> images, const ImageWeights& weights,
                         const ScoreOptions& options) {
    double squares = 0;
    for (const WeightedImage& image : images) squares += image.weight * image.weight;
    std::string note = fmt::format(
        "{} of {} images count, with the weights in {}; they are worth {:.1f} images of equal "
        "weight",
        count_text(images.size()), count_text(weights.of.size()),
        options.weights.empty() ? "sample_weight" : fmt::format("`{}`", options.weights),
        squares > 0 ? 1 / squares : 0);
    if (weights.zero > 0) note += fmt::format("; images of weight 0: {}", count_text(weights.zero));
    if (weights.without > 0)
        note += fmt::format("; images without a weight, which do not count: {}",
                            count_text(weights.without));
    return note;
}

/// True if the metric is defined without the images that do not count: their loss may be infinite.
bool is_defined_without_others(const MetricRequest& request, std::span<const WeightedImage> images,
                               const RowReader& reader) {
    return request.name() == "nll" && reader.has_probabilities() &&
           std::ranges::all_of(images,
                               [](const WeightedImage& i) { return std::isfinite(i.loss); });
}

/// `weights` and `rows` of the images that count for the metric.
void set_moves(ItemMoves& moves, const Influenced& found, std::span<const double> weights,
               const std::vector<std::uint64_t>& rows, std::uint64_t all) {
    moves.of.assign(static_cast<std::size_t>(all), std::numeric_limits<double>::quiet_NaN());
    const std::vector<double> moved = moved_without(found, weights);
    for (std::size_t i = 0; i < rows.size(); ++i)
        moves.of[static_cast<std::size_t>(rows[i])] = moved[i];
    if (found.few) moves.degrees = found.few->degrees;
    moves.noise = found.noise;
    moves.no_interval = why_no_interval(found, weights);
}

}  // namespace

ImageWeights weights_by(const Dataset& dataset, const ScoreOptions& options) {
    if (!options.item_weights.empty()) return given_weights(dataset, options);
    const std::string& attribute = options.weights;
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
    if (options.weights.empty() && options.item_weights.empty()) return;
    const NotWeighted others[] = {
        {!options.by.empty(), "--by", counts_alike},
        {!options.subgroup.empty(), "--subgroup", counts_alike},
        {shown.per_class, "--per-class", counts_alike},
        {shown.confusions > 0, "--confusion", counts_alike},
        {shown.reliability, "--reliability", counts_alike},
        {!options.ood.empty(), "--ood", counts_alike},
        {!options.votes.empty(), "--votes", counts_alike},
        {!options.published.empty(), "--published", "compares values without weights"},
        {!options.across.empty(), "--across", "takes the mean over data sets"},
    };
    refuse_given(others, way_of(options.weights));
    refuse_measured(options.measure, options.weights);
}

void check_weights(const CompareRunsOptions& options) {
    if (options.weights.empty() && options.item_weights.empty()) return;
    const NotWeighted others[] = {{!options.by.empty(), "--by", counts_alike}};
    refuse_given(others, way_of(options.weights));
    refuse_measured(options.measure, options.weights);
}

void keep_weighted(ScoreOptions& options) {
    const std::string others = without_form(options.metrics);
    std::erase_if(options.metrics,
                  [](const MetricRequest& request) { return !why_not_weighted(request).empty(); });
    if (options.metrics.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("{} measures none of these: {}; name others, such as {}",
                                way_of(options.weights), others,
                                options.weights.empty() ? "metrics=\"top1,nll,ece\""
                                                        : "--metrics top1,nll,ece"));
    if (!others.empty()) options.notes.push_back("not measured with weights: " + others);
}

Weigher::Weigher(ScoredSet& set, const ImageWeights& weights, const RowReader& reader,
                 const Truth& truth, const ScoreOptions& options, Comm& comm)
    : set_(set),
      weights_(weights),
      reader_(reader),
      truth_(truth),
      options_(options),
      comm_(comm),
      images_(weighted_images(weights, reader, truth, options, comm)) {}

/// The estimate of a metric that has a value without weights.
Estimate Weigher::estimate_of(const MetricRequest& request, ItemMoves* moves) const {
    const double level = options_.resampling.level;
    const std::uint64_t all = reader_.store().rows();
    Estimate estimate;
    estimate.unit = request.facts->unit;
    if (is_of_weighted_images(request) && !images_.empty()) {
        if (moves == nullptr) return weighted_value(request, images_, reader_.classes(), level);
        const std::optional<Influenced> found =
            weighted_influence(request, images_, reader_.classes(), level, estimate.undefined);
        estimate.n = images_.size();
        if (!found) return estimate;
        std::vector<double> weights;
        std::vector<std::uint64_t> rows;
        for (const WeightedImage& image : images_) {
            weights.push_back(image.weight);
            rows.push_back(image.row);
        }
        set_moves(*moves, *found, weights, rows, all);
        return weighted_estimate(*request.facts, *found, weights, level);
    }
    estimate.undefined = "no image that counts has a label and scores";
    std::optional<WeightedItems> found;
    if (is_of_columns(request)) {
        found = weighted_columns(request, reader_, truth_, weights_.of,
                                 resolve_threads(options_.threads), estimate.undefined);
    } else if (is_of_items(request)) {
        found = weighted_items(request, reader_, truth_, weights_.of, options_.resampling, comm_);
    }
    if (!found) return estimate;
    if (moves != nullptr) set_moves(*moves, found->found, found->weights, found->rows, all);
    return weighted_estimate(*request.facts, found->found, found->weights, level);
}

void Weigher::weigh(std::size_t i, ItemMoves* moves) {
    const MetricRequest& request = set_.requests[i];
    Measurement& m = set_.report.measurements[i];
    if (options_.weights.empty()) {
        m.key.parameters.emplace("sample_weight", "given");
    } else {
        m.key.parameters.emplace("weights", options_.weights);
    }
    // Otherwise an undefined metric stays so: its reason is that of the store.
    Estimate estimate;
    estimate.unit = m.unit;
    estimate.undefined = m.undefined;
    if (m.value || is_defined_without_others(request, images_, reader_))
        estimate = estimate_of(request, moves);
    static_cast<Estimate&>(m) = std::move(estimate);
    m.left_out = set_.report.counts.items - std::min(set_.report.counts.items, m.n);
}

std::string Weigher::note() const {
    return counted_note(images_, weights_, options_);
}

void weigh(ScoredSet& set, const ImageWeights& weights, const RowReader& reader, const Truth& truth,
           const ScoreOptions& options, Comm& comm) {
    Weigher weigher(set, weights, reader, truth, options, comm);
    for (std::size_t i = 0; i < set.requests.size(); ++i) weigher.weigh(i);
    set.report.notes.push_back(weigher.note());
}

}  // namespace assay::evaluate
