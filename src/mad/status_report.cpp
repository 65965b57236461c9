// The report on a competition's progress.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/mad/distance.h"
#include "assay/mad/rank.h"
#include "core/result_table.h"

namespace assay::mad {
namespace {

struct StatusClassifier {
    const CompetitionClassifier* of;
    StatusClassifier(const CompetitionClassifier& one) : of(&one) {}
};
ResultType result_type(ResultOf<StatusClassifier>) {
    using Of = StatusClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadStatusClassifier"},
        {
            part<&Of::of, &CompetitionClassifier::name>({.name = "classifier"}),
            part<&Of::of, &CompetitionClassifier::active>({.help = "Not removed"}),
            part<&Of::of, &CompetitionClassifier::scored>({.help = "Images"}),
            part<&Of::of, &CompetitionClassifier::confident>(
                {.help = "Of these, images that reach its threshold"}),
        });
    return rows;
}

Table progress_table(const CompetitionStatus& status) {
    Table table;
    table.title = "What there is";
    table.columns = {
        {.name = "", .numbers = false}, {.name = "number"}, {.name = "", .numbers = false}};
    const auto add = [&](std::string what, std::uint64_t number, std::string note) {
        table.add({std::move(what), Count{number}, std::move(note)});
    };
    std::uint64_t active = 0;
    for (const CompetitionClassifier& one : status.classifiers) active += one.active ? 1 : 0;
    add("images", status.images,
        status.excluded > 0 ? fmt::format("{} excluded", count_text(status.excluded)) : "");
    add("classifiers", active,
        active < status.classifiers.size()
            ? fmt::format("{} removed", status.classifiers.size() - active)
            : "");
    add("pairs", status.pairs,
        fmt::format("{} selected, {} of them with fewer than {} images",
                    count_text(status.pairs_selected), count_text(status.short_pairs),
                    count_text(status.settings.rule.k)));
    add("selected places", status.accepted,
        fmt::format("{} replaced, {} near duplicates skipped", count_text(status.replaced),
                    count_text(status.duplicates)));
    if (status.to_replace > 0)
        add("to replace", status.to_replace, "places whose images nobody can judge");
    add("control sample", status.control, "");
    add("questions", status.questions,
        fmt::format("{} settled, {} open,{} {} that nobody can judge; {} with a known answer",
                    count_text(status.settled), count_text(status.open),
                    status.unwanted > 0
                        ? fmt::format(" {} no longer wanted,", count_text(status.unwanted))
                        : "",
                    count_text(status.unclear), count_text(status.gold)));
    add("not asked yet", status.unasked, "");
    return table;
}

Table annotators_table(const CompetitionStatus& status) {
    Table table;
    table.title = "Annotators";
    table.columns = {{.name = "annotator", .numbers = false},
                     {.name = "answers"},
                     {.name = "yes"},
                     {.name = "cannot say"},
                     {.name = "gold", .show = Column::Show::value_and_interval},
                     {.name = "agreement", .show = Column::Show::value_and_interval},
                     {.name = "", .numbers = false}};
    for (const CompetitionStatus::Annotator& one : status.annotators)
        table.add({one.name, Count{one.answers}, Count{one.yes}, Count{one.cannot_say}, one.gold,
                   one.agreement, std::string(one.blocked ? "blocked" : "")});
    table.notes.emplace_back(
        "Gold: proportion of questions with a known answer that are answered correctly. Agreement: "
        "with the majority of the other annotators. \"Cannot say\" counts in neither.");
    return table;
}

}  // namespace

ResultType result_type(ResultOf<CompetitionStatus::Annotator>) {
    using Of = CompetitionStatus::Annotator;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadAnnotator"},
        {
            part<&Of::name>({.name = "annotator"}),
            part<&Of::blocked>({}),
            part<&Of::answers>({}),
            part<&Of::yes>({}),
            part<&Of::cannot_say>({}),
            part<&Of::gold>({.help = "Proportion of gold questions answered as known"}),
            part<&Of::agreement>({.help = "With the majority of the others"}),
        });
    return rows;
}

ResultType result_type(ResultOf<CompetitionStatus>) {
    using Of = CompetitionStatus;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadStatus",
         .help = "The state of a competition",
         .schema = "assay.mad_status/1",
         .columns = "accepted,competition,control,duplicates,excluded,gold,images,k,next,open,"
                    "pairs,pairs_selected,questions,replaced,settled,short_pairs,to_replace,"
                    "unasked,unasked_places,unclear,unwanted"},
        {
            part<&Of::settings, &CompetitionSettings::name>({.name = "competition"}),
            part<&Of::images>({}),
            part({.name = "classifiers"},
                 [](const Of& o) {
                     return std::vector<StatusClassifier>(o.classifiers.begin(),
                                                          o.classifiers.end());
                 }),
            part<&Of::pairs>({}),
            part<&Of::pairs_selected>({}),
            part<&Of::short_pairs>({.help = "Pairs with fewer than k images"}),
            part<&Of::settings, &CompetitionSettings::rule, &SelectionRule::k>(
                {.help = "Wanted images per pair"}),
            part<&Of::accepted>({.help = "Places"}),
            part<&Of::replaced>({}),
            part<&Of::duplicates>({}),
            part<&Of::excluded>({}),
            part<&Of::control>({.help = "Images of the control sample"}),
            part<&Of::questions>({}),
            part<&Of::gold>({.help = "Questions with a known answer"}),
            part<&Of::settled>({}),
            part<&Of::open>({}),
            part<&Of::unwanted>({.help = "Questions that are no longer wanted, because images were "
                                         "replaced or classifiers removed"}),
            part<&Of::unclear>({.help = "Questions that people cannot judge"}),
            part<&Of::unasked>({.help = "Questions of accepted places and the control sample"}),
            part<&Of::unasked_places>({}),
            part<&Of::to_replace>({.help = "Places whose images people cannot judge"}),
            part<&Of::annotators>({}),
            part<&Of::next>({.help = "The command to run next"}),
        });
    return rows;
}

Report report_of(const CompetitionStatus& status) {
    Report report;
    report.title = fmt::format("MAD competition {}", status.settings.name);
    report.warnings = status.warnings;
    Section section;
    section.blocks.emplace_back(progress_table(status));
    if (!status.annotators.empty()) section.blocks.emplace_back(annotators_table(status));
    section.blocks.emplace_back(fmt::format("Next: {}", status.next));
    report.sections.push_back(std::move(section));

    report.records = result_table<CompetitionStatus>();
    add_row(report.records, status);
    report.result = to_json(status);
    return report;
}

}  // namespace assay::mad
