#include "assay/evaluate/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/error.h"
#include "assay/evaluate/model_trial.h"
#include "assay/model/model_spec.h"
#include "assay/robustness/pixel_model.h"
#include "assay/store/row_reader.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/statistics.h"
#include "evaluate/certified_row.h"
#include "evaluate/noisy_counts.h"
#include "evaluate/scoring_settings.h"

namespace assay {
namespace {

constexpr const char* no_labelled_image = "no image has one label and a result";

/// The radius after all copies had the class: none is larger.
double largest_radius(const CertifyOptions& options) {
    return certified_radius(options.samples, options.samples, options.alpha, options.sigma)
        .value_or(0);
}

std::vector<double> radii_of(const CertifyOptions& options) {
    std::vector<double> radii = options.radii;
    if (radii.empty()) {
        for (int k = 0; k * options.sigma / 4 <= largest_radius(options); ++k)
            radii.push_back(k * options.sigma / 4);
    }
    std::ranges::sort(radii);
    radii.erase(std::unique(radii.begin(), radii.end()), radii.end());
    return radii;
}

/// One copy at a time if the trial found that the images of a batch affect each other.
std::uint32_t copies_together(const LoadedModel& model, const CertifyOptions& options) {
    if (model.trial) {
        const std::scoped_lock lock(model.trial->mutex);
        if (const std::uint32_t batch = model.trial->batch.value_or(0); batch > 0) return batch;
    }
    return options.predict.batch_size > 0 ? options.predict.batch_size
                                          : default_batch_size(model.classifier->facts());
}

/// What determines the scores of the copies: the noise, and the settings of the model that its
/// fingerprint has.
std::string smoothing_of(const ModelSpec& spec, const attack::Copies& copies) {
    nlohmann::json made = {{"smoothed",
                            {{"of", spec.name},
                             {"sigma", copies.sigma},
                             {"copies", copies.count},
                             {"together", copies.together},
                             {"seed", copies.seed},
                             {"purpose", copies.purpose}}}};
    add_scoring_settings(spec, made);
    return json_line(made);
}

/// A model whose scores are the frequencies of the classes among noisy copies of an image.
LoadedModel smoothed_model(const LoadedModel& model, const Dataset& dataset,
                           const CertifyOptions& options, bool selection) {
    const attack::Copies copies = {.sigma = options.sigma,
                                   .count = selection ? options.selection : options.samples,
                                   .together = copies_together(model, options),
                                   .seed = options.seed,
                                   .purpose = selection ? "certify.selection" : "certify.samples"};
    LoadedModel smoothed = model;
    smoothed.spec.name =
        fmt::format("{}@smoothed-{}-{}{}{}", model.spec.name, options.sigma, copies.count,
                    options.seed > 0 ? fmt::format("-seed{}", options.seed) : "",
                    selection ? "-selection" : "");
    smoothed.spec.preprocess = attacked_preprocess(model.spec.preprocess, AttackSpace::pixels);
    smoothed.spec.outputs = ScoreKind::probabilities;
    smoothed.scored_by = smoothing_of(model.spec, copies);
    smoothed.scores =
        attack::NoisyCounts(pixel_model(model.classifier, model.spec.preprocess), dataset, copies);
    return smoothed;
}

/// Reads the two stores of a model and certifies image by image.
class Certifier {
public:
    Certifier(const Dataset& dataset, const CertifyOptions& options)
        : dataset_(dataset), options_(options), csv_(text_) {
        for (const double radius : radii_of(options)) out_.curve.emplace_back().radius = radius;
    }

