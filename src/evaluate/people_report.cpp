// The report on error consistency with people, as text and as one flat table.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/evaluate/people.h"
#include "assay/report.h"
#include "core/result_table.h"

namespace assay {
namespace {

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
        "kappa of being correct: 0 if errors coincide by chance only, 1 if both err on the same "
        "images. Intervals are over the images, for these people.");
    return table;
}

Table people_records(const PeopleResult& result) {
    Table table = result_table<ModelAndPeople, Consistency>();
    for (const ModelAndPeople& model : result.models) {
        for (const Consistency& person : model.people) add_row(table, model, person);
    }
    return table;
}

}  // namespace

ResultType result_type(ResultOf<Consistency>) {
    using Of = Consistency;
    static constexpr auto rows = describe_result<Of>(
        {.name = "WithPerson",
         .help = "A model and a person on the images that both answered",
         .columns = "person,n=model_accuracy.n,both_correct,only_model_correct,"
                    "only_person_correct,both_incorrect,observed,by_chance,"
                    "kappa=error_consistency.value,low=error_consistency.interval.low,"
                    "high=error_consistency.interval.high,level=error_consistency.interval.level,"
                    "method=error_consistency.interval.method,"
                    "undefined=error_consistency.undefined"},
        {
            part<&Of::other>({.name = "person"}),
            part<&Of::both_correct>({}),
            part<&Of::only_model_correct>({}),
            part<&Of::only_person_correct>({}),
            part<&Of::both_incorrect>({}),
            part<&Of::model>({.name = "model_accuracy"}),
            part<&Of::person>({.name = "person_accuracy"}),
            part<&Of::observed>({.help = "How often both are correct or both incorrect"}),
            part<&Of::by_chance>({.help = "How often they would agree with independent errors"}),
            part<&Of::kappa>(
                {.help = "Cohen's kappa of being correct", .name = "error_consistency"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ModelAndPeople>) {
    using Of = ModelAndPeople;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ModelWithPeople", .columns = "model,dataset"},
        {
            part<&Of::model>({}),
            part<&Of::dataset>({}),
            part<&Of::without_scores>(
                {.help = "Images that a person answered and the store has no scores of"}),
            part<&Of::mean>({.help = "Kappa over the people; interval by a jackknife over images"}),
            part<&Of::people>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<PeopleResult>) {
    using Of = PeopleResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PeopleResult",
         .help = "Models with people who answered the same images, by error consistency",
         .schema = "assay.people/1"},
        {
            part<&Of::answers>({.help = "That entered"}),
            part<&Of::unanswered>({.help = "Answers without a class; they count as incorrect"}),
            part<&Of::between_people>({.help = "Mean over all pairs of people"}),
            part<&Of::models>({}),
            part<&Of::warnings>({}),
        });
    return rows;
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
