#include "cli/model_command.h"

#include <filesystem>
#include <utility>

namespace assay::cli {

void ModelCommand::add_to(CLI::App& app, const std::function<void()>& add_own) {
    models.add_to(app);
    data.add_to(app);
    input_options_ = app.get_options().size();
    add_own();
    store.add_to(app);
    output.add_to(app);
    output.logs.add_to(app);
}

void ModelCommand::check() const {
    require_inputs(models, data, verb_);
    data.sample.check();
}

std::vector<LoadedModel> ModelCommand::load() {
    data.names_parts = data.name.empty();
    data.runs = store.options.runs;
    models.draw(store.options.runs, !store.dry_run);
    models.classes_of_data = classes_of(data);
    const std::vector<ModelSpec> specs = models.resolve();
    std::vector<LoadedModel> loaded;
    if (store.dry_run) {
        output.print(plan_report_of(specs));
        return loaded;
    }
    for (const ModelSpec& spec : specs) {
        note(describe(spec));
        loaded.push_back(load_model(spec, models.opening()));
    }
    return loaded;
}

void ModelCommand::over_each(const CLI::App& app, const std::vector<LoadedModel>& loaded,
                             const std::function<void(const Dataset&, ProgressLine&)>& run) {
    TypedPrediction typed{verb_, {}, "", typed_options(app, input_options_)};
    for (const std::filesystem::path& file : models.files) typed.models.push_back(file.string());
    for (std::size_t i = 0; i < data.folders.size(); ++i) {
        const Dataset dataset = data.open(i, loaded[0].spec.classes);
        typed.data = data.folders[i].string();
        try_and_warn(loaded, dataset, store.options, *self_comm(), typed);
        ProgressLine progress(dataset.name, unit_);
        run(dataset, progress);
        progress.finish();
    }
}

int ModelCommand::print(const Report& report) const {
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
