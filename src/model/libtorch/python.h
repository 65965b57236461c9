// A Python's package torch, found by asking that Python.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

struct TorchOfPython {
    std::filesystem::path folder;  ///< of the package; "" where there is none
    std::string why_not;           ///< then a whole sentence without a full stop
};

/// `python`: a path, or a name on the PATH. Its answer is input like any other: a folder that is
/// there, or none.
TorchOfPython torch_of_python(const std::string& python);

}  // namespace assay
