// What a run would do, and about how long that takes: a short probe of its parts, scaled.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "assay/image/image.h"
#include "assay/robustness/pixel_model.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "evaluate/attack_names.h"
#include "quality/run_work.h"
#include "store/outcomes.h"

namespace assay::quality {
namespace {

using Clock = std::chrono::steady_clock;

/// Images that are read of each data set, and of val for the models' accuracy.
constexpr std::size_t read_images = 48;
/// Images on which pgd is run once more with ten times its steps (docs/attacks.md).
constexpr double repeated_images = 16;
constexpr double pgd_steps = 10;
/// Passes of a sampled image when a model is checked: its own settings, usual others, batches.
constexpr double check_passes = 16;

/// To begin and finish a store, and to write and sync a shard: as measured; no probe writes.
constexpr double store_seconds = 0.01, shard_seconds = 0.005;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds of each of several calls, made in turn by all threads as a run makes them: one after
/// another on the same batch, so that none finds its own weights in the caches.
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
    // Code is compiled for the shapes that it meets in the first calls.
    rounds(2 * count);
    std::size_t n = count;
    while (rounds(n) < long_enough && n < 1000 * count) n *= 2;
    for (double& sum : sums) sum /= static_cast<double>(n);
    return sums;
}

/// Images of a data set, evenly apart, as they are in memory.
struct ProbeImages {
    std::vector<std::size_t> items;
    std::vector<Image> images;  ///< of those that could be read
    double seconds = 0;         ///< to read and decode one, with all threads at work
};

ProbeImages read_probe(const Dataset& dataset, const PredictOptions& options, int threads) {
    const std::size_t n = std::min(read_images, dataset.size());
    DecodeLimits limits;
    limits.pixels = options.max_pixels;
    limits.bytes = options.image_memory;
    std::vector<Image> images(n);
    const auto start = Clock::now();
    parallel_blocks(n, threads, [&](std::size_t i) {
        throw_if_stopped();
        try {
            decode_image_into(read_file(dataset.path_of(i * dataset.size() / n)), images[i],
                              limits);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::interrupted) throw;
            images[i] = {};
        }
    });
    ProbeImages probe;
    probe.seconds = seconds_since(start) / static_cast<double>(std::max<std::size_t>(n, 1));
    for (std::size_t i = 0; i < n; ++i) {
        if (images[i].pixels.empty()) continue;
        probe.items.push_back(i * dataset.size() / n);
        probe.images.push_back(std::move(images[i]));
    }
    return probe;
}

std::size_t size_of(const Preprocess& p) {
    return std::size_t{3} * static_cast<std::size_t>(p.height) * static_cast<std::size_t>(p.width);
}

/// The ways in which the models see images, each once.
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
        input.resize(size_of(way));
        preprocess_into(image, way, input);
    }
}

/// Seconds to bring one image of these to all models' inputs, with all threads at work.
double prepare_seconds(const ProbeImages& probe, const std::vector<LoadedModel>& models,
                       int threads) {
    if (probe.images.empty()) return 0;
    const std::vector<Preprocess> ways = distinct_ways(models);
    const auto start = Clock::now();
    parallel_blocks(probe.images.size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        prepare(probe.images[i], ways);
    });
    return seconds_since(start) / static_cast<double>(probe.images.size());
}

/// What a pass of one image through a model takes, with all threads at work.
struct ModelTimes {
    double forward = 0, gradient = 0;
    double correct = 1;  ///< of the images: they are attacked
};

/// The models' inputs of the probed images; of fewer images than a batch grey ones fill it.
struct ProbeInputs {
    std::size_t size = 0, batch = 0;
    std::vector<float> values;
};

ProbeInputs inputs_of(const LoadedModel& model, const ProbeImages& probe, std::uint32_t batch,
                      int threads) {
    ProbeInputs inputs;
    inputs.size = size_of(model.spec.preprocess);
    inputs.batch = batch > 0 ? batch : default_batch_size(model.classifier->facts());
    inputs.values.assign(std::max(inputs.batch, probe.images.size()) * inputs.size, 0.5F);
    parallel_blocks(probe.images.size(), threads, [&](std::size_t i) {
        preprocess_into(probe.images[i], model.spec.preprocess,
                        std::span(inputs.values).subspan(i * inputs.size, inputs.size));
    });
    return inputs;
}

