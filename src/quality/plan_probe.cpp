#include "quality/plan_probe.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>

#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "assay/robustness/pixel_model.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "evaluate/prediction_run.h"

namespace assay::quality::probe {
namespace {

using Clock = std::chrono::steady_clock;

/// The number of images that are read from each data set, and from val for the models' accuracy.
constexpr std::size_t read_of_each = 48;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The duration of each of several calls, in seconds. All threads make the calls in turn as a run
/// does. The models are called in turn on the same batch, so that their weights are not in the
/// caches.
std::vector<double> seconds_of_calls(int threads, std::size_t calls,
                                     const std::function<void(std::size_t call)>& make) {
    constexpr double long_enough = 0.3;
    const auto count = static_cast<std::size_t>(threads);
    std::vector<double> sums(calls, 0);
    std::mutex mutex;
    const auto rounds = [&](std::size_t n) {
        sums.assign(calls, 0);
        const auto start = Clock::now();
        parallel_blocks(n, threads, [&](std::size_t) {
            std::vector<double> own(calls);
            for (std::size_t c = 0; c < calls; ++c) {
                throw_if_stopped();
                const auto before = Clock::now();
                make(c);
                own[c] = seconds_since(before);
            }
            const std::scoped_lock lock(mutex);
            for (std::size_t c = 0; c < calls; ++c) sums[c] += own[c];
        });
        return seconds_since(start);
    };
    // The first calls compile code for their input shapes.
    rounds(2 * count);
    std::size_t n = count;
    while (rounds(n) < long_enough && n < 1000 * count) n *= 2;
    for (double& sum : sums) sum /= static_cast<double>(n);
    return sums;
}

/// The distinct preprocessings of the models.
std::vector<Preprocess> distinct_ways(const std::vector<LoadedModel>& models) {
    std::vector<Preprocess> ways;
    for (const LoadedModel& model : models) {
        if (std::ranges::find(ways, model.spec.preprocess) == ways.end())
            ways.push_back(model.spec.preprocess);
    }
    return ways;
}

void prepare(const Image& image, const std::vector<Preprocess>& ways) {
    for (const Preprocess& way : ways) {
        thread_local std::vector<float> input;
        input.resize(prediction::input_size(way));
        preprocess_into(image, way, input);
    }
}

/// The models' inputs for the images. If there are too few images for a batch, gray images fill
/// it.
struct Inputs {
    std::size_t size = 0, batch = 0;
    std::vector<float> values;
};

Inputs inputs_of(const LoadedModel& model, const Images& read, const PredictOptions& options,
                 int threads) {
    Inputs inputs;
    inputs.size = prediction::input_size(model.spec.preprocess);
    inputs.batch = batch_size_of(model, options);
    inputs.values.assign(std::max(inputs.batch, read.images.size()) * inputs.size, 0.5F);
    parallel_blocks(read.images.size(), threads, [&](std::size_t i) {
        preprocess_into(read.images[i], model.spec.preprocess,
                        std::span(inputs.values).subspan(i * inputs.size, inputs.size));
    });
    return inputs;
}

/// The proportion of correct images among the labelled ones; no value without such images.
std::optional<double> correct_of_images(const LoadedModel& model, const Images& read,
                                        const Inputs& inputs, const Dataset& val) {
    std::size_t labelled = 0, correct = 0;
    std::vector<float> out(model.classifier->facts().classes);
    for (std::size_t i = 0; i < read.images.size(); ++i) {
        const std::int32_t label = val.single_label(read.items[i]);
        if (label < 0) continue;
        model.classifier->scores(std::span(inputs.values).subspan(i * inputs.size, inputs.size), 1,
                                 out);
        ++labelled;
        correct += std::ranges::max_element(out) - out.begin() == label ? 1 : 0;
    }
    if (labelled == 0) return std::nullopt;
    return static_cast<double>(correct) / static_cast<double>(labelled);
}

void time_forward(std::span<const TimedModel> models, const std::vector<Inputs>& inputs,
                  int threads, std::vector<ModelTimes>& times) {
    const auto seconds = seconds_of_calls(threads, models.size(), [&](std::size_t m) {
        Classifier& classifier = *models[m].model->classifier;
        const Inputs& own = inputs[m];
        std::vector<float> out(own.batch * classifier.facts().classes);
        classifier.scores(std::span(own.values).first(own.batch * own.size), own.batch, out);
    });
    for (std::size_t m = 0; m < models.size(); ++m)
        times[m].forward = seconds[m] / static_cast<double>(inputs[m].batch) / threads;
}

/// An attack's batches contain the images that are classified correctly.
void time_gradients(std::span<const TimedModel> models, const std::vector<Inputs>& inputs,
                    AttackSpace space, int threads, std::vector<ModelTimes>& times) {
    std::vector<std::size_t> attacked, batches;
    std::vector<std::unique_ptr<AttackedModel>> pixels;
    for (std::size_t m = 0; m < models.size(); ++m) {
        if (!models[m].attacked) continue;
        const LoadedModel& model = *models[m].model;
        attacked.push_back(m);
        pixels.push_back(pixel_model(model.classifier, model.spec.preprocess, space));
        batches.push_back(std::max<std::size_t>(
            1, static_cast<std::size_t>(
                   std::llround(times[m].correct * static_cast<double>(inputs[m].batch)))));
    }
    if (attacked.empty()) return;
    const auto seconds = seconds_of_calls(threads, attacked.size(), [&](std::size_t a) {
        const std::size_t n = batches[a], size = pixels[a]->shape().size();
        const std::vector<float> grey(n * size, 0.5F);
        const std::vector<std::uint32_t> labels(n, 0);
        std::vector<float> scores(n * pixels[a]->classes()), gradient(n * size);
        std::vector<double> losses(n);
        pixels[a]->gradients({Loss::cross_entropy, grey, labels, {}}, {scores, losses, gradient});
    });
    for (std::size_t a = 0; a < attacked.size(); ++a)
        times[attacked[a]].gradient = seconds[a] / static_cast<double>(batches[a]) / threads;
}

}  // namespace

Images read_images(const Dataset& dataset, const PredictOptions& options, int threads) {
    const std::size_t n = std::min(read_of_each, dataset.size());
    const DecodeLimits limits = prediction::decode_limits(options);
    MemoryBudget memory(options.image_memory);
    std::vector<Image> images(n);
    const auto start = Clock::now();
    parallel_blocks(n, threads, [&](std::size_t i) {
        throw_if_stopped();
        // An unreadable image stays empty, because the run reports such images.
        prediction::use_image(dataset, i * dataset.size() / n, limits, memory,
                              [&](const Image& image) { images[i] = image; });
    });
    Images read;
    read.seconds = seconds_since(start) / static_cast<double>(std::max<std::size_t>(n, 1));
    for (std::size_t i = 0; i < n; ++i) {
        if (images[i].pixels.empty()) continue;
        read.items.push_back(i * dataset.size() / n);
        read.images.push_back(std::move(images[i]));
    }
    return read;
}

double prepare_seconds(const Images& read, const std::vector<LoadedModel>& models, int threads) {
    if (read.images.empty()) return 0;
    const std::vector<Preprocess> ways = distinct_ways(models);
    const auto start = Clock::now();
    parallel_blocks(read.images.size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        prepare(read.images[i], ways);
    });
    return seconds_since(start) / static_cast<double>(read.images.size());
}

