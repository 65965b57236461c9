// Reads files of answers in sequence, and summarizes the effects.
#include <fmt/format.h>

#include "assay/error.h"
#include "assay/mad/questions.h"
#include "assay/report.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/annotator_check.h"
#include "mad/answer_readers.h"
#include "mad/answer_taker.h"
#include "mad/shown_questions.h"

namespace assay::mad {
namespace {

constexpr std::size_t most_gold_warnings = 5;

/// Lists known answers that people contradict, because the gold file may be wrong.
std::vector<std::string> contradicted_gold(const Competition& competition, const Tally& tally) {
    std::vector<std::string> warnings;
    std::size_t more = 0;
    for (std::size_t q = 0; q < tally.questions.size(); ++q) {
        const QuestionRow& row = tally.questions[q];
        if (!row.gold || !tally.of[q].settled) continue;
        std::vector<Answer> answers;
        std::uint64_t against = 0;
        for (const AnswerRow& one : tally.of[q].answers) {
            answers.push_back(one.answer);
            against += one.answer == (*row.gold ? Answer::no : Answer::yes) ? 1 : 0;
        }
        const Settled people = settle(answers);
        // One or two answers are too few. So is a tie, which settles as no.
        if (answers.size() < 3 || people.unclear || people.yes == *row.gold ||
            2 * against <= answers.size()) {
            continue;
        }
        if (warnings.size() == most_gold_warnings) {
            ++more;
            continue;
        }
        warnings.push_back(fmt::format(
            "question {} (`{}`): the known answer is {}, but {} of {} annotators say {}", row.token,
            competition.classes().name(row.label), *row.gold ? "yes" : "no", against,
            answers.size(), *row.gold ? "no" : "yes"));
    }
    if (more > 0) warnings.push_back(fmt::format("the same holds for {} more known answers", more));
    return warnings;
}

/// Answers by blocked annotators are stored but do not count.
std::vector<std::string> left_out(const Competition& competition,
                                  const std::vector<AnnotatorCheck>& checks) {
    std::vector<std::string> warnings;
    for (const AnnotatorCheck& check : checks) {
        if (!check.annotator.blocked || check.answers == 0) continue;
        warnings.push_back(fmt::format(
            "annotator `{}` is blocked: {} of that name {} not count; to include them again, type "
            "`assay mad block {} {} --undo`",
            shortened(check.annotator.name),
            check.answers == 1 ? "1 answer" : count_text(check.answers) + " answers",
            check.answers == 1 ? "does" : "do", shell_word(competition.folder().string()),
            shell_word(check.annotator.name)));
    }
    return warnings;
}

}  // namespace

AnswerRound read_answers_into(Competition& competition, const AnswerOptions& options) {
    AnswerRound round;
    round.file = options.file;
    take_answers(competition, options, round);
    const Tally tally = tally_of(competition);
    for (const QuestionTally& question : tally.of) {
        round.settled += question.settled ? 1 : 0;
        round.unclear += question.settled && question.outcome.unclear ? 1 : 0;
    }
    round.open = open_places(competition, tally).size();
    round.annotators = read_annotators(competition.impl().database).size();
    const std::vector<AnnotatorCheck> checks = check_annotators(competition);
    round.warnings = findings_of(checks);
    for (std::string& warning : left_out(competition, checks))
        round.warnings.push_back(std::move(warning));
    for (std::string& warning : contradicted_gold(competition, tally))
        round.warnings.push_back(std::move(warning));
    return round;
}

std::vector<AnswerRound> read_answers_into(Competition& competition,
                                           const std::vector<std::filesystem::path>& files,
                                           const std::string& annotator) {
    std::vector<AnswerRound> rounds;
    for (const std::filesystem::path& file : files) {
        try {
            rounds.push_back(
                read_answers_into(competition, {.file = file, .annotator = annotator}));
        } catch (Error& error) {
            if (!rounds.empty()) {
                error.add_note(fmt::format(
                    "reading file {} of {}; the answers of the files before it are imported",
                    rounds.size() + 1, files.size()));
            }
            throw;
        }
    }
    return rounds;
}

}  // namespace assay::mad
