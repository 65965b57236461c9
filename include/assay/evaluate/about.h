// Describes this build of Assay and what it finds on this machine, for fault reports and for the
// logs of experiments.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/collective/mpi.h"
#include "assay/model/classifier.h"
#include "assay/report.h"

namespace assay {

struct About {
    std::string version;
    std::string commit;        ///< 12 digits, followed by "+" if files differed from the commit; ""
                               ///< if it is not known
    std::string compiler;      ///< "GCC 12.2.0"
    std::string build_type;    ///< "Release", and the sanitizers that are compiled in
    std::string instructions;  ///< vector instructions in use: "avx2" or "none"
    std::string processor;     ///< its name, and its widest vector instructions
    /// The plug-in that runs models, as described by its file. Without one, `no_framework` gives
    /// the reason.
    std::optional<FrameworkFile> framework;
    std::string no_framework;
    std::vector<MpiPlugin> mpi;  ///< plug-ins that were found
    std::optional<CudaFacts> cuda;
};

/// Cost: it reads the plug-in's file. With `devices`, it also opens LibTorch, which takes half a
/// second, and asks it for its CUDA devices. Only in that case does it throw, as load_model() does,
/// if the plug-in cannot be opened.
About about_assay(bool devices = false);
/// The report begins with the line "assay VERSION". JSON: assay.version/1.
Report report_of(const About& about);

}  // namespace assay
