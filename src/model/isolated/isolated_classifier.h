// A classifier that is computed in another process.
#pragma once

#include <memory>

#include "assay/model/classifier.h"

namespace assay::isolated {

/// Opens it there, under every limit that the kernel offers (`limited`), and waits until it is
/// open. With `tell_missing` its facts name the limits that are missing. Errors are those of
/// open_classifier(); a process that ends by itself is bad_input, with the file and how it ended.
std::unique_ptr<Classifier> open_isolated(const ModelSpec& spec, const ClassifierOptions& options,
                                          bool limited, bool tell_missing);

}  // namespace assay::isolated
