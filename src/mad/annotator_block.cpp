#include "assay/mad/questions.h"
#include "mad/shown_questions.h"

namespace assay::mad {

BlockRound block_annotator(Competition& competition, std::string_view name, bool blocked,
                           std::string_view reason) {
    Database& database = competition.impl().database;
    const study::Blocked done =
        study::block_annotator(database, competition.folder().string(), name, blocked, reason);
    BlockRound round;
    round.annotator = done.annotator.name;
    round.blocked = blocked;
    round.changed = done.changed;
    for (const AnswerRow& row : read_answers(database, true))
        round.answers += row.annotator == done.annotator.id ? 1 : 0;
    const Tally tally = tally_of(competition);
    for (const QuestionTally& question : tally.of) round.settled += question.settled ? 1 : 0;
    round.open = open_places(competition, tally).size();
    return round;
}

}  // namespace assay::mad
