// Runs ONNX files with the onnxruntime package of the user's Python, for `--runtime onnxruntime`.
#pragma once

#include <memory>

#include "assay/model/classifier.h"

namespace assay {

/// Opens the file of `spec` in a worker (python/assay/_worker/onnx_files.py). Its facts list the
/// files next to it with weights. Throws usage for another format than ONNX, a model in Python, or
/// a missing Python or package; otherwise as open_classifier().
std::unique_ptr<Classifier> open_in_onnxruntime(const ModelSpec& spec,
                                                const ClassifierOptions& options);

}  // namespace assay