double corrupted_seconds(const Images& read, const CorruptedVersions& versions,
                         const std::vector<LoadedModel>& models, int threads) {
    const std::vector<Preprocess> ways = distinct_ways(models);
    const std::size_t some =
        std::min(read.images.size(), static_cast<std::size_t>(std::max(2, threads)));
    if (some == 0) return 0;
    const auto start = Clock::now();
    parallel_blocks(some * versions.versions().size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        const Image window = versions.window(read.images[i % some]);
        prepare(versions.make(versions.versions()[i / some], window, "probe"), ways);
    });
    return seconds_since(start) / static_cast<double>(some);
}

std::uint32_t batch_size_of(const LoadedModel& model, const PredictOptions& options) {
    return options.batch_size > 0 ? options.batch_size
                                  : default_batch_size(model.classifier->facts());
}

std::vector<ModelTimes> model_times(std::span<const TimedModel> models, const Images& read,
                                    const Dataset& val, const QualityRunOptions& options) {
    const int threads = resolve_threads(options.predict.threads);
    std::vector<ModelTimes> times(models.size());
    std::vector<Inputs> inputs;
    for (std::size_t m = 0; m < models.size(); ++m) {
        const TimedModel& timed = models[m];
        inputs.push_back(inputs_of(*timed.model, read, options.predict, threads));
        if (!timed.attacked) continue;
        times[m].correct = timed.correct
                               ? *timed.correct
                               : correct_of_images(*timed.model, read, inputs[m], val).value_or(1);
    }
    time_forward(models, inputs, threads, times);
    time_gradients(models, inputs, options.measure.space, threads, times);
    return times;
}

}  // namespace assay::quality::probe
