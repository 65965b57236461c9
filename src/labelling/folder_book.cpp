#include <fmt/format.h>

#include "assay/labelling/folder.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "labelling/folder_contents.h"
#include "study/study_file.h"

namespace assay::labelling {
namespace {

class FolderBook final : public AnswerBook {
public:
    explicit FolderBook(const std::filesystem::path& folder)
        : folder_(folder),
          database_(
              study::open_study(folder, study::StudyKind::questions, Database::Access::write)),
          settings_(read_folder_settings(database_)) {
        task = settings_.task;
        title = settings_.title;
        votes = settings_.votes;
        // `labels aggregate` estimates proportions and annotators' reliability, and `replicate` how
        // often an image is selected. A stop at a majority would bias all these estimates.
        settles_early = false;
    }

    Database& database() override { return database_; }
    Contents contents() override { return read_folder_contents(database_, settings_); }

    std::vector<std::string> outlook() override {
        const FolderSummary now = folder_summary(folder_);
        std::vector<std::string> lines;
        lines.push_back(fmt::format("{} of {} have all {}.", now.complete,
                                    how_many(now.questions, "question"),
                                    how_many(now.votes, "answer")));
        if (now.answers == 0) return lines;
        lines.push_back(fmt::format(
            "To write the answers, type `assay labels export {} --out answers.csv`; {}.",
            shell_word(folder_.string()),
            now.task == Task::grid ? "`assay replicate frequencies answers.csv` reads it"
                                   : "`assay labels aggregate answers.csv` reads it"));
        return lines;
    }

private:
    std::filesystem::path folder_;
    Database database_;
    FolderSettings settings_;
};

}  // namespace

std::unique_ptr<AnswerBook> open_folder_book(const std::filesystem::path& folder) {
    return std::make_unique<FolderBook>(folder);
}

}  // namespace assay::labelling
