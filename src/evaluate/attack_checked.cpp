#include "evaluate/attack_checked.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "core/json_text.h"
#include "evaluate/attack_control.h"
#include "evaluate/attack_signs.h"
#include "evaluate/attack_transfer.h"
#include "evaluate/smallest_change.h"
#include "robustness/attack_record.h"

namespace assay::attack {
namespace {

using nlohmann::json;

/// A version that increases if the same command would measure or judge differently.
constexpr int control_version = 1;
constexpr std::size_t usual_batch = 8;

/// The largest budget. A search for the smallest change has none: it is judged at the largest that
/// was asked for, or otherwise at its median radius, at which half of the images are left. If there
/// is no median, it is judged at the largest usual budget. For l1 and l0, this is the largest
/// change of an image: how many elements an image has decides what is large.
double judged_eps(const CheckedModel& checked, const AttackedResult& result) {
    double largest = 0;
    for (const auto& job : checked.jobs) {
        if (!job->smallest) largest = std::max(largest, job->options.eps);
    }
    if (result.smallest.empty()) return largest;
    for (const double eps : checked.options.eps) largest = std::max(largest, eps);
    if (largest > 0) return largest;
    const Norm norm = checked.options.norm;
    const Estimate& median = result.smallest.front().median;
    if (median.value) return rounded_budget(norm, *median.value);
    if (norm == Norm::linf || norm == Norm::l2) return usual_budgets(norm).back();
    for (const auto& job : checked.jobs) largest = std::max(largest, job->options.eps);
    return largest;
}

json definition_of_control(const CheckedModel& checked, const AttackedResult& result) {
    json attacks = json::array();
    for (const auto& job : checked.jobs) attacks.push_back(job->variant);
    if (!result.smallest.empty()) attacks.push_back(judged_eps(checked, result));
    return {{"version", control_version},
            {"attacks", attacks},
            {"seed", checked.options.seed},
            {"model", checked.model.file_hash},
            {"dataset", checked.dataset.ids_fingerprint()},
            {"preprocess", to_json(checked.model.spec.preprocess)}};
}

/// The control that is the same in all stores of the command.
std::optional<AttackControl> known_control(std::span<const PredictResult> attacked,
                                           const json& definition) {
    std::optional<StoredControl> known;
    for (const PredictResult& one : attacked) {
        if (one.predicted > 0) return std::nullopt;
        try {
            std::optional<StoredControl> own = read_control(PredictionStore::open(one.store));
            if (!own || own->definition != definition) return std::nullopt;
            known = std::move(own);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            return std::nullopt;  // written again
        }
    }
    if (!known) return std::nullopt;
    return known->control;
}

/// The record of a store; nothing if it is damaged.
std::optional<StoredControl> usable_record(const PredictionStore& store) {
    try {
        return read_control(store);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
}

JudgedModel judged_of(const CheckedModel& checked, const AttackedResult& result) {
    JudgedModel judged;
    judged.clean = checked.clean;
    judged.norm = checked.options.norm;
    judged.classes = checked.pixels.classes();
    judged.numbers = checked.pixels.shape().size();
    for (std::size_t c = 0; c < checked.jobs.size(); ++c) {
        const AttackJob& job = *checked.jobs[c];
        if (job.smallest) continue;
        JudgedAttack& one = judged.attacks.emplace_back();
        one.attack = job.attack;
        one.eps = job.options.eps;
        one.usual = has_usual_strength(job);
        one.outcomes = checked.attacked[c];
        for (const AttackCell& cell : result.cells) {
            if (cell.attack != job.attack || cell.eps != job.options.eps) continue;
            for (const auto& part : cell.by)
                one.by_square += part.first == "square" ? part.second : 0;
        }
    }
    return judged;
}

AttackControl measured_control(const CheckedModel& checked, const PredictResult& clean,
                               const AttackedResult& result, const ProgressCallback& callback) {
    JudgedModel judged = judged_of(checked, result);
    const double largest = judged_eps(checked, result);
    std::vector<std::vector<RowOutcome>> within;
    within.reserve(result.smallest.size());
    for (const SmallestChanges& search : result.smallest) {
        within.push_back(outcomes_within(search.radii, checked.clean, largest));
        judged.attacks.push_back(
            {.attack = search.attack, .eps = largest, .outcomes = within.back()});
    }
    const std::vector<RowOutcome> left = left_by_gradients(judged, largest);
    const double correct = result.images == 0 ? 0
                                              : static_cast<double>(result.correct) /
                                                    static_cast<double>(result.images);
    const bool alone = PredictionStore::open(clean.store).spec().batch_size == 1;
    const ControlInputs inputs = {.model = checked.pixels,
                                  .loaded = checked.model,
                                  .dataset = checked.dataset,
                                  .options = checked.options,
                                  .clean = checked.clean,
                                  .attacked = left,
                                  .eps = largest,
                                  .gradients = checked.gradients,
                                  .batch = alone ? 1 : usual_batch};
    const ControlMeasures measures =
        measure_controls(inputs, control_budget(correct, checked.gradients), callback);
    return judge_controls(measures, judged, largest);
}

}  // namespace

AttackControl checked_attacks(const CheckedModel& checked, const PredictResult& clean,
                              std::span<const PredictResult> attacked, const AttackedResult& result,
                              const ProgressCallback& callback) {
    const json definition = definition_of_control(checked, result);
    if (const auto known = known_control(attacked, definition)) return *known;
    AttackControl control;
    try {
        control = measured_control(checked, clean, result, callback);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::out_of_memory) throw;
        control.signs.push_back({.name = "failed",
                                 .means = AttackVerdict::doubtful,
                                 .found = false,
                                 .text = "the controls could not be computed: " + error.message(),
                                 .tested = false});
        return control;
    }
    for (const PredictResult& one : attacked)
        write_control(PredictionStore::open(one.store), {control, definition});
    return control;
}

bool has_usual_strength(const AttackJob& job) {
    const int usual_steps = job.parts.size() > 1 ? 0 : attack_named(job.attack).steps;
    return (job.options.steps == 0 || job.options.steps >= usual_steps) &&
           job.options.step_size == 0;
}

void add_sign(AttackControl& control, MaskingSign sign, std::span<const PredictResult> attacked) {
    if (control.verdict == AttackVerdict::not_checked) return;
    put_sign(control, std::move(sign));
    for (const PredictResult& one : attacked) {
        const PredictionStore store = PredictionStore::open(one.store);
        std::optional<StoredControl> stored = usable_record(store);
        if (!stored) continue;
        stored->control = control;
        write_control(store, *stored);
    }
}

void copy_verdict(const PredictionStore& from, const PredictionStore& to) {
    if (const std::optional<StoredControl> stored = usable_record(from)) write_control(to, *stored);
}

}  // namespace assay::attack
