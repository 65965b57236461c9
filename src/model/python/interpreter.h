// Which Python runs the models in Python.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

struct Interpreter {
    std::filesystem::path program;
    std::string chosen_by;  ///< for people: "ASSAY_PYTHON", "VIRTUAL_ENV", "the PATH"
};

/// $ASSAY_PYTHON (a file, or a name on the PATH); else that of an active environment, of
/// $VIRTUAL_ENV or $CONDA_PREFIX; else python3 on the PATH. Nothing is started. Throws usage, with
/// what to type: there is none.
Interpreter find_interpreter();

}  // namespace assay
