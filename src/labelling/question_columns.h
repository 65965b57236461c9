// Which columns of a table of questions are what.
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
    /// A row says what somebody answered: the same question stands there once an annotator.
    bool of_annotators = false;
};

/// `warnings`: columns that look like misspelt ones, or that are of another task. Throws bad_input:
/// no column of images or of labels.
QuestionColumns question_columns(const CsvReader& table, Task task,
                                 std::vector<std::string>& warnings);

}  // namespace assay::labelling
