// Reads tables of questions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/labelling/task.h"

namespace assay::labelling {

constexpr std::size_t most_labels = 65535;

struct CsvQuestion {
    std::uint32_t image = 0, label = 0;  ///< indices in QuestionSet::images and labels
    std::uint32_t batch = 0;             ///< index in QuestionSet::batches; 0 if none is given
    std::optional<bool> known;
    std::uint64_t line = 0, known_line = 0;
};

/// Each question once, in the order of the table.
struct QuestionSet {
    StringColumn images;                 ///< ids
    StringColumn paths;                  ///< distinct ones
    std::vector<std::uint32_t> path_of;  ///< index in `paths` for each image
    std::vector<LabelText> labels;
    StringColumn batches;  ///< the first batch is ""
    std::vector<CsvQuestion> questions;
    std::vector<std::string> warnings;
};

/// Memory: about 100 bytes per question, and its texts once. Throws bad_input with the line, as
/// described at FolderOptions::questions, or with two lines that contradict each other.
QuestionSet read_question_csv(std::string_view text, const std::string& source, Task task);

/// A hash of all questions in their order, which determines their numbers and names. It does not
/// depend on the table's columns, quotes and delimiters.
std::string fingerprint_of(const QuestionSet& set);

}  // namespace assay::labelling
