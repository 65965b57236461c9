// Tables of questions as they are read, before anything is made of them.
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
    std::uint32_t image = 0, label = 0;  ///< places in QuestionSet::images and labels
    std::uint32_t batch = 0;             ///< place in QuestionSet::batches; 0: none is named
    std::optional<bool> known;
    std::uint64_t line = 0, known_line = 0;
};

/// Each question once, in the order of the table.
struct QuestionSet {
    StringColumn images;                 ///< ids
    StringColumn paths;                  ///< distinct ones
    std::vector<std::uint32_t> path_of;  ///< place in `paths` of each image's
    std::vector<LabelText> labels;
    StringColumn batches;  ///< the first is ""
    std::vector<CsvQuestion> questions;
    std::vector<std::string> warnings;
};

/// Memory: some 100 bytes a question and its texts once. Throws bad_input with the line: as
/// FolderOptions::questions says, or with two lines that contradict each other.
QuestionSet read_question_csv(std::string_view text, const std::string& source, Task task);

/// Of all that is asked, in its order, which numbers and names of questions depend on: the same
/// whatever the table's columns, quotes and delimiters.
std::string fingerprint_of(const QuestionSet& set);

}  // namespace assay::labelling
