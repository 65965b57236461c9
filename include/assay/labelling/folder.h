// A folder with questions for annotators and their answers: labelling.sqlite (docs/formats.md). It
// is made from a csv of questions. assay::labelling::Service serves it. It exports the csv files
// that `labels aggregate` and `replicate` read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/labelling/task.h"
#include "assay/report.h"
#include "assay/result_type.h"
#include "assay/study/check.h"

namespace assay::labelling {

struct FolderOptions {
    /// csv with one question per line. Columns: item (or image, id) and label. Optional: path (of
    /// the image file; by default the item), class (or name: the label for people), definition,
    /// synonyms (separated by semicolons). Also optional: answer (or gold; yes or no: the known
    /// answer, to test annotators), control (1: known not to show the label). Optional for a grid:
    /// batch (which images are shown together). `labels propose`, `mad questions` and `replicate
    /// simulate` write such files, and `replicate` reads them. Other columns are ignored, with a
    /// warning if they look misspelled.
    std::filesystem::path questions;
    Task task = Task::yes_no;
    /// The folder to which paths are relative; "" means the folder of the csv.
    std::filesystem::path images;
    /// csv (label, definition, and optionally name, synonyms) or JSON {label: text}; "" uses the
    /// texts in the questions, and WordNet's for ImageNet's classes.
    std::filesystem::path definitions;
    std::string title;          ///< "" uses the csv's name
    std::uint32_t votes = 0;    ///< annotators per question; 0 means 5, or 10 for grids
    std::uint32_t screen = 48;  ///< images per grid, if no batches are given
    std::uint64_t seed = 1;     ///< seed of the random order
};

struct FolderSummary {
    std::filesystem::path folder;
    Task task = Task::yes_no;
    std::string title;
    std::uint64_t questions = 0, images = 0, labels = 0, screens = 0, known = 0;
    std::uint32_t votes = 0;
    std::uint64_t answers = 0, annotators = 0, blocked = 0;
    std::uint64_t complete = 0;  ///< questions with as many answers as requested
    std::vector<std::string> warnings;
};

/// Creates the folder, completely or not at all. An existing folder with the same questions and
/// options is unchanged, except for the location of the images (`images`, as in set_image_root()).
/// Warnings list labels whose texts have changed. Image files need not exist. Throws bad_input
/// (file, line, value): missing columns, a repeated question, contradicting known answers, unknown
/// task names. Throws usage if the folder has other contents, or for options out of range.
FolderSummary make_folder(const std::filesystem::path& folder, const FolderOptions& options);
/// Throws bad_input for a folder that is missing, damaged or from a newer version. Warns if none of
/// the first image files exists.
FolderSummary folder_summary(const std::filesystem::path& folder);
/// Changes the folder to which image paths are relative; it must exist. If it is inside the folder
/// around the labeling folder, it is stored as a relative path, so that everything can be moved
/// together. A running server uses the change when it is restarted. Throws bad_input for no such
/// folder, no labeling folder.
void set_image_root(const std::filesystem::path& folder, const std::filesystem::path& root);
/// Schema "assay.labelling/1" (docs/results.md).
ResultType result_type(ResultOf<FolderSummary>);
Report report_of(const FolderSummary& summary);

bool is_labelling_folder(const std::filesystem::path& folder);

/// People's answers as csv for the reader of the task. For yes-no and labels: item, label, class,
/// annotator, answer (no, maybe, yes: votes for `labels aggregate`), question, at. For grids:
/// annotator, image, label, selected, batch, control (for `replicate`), without images that an
/// annotator could not judge. Includes answers that count, by annotators who are not blocked, in
/// the order in which they were given. `emit` receives pieces. Throws bad_input, naming the answer,
/// if its annotator, question, image, label or screen does not exist.
void write_answers_csv(const std::filesystem::path& folder,
                       const std::function<void(std::string_view)>& emit);

/// Cost: reads every row.
study::StudyCheck verify_folder(const std::filesystem::path& folder);

}  // namespace assay::labelling
