// A folder of questions to people, and of what they answered: labelling.sqlite (docs/formats.md).
// It is made from a csv of questions, is served by assay::labelling::Service, and gives the csv
// files that `labels aggregate` and `replicate` read.
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
    /// csv, a question a line: columns item (or image, id), label, perhaps path (of the image file;
    /// without it the item is the path), class (or name: the label for people), definition,
    /// synonyms (separated by semicolons), answer (or gold; yes or no: known, to test annotators
    /// with), control (1: known not to show the label), batch (of a grid: which images are shown
    /// together). What `labels propose`, `mad questions` and `replicate simulate` write, and what
    /// `replicate` reads, are such files; other columns are kept out, and named where they look
    /// like misspelt ones.
    std::filesystem::path questions;
    Task task = Task::yes_no;
    /// Where relative paths begin; "": the folder of the csv.
    std::filesystem::path images;
    /// csv (label, definition, and perhaps name, synonyms) or JSON {label: text}; "": what the
    /// questions say, and WordNet's for ImageNet's classes.
    std::filesystem::path definitions;
    std::string title;          ///< "": the csv's name
    std::uint32_t votes = 0;    ///< annotators of each question; 0: 5, of grids 10
    std::uint32_t screen = 48;  ///< images of a grid, where no batches are named
    std::uint64_t seed = 1;     ///< of the random order
};

struct FolderSummary {
    std::filesystem::path folder;
    Task task = Task::yes_no;
    std::string title;
    std::uint64_t questions = 0, images = 0, labels = 0, screens = 0, known = 0;
    std::uint32_t votes = 0;
    std::uint64_t answers = 0, annotators = 0, blocked = 0;
    std::uint64_t complete = 0;  ///< questions with as many answers as wanted
    std::vector<std::string> warnings;
};

/// Makes the folder: all of it, or nothing; where it is there with the same questions and options,
/// it is left as it is, but for where images are (`images`, as set_image_root()); labels whose
/// texts are others than those of then are told of in the warnings. Image files need not be there.
/// Throws bad_input (file, line, value): columns that are missing, a question twice, a known answer
/// that contradicts another, unknown task names; usage: another folder's contents, options out of
/// range.
FolderSummary make_folder(const std::filesystem::path& folder, const FolderOptions& options);
/// Throws bad_input: no such folder, damaged, of a newer version. Warns where not one of the first
/// image files is there.
FolderSummary folder_summary(const std::filesystem::path& folder);
/// From now on relative paths of images begin at `root`; the folder must be there. What is inside
/// of the folder around the labelling folder is kept relative to it, so that all of it can be
/// moved. Who serves it sees that when it is opened the next time. Throws bad_input: no such
/// folder, no labelling folder.
void set_image_root(const std::filesystem::path& folder, const std::filesystem::path& root);
/// "assay.labelling/1", docs/results.md.
ResultType result_type(ResultOf<FolderSummary>);
Report report_of(const FolderSummary& summary);

bool is_labelling_folder(const std::filesystem::path& folder);

/// What people said, as csv, for the task's reader. Of yes-no and labels: item, label, class,
/// annotator, answer (no, maybe, yes: votes for `labels aggregate`), question, at. Of grids:
/// annotator, image, label, selected, batch, control (for `replicate`), without images that an
/// annotator could not judge. Those that count, of annotators who are not blocked; in the order in
/// which they were given. `emit` gets pieces. Throws bad_input, naming the answer: it belongs to an
/// annotator, question, image, label or screen that is not there.
void write_answers_csv(const std::filesystem::path& folder,
                       const std::function<void(std::string_view)>& emit);

/// Reads every row.
study::StudyCheck verify_folder(const std::filesystem::path& folder);

}  // namespace assay::labelling
