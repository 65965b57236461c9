// Additional data for the demo's competition over the unlabelled images.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "demo/answers.h"
#include "demo/images.h"

namespace assay::cli {

/// The competition of the demo. Its questions and the crowd's answers are in `questions` and
/// `answers`.
struct CompetitionFiles {
    explicit CompetitionFiles(const std::filesystem::path& dir)
        : folder(dir / "mad"),
          questions(dir / "mad-questions.csv"),
          answers{dir / "truth" / "answers-1.csv", dir / "truth" / "answers-2.csv"},
          accuracies(dir / "truth" / "accuracy-unlabelled.csv"),
          stores(dir / "runs" / "unlabelled"),
          yours(dir / "mad-yours") {}
    std::filesystem::path folder, questions;
    /// Each round has one file, so that the commands can be typed again from the beginning. Answers
    /// to questions that do not exist yet would be refused.
    std::array<std::filesystem::path, 2> answers;
    std::filesystem::path accuracies, stores;
    /// A small competition whose questions have no answers yet.
    std::filesystem::path yours;
};

struct DroppedCompetitions {
    bool any = false;
    std::filesystem::path kept;  ///< new place of the competition with people's answers; "" if
                                 ///< there is none
};
/// Removes competitions, with their questions and answers, if they contain predictions of networks
/// that were trained again later. `yours` is renamed if it has answers. Folders that are not
/// competitions are kept.
DroppedCompetitions drop_stale_competitions(const CompetitionFiles& files);
/// True if this network of the demo is already in the competition.
bool takes_part(const CompetitionFiles& files, const std::string& network);
/// Makes the crowd answer the open questions, in round 1 or 2.
CrowdAnswers answer_round(const Demo& demo, const CompetitionFiles& files, std::size_t round);
/// Returns csv with model and accuracy of each network of the competition over all unlabelled
/// images. The accuracy is the proportion of images that show the predicted class, from the true
/// labels. People who make no errors would give this value.
void write_known_accuracies(const Demo& demo, const CompetitionFiles& files);

}  // namespace assay::cli
