#include "evaluate/attack_checked.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "core/json_text.h"
#include "evaluate/attack_control.h"
#include "evaluate/attack_signs.h"
#include "robustness/attack_record.h"

namespace assay::attack {
namespace {

using nlohmann::json;

/// A version that increases if the same command would measure or judge differently.
constexpr int control_version = 1;
constexpr std::size_t usual_batch = 8;

json definition_of_control(const CheckedModel& checked) {
    json attacks = json::array();
    for (const auto& job : checked.jobs) attacks.push_back(job->variant);
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

JudgedModel judged_of(const CheckedModel& checked, const AttackedResult& result) {
    JudgedModel judged;
    judged.clean = checked.clean;
    judged.norm = checked.options.norm;
    judged.classes = checked.pixels.classes();
    judged.numbers = checked.pixels.shape().size();
    for (std::size_t c = 0; c < checked.jobs.size(); ++c) {
        const AttackJob& job = *checked.jobs[c];
        const int usual_steps = job.parts.size() > 1 ? 0 : attack_named(job.attack).steps;
        JudgedAttack& one = judged.attacks.emplace_back();
        one.attack = job.attack;
        one.eps = job.options.eps;
        one.usual = (job.options.steps == 0 || job.options.steps >= usual_steps) &&
                    job.options.step_size == 0;
        one.outcomes = checked.attacked[c];
        for (const auto& [part, images] : result.cells[c].by)
            one.by_square += part == "square" ? images : 0;
    }
    return judged;
}

AttackControl measured_control(const CheckedModel& checked, const PredictResult& clean,
                               const AttackedResult& result, const ProgressCallback& callback) {
    const JudgedModel judged = judged_of(checked, result);
    double largest = 0;
    for (const JudgedAttack& one : judged.attacks) largest = std::max(largest, one.eps);
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
    const json definition = definition_of_control(checked);
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

}  // namespace assay::attack
