// Error consistency with people, for people, and as one flat table.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/evaluate/people.h"
#include "assay/report.h"
#include "evaluate/measurement_text.h"

namespace assay {
namespace {

using nlohmann::json;
using Show = Column::Show;

Table people_table(const ModelAndPeople& model, const PeopleResult& all) {
    Table table;
    table.title = fmt::format("{} and {} people on {}: error consistency", model.model,
                              model.people.size(), model.dataset);
    table.columns = {{"person", false},
                     {"images"},
                     {model.model + " top1 %", true, Show::value_and_half},
                     {"person %", true, Show::value_and_half},
                     {"alike %"},
                     {"by chance %"},
                     {"kappa", true, Show::value_and_half},
                     {"interval", true, Show::interval}};
    for (const Consistency& c : model.people) {
        table.add({c.other, Count{c.model.n}, c.model, c.person,
                   Number{c.observed, Unit::proportion, 1},
                   Number{c.by_chance, Unit::proportion, 1}, c.kappa, c.kappa});
    }
    table.rule();
    table.add(
        {"mean", Count{model.mean.n}, Cell(), Cell(), Cell(), Cell(), model.mean, model.mean});
    table.add({"between people", Count{all.between_people.n}, Cell(), Cell(), Cell(), Cell(),
               all.between_people, all.between_people});
    table.notes.emplace_back(
        "kappa of being correct: 0 is as by chance, 1 errs on the same images. Intervals are over "
        "the images; the people are these people.");
    return table;
}

Table people_records(const PeopleResult& result) {
    Table table;
    table.columns = {{"model", false},
                     {"dataset", false},
                     {"person", false},
                     {"n"},
                     {"both_correct"},
                     {"only_model_correct"},
                     {"only_person_correct"},
                     {"both_incorrect"},
                     {"observed"},
                     {"by_chance"},
                     {"kappa"}};
    for (const Column& column : interval_columns()) table.columns.push_back(column);
    table.columns.push_back({"undefined", false});
    for (const ModelAndPeople& model : result.models) {
        for (const Consistency& c : model.people) {
            std::vector<Cell> cells{model.model,
                                    model.dataset,
                                    c.other,
                                    Count{c.model.n},
                                    Count{c.both_correct},
                                    Count{c.only_model_correct},
                                    Count{c.only_person_correct},
                                    Count{c.both_incorrect},
                                    exact(std::optional<double>(c.observed)),
                                    exact(std::optional<double>(c.by_chance)),
                                    exact(c.kappa.value)};
            add_interval(cells, c.kappa.interval);
            cells.emplace_back(c.kappa.undefined);
            table.add(std::move(cells));
        }
    }
    return table;
}

}  // namespace

json to_json(const PeopleResult& result) {
    json out = {
        {"schema", "assay.people/1"},      {"answers", result.answers},
        {"unanswered", result.unanswered}, {"between_people", to_json(result.between_people)},
        {"models", json::array()},         {"warnings", result.warnings}};
    for (const ModelAndPeople& model : result.models) {
        json people = json::array();
        for (const Consistency& c : model.people) {
            people.push_back({{"person", c.other},
                              {"both_correct", c.both_correct},
                              {"only_model_correct", c.only_model_correct},
                              {"only_person_correct", c.only_person_correct},
                              {"both_incorrect", c.both_incorrect},
                              {"model_accuracy", to_json(c.model)},
                              {"person_accuracy", to_json(c.person)},
                              {"observed", c.observed},
                              {"by_chance", c.by_chance},
                              {"error_consistency", to_json(c.kappa)}});
        }
        out["models"].push_back({{"model", model.model},
                                 {"dataset", model.dataset},
                                 {"without_scores", model.without_scores},
                                 {"mean", to_json(model.mean)},
                                 {"people", std::move(people)}});
    }
    return out;
}

Report report_of(const PeopleResult& result) {
    Report report;
    Section& section = report.sections.emplace_back();
    for (const ModelAndPeople& model : result.models)
        section.blocks.emplace_back(people_table(model, result));
    if (result.unanswered > 0)
        section.blocks.emplace_back(
            fmt::format("{} of {} answers name no class: they count as incorrect.",
                        count_text(result.unanswered), count_text(result.answers)));
    for (const ModelAndPeople& model : result.models)
        report.values.push_back(
            {{model.dataset, model.model, "error_consistency with people"}, model.mean});
    report.records = people_records(result);
    report.result = to_json(result);
    report.warnings = result.warnings;
    for (const ModelAndPeople& model : result.models)
        report.partial = report.partial || model.without_scores > 0;
    return report;
}

}  // namespace assay
