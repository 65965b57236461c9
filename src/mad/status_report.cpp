// How far a competition is, to read.
#include <fmt/format.h>

#include "assay/mad/distance.h"
#include "assay/mad/rank.h"

namespace assay::mad {
namespace {

using nlohmann::json;

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
        fmt::format("{} replaced, {} near duplicates passed over", count_text(status.replaced),
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
        "Gold: proportion of questions with a known answer that are answered so. Agreement: with "
        "the majority of the other annotators. \"Cannot say\" is in neither.");
    return table;
}

}  // namespace

Report report_of(const CompetitionStatus& status) {
    Report report;
    report.title = fmt::format("MAD competition {}", status.settings.name);
    report.warnings = status.warnings;
    Section section;
    section.blocks.emplace_back(progress_table(status));
    if (!status.annotators.empty()) section.blocks.emplace_back(annotators_table(status));
    section.blocks.emplace_back(fmt::format("Next: {}", status.next));
    report.sections.push_back(std::move(section));

    json classifiers = json::array(), annotators = json::array();
    for (const CompetitionClassifier& one : status.classifiers)
        classifiers.push_back({{"classifier", one.name},
                               {"active", one.active},
                               {"scored", one.scored},
                               {"confident", one.confident}});
    for (const CompetitionStatus::Annotator& one : status.annotators)
        annotators.push_back({{"annotator", one.name},
                              {"blocked", one.blocked},
                              {"answers", one.answers},
                              {"yes", one.yes},
                              {"cannot_say", one.cannot_say},
                              {"gold", to_json(one.gold)},
                              {"agreement", to_json(one.agreement)}});
    report.result = {{"schema", "assay.mad_status/1"},
                     {"competition", status.settings.name},
                     {"images", status.images},
                     {"classifiers", classifiers},
                     {"pairs", status.pairs},
                     {"pairs_selected", status.pairs_selected},
                     {"short_pairs", status.short_pairs},
                     {"k", status.settings.rule.k},
                     {"accepted", status.accepted},
                     {"replaced", status.replaced},
                     {"duplicates", status.duplicates},
                     {"excluded", status.excluded},
                     {"control", status.control},
                     {"questions", status.questions},
                     {"gold", status.gold},
                     {"settled", status.settled},
                     {"open", status.open},
                     {"unwanted", status.unwanted},
                     {"unclear", status.unclear},
                     {"unasked", status.unasked},
                     {"unasked_places", status.unasked_places},
                     {"to_replace", status.to_replace},
                     {"annotators", annotators},
                     {"next", status.next}};
    // Programs that take csv get one row of what is in the JSON, without its lists.
    std::vector<Cell> cells;
    for (const auto& [name, value] : report.result.items()) {
        if (value.is_array() || name == "schema") continue;
        report.records.columns.push_back({.name = name, .numbers = value.is_number()});
        if (value.is_number())
            cells.emplace_back(Count{value.get<std::uint64_t>()});
        else
            cells.emplace_back(value.get<std::string>());
    }
    report.records.add(std::move(cells));
    return report;
}

}  // namespace assay::mad
