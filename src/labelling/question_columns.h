// Determines the roles of columns in a table of questions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "assay/labelling/task.h"
#include "containers/csv.h"

namespace assay::labelling {

struct QuestionColumns {
    std::size_t item = 0, label = 0;
    std::optional<std::size_t> path, name, definition, synonyms, known, control, batch;
    /// True if each row has a person's answer, so that a question repeats for every annotator.
    bool of_annotators = false;
};

/// `warnings` lists columns that look misspelled or belong to another task. Throws bad_input if
/// there is no column of images or of labels.
QuestionColumns question_columns(const CsvReader& table, Task task,
                                 std::vector<std::string>& warnings);

}  // namespace assay::labelling
