// A classifier that is computed in another process.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "assay/model/classifier.h"
#include "model/isolated/running_process.h"
#include "model/isolated/supervised.h"

namespace assay::isolated {

/// Opens it there, under every limit that the kernel offers (`limited`), and waits until it is
/// open. With `tell_missing` its facts name the limits that are missing. Errors are those of
/// open_classifier(); a process that ends by itself is bad_input, with the file and how it ended.
std::unique_ptr<Classifier> open_isolated(const ModelSpec& spec, const ClassifierOptions& options,
                                          bool limited, bool tell_missing);

/// A process that runs already, and has loaded its model.
struct LoadedProcess {
    std::shared_ptr<RunningProcess> process;
    std::shared_ptr<BatchGate> gate;  ///< of all that compute in it
    /// One that has loaded the same, when this one has ended; empty: there is none.
    std::function<std::shared_ptr<RunningProcess>()> again = {};
};

/// Asks it to open its model for `spec`; what is computed goes through channels of this classifier
/// alone. `data_files`: ModelFacts::data_files. Throws as
/// open_isolated().
std::unique_ptr<Classifier> open_in(LoadedProcess loaded, const ModelSpec& spec,
                                    const ClassifierOptions& options, bool tell_missing,
                                    std::vector<std::filesystem::path> data_files = {});

}  // namespace assay::isolated
