// Asks a Python for the location of its package torch.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

struct TorchOfPython {
    std::filesystem::path folder;  ///< folder of the package, or ""
    std::string why_not;           ///< if there is none, the reason, as a sentence without a full
                                   ///< stop
};

/// `python` is a path, or a name on the PATH. The answer is untrusted: it must be an existing
/// folder.
TorchOfPython torch_of_python(const std::string& python);

}  // namespace assay