    CertifiedModel run(const PredictResult& selected, const PredictResult& counted) {
        const PredictionStore first = PredictionStore::open(selected.store);
        const PredictionStore second = PredictionStore::open(counted.store);
        const RowReader selection(first), samples(second);
        std::vector<float> buffer;
        for (std::uint64_t row = 0; row < second.rows(); ++row) {
            if (selection.status(row) != RowStatus::ok || samples.status(row) != RowStatus::ok) {
                csv_.add(attack::CertifiedRow{.image = dataset_.ids[row]});
                ++out_.without;
                continue;
            }
            const auto chosen = selection.scores(row, buffer);
            const auto place = std::ranges::max_element(chosen) - chosen.begin();
            const float share = samples.scores(row, buffer)[static_cast<std::size_t>(place)];
            add(row, static_cast<std::int32_t>(place),
                static_cast<std::uint64_t>(
                    std::llround(static_cast<double>(share) * options_.samples)));
        }
        out_.store = counted.store;
        out_.selection_store = selected.store;
        out_.table = counted.store /
                     fmt::format("certified-{}-alpha{}.csv", options_.selection, options_.alpha);
        write_file_atomically(out_.table, text_);
        out_.dataset = counted.dataset;
        out_.bad_rows = std::max(selected.bad_rows, counted.bad_rows);
        out_.first_error = counted.bad_rows > 0 ? counted.first_error : selected.first_error;
        out_.notes = counted.notes;
        finish();
        return std::move(out_);
    }

private:
    void add(std::uint64_t row, std::int32_t cls, std::uint64_t hits) {
        const std::optional<double> radius =
            certified_radius(hits, options_.samples, options_.alpha, options_.sigma);
        const std::int32_t label = dataset_.single_label(row);
        csv_.add(attack::CertifiedRow{
            .image = dataset_.ids[row],
            .label = label >= 0 ? std::optional(label) : std::nullopt,
            .predicted = radius ? std::optional(cls) : std::nullopt,
            .hits = hits,
            .bound = class_probability_bound(hits, options_.samples, options_.alpha),
            .radius = radius});
        if (label < 0) {
            ++out_.without;
            return;
        }
        ++out_.images;
        abstained_ += radius ? 0 : 1;
        if (!radius || cls != label) return;
        sum_ += *radius;
        squares_ += *radius * *radius;
        for (CertifiedPoint& point : out_.curve) point.certified += *radius >= point.radius ? 1 : 0;
    }

    void finish() {
        out_.abstained =
            wilson_proportion(abstained_, out_.images, options_.level, no_labelled_image);
        for (CertifiedPoint& point : out_.curve) {
            point.accuracy =
                wilson_proportion(point.certified, out_.images, options_.level, no_labelled_image);
        }
        Estimate& mean = out_.mean_radius;
        mean.n = out_.images;
        if (out_.images == 0) {
            mean.undefined = no_labelled_image;
            return;
        }
        const auto n = static_cast<double>(out_.images);
        const double most = largest_radius(options_);
        mean.value = sum_ / n;
        mean.standard_error = std::sqrt(std::max(squares_ / n - *mean.value * *mean.value, 0.) / n);
        mean.interval =
            wilson_of_mean(std::min(*mean.value / most, 1.), out_.images, options_.level);
        mean.interval->low *= most;
        mean.interval->high *= most;
    }

    const Dataset& dataset_;
    const CertifyOptions& options_;
    CertifiedModel out_;
    std::string text_;
    DescribedCsv<attack::CertifiedRow> csv_;
    std::uint64_t abstained_ = 0;
    double sum_ = 0, squares_ = 0;
};

}  // namespace

void check(const CertifyOptions& options) {
    if (const std::string fault = fault_in(options); !fault.empty())
        throw Error(ErrorCode::usage, fault);
    if (options.predict.storage.storage != StorageFormat::full_f32) {
        throw Error(ErrorCode::usage,
                    "the procedure needs the frequency of every class: remove --storage, or pass "
                    "--storage full");
    }
    if (largest_radius(options) > 0) return;
    throw Error(
        ErrorCode::usage,
        fmt::format("{} samples cannot certify any image at alpha {}: the bound of the "
                    "probability is at most {:.3f}, and must be above 1/2. Pass --samples "
                    "10000",
                    options.samples, options.alpha,
                    class_probability_bound(options.samples, options.samples, options.alpha)));
}

double class_probability_bound(std::uint64_t hits, std::uint64_t samples, double alpha) {
    return clopper_pearson(hits, samples, 1 - 2 * alpha).low;
}

std::optional<double> certified_radius(std::uint64_t hits, std::uint64_t samples, double alpha,
                                       double sigma) {
    // Below half of the copies, the bound is below 1/2 for every alpha that is allowed.
    if (2 * hits <= samples) return std::nullopt;
    const double bound = class_probability_bound(hits, samples, alpha);
    if (!(bound > .5)) return std::nullopt;
    return sigma * normal_quantile(bound);
}

std::vector<CertifiedModel> certify_models(std::span<const LoadedModel> models,
                                           const Dataset& dataset, const CertifyOptions& options,
                                           const ProgressCallback& callback) {
    check(options);
    std::vector<LoadedModel> selecting, sampling;
    for (const LoadedModel& model : models) {
        selecting.push_back(smoothed_model(model, dataset, options, true));
        sampling.push_back(smoothed_model(model, dataset, options, false));
    }
    // One image at a time: a batch is of copies of one image.
    PredictOptions one = options.predict;
    one.batch_size = 1;
    const auto selected = predict(selecting, dataset, one, callback);
    const auto counted = predict(sampling, dataset, one, callback);
    std::vector<CertifiedModel> results;
    for (std::size_t m = 0; m < models.size(); ++m) {
        results.push_back(Certifier(dataset, options).run(selected[m], counted[m]));
        results.back().model = models[m].spec.name;
    }
    return results;
}

}  // namespace assay
