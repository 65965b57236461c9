#include <fmt/format.h>

#include "assay/mad/questions.h"
#include "core/paths.h"

namespace assay::mad {

Report report_of(const std::vector<AnswerRound>& rounds) {
    Report report;
    report.title = "Answers of a MAD competition";
    Table files;
    files.columns = {{.name = "file", .numbers = false},
                     {.name = "answers"},
                     {.name = "new"},
                     {.name = "changed"},
                     {.name = "repeated"},
                     {.name = "outdated"},
                     {.name = "skipped"},
                     {.name = "taken_back"}};
    nlohmann::json list = nlohmann::json::array();
    for (const AnswerRound& round : rounds) {
        files.add({round.file.string(), Count{round.read}, Count{round.added}, Count{round.changed},
                   Count{round.repeated}, Count{round.outdated}, Count{round.skipped},
                   Count{round.taken_back}});
        list.push_back({{"file", round.file.string()},
                        {"read", round.read},
                        {"added", round.added},
                        {"changed", round.changed},
                        {"repeated", round.repeated},
                        {"outdated", round.outdated},
                        {"skipped", round.skipped},
                        {"taken_back", round.taken_back}});
    }
    report.result = {{"schema", "assay.mad_answers/1"}, {"files", std::move(list)}};
    Section section;
    if (!rounds.empty()) {
        const AnswerRound& last = rounds.back();
        report.warnings = last.warnings;
        files.notes.push_back(
            fmt::format("Questions: {} settled, {} open, {} that nobody can judge. Annotators: {}.",
                        count_text(last.settled), count_text(last.open), count_text(last.unclear),
                        count_text(last.annotators)));
        report.result["settled"] = last.settled;
        report.result["open"] = last.open;
        report.result["unclear"] = last.unclear;
        report.result["annotators"] = last.annotators;
    }
    report.result["warnings"] = report.warnings;
    section.blocks.emplace_back(std::move(files));
    report.sections.push_back(std::move(section));
    return report;
}

Report report_of(const AnswerRound& round) {
    return report_of(std::vector<AnswerRound>{round});
}

Report report_of(const BlockRound& round) {
    Report report;
    report.title = fmt::format("Annotator {}", round.annotator);
    Table table;
    table.columns = {{.name = "quantity", .numbers = false}, {.name = "count"}};
    table.add({std::string(round.blocked ? "answers left out from now on" : "answers that count"),
               Count{round.answers}});
    table.add({std::string("questions settled"), Count{round.settled}});
    table.add({std::string("questions open"), Count{round.open}});
    if (!round.changed) table.notes.emplace_back("It was so already.");
    Section section;
    section.blocks.emplace_back(std::move(table));
    report.sections.push_back(std::move(section));
    report.result = {{"schema", "assay.mad_block/1"},
                     {"annotator", round.annotator},
                     {"blocked", round.blocked},
                     {"changed", round.changed},
                     {"answers", round.answers},
                     {"settled", round.settled},
                     {"open", round.open}};
    return report;
}

Report report_of_export(const std::vector<std::filesystem::path>& files) {
    Report report;
    report.title = "Export of a MAD competition";
    Table table;
    table.columns = {{.name = "file", .numbers = false}, {.name = "bytes"}};
    nlohmann::json list = nlohmann::json::array();
    for (const std::filesystem::path& file : files) {
        const std::uint64_t bytes = file_bytes(file);
        table.add({file.string(), Count{bytes}});
        list.push_back({{"file", file.string()}, {"bytes", bytes}});
    }
    Section section;
    section.blocks.emplace_back(std::move(table));
    report.sections.push_back(std::move(section));
    report.result = {{"schema", "assay.mad_export/1"}, {"files", std::move(list)}};
    return report;
}

}  // namespace assay::mad
