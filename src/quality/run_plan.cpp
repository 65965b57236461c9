// The steps of a run and their approximate duration, extrapolated from a short probe of its parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "assay/robustness/attack.h"
#include "assay/store/prediction_store.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "evaluate/attack_batch.h"
#include "evaluate/attack_names.h"
#include "quality/plan_probe.h"
#include "quality/run_work.h"
#include "store/outcomes.h"

namespace assay::quality {
namespace {

/// Passes per sampled image when a model is checked: its own settings, other usual settings,
/// batches.
constexpr double check_passes = 16;

/// Measured times to begin and finish a store, and to write and sync a shard. The probe does not
/// write.
constexpr double store_seconds = 0.01, shard_seconds = 0.005;

/// The proportion of images that are classified correctly, if val was already predicted.
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

/// The proportion of rows that a store has. The run reports problems with the store.
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
        if (to_do) time();
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

    /// Lists the steps, without times. Returns false if nothing remains to be predicted.
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

    /// The number of passes over corrupted images by a model. With a sample, this includes the
    /// clean images.
    std::size_t looks_at_corrupted() const {
        return work_.versions->versions().size() + (work_.corrupted.name == val().name ? 0 : 1);
    }

    double looks_at(const QualityStep& step) const {
        return step.name == "corruptions" ? static_cast<double>(looks_at_corrupted()) : 1;
    }

    /// One model's passes for the noise control, attacks, and a sample's clean images.
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

    void time() {
        if (progress_) progress_({.step = "timing"});
        const std::vector<LoadedModel> on_val = models_on(options_, Role::val);
        const probe::Images images = probe::read_images(val(), options_.predict, plan_.threads);
        const std::vector<probe::ModelTimes> times =
            probe::model_times(models_to_time(on_val), images, val(), options_);
        double forward = 0;
        for (const probe::ModelTimes& one : times) forward += one.forward;
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
                seconds = seconds_of_role(role_named(step.name), images) + forward;
            }
            const double stores = step.name == "check" ? 0 : count() * looks_at(step);
            step.seconds = (seconds * static_cast<double>(step.images) +
                            stores * (store_seconds + shard_seconds)) *
                           (1 - step.done);
        }
    }

    std::vector<probe::TimedModel> models_to_time(const std::vector<LoadedModel>& on_val) const {
        std::vector<probe::TimedModel> timed;
        for (const LoadedModel& model : on_val) {
            probe::TimedModel& one = timed.emplace_back();
            one.model = &model;
            one.attacked = std::ranges::any_of(work_.attackable, [&](const LoadedModel& other) {
                return other.spec.name == model.spec.name;
            });
            if (one.attacked) {
                one.correct =
                    correct_of(options_.predict.runs / val().name / model.spec.name, plan_.threads);
            }
        }
        return timed;
    }

    /// Seconds to read an image of a role's data set and convert it to the models' inputs.
    double seconds_of_role(Role role, const probe::Images& of_val) const {
        const probe::Images own =
            role == Role::val
                ? of_val
                : probe::read_images(options_.data.at(role), options_.predict, plan_.threads);
        return own.seconds + probe::prepare_seconds(own, models_on(options_, role), plan_.threads);
    }

    /// The cost of each image: clean scores, the noise control, fgsm, pgd, and the largest cost of
    /// the attacks' controls.
    void time_attacks(QualityStep& step, const LoadedModel& model, const probe::ModelTimes& times,
                      const probe::Images& images) {
        const double n = static_cast<double>(step.images);
        const double pgd_steps = attack_named("pgd").steps;
        const double forward = 5, gradients = times.correct * (1 + pgd_steps);
        const ControlPasses controls = max_control_passes({});
        const auto with_gradient = static_cast<double>(controls.backward);
        const double without = static_cast<double>(controls.forward) - with_gradient;
        const double batch = probe::batch_size_of(model, options_.predict);
        const double each = images.seconds / static_cast<double>(work_.attackable.size()) +
                            forward * times.forward + gradients * times.gradient;
        // Noise, fgsm and pgd, with one shard per batch.
        const double writing = 3 * (store_seconds + shard_seconds * std::ceil(n / batch));
        const double all = n * each + without * times.forward + with_gradient * times.gradient;
        // One thread processes a batch.
        const double one_thread = std::min(batch, n) * plan_.threads * each;
        step.passes = static_cast<std::uint64_t>(
            std::llround(n * (forward + 3 * gradients) + without + 3 * with_gradient));
        step.seconds = std::max(all + writing, one_thread) * (1 - step.done);
    }

    double corrupted_seconds(const probe::Images& images) {
        try {
            return probe::corrupted_seconds(images, *work_.versions, models_on_corrupted(options_),
                                            plan_.threads);
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
