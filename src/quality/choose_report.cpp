// The report on classifiers that suit the needs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/text.h"
#include "quality/cell_notes.h"
#include "quality/described_quality.h"

namespace assay::quality {
namespace {

/// The values of the dimensions and of the other columns.
std::map<std::string, double> all_values(const Candidate& candidate) {
    std::map<std::string, double> values = by_name(candidate.values);
    values.insert(candidate.more.begin(), candidate.more.end());
    return values;
}

}  // namespace

ResultType result_type(ResultOf<Need>) {
    static constexpr auto rows = describe_result<Need>(
        {.name = "Need"}, {
                              part<&Need::text>({.name = "need"}),
                              part<&Need::failed>({.help = "Models that fail this need"}),
                          });
    return rows;
}

ResultType result_type(ResultOf<Candidate>) {
    static const std::string columns =
        "row,model,score*,behind_best*,like_best,unbeaten,beaten_by,"
        "needs_surely_met" +
        dimension_columns("", "values");
    static const auto rows = describe_result<Candidate>(
        {.name = "Candidate", .help = "A model that meets all needs", .columns = columns},
        {
            part({.help = "Row of the table, from 1", .name = "row"},
                 [](const Candidate& c) { return c.model + 1; }),
            part<&Candidate::label>({.name = "model"}),
            part<&Candidate::score>({.help = "Score with the published constants; other columns "
                                             "have those of these models, "
                                             "or given ones"}),
            part<&Candidate::behind>(
                {.help = "Difference of the best score and this one", .name = "behind_best"}),
            part({.help = "Data for a plot of two dimensions", .name = "values"},
                 [](const Candidate& c) { return all_values(c); }),
            part<&Candidate::like_best>(
                {.help = "True if the interval of its difference from the best score contains 0"}),
            part<&Candidate::undominated>({.help = "True if no other model is at least as good in "
                                                   "all that counts and clearly better in one",
                                           .name = "unbeaten"}),
            part<&Candidate::beaten_by>({.help = "Empty: by none"}),
            part<&Candidate::sure>(
                {.help = "True if no interval extends beyond a limit", .name = "needs_surely_met"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ChooseResult>) {
    static constexpr auto rows = describe_result<ChooseResult>(
        {.name = "QualityChoose",
         .help = "Models that meet all needs and that no other model beats",
         .schema = "assay.quality_choose/1"},
        {
            part<&ChooseResult::models>({.help = "Number of models that were considered"}),
            part<&ChooseResult::needs>({}),
            part<&ChooseResult::options, &ChooseOptions::weights>(
                {.help = "A weight profile, or changes to it"}),
            part<&ChooseResult::candidates>({.help = "Models, the best score first"}),
            part({.help = "How the errors of each dimension were drawn", .name = "draws"},
                 [](const ChooseResult& r) { return drawn_by_name(r.draws); }),
            part<&ChooseResult::notes>({}),
            part<&ChooseResult::warnings>({}),
        });
    return rows;
}

Report report_of(const ChooseResult& result) {
    Report report;
    report.title = "Which classifiers suit";
    report.warnings = result.warnings;
    report.partial = result.candidates.empty();
    Table table;
    table.title = fmt::format("{} of {} {} what is needed", result.candidates.size(),
                              how_many(result.models, "model"),
                              result.candidates.size() == 1 ? "meets" : "meet");
    table.columns = {{.name = "model", .numbers = false},
                     {.name = "score", .show = Column::Show::value_and_half},
                     {.name = "like the best", .numbers = false},
                     {.name = "unbeaten", .numbers = false},
                     {.name = "beaten by", .numbers = false}};
    report.records = table_of(result.candidates);
    std::vector<const std::map<std::string, double>*> more;
    for (const Candidate& c : result.candidates) more.push_back(&c.more);
    add_named_columns(report.records, result.columns, "value_", more);
    std::size_t shown = 0, unsure = 0;
    for (const Candidate& c : result.candidates) {
        unsure += c.sure ? 0 : 1;
        if (c.like_best || c.undominated) {
            table.add({c.label, c.score, std::string(c.like_best ? "yes" : ""),
                       std::string(c.undominated ? "yes" : ""), c.beaten_by});
            ++shown;
        }
    }
    for (const Need& need : result.needs) {
        table.notes.push_back(fmt::format("{}: {} {} it.", need.text,
                                          how_many(need.failed, "model"),
                                          need.failed == 1 ? "fails" : "fail"));
    }
    if (const std::size_t beaten = result.candidates.size() - shown; beaten > 0) {
        table.notes.push_back(
            fmt::format("{} beaten by a model that is at least as good in all that counts and "
                        "clearly better in one.",
                        beaten == 1 ? "1 other is" : fmt::format("{} others are", beaten)));
    }
    if (unsure > 0) {
        table.notes.push_back(
            fmt::format("For {}, intervals extend beyond a required limit.", unsure));
    }
    if (std::string joint = text_of_draws(result.draws); !joint.empty())
        table.notes.push_back(std::move(joint));
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    report.sections = {{.title = "", .blocks = {table}, .sections = {}}};
    report.result = json_of(result);
    return report;
}

}  // namespace assay::quality
