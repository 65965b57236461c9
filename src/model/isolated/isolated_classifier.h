// A classifier that runs in another process.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "assay/model/classifier.h"
#include "model/isolated/running_process.h"
#include "model/isolated/supervised.h"

namespace assay::isolated {

/// Opens a model there with every limit that the kernel has (`limited`), and waits for it. With
/// `tell_missing`, its facts list the missing limits. Errors are those of open_classifier(). A
/// process that ends unexpectedly gives bad_input, with the file and how it ended.
std::unique_ptr<Classifier> open_isolated(const ModelSpec& spec, const ClassifierOptions& options,
                                          bool limited, bool tell_missing);

/// A running process that has loaded its model.
struct LoadedProcess {
    std::shared_ptr<RunningProcess> process;
    std::shared_ptr<BatchGate> gate;  ///< shared by all classifiers that compute in it
    /// Returns a new process with the same model, after this one has ended. Empty if that is not
    /// possible.
    std::function<std::shared_ptr<RunningProcess>()> again = {};
};

/// Asks the process to open its model for `spec`. This classifier's batches use their own channels.
/// `data_files` is ModelFacts::data_files. Throws as open_isolated().
std::unique_ptr<Classifier> open_in(LoadedProcess loaded, const ModelSpec& spec,
                                    const ClassifierOptions& options, bool tell_missing,
                                    std::vector<std::filesystem::path> data_files = {});

}  // namespace assay::isolated
