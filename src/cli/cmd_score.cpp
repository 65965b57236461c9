// assay score: kept scores -> metrics with intervals.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/score_report.h"
#include "cli/scoring.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr std::string_view examples = R"(
assay score runs
assay score runs/val/resnet50 --per-class
assay score runs --metrics top1,ece:bins=20,ace --json
assay score runs/val --labels real.json
assay score runs/val --labels real.json --metrics real,asma,asma.jaccard --gate "low(asma) >= 0.5"
assay score runs --across "patchml-seed*" --subgroups 2,3,4,6,9
assay score runs/imagenet-r --class-map imagenet-r
assay score runs/val/resnet50 --gate "low(top1) >= 0.75" --gate "ece <= 0.05"
)";

// The stores whose data set's name matches; one model under one name may not be two models.
std::vector<PredictionStore> matching(std::vector<PredictionStore> stores,
                                      const std::string& pattern) {
    std::set<std::string> names;
    std::vector<PredictionStore> kept;
    std::map<std::string, std::set<std::string>> files;
    for (PredictionStore& store : stores) {
        names.insert(store.spec().dataset_name);
        if (fnmatch(pattern.c_str(), store.spec().dataset_name.c_str(), 0) != 0) continue;
        // The hash of an import is that of its scores, another on every data set.
        if (!store.spec().preprocess_hash.empty())
            files[store.spec().model_name].insert(store.spec().model_hash);
        kept.push_back(std::move(store));
    }
    for (const auto& [model, hashes] : files) {
        if (hashes.size() > 1)
            warn("`" + model +
                 "` is not the same file on every data set: its mean is of different models");
    }
    if (kept.empty()) {
        std::string known;
        for (const auto& name : names) known += (known.empty() ? "`" : ", `") + name + "`";
        throw Error(ErrorCode::usage,
                    fmt::format("--across `{}` matches none of the data sets {}", pattern, known));
    }
    return kept;
}

// Gates of means over data sets, model by model.
std::vector<GateResult> judge(const std::vector<Gate>& gates,
                              const std::vector<AcrossResult>& results) {
    std::vector<GateResult> judged;
    for (std::size_t first = 0; first < results.size();) {
        std::vector<Measurement> model;
        const std::string& name = results[first].mean.key.model;
        while (first < results.size() && results[first].mean.key.model == name)
            model.push_back(results[first++].mean);
        for (const Gate& gate : gates) judged.push_back(check_gate(gate, model));
    }
    return judged;
}

struct ScoreCommand {
    std::vector<std::string> paths;
    std::string subgroup, across;
    ScoringFlags flags;
    Shown shown;
    Output output;

    /// False: --help was asked for, and given. Throws usage and bad_input.
    bool read(std::vector<std::string> arguments);
};

bool ScoreCommand::read(std::vector<std::string> arguments) {
    auto app = make_app("score",
                        "Compute metrics, each with its interval and definition, from kept scores. "
                        "`assay list metrics` shows "
                        "them all. Status 1: a gate is broken; 3: some items have no scores.",
                        examples);
    app->add_option("path", paths, "RUNS folder, one of its data sets, or one store")
        ->required()
        ->type_name("PATH");
    app->add_option("--subgroup", subgroup,
                    "Every metric again for each value of this attribute of the data set")
        ->type_name("ATTR");
    app->add_option("--across", across,
                    "Mean of each metric over the data sets whose name matches, with their spread, "
                    "model by model; gates "
                    "are then about the means")
        ->type_name("GLOB");
    app->add_flag("--per-class", shown.per_class,
                  "A line for every class (with --csv: instead of the metrics)");
    app->add_option("--confusion", shown.confusions, "The N most frequent confusions")
        ->type_name("N");
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return false;
    if (!across.empty() && (shown.per_class || shown.confusions > 0))
        throw Error(ErrorCode::usage,
                    "--across is about metrics: --per-class and --confusion do not go with it");
    flags.check(false);
    return true;
}

}  // namespace

void check_score_arguments(std::vector<std::string> arguments) {
    ScoreCommand().read(std::move(arguments));
}

int cmd_score(std::vector<std::string> arguments) {
    ScoreCommand command;
    if (!command.read(std::move(arguments))) return Status::done;
    const ScoringFlags& flags = command.flags;
    const Shown& shown = command.shown;
    const Output& output = command.output;
    const std::string &subgroup = command.subgroup, &across = command.across;

    const std::vector<Gate> gates = flags.gates();
    std::vector<PredictionStore> stores;
    for (const std::string& path : command.paths) {
        for (const auto& folder : find_stores(path))
            stores.push_back(PredictionStore::open(folder));
    }
    if (!across.empty()) stores = matching(std::move(stores), across);

    std::vector<ScoreReport> reports;
    std::vector<GateResult> judged;
    std::set<std::string> warned;  // once a data set: its models share the labels
    const auto comm = self_comm();
    for (PredictionStore& opened : stores) {
        const PredictionStore store = std::move(opened);  // closed again before the next
        with_note("scoring `" + store.folder().string() + "`", [&] {
            ScoreOptions options = flags.options_for(store);
            if (warned.insert(store.spec().dataset_name).second)
                warn_of_unnamed(options.unnamed, store.rows(), flags.labels());
            options.subgroup = subgroup;
            options.confusions = shown.confusions;
            reports.push_back(score_store(store, options, *comm));
        });
        if (across.empty()) {
            for (const Gate& gate : gates)
                judged.push_back(check_gate(gate, reports.back().measurements));
        }
        for (const auto& text : reports.back().warnings) warn(reports.back().model + ": " + text);
    }
    std::vector<AcrossResult> means;
    if (!across.empty()) {
        means = score_across(reports, across, flags.level());
        judged = judge(gates, means);
    }

    const bool colour = output.to_stdout() && stdout_is_terminal();
    if (output.json) {
        json out = reports_json(reports, judged, shown);
        if (!across.empty()) {
            out["across"] = json::array();
            for (const AcrossResult& result : means) out["across"].push_back(to_json(result));
        }
        output.write(json_text(out));
    } else if (output.csv) {
        output.write((!across.empty()   ? across_csv(means)
                      : shown.per_class ? class_csv(reports)
                                        : measurement_csv(reports))
                         .csv());
    } else {
        output.write((across.empty() ? reports_text(reports, shown, colour)
                                     : across_table(means).text(colour)) +
                     gates_text(judged, colour));
    }
    if (std::any_of(reports.begin(), reports.end(),
                    [](const ScoreReport& r) { return r.counts.partial(); }))
        return Status::partial;
    return all_passed(judged) ? Status::done : Status::gate_broken;
}

}  // namespace assay::cli
