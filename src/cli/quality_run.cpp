#include "cli/quality_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/progress.h"

namespace assay::cli {
namespace {

std::string announcement(const quality::QualityPlan& plan) {
    const bool done = std::ranges::all_of(plan.steps, [](const quality::QualityStep& step) {
        return step.done >= 1 || step.name == "check";
    });
    std::string text =
        done ? std::string("everything is already predicted")
             : fmt::format("{} steps, about {} with {} thread{}", plan.steps.size(),
                           duration_text(plan.seconds), plan.threads, plan.threads == 1 ? "" : "s");
    std::vector<std::string_view> missing;
    for (const quality::MissingDimension& one : plan.missing) {
        const std::string_view title = quality::facts_of(one.dimension).title;
        if (std::ranges::find(missing, title) == missing.end()) missing.push_back(title);
    }
    for (std::size_t i = 0; i < missing.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "; missing: " : ", ", missing[i]);
    return text;
}

}  // namespace

quality::QualityRunOptions quality_options(const Plan& plan,
                                           const std::vector<LoadedModel>& models) {
    const QualitySettings& asked = plan.quality.value();
    quality::QualityRunOptions options;
    options.predict = plan.store.options;
    options.models = models;
    options.corrupt = asked.corrupts();
    options.corruptions = asked.corruption_settings();
    options.corrupted_transform = asked.corrupted_transform;
    options.corrupt_limit = asked.corruption_limit;
    options.attack = asked.attacks == AttackSet::paper;
    options.attack_limit = asked.attack_limit;
    options.check = asked.checks;
    options.measure.eps = asked.attack_eps.eps;
    options.measure.space = asked.attack_space;
    options.measure.level = asked.level;
    options.measure.own_class_sketch = asked.own_class_sketch;
    for (const Plan::Data& listed : plan.data) {
        if (!listed.role) continue;
        options.data.emplace(*listed.role, plan.open(listed, models.at(0).spec.classes));
        if (listed.pixels.empty()) continue;
        for (const ModelSpec& spec : plan.specs_on(listed))
            options.preprocess[*listed.role].push_back(spec.preprocess);
    }
    quality::check(options);
    return options;
}

int run_quality_step(quality::QualityRunOptions options, const Output& output) {
    ProgressLine progress("quality", "predictions");
    options.announce = [&](const quality::QualityPlan& plan) {
        progress.finish();
        note(announcement(plan));
    };
    const quality::QualityRunResult result = run_quality(options, progress);
    progress.finish();
    const Report report = report_of(result);
    output.print(report);
    for (const std::string& text : result.notes) note(text);
    const bool whole =
        std::ranges::all_of(result.measured.table.models, [](const quality::QualityModel& model) {
            return std::ranges::all_of(
                model.cells, [](const quality::QualityCell& cell) { return bool(cell.value); });
        });
    note(fmt::format("next: assay quality score {}{}", as_typed(result.table.string()),
                     whole ? "" : " --drop-missing"));
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
