// What a run would do, and about how long that takes: a short probe of its parts, scaled.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "assay/image/image.h"
#include "assay/robustness/pixel_model.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/paths.h"
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

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds of one unit, `units` a call, with all threads at work.
double seconds_of_unit(int threads, double units, const std::function<void()>& call) {
    constexpr double long_enough = 0.1;
    const auto many = [&](std::size_t calls) {
        const auto start = Clock::now();
        parallel_blocks(calls, threads, [&](std::size_t) {
            throw_if_stopped();
            call();
        });
        return seconds_since(start);
    };
    // Code is compiled for the shapes that it meets in the first calls.
    many(2 * static_cast<std::size_t>(threads));
    for (std::size_t calls = static_cast<std::size_t>(threads);; calls *= 2) {
        const double seconds = many(calls);
        if (seconds > long_enough || calls > 1000)
            return seconds / (static_cast<double>(calls) * units);
    }
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
    double correct = 1;  ///< of the probed images
};

ModelTimes time_model(const LoadedModel& model, const ProbeImages& probe, const Dataset& val,
                      std::uint32_t asked_batch, bool attacked, AttackSpace space, int threads) {
    const std::size_t size = size_of(model.spec.preprocess);
    const ModelFacts& facts = model.classifier->facts();
    const std::size_t batch = asked_batch > 0 ? asked_batch : default_batch_size(facts);
    std::vector<float> input(std::max(batch, probe.images.size()) * size, 0.5F);
    parallel_blocks(probe.images.size(), threads, [&](std::size_t i) {
        preprocess_into(probe.images[i], model.spec.preprocess,
                        std::span(input).subspan(i * size, size));
    });
    ModelTimes times;
    const auto n = static_cast<double>(batch);
    times.forward = seconds_of_unit(threads, n, [&] {
        std::vector<float> out(batch * facts.classes);
        model.classifier->scores(std::span(input).first(batch * size), batch, out);
    });
    if (!attacked) return times;

    std::size_t labelled = 0, correct = 0;
    for (std::size_t i = 0; i < probe.images.size(); ++i) {
        const std::int32_t label = val.single_label(probe.items[i]);
        if (label < 0) continue;
        std::vector<float> out(facts.classes);
        model.classifier->scores(std::span(input).subspan(i * size, size), 1, out);
        ++labelled;
        correct += std::ranges::max_element(out) - out.begin() == label ? 1 : 0;
    }
    if (labelled > 0) times.correct = static_cast<double>(correct) / static_cast<double>(labelled);
    const auto pixels = pixel_model(model.classifier, model.spec.preprocess, space);
    const std::vector<float> grey(batch * size, 0.5F);
    const std::vector<std::uint32_t> labels(batch, 0);
    times.gradient = seconds_of_unit(threads, n, [&] {
        std::vector<float> scores(batch * facts.classes), gradient(batch * size);
        std::vector<double> losses(batch);
        pixels->gradients({Loss::cross_entropy, grey, labels, {}}, {scores, losses, gradient});
    });
    return times;
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
            add("corruptions", work_.corrupted, "",
                static_cast<double>(work_.corrupted.size() * looks_at_corrupted()) * count(),
                predicted(part / static_cast<double>(versions.size())));
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

    std::vector<std::string> attack_stores(const LoadedModel& model) const {
        std::string eps = eps_text(options_.measure.eps);
        std::ranges::replace(eps, '/', '_');
        std::vector<std::string> names;
        for (const std::string_view attack : run_attacks) {
            names.push_back(fmt::format(
                "{}@{}-linf-{}{}", model.spec.name, attack, eps,
                options_.measure.space == AttackSpace::normalised_clamped ? "-normalised" : ""));
        }
        return names;
    }

    void probe() {
        Progress progress{.step = "timing", .total = options_.models.size()};
        const auto tell = [&] {
            throw_if_stopped();
            if (progress_) progress_(progress);
        };
        const std::vector<LoadedModel> on_val = models_on(options_, Role::val);
        const ProbeImages images = read_probe(val(), options_.predict, plan_.threads);
        std::vector<ModelTimes> times;
        double forward = 0;
        for (const LoadedModel& model : on_val) {
            tell();
            const bool attacked = std::ranges::any_of(work_.attackable, [&](const auto& other) {
                return other.spec.name == model.spec.name;
            });
            times.push_back(with_note(fmt::format("timing `{}`", model.spec.name), [&] {
                return time_model(model, images, val(), options_.predict.batch_size, attacked,
                                  options_.measure.space, plan_.threads);
            }));
            forward += times.back().forward;
            ++progress.done;
        }
        tell();
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
            step.seconds = seconds * static_cast<double>(step.images) * (1 - step.done);
        }
    }

    /// Of each image: clean scores, the control of noise, fgsm, pgd; of the first ones pgd for
    /// longer, by whichever threads have them.
    void time_attacks(QualityStep& step, const LoadedModel& model, const ModelTimes& times,
                      const ProbeImages& images) {
        const double n = static_cast<double>(step.images);
        const double correct = correct_of(model).value_or(times.correct);
        const double first = std::min(repeated_images, n);
        const double forward = 5, gradients = correct * (1 + pgd_steps);
        const double longer = correct * 10 * pgd_steps;
        const double batch = options_.predict.batch_size > 0
                                 ? options_.predict.batch_size
                                 : default_batch_size(model.classifier->facts());
        const double each = images.seconds / static_cast<double>(work_.attackable.size()) +
                            forward * times.forward + gradients * times.gradient;
        const double all = n * each + first * longer * times.gradient;
        // The batch of the first images is one thread's.
        const double one_thread = std::min(batch, n) * plan_.threads *
                                  (each + std::min(1.0, first / batch) * longer * times.gradient);
        step.passes = static_cast<std::uint64_t>(
            std::llround(n * (forward + 3 * gradients) + 3 * first * longer));
        step.seconds = std::max(all, one_thread) * (1 - step.done);
    }

    /// Where val is predicted already.
    std::optional<double> correct_of(const LoadedModel& model) const {
        const auto store = options_.predict.runs / val().name / model.spec.name;
        if (done_of(store) < 1) return std::nullopt;
        try {
            const auto outcomes =
                outcomes_of(PredictionStore::open(store), options_.predict.threads);
            if (outcomes.empty()) return std::nullopt;
            return static_cast<double>(count_of(outcomes, RowOutcome::correct)) /
                   static_cast<double>(outcomes.size());
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            return std::nullopt;
        }
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
