// Chooses the Python that runs models.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

struct Interpreter {
    std::filesystem::path program;
    std::string chosen_by;  ///< the source: "ASSAY_PYTHON", "VIRTUAL_ENV", "the PATH"
};

/// $ASSAY_PYTHON (a file, or a name on the PATH), else the active environment's ($VIRTUAL_ENV or
/// $CONDA_PREFIX), else python3 on the PATH. Does not start it. Throws usage without a Python, with
/// the command to type. The arguments are for messages: what needs Python, and which packages.
Interpreter find_interpreter(std::string_view what = "models in Python",
                             std::string_view packages = "torch timm");

}  // namespace assay
