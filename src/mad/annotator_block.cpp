#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/mad/questions.h"
#include "mad/decisions.h"
#include "mad/shown_questions.h"

namespace assay::mad {

BlockRound block_annotator(Competition& competition, std::string_view name, bool blocked,
                           std::string_view reason) {
    Database& database = competition.impl().database;
    const std::vector<AnnotatorRow> annotators = read_annotators(database);
    const auto found = std::find_if(annotators.begin(), annotators.end(),
                                    [&](const AnnotatorRow& row) { return row.name == name; });
    if (found == annotators.end()) {
        std::vector<std::string> names;
        for (const AnnotatorRow& row : annotators) names.push_back(row.name);
        throw Error(ErrorCode::usage, fmt::format("nobody called `{}` has answered in {}{}", name,
                                                  competition.folder().string(),
                                                  names.empty() ? "" : suggest(name, names)));
    }
    BlockRound round;
    round.annotator = found->name;
    round.blocked = blocked;
    round.changed = found->blocked != blocked;
    if (round.changed) {
        Transaction all(database);
        const std::int64_t decision = decide(
            database, blocked ? DecisionKind::blocked : DecisionKind::unblocked, name, "", reason);
        database.prepare("UPDATE annotator SET blocked = ?, decision = ? WHERE id = ?")
            .bind(std::int64_t{blocked})
            .bind(decision)
            .bind(found->id)
            .run();
        all.commit();
    }
    for (const AnswerRow& row : read_answers(database, true))
        round.answers += row.annotator == found->id ? 1 : 0;
    const Tally tally = tally_of(competition);
    for (const QuestionTally& question : tally.of) round.settled += question.settled ? 1 : 0;
    round.open = open_places(competition, tally).size();
    return round;
}

}  // namespace assay::mad