/// Of the labelled ones among them; nothing where there is none.
std::optional<double> correct_of(const LoadedModel& model, const ProbeImages& probe,
                                 const ProbeInputs& inputs, const Dataset& val) {
    std::size_t labelled = 0, correct = 0;
    std::vector<float> out(model.classifier->facts().classes);
    for (std::size_t i = 0; i < probe.images.size(); ++i) {
        const std::int32_t label = val.single_label(probe.items[i]);
        if (label < 0) continue;
        model.classifier->scores(std::span(inputs.values).subspan(i * inputs.size, inputs.size), 1,
                                 out);
        ++labelled;
        correct += std::ranges::max_element(out) - out.begin() == label ? 1 : 0;
    }
    if (labelled == 0) return std::nullopt;
    return static_cast<double>(correct) / static_cast<double>(labelled);
}

/// Where val is predicted already.
std::optional<double> correct_of(const std::filesystem::path& store, int threads) {
    if (!is_there(store / "manifest.json")) return std::nullopt;
    try {
        const PredictionStore there = PredictionStore::open(store);
        if (!there.complete()) return std::nullopt;
        const auto outcomes = outcomes_of(there, threads);
        const auto n = outcomes.size() - count_of(outcomes, RowOutcome::none);
        if (n == 0) return std::nullopt;
        return static_cast<double>(count_of(outcomes, RowOutcome::correct)) /
               static_cast<double>(n);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
}

void time_forward(const std::vector<LoadedModel>& models, const std::vector<ProbeInputs>& inputs,
                  int threads, std::vector<ModelTimes>& times) {
    const auto seconds = seconds_of_calls(threads, models.size(), [&](std::size_t m) {
        const ProbeInputs& own = inputs[m];
        std::vector<float> out(own.batch * models[m].classifier->facts().classes);
        models[m].classifier->scores(std::span(own.values).first(own.batch * own.size), own.batch,
                                     out);
    });
    for (std::size_t m = 0; m < models.size(); ++m)
        times[m].forward = seconds[m] / static_cast<double>(inputs[m].batch) / threads;
}

/// Of the models at these places. An attack's batches hold the images that are classified
/// correctly.
void time_gradients(const std::vector<LoadedModel>& models, const std::vector<ProbeInputs>& inputs,
                    const std::vector<std::size_t>& attacked, AttackSpace space, int threads,
                    std::vector<ModelTimes>& times) {
    std::vector<std::unique_ptr<AttackedModel>> pixels;
    std::vector<std::size_t> batches;
    for (const std::size_t m : attacked) {
        pixels.push_back(pixel_model(models[m].classifier, models[m].spec.preprocess, space));
        batches.push_back(std::max<std::size_t>(
            1, static_cast<std::size_t>(
                   std::llround(times[m].correct * static_cast<double>(inputs[m].batch)))));
    }
    const auto seconds = seconds_of_calls(threads, attacked.size(), [&](std::size_t a) {
        const std::size_t n = batches[a], size = inputs[attacked[a]].size;
        const std::vector<float> grey(n * size, 0.5F);
        const std::vector<std::uint32_t> labels(n, 0);
        std::vector<float> scores(n * pixels[a]->classes()), gradient(n * size);
        std::vector<double> losses(n);
        pixels[a]->gradients({Loss::cross_entropy, grey, labels, {}}, {scores, losses, gradient});
    });
    for (std::size_t a = 0; a < attacked.size(); ++a)
        times[attacked[a]].gradient = seconds[a] / static_cast<double>(batches[a]) / threads;
}

/// Rows that a store has, as a proportion. What is wrong with it is for the run to say.
double done_of(const std::filesystem::path& folder) {
    if (!is_there(folder / "manifest.json")) return 0;
    try {
        const PredictionStore store = PredictionStore::open(folder);
        std::size_t there = 0;
        for (std::size_t s = 0; s < store.shards(); ++s) there += store.has(s) ? 1 : 0;
        return store.shards() == 0
                   ? 0
                   : static_cast<double>(there) / static_cast<double>(store.shards());
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return 0;
    }
}

class Planner {
public:
    Planner(const QualityRunOptions& options, const RunWork& work, const ProgressCallback& progress)
        : options_(options), work_(work), progress_(progress) {
        plan_.threads = resolve_threads(options.predict.threads);
        plan_.missing = missing_of(options, work);
        plan_.notes = work.notes;
    }

    QualityPlan make() {
        const bool to_do = list();
        if (to_do) probe();
        for (const QualityStep& step : plan_.steps) plan_.seconds += step.seconds;
        return std::move(plan_);
    }

private:
    const Dataset& val() const { return options_.data.at(Role::val); }
    double count() const { return static_cast<double>(options_.models.size()); }

    double done_on(const std::string& dataset) const {
        double done = 0;
        for (const LoadedModel& model : options_.models)
            done += done_of(options_.predict.runs / dataset / model.spec.name);
        return done / count();
    }

    void add(std::string name, const Dataset& dataset, const std::string& model, double passes,
             double done) {
        plan_.steps.push_back({std::move(name), dataset.name, model, dataset.size(),
                               static_cast<std::uint64_t>(std::llround(passes)), done, 0});
    }

    /// The steps, without times. False: nothing is left to be predicted.
    bool list() {
        double done = 1;
        const auto predicted = [&](double part) {
            done = std::min(done, part);
            return part;
        };
        for (const auto& entry : options_.data) {
            add(std::string(facts_of(entry.first).name), entry.second, "",
                static_cast<double>(entry.second.size()) * count(),
                predicted(done_on(entry.second.name)));
        }
        if (options_.corrupt) {
            const auto& versions = work_.versions->versions();
            double part = 0;
            for (const CorruptionVersion& version : versions)
                part += done_on(corrupted_dataset_name(work_.corrupted.name, version));
            if (work_.corrupted.name != val().name) part += done_on(work_.corrupted.name);
            add("corruptions", work_.corrupted, "",
                static_cast<double>(work_.corrupted.size() * looks_at_corrupted()) * count(),
                predicted(part / static_cast<double>(looks_at_corrupted())));
        }
        for (const LoadedModel& model : work_.attackable) {
            double part = 0;
            for (const std::string& store : attack_stores(model))
                part += done_of(options_.predict.runs / work_.attacked.name / store);
            add("attacks", work_.attacked, model.spec.name, 0,
                predicted(part / static_cast<double>(attack_stores(model).size())));
        }
        if (options_.check) {
            const double n =
                static_cast<double>(std::min(options_.check_sample, val().size())) * count();
            plan_.steps.insert(
                plan_.steps.begin(),
                {"check", val().name, "", std::min(options_.check_sample, val().size()),
                 static_cast<std::uint64_t>(n * check_passes), 0, 0});
        }
        return done < 1;
    }

    /// How often a model sees an image of the corrupted ones: of a sample also the clean ones.
    std::size_t looks_at_corrupted() const {
        return work_.versions->versions().size() + (work_.corrupted.name == val().name ? 0 : 1);
    }

    double looks_at(const QualityStep& step) const {
        return step.name == "corruptions" ? static_cast<double>(looks_at_corrupted()) : 1;
    }

    /// Of one model: the control of noise and the attacks, and the clean images of a sample.
    std::vector<std::string> attack_stores(const LoadedModel& model) const {
        const auto store = [&](std::string_view attack) {
            return fmt::format("{}@{}", model.spec.name,
                               attack_variant({.attack = attack,
                                               .eps = options_.measure.eps,
                                               .space = options_.measure.space}));
        };
        std::vector<std::string> names = {store("noise")};
        for (const std::string_view attack : run_attacks) names.push_back(store(attack));
        if (work_.attacked.name != val().name) names.push_back(model.spec.name);
        return names;
    }

    void probe() {
        if (progress_) progress_({.step = "timing"});
        const std::vector<LoadedModel> on_val = models_on(options_, Role::val);
        const ProbeImages images = read_probe(val(), options_.predict, plan_.threads);
        std::vector<ModelTimes> times(on_val.size());
        std::vector<ProbeInputs> inputs;
        std::vector<std::size_t> attacked;
        for (std::size_t m = 0; m < on_val.size(); ++m) {
            const LoadedModel& model = on_val[m];
            inputs.push_back(inputs_of(model, images, options_.predict.batch_size, plan_.threads));
            const bool is_attacked = std::ranges::any_of(
                work_.attackable,
                [&](const LoadedModel& other) { return other.spec.name == model.spec.name; });
            if (!is_attacked) continue;
            attacked.push_back(m);
            const auto known =
                correct_of(options_.predict.runs / val().name / model.spec.name, plan_.threads);
            times[m].correct =
                known ? *known : correct_of(model, images, inputs[m], val()).value_or(1);
        }
        time_forward(on_val, inputs, plan_.threads, times);
        if (!attacked.empty()) {
            time_gradients(on_val, inputs, attacked, options_.measure.space, plan_.threads, times);
        }
        double forward = 0;
        for (const ModelTimes& one : times) forward += one.forward;
        for (QualityStep& step : plan_.steps) {
            if (step.name == "attacks") {
                const auto at = std::ranges::find_if(on_val,
                                                     [&](const LoadedModel& model) {
                                                         return model.spec.name == step.model;
                                                     }) -
                                on_val.begin();
                time_attacks(step, on_val.at(static_cast<std::size_t>(at)),
                             times.at(static_cast<std::size_t>(at)), images);
                continue;
            }
            double seconds = 0;
            if (step.name == "corruptions") {
                seconds = images.seconds + corrupted_seconds(images) +
                          static_cast<double>(looks_at_corrupted()) * forward;
            } else if (step.name == "check") {
                seconds = count() * images.seconds + check_passes * forward;
            } else {
                const Role role = role_named(step.name);
                const ProbeImages own =
                    role == Role::val
                        ? images
                        : read_probe(options_.data.at(role), options_.predict, plan_.threads);
                seconds = own.seconds +
                          prepare_seconds(own, models_on(options_, role), plan_.threads) + forward;
            }
            const double stores = step.name == "check" ? 0 : count() * looks_at(step);
            step.seconds = (seconds * static_cast<double>(step.images) +
                            stores * (store_seconds + shard_seconds)) *
                           (1 - step.done);
        }
    }

    /// Of each image: clean scores, the control of noise, fgsm, pgd; of the first ones pgd for
    /// longer, by whichever threads have them.
    void time_attacks(QualityStep& step, const LoadedModel& model, const ModelTimes& times,
                      const ProbeImages& images) {
        const double n = static_cast<double>(step.images);
        const double correct = times.correct;
        const double first = std::min(repeated_images, n);
        const double forward = 5, gradients = correct * (1 + pgd_steps);
        const double longer = correct * 10 * pgd_steps;
        const double batch = options_.predict.batch_size > 0
                                 ? options_.predict.batch_size
                                 : default_batch_size(model.classifier->facts());
        const double each = images.seconds / static_cast<double>(work_.attackable.size()) +
                            forward * times.forward + gradients * times.gradient;
        // Noise, fgsm and pgd, a shard for each batch.
        const double writing = 3 * (store_seconds + shard_seconds * std::ceil(n / batch));
        const double all = n * each + first * longer * times.gradient + writing;
        // The batch of the first images is one thread's.
        const double one_thread = std::min(batch, n) * plan_.threads *
                                  (each + std::min(1.0, first / batch) * longer * times.gradient);
        step.passes = static_cast<std::uint64_t>(
            std::llround(n * (forward + 3 * gradients) + 3 * first * longer));
        step.seconds = std::max(all, one_thread) * (1 - step.done);
    }

    /// To make all versions of one image, and bring them to the models' inputs.
    double corrupted_seconds(const ProbeImages& images) {
        const auto& versions = work_.versions->versions();
        const std::vector<Preprocess> ways = distinct_ways(models_on_corrupted(options_));
        const std::size_t some =
            std::min(images.images.size(), static_cast<std::size_t>(std::max(2, plan_.threads)));
        if (some == 0) return 0;
        try {
            const auto start = Clock::now();
            parallel_blocks(some * versions.size(), plan_.threads, [&](std::size_t i) {
                throw_if_stopped();
                const Image window = work_.versions->window(images.images[i % some]);
                prepare(work_.versions->make(versions[i / some], window, "probe"), ways);
            });
            return seconds_since(start) / static_cast<double>(some);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            plan_.notes.push_back("corruptions could not be timed: " + error.message());
            return 0;
        }
    }

    const QualityRunOptions& options_;
    const RunWork& work_;
    const ProgressCallback& progress_;
    QualityPlan plan_;
};

}  // namespace

QualityPlan plan_of(const QualityRunOptions& options, const RunWork& work,
                    const ProgressCallback& progress) {
    return Planner(options, work, progress).make();
}

QualityPlan plan_quality(const QualityRunOptions& options, const ProgressCallback& progress) {
    return plan_of(options, work_of(options), progress);
}

}  // namespace assay::quality
