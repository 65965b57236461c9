// What a model in Python is told that classifies by class names (open_clip): these, and templates.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/data/class_list.h"
#include "assay/model/model_spec.h"

namespace assay {

struct ClassTexts {
    ClassList classes = {};  ///< empty: the model asked for none
    /// As the message `names` has it (docs/formats.md).
    std::string json = {};
};

/// "openai" and "simple": lists of open_clip, which its package has.
bool is_template_list(std::string_view name);

/// Throws bad_input: there is no class list, a class has an id or a number and no name, the file of
/// templates is missing, empty or has a line without a place for the name.
ClassTexts class_texts(const PythonStart& start);

}  // namespace assay
