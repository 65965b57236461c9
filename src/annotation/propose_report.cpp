// Proposals as people and programs read them.
#include <fmt/format.h>

#include <charconv>

#include "assay/annotation/propose.h"
#include "containers/csv.h"

namespace assay {
namespace {

using nlohmann::json;
using Show = Column::Show;

bool by_rank(const Proposals& p) {
    return p.options.rule == ProposeOptions::Rule::rank;
}

Table model_table(const Proposals& p) {
    Table table;
    table.title = p.dataset.name;
    table.columns = {{.name = "model", .numbers = false},
                     {.name = "chosen", .numbers = false},
                     {.name = by_rank(p) ? "best k" : "threshold"},
                     {.name = "proposals"},
                     {.name = "alone"},
                     {.name = "recall of known labels %", .show = Show::value_and_interval}};
    for (const ModelProposals& m : p.models) {
        if (!m.chosen) {
            table.add({m.name, false});
            continue;
        }
        table.add({m.name, true,
                   by_rank(p) ? Cell(Number{.value = m.threshold, .digits = 0})
                              : Cell(Number{.value = m.threshold}),
                   Count{m.proposals}, Count{m.alone}, m.recall});
    }
    table.notes.emplace_back(
        "alone: proposed by no other chosen model. A model's predicted class is always proposed.");
    table.notes.insert(table.notes.end(), p.notes.begin(), p.notes.end());
    return table;
}

Table total_table(const Proposals& p) {
    Table table;
    table.columns = {{.name = "", .numbers = false},
                     {.name = "", .show = Show::value_and_interval}};
    table.add({"images", Count{p.items}});
    table.add({"asked about", Count{p.asked}});
    table.add({"skipped, all models agree with the label", Count{p.agreed}});
    table.add({"without scores", Count{p.not_scored}});
    table.add({"questions", Count{p.questions.size()}});
    table.add(
        {"questions per image asked about, mean", Number{.value = p.mean_questions, .digits = 2}});
    table.add({"questions per image, maximum", Count{p.most_questions}});
    for (const auto& [name, recall] :
         {std::pair{"recall of the original labels", &p.recall_original},
          {"recall of the gold labels", &p.recall_gold}}) {
        table.add({std::string(name) + ", %", *recall});
        if (!recall->value) table.notes.push_back(fmt::format("{}: {}", name, recall->undefined));
    }
    table.add({"images that thresholds were set by", Count{p.sampled}});
    return table;
}

json result_of(const Proposals& p) {
    json out = {{"schema", "assay.label_proposals/1"},
                {"dataset", p.dataset.name},
                {"rule", by_rank(p) ? "rank" : "probability"},
                {"target_recall", p.options.recall},
                {"reached", p.reached},
                {"depth", p.options.depth},
                {"models", json::array()},
                {"items", p.items},
                {"asked", p.asked},
                {"agreed", p.agreed},
                {"not_scored", p.not_scored},
                {"sampled", p.sampled},
                {"questions", p.questions.size()},
                {"questions_per_image_mean", p.mean_questions},
                {"questions_per_image_max", p.most_questions},
                {"recall_original", to_json(p.recall_original)},
                {"recall_gold", to_json(p.recall_gold)},
                {"notes", p.notes}};
    for (const ModelProposals& m : p.models) {
        json row = {{"model", m.name}, {"chosen", m.chosen}};
        if (m.chosen) {
            row["threshold"] = m.threshold;
            row["proposals"] = m.proposals;
            row["alone"] = m.alone;
            row["recall"] = to_json(m.recall);
        }
        out["models"].push_back(std::move(row));
    }
    return out;
}

/// The double of fewest digits that is this float: 0.1F is written 0.1, not 0.10000000149011612.
double shortest(float value) {
    const std::string text = fmt::format("{}", value);
    double out = value;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

}  // namespace

Report report_of(const Proposals& p) {
    Report report;
    report.sections.push_back(
        {.title = "", .blocks = {model_table(p), total_table(p)}, .sections = {}});
    report.result = result_of(p);
    if (p.not_scored > 0) {
        report.warnings.push_back(
            fmt::format("{} images have no scores of some model", count_text(p.not_scored)));
    }
    if (!p.reached) report.warnings.push_back(p.notes.back());
    report.partial = !p.reached || p.not_scored > 0;
    return report;
}

std::string question_csv(const Proposals& proposals) {
    const Dataset& dataset = proposals.dataset;
    const ClassList& classes = dataset.classes;
    std::string out;
    CsvWriter csv(out);
    csv.row({"item", "path", "label", "class", "proposed_by", "prior"});
    for (const Question& q : proposals.questions) {
        const auto item = static_cast<std::size_t>(q.item), c = static_cast<std::size_t>(q.cls);
        std::string by;
        for (std::size_t m = 0; m < proposals.models.size(); ++m) {
            if ((q.models >> m & 1U) != 0) by += (by.empty() ? "" : " ") + proposals.models[m].name;
        }
        const bool named = c < classes.size();
        const std::string number = std::to_string(c);
        csv.row({dataset.ids[item],
                 dataset.paths.size() > 0 ? dataset.paths[item] : dataset.ids[item],
                 named ? classes.id(c) : number, named ? classes.name(c) : number,
                 by.empty() ? "original" : by, fmt::format("{}", shortest(q.prior))});
    }
    return out;
}

}  // namespace assay
