// Which Python runs the models in Python.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

struct Interpreter {
    std::filesystem::path program;
    std::string chosen_by;  ///< for people: "ASSAY_PYTHON", "VIRTUAL_ENV", "the PATH"
};

/// $ASSAY_PYTHON (a file, or a name on the PATH); else that of an active environment, of
/// $VIRTUAL_ENV or $CONDA_PREFIX; else python3 on the PATH. Nothing is started. Throws usage, with
/// what to type: there is none. For messages: what needs it, and with which packages.
Interpreter find_interpreter(std::string_view what = "models in Python",
                             std::string_view packages = "torch timm");

}  // namespace assay
