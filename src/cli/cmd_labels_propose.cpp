// assay labels propose: which labels to ask annotators about.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/annotation/propose.h"
#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "cli/command.h"
#include "cli/labels.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view examples = R"(
assay labels propose runs/val -o questions.csv
assay labels propose runs/val --recall 0.97 --gold experts.csv --skip-agreed -o questions.csv
assay labels propose runs/val/a runs/val/b --rule rank --all-models --json
)";

std::string share_text(const Measurement& m) {
    if (!m.value) return "– (" + m.undefined + ")";
    std::string text = fmt::format("{:.2f} %", 100 * *m.value);
    if (m.interval)
        text += fmt::format(" ({:.2f} – {:.2f})", 100 * m.interval->low, 100 * m.interval->high);
    return text;
}

std::string as_text(const Proposals& p, const ProposeOptions& options, const std::string& dataset,
                    bool colour) {
    const bool rank = options.rule == ProposeOptions::Rule::rank;
    Table models({{"model"},
                  {"chosen"},
                  {rank ? "best k" : "threshold", Align::right},
                  {"proposals", Align::right},
                  {"alone", Align::right},
                  {"recall of known labels", Align::right}},
                 dataset);
    for (const ModelProposals& m : p.models) {
        if (!m.chosen) {
            models.add({m.name, "no"});
            continue;
        }
        models.add({m.name, "yes",
                    rank ? fmt::format("{:.0f}", m.threshold) : fmt::format("{:.4g}", m.threshold),
                    count_text(m.proposals), count_text(m.alone), share_text(m.recall)});
    }
    models.footer(
        "alone: proposed by no other chosen model. A model's first answer is always proposed.");
    for (const std::string& line : p.notes) models.footer(line);

    Table table({{""}, {"", Align::right}});
    table.add({"images", count_text(p.items)});
    table.add({"asked about", count_text(p.asked)});
    table.add({"skipped, all models agree with the label", count_text(p.agreed)});
    table.add({"without scores", count_text(p.not_scored)});
    table.add({"questions", count_text(p.questions.size())});
    table.add({"questions an image asked about, mean", fmt::format("{:.2f}", p.mean_questions)});
    table.add({"questions an image, most", count_text(p.most_questions)});
    table.add({"recall of the original labels", share_text(p.recall_original)});
    table.add({"recall of the gold labels", share_text(p.recall_gold)});
    table.add({"images that thresholds were set by", count_text(p.sampled)});
    return models.text(colour) + "\n" + table.text(colour);
}

json as_json(const Proposals& p, const ProposeOptions& options, const std::string& dataset) {
    json out = {{"schema", "assay.label_proposals/1"},
                {"dataset", dataset},
                {"rule", options.rule == ProposeOptions::Rule::rank ? "rank" : "probability"},
                {"target_recall", options.recall},
                {"reached", p.reached},
                {"depth", options.depth},
                {"models", json::array()},
                {"items", p.items},
                {"asked", p.asked},
                {"agreed", p.agreed},
                {"not_scored", p.not_scored},
                {"sampled", p.sampled},
                {"questions", p.questions.size()},
                {"questions_per_image_mean", p.mean_questions},
                {"questions_per_image_max", p.most_questions},
                {"recall_original", assay::to_json(p.recall_original)},
                {"recall_gold", assay::to_json(p.recall_gold)},
                {"notes", p.notes}};
    for (const ModelProposals& m : p.models) {
        json row = {{"model", m.name}, {"chosen", m.chosen}};
        if (m.chosen) {
            row["threshold"] = m.threshold;
            row["proposals"] = m.proposals;
            row["alone"] = m.alone;
            row["recall"] = assay::to_json(m.recall);
        }
        out["models"].push_back(std::move(row));
    }
    return out;
}

}  // namespace

int labels_propose(std::vector<std::string> arguments) {
    auto app = make_app("labels propose",
                        "Choose the (image, label) questions for annotators: what the models see "
                        "above thresholds that "
                        "are set by a recall, with as few questions as possible. Status 3: the "
                        "recall is out of reach, "
                        "or images have no scores.",
                        examples);
    std::vector<std::string> paths;
    ProposeOptions options;
    std::string rule = "probability";
    fs::path gold_file, questions;
    bool all_models = false, no_original = false, as_json_text = false, as_csv = false;
    app->add_option("path", paths, "RUNS folder, one of its data sets, or stores")
        ->required()
        ->type_name("RUNS");
    app->add_option("--recall", options.recall,
                    "Share of the known labels that the proposals must find")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app->add_option("--gold", gold_file,
                    "Known label sets of some images (json, csv); default: the original labels")
        ->type_name("FILE");
    app->add_option("--rule", rule,
                    "probability: a threshold for each model; rank: the k best, k by model")
        ->capture_default_str();
    app->add_option("--depth", options.depth, "Best classes of each image that are looked at")
        ->type_name("K")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app->add_flag("--all-models", all_models,
                  "Use every model, not the subset with the fewest questions");
    app->add_flag("--no-original", no_original,
                  "Do not ask about an original label that no model proposes");
    app->add_flag("--skip-agreed", options.skip_agreed,
                  "Ask nothing where every model's first answer is the original label");
    app->add_option("--seed", options.seed,
                    "Seed of the sample that thresholds are set by, for large data sets")
        ->check(decimal_number())
        ->capture_default_str();
    app->add_option("-j,--threads", options.threads, "Threads (default: all cores)")
        ->check(CLI::NonNegativeNumber);
    app->add_option(
           "-o,--output", questions,
           "Write the questions: csv with item, path, label, class, proposed_by, prior (-: stdout)")
        ->type_name("FILE");
    auto* json_flag = app->add_flag("--json", as_json_text, "Print the report as JSON");
    app->add_flag("--csv", as_csv, "Print the questions instead of the report")
        ->excludes(json_flag);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const bool printed = questions == "-";  // in the report's place
    if (printed && as_json_text)
        throw Error(ErrorCode::usage, "--json and -o - both print to stdout; name a file");
    options.rule = propose_rule_named(rule);
    options.choose_models = !all_models;
    options.keep_original = !no_original;
    const Dataset dataset = PredictionStore::open(find_stores(paths.front()).front()).dataset();
    LabelSets gold;
    if (!gold_file.empty()) {
        gold = read_label_sets(gold_file, dataset, dataset.classes);
        options.gold = &gold;
    }
    const Proposals found = propose_labels(paths, options);
    if (!questions.empty() && !printed)
        write_result(questions, questions_csv(found, dataset, dataset.classes));
    if (as_json_text) {
        Output().write(json_text(as_json(found, options, dataset.name)));
    } else if (as_csv || printed) {
        Output().write(questions_csv(found, dataset, dataset.classes));
    } else {
        Output().write(as_text(found, options, dataset.name, stdout_is_terminal()));
    }
    if (found.not_scored > 0)
        warn(fmt::format("{} images have no scores of some model", count_text(found.not_scored)));
    if (!found.reached) warn(found.notes.back());
    return found.reached && found.not_scored == 0 ? Status::done : Status::partial;
}

}  // namespace assay::cli
