#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/paths.h"
#include "core/result_table.h"
#include "mad/answers_result.h"

namespace assay::mad {

ResultType result_type(ResultOf<AnswerRound>) {
    using Of = AnswerRound;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadAnswerFile",
         .columns = "file,answers=read,new=added,changed,repeated,outdated,skipped,taken_back"},
        {
            part<&Of::file>({}),
            part<&Of::read>({.help = "Answers in the file"}),
            part<&Of::added>(
                {.help = "Answers to questions that their annotators had not answered before"}),
            part<&Of::changed>({.help = "Answers that replaced another one of the same annotator"}),
            part<&Of::repeated>({}),
            part<&Of::outdated>({.help = "Answers that the same annotator changed later"}),
            part<&Of::skipped>({.help = "Tasks without an answer, drafts, cancelled ones"}),
            part<&Of::taken_back>({.help = "Of these, annotations that counted before"}),
        });
    return rows;
}

ResultType result_type(ResultOf<AnswerRounds>) {
    using Of = AnswerRounds;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadAnswers",
         .help = "The answers that were read, and the state of all answers",
         .schema = "assay.mad_answers/1"},
        {
            part(
                {.name = "files"}, [](const Of& o) -> const auto& { return *o.rounds; }),
            part({.help = "Questions", .name = "settled", .omitted = true},
                 [](const Of& o) { return o.last() ? &o.last()->settled : nullptr; }),
            part({.name = "open", .omitted = true},
                 [](const Of& o) { return o.last() ? &o.last()->open : nullptr; }),
            part({.help = "Questions that nobody can judge", .name = "unclear", .omitted = true},
                 [](const Of& o) { return o.last() ? &o.last()->unclear : nullptr; }),
            part({.name = "annotators", .omitted = true},
                 [](const Of& o) { return o.last() ? &o.last()->annotators : nullptr; }),
            part({.name = "warnings"},
                 [](const Of& o) {
                     return o.last() ? o.last()->warnings : std::vector<std::string>();
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<BlockRound>) {
    using Of = BlockRound;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadBlock",
         .help = "An annotator whose answers were blocked or unblocked",
         .schema = "assay.mad_block/1"},
        {
            part<&Of::annotator>({}),
            part<&Of::blocked>({}),
            part<&Of::changed>({.help = "False if nothing changed"}),
            part<&Of::answers>({.help = "Answers of the annotator that count or would count"}),
            part<&Of::settled>({.help = "Questions now"}),
            part<&Of::open>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<ExportedFile>) {
    static constexpr auto rows = describe_result<ExportedFile>(
        {.name = "MadExportedFile", .columns = "file,bytes"},
        {part<&ExportedFile::file>({}), part<&ExportedFile::bytes>({})});
    return rows;
}

ResultType result_type(ResultOf<ExportedFiles>) {
    static constexpr auto rows =
        describe_result<ExportedFiles>({.name = "MadExport",
                                        .help = "The files that an export wrote",
                                        .schema = "assay.mad_export/1"},
                                       {part<&ExportedFiles::files>({})});
    return rows;
}

Report report_of(const std::vector<AnswerRound>& rounds) {
    Report report;
    report.title = "Answers of a MAD competition";
    report.records = table_of(rounds);
    Table files = report.records;
    Section section;
    if (!rounds.empty()) {
        const AnswerRound& last = rounds.back();
        report.warnings = last.warnings;
        files.notes.push_back(
            fmt::format("Questions: {} settled, {} open, {} that nobody can judge. Annotators: {}.",
                        count_text(last.settled), count_text(last.open), count_text(last.unclear),
                        count_text(last.annotators)));
    }
    report.result = to_json(AnswerRounds{&rounds});
    section.blocks.emplace_back(std::move(files));
    report.sections.push_back(std::move(section));
    return report;
}

Report report_of(const AnswerRound& round) {
    return report_of(std::vector<AnswerRound>{round});
}

namespace {

/// A row about the effect of a block.
struct BlockCount {
    std::string quantity;
    std::uint64_t count;
};
ResultType result_type(ResultOf<BlockCount>) {
    static constexpr auto rows = describe_result<BlockCount>(
        {.name = "BlockCount", .columns = "quantity,count"},
        {part<&BlockCount::quantity>({}), part<&BlockCount::count>({})});
    return rows;
}

}  // namespace

Report report_of(const BlockRound& round) {
    Report report;
    report.title = fmt::format("Annotator {}", round.annotator);
    report.records = table_of(std::vector<BlockCount>{
        {round.blocked ? "answers excluded from now on" : "answers that count", round.answers},
        {"questions settled", round.settled},
        {"questions open", round.open}});
    Table table = report.records;
    if (!round.changed) table.notes.emplace_back("Nothing changed: this was already the case.");
    Section section;
    section.blocks.emplace_back(std::move(table));
    report.sections.push_back(std::move(section));
    report.result = to_json(round);
    return report;
}

Report report_of_export(const std::vector<std::filesystem::path>& files) {
    Report report;
    report.title = "Export of a MAD competition";
    ExportedFiles exported;
    for (const std::filesystem::path& file : files)
        exported.files.push_back({file, file_bytes(file)});
    report.records = table_of(exported.files);
    Section section;
    section.blocks.emplace_back(report.records);
    report.sections.push_back(std::move(section));
    report.result = to_json(exported);
    return report;
}

}  // namespace assay::mad
