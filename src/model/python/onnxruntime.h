// ONNX files in the onnxruntime package of a person's Python, as `--runtime onnxruntime` asks for.
#pragma once

#include <memory>

#include "assay/model/classifier.h"

namespace assay {

/// Opens the file of `spec` in a worker (python/assay/_worker/onnx_files.py). Its facts have the
/// files beside it that hold weights. Throws usage: another format than ONNX, a model in Python, no
/// Python, no such package; else as open_classifier().
std::unique_ptr<Classifier> open_in_onnxruntime(const ModelSpec& spec,
                                                const ClassifierOptions& options);

}  // namespace assay
