// What the walkthrough's competition over the unlabelled images needs beside the commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "demo/images.h"

namespace assay::cli {

/// The competition of the walkthrough; its questions and the crowd's answers lie in `questions` and
/// `answers`.
struct CompetitionFiles {
    explicit CompetitionFiles(const std::filesystem::path& dir)
        : folder(dir / "mad"),
          questions(dir / "mad-questions.csv"),
          answers(dir / "truth" / "answers.csv"),
          accuracies(dir / "truth" / "accuracy-unlabelled.csv"),
          stores(dir / "runs" / "unlabelled") {}
    std::filesystem::path folder, questions, answers, accuracies, stores;
};

/// Removes the competition with its questions and answers where it holds predictions of networks
/// that were trained anew since. True: it did. Folders that are no competition stay.
bool drop_stale_competition(const CompetitionFiles& files);
/// csv: model and accuracy of each network of the competition over all unlabelled images, from the
/// world's truth: the proportion of images that show what it predicts. It is what people would say
/// of all of them if they never erred.
void write_known_accuracies(const Demo& demo, const CompetitionFiles& files);

}  // namespace assay::cli
