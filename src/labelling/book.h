// The source of questions and store of answers: a competition, or a folder of questions. Both are
// studies with the same tables (study/study_tables.h), so that reading, recording and judging share
// the same code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/labelling/task.h"
#include "assay/report.h"
#include "core/database.h"
#include "study/asked_rows.h"

namespace assay::labelling {

struct AskedImage {
    std::string id;              ///< for the organizer and the results; annotators never see it
    std::filesystem::path path;  ///< the file
};

struct AskedQuestion {
    std::int64_t id = 0;        ///< id of its row
    std::string token;          ///< identifies it, for annotators
    std::uint32_t image = 0;    ///< index in images
    std::uint32_t label = 0;    ///< index in labels
    std::optional<bool> known;  ///< its answer, for gold and control questions
    /// True if the question should still be asked. False if the pairs that needed it are gone.
    bool wanted = true;
};

/// A question is on exactly one screen. The questions of a screen are shown and answered together.
struct Contents {
    std::vector<AskedImage> images;
    std::vector<LabelText> labels;
    std::vector<AskedQuestion> questions;  ///< by id
    /// Indices in `questions`, in the order of asking.
    std::vector<std::vector<std::uint32_t>> screens;
};

class AnswerBook {
public:
    virtual ~AnswerBook() = default;
    Task task = Task::yes_no;
    std::string title;        ///< title that people see
    std::uint32_t votes = 0;  ///< largest number of answers per question
    /// True if asking stops once the majority is certain. False if every answer counts, because
    /// stopping early would bias frequencies.
    bool settles_early = true;
    /// True if annotators may add tags to their answers.
    bool takes_tags = false;
    /// A database that is open for writing, with the tables question, annotator and answer.
    virtual Database& database() = 0;
    /// Reads the questions. Throws bad_input.
    virtual Contents contents() = 0;
    /// Sentences about the current result: the certainty of a ranking, and the commands to run
    /// next. Cost: below a second.
    virtual std::vector<std::string> outlook() = 0;
};

/// The book of a competition. Throws as Competition::open().
std::unique_ptr<AnswerBook> open_competition_book(const std::filesystem::path& folder,
                                                  const std::filesystem::path& definitions);
/// The book of a folder of questions (assay/labelling/folder.h). Throws bad_input, busy, io.
std::unique_ptr<AnswerBook> open_folder_book(const std::filesystem::path& folder);

}  // namespace assay::labelling
