// Which build of Assay this is, and what it finds on this machine: for reports of faults and for
// the logs of experiments.
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
    std::string commit;        ///< 12 digits, "+" where files differed from it; "": not known
    std::string compiler;      ///< "GCC 12.2.0"
    std::string build_type;    ///< "Release", and the sanitizers that are compiled in
    std::string instructions;  ///< vector instructions in use: "avx2", "none"
    std::string processor;     ///< its name, and the widest ones that it has
    /// The plug-in that runs models, by what its file says; none: `no_framework` says why.
    std::optional<FrameworkFile> framework;
    std::string no_framework;
    std::vector<MpiPlugin> mpi;  ///< plug-ins that are there
    std::optional<CudaFacts> cuda;
};

/// Cost: a read of the plug-in's file. With `devices` LibTorch is opened, which takes half a
/// second, and asked for its CUDA devices. Throws, then alone, as load_model() where it cannot be
/// opened.
About about_assay(bool devices = false);
/// Begins with the line "assay VERSION". JSON: assay.version/1.
Report report_of(const About& about);

}  // namespace assay
