// Which part of what a model returns holds its scores.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>

namespace assay::torch_plugin {

struct Scores {
    at::Tensor tensor;
    std::string note;  ///< when a part was chosen that others could have been
};

/// The scores in what forward() returned (a tensor, tuple, list or dict), by ModelSpec::output.
/// Throws bad_input: no tensor, several without `output`, no such part.
Scores scores_in(const c10::IValue& value, const std::string& output);

}  // namespace assay::torch_plugin
