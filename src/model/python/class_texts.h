// The class names and templates for a model in Python that classifies by names (open_clip).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/data/class_list.h"
#include "assay/model/model_spec.h"

namespace assay {

struct ClassTexts {
    ClassList classes = {};  ///< empty if the model did not request names
    /// The content of the message `names` (docs/formats.md).
    std::string json = {};
};

/// "openai" and "simple" are lists in open_clip's package.
bool is_template_list(std::string_view name);

/// Throws bad_input without a class list, or for a class that has an id but no name. Also throws it
/// for a file of templates that is missing, empty or has a line without a place for the name.
ClassTexts class_texts(const PythonStart& start);

}  // namespace assay
